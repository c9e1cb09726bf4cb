-- .content-visible and .content-hidden, with when-format and unless-format.
local formats = require "formats"

local function matches(format)
  return format == "html" and formats.html or format == "typst" and formats.typst
end

local function normalize(el)
  local visible = el.classes:includes "content-visible"
  if not visible and not el.classes:includes "content-hidden" then return nil end
  local holds = true
  if el.attributes["when-format"] then holds = matches(el.attributes["when-format"]) end
  if el.attributes["unless-format"] then holds = not matches(el.attributes["unless-format"]) end
  if holds == visible then return el.content end
  return {}
end

return { normalize = { Div = normalize, Span = normalize } }
