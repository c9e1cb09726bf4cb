-- Marks like `# <1>` in code, explained by the ordered list that follows it.
local formats = require "formats"

local seen = false

-- Take the marks off; the attribute `marks` keeps the lines of each: "1:1;2:3,6".
local function take_marks(code)
  if not code.text:find "#%s*<%d+>%s*\n" and not code.text:find "#%s*<%d+>%s*$" then return nil end
  local lines, marks, at = pandoc.List {}, {}, 0
  for line in (code.text .. "\n"):gmatch "(.-)\n" do
    at = at + 1
    local rest, mark = line:match "^(.-)%s*#%s*<(%d+)>%s*$"
    lines:insert(rest or line)
    if mark then marks[mark] = (marks[mark] and marks[mark] .. "," or "") .. at end
  end
  code.text, seen = table.concat(lines, "\n"), true
  for mark, at_lines in pairs(marks) do code.attributes["mark-" .. mark] = at_lines end
  return code
end

local function notes(code, list)
  local items = pandoc.List {}
  for at, blocks in ipairs(list.content) do
    local lines = code.attributes["mark-" .. at] or ""
    code.attributes["mark-" .. at] = nil
    items:insert { at = at, lines = lines, text = pandoc.utils.blocks_to_inlines(blocks) }
  end
  if not formats.html then
    return { pandoc.DefinitionList(items:map(function(item)
      return { (item.lines:find "," and "Lines " or "Line ") .. item.lines, { { pandoc.Para(item.text) } } }
    end)) }
  end
  local pairs_of_tags = pandoc.Blocks {}
  for _, item in ipairs(items) do
    pairs_of_tags:insert(formats.inline_element("dt", nil, { pandoc.Str(tostring(item.at)) }))
    local span = pandoc.Span(item.text, { ["data-code-lines"] = item.lines })
    pairs_of_tags:insert(formats.inline_element("dd", nil, { span }))
  end
  return formats.element("dl", "code-annotation-container-grid", pairs_of_tags)
end

-- A list behind marked code goes between the code and its output.
local function place_notes(blocks)
  local changed = false
  for at = #blocks, 2, -1 do
    local before = blocks[at - 1]
    local is_cell = before.t == "Div" and before.classes:includes "cell"
    local code = is_cell and before.content[1] or before
    if blocks[at].t == "OrderedList" and code and code.t == "CodeBlock" and code.attributes["mark-1"] then
      local explained = notes(code, blocks[at])
      blocks:remove(at)
      local home, place = blocks, at
      if is_cell then
        home, place = before.content, 2
        home[1] = code
      else
        blocks[at - 1] = code
      end
      for offset, block in ipairs(explained) do home:insert(place + offset - 1, block) end
      if is_cell then
        before.content = home
        blocks[at - 1] = before
      end
      changed = true
    end
  end
  return changed and blocks or nil
end

return {
  normalize = {
    CodeBlock = take_marks,
    Pandoc = function(doc)
      if seen then return doc:walk { Blocks = place_notes } end
    end,
  },
}
