-- Notes in the margin: .column-margin and .aside.
local formats = require "formats"

local seen = false

local function is_note(el) return el.classes:includes "column-margin" or el.classes:includes "aside" end

-- In HTML a note in a paragraph stands behind it.
local function part(paragraph)
  if not seen or not formats.html then return nil end
  local notes, text = pandoc.Blocks {}, pandoc.Inlines {}
  for _, inline in ipairs(paragraph.content) do
    if inline.t == "Span" and is_note(inline) then
      notes:insert(pandoc.Div({ pandoc.Para(inline.content) }, { class = "column-margin" }))
    else
      text:insert(inline)
    end
  end
  if #notes > 0 then return pandoc.Blocks { pandoc.Para(text) } .. notes end
end

local function render(note)
  if not formats.typst or not is_note(note) then return nil end
  if note.t == "Div" then return formats.call("margin-note", "", nil, note.content) end
  return pandoc.Inlines { pandoc.RawInline("typst", "#margin-note()[") } .. note.content
    .. { pandoc.RawInline("typst", "]") }
end

return {
  normalize = { Span = function(span) seen = seen or is_note(span) end, Para = part },
  render = { Div = render, Span = render },
}
