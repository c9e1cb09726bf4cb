-- The title of a callout, theorem or float. Until the element is rendered it waits
-- as its first Div, so that it is no heading and references in it are resolved.
local formats = require "formats"
local titles = {}

function titles.put(div, inlines)
  div.content:insert(1, pandoc.Div({ pandoc.Plain(inlines) }, { class = "title" }))
  return div
end

-- From an attribute with Markdown in it, or else from a first heading.
function titles.find(div, attribute)
  local markdown, first = div.attributes[attribute], div.content[1]
  div.attributes[attribute] = nil
  if markdown then return titles.put(div, formats.inlines(markdown)) end
  if not first or first.t ~= "Header" then return titles.put(div, {}) end
  div.content:remove(1)
  return titles.put(div, first.content)
end

function titles.take(div) return div.content:remove(1).content[1].content end

return titles
