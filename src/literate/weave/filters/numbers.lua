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

-- Report something that the weaver must know; it finds the line of `token`.
function numbers.problem(what, token)
  io.stderr:write("@problem\t", what, "\t", token, "\n")
end

function numbers.enter(id, number, target)
  if numbers.entries[id] then numbers.problem("duplicate", id) end
  numbers.entries[id] = { number = number, kind = numbers.kind(id) }
  return number
end

function numbers.next(id)
  local kind = numbers.kind(id)
  numbers.counts[kind] = (numbers.counts[kind] or 0) + 1
  return numbers.enter(id, tostring(numbers.counts[kind]))
end

-- `Figure 1` for the id, with a no-break space.
function numbers.title(id)
  return numbers.names[numbers.kind(id)] .. "\u{a0}" .. numbers.entries[id].number
end

return numbers
