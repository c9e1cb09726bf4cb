-- How a feature becomes HTML or Typst: as a tag or a function of page.typ
-- around what Pandoc writes.
local formats = {
  html = FORMAT:match "^html" ~= nil,
  typst = FORMAT == "typst",
  notebook = FORMAT:match "^gfm" ~= nil,
}

-- Markdown in an attribute, as inlines.
function formats.inlines(markdown)
  return pandoc.utils.blocks_to_inlines(pandoc.read(markdown, "markdown").blocks)
end

-- A Typst string literal.
function formats.quote(text)
  return '"' .. text:gsub("\\", "\\\\"):gsub('"', '\\"'):gsub("%s+", " ") .. '"'
end

local function tags(name, class, more)
  return "<" .. name .. (class and ' class="' .. class .. '"' or "") .. (more or "") .. ">", "</" .. name .. ">"
end

-- Blocks between two pieces of HTML.
function formats.between(open, blocks, close)
  return pandoc.Blocks { pandoc.RawBlock("html", open) } .. blocks .. { pandoc.RawBlock("html", close) }
end

-- <name class="class">blocks</name>
function formats.element(name, class, blocks, more)
  local open, close = tags(name, class, more)
  return formats.between(open, blocks, close)
end

-- <name class="class">inlines</name>, as a block
function formats.inline_element(name, class, inlines, more)
  local open, close = tags(name, class, more)
  return pandoc.Plain(
    pandoc.Inlines { pandoc.RawInline("html", open) } .. pandoc.Inlines(inlines) .. { pandoc.RawInline("html", close) })
end

-- #name(arguments, title: [inlines])[blocks] <id>
function formats.call(name, arguments, title, blocks, id)
  local head = pandoc.Inlines { pandoc.RawInline("typst", "#" .. name .. "(" .. arguments) }
  if title then
    head = head .. { pandoc.RawInline("typst", ", title: [") } .. title .. { pandoc.RawInline("typst", "]") }
  end
  head:insert(pandoc.RawInline("typst", ")["))
  local close = "]" .. (id and id ~= "" and " <" .. id .. ">" or "")
  return pandoc.Blocks { pandoc.Plain(head) } .. pandoc.Blocks(blocks) .. { pandoc.RawBlock("typst", close) }
end

return formats
