-- Code blocks: the name of the file above them, and folds.
local formats = require "formats"

local function with_filename(code, name)
  if formats.typst then return formats.call("code-with-filename", formats.quote(name), nil, { code }) end
  local head = pandoc.Div({ pandoc.Para { pandoc.Code(name) } }, { class = "code-with-filename-file" })
  return pandoc.Blocks { pandoc.Div({ head, code }, { class = "code-with-filename" }) }
end

local function render(code)
  local name, fold, summary =
    code.attributes.filename, code.attributes["code-fold"], code.attributes["code-summary"] or "Code"
  for _, attribute in ipairs { "filename", "code-fold", "code-summary" } do code.attributes[attribute] = nil end
  for attribute in pairs(code.attributes) do
    if attribute:match "^mark%-" then code.attributes[attribute] = nil end
  end
  local blocks = pandoc.Blocks { code }
  if name and not formats.notebook then blocks = with_filename(code, name) end
  if not formats.html or not code.classes:includes "cell-code" or fold ~= "true" and fold ~= "show" then
    return blocks
  end
  blocks:insert(1, formats.inline_element("summary", nil, formats.inlines(summary)))
  return formats.element("details", "code-fold", blocks, fold == "show" and " open" or "")
end

return { render = { CodeBlock = render } }
