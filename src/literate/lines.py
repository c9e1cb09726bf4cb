"""The chapter's line everywhere: from a line of a module back to its source."""

from pathlib import Path

from .cells import scan
from .files import read
from .module import HEAD_LINE, parse


def chapter_line(path, line):
    """The chapter and the line in it that line `line` of the module `path` is from.

    None if the file was not tangled, or if the line stands above the first
    mark. Inside a cell that is not the same on both sides, on its mark and
    between cells it is the line where the cell begins. Nothing is kept: the
    marks are read when they are needed, so the answer is never stale.
    """
    path = Path(path).absolute()
    head = _head(path)
    if not head or not path.as_posix().endswith("/" + head["target"]):
        return None
    root, chapter = path.parents[head["target"].count("/")], head["chapter"]
    parts, _ = parse(read(root, head["target"]), head["target"], chapter)
    above = [part for part in parts if part.line <= line]
    source = read(root, chapter)
    if not above or source is None:
        return None
    part = above[-1]
    for cell in scan(source, chapter).cells:
        if cell.label == part.label and "filename" in cell.options:
            row = line - part.body_line
            inside = cell.body == part.body and 0 <= row < len(cell.body)
            return root / chapter, cell.body_line + row if inside else cell.line
    return None


def _head(path):
    """The head line of the module `path`, or None if it has none."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            return HEAD_LINE.match(file.readline().rstrip("\r\n"))
    except (OSError, UnicodeDecodeError):
        return None
