-- {{< kbd Ctrl-C >}} and {{< pagebreak >}}; the weaver has made spans of them.
local formats = require "formats"

local function normalize(span)
  if span.classes:includes "shortcode-kbd" and formats.html then
    local text = pandoc.utils.stringify(span)
    return { pandoc.RawInline("html", "<kbd>"), pandoc.Str(text), pandoc.RawInline("html", "</kbd>") }
  elseif span.classes:includes "shortcode-pagebreak" then
    return formats.typst and pandoc.RawInline("typst", "#pagebreak(weak: true)") or {}
  end
end

return { normalize = { Span = normalize } }
