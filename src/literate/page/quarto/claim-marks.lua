-- A mark behind each claim: a link to its row of the ledger, if there is one.
-- Quarto runs this file; the embedded weaver's claims.lua takes its functions.
local rows = {}

local function mark(id)
  local row = "checked-" .. id
  if rows[row] then return pandoc.Link("§", "#" .. row, "How this was checked", { class = "claim-mark" }) end
end

return {
  { Span = function(span) rows[span.identifier] = true end },
  {
    Div = function(div)
      local last, link = div.content[#div.content], mark(div.identifier)
      if not link or last.t ~= "Para" then return nil end
      last.content:extend { pandoc.Str "\u{a0}", link }
      div.content[#div.content] = last
      return div
    end,
    Span = function(span)
      local link = mark(span.identifier)
      if link then return pandoc.Inlines { span, link } end
    end,
  },
}
