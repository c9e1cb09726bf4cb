-- {{< kbd Ctrl-C >}} and {{< pagebreak >}}; the weaver has made them spans.
local formats = require "formats"

return {
  normalize = {
    Span = function(span)
      if span.classes[1] == "shortcode-kbd" and formats.html then
        return formats.html and pandoc.List { pandoc.RawInline("html", "<kbd>") } .. span.content
          .. pandoc.List { pandoc.RawInline("html", "</kbd>") }
      elseif span.classes[1] == "shortcode-pagebreak" then
        return formats.typst and pandoc.RawInline("typst", "#pagebreak(weak: true)") or {}
      end
    end,
  },
}
