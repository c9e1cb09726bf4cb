"""A checker that names the mistake: `from exercise import check`."""

from .check import check

__all__ = ["check"]
