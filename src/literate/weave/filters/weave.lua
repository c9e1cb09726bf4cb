-- The chapter's Quarto features, one file each, in the order in which they run.
-- First each feature is given one normal form, then everything is numbered in
-- document order, then references are resolved, then the normal forms are
-- rendered for HTML, Typst or the notebook.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. "/?.lua;" .. package.path

local function passes(pass)
  local filters = {}
  for _, name in ipairs {
    "visibility", "shortcodes", "equations", "floats", "theorems", "callouts",
    "code", "headings", "references", "margin", "images", "links",
  } do
    local feature = require(name)
    if feature[pass] then table.insert(filters, feature[pass]) end
  end
  return filters
end

local filters = passes "normalize"
for _, pass in ipairs { "number", "resolve", "render" } do
  for _, filter in ipairs(passes(pass)) do table.insert(filters, filter) end
end
return filters
