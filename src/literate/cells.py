"""The one scanner: which lines of a chapter are cells, which are prose.

Tangle, stitch, weave and the tests all read a chapter through `scan`, so they
cannot disagree about what a cell is. The rule is Quarto's own (tried with
1.10.18): an opener is any line of three or more backticks and `{python}`, the
closer is the next line with exactly the same indent and number of backticks.
Quarto looks at nothing else, so a cell in a longer fence or in a comment is a
cell all the same.
"""

import re
from dataclasses import dataclass, field

import yaml

from .problems import Problem

OPENER = re.compile(r"^([ \t]*)(`{3,})[ \t]*\{python( *[ ,].*)?\}[ \t]*\r?$")
OPTION = re.compile(r"^#[ \t]*\|")


@dataclass(frozen=True)
class Prose:
    """Lines between cells, byte for byte; `line` is the first, from 1."""

    line: int
    source: str


@dataclass(frozen=True)
class Cell:
    """One code cell.

    `source` is the cell byte for byte, fences included, so that the pieces of
    a document joined give the document back. `code` is what Python runs:
    without the fences, the option lines and the indent, with `\\n` line ends.
    Lines are counted from 1 in the chapter: `line` is the opener's,
    `code_line` the first line of code's, `end` the closer's (the last line of
    the document if the cell is never closed).
    """

    line: int
    end: int
    source: str
    indent: str
    ticks: int
    closed: bool
    code_line: int
    code: str
    options: dict = field(default_factory=dict)
    option_lines: dict = field(default_factory=dict)

    @property
    def label(self):
        """The `label` option, or None."""
        return self.options.get("label")

    @property
    def filename(self):
        """The `filename` option: where the code goes, or None."""
        return self.options.get("filename")


@dataclass(frozen=True)
class Document:
    """A scanned chapter: `pieces` in order, `problems` found on the way."""

    file: str
    pieces: tuple
    problems: tuple

    @property
    def cells(self):
        """The cells, in document order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Cell))


def scan(text, file="chapter.qmd"):
    """Split `text` into prose and cells.

    Lines end at `\\n` only: a form feed or U+2028 is part of a line. Problems
    (a cell never closed, options that are not YAML) are returned, not raised:
    the caller decides which it can live with.
    """
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    pieces, problems, prose_start, at = [], [], 0, 0
    while at < len(lines):
        opener = OPENER.match(lines[at].rstrip("\n"))
        if not opener:
            at += 1
            continue
        if at > prose_start:
            pieces.append(Prose(prose_start + 1, "".join(lines[prose_start:at])))
        indent, ticks = opener[1], opener[2]
        closer = indent + ticks
        stop = at + 1
        while stop < len(lines) and lines[stop].rstrip(" \t\r\n") != closer:
            stop += 1
        closed = stop < len(lines)
        cell, found = _cell(lines, at, stop, indent, len(ticks), closed, file)
        pieces.append(cell)
        problems.extend(found)
        prose_start = at = min(stop + 1, len(lines))
    if prose_start < len(lines):
        pieces.append(Prose(prose_start + 1, "".join(lines[prose_start:])))
    return Document(file, tuple(pieces), tuple(problems))


def dedent(line, indent):
    """`line` without as much of `indent` as it begins with."""
    for blank in indent:
        if not line.startswith(blank):
            break
        line = line[1:]
    return line


def _cell(lines, start, stop, indent, ticks, closed, file):
    """The cell that opens at `lines[start]` and whose closer is `lines[stop]`."""
    body = [
        dedent(line, indent).removesuffix("\n").removesuffix("\r")
        for line in lines[start + 1 : stop]
    ]
    n_options = 0
    while n_options < len(body) and OPTION.match(body[n_options]):
        n_options += 1
    problems = []
    if not closed:
        fence = indent + "`" * ticks
        problems.append(
            Problem(
                file,
                start + 1,
                "this cell is never closed",
                f"end it with a line {fence!r} of the same indent",
            )
        )
    options, option_lines, found = _options(body[:n_options], start + 2, file)
    cell = Cell(
        line=start + 1,
        end=min(stop + 1, len(lines)),
        source="".join(lines[start : stop + 1]),
        indent=indent,
        ticks=ticks,
        closed=closed,
        code_line=start + 2 + n_options,
        code="\n".join(body[n_options:]),
        options=options,
        option_lines=option_lines,
    )
    return cell, problems + found


def _options(lines, first, file):
    """The YAML of `#|` lines: values by name, the chapter's line by name, problems."""
    marks = [OPTION.match(line).end() for line in lines]
    source = "\n".join(
        line[mark:].removeprefix(" ") for line, mark in zip(lines, marks)
    )
    try:
        values = yaml.safe_load(source)
        node = yaml.compose(source)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        row, column = (
            (min(mark.line, len(lines) - 1), mark.column + 1) if mark else (0, 1)
        )
        what = getattr(error, "problem", None) or str(error).splitlines()[0]
        what = f"options are not YAML (column {column + marks[row] + 1}): {what}"
        return (
            {},
            {},
            [Problem(file, first + row, what, "write them as `#| name: value`")],
        )
    if values is None:
        return {}, {}, []
    if not isinstance(values, dict):
        return (
            {},
            {},
            [
                Problem(
                    file,
                    first,
                    "options are not a mapping",
                    "write them as `#| name: value`",
                )
            ],
        )
    placed = {key.value: first + key.start_mark.line for key, _ in node.value}
    return values, placed, []
