-- Figures, tables and listings: what has a caption and a number.
-- Normal form: Div.float with the id; its last child, Div.float-caption, may be
-- missing; a float in a float is a panel, (a), (b), ...
local formats = require "formats"
local numbers = require "numbers"

local kinds = { fig = "figure", tbl = "table", lst = "listing" }

local function kind_of(id) return kinds[numbers.kind(id)] end

local function float(id, blocks, caption, columns)
  local content = pandoc.Blocks(blocks)
  if caption and #caption > 0 then
    content:insert(pandoc.Div({ pandoc.Plain(caption) }, { class = "float-caption" }))
  end
  return pandoc.Div(content, { id = id, class = "float", columns = columns })
end

-- A captioned image; without an id Pandoc's own figure will do.
local function from_figure(figure)
  local plain = figure.content[1]
  local image = plain.content[1]
  image.caption = {}
  plain.content = { image }
  figure.content = { plain }
  if figure.identifier == "" then return figure end
  if not kind_of(figure.identifier) then
    local id = figure.identifier
    figure.identifier = ""
    return pandoc.Div({ figure }, { id = id, class = "quarto-figure" })
  end
  return float(figure.identifier, figure.content, pandoc.utils.blocks_to_inlines(figure.caption.long))
end

local function from_table(el)
  el.colspecs = el.colspecs:map(function(spec) return { spec[1], nil } end)
  if not kind_of(el.identifier) then return el end
  local id, caption = el.identifier, pandoc.utils.blocks_to_inlines(el.caption.long)
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
  local last, caption = div.content[#div.content], nil
  if #div.content > 1 and last.t == "Para" then
    caption = last.content
    div.content:remove()
  end
  return float(div.identifier, div.content, caption, div.attributes["layout-ncol"])
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

local function html(div, kind, caption)
  local top = kind ~= "figure"
  local short = numbers.kind(div.identifier)
  local class = ("quarto-float-caption-%s quarto-%s-caption quarto-float-%s"):format(
    top and "top" or "bottom", div.attributes.panel and "subfloat" or "float", short)
  local result = pandoc.Blocks { pandoc.Div(div.content, { class = "scroller" }) }
  result:insert(top and 1 or 2, formats.inline_element("figcaption", class, caption))
  return pandoc.Div(formats.element("figure", "quarto-float quarto-float-" .. short .. " figure", result), {
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
  local title = panel or numbers.title(div.identifier, div.attributes.number)
  local caption = pandoc.Inlines { title }
  local last = div.content[#div.content]
  if last and last.t == "Div" and last.classes:includes "float-caption" then
    caption = pandoc.Inlines { title .. (panel and " " or ": ") } .. last.content[1].content
    div.content:remove()
  end
  if columns then div.content = rows(div.content, columns) end
  if formats.html then return html(div, kind, caption) end
  if formats.typst then
    local arguments = ("kind: %s, panel: %s"):format(formats.quote(kind), tostring(panel ~= nil))
    return formats.call("float", arguments, caption, div.content, div.identifier)
  end
  local text = pandoc.Para { pandoc.Emph(caption) }
  return kind == "figure" and div.content .. { text } or pandoc.Blocks { text } .. div.content
end

return {
  normalize = {
    Figure = from_figure, Table = from_table, CodeBlock = from_code, Div = from_div,
  },
  number = { Div = number },
  render = { Div = render },
}
