"""Which lines the weave refuses, by case."""

# Outside the subset, or failing in Quarto, too: no page.
REFUSED = {
    "corners": [21],  # a string in a formula, which Quarto spoils
    "docoptions": [5, 8, 10, 16, 17],
    "fail-bib": [3],
    "fail-duplabel": [19],
    "fail-include": [10],
    "fail-inline": [10],
    "fail-option": [11, 12],
    "fail-raise": [15],
    "fail-yaml": [11],
    "fail-yamlfront": [2],
    "fences-quirks": [13, 24, 34, 41],
    "include": [13, 17],
    "macros": [10, 17, 22, 24],
    "mismatch": [11],
    "tabset": [10, 36, 48],
}
# What Quarto passes over: refused by a strict weave, woven as a draft.
DRAFT = {
    "badrefs": [11, 15, 17, 19],
    "celloptions": [80, 81, 153, 154, 155],
    "citations": [15],
    "conditional": [71],
    "crlf": [13],
    "fail-cite": [11],
    "fail-duprefs": [10, 14, 18, 20],
    "fail-image": [10],
    "fail-link": [10],
    "fail-prefix": [10],
    "fail-proofid": [10],
    "fail-secref": [10],
    "fail-solref": [10],
    "figures": [22, 38, 40, 42, 44, 48, 55, 57, 62, 70, 79, 87, 88, 101],
    "front": [44],
    "inline": [32],
    "listings": [54, 65],
    "outputs": [10, 79, 84, 89],
}
