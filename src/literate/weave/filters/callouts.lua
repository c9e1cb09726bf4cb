-- ::: {.callout-note} and the other four; with collapse they are <details>.
local formats = require "formats"
local numbers = require "numbers"

local types = { note = "Note", tip = "Tip", warning = "Warning", important = "Important", caution = "Caution" }

local function type_of(div)
  for _, class in ipairs(div.classes) do
    local type = class:match "^callout%-(%a+)$"
    if types[type] then return type end
  end
end

-- The title becomes a Div of its own, so that references in it are resolved.
local function normalize(div)
  local type = type_of(div)
  if not type then return nil end
  local title = div.attributes.title and pandoc.utils.blocks_to_inlines(pandoc.read(div.attributes.title, "markdown").blocks)
  local first = div.content[1]
  if not title and first and first.t == "Header" then
    title = first.content
    div.content:remove(1)
  end
  div.attributes.title = nil
  div.content:insert(1, pandoc.Div({ pandoc.Plain(title or {}) }, { class = "callout-title" }))
  return div
end

local function number(div)
  if type_of(div) and numbers.kind(div.identifier) then numbers.next(div.identifier) end
end

local function html(div, type, title)
  local collapse, appearance = div.attributes.collapse, div.attributes.appearance or "default"
  local class = ("callout callout-style-%s callout-%s"):format(appearance == "minimal" and "simple" or appearance, type)
  if div.attributes.icon == "false" or appearance == "minimal" then class = class .. " no-icon" end
  local result = pandoc.Blocks {}
  if title then
    local tag = collapse and "summary" or "div"
    local head = ('<%s class="callout-header%s"%s>'):format(tag, collapse == "true" and " collapsed" or "",
      collapse and ' data-bs-toggle="collapse"' or "")
    head = pandoc.Plain { pandoc.RawInline("html", head .. '<span class="callout-title-container">') }
    head.content:extend(title)
    head.content:insert(pandoc.RawInline("html", "</span></" .. tag .. ">"))
    result:insert(head)
  end
  result:insert(pandoc.Div(div.content, { class = "callout-body" }))
  if collapse then
    result = formats.element(collapse == "true" and "<details>" or "<details open>", result, "</details>")
  end
  return pandoc.Div(result, { id = div.identifier, class = class })
end

local function render(div)
  local type = type_of(div)
  if not type then return nil end
  local title = div.content:remove(1).content[1].content
  if numbers.kind(div.identifier) then
    local numbered = pandoc.Inlines { numbers.title(div.identifier) }
    title = #title > 0 and numbered .. { pandoc.Str ": " } .. title or numbered
  elseif #title == 0 then
    title = pandoc.Inlines { types[type] }
  end
  if formats.html then
    return html(div, type, not (div.attributes.appearance == "minimal") and title or nil)
  end
  if formats.typst then
    return formats.call("callout", "kind: " .. formats.quote(type), title, div.content, div.identifier)
  end
  return pandoc.Blocks { pandoc.Para { pandoc.Strong(title) } } .. div.content
end

return {
  normalize = { Div = normalize },
  number = { traverse = "topdown", Div = number },
  render = { Div = render },
}
