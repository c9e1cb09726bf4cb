"""A document as the weaver sees it: settings, prose with inline code, cells."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..cells import BOM, Cell, NotYaml, Prose, read_yaml, scan
from ..files import decoded
from ..problems import Problem, Refused
from ..targets import target_of

INLINE = re.compile(r"(?<!`)`\{python\} ([^`\n]+)`(?!`)")
FENCE = re.compile(r"^([ \t]*(?:>[ \t]?)*)(`{3,}|~{3,})(.*)$")
FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)


@dataclass(frozen=True)
class Inline:
    """One inline expression, and the chapter's line that holds it."""

    line: int
    code: str


@dataclass(frozen=True)
class Line:
    """A line of prose; `part` is what it is of a fenced code block, if anything."""

    number: int
    text: str
    part: str | None


class Chapter:
    """A scanned document and its settings; refused if it cannot be read."""

    def __init__(self, path):
        self.path = Path(path)
        self.folder = self.path.resolve().parent
        text = _read(self.path).removeprefix(BOM).replace("\r\n", "\n")
        if "\r" in text:
            line = text.count("\n", 0, text.index("\r")) + 1
            what, fix = "a line ends in a carriage return alone", "end it with \\n"
            raise Refused([self.problem(line, what, fix)])
        self.document = scan(text, self.path.name)
        if self.document.problems:
            raise Refused(self.document.problems)
        # Where settings stand, as (file, first line, YAML node); the later one wins.
        self.settings, self.sources = {}, []
        project, matter = self.folder / "_quarto.yml", FRONT_MATTER.match(text)
        if project.exists():
            self._add_settings(project.name, 1, _read(project))
        if matter:
            self._add_settings(self.path.name, 2, matter[1])

    def _add_settings(self, file, first, source):
        try:
            values, node = read_yaml(source)
            line, what = first, "these are not settings"
        except NotYaml as error:
            values, line = error, first + error.row
            what = f"this is not YAML ({error.after(0)})"
        if not isinstance(values or {}, dict):
            fix = "write each as `name: value`"
            raise Refused([self.problem(line, what, fix, file)])
        if values:
            self.settings |= values
            self.sources.append((file, first, node))

    @property
    def stem(self):
        """The name of the document without its suffix."""
        return self.path.stem

    @property
    def modules(self):
        """The tangled modules that exist, by their names in the cells."""
        names = dict.fromkeys(map(target_of, self.document.cells))
        return [name for name in names if name and (self.folder / name).is_file()]

    def option(self, name, cell=None, default=None):
        """A cell's option, else the document's (in `execute` or at the top)."""
        if cell is not None and name in cell.options:
            return cell.options[name]
        execute = self.settings.get("execute") or {}
        return execute.get(name, self.settings.get(name, default))

    def format_option(self, to, name):
        """A setting of the format (`html`, `typst`), else of the document."""
        formats = self.settings.get("format")
        own = formats.get(to) if isinstance(formats, dict) else None
        return (own if isinstance(own, dict) else {}).get(name, self.settings.get(name))

    def problem(self, line, what, fix, file=None):
        """A problem at a line of this document, or of another file."""
        return Problem(file or self.path.name, line, what, fix)

    def find(self, pattern, prose_only=True):
        """The lines where the pattern stands, or the first one of the document."""
        return [
            piece.line + piece.source.count("\n", 0, match.start())
            for piece in self.document.pieces
            if isinstance(piece, Prose) or not prose_only
            for match in re.finditer(pattern, piece.source)
        ] or [1]

    @property
    def lines(self):
        """The lines of the prose."""
        return [line for p in self.pieces if not isinstance(p, Cell) for line in p]

    @cached_property
    def steps(self):
        """What is executed, in order: cells and inline expressions."""
        steps = []
        for piece in self.pieces:
            if isinstance(piece, Cell):
                steps.append(piece)
                continue
            for line in piece:
                found = [] if line.part else INLINE.finditer(line.text)
                steps += [Inline(line.number, match[1].strip()) for match in found]
        return tuple(steps)

    @cached_property
    def pieces(self):
        """The document in order: cells, and prose as tuples of its lines."""
        pieces, fence = [], None
        for piece in self.document.pieces:
            if isinstance(piece, Cell):
                pieces.append(piece)
                continue
            lines = []
            for number, text in enumerate(piece.source.split("\n"), piece.line):
                part, fence = fence_part(text, fence)
                lines.append(Line(number, text, part))
            pieces.append(tuple(lines))
        return tuple(pieces)


def _read(path):
    return decoded(path.read_bytes(), path.name)


def fence_part(line, fence):
    """What the line is of a fenced code block, and the fence open after it."""
    match = FENCE.match(line)
    if fence:
        if match and not match[3].strip() and match[2].startswith(fence):
            return "closer", None
        return "code", fence
    if match and not (match[2][0] == "`" and "`" in match[3]):
        return "opener", match[2]
    return None, None
