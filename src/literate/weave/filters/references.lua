-- @fig-name and its like -> links with the number; everything else is a citation.
local formats = require "formats"
local numbers = require "numbers"

local variables = PANDOC_WRITER_OPTIONS.variables

local function link(citation, id)
  local number, kind, token = numbers.entries[id], numbers.kind(id), "@" .. citation.id
  if not number then
    numbers.problem(token, token .. " leads nowhere", "label what it means, or correct it")
    return pandoc.Strong { pandoc.Str("?" .. token) }
  end
  if kind == "sol" or kind == "rem" then
    numbers.problem(token, "Quarto's PDF cannot refer to " .. id, "refer to its exercise")
  elseif kind == "sec" and not variables["number-sections"] then
    numbers.problem(token, token .. " needs numbered sections", "set number-sections: true")
  end
  local text = pandoc.Inlines { number }
  if #citation.prefix > 0 then
    text = citation.prefix .. { pandoc.Str "\u{a0}" } .. text
  elseif citation.mode ~= "SuppressAuthor" then
    text = pandoc.Inlines { numbers.title(id, number) }
  end
  if formats.notebook then return pandoc.Span(text) end
  return pandoc.Link(text, "#" .. id, "", { class = "quarto-xref" })
end

local function resolve(cite)
  local result, references, token = pandoc.Inlines {}, 0, nil
  for at, citation in ipairs(cite.citations) do
    local id = citation.id:sub(1, 1):lower() .. citation.id:sub(2)
    if numbers.kind(id) then
      local shown = link(citation, id)
      if at > 1 and shown.t ~= "Strong" then result:insert(pandoc.Str ", ") end
      result:insert(shown)
      references, token = references + 1, "@" .. citation.id
    elseif not variables.bibliography then
      numbers.problem("@" .. citation.id, "the key " .. citation.id .. " is not in the bibliography", "add or correct it")
    end
  end
  if references > 0 and references < #cite.citations then
    numbers.problem(token, token .. " stands in one group with a citation", "part the group")
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
