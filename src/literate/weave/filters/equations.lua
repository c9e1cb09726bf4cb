-- $$ ... $$ {#eq-name}, which the weaver has made a span with that id: numbered.
local formats = require "formats"
local numbers = require "numbers"

local function number(span)
  if span.classes:includes "equation" then return numbers.count(span) end
end

local function render(span)
  if not span.classes:includes "equation" then return nil end
  local math, own = span.content[1], "(" .. span.attributes.number .. ")"
  if formats.html then
    span.attributes.number, span.classes = nil, {}
    span.content:insert(pandoc.Span({ pandoc.Str(own) }, { class = "eq-number" }))
    return span
  elseif formats.typst then
    local head = pandoc.RawInline("typst", "#numbered(" .. formats.quote(own) .. ")[")
    return { head, math, pandoc.RawInline("typst", "] <" .. span.identifier .. ">") }
  end
  math.text = math.text:gsub("%s+$", "") .. "\\qquad" .. own
  return math
end

return { number = { Span = number }, render = { Span = render } }
