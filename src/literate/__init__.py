"""One chapter, two products: tangle it into modules, weave it into pages."""
