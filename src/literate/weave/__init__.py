"""Weave: turn the chapter into the pages that people read."""

from .command import add_arguments, run
from .weaver import Weaver

__all__ = ["Weaver", "add_arguments", "run"]
