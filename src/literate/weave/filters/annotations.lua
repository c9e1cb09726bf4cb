-- Marks like `# <1>` in code, explained by the ordered list that follows it.
local formats = require "formats"

-- Take the marks off; the attribute `marks` keeps the lines of each: " 1:1 2:3,6".
local function take_marks(code)
  local lines, at = {}, 0
  local text = (code.text .. "\n"):gsub("(.-)\n", function(line)
    at = at + 1
    local rest, mark = line:match "^(.-)%s*#%s*<(%d+)>%s*$"
    if not mark then return nil end
    lines[mark] = (lines[mark] and lines[mark] .. "," or "") .. at
    return rest .. "\n"
  end)
  if not next(lines) then return nil end
  code.text, code.attributes.marks = text:gsub("\n$", ""), ""
  for mark, numbers in pairs(lines) do
    code.attributes.marks = code.attributes.marks .. " " .. mark .. ":" .. numbers
  end
  return code
end

local function notes(marks, list)
  local result = pandoc.Blocks {}
  for at, blocks in ipairs(list.content) do
    local text, lines = pandoc.utils.blocks_to_inlines(blocks), marks:match(" " .. at .. ":(%S+)") or ""
    if formats.html then
      local span = pandoc.Span(text, { ["data-code-lines"] = lines })
      result:insert(formats.inline_element("dt", nil, { tostring(at) }))
      result:insert(formats.inline_element("dd", nil, { span }))
    else
      local label = { (lines:find "," and "Lines " or "Line ") .. lines }
      result:insert(pandoc.DefinitionList { { label, { { pandoc.Para(text) } } } })
    end
  end
  return pandoc.Div(formats.html and formats.element("dl", "code-annotation-container-grid", result) or result)
end

-- A list behind marked code goes between the code and its output.
local function place_notes(blocks)
  local changed = false
  for at = #blocks - 1, 1, -1 do
    local block, list = blocks[at], blocks[at + 1]
    local cell = block.t == "Div" and block.classes:includes "cell"
    local code = cell and block.content[1] or block
    if list.t == "OrderedList" and code.t == "CodeBlock" and code.attributes.marks then
      blocks[at + 1] = notes(code.attributes.marks, list)
      if cell then
        block.content:insert(2, blocks:remove(at + 1))
        blocks[at] = block
      end
      changed = true
    end
  end
  return changed and blocks or nil
end

return { normalize = { CodeBlock = take_marks, Blocks = place_notes } }
