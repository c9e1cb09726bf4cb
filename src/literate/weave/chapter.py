"""A document as the weaver sees it: settings, prose with inline code, cells."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from ..cells import Cell, scan
from ..problems import Problem, Refused

INLINE = re.compile(r"(?<!`)`\{python\} ([^`\n]+)`(?!`)")
INLINE_SHOWN = re.compile(r"`` (`\{python\} [^`\n]+`) ``")
FENCE = re.compile(r"^([ \t]*(?:>[ \t]?)*)(`{3,}|~{3,})(.*)$")


@dataclass(frozen=True)
class Inline:
    """One inline expression, and the chapter's line that holds it."""

    line: int
    code: str


class Chapter:
    """A scanned document and its settings; refused if it cannot be read."""

    def __init__(self, path):
        self.path = Path(path)
        self.folder = self.path.resolve().parent
        self.text = self.path.read_text("utf-8").replace("\r\n", "\n")
        self.lines = self.text.split("\n")
        self.document = scan(self.text, self.path.name)
        if self.document.problems:
            raise Refused(self.document.problems)
        self.settings = self._settings()

    @property
    def stem(self):
        """The name of the document without its suffix."""
        return self.path.stem

    @property
    def modules(self):
        """The tangled modules that exist, by their names in the cells."""
        names = dict.fromkeys(cell.filename for cell in self.document.cells)
        return [name for name in names if name and (self.folder / name).is_file()]

    def _settings(self):
        """`_quarto.yml` and the front matter, the latter first."""
        project = self.folder / "_quarto.yml"
        settings = (
            yaml.safe_load(project.read_text("utf-8")) if project.exists() else {}
        )
        match = re.match(r"---\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", self.text, re.S)
        if match:
            try:
                settings = {**settings, **(yaml.safe_load(match[1]) or {})}
            except yaml.YAMLError as error:
                mark = getattr(error, "problem_mark", None)
                line, column = (mark.line + 2, mark.column + 1) if mark else (1, 1)
                what = f"front matter is not YAML (column {column}): {error.problem}"
                raise Refused([self.problem(line, what, "correct it")]) from None
        return settings

    def option(self, name, cell=None, default=None):
        """A cell's option, else the document's (at the top or in `execute`)."""
        if cell is not None and name in cell.options:
            return cell.options[name]
        execute = self.settings.get("execute") or {}
        return execute.get(name, self.settings.get(name, default))

    def problem(self, line, what, fix):
        """A problem at a line of this document."""
        return Problem(self.path.name, line, what, fix)

    def find(self, token, default=1):
        """The lines of prose that contain `token`, or `[default]`."""
        wanted = re.compile(re.escape(token) + r"(?![\w-])")
        found = [
            piece.line + at
            for piece in self.document.pieces
            for at, line in enumerate(piece.source.split("\n"))
            if wanted.search(line)
        ]
        return found or [default]

    @cached_property
    def steps(self):
        """What is executed, in order: cells and inline expressions."""
        steps = []
        for piece in self.document.pieces:
            if isinstance(piece, Cell):
                steps.append(piece)
                continue
            for at, line, fenced in prose_lines(piece.source):
                if not fenced:
                    steps += [
                        Inline(piece.line + at, match[1].strip())
                        for match in INLINE.finditer(line)
                    ]
        return tuple(steps)


def prose_lines(source):
    """Lines of prose as (index, line, whether it belongs to a fenced code block)."""
    fence = None
    for at, line in enumerate(source.split("\n")):
        match = FENCE.match(line)
        if fence:
            yield at, line, True
            ends = match and not match[3].strip() and match[2].startswith(fence)
            fence = None if ends else fence
        elif match and not (match[2][0] == "`" and "`" in match[3]):
            fence = match[2]
            yield at, line, True
        else:
            yield at, line, False
