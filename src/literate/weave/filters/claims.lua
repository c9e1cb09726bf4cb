-- A mark behind each claim: a link to its row of the ledger, if there is one.
local formats = require "formats"
local rows = {}

local function mark(id)
  local row = "checked-" .. id
  if rows[row] then return pandoc.Link("§", "#" .. row, "How this was checked", { class = "claim-mark" }) end
end

return {
  normalize = { Span = function(span) rows[span.identifier] = true end },
  render = {
    Div = function(div)
      local last, link = div.content[#div.content], mark(div.identifier)
      if not link or last.t ~= "Para" then return nil end
      last.content:extend { pandoc.Str "\u{a0}", link }
      div.content[#div.content] = last
      return div
    end,
    Span = function(span)
      if formats.typst and #span.content == 0 and span.identifier ~= "" then
        -- In Typst a label needs something to stand on.
        return pandoc.RawInline("typst", "#metadata(none) <" .. span.identifier .. ">")
      end
      local link = mark(span.identifier)
      if link then return pandoc.Inlines { span, link } end
    end,
  },
}
