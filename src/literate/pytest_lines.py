"""A pytest plugin: beside a line of a tangled module, the chapter's line.

Both hooks are imported by `tests/conftest.py`; elsewhere use
`pytest -p literate.pytest_lines`.
"""

import os
import re

import pytest

from .lines import chapter_line

PLACE = re.compile(r"^(\S+\.py):(\d+): .*$", re.MULTILINE)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """Add the chapter's line to each place in a failed test's traceback."""
    report = yield
    for trace in _traces(report.longrepr):
        for entry in trace.reprentries:
            if place := getattr(entry, "reprfileloc", None):
                place.message += _source(place.path, place.lineno)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    """Add it to a traceback of an import that failed, which is text."""
    report = yield
    if text := getattr(report.longrepr, "longrepr", None):
        report.longrepr.longrepr = PLACE.sub(
            lambda place: place[0] + _source(place[1], int(place[2])), text
        )
    return report


def _traces(longrepr):
    """The tracebacks of a report: of the exception and of those that caused it."""
    chain = getattr(longrepr, "chain", None) or [(longrepr,)]
    return [t for t, *_ in chain if hasattr(t, "reprentries")]


def _source(path, line):
    found = chapter_line(path, line)
    return f" ({os.path.relpath(found[0])}:{found[1]})" if found else ""
