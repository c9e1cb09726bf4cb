-- Pictures: `fig-alt` is the alternative text; Pandoc's Typst writer drops it.
local formats = require "formats"
local numbers = require "numbers"

-- A length for Typst: bare numbers are CSS pixels.
local function length(value)
  if not value then return "auto" end
  local pixels = value:match "^([%d.]+)p?x?$"
  return pixels and tonumber(pixels) * 0.75 .. "pt" or value
end

local function render(image)
  local given, line = image.attributes["fig-alt"], image.attributes.line
  local alt = given or pandoc.utils.stringify(image.caption)
  image.attributes["fig-alt"], image.attributes.line = nil, nil
  if numbers.kind(image.identifier) then
    numbers.problem("#" .. image.identifier, "the picture " .. image.identifier .. " has no caption", "give it one")
  end
  if alt == "" then
    local token, shown = line and "line " .. line or image.src, line and "of this cell" or image.src
    numbers.problem(token, "the picture " .. shown .. " has no alternative text", 'give it fig-alt="..."')
  end
  if formats.typst then
    return pandoc.RawInline("typst", ("#picture(%s, alt: %s, width: %s, height: %s)"):format(
      formats.quote(image.src), formats.quote(alt), length(image.attributes.width), length(image.attributes.height)))
  end
  image.caption = alt == "" and {} or { pandoc.Str(alt) }
  return image
end

return { render = { Image = render } }
