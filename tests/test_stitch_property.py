"""Random chapters and random edits: the edit arrives exactly, or nothing happens.

The chapter is put together from pieces that this file keeps, so what it must
be after an edit is known without asking the code under test. The shares of
both outcomes: `pytest --hypothesis-show-statistics` on this file.
"""

import os
import re
import tempfile
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from literate import check, stitch, tangle
from literate.problems import Refused

STATEMENTS = [
    "x = 1",
    "y = 2  ",
    "def f():\n    return 1",
    "def g(a):\n    if a:\n\n        return 2\n    return 3",
    "if True:\n    z = 4",
    's = """\n\n  text\n   \n"""',
    't = """\n`` `\n~~~\n"""',
    'u = "\u2028\x85\u00a0"',
    "# a remark",
    "\x0c\nv = 5",
    "w = [\n\t1,\n]",
    "",
]
NASTY = [
    "```",
    "  ```",
    "`````",
    "```{python}",
    "~~~",
    "#| label: other",
    "# | echo: false",
    "# %% cell",
    "# %% c0 12345678",
    "<<<<<<< HEAD",
    "def broken(:",
    "    indented = 1",
    "carriage = '\r'",
    "carriage = 1  # \r",
    "-->",
    "\ufeff",
    "\u2028",
    "   ",
    '"""',
]
PROSE = [
    "Text.\n",
    "Text with spaces at the end.  \n\n",
    "\n\n\n",
    "# A heading\n",
    "---\n",
    "```\nx = 1\n```\n",
    "````\n```{{python}}\nx = 1\n```\n````\n",
    "```{python}\n#| echo: false\nnot = tangled\n```\n",
    "<!-- a remark -->\n",
    "> A quote\n",
    "| a |\n|---|\n",
    "Odd \x0c \u2028 \x85 bytes.\n",
    "::: {.note}\n",
    ":::\n",
]
HOW = ["insert", "insert", "insert", "insert", "delete", "replace", "copy", "move"]


@dataclass(frozen=True)
class Made:
    """A piece of the chapter: prose, or a cell when it has a label.

    The cell's raw lines are `top` (fence, options, blank lines), one for each
    line of `body`, and `bottom`.
    """

    top: str
    body: tuple = ()
    bottom: str = ""
    label: str = ""
    target: str = ""
    indent: str = ""
    end: str = "\n"

    def raw(self, body):
        return "".join((self.indent + line if line else "") + self.end for line in body)

    def source(self, body=None):
        return self.top + self.raw(self.body if body is None else body) + self.bottom


@st.composite
def made_cells(draw, number, end):
    in_list = draw(st.booleans())
    indent = draw(st.sampled_from(["  ", "\t", "   "] if in_list else ["", "", " "]))
    fence = indent + "`" * draw(st.integers(3, 5))
    target = draw(st.sampled_from(["a.py", "src/b.py"]))
    label = f"c{number}"
    options = [f"#| label: {label}", f"#| filename: {target}", "#| echo: true"]
    blank = [draw(st.sampled_from(["", " ", indent]))] * draw(st.integers(0, 2))
    lines = ["- An item", ""] * in_list
    lines += [fence + "{python}", *(indent + line for line in options)]
    body = draw(st.lists(st.sampled_from(STATEMENTS), max_size=5))
    body = trimmed("\n".join(body).split("\n"))
    lines += blank * bool(body)
    return Made(
        top="".join(line + end for line in lines),
        body=body,
        bottom="".join(line + end for line in [*blank, fence]),
        label=label,
        target=target,
        indent=indent,
        end=end,
    )


@st.composite
def chapters(draw):
    pieces = [Made(draw(st.sampled_from(["", "\ufeff", "---\ntitle: T\n---\n"])))]
    for number in range(draw(st.integers(1, 4))):
        end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
        prose = "".join(draw(st.lists(st.sampled_from(PROSE), max_size=3)))
        pieces.append(Made(prose.replace("\n", end) + end))
        pieces.append(draw(made_cells(number, end)))
    return pieces + [Made(draw(st.sampled_from(["", "\n\n", "No newline at the end"])))]


def trimmed(lines):
    """Without blank lines at both ends."""
    blank = [not line.strip(" \t\f") for line in lines]
    while blank and blank[0]:
        del blank[0], lines[0]
    while blank and blank[-1]:
        del blank[-1], lines[-1]
    return tuple(lines)


class Folder:
    """A chapter on disk, and what the verbs do there."""

    def __init__(self, path, pieces):
        self.path, self.pieces = Path(path), pieces
        self.write("chapter.qmd", "".join(piece.source() for piece in pieces))
        self.cells = {piece.label: piece for piece in pieces if piece.label}

    def read(self, name):
        return (self.path / name).read_bytes().decode()

    def write(self, name, text):
        (self.path / name).write_bytes(text.encode())

    def run(self, verb):
        """Whether `verb` agrees to run."""
        args = SimpleNamespace(chapter=self.path / "chapter.qmd", diff=False)
        try:
            with redirect_stdout(StringIO()):
                return verb.run(args) == 0
        except Refused:
            return False

    def files(self):
        paths = [path for path in sorted(self.path.rglob("*")) if path.is_file()]
        return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}

    def assert_clean(self):
        before = self.files()
        assert self.run(stitch) and self.run(check)
        assert self.files() == before

    def parts(self, target):
        """The code under each mark of a module."""
        text = self.read(target).replace("\r\n", "\n")
        pieces = re.split(r"^# %% (\S+) [0-9a-f]{8}$\n?", text, flags=re.MULTILINE)
        return {
            label: trimmed(code.split("\n"))
            for label, code in zip(pieces[1::2], pieces[2::2])
        }


def in_a_folder(test):
    """Run `test(folder, data)` in a fresh folder with a chapter that tangles."""

    def run(pieces, data):
        # Nothing here needs to survive a power cut, and it is slow.
        with tempfile.TemporaryDirectory() as path, patch.object(os, "fsync"):
            folder = Folder(path, pieces)
            before = folder.files()
            if not folder.run(tangle):
                event("the chapter itself was refused, untouched")
                assert folder.files() == before
                return
            test(folder, data)

    return run


@in_a_folder
def one_cell_gets_new_code(folder, data):
    label = data.draw(st.sampled_from(sorted(folder.cells)))
    cell = folder.cells[label]
    body = list(cell.body)
    for _ in range(data.draw(st.integers(1, 3))):
        statement = data.draw(st.sampled_from(STATEMENTS))
        places = [n for n in range(len(body) + 1) if starts_a_statement(body, n)]
        place = data.draw(st.sampled_from(places))
        body[place:place] = statement.split("\n")
    body = trimmed(body)
    text = folder.read(cell.target)
    mark = re.search(rf"^# %% {label} \w+\n", text, flags=re.MULTILINE).end()
    old = "\n".join(cell.body)
    assert text.startswith(old, mark)
    edited = text[:mark] + "\n".join(body) + text[mark + len(old) :]
    folder.write(cell.target, edited)
    assert folder.run(stitch)
    assert folder.read("chapter.qmd") == "".join(
        piece.source(body if piece is cell else None) for piece in folder.pieces
    )
    event("the edit arrived exactly")
    folder.assert_clean()


def starts_a_statement(body, place):
    """Whether `body` can be cut before line `place` into two programs."""
    for part in (body[:place], body[place:]):
        try:
            compile("\n".join(part), "part", "exec")
        except SyntaxError:
            return False
    return True


@in_a_folder
def a_module_is_edited_anyhow(folder, data):
    target = data.draw(
        st.sampled_from(sorted({c.target for c in folder.cells.values()}))
    )
    lines = folder.read(target).split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        first = data.draw(st.sampled_from([6] * 9 + [0]))  # 6: below a mark
        place = data.draw(st.integers(min(first, len(lines)), len(lines)))
        new = data.draw(st.sampled_from(STATEMENTS * 4 + NASTY)).split("\n")
        how = data.draw(st.sampled_from(HOW))
        old = lines[place : place + 1]
        if how in ("delete", "replace", "move"):
            del lines[place : place + 1]
        if how in ("insert", "replace"):
            lines[place:place] = new
        if how in ("copy", "move"):
            there = data.draw(st.integers(0, len(lines)))
            lines[there:there] = old
    folder.write(target, "\n".join(lines))
    before, edited = folder.files(), folder.parts(target)
    if not folder.run(stitch):
        event("the edit was refused, both files untouched")
        assert folder.files() == before
        return
    event("the edit arrived exactly")
    assert folder.parts(target) == edited
    # All that is outside the cells' code, byte for byte; and each line of code
    # as it was or, if it is new, as its cell's lines are.
    around = "".join(
        re.escape(piece.top)
        + (f"(?P<{piece.label}>.*)" if piece.label else "")
        + re.escape(piece.bottom)
        for piece in folder.pieces
    )
    found = re.fullmatch(around, folder.read("chapter.qmd"), flags=re.DOTALL)
    for label, cell in folder.cells.items():
        body = edited[label] if cell.target == target else cell.body
        assert found[label] == cell.raw(body)
    folder.assert_clean()


@given(chapters(), st.data())
@settings(max_examples=100)
def test_new_code_in_a_cell_arrives_exactly(pieces, data):
    one_cell_gets_new_code(pieces, data)


@given(chapters(), st.data())
@settings(max_examples=200)
def test_any_edit_arrives_exactly_or_changes_nothing(pieces, data):
    a_module_is_edited_anyhow(pieces, data)


@pytest.mark.slow
@given(chapters(), st.data())
@settings(max_examples=10_000)
def test_new_code_in_a_cell_arrives_exactly_ten_thousand_times(pieces, data):
    one_cell_gets_new_code(pieces, data)


@pytest.mark.slow
@given(chapters(), st.data())
@settings(max_examples=10_000)
def test_any_edit_arrives_or_changes_nothing_ten_thousand_times(pieces, data):
    a_module_is_edited_anyhow(pieces, data)
