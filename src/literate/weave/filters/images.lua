-- Pictures: `fig-alt` becomes the alternative text; Pandoc's Typst writer drops it.
local formats = require "formats"
local numbers = require "numbers"

local function length(value)
  if not value then return "auto" end
  if value:match "^[%d.]+$" then return value .. "pt * 0.75" end
  return (value:gsub("px$", "pt * 0.75"))
end

local function render(image)
  local alt = image.attributes["fig-alt"] or pandoc.utils.stringify(image.caption)
  image.attributes["fig-alt"] = nil
  if alt == "" then numbers.problem("alt", image.src) end
  if formats.typst then
    return pandoc.RawInline("typst", ("#picture(%s, alt: %s, width: %s, height: %s)"):format(
      formats.quote(image.src), formats.quote(alt), length(image.attributes.width), length(image.attributes.height)))
  end
  image.caption = alt == "" and {} or { pandoc.Str(alt) }
  return image
end

return { render = { Image = render } }
