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
from functools import cached_property

import yaml

from .problems import Problem

OPENER = re.compile(r"^([ \t]*)(`{3,})[ \t]*\{python( *[ ,].*)?\}[ \t]*\r?\n?$")
OPTION = re.compile(r"^#[ \t]*\|")
BOM = "\ufeff"

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # C where there is one


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

    @cached_property
    def body(self):
        """The lines of `code` without blank ones at either end."""
        return trimmed(self.code.split("\n"))

    @cached_property
    def body_line(self):
        """The chapter's line of the first line of `body`."""
        blanks = leading_blanks(self.code.split("\n")) if self.body else 0
        return self.code_line + blanks


@dataclass(frozen=True)
class Document:
    """A scanned chapter: `pieces` in order, `problems` found on the way."""

    file: str
    pieces: tuple
    problems: tuple

    @cached_property
    def cells(self):
        """The cells, in document order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Cell))


def scan(text, file="chapter.qmd"):
    """Split `text` into prose and cells.

    Lines end at `\\n` only: a form feed or U+2028 is part of a line. Problems
    (a cell never closed, options that are not YAML) are returned, not raised:
    the caller decides which it can live with.
    """
    lines = split_lines(text)
    pieces, problems, prose, at = [], [], 0, 0
    while at < len(lines):
        opener = _opener(lines[at], first=at == 0)
        if not opener:
            at += 1
            continue
        if at > prose:
            pieces.append(Prose(prose + 1, "".join(lines[prose:at])))
        stop = at + 1
        while stop < len(lines) and not _closes(lines[stop], opener):
            stop += 1
        cell, found = _cell(lines[at : stop + 1], opener, at + 1, file)
        pieces.append(cell)
        problems.extend(found)
        prose = at = cell.end
    if prose < len(lines):
        pieces.append(Prose(prose + 1, "".join(lines[prose:])))
    return Document(file, tuple(pieces), tuple(problems))


def split_lines(text):
    """The lines of `text` with their ends, split at `\\n` only."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]


def without_end(line):
    """`line` without `\\n` or `\\r\\n`."""
    return line.removesuffix("\n").removesuffix("\r")


def dedent(line, indent):
    """`line` without as much of `indent` as it begins with."""
    for blank in indent:
        if not line.startswith(blank):
            break
        line = line[1:]
    return line


def leading_blanks(lines):
    """How many of `lines` are blank before the first that is not."""
    for number, line in enumerate(lines):
        if line.strip(" \t\f"):
            return number
    return len(lines)


def trimmed(lines):
    """`lines` without blank ones at either end, as a tuple."""
    lines = lines[leading_blanks(lines) :]
    return tuple(lines[: len(lines) - leading_blanks(lines[::-1])])


def _opener(line, first):
    if "{python" not in line:
        return None
    return OPENER.match(line.removeprefix(BOM) if first else line)


def _closes(line, opener):
    return line.rstrip(" \t\r\n") == opener[1] + opener[2]


def _cell(lines, opener, line, file):
    """The cell made of `lines`, the first of them line `line`, and its problems."""
    indent, ticks = opener[1], len(opener[2])
    closed = len(lines) > 1 and _closes(lines[-1], opener)
    inside = [without_end(dedent(each, indent)) for each in lines[1:]]
    if closed:
        inside.pop()
    n_options = 0
    while n_options < len(inside) and OPTION.match(inside[n_options]):
        n_options += 1
    options, option_lines, problems = _options(inside[:n_options], line + 1, file)
    if not closed:
        fix = f"end it with a line of {ticks} backticks and the same indent"
        problems.append(Problem(file, line, "this cell is never closed", fix))
    cell = Cell(
        line=line,
        end=line + len(lines) - 1,
        source="".join(lines),
        indent=indent,
        ticks=ticks,
        closed=closed,
        code_line=line + 1 + n_options,
        code="\n".join(inside[n_options:]),
        options=options,
        option_lines=option_lines,
    )
    return cell, problems


def _options(lines, first, file):
    """The YAML of `#|` lines: values by name, the chapter's line by name, problems."""
    marks = [OPTION.match(line).end() for line in lines]
    text = "\n".join(line[mark:].removeprefix(" ") for line, mark in zip(lines, marks))
    fix = "write each option as `#| name: value`"

    def bad(row, what):
        return {}, {}, [Problem(file, first + row, what, fix)]

    try:
        values, node = read_yaml(text)
    except NotYaml as error:
        mark = len(lines[error.row]) - len(text.split("\n")[error.row])
        return bad(error.row, f"these options are not YAML ({error.after(mark)})")
    if values is None:
        values = {}
    if not isinstance(values, dict):
        return bad(0, "these options are not a mapping")
    placed = {}
    for key, _ in node.value if values else ():
        if key.value in placed:
            return bad(key.start_mark.line, f"option {key.value} is given twice")
        placed[key.value] = first + key.start_mark.line
    return values, placed, []


class NotYaml(Exception):
    """Why a text is not YAML, and where, from 0."""

    def __init__(self, row, column, why):
        self.row, self.column, self.why = row, column, why

    def after(self, shift):
        """The column, from 1, after `shift` more characters, and why."""
        column = "" if self.column is None else f"column {shift + self.column + 1}: "
        return column + self.why


def read_yaml(text):
    """The value of one YAML document and its node, each None if it is empty."""
    try:
        loader = Loader(text)
        node = loader.get_single_node()
        return node and loader.construct_document(node), node
    except (yaml.YAMLError, ValueError) as error:  # ValueError: the 13th month
        why = getattr(error, "problem", None) or str(error).splitlines()[0]
        place, row, column = getattr(error, "problem_mark", None), 0, None
        if place and place.index >= len(text.rstrip()):  # something is not closed
            place = error.context_mark or place
        if place and place.line <= text.count("\n"):
            row, column = place.line, place.column
        raise NotYaml(row, column, why) from None
