"""Which cells of a chapter are tangled, where to, and what stands in the way."""

import re
import warnings

from . import fences
from .module import CONFLICT, LIKE_A_MARK
from .problems import Problem, Refused

# A path in the chapter's folder, but not among what is built.
TARGET = re.compile(r"(?:\./)*(?!(?i:_build)/)((?:\w[\w-]*/)*\w[\w.-]*\.py)", re.ASCII)
LABEL = re.compile(r"[A-Za-z0-9][\w.:-]*", re.ASCII)


def targets_of(document):
    """The cells to tangle, by module. Refuses what is wrong with their options."""
    targets = {}
    for cell in tangled(document):
        if target := target_of(cell):
            targets.setdefault(target, []).append(cell)
    problems = [
        *document.problems,
        *bad_labels(document),
        *bad_filenames(document),
    ]
    if problems:
        raise Refused(problems + unsound(document, targets))
    return targets


def unsound(document, targets):
    """What is wrong with the code and the fences of the cells, as problems."""
    syntax = [p for cells in targets.values() for p in bad_syntax(document, cells)]
    return [*fences.disagreements(document), *bad_lines(document), *syntax]


def tangled(document):
    """The cells that have a filename, without those that never end."""
    return [c for c in document.cells if "filename" in c.options and c.closed]


def target_of(cell):
    """The module that `cell` goes to, or None if its filename names none."""
    match = isinstance(cell.filename, str) and TARGET.fullmatch(cell.filename)
    return match[1] if match else None


def bad_labels(document):
    """Labels given twice, and tangled cells without one."""
    yield from repeated_labels(document)
    for cell in tangled(document):
        if not isinstance(cell.label, str) or not LABEL.fullmatch(cell.label):
            what = "a cell with a filename needs a label of letters, digits and _.:-"
            fix = "write `#| label: name` at its top"
            yield Problem(document.file, cell.line, what, fix)


def repeated_labels(document):
    """Labels that an earlier cell has."""
    first = {}
    for cell in document.cells:
        label = cell.label
        if isinstance(label, str) and first.setdefault(label, cell) is not cell:
            what = f"label {label} is taken by the cell at line {first[label].line}"
            yield Problem(document.file, cell.line, what, "rename one of the two")


def bad_filenames(document):
    """Filenames that name no module, and those that differ only in case."""
    spellings = {}
    for cell in tangled(document):
        line, target = cell.option_lines.get("filename", cell.line), target_of(cell)
        if not target:
            what = f"filename {cell.filename!r} is no module in the chapter's folder"
            fix = "write a path like src/name.py"
            yield Problem(document.file, line, what, fix)
        elif spellings.setdefault(target.lower(), target) != target:
            what = f"{target} and {spellings[target.lower()]} differ only in case"
            yield Problem(document.file, line, what, "use one of the two")


def bad_lines(document):
    """Lines of tangled cells that would not come back from a module."""
    for cell in tangled(document):
        for number, line in enumerate(cell.body, cell.body_line):
            if LIKE_A_MARK.match(line):
                what = "this line looks like the mark of a cell"
                yield Problem(document.file, number, what, "write it without %%")
            if CONFLICT.match(line):
                what = "this line looks like a Git conflict"
                yield Problem(document.file, number, what, "resolve or rewrite it")
            if "\r" in line:
                what = "there is a carriage return inside this line"
                yield Problem(document.file, number, what, r"write it as \r")


def bad_syntax(document, cells):
    """Cells that are not Python, alone or after the ones before them."""
    problems = [p for cell in cells for p in _syntax_error(document.file, [cell])]
    return problems or _syntax_error(document.file, cells)


def _syntax_error(file, cells):
    lines = [pair for cell in cells for pair in enumerate(cell.body, cell.body_line)]
    try:
        with warnings.catch_warnings(action="ignore"):
            text = "\n".join(line for _, line in lines)
            compile(text, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:  # ValueError: a null character
        row = min(getattr(error, "lineno", None) or 1, len(lines)) - 1
        what = f"this is not Python ({getattr(error, 'msg', error)})"
        return [Problem(file, lines[row][0], what, "correct the cell")]
    return []
