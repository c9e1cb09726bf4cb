"""Sync: each cell goes in the direction in which it changed."""

from dataclasses import replace

from .cells import scan
from .stitch import stitch
from .tangle import add_arguments, carry_out, tangle, targets_of

__all__ = ["add_arguments", "run", "sync"]


def run(args):
    """Stitch, then tangle, in one step."""
    return carry_out(args, sync, "sync")


def sync(project):
    """The texts after stitching and then tangling."""
    texts = project.texts | stitch(project)
    chapter = texts[project.chapter]
    targets = targets_of(scan(chapter, project.chapter), chapter)
    stitched = replace(project, texts=texts, targets=targets)
    return {project.chapter: chapter} | tangle(stitched)
