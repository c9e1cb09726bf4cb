"""A conflict shown three-way: the chapter, what was tangled, the module."""

import subprocess

from .cells import scan
from .module import digest, parse


def three_way(root, chapter, pair):
    """Lines like Git's (diff3): the chapter's code, the base, the module's."""
    cell, part = pair.cell, pair.part
    base = _base(root, chapter, pair)
    yield (
        f"<<<<<<< {chapter}:{cell.line} {pair.label}" if cell else f"<<<<<<< {chapter}"
    )
    yield from cell.body if cell else ()
    yield "||||||| as tangled" + ("" if base is not None else " (Git does not have it)")
    yield from base or ()
    yield "======="
    yield from part.body
    yield f">>>>>>> {pair.target}:{part.line}"


def _base(root, chapter, pair):
    """The code that was tangled last, from Git's index or last commit, or None."""
    for version in (":", "HEAD:"):
        parts, _ = parse(_git(root, version, pair.target), pair.target, chapter)
        cells = scan(_git(root, version, chapter)).cells
        for code in (*parts, *cells):
            if code.label == pair.label and digest(code.body) == pair.part.digest:
                return code.body
    return None


def _git(root, version, name):
    """The text of a file in Git, empty if it is not there."""
    command = ["git", "-C", root, "show", f"{version}./{name}"]
    try:
        return subprocess.run(command, capture_output=True).stdout.decode()
    except (FileNotFoundError, UnicodeDecodeError):
        return ""
