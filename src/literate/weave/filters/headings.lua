-- Numbers of sections, counted from the highest level in use.
local formats = require "formats"
local numbers = require "numbers"

local top, counts = 6, {}

local function survey(header) top = math.min(top, header.level) end

local function number(header)
  if header.classes:includes "unnumbered" then return nil end
  local level = header.level - top + 1
  for at = 1, 6 do counts[at] = at <= level and counts[at] or 0 end
  counts[level] = counts[level] + 1
  return numbers.enter(header, table.concat(counts, ".", 1, level))
end

local function render(header)
  local number = header.attributes.number
  header.attributes.number = nil
  if formats.html and header.classes:includes "appendix" then -- below the text, as Quarto
    header.level = 2
    header.classes:extend { "unnumbered", "unlisted" }
  end
  if number and PANDOC_WRITER_OPTIONS.variables["number-sections"] then
    local span = pandoc.Span({ number }, { class = "header-section-number" })
    header.content = pandoc.Inlines { span, pandoc.Space() } .. header.content
  end
  return header
end

return { normalize = { Header = survey }, number = { Header = number }, render = { Header = render } }
