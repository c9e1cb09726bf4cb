"""Tangle: the chapter's cells become the modules that they name.

What is to be written is decided from texts alone: a `Project` goes in, texts
by file name come out, and only `carry_out` touches the disk. Stitch, sync and
check are made of the same pieces.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from . import conflicts, files, module
from .cells import Cell, Document, scan
from .module import Part, digest
from .problems import Problem, Refused
from .targets import targets_of, unsound


@dataclass(frozen=True)
class Project:
    """A chapter and its modules, read.

    `texts` are the files' by name (None: there is no such file), the chapter's
    first; `document` is the chapter scanned, `targets` its cells by the name
    of the module that they go to; `leftovers` are the modules, as problems,
    that no cell goes to any more.
    """

    texts: dict
    document: Document
    targets: dict
    leftovers: tuple

    @property
    def chapter(self):
        """The chapter's file name."""
        return self.document.file


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
        changed = {s for s, c in sides.items() if not c or digest(c.body) != base}
        return changed or set(sides)  # two texts of one digest: a conflict


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
    """The texts of the modules. Refuses a chapter that is not sound."""
    if problems := unsound(project.document, project.targets):
        raise Refused(problems)
    return modules(project)


def modules(project):
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
    if args.diff:
        return _show(root, chapter, plan)
    new, leftovers = write(root, chapter, plan)
    for name in new:
        print(f"wrote {name}")
    for problem in leftovers:
        print(problem, file=sys.stderr)
    return 0


def write(root, chapter, plan):
    """Write what `plan(project)` changes: the files' names, and the leftovers."""
    with files.alone_in(root):
        project = load(root, chapter)
        new = _changes(project, plan)
        problems = [problem for name in new for problem in files.obstacles(root, name)]
        if problems:
            raise Refused(problems)
        files.replace(root, project.texts, new)
    return list(new), project.leftovers


def _show(root, chapter, plan):
    """Print conflicts and what would change; 1 if anything would."""
    project = load(root, chapter)
    for pair in compare(project):
        if pair.changed == {"chapter", "module"}:
            print(*conflicts.three_way(root, chapter, pair), sep="\n")
    new = _changes(project, plan)
    for line in files.diff(project.texts, new):
        print(line)
    return int(bool(new))


def _changes(project, plan):
    """The texts of `plan` that are not on the disk, by name."""
    return {n: t for n, t in plan(project).items() if t != project.texts[n]}


def load(root, chapter):
    """The project of the chapter in the folder `root`."""
    if module.UNFIT.search(chapter):
        what = "the head of a module cannot hold this name of a chapter"
        fix = "rename it without double quotes, backslashes and control characters"
        raise Refused([Problem(ascii(chapter), 1, what, fix)])
    text = files.read(root, chapter)
    if text is None:
        fix = "run this in the chapter's folder, or name the chapter"
        raise Refused([Problem(chapter, 1, "there is no such file", fix)])
    if "\r" in text and "\n" not in text:
        what, fix = "the lines end in a carriage return alone", "end them with \\n"
        raise Refused([Problem(chapter, 1, what, fix)])
    document = scan(text, chapter)
    targets = targets_of(document)
    problems = [p for name in targets for p in files.misplaced(root, name)]
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
    return Project(texts, document, targets, leftovers)


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
    file, line = (chapter, cell.line) if cell else (target, part.line)
    if pair.changed == {"module"}:
        file, line, fix = target, part.line, "run make stitch"
        what = f"was edited here, not at {chapter}:{cell.line}"
    elif pair.changed == {"chapter"}:
        fix = "run make tangle"
        if cell and part:
            what = f"was edited here, not at {target}:{part.line}"
        else:
            what = f"is not in {target}" if cell else f"is no longer in {chapter}"
    elif cell:
        what = f"was edited here and at {target}:{part.line}"
        fix = "make both the same (python -m literate sync --diff shows them)"
    else:
        what = f"was edited here, but is no longer in {chapter}"
        fix = "put the cell back and run make stitch, or undo the edit"
    return Problem(file, line, f"cell {pair.label} {what}", fix)
