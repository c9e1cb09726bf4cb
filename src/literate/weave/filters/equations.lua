-- $$ ... $$ {#eq-name}, which the weaver has made a span with that id: numbered.
-- In Typst every formula has its alternative text.
local formats = require "formats"
local numbers = require "numbers"
local speak = require "speak"

local function typst(math)
  local head = "#maths(alt: " .. formats.quote(speak(math.text)) .. ")["
  return { pandoc.RawInline("typst", head), math, pandoc.RawInline("typst", "]") }
end

local function render(span)
  if not span.classes:includes "equation" then return nil end
  local number = span.attributes.number
  span.attributes.number, span.classes = nil, {}
  if formats.typst then -- where the formula is three inlines by now
    local head = span.content[1]
    head.text = head.text:gsub("^#maths%(", '#numbered("(' .. number .. ')", ')
    return span.content .. { pandoc.RawInline("typst", " <" .. span.identifier .. ">") }
  elseif formats.html then
    span.content:insert(pandoc.Span({ pandoc.Str("(" .. number .. ")") }, { class = "eq-number" }))
    return span
  end
  local math = span.content[1]
  math.text = math.text:gsub("%s+$", "") .. "\\qquad(" .. number .. ")"
  return math
end

return {
  number = {
    Span = function(span)
      if span.classes:includes "equation" then return numbers.count(span) end
    end,
  },
  render = { Math = formats.typst and typst or nil, Span = render },
}
