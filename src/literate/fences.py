"""Where CommonMark sees other cells than Quarto's rule does.

Quarto runs what looks like a cell wherever it stands, also where a reader of
the page or another tool sees no cell; and it leaves alone what others take for
one. Code must not go into a module by such an accident, so both are problems.
"""

import re

from markdown_it import MarkdownIt

from .cells import BOM
from .problems import Problem

BLOCKS = MarkdownIt("commonmark")
BLOCKS.core.ruler.enableOnly(["normalize", "block"])  # nothing inside paragraphs
FRONT_MATTER = re.compile(r"---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|$)")
INFO = re.compile(r"\{python( *[ ,].*)?\}")
FILENAME = re.compile(r"^#[ \t]*\|[ \t]*filename[ \t]*:", re.MULTILINE)


def disagreements(document):
    """Cells with a filename that CommonMark reads in another way, as problems."""
    fences = {token.map[0] + 1: token for token in _fences(document)}
    inside = set()
    for cell in document.cells:
        inside.update(range(cell.line, cell.end + 1))
        fence = fences.get(cell.line)
        agreed = fence and (fence.map[1], fence.markup) == (cell.end, "`" * cell.ticks)
        if "filename" in cell.options and cell.closed and not agreed:
            what = "Quarto runs this cell, but others read these lines otherwise"
            fix = (
                "close it with as many backticks as open it, outside any other fence, "
                "comment, front matter or deep indent; to show it write {{python}}"
            )
            yield Problem(document.file, cell.line, what, fix)
    for line, fence in fences.items():
        looks = INFO.fullmatch(fence.info.strip()) and FILENAME.search(fence.content)
        if looks and line not in inside:
            what = "this looks like a cell with a filename, but Quarto does not run it"
            fix = "fence it with backticks on lines of their own, or drop the filename"
            yield Problem(document.file, line, what, fix)


def _fences(document):
    """The fenced blocks, as tokens of the parser."""
    text = "".join(piece.source for piece in document.pieces)
    text = text.removeprefix(BOM).replace("\r\n", "\n").replace("\r", " ")
    matter = FRONT_MATTER.match(text)
    if matter:
        text = "\n" * matter[0].count("\n") + text[matter.end() :]
    return [token for token in BLOCKS.parse(text) if token.type == "fence"]
