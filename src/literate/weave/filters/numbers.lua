-- What has a number, and under which name it is referred to.
local numbers = { entries = {} }

local names = {
  fig = "Figure", tbl = "Table", lst = "Listing", eq = "Equation", sec = "Section",
  thm = "Theorem", lem = "Lemma", cor = "Corollary", prp = "Proposition",
  cnj = "Conjecture", def = "Definition", exm = "Example", exr = "Exercise",
  sol = "Solution", rem = "Remark", alg = "Algorithm",
  nte = "Note", tip = "Tip", wrn = "Warning", imp = "Important", cau = "Caution",
}

-- The kind of an id (`fig` of `fig-paths`), or nil when it takes no number.
function numbers.kind(id)
  local kind = id:match "^(%a+)%-."
  return names[kind] and kind
end

-- `Figure 1`, with a no-break space.
function numbers.title(id, number) return names[numbers.kind(id)] .. "\u{a0}" .. number end

-- Report to the weaver what is wrong where `token` stands in the chapter, or "line 12".
function numbers.problem(token, what, fix)
  io.stderr:write("@problem\t", token, "\t", what, "\t", fix, "\n")
end

-- Where a part is woven on its own: the numbers that the whole document gave.
local known = {}
for id, number in pairs(PANDOC_WRITER_OPTIONS.variables.known or {}) do
  known[id] = tostring(number)
  numbers.entries[id] = known[id]
end

-- Remember the number of an element, on it and under its id; tell the weaver.
function numbers.enter(element, number)
  local id = element.identifier
  if numbers.entries[id] and not known[id] then
    numbers.problem("#" .. id, "the label " .. id .. " is given twice", "rename one of the two")
  end
  numbers.entries[id] = known[id] or number
  element.attributes.number = numbers.entries[id]
  if id ~= "" then io.stderr:write("@number\t", id, "\t", numbers.entries[id], "\n") end
  return element
end

-- Count an element: each kind has a counter for the whole document.
local counts = {}
function numbers.count(element)
  local kind = numbers.kind(element.identifier)
  counts[kind] = (counts[kind] or 0) + 1
  return numbers.enter(element, tostring(counts[kind]))
end

return numbers
