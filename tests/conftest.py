"""What all tests share."""

from importlib import metadata

import numpy as np
import pytest
from hypothesis import settings

from literate.pytest_lines import (  # noqa: F401 (pytest finds the hooks here)
    pytest_make_collect_report,
    pytest_runtest_makereport,
)

settings.register_profile("no deadline", deadline=None)  # the machine may be busy
settings.load_profile("no deadline")


def pytest_terminal_summary(terminalreporter):
    """Say which torch the tangled code was compared with, however quiet pytest is."""
    terminalreporter.write_line(
        f"compared with torch {metadata.version('torch')}, on numpy {np.__version__}"
    )


@pytest.fixture
def close(request):
    """Assert that two arrays agree, and record the worst error for the ledger.

    close(actual, expected, rtol=1e-12, atol=1e-12): shapes must be equal; NaN
    is never close to anything.
    """
    worst = 0.0

    def check(actual, expected, rtol=1e-12, atol=1e-12):
        nonlocal worst
        actual, expected = np.asarray(actual), np.asarray(expected)
        assert actual.shape == expected.shape
        np.testing.assert_allclose(
            actual, expected, rtol=rtol, atol=atol, equal_nan=False
        )
        if actual.size:
            worst = max(worst, float(np.abs(actual - expected).max()))
        request.node.user_properties[:] = [("worst_error", worst)]

    return check
