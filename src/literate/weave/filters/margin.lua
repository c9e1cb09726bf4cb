-- .column-margin and .aside in Typst; in HTML they are classes of the page.
local formats = require "formats"

local function is_note(el) return el.classes:includes "column-margin" or el.classes:includes "aside" end

return {
  render = {
    Div = function(div)
      if formats.typst and is_note(div) then return formats.call("margin-note", "", nil, div.content) end
    end,
    Span = function(span)
      if formats.typst and is_note(span) then
        return pandoc.List { pandoc.RawInline("typst", "#margin-note()[") } .. span.content
          .. { pandoc.RawInline("typst", "]") }
      end
    end,
  },
}
