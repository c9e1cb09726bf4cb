-- $$ ... $$ {#eq-name}: numbered; in Typst every formula with its alternative text.
local formats = require "formats"
local numbers = require "numbers"
local speak = require "speak"

-- Math followed by {#eq-name} -> a span with that id.
local function label(inlines)
  local at = 1
  while at <= #inlines do
    local math = inlines[at]
    if math.t == "Math" and math.mathtype == "DisplayMath" then
      local next = at + 1
      if inlines[next] and (inlines[next].t == "Space" or inlines[next].t == "SoftBreak") then
        next = next + 1
      end
      local id, rest = nil, nil
      if inlines[next] and inlines[next].t == "Str" then
        id, rest = inlines[next].text:match "^{#(eq%-[%w_:.-]+)}(.*)$"
      end
      if id then
        inlines[at] = pandoc.Span({ math }, { id = id, class = "equation" })
        for _ = at + 1, next do inlines:remove(at + 1) end
        if rest ~= "" then inlines:insert(at + 1, pandoc.Str(rest)) end
      end
    end
    at = at + 1
  end
  return inlines
end

local function typst(math, number)
  local alt = "alt: " .. formats.quote(speak(math.text))
  local head = number and "#numbered(" .. formats.quote("(" .. number .. ")") .. ", " .. alt .. ")["
    or "#maths(" .. alt .. ")["
  return pandoc.List { pandoc.RawInline("typst", head), math, pandoc.RawInline("typst", "]") }
end

return {
  normalize = { Inlines = label },
  number = {
    Span = function(span)
      if span.classes:includes "equation" then numbers.next(span.identifier) end
    end,
  },
  render = {
    traverse = "topdown",
    Span = function(span)
      if not span.classes:includes "equation" then return nil end
      local math, number = span.content[1], numbers.entries[span.identifier].number
      if formats.typst then
        return typst(math, number) .. { pandoc.RawInline("typst", " <" .. span.identifier .. ">") }, false
      end
      span.classes = {}
      if formats.html then
        span.content:insert(pandoc.Span({ pandoc.Str("(" .. number .. ")") }, { class = "eq-number" }))
        return span, false
      end
      math.text = math.text:gsub("%s+$", "") .. "\\qquad(" .. number .. ")"
      return math, false
    end,
    Math = function(math)
      if formats.typst then return typst(math), false end
    end,
  },
}
