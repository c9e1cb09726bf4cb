-- ::: {#prp-name} and its like, and proofs, remarks and solutions.
local formats = require "formats"
local numbers = require "numbers"
local titles = require "titles"

local statements = {
  thm = "theorem", lem = "lemma", cor = "corollary", prp = "proposition", cnj = "conjecture",
  def = "definition", exm = "example", exr = "exercise", alg = "algorithm",
}
local proofs = { sol = "solution", rem = "remark" }
local names = { proof = "Proof", remark = "Remark", solution = "Solution" }

-- What kind of statement a div is, and whether it is set like a proof.
local function sort_of(div)
  local kind = numbers.kind(div.identifier)
  if statements[kind] then return statements[kind], false end
  if proofs[kind] then return proofs[kind], true end
  for class in pairs(names) do
    if div.classes:includes(class) then return class, true end
  end
end

local function normalize(div)
  local sort = sort_of(div)
  if not sort then return nil end
  if names[sort] and div.identifier ~= "" and not proofs[numbers.kind(div.identifier)] then
    numbers.problem("#" .. div.identifier, "a proof takes no id (" .. div.identifier .. "): Quarto fails", "leave it out")
    div.identifier = ""
  end
  return titles.find(div, "name")
end

local function number(div)
  if sort_of(div) and div.identifier ~= "" then return numbers.count(div) end
end

-- The title runs into the first paragraph.
local function render(div)
  local sort, proof = sort_of(div)
  if not sort then return nil end
  local name, number = titles.take(div), div.attributes.number
  local title = pandoc.Inlines { number and numbers.title(div.identifier, number) or names[sort] }
  if proof then title = pandoc.Inlines { pandoc.Emph(title) } end
  if #name > 0 then title = title .. { pandoc.Str " (" } .. name .. { pandoc.Str ")" } end
  if proof or not formats.html then title:insert(pandoc.Str ".") end
  if not proof then title = pandoc.Inlines { pandoc.Strong(title) } end
  title = pandoc.Span(title, { class = proof and "proof-title" or "theorem-title" })
  local first = div.content[1]
  if first and first.t == "Para" then
    first.content = pandoc.Inlines { title, pandoc.Space() } .. first.content
  else
    div.content:insert(1, pandoc.Para { title })
  end
  if formats.typst then
    return formats.call("theorem", "kind: " .. formats.quote(sort), nil, div.content, div.identifier)
  end
  if formats.notebook then return div.content end
  local class = proof and "proof" or "theorem"
  return pandoc.Div(div.content, { id = div.identifier, class = class == sort and class or class .. " " .. sort })
end

return { normalize = { Div = normalize }, number = { Div = number }, render = { Div = render } }
