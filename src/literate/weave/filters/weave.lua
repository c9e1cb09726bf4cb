-- Quarto's features, one file each. A feature has up to three parts:
--   normalize  gives it one form, whatever way it was written in
--   number     counts it, in document order
--   render     resolves references and makes HTML, Typst or the notebook of it
--   finish     makes plain what the notebook cannot show
-- The parts of all features make one filter each, so that the document is
-- walked four times, not thirty.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. "/?.lua;" .. package.path

local features = pandoc.List {
  "visibility", "claims", "headings", "equations", "annotations", "floats", "theorems", "callouts",
  "cells", "code", "margin", "references", "images", "notebook",
}
features = features:map(require)

-- `first`, then `second`, unless something else has become of the element.
local function chain(first, second)
  return function(element)
    local made = first(element)
    if made == nil then return second(element) end
    if made.t ~= element.t then return made end
    return second(made) or made
  end
end

local function filter(part, traverse)
  local result = {}
  for _, feature in ipairs(features) do
    for name, fn in pairs(feature[part] or {}) do
      result[name] = result[name] and chain(result[name], fn) or fn
    end
  end
  result.traverse = traverse
  return result
end

return {
  filter("normalize", "typewise"),
  filter("number", "topdown"),
  filter("render", "typewise"),
  filter("finish", "typewise"),
}
