"""The format of a tangled module: a head, then a mark and code for each cell.

The mark `# %% label digest` starts the code of one cell (VS Code, Spyder and
Jupytext take it for a cell, too). The digest is that of the code when it was
tangled: the common ancestor that tells which side has changed since. The head
counts the cells and digests their order, so that a mark that was lost, copied
or moved shows.
"""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from .cells import BOM, leading_blanks, trimmed
from .problems import Problem

HEAD = '''"""{target}, tangled from {chapter}: {cells}, order {order}.

Edit the chapter and run `make tangle`, or edit here and run `make stitch`.
"""'''
HEAD_LINE = re.compile(
    r'"""(?P<target>.+), tangled from (?P<chapter>.+): '
    r"(?P<count>\d+) cells?, order (?P<order>[0-9a-f]{8})\.$"
)
UNFIT = re.compile(r'["\\\x00-\x1f\x7f\ud800-\udfff]')  # for a name in the head
MARK = re.compile(r"# %% (\S+) ([0-9a-f]{8})$")
LIKE_A_MARK = re.compile(r"#\s*%%")
CONFLICT = re.compile(r"(<{7}|\|{7}|>{7})( |$)")


@dataclass(frozen=True)
class Part:
    """The code of one cell in a module, and the digest of what was tangled.

    `line` is the mark's line in the module and `body_line` that of the first
    line of code, both counted from 1.
    """

    label: str
    digest: str
    body: tuple
    line: int = 0
    body_line: int = 0


def digest(lines):
    """A short digest of `lines`."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


def render(target, chapter, parts):
    """The text of the module `target` made of `parts`."""
    blocks = [
        "\n".join((f"# %% {part.label} {part.digest}", *part.body)) for part in parts
    ]
    head = _head(target, chapter, len(parts), _order(parts))
    return head + "\n\n" + "\n\n\n".join(blocks) + "\n"


def parse(text, target, chapter):
    """The parts of the module `target`, and the problems that its text has."""
    lines = text.removeprefix(BOM).replace("\r\n", "\n").split("\n")
    marks = [number for number, line in enumerate(lines, 1) if MARK.match(line)]
    parts = []
    for mark, following in zip(marks, [*marks[1:], len(lines) + 1]):
        label, base = MARK.match(lines[mark - 1]).groups()
        inside = lines[mark : following - 1]
        first = mark + 1 + leading_blanks(inside)
        parts.append(Part(label, base, trimmed(inside), mark, first))
    return parts, list(_damage(lines, parts, target, chapter))


def tangled_below(root, chapter):
    """The modules below `root` that were tangled from its `chapter`, by name.

    Hidden folders, `_build`, environments and the folders of other chapters
    of that name are not searched.
    """
    for folder, folders, names in os.walk(root):
        place = Path(folder)
        if "pyvenv.cfg" in names or (chapter in names and place != root):
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if name[0] not in "._")
        for name in sorted(names):
            path = place / name
            if path.suffix == ".py" and path.is_file():
                with path.open(encoding="utf-8-sig", errors="replace") as file:
                    head = HEAD_LINE.match(file.readline(500).rstrip("\n"))
                shown = path.relative_to(root).as_posix()
                if head and (head["target"], head["chapter"]) == (shown, chapter):
                    yield shown


def _damage(lines, parts, target, chapter):
    """What an edit did to the head or to the marks, as problems."""
    for number, line in enumerate(lines, 1):
        if CONFLICT.match(line):
            fix = (
                f"take either side (git checkout --ours {target}), then run make "
                "tangle, or make stitch if that side has edits of its own"
            )
            yield Problem(target, number, "a Git conflict is not resolved", fix)
            return  # what the conflict did to the marks is no news
        if LIKE_A_MARK.match(line) and not MARK.match(line):
            what = "this line looks like the mark of a cell"
            fix = "write it without %%; a new cell begins in the chapter"
            yield Problem(target, number, what, fix)
    head = HEAD_LINE.match(lines[0])
    fix = (
        f"restore it (git diff {target} shows the change), or keep your edits "
        "elsewhere, delete the file and run make tangle"
    )
    if not head and not parts:
        what = f"this file was not tangled from {chapter}"
        fix = "move it away, or give the cells another filename"
        yield Problem(target, 1, what, fix)
    elif not head or (head["target"], head["chapter"]) != (target, chapter):
        what = f"this is not the first line of {target}, tangled from {chapter}"
        yield Problem(target, 1, what, fix)
    elif not parts or (str(len(parts)), _order(parts)) != head.group("count", "order"):
        labels = [part.label for part in parts]
        copies = [part for n, part in enumerate(parts) if part.label in labels[:n]]
        line, what = 1, f"marks were deleted or moved: {len(parts)} of {head['count']}"
        if copies:
            line, what = copies[0].line, f"the mark of {copies[0].label} is a copy"
        yield Problem(target, line, what, fix)
    elif "\n".join(lines[: parts[0].line - 1]).rstrip() != _head(*head.groups()):
        what = "the text above the first mark belongs to no cell"
        yield Problem(target, parts[0].line - 1, what, fix)


def _head(target, chapter, count, order):
    cells = f"{count} cell{'s' * (int(count) != 1)}"
    return HEAD.format(target=target, chapter=chapter, cells=cells, order=order)


def _order(parts):
    return digest([part.label for part in parts])
