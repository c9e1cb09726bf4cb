-- Quarto's features, one file each. A feature has up to three parts:
--   normalize  gives it one form, whatever way it was written in
--   number     counts it, in document order
--   render     resolves references and makes HTML, Typst or the notebook of it
--   finish     makes plain what the notebook cannot show
-- The parts of all features make one filter each, so that the document is
-- walked four times, not thirty.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. "/?.lua;" .. package.path

local features = pandoc.List {
  "visibility", "shortcodes", "claims", "headings", "equations", "floats", "theorems", "callouts",
  "cells", "annotations", "code", "margin", "references", "images", "notebook",
}
features = features:map(require)

-- The functions one after the other, until one makes something else of the element.
local function chain(functions)
  if #functions == 1 then return functions[1] end
  return function(element)
    local changed
    for _, fn in ipairs(functions) do
      local result = fn(element)
      if result ~= nil then
        if pandoc.utils.type(result) ~= pandoc.utils.type(element) or result.t ~= element.t then return result end
        element, changed = result, true
      end
    end
    return changed and element or nil
  end
end

local function filter(part, traverse)
  local functions = {}
  for _, feature in ipairs(features) do
    for name, fn in pairs(feature[part] or {}) do
      functions[name] = functions[name] or {}
      table.insert(functions[name], fn)
    end
  end
  local result = { traverse = traverse }
  for name, list in pairs(functions) do result[name] = chain(list) end
  return result
end

return {
  filter("normalize", "typewise"),
  filter("number", "topdown"),
  filter("render", "typewise"),
  filter("finish", "typewise"),
}
