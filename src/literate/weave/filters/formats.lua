-- How a feature's normal form becomes HTML or Typst: as a tag or a function
-- call around blocks that Pandoc writes.
local formats = {
  html = FORMAT:match "^html" ~= nil,
  typst = FORMAT == "typst",
  notebook = FORMAT == "ipynb",
}

local function raw(text) return pandoc.RawBlock(formats.html and "html" or "typst", text) end

-- A Typst string literal.
function formats.quote(text)
  return '"' .. text:gsub("\\", "\\\\"):gsub('"', '\\"'):gsub("%s+", " ") .. '"'
end

-- `<tag>blocks</tag>`
function formats.element(open, blocks, close)
  local result = pandoc.Blocks { raw(open) }
  result:extend(blocks)
  result:insert(raw(close))
  return result
end

-- `#name(..., title: [inlines])[blocks] <id>`, a function of page.typ.
function formats.call(name, arguments, title, blocks, id)
  local head = "#" .. name .. "(" .. arguments
  local first
  if title then
    if arguments ~= "" then head = head .. ", " end
    first = pandoc.Plain { pandoc.RawInline("typst", head .. "title: [") }
    first.content:extend(title)
    first.content:insert(pandoc.RawInline("typst", "])["))
  else
    first = raw(head .. ")[")
  end
  local result = pandoc.Blocks { first }
  result:extend(blocks)
  result:insert(raw("]" .. (id and id ~= "" and " <" .. id .. ">" or "")))
  return result
end

return formats
