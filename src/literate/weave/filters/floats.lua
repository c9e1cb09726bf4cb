-- Figures, tables and listings: what has a caption and a number.
-- Normal form: Div.float with the id and its caption as its title; a float in a
-- float is a panel, (a), (b), ...
local formats = require "formats"
local numbers = require "numbers"
local titles = require "titles"

local kinds = { fig = "figure", tbl = "table", lst = "listing" }

local function kind_of(id) return kinds[numbers.kind(id)] end

local function float(id, blocks, caption, columns)
  return titles.put(pandoc.Div(blocks, { id = id, class = "float", columns = columns }), caption)
end

-- The caption of a Figure or Table of Pandoc's, as inlines.
local function caption_of(el) return pandoc.utils.blocks_to_inlines(el.caption.long) end

-- A captioned image; without an id Pandoc's own figure will do.
local function from_figure(figure)
  local plain, id = figure.content[1], figure.identifier
  local image = plain.content[1]
  image.caption = {}
  plain.content = { image }
  figure.content, figure.identifier = { plain }, ""
  if kind_of(id) then return float(id, figure.content, caption_of(figure)) end
  return id == "" and figure or pandoc.Div({ figure }, { id = id, class = "quarto-figure" })
end

local function from_table(el)
  el.colspecs = el.colspecs:map(function(spec) return { spec[1], nil } end)
  if not kind_of(el.identifier) then return el end
  local id, caption = el.identifier, caption_of(el)
  el.identifier, el.caption = "", { long = {} }
  return float(id, { el }, caption)
end

local function from_code(code)
  local id, caption = code.identifier, code.attributes["lst-cap"]
  code.attributes["lst-cap"] = nil
  if not kind_of(id) then return code end
  code.identifier = ""
  return float(id, { code }, formats.inlines(caption or ""))
end

-- A div with the id; its last paragraph is the caption.
local function from_div(div)
  if not kind_of(div.identifier) or div.classes:includes "float" then return nil end
  local blocks, caption = div.content, {}
  if #blocks > 1 and blocks[#blocks].t == "Para" then caption = blocks:remove().content end
  return float(div.identifier, blocks, caption, div.attributes["layout-ncol"])
end

local function number(div)
  if not div.classes:includes "float" or div.attributes.panel then return nil end
  numbers.count(div)
  local panels = 0
  div.content = div.content:walk {
    Div = function(panel)
      if not panel.classes:includes "float" then return nil end
      panels = panels + 1
      panel.attributes.panel = "(" .. string.char(96 + panels) .. ")"
      return numbers.enter(panel, div.attributes.number .. "\u{a0}" .. panel.attributes.panel)
    end,
  }
  return div
end

-- Blocks side by side.
local function rows(blocks, columns)
  local cells = blocks:map(function(block) return pandoc.Div({ block }, { class = "quarto-layout-cell" }) end)
  if formats.typst then return formats.call("side-by-side", "columns: " .. columns, nil, cells) end
  local result = pandoc.Blocks {}
  for at = 1, #cells, columns do
    local row = { table.unpack(cells, at, math.min(at + columns - 1, #cells)) }
    result:insert(pandoc.Div(row, { class = "quarto-layout-row" }))
  end
  return result
end

local function html(div, on_top, caption)
  local kind = numbers.kind(div.identifier)
  local class = ("quarto-float-caption-%s quarto-%s-caption quarto-float-%s"):format(
    on_top and "top" or "bottom", div.attributes.panel and "subfloat" or "float", kind)
  local result = pandoc.Blocks { pandoc.Div(div.content, { class = "scroller" }) }
  result:insert(on_top and 1 or 2, formats.inline_element("figcaption", class, caption))
  return pandoc.Div(formats.element("figure", "quarto-float quarto-float-" .. kind .. " figure", result), {
    id = div.identifier,
    class = div.attributes.columns and "quarto-layout-panel" or "quarto-float quarto-figure",
  })
end

local function render(div)
  local columns = tonumber(div.attributes.columns or div.attributes["layout-ncol"])
  if not div.classes:includes "float" then
    return columns and pandoc.Div(rows(div.content, columns), { class = "quarto-layout-panel" })
  end
  local kind, panel = kind_of(div.identifier), div.attributes.panel
  local label, caption = panel or numbers.title(div.identifier, div.attributes.number), titles.take(div)
  if #caption > 0 then label = label .. (panel and " " or ": ") end
  caption = pandoc.Inlines { label } .. caption
  if columns then div.content = rows(div.content, columns) end
  if formats.html then return html(div, kind ~= "figure", caption) end
  if formats.typst then
    local arguments = ("kind: %s, panel: %s"):format(formats.quote(kind), tostring(panel ~= nil))
    return formats.call("float", arguments, caption, div.content, div.identifier)
  end
  local text = pandoc.Para { pandoc.Emph(caption) }
  return kind == "figure" and div.content .. { text } or pandoc.Blocks { text } .. div.content
end

return {
  normalize = { Figure = from_figure, Table = from_table, CodeBlock = from_code, Div = from_div },
  number = { Div = number },
  render = { Div = render },
}
