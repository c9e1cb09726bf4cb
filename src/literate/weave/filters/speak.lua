-- Typst wants an alternative text for each formula (PDF/UA-1): its TeX in words.
-- This filter runs after the citations are made, for titles have formulas, too.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. "/?.lua;" .. package.path
local formats = require "formats"

local words = {
  le = "at most", leq = "at most", ge = "at least", geq = "at least", ne = "is not",
  neq = "is not", approx = "is about", propto = "is proportional to", mid = "given",
  ["in"] = "in", times = "times", cdot = "times", odot = "times each entry of",
  to = "to", infty = "infinity", sum = "the sum", prod = "the product", int = "the integral",
  top = "transposed", partial = "partial", ldots = "and so on", dots = "and so on",
  cdots = "and so on", lfloor = "floor of", lceil = "ceiling of", rfloor = "", rceil = "",
  mathbb = "", mathbf = "", mathrm = "", mathit = "", mathcal = "", boldsymbol = "",
  text = "", operatorname = "", left = "", right = "", lVert = "the norm of", rVert = "",
  quad = ",", qquad = ",", begin = "", ["end"] = "", displaystyle = "", tfrac = "frac",
  dfrac = "frac", big = "", Big = "", bigl = "", bigr = "", Bigl = "", Bigr = "",
}
local signs = {
  ["="] = "equals", ["+"] = "plus", ["-"] = "minus", ["/"] = "over", ["<"] = "is less than",
  [">"] = "is greater than", ["^"] = "to the power", ["_"] = "sub", ["|"] = ",",
}

local function speak(tex)
  local text = tex:gsub("\\\\", " , "):gsub("\\[,;:! ]", " "):gsub("&", " ")
  text = text:gsub("\\begin%s*%b{}", " "):gsub("\\end%s*%b{}", " "):gsub("\\label%s*%b{}", " ")
  text = text:gsub("%^%s*\\top", " transposed "):gsub("%^%s*{%s*\\top%s*}", " transposed ")
  text = text:gsub("%^%s*2%f[%D]", " squared ")
  for _ = 1, 4 do -- fractions and braces may nest
    text = text:gsub("\\%a+brace%s*(%b{})%s*[%^_]%s*(%b{})", " %1 (%2) ")
    text = text:gsub("\\[td]?frac%s*(%b{})%s*(%b{})", " %1 over %2 ")
    text = text:gsub("\\sqrt%s*(%b{})", " the square root of %1 ")
  end
  text = text:gsub("\\operatorname%*?", " ")
  text = text:gsub("\\(%a+)", function(name) return " " .. (words[name] or name) .. " " end)
  text = text:gsub("\\[{}]", " "):gsub("\\(.)", "%1"):gsub("[{}$]", " ")
  text = text:gsub("[=+/<>^_|-]", function(sign) return " " .. signs[sign] .. " " end)
  return (text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""):gsub(" ,", ","))
end

return {
  {
    Math = function(math)
      local head = "#maths(alt: " .. formats.quote(speak(math.text)) .. ")["
      return { pandoc.RawInline("typst", head), math, pandoc.RawInline("typst", "]") }
    end,
  },
}
