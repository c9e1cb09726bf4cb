-- Code blocks: the name of the file above them, and folds.
local formats = require "formats"

local function with_filename(blocks, name)
  if formats.typst then return formats.call("code-with-filename", formats.quote(name), nil, blocks) end
  local head = pandoc.Div({ pandoc.Para { pandoc.Code(name) } }, { class = "code-with-filename-file" })
  return pandoc.Blocks { pandoc.Div(pandoc.Blocks { head } .. blocks, { class = "code-with-filename" }) }
end

local function render(code)
  local name, fold, summary =
    code.attributes.filename, code.attributes["code-fold"], code.attributes["code-summary"] or "Code"
  for _, attribute in ipairs { "filename", "code-fold", "code-summary", "marks" } do code.attributes[attribute] = nil end
  if formats.typst then -- not a language: {bash} of a cell that is not run
    code.classes = code.classes:filter(function(class) return not class:match "^{" end)
  end
  local blocks = pandoc.Blocks { code }
  if formats.typst and code.classes:includes "numberLines" then
    blocks = formats.call("numbered-lines", "start: " .. (code.attributes.startFrom or "1"), nil, blocks)
  end
  if name and not formats.notebook then blocks = with_filename(blocks, name) end
  if not formats.html or not code.classes:includes "cell-code" or fold ~= "true" and fold ~= "show" then
    return blocks
  end
  blocks:insert(1, formats.inline_element("summary", nil, formats.inlines(summary)))
  return formats.element("details", "code-fold", blocks, fold == "show" and " open" or "")
end

return { render = { CodeBlock = render } }
