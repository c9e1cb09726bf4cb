-- Figures, tables and listings: what has a caption and a number.
-- Normal form: Div.float with the id; its last child, Div.float-caption, may be
-- missing; an inner float is a panel, (a), (b), ...
local formats = require "formats"
local numbers = require "numbers"

local kinds = { fig = "figure", tbl = "table", lst = "listing" }

local function float(id, blocks, caption, layout)
  local content = pandoc.Blocks(blocks)
  if caption and #caption > 0 then
    content:insert(pandoc.Div({ pandoc.Plain(caption) }, { class = "float-caption" }))
  end
  return pandoc.Div(content, { id = id, class = "float", ncol = layout })
end

local function labelled(id) return kinds[numbers.kind(id)] ~= nil end

local function caption_of(el)
  local blocks = el.caption.long
  return #blocks > 0 and pandoc.utils.blocks_to_inlines(blocks) or nil
end

local function image_alone(para)
  local image = para.content[1]
  if #para.content ~= 1 or image.t ~= "Image" or not labelled(image.identifier) then return nil end
  local id, caption = image.identifier, image.caption
  image.identifier, image.caption = "", {}
  return float(id, { pandoc.Plain { image } }, caption)
end

local normalize = {
  Figure = function(figure)
    local image = figure.content[1].content[1]
    image.caption = {}
    if not labelled(figure.identifier) then return nil end
    return float(figure.identifier, figure.content, caption_of(figure))
  end,
  Para = image_alone,
  Table = function(el)
    if not labelled(el.identifier) then return nil end
    local id, caption = el.identifier, caption_of(el)
    el.identifier, el.caption = "", { long = {} }
    return float(id, { el }, caption)
  end,
  CodeBlock = function(code)
    local id, caption = code.identifier, code.attributes["lst-cap"]
    code.attributes["lst-cap"] = nil
    if not labelled(id) then return nil end
    code.identifier = ""
    local inlines = pandoc.utils.blocks_to_inlines(pandoc.read(caption or "", "markdown").blocks)
    return float(id, { code }, inlines)
  end,
  Div = function(div)
    if not labelled(div.identifier) or div.classes:includes "float" then return nil end
    local last, caption = div.content[#div.content], nil
    if #div.content > 1 and last.t == "Para" then
      caption = last.content
      div.content:remove()
    end
    return float(div.identifier, div.content, caption, div.attributes["layout-ncol"])
  end,
}

local number = {
  traverse = "topdown",
  Div = function(div)
    if not div.classes:includes "float" or numbers.entries[div.identifier] and div.attributes.panel then
      return nil
    end
    local own = numbers.next(div.identifier)
    local panels = 0
    div.content = div.content:walk {
      Div = function(panel)
        if not panel.classes:includes "float" then return nil end
        panels = panels + 1
        panel.attributes.panel = string.char(96 + panels)
        numbers.enter(panel.identifier, own .. "\u{a0}(" .. panel.attributes.panel .. ")")
        return panel
      end,
    }
    return div
  end,
}

local function html(div, kind, caption)
  local panel = div.attributes.panel
  local position = kind == "figure" and "bottom" or "top"
  local short = ({ figure = "fig", table = "tbl", listing = "lst" })[kind]
  local result = pandoc.Blocks { pandoc.Div(div.content, { class = "scroller" }) }
  if caption then
    local class = ("quarto-float-caption-%s %s quarto-float-%s"):format(position,
      panel and "quarto-subfloat-caption" or "quarto-float-caption", short)
    local head = pandoc.Plain { pandoc.RawInline("html", '<figcaption class="' .. class .. '">') }
    head.content:extend(caption)
    head.content:insert(pandoc.RawInline("html", "</figcaption>"))
    result:insert(position == "top" and 1 or #result + 1, head)
  end
  result = formats.element(
    ('<figure class="quarto-float quarto-float-%s figure">'):format(short), result, "</figure>")
  local class = div.attributes.ncol and "quarto-layout-panel" or "quarto-float quarto-figure"
  return pandoc.Div(result, { id = div.identifier, class = class })
end

-- Blocks side by side, `ncol` a row.
local function rows(blocks, ncol)
  local cells = blocks:map(function(block) return pandoc.Div({ block }, { class = "quarto-layout-cell" }) end)
  if formats.typst then return formats.call("side-by-side", "columns: " .. ncol, nil, cells) end
  local result = pandoc.Blocks {}
  for at = 1, #cells, ncol do
    result:insert(pandoc.Div({ table.unpack(cells, at, math.min(at + ncol - 1, #cells)) },
      { class = "quarto-layout-row" }))
  end
  return result
end

local function render(div)
  if div.attributes["layout-ncol"] then
    return pandoc.Div(rows(div.content, tonumber(div.attributes["layout-ncol"])), { class = "quarto-layout-panel" })
  end
  if not div.classes:includes "float" then return nil end
  local kind, panel = kinds[numbers.kind(div.identifier)], div.attributes.panel
  local last, caption = div.content[#div.content], nil
  if last and last.classes and last.classes:includes "float-caption" then
    caption = last.content[1].content
    div.content:remove()
  end
  local title = panel and "(" .. panel .. ")" or numbers.title(div.identifier)
  if caption then
    caption = pandoc.Inlines { panel and title .. " " or title .. ": " } .. caption
  else
    caption = pandoc.Inlines { title }
  end
  if div.attributes.ncol then div.content = rows(div.content, tonumber(div.attributes.ncol)) end
  if formats.html then return html(div, kind, caption) end
  if formats.typst then
    return formats.call("float", ("kind: %s, panel: %s"):format(formats.quote(kind), tostring(panel ~= nil)),
      caption, div.content, div.identifier)
  end
  local text = pandoc.Para { pandoc.Emph(caption) }
  return kind == "figure" and div.content .. { text } or pandoc.Blocks { text } .. div.content
end

return { normalize = normalize, number = number, render = { Div = render } }
