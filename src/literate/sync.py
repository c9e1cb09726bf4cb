"""Sync: each cell goes in the direction in which it changed."""

from .stitch import stitched
from .tangle import add_arguments, carry_out, modules

__all__ = ["add_arguments", "run", "sync"]


def run(args):
    """Stitch, then tangle, in one step."""
    return carry_out(args, sync)


def sync(project):
    """The texts after stitching and then tangling."""
    project = stitched(project)
    return project.texts | modules(project)
