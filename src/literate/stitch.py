"""Stitch: edits of the tangled modules go back into the chapter's cells."""

from dataclasses import replace
from difflib import SequenceMatcher

from . import module
from .cells import Cell, scan, split_lines, without_end
from .module import digest
from .problems import Problem, Refused
from .tangle import add_arguments, carry_out, compare, explain, targets_of

__all__ = ["add_arguments", "run", "stitch"]


def run(args):
    """Stitch the modules into the chapter."""
    return carry_out(args, stitch, "stitch")


def stitch(project):
    """The texts of the chapter and the modules, with the modules' edits in both.

    The chapter comes first: whoever is killed after writing it alone has both
    sides the same, and loses nothing.
    """
    pairs = compare(project)
    conflicts = [pair for pair in pairs if pair.changed == {"chapter", "module"}]
    if conflicts:
        raise Refused([explain(project, pair) for pair in conflicts])
    edited = {p.cell.line: p for p in pairs if p.changed == {"module"}}
    texts = {project.chapter: _chapter(project, edited)}
    for target in project.targets:
        if project.texts[target] is None:
            continue
        parts, _ = module.parse(project.texts[target], target, project.chapter)
        pending = {
            p.label for p in pairs if p.target == target and p.changed == {"chapter"}
        }
        parts = [
            part if part.label in pending else replace(part, digest=digest(part.body))
            for part in parts
        ]
        texts[target] = module.render(project.chapter, parts)
    return texts


def _chapter(project, edited):
    """The chapter's text with the bodies of the pairs in `edited`, by line."""
    text = project.texts[project.chapter]
    if not edited:
        return text
    problems, sources, places = [], [], {}
    line = 1
    for piece in scan(text, project.chapter).pieces:
        source, pair = piece.source, edited.get(piece.line)
        if pair and isinstance(piece, Cell):
            source = with_body(piece, pair.part.body)
            problems += _misfits(piece, source, pair)
            places.update(
                (
                    line + piece.body_line - piece.line + n,
                    (pair.target, pair.part.body_line + n),
                )
                for n in range(len(pair.part.body))
            )
        sources.append(source)
        line += source.count("\n")
    if problems:
        raise Refused(problems)
    text = "".join(sources)
    try:
        targets_of(scan(text, project.chapter), text)
    except Refused as refused:
        raise Refused([_moved(p, places) for p in refused.problems]) from None
    return text


def with_body(cell, body):
    """The source of `cell` with `body` for its own; lines that stay keep their bytes."""
    lines = split_lines(cell.source)
    end = lines[0][len(without_end(lines[0])) :]
    start = cell.body_line - cell.line
    stop = start + len(cell.body)
    old, new = lines[start:stop], []
    matcher = SequenceMatcher(None, cell.body, body, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            new += old[i:j]
        else:
            new += [(cell.indent + each if each else "") + end for each in body[k:m]]
    return "".join((*lines[:start], *new, *lines[stop:]))


def _misfits(cell, source, pair):
    """Why the edited `source` would not be read as the same cell with the new body."""
    pieces = scan(source).pieces
    read = pieces[0]
    if len(pieces) == 1 and read.closed and read.body == pair.part.body:
        if read.options == cell.options:
            return
    what = "the chapter would read this edit as the end of the cell or as an option"
    fix = "write it otherwise (a line of backticks in a string, `#|` on top)"
    number = 0
    for number, line in enumerate(pair.part.body):
        if line.rstrip(" \t") == "`" * cell.ticks:
            break
    else:
        number = 0
    yield Problem(pair.target, pair.part.body_line + number, what, fix)


def _moved(problem, places):
    """`problem` at the module's line, where its line came from there."""
    file, line = places.get(problem.line, (problem.file, problem.line))
    return replace(problem, file=file, line=line)
