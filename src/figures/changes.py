"""What a piece changes in the core: the diff of two cells of the chapter."""

import ast
import difflib
import textwrap
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from literate.cells import scan

CHAPTER = Path("chapter.qmd")  # in the folder where cells run
CORE = "self-attention"
N_CORE = 3  # its last lines: scores, weights, output


@dataclass(frozen=True)
class Change:
    """The statements of one function against another's, as (mark, line) pairs.

    Marks are those of a diff: a blank, `+` or `-`. Shows as a diff.
    """

    lines: tuple

    def marked(self, mark):
        """The lines with this mark, in order."""
        return [line for found, line in self.lines if found == mark]

    @property
    def size(self):
        """How many lines come and go, as `+2 -1` with a minus sign."""
        gone = len(self.marked("-"))
        return f"+{len(self.marked('+'))}" + (f" \N{MINUS SIGN}{gone}" if gone else "")

    def _repr_markdown_(self):
        body = "\n".join(f"{mark} {line}".rstrip() for mark, line in self.lines)
        return f"```diff\n{body}\n```"


def change(label, base=CORE, chapter=CHAPTER):
    """How the function in the cell `label` differs from the one in `base`."""
    cells = _cells(chapter)
    before, after = statements(cells[base].code), statements(cells[label].code)
    whole = max(len(before), len(after))
    diff = list(difflib.unified_diff(before, after, n=whole, lineterm=""))[3:]
    return Change(tuple((line[0], line[1:]) for line in diff))


def untouched(label, chapter=CHAPTER):
    """How many of the three lines stand unchanged in the function of a cell."""
    cells = _cells(chapter)
    found = statements(cells[label].code)
    return sum(line in found for line in statements(cells[CORE].code)[-N_CORE:])


def n_statements(labels, chapter=CHAPTER):
    """How many statements the functions in these cells hold, docstrings aside."""
    cells = _cells(chapter)
    nodes = [
        node for label in labels for node in ast.walk(ast.parse(cells[label].code))
    ]
    return sum(isinstance(node, ast.stmt) and not _is_docstring(node) for node in nodes)


def statements(code):
    """The body of the first function in `code`, line by line.

    Without its docstring, and without comments after a statement: a shape
    that changes is no change of the code.
    """
    nodes = ast.parse(code).body
    function = next(node for node in nodes if isinstance(node, ast.FunctionDef))
    body = function.body[ast.get_docstring(function) is not None :]
    found = []
    for node in body:
        source = ast.get_source_segment(code, node)
        found += textwrap.dedent(" " * node.col_offset + source).splitlines()
    return found


def _is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _cells(chapter):
    return _labeled(Path(chapter).read_text(encoding="utf-8"))


@lru_cache(maxsize=1)  # a table of changes asks again and again
def _labeled(text):
    return {cell.label: cell for cell in scan(text).cells if cell.label}
