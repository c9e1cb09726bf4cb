-- @fig-name and its like -> links with the number; everything else is a citation.
local numbers = require "numbers"

local function link(citation)
  local id = citation.id:sub(1, 1):lower() .. citation.id:sub(2)
  local entry = numbers.entries[id]
  if not entry or not entry.kind then
    numbers.problem("reference", citation.id)
    return pandoc.Strong { pandoc.Str("?@" .. citation.id) }
  end
  local text = pandoc.Inlines { entry.number }
  if #citation.prefix > 0 then
    text = citation.prefix .. { pandoc.Str "\u{a0}" } .. text
  elseif citation.mode ~= "SuppressAuthor" then
    text = pandoc.Inlines { numbers.title(id) }
  end
  return pandoc.Link(text, "#" .. id, "", { class = "quarto-xref" })
end

local function resolve(cite)
  local result, references = pandoc.Inlines {}, 0
  for at, citation in ipairs(cite.citations) do
    local id = citation.id:sub(1, 1):lower() .. citation.id:sub(2)
    if numbers.kind(id) then
      local shown = link(citation)
      if at > 1 and shown.t == "Link" then result:insert(pandoc.Str ", ") end
      result:insert(shown)
      references = references + 1
    end
  end
  if references > 0 then return result end
end

return { resolve = { Cite = resolve } }
