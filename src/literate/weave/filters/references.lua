-- @fig-name and its like -> links with the number; everything else is a citation.
local formats = require "formats"
local numbers = require "numbers"

local function link(citation, id)
  local entry, kind = numbers.entries[id], numbers.kind(id)
  if not entry then
    numbers.problem("reference", citation.id)
    return pandoc.Strong { pandoc.Str("?@" .. citation.id) }
  end
  if kind == "sol" or kind == "rem" then numbers.problem("solution", id) end
  if kind == "sec" and not PANDOC_WRITER_OPTIONS.variables["number-sections"] then numbers.problem("section", id) end
  local text = pandoc.Inlines { entry.number }
  if #citation.prefix > 0 then
    text = citation.prefix .. { pandoc.Str "\u{a0}" } .. text
  elseif citation.mode ~= "SuppressAuthor" then
    text = pandoc.Inlines { numbers.title(id, entry.number) }
  end
  if formats.notebook then return pandoc.Span(text) end
  return pandoc.Link(text, "#" .. id, "", { class = "quarto-xref" })
end

local function resolve(cite)
  local result, references, last = pandoc.Inlines {}, 0, nil
  for at, citation in ipairs(cite.citations) do
    local id = citation.id:sub(1, 1):lower() .. citation.id:sub(2)
    if numbers.kind(id) then
      local shown = link(citation, id)
      if at > 1 and shown.t ~= "Strong" then result:insert(pandoc.Str ", ") end
      result:insert(shown)
      references, last = references + 1, citation.id
    elseif not PANDOC_WRITER_OPTIONS.variables.bibliography then
      numbers.problem("citation", citation.id)
    end
  end
  if references > 0 and references < #cite.citations then
    numbers.problem("mixed", last)
  end
  if references > 0 then return result end
end

local placed = false

-- Where the document has no place for the list of references, it comes last.
local function place_references(doc)
  if not doc.meta.bibliography or placed then return nil end
  local heading = pandoc.Header(2, "References", pandoc.Attr("quarto-bibliography", { "unnumbered", "unlisted" }))
  doc.blocks:extend { heading, pandoc.Div({}, { id = "refs" }) }
  return doc
end

return {
  normalize = { Div = function(div) placed = placed or div.identifier == "refs" end },
  render = { Cite = resolve, Pandoc = place_references },
}
