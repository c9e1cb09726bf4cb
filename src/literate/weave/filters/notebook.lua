-- What the notebook's Markdown does not have: divs, spans, notes, targets of links.
local formats = require "formats"

if not formats.notebook then return {} end

return {
  finish = {
    Div = function(div) return div.content end,
    Span = function(span) return span.content end,
    RawBlock = function(raw)
      if raw.format == "html" and not raw.text:match "^<!%-%-%a" then return {} end
    end,
    Link = function(link)
      if link.classes:includes "claim-mark" then return {} end
      if link.target:match "^#" then return link.content end
    end,
    Note = function(note)
      return pandoc.Inlines { pandoc.Str " (" } .. pandoc.utils.blocks_to_inlines(note.content) .. { pandoc.Str ")" }
    end,
    Header = function(header)
      header.attr = pandoc.Attr()
      return header
    end,
  },
}
