-- Numbers of sections, counted from the highest level in use.
local formats = require "formats"
local numbers = require "numbers"

local top, counts = 6, {}

local function survey(header) top = math.min(top, header.level) end

local function number(header)
  if header.classes:includes "unnumbered" then return nil end
  local level = header.level - top + 1
  for deeper = level + 1, 6 do counts[deeper] = 0 end
  counts[level] = (counts[level] or 0) + 1
  local parts = {}
  for at = 1, level do parts[at] = counts[at] or 0 end
  return numbers.enter(header, table.concat(parts, "."))
end

-- Quarto sets an appendix below the text, as a section of the second level.
local function render_appendix(header)
  if formats.html and header.classes:includes "appendix" then
    header.level = 2
    header.classes:extend { "unnumbered", "unlisted" }
  end
end

local function render(header)
  local number = header.attributes.number
  header.attributes.number = nil
  render_appendix(header)
  if number and PANDOC_WRITER_OPTIONS.variables["number-sections"] then
    local span = pandoc.Span({ pandoc.Str(number) }, { class = "header-section-number" })
    header.content = pandoc.Inlines { span, pandoc.Space() } .. header.content
  end
  return header
end

return { normalize = { Header = survey }, number = { Header = number }, render = { Header = render } }
