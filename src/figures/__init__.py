"""Data in, figure out. No numbers of its own: a figure shows what it is given."""

from .figure import Figure, draw
from .tables import scientific, table

__all__ = ["Figure", "draw", "scientific", "table"]
