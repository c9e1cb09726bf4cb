"""Tangle: the chapter's cells become the modules that they name.

What is to be written is decided from texts alone: a `Project` goes in, texts
by file name come out, and only `carry_out` touches the disk. Stitch, sync and
check are made of the same pieces.
"""

import re
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

from . import conflicts, fences, files, module
from .cells import Cell, scan
from .module import LIKE_A_MARK, Part, digest
from .problems import Problem, Refused

TARGET = re.compile(r"(?:\./)*((?:\w[\w-]*/)*\w[\w.-]*\.py)", re.ASCII)
LABEL = re.compile(r"[A-Za-z0-9][\w.:-]*", re.ASCII)


@dataclass(frozen=True)
class Project:
    """A chapter and its modules, read.

    `texts` are the files' by name (None: there is no such file), the chapter's
    first; `targets` the cells by the name of the module that they go to;
    `leftovers` the modules, as problems, that no cell goes to any more.
    """

    chapter: str
    texts: dict
    targets: dict
    leftovers: tuple


@dataclass(frozen=True)
class Pair:
    """One cell on both sides: in the chapter and in the module, or None there."""

    target: str
    cell: Cell | None
    part: Part | None

    @property
    def label(self):
        """The label, which both sides share."""
        return (self.cell or self.part).label

    @property
    def changed(self):
        """The sides that differ from what was tangled, unless they are the same."""
        if self.cell and self.part and self.cell.body == self.part.body:
            return set()
        base = self.part and self.part.digest
        sides = {"chapter": self.cell} | ({"module": self.part} if self.part else {})
        return {s for s, code in sides.items() if not code or digest(code.body) != base}


def add_arguments(parser):
    """What `tangle` and its relatives take on the command line."""
    parser.add_argument("chapter", nargs="?", default="chapter.qmd", type=Path)
    parser.add_argument(
        "--diff", action="store_true", help="write nothing, show what would change"
    )


def run(args):
    """Tangle the chapter."""
    return carry_out(args, tangle)


def tangle(project):
    """The texts of the modules. Refuses what would lose an edit made in one."""
    edited = [pair for pair in compare(project) if "module" in pair.changed]
    if edited:
        raise Refused([explain(project, pair) for pair in edited])
    return {
        target: module.render(
            target,
            project.chapter,
            [Part(cell.label, digest(cell.body), cell.body) for cell in cells],
        )
        for target, cells in project.targets.items()
    }


def carry_out(args, plan):
    """Read the project and write the texts that `plan(project)` gives."""
    root, chapter = args.chapter.parent.resolve(), args.chapter.name
    if not (root / chapter).is_file():
        fix = "run this in the chapter's folder, or name the chapter"
        raise Refused([Problem(str(args.chapter), 1, "there is no such file", fix)])
    with files.alone_in(root):
        project = load(root, chapter)
        print(
            *project.leftovers,
            sep="\n",
            end="\n" * len(project.leftovers),
            file=sys.stderr,
        )
        if args.diff:
            for pair in compare(project):
                if pair.changed == {"chapter", "module"}:
                    print(*conflicts.three_way(root, chapter, pair), sep="\n")
        texts = plan(project)
        new = {name: t for name, t in texts.items() if t != project.texts[name]}
        if args.diff:
            for line in files.diff(project.texts, new):
                print(line)
            return int(bool(new))
        problems = [problem for name in new for problem in files.read_only(root, name)]
        if problems:
            raise Refused(problems)
        files.replace(root, project.texts, new)
    for name in new:
        print(f"wrote {name}")
    return 0


def load(root, chapter):
    """The project of the chapter in the folder `root`."""
    text = files.read(root, chapter)
    targets = targets_of(scan(text, chapter), text)
    problems = [p for name in (chapter, *targets) for p in files.misplaced(root, name)]
    if problems:
        raise Refused(problems)
    texts = {chapter: text} | {name: files.read(root, name) for name in targets}
    what = f"no cell of {chapter} goes to this module any more"
    fix = "delete it if nothing needs it"
    leftovers = tuple(
        Problem(name, 1, what, fix)
        for name in module.tangled_below(root, chapter)
        if name not in targets
    )
    return Project(chapter, texts, targets, leftovers)


def compare(project):
    """A `Pair` for each cell on either side. Refuses modules that are damaged."""
    pairs, problems = [], []
    for target, cells in project.targets.items():
        parts = {}
        if project.texts[target] is not None:
            found, damage = module.parse(project.texts[target], target, project.chapter)
            parts = {part.label: part for part in found}
            problems += damage
        pairs += [Pair(target, c, parts.pop(c.label, None)) for c in cells]
        pairs += [Pair(target, None, part) for part in parts.values()]
    if problems:
        raise Refused(problems)
    return pairs


def explain(project, pair):
    """Why `pair` is not the same on both sides, as a problem."""
    chapter, target, cell, part = project.chapter, pair.target, pair.cell, pair.part
    where, fix = (chapter, cell) if cell else (target, part), "run make tangle"
    match (cell is not None, part is not None, "module" in pair.changed):
        case (True, True, True) if "chapter" in pair.changed:
            what = f"was edited here and at {target}:{part.line}"
            fix = "make both the same (python -m literate sync --diff shows them)"
        case (True, True, True):
            where = (target, part)
            what, fix = (
                f"was edited here, not at {chapter}:{cell.line}",
                "run make stitch",
            )
        case (False, True, True):
            what = f"was edited here, but is no longer in {chapter}"
            fix = "put the cell back and run make stitch, or undo the edit"
        case (True, True, False):
            what = f"was edited here, not at {target}:{part.line}"
        case (True, False, _):
            what = f"is not in {target}"
        case _:
            what = f"is no longer in {chapter}"
    return Problem(where[0], where[1].line, f"cell {pair.label} {what}", fix)


def targets_of(document, text):
    """The cells to tangle, by module. Refuses a chapter that cannot be tangled."""
    problems = [
        *document.problems,
        *bad_labels(document),
        *bad_filenames(document),
        *bad_lines(document),
        *fences.disagreements(document, text),
    ]
    targets = {}
    for cell in tangled(document):
        if target := target_of(cell):
            targets.setdefault(target, []).append(cell)
    for cells in targets.values():
        problems += syntax_errors(document.file, cells)
    if problems:
        raise Refused(problems)
    return targets


def tangled(document):
    """The cells that have a filename."""
    return [cell for cell in document.cells if "filename" in cell.options]


def target_of(cell):
    """The module that `cell` goes to, or None if its filename names none."""
    match = isinstance(cell.filename, str) and TARGET.fullmatch(cell.filename)
    return match[1] if match else None


def bad_labels(document):
    """Labels given twice, and tangled cells without one."""
    first = {}
    for cell in document.cells:
        label = cell.label
        if isinstance(label, str) and first.setdefault(label, cell) is not cell:
            what = f"label {label} is taken by the cell at line {first[label].line}"
            yield Problem(document.file, cell.line, what, "rename one of the two")
    for cell in tangled(document):
        if not isinstance(cell.label, str) or not LABEL.fullmatch(cell.label):
            what = "a cell with a filename needs a label of letters, digits and _.:-"
            fix = "write `#| label: name` at its top"
            yield Problem(document.file, cell.line, what, fix)


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
            if "\r" in line:
                what = "there is a carriage return inside this line"
                yield Problem(document.file, number, what, r"write it as \r")


def syntax_errors(file, cells):
    """Cells that are not Python, alone or after the ones before them."""
    problems = [p for cell in cells for p in _syntax_error(file, [cell])]
    return problems or _syntax_error(file, cells)


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
