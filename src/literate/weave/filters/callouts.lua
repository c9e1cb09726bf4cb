-- ::: {.callout-note} and the other four; with `collapse` they are <details>.
local formats = require "formats"
local numbers = require "numbers"
local titles = require "titles"

local types = { note = "Note", tip = "Tip", warning = "Warning", important = "Important", caution = "Caution" }

local function type_of(div)
  for _, class in ipairs(div.classes) do
    local type = class:match "^callout%-(%a+)$"
    if types[type] then return type end
  end
end

local function normalize(div)
  if type_of(div) then return titles.find(div, "title") end
end

local function number(div)
  if type_of(div) and numbers.kind(div.identifier) then return numbers.count(div) end
end

local function html(div, type, title)
  local collapse, minimal = div.attributes.collapse, div.attributes.appearance == "minimal"
  local simple = minimal or div.attributes.appearance == "simple"
  local result = pandoc.Blocks { pandoc.Div(div.content, { class = "callout-body" }) }
  if not minimal then
    local class = "callout-header" .. (collapse == "true" and " collapsed" or "")
    local more = collapse and ' data-bs-toggle="collapse"'
    local text = { pandoc.Span(title, { class = "callout-title-container" }) }
    result:insert(1, formats.inline_element(collapse and "summary" or "div", class, text, more))
  end
  if collapse then
    result = formats.element("details", nil, result, collapse == "true" and "" or " open")
  end
  local class = ("callout callout-style-%s callout-%s%s"):format(simple and "simple" or "default", type,
    (minimal or div.attributes.icon == "false") and " no-icon" or "")
  return pandoc.Div(result, { id = div.identifier, class = class })
end

local function render(div)
  local type = type_of(div)
  if not type then return nil end
  local title, number = titles.take(div), div.attributes.number
  local label = number and numbers.title(div.identifier, number)
  if #title == 0 then
    title = pandoc.Inlines { label or types[type] }
  elseif label then
    title = pandoc.Inlines { label .. ": " } .. title
  end
  if formats.html then return html(div, type, title) end
  if formats.typst then
    return formats.call("callout", "kind: " .. formats.quote(type), title, div.content, div.identifier)
  end
  return pandoc.Blocks { pandoc.Para { pandoc.Strong(title) } } .. div.content
end

return { normalize = { Div = normalize }, number = { Div = number }, render = { Div = render } }
