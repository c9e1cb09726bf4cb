-- Cells and code blocks: file names, folds and outputs.
local formats = require "formats"

local function folded(code, blocks)
  local fold = code.attributes["code-fold"]
  local summary = code.attributes["code-summary"] or "Code"
  code.attributes["code-fold"], code.attributes["code-summary"] = nil, nil
  if not formats.html or not code.classes:includes "cell-code" or not (fold == "true" or fold == "show") then
    return blocks
  end
  local open = fold == "show" and " open" or ""
  local head = pandoc.Plain { pandoc.RawInline("html", "<summary>") }
  head.content:extend(pandoc.utils.blocks_to_inlines(pandoc.read(summary, "markdown").blocks))
  head.content:insert(pandoc.RawInline("html", "</summary>"))
  return formats.element('<details class="code-fold"' .. open .. ">", pandoc.Blocks { head } .. blocks, "</details>")
end

local function render(code)
  local name = code.attributes.filename
  code.attributes.filename = nil
  local blocks = pandoc.Blocks { code }
  if name and formats.html then
    blocks = pandoc.Blocks { pandoc.Div({
      pandoc.Div({ pandoc.Para { pandoc.Code(name) } }, { class = "code-with-filename-file" }), code,
    }, { class = "code-with-filename" }) }
  elseif name and formats.typst then
    blocks = formats.call("code-with-filename", formats.quote(name), nil, blocks)
  end
  return folded(code, blocks)
end

local function output(div)
  if formats.typst and div.classes:includes "cell-output" and div.content[1] and div.content[1].t == "CodeBlock" then
    local type = div.classes[2]:gsub("^cell%-output%-", "")
    return formats.call("cell-output", "kind: " .. formats.quote(type), nil, div.content)
  end
end

return { render = { CodeBlock = render, Div = output } }
