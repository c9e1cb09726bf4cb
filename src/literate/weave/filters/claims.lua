-- The marks behind claims, as Quarto gets them from the same file.
local formats = require "formats"
local here = pandoc.path.directory(PANDOC_SCRIPT_FILE)
local find_rows, add_marks = table.unpack(dofile(here .. "/../../page/quarto/claim-marks.lua"))
local add_mark = add_marks.Span

function add_marks.Span(span)
  if formats.typst and #span.content == 0 and span.identifier ~= "" then
    -- In Typst a label needs something to stand on.
    return pandoc.RawInline("typst", "#metadata(none) <" .. span.identifier .. ">")
  end
  return add_mark(span)
end

return { normalize = find_rows, render = add_marks }
