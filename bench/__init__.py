"""Measurements. They print ratios and write `bench/results.json`; none passes or fails.

A measurement is a module of this package with one function `rows()`, which
returns a list of flat dictionaries, one for each line of the printed table.
`python -m bench` runs those that MEASUREMENTS names; `python -m bench NAME ...`
some of them and keeps the recorded rows of the others.
"""
