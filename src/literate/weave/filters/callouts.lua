-- ::: {.callout-note} and the other four; with `collapse` they are <details>.
local formats = require "formats"
local numbers = require "numbers"

local types = { note = "Note", tip = "Tip", warning = "Warning", important = "Important", caution = "Caution" }

local function type_of(div)
  for _, class in ipairs(div.classes) do
    local type = class:match "^callout%-(%a+)$"
    if types[type] then return type end
  end
end

-- The title becomes a Div of its own, so that it is no heading and references in
-- it are resolved.
local function normalize(div)
  if not type_of(div) then return nil end
  local title, first = {}, div.content[1]
  if div.attributes.title then
    title = formats.inlines(div.attributes.title)
    div.attributes.title = nil
  elseif first and first.t == "Header" then
    title = first.content
    div.content:remove(1)
  end
  div.content:insert(1, pandoc.Div({ pandoc.Plain(title) }, { class = "callout-title" }))
  return div
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
    local text = pandoc.Inlines { pandoc.Span(title, { class = "callout-title-container" }) }
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
  local title = div.content:remove(1).content[1].content
  if div.attributes.number then
    local numbered = numbers.title(div.identifier, div.attributes.number)
    title = #title > 0 and pandoc.Inlines { numbered .. ": " } .. title or pandoc.Inlines { numbered }
  elseif #title == 0 then
    title = pandoc.Inlines { types[type] }
  end
  if formats.html then return html(div, type, title) end
  if formats.typst then
    return formats.call("callout", "kind: " .. formats.quote(type), title, div.content, div.identifier)
  end
  return pandoc.Blocks { pandoc.Para { pandoc.Strong(title) } } .. div.content
end

return { normalize = { Div = normalize }, number = { Div = number }, render = { Div = render } }
