-- ::: {#prp-name} and its like: theorem, lemma, ..., and unnumbered proof, remark, solution.
local formats = require "formats"
local numbers = require "numbers"

local statements = {
  thm = "theorem", lem = "lemma", cor = "corollary", prp = "proposition", cnj = "conjecture",
  def = "definition", exm = "example", exr = "exercise", alg = "algorithm",
}
local proofs = { sol = "solution", rem = "remark" }
local names = { proof = "Proof", remark = "Remark", solution = "Solution" }

local function sort_of(div)
  local kind = numbers.kind(div.identifier)
  if kind and statements[kind] then return statements[kind], false end
  if kind and proofs[kind] then return proofs[kind], true end
  for class in pairs(names) do
    if div.classes:includes(class) then return class, true end
  end
end

local function number(div)
  if sort_of(div) and numbers.kind(div.identifier) then numbers.next(div.identifier) end
end

-- The name, of the `name` attribute or a first heading, becomes a Div of its own,
-- so that it is no heading and references in it are resolved.
local function normalize(div)
  if not sort_of(div) then return nil end
  local first, name = div.content[1], {}
  if first and first.t == "Header" then
    div.content:remove(1)
    name = first.content
  elseif div.attributes.name then
    name = pandoc.utils.blocks_to_inlines(pandoc.read(div.attributes.name, "markdown").blocks)
  end
  div.content:insert(1, pandoc.Div({ pandoc.Plain(name) }, { class = "theorem-name" }))
  return div
end

local function render(div)
  local sort, proof = sort_of(div)
  if not sort then return nil end
  local numbered = div.identifier ~= ""
  local name = div.content:remove(1).content[1].content
  local title = pandoc.Inlines { numbered and numbers.title(div.identifier) or names[sort] }
  if proof then
    title = pandoc.Inlines { pandoc.Emph(title) }
    if #name > 0 then title = title .. { pandoc.Str " (" } .. name .. { pandoc.Str ")" } end
    title:insert(pandoc.Str ".")
  else
    if #name > 0 then title = title .. { pandoc.Str " (" } .. name .. { pandoc.Str ")" } end
    if not formats.html then title:insert(pandoc.Str ".") end
    title = pandoc.Inlines { pandoc.Strong(title) }
  end
  local first = div.content[1]
  if not first or first.t ~= "Para" then
    div.content:insert(1, pandoc.Para {})
    first = div.content[1]
  end
  first.content = pandoc.Inlines { pandoc.Span(title, { class = proof and "proof-title" or "theorem-title" }), pandoc.Space() }
    .. first.content
  if formats.typst then
    return formats.call("theorem", "kind: " .. formats.quote(sort), nil, div.content, div.identifier)
  end
  if formats.notebook then return div.content end
  local classes = pandoc.List { proof and "proof" or "theorem" }
  if sort ~= classes[1] then classes:insert(sort) end
  return pandoc.Div(div.content, pandoc.Attr(div.identifier, classes))
end

return {
  normalize = { Div = normalize },
  number = { traverse = "topdown", Div = number },
  render = { Div = render },
}
