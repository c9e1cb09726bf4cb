"""Experiments that the chapter reports as they come out: seeded, small, remembered."""
