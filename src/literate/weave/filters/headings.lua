-- Numbers of sections: the highest level in use counts first.
local formats = require "formats"
local numbers = require "numbers"

local function number(doc)
  local top, counts = 6, {}
  doc:walk { Header = function(header) top = math.min(top, header.level) end }
  local shown = doc.meta["number-sections"]
  return doc:walk {
    traverse = "topdown",
    Header = function(header)
      if header.classes:includes "unnumbered" then return nil end
      local level = header.level - top + 1
      for deeper = level + 1, 6 do counts[deeper] = 0 end
      counts[level] = (counts[level] or 0) + 1
      local parts = {}
      for at = 1, level do parts[at] = counts[at] or 0 end
      local own = table.concat(parts, ".")
      numbers.enter(header.identifier, own)
      if shown then
        local span = pandoc.Span({ pandoc.Str(own) }, { class = "header-section-number" })
        header.content = pandoc.Inlines { span, pandoc.Space() } .. header.content
      end
      return header
    end,
  }
end

return { number = { Pandoc = number } }
