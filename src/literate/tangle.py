"""Tangle: the chapter's cells become the modules that they name.

What is to be written is decided from texts alone: a `Project` goes in, texts
by file name come out, and only `carry_out` touches the disk. Stitch, sync and
check are made of the same pieces.
"""

import re
import warnings
from dataclasses import dataclass
from pathlib import Path

from . import fences, files, module
from .cells import scan
from .module import LIKE_A_MARK, Part, digest
from .problems import Problem, Refused

TARGET = re.compile(r"(\./)*(([A-Za-z0-9_-]+/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*\.py)")
LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*")


@dataclass(frozen=True)
class Project:
    """A chapter and the modules that it names: `texts` by name, None if missing."""

    chapter: str
    texts: dict
    targets: dict

    @property
    def cells(self):
        """The cells that are tangled, target by target."""
        return [cell for cells in self.targets.values() for cell in cells]


@dataclass(frozen=True)
class Pair:
    """One cell of a target, in the chapter (or None) and in the module (or None)."""

    target: str
    cell: object
    part: object

    @property
    def label(self):
        """The label that the two share."""
        return (self.cell or self.part).label

    @property
    def changed(self):
        """Which sides have changed since they were last the same, as a set."""
        if self.cell and self.part and self.cell.body == self.part.body:
            return set()
        base = self.part and self.part.digest
        sides = set()
        if not self.cell or digest(self.cell.body) != base:
            sides.add("chapter")
        if self.part and digest(self.part.body) != base:
            sides.add("module")
        return sides


def add_arguments(parser):
    """What `tangle` and its relatives take on the command line."""
    parser.add_argument("chapter", nargs="?", default="chapter.qmd", type=Path)
    parser.add_argument(
        "--diff", action="store_true", help="write nothing, show what would change"
    )


def run(args):
    """Tangle the chapter."""
    return carry_out(args, tangle, "tangle")


def tangle(project):
    """The texts of the modules, from the chapter. Refuses what would lose edits."""
    pairs = [pair for pair in compare(project) if "module" in pair.changed]
    if pairs:
        raise Refused([explain(project, pair) for pair in pairs])
    return {
        target: module.render(
            project.chapter, [Part(c.label, digest(c.body), c.body) for c in cells]
        )
        for target, cells in project.targets.items()
    }


def carry_out(args, plan, verb):
    """Read the project, write what `plan` makes of it, say so."""
    root, chapter = args.chapter.resolve().parent, args.chapter.name
    if not root.is_dir():
        fix = "run this in the chapter's folder, or name the chapter"
        raise Refused([Problem(str(args.chapter), 1, "no such file", fix)])
    with files.alone_in(root):
        project = load(root, chapter)
        texts = plan(project)
        new = {
            name: text for name, text in texts.items() if text != project.texts[name]
        }
        problems = [p for name in new for p in files.obstacles(root, name)]
        if problems:
            raise Refused(problems)
        if args.diff:
            print(*files.diff(project.texts, new), sep="\n")
            return int(bool(new))
        files.replace(root, project.texts, new)
    print(f"{verb}: " + (", ".join(new) or "nothing to do"))
    return 0


def load(root, chapter):
    """The project of the chapter in the folder `root`."""
    text = files.read(root, chapter)
    if text is None:
        fix = "run this in the chapter's folder, or name the chapter"
        raise Refused([Problem(chapter, 1, "no such file", fix)])
    document = scan(text, chapter)
    targets = targets_of(document, text)
    problems = [
        p
        for t in targets
        for p in files.obstacles(root, t)
        if not p.fix.startswith("run chmod")
    ]
    if problems:
        raise Refused(problems)
    texts = {chapter: text} | {name: files.read(root, name) for name in targets}
    return Project(chapter, texts, targets)


def compare(project):
    """A `Pair` for each cell on either side. Refuses modules that are damaged."""
    pairs, problems = [], []
    for target, cells in project.targets.items():
        text = project.texts[target]
        parts = []
        if text is not None:
            parts, found = module.parse(text, target, project.chapter)
            problems.extend(found)
        by_label = {part.label: part for part in parts}
        pairs += [Pair(target, c, by_label.pop(c.label, None)) for c in cells]
        pairs += [Pair(target, None, part) for part in by_label.values()]
    if problems:
        raise Refused(problems)
    return pairs


def explain(project, pair):
    """Why `pair` is not the same on both sides, as a problem."""
    chapter, target, label = project.chapter, pair.target, pair.label
    if pair.changed == {"module"}:
        what = f"cell {label} was edited here, its source is {chapter}:{pair.cell.line}"
        return Problem(target, pair.part.line, what, "run make stitch")
    if pair.changed == {"chapter"}:
        line = (pair.cell or pair.part).line
        file = chapter if pair.cell else target
        what = (
            f"cell {label} is not as in {target}"
            if pair.cell
            else f"cell {label} has left {chapter}"
        )
        return Problem(file, line, what, "run make tangle")
    if not pair.cell:
        what = f"cell {label} was edited here, but has left {chapter}"
        fix = f"put the cell back in {chapter} and run make stitch, or undo the edit"
        return Problem(target, pair.part.line, what, fix)
    what = f"cell {label} was edited both here and at {target}:{pair.part.line}"
    fix = "make both the same (python -m literate sync --diff shows them)"
    return Problem(chapter, pair.cell.line, what, fix)


def targets_of(document, text):
    """The cells to tangle, by target. Refuses a chapter that cannot be tangled."""
    targets, problems = {}, list(document.problems)
    spellings, labels = {}, {}

    def refuse(line, what, fix):
        problems.append(Problem(document.file, line, what, fix))

    for cell in document.cells:
        first = labels.setdefault(cell.label, cell) if cell.label is not None else cell
        if first is not cell:
            what = f"label {cell.label} is taken by the cell at line {first.line}"
            refuse(cell.line, what, "rename one of the two")
        if "filename" not in cell.options:
            continue
        line = cell.option_lines["filename"]
        match = isinstance(cell.filename, str) and TARGET.fullmatch(cell.filename)
        if not match:
            what = (
                f"filename {cell.filename!r} is no path of a module below this folder"
            )
            refuse(line, what, "write it like src/attention.py")
            continue
        target = match[2]
        known = spellings.setdefault(target.lower(), target)
        if known != target:
            refuse(line, f"{target} differs from {known} only in case", "write one")
        if not isinstance(cell.label, str) or not LABEL.fullmatch(cell.label):
            what = "a cell with a filename needs a label"
            refuse(cell.line, what, "add a line `#| label: name` (a-z, 0-9, . _ : -)")
            continue
        for number, line in enumerate(cell.body):
            if LIKE_A_MARK.match(line):
                fix = "write the comment without %%"
                refuse(cell.body_line + number, "this line looks like a mark", fix)
            if "\r" in line:
                what = "a carriage return stands inside this line"
                refuse(cell.body_line + number, what, "write it as \\r")
        targets.setdefault(target, []).append(cell)
    problems += fences.disagreements(document, text)
    with warnings.catch_warnings(action="ignore"):
        for cells in targets.values():
            problems += syntax_errors(cells, document.file)
    if problems:
        raise Refused(problems)
    return targets


def syntax_errors(cells, file):
    """Cells that are not Python, alone or after those before them."""
    problems = []
    for cell in cells:
        problems += _compiled(cell.body, lambda n, c=cell: c.body_line + n - 1, file)
    if not problems:
        lines = [
            (text, cell.body_line + n)
            for cell in cells
            for n, text in enumerate(cell.body)
        ]
        problems = _compiled(
            [text for text, _ in lines], lambda n: lines[n - 1][1], file
        )
    return problems


def _compiled(lines, place, file):
    try:
        compile("\n".join(lines) + "\n", file, "exec", dont_inherit=True)
    except SyntaxError as error:
        number = min(max(error.lineno or 1, 1), max(len(lines), 1))
        what = f"this is not Python ({error.msg})"
        return [Problem(file, place(number), what, "correct the cell")]
    except ValueError as error:  # a null character
        return [
            Problem(file, place(1), f"this is not Python ({error})", "correct the cell")
        ]
    return []
