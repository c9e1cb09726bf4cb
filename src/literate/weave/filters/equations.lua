-- $$ ... $$ {#eq-name}: numbered; in Typst every formula has its alternative text.
local formats = require "formats"
local numbers = require "numbers"
local speak = require "speak"

-- In a paragraph, a display followed by {#eq-name} becomes a span with that id.
local function label(paragraph)
  local inlines, changed = paragraph.content, false
  for at = #inlines - 1, 1, -1 do
    if inlines[at].t == "Math" and inlines[at].mathtype == "DisplayMath" then
      local blank = inlines[at + 1].t == "Space" or inlines[at + 1].t == "SoftBreak"
      local mark = inlines[at + (blank and 2 or 1)]
      local id, rest = (mark and mark.t == "Str" and mark.text or ""):match "^{#(eq%-[%w_:.-]+)}(.*)$"
      if id then
        inlines[at] = pandoc.Span({ inlines[at] }, { id = id, class = "equation" })
        if blank then inlines:remove(at + 1) end
        inlines[at + 1] = pandoc.Str(rest)
        changed = true
      end
    end
  end
  if not changed then return nil end
  paragraph.content = inlines
  return paragraph
end

local function typst(math)
  local head = "#maths(alt: " .. formats.quote(speak(math.text)) .. ")["
  return { pandoc.RawInline("typst", head), math, pandoc.RawInline("typst", "]") }
end

local function render(span)
  if not span.classes:includes "equation" then return nil end
  local number = span.attributes.number
  span.attributes.number, span.classes = nil, {}
  if formats.typst then -- here the formula has become three inlines, see above
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
  normalize = { Para = label, Plain = label },
  number = {
    Span = function(span)
      if span.classes:includes "equation" then return numbers.count(span) end
    end,
  },
  render = { Math = formats.typst and typst or nil, Span = render },
}
