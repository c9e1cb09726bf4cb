-- A link to an id of the page must lead somewhere.
local numbers = require "numbers"

local function check(doc)
  local ids = {}
  local function note(el) if el.identifier and el.identifier ~= "" then ids[el.identifier] = true end end
  doc:walk { Header = note, Div = note, Span = note, Figure = note, Table = note, CodeBlock = note, Link = note, Image = note, Code = note }
  doc:walk {
    Link = function(link)
      local id = link.target:match "^#(.+)$"
      if id and not ids[id] then numbers.problem("link", link.target) end
    end,
  }
end

return { resolve = { Pandoc = check } }
