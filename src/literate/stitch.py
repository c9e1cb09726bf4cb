"""Stitch: edits of the tangled modules go back into the chapter's cells."""

from dataclasses import replace
from difflib import SequenceMatcher

from . import module
from .cells import scan, split_lines, without_end
from .module import digest
from .problems import Problem, Refused
from .tangle import add_arguments, carry_out, compare, explain, targets_of

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
    texts, targets = dict(project.texts), project.targets
    edited = [pair for pair in pairs if pair.changed == {"module"}]
    if edited:
        texts[project.chapter], targets = _chapter(project, edited)
    waiting = {(p.target, p.label) for p in pairs if p.changed == {"chapter"}}
    for target in targets:
        if texts[target] is not None:
            parts, _ = module.parse(texts[target], target, project.chapter)
            parts = [
                part
                if (target, part.label) in waiting
                else replace(part, digest=digest(part.body))
                for part in parts
            ]
            texts[target] = module.render(target, project.chapter, parts)
    return replace(project, texts=texts, targets=targets)


def _chapter(project, edited):
    """The chapter's text with the code of the `edited` pairs, and its targets."""
    by_line = {pair.cell.line: pair for pair in edited}
    sources, problems, places, line = [], [], {}, 1
    for piece in scan(project.texts[project.chapter], project.chapter).pieces:
        source, pair = piece.source, by_line.get(piece.line)
        if pair:
            source = with_body(pair.cell, pair.part.body)
            problems += _misfits(pair, source)
            for number in range(source.count("\n") + 1):
                row = pair.part.body_line + number - (piece.body_line - piece.line)
                places[line + number] = (pair.target, max(row, pair.part.line))
        sources.append(source)
        line += source.count("\n")
    if problems:
        raise Refused(problems)
    text = "".join(sources)
    try:
        return text, targets_of(scan(text, project.chapter), text)
    except Refused as refused:  # say it at the edit, the new chapter is not written
        raise Refused([_moved(p, places) for p in refused.problems]) from None


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


def _misfits(pair, source):
    """Why the edited `source` would not read as the same cell with the new code."""
    first, *rest = scan(source).pieces
    body = pair.part.body
    if rest or (first.options, first.body) != (pair.cell.options, body):
        fence = "`" * pair.cell.ticks
        ends = [n for n, line in enumerate(body) if line.rstrip(" \t") == fence]
        what = "this line would end the cell" if ends else "this would be an option"
        fix = "write it otherwise here, or edit the chapter"
        yield Problem(pair.target, pair.part.body_line + (ends or [0])[0], what, fix)


def _moved(problem, places):
    file, line = places.get(problem.line, (problem.file, problem.line))
    return replace(problem, file=file, line=line)
