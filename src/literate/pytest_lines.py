"""A pytest plugin: beside a line of a tangled module, the chapter's line.

Both hooks are imported by `tests/conftest.py`; elsewhere use
`pytest -p literate.pytest_lines`.
"""

import os
import re

import pytest

from .lines import chapter_line

PLACE = re.compile(r"^(\S+\.py):(\d+): .*$", re.MULTILINE)
NATIVE = re.compile(r'File "(.+\.py)", line (\d+)')  # Python's own, in groups


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """Add the chapter's line to each place in a failed test's traceback."""
    report = yield
    for trace in _traces(report.longrepr):
        for entry in trace.reprentries:
            if place := getattr(entry, "reprfileloc", None):
                place.message += _source(place.path, place.lineno)
            else:
                entry.lines[:] = [
                    NATIVE.sub(_with_source, line) for line in entry.lines
                ]
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    """Add it to a traceback of an import that failed, which is text."""
    report = yield
    if text := getattr(report.longrepr, "longrepr", None):
        report.longrepr.longrepr = PLACE.sub(_with_source, text)
    return report


def _traces(longrepr):
    """The tracebacks of a report: of the exception and of those that caused it."""
    chain = getattr(longrepr, "chain", None) or [(longrepr,)]
    return [t for t, *_ in chain if hasattr(t, "reprentries")]


def _with_source(place):
    return place[0] + _source(place[1], int(place[2]))


def _source(path, line):
    found = chapter_line(path, line)
    return f" ({os.path.relpath(found[0])}:{found[1]})" if found else ""
