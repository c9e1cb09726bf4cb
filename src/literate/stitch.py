"""Stitch: edits of the tangled modules go back into the chapter's cells."""

import re
from dataclasses import replace
from difflib import SequenceMatcher

from . import module
from .cells import scan, split_lines, without_end
from .module import digest
from .problems import Problem, Refused
from .tangle import add_arguments, carry_out, compare, explain
from .targets import targets_of, unsound

__all__ = ["add_arguments", "run", "stitched"]


def run(args):
    """Stitch the modules into the chapter."""
    return carry_out(args, lambda project: stitched(project).texts)


def stitched(project):
    """The project with the modules' edits in the chapter, and marked as such.

    Cells that changed in the chapter alone stay as they are on both sides. The
    chapter is written first: a run killed right after it has lost nothing,
    since both sides are the same then.
    """
    pairs = compare(project)
    conflicts = [pair for pair in pairs if pair.changed == {"chapter", "module"}]
    if conflicts:
        raise Refused([explain(project, pair) for pair in conflicts])
    edited = [pair for pair in pairs if pair.changed == {"module"}]
    if edited:
        project = _with_edits(project, edited)
    elif problems := unsound(project.document, project.targets):
        raise Refused(problems)
    texts = dict(project.texts)
    waiting = {(p.target, p.label) for p in pairs if p.changed == {"chapter"}}
    for target in project.targets:
        if texts[target] is not None:
            parts, _ = module.parse(texts[target], target, project.chapter)
            parts = [
                part
                if (target, part.label) in waiting
                else replace(part, digest=digest(part.body))
                for part in parts
            ]
            texts[target] = module.render(target, project.chapter, parts)
    return replace(project, texts=texts)


def _with_edits(project, edited):
    """The project with the code of the `edited` pairs in its chapter."""
    bodies = {pair.cell.line: pair.part.body for pair in edited}
    text = "".join(
        with_body(piece, bodies[piece.line]) if piece.line in bodies else piece.source
        for piece in project.document.pieces
    )
    document = scan(text, project.chapter)
    problems = [problem for pair in edited for problem in _misfits(pair)]
    if problems:
        raise Refused(problems)
    try:
        targets = targets_of(document)
        problems = unsound(document, targets)
    except Refused as refused:
        problems = refused.problems
    if problems:
        old = unsound(project.document, project.targets)
        raise Refused(old or _at_the_edits(problems, project, document, edited))
    texts = project.texts | {project.chapter: text}
    return replace(project, texts=texts, document=document, targets=targets)


def with_body(cell, body):
    """The source of `cell` with the lines `body`; lines that stay keep their bytes."""
    lines = split_lines(cell.source)
    end = lines[0][len(without_end(lines[0])) :]
    start = cell.body_line - cell.line
    old, new = lines[start : start + len(cell.body)], []
    matcher = SequenceMatcher(None, cell.body, body, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            new += old[i:j]
        else:
            new += [(cell.indent + line if line else "") + end for line in body[k:m]]
    return "".join((*lines[:start], *new, *lines[start + len(cell.body) :]))


def _misfits(pair):
    """Why the cell with the edit would not read as the same with the new code."""
    cell, body = pair.cell, pair.part.body
    closer = re.compile(rf" {{0,3}}`{{{cell.ticks},}}[ \t]*")  # CommonMark's, too
    ends = [row for row, line in enumerate(body) if closer.fullmatch(line)]
    read = scan(with_body(cell, body)).cells[0]
    if ends:
        row, what = ends[0], "this line would end the cell in the chapter"
    elif (read.options, read.body) != (cell.options, body):
        row, what = 0, "this line would be an option of the cell in the chapter"
    else:
        return
    fix = "write it otherwise here, or edit the chapter"
    yield Problem(pair.target, pair.part.body_line + row, what, fix)


def _at_the_edits(problems, project, document, edited):
    """The `problems` of the new `document`, which is not written, at the edits."""
    parts = {pair.cell.line: pair for pair in edited}
    moved = []
    for old, new in zip(project.document.cells, document.cells):
        for problem in problems:
            if old.line in parts and new.line <= problem.line <= new.end:
                part = parts[old.line].part
                line = max(part.line, part.body_line + problem.line - new.body_line)
                file = parts[old.line].target
                moved.append(replace(problem, file=file, line=line))
    return moved or problems
