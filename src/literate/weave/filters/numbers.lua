-- What has a number, and under which name it is referred to.
local numbers = { entries = {}, counts = {} }

numbers.names = {
  fig = "Figure", tbl = "Table", lst = "Listing", eq = "Equation", sec = "Section",
  thm = "Theorem", lem = "Lemma", cor = "Corollary", prp = "Proposition",
  cnj = "Conjecture", def = "Definition", exm = "Example", exr = "Exercise",
  sol = "Solution", rem = "Remark", alg = "Algorithm",
  nte = "Note", tip = "Tip", wrn = "Warning", imp = "Important", cau = "Caution",
}

-- The kind of an id (`fig` of `fig-paths`), or nil when it takes no number.
function numbers.kind(id)
  local kind = id:match "^(%a+)%-."
  return numbers.names[kind] and kind
end

-- Report something to the weaver; it finds the line where `token` stands.
function numbers.problem(what, token)
  io.stderr:write("@problem\t", what, "\t", token, "\n")
end

-- Where a part is woven on its own: the numbers that the whole document gave.
local known = {}
for id, number in pairs(PANDOC_WRITER_OPTIONS.variables.known or {}) do
  known[id] = tostring(number)
  numbers.entries[id] = { number = known[id], kind = numbers.kind(id) }
end

-- Remember the number of an element, on it and under its id; tell the weaver.
function numbers.enter(element, number)
  local id = element.identifier
  number = known[id] or number
  if numbers.entries[id] and not known[id] then numbers.problem("duplicate", id) end
  numbers.entries[id] = { number = number, kind = numbers.kind(id) }
  element.attributes.number = number
  if id ~= "" then io.stderr:write("@number\t", id, "\t", number, "\n") end
  return element
end

-- Count an element: each kind has a counter for the whole document.
function numbers.count(element)
  local kind = numbers.kind(element.identifier)
  numbers.counts[kind] = (numbers.counts[kind] or 0) + 1
  return numbers.enter(element, tostring(numbers.counts[kind]))
end

-- `Figure 1`, with a no-break space.
function numbers.title(id, number)
  return numbers.names[numbers.kind(id)] .. "\u{a0}" .. number
end

return numbers
