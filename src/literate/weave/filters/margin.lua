-- Notes in the margin: .column-margin and .aside.
local formats = require "formats"

local function is_note(el) return el.classes:includes "column-margin" or el.classes:includes "aside" end

-- In HTML a note in a paragraph stands behind it.
local function part(paragraph)
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

local seen = false

return {
  normalize = {
    Span = function(span) seen = seen or is_note(span) end,
    Pandoc = function(doc)
      if seen and formats.html then return doc:walk { Para = part } end
    end,
  },
  render = {
    Div = function(div)
      if formats.typst and is_note(div) then return formats.call("margin-note", "", nil, div.content) end
    end,
    Span = function(span)
      if not formats.typst or not is_note(span) then return nil end
      return pandoc.Inlines { pandoc.RawInline("typst", "#margin-note()[") } .. span.content
        .. { pandoc.RawInline("typst", "]") }
    end,
  },
}
