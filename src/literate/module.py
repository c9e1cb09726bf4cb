"""The format of a tangled module: a head, then a mark and code for each cell.

The mark `# %% label digest` starts the code of one cell (VS Code, Spyder and
Jupytext take it for a cell, too). The digest is that of the code when it was
tangled: the common ancestor that tells which side has changed since. The head
counts the cells and digests their order, so that a mark that was lost, copied
or moved shows.
"""

import hashlib
import re
from dataclasses import dataclass

from .cells import leading_blanks, trimmed
from .problems import Problem

HEAD = '''"""Tangled from {chapter}: {cells} in the order {order}.

Edit the chapter and run `make tangle`, or edit here and run `make stitch`.
"""
'''
HEAD_LINE = re.compile(r'"""Tangled from (.+): (\d+) cells? in the order ([0-9a-f]+)\.')
MARK = re.compile(r"# %% (\S+) ([0-9a-f]{8})$")
LIKE_A_MARK = re.compile(r"#\s*%%")
CONFLICT = re.compile(r"(<{7}|\|{7}|>{7})( |$)")


@dataclass(frozen=True)
class Part:
    """The code of one cell in a module; `line` is its mark's, from 1."""

    label: str
    digest: str
    body: tuple
    line: int = 0
    body_line: int = 0


def digest(lines):
    """A short digest of `lines`."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


def render(chapter, parts):
    """The text of the module made of `parts`."""
    blocks = [
        "\n".join((f"# %% {part.label} {part.digest}", *part.body)) for part in parts
    ]
    head = _head(chapter, len(parts), _order(parts))
    return head + "\n" + "\n\n\n".join(blocks) + "\n"


def parse(text, file, chapter):
    """The parts of a module, or the problems why it cannot be read as tangled."""
    lines = text.replace("\r\n", "\n").split("\n")
    head = HEAD_LINE.match(lines[0])
    if not head or head[1] != chapter:
        what = f"this file was not tangled from {chapter}"
        fix = "move it away, or give the cells another `filename`"
        return [], [Problem(file, 1, what, fix)]
    problems, starts = [], []
    for number, line in enumerate(lines, 1):
        if CONFLICT.match(line):
            fix = (
                f"take either side (git checkout --ours {file}) and run "
                "make tangle, or make stitch if that side was edited"
            )
            return [], [Problem(file, number, "a Git conflict is not resolved", fix)]
        if MARK.match(line):
            starts.append(number)
        elif LIKE_A_MARK.match(line):
            fix = "write the comment without %%; new cells begin in the chapter"
            problems.append(
                Problem(file, number, "this line looks like a cell's mark", fix)
            )
    parts = []
    for start, stop in zip(starts, [*starts[1:], len(lines) + 1]):
        label, base = MARK.match(lines[start - 1]).groups()
        inside = lines[start : stop - 1]
        first = start + 1 + leading_blanks(inside)
        parts.append(Part(label, base, trimmed(inside), start, first))
    problems += _damage(lines, parts, head, file)
    return parts, problems


def _damage(lines, parts, head, file):
    """What an edit did to the head or to the marks, as problems."""
    fix = (
        f"restore it (git diff {file} shows what changed), or save your edits, "
        "delete the file and run make tangle"
    )
    count, order = int(head[2]), head[3]
    if len(parts) != count or _order(parts) != order:
        labels = [part.label for part in parts]
        copied = [p.line for n, p in enumerate(parts) if p.label in labels[:n]]
        what = f"marks were deleted, copied or moved ({len(parts)} of {count} left)"
        yield Problem(file, copied[0] if copied else 1, what, fix)
    elif "\n".join(lines[: parts[0].line - 1]).strip() != _head(*head.groups()).strip():
        what = "text above the first mark belongs to no cell"
        yield Problem(file, parts[0].line - 1, what, fix)


def _head(chapter, count, order):
    cells = f"{count} cell{'s' * (int(count) != 1)}"
    return HEAD.format(chapter=chapter, cells=cells, order=order)


def _order(parts):
    return digest([part.label for part in parts])
