"""Where CommonMark sees other cells than Quarto's rule does."""

import re

from markdown_it import MarkdownIt

from .cells import BOM
from .problems import Problem

FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*\r?(?:\n|$)")
INFO = re.compile(r"\{python( *[ ,].*)?\}")
FILENAME = re.compile(r"^#[ \t]*\|[ \t]*filename[ \t]*:", re.MULTILINE)


def disagreements(document, text):
    """Cells with a filename that CommonMark reads in another way, as problems."""
    fences = _fences(text)
    problems, places = [], {}
    for line, end, ticks, info, content in fences:
        places[line] = (end, ticks)
    cells = {cell.line: cell for cell in document.cells}
    for cell in document.cells:
        if "filename" in cell.options and places.get(cell.line) != (
            cell.end,
            "`" * cell.ticks,
        ):
            what = "Quarto runs this cell, but it does not stand alone as one"
            fix = (
                "take it out of the fence, comment, front matter or indent around "
                "it and close it with as many backticks; or show it with {{python}}"
            )
            problems.append(Problem(document.file, cell.line, what, fix))
    inside = {n for c in document.cells for n in range(c.line + 1, c.end + 1)}
    for line, _, _, info, content in fences:
        if INFO.fullmatch(info.strip()) and FILENAME.search(content):
            if line not in cells and line not in inside:
                what = "this has a filename, but Quarto does not run it"
                fix = "make it a cell of its own with backticks, or drop the filename"
                problems.append(Problem(document.file, line, what, fix))
    return problems


def _fences(text):
    """CommonMark's fences: first line, last line, markup, info, content."""
    text = text.removeprefix(BOM).replace("\r\n", "\n").replace("\r", " ")
    matter = FRONT_MATTER.match(text)
    if matter:
        text = "\n" * matter[0].count("\n") + text[matter.end() :]
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return [
        (token.map[0] + 1, token.map[1], token.markup, token.info, token.content)
        for token in parser.parse(text)
        if token.type == "fence"
    ]
