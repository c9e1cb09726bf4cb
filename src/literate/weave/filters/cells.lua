-- Executed cells, as the weaver has written them: code, then outputs.
local formats = require "formats"

-- Tell the weaver which cells have come through.
local function normalize(div)
  if not div.classes:includes "cell" or not div.attributes.line then return nil end
  io.stderr:write("@cell\t", div.attributes.line, "\n")
  if formats.notebook then return nil end
  div.attributes.line = nil
  return div
end

-- Plain text that a cell put out.
local function render(div)
  if formats.notebook and div.attributes.line then
    return formats.between("<!--cell " .. div.attributes.line .. "-->", div.content, "<!--end-->")
  end
  local first = div.content[1]
  if not div.classes:includes "cell-output" or not first then return nil end
  if formats.typst and first.t == "CodeBlock" then
    local type = div.classes[2]:gsub("^cell%-output%-", "")
    return formats.call("cell-output", "kind: " .. formats.quote(type), nil, div.content)
  elseif formats.typst and first.t == "RawBlock" and first.format == "html" then
    return pandoc.read(first.text, "html").blocks -- a table; nothing else gets here
  end
end

return { normalize = { Div = normalize }, render = { Div = render } }
