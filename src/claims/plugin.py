"""The pytest plugin that writes the ledger: `pytest -m claim --ledger FILE`."""

from pathlib import Path

import pytest

from . import ledger


def pytest_addoption(parser):
    """The option that asks for a ledger."""
    parser.addoption("--ledger", type=Path, help="write what the claims' tests found")


def pytest_configure(config):
    """Record only when a ledger is asked for."""
    path = config.getoption("--ledger")
    if path:
        config.pluginmanager.register(Recorder(path, config.rootpath))


class Recorder:
    """Keeps the outcome of each test by the claims that it checks."""

    def __init__(self, path, root):
        self.path, self.digest, self.found = path, ledger.digest(root), {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        """Note what a test found, or that it never came to run."""
        report = yield
        if call.when == "call" or report.outcome != "passed":
            errors = [v for name, v in report.user_properties if name == "worst_error"]
            found = ledger.Found(item.nodeid, report.outcome, max(errors, default=None))
            for mark in item.iter_markers("claim"):
                for claim in mark.args:
                    self.found.setdefault(claim, []).append(found)
        return report

    def pytest_sessionfinish(self, exitstatus):
        """Write the ledger, unless the run was broken off."""
        if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            ledger.write(self.path, self.digest, self.found)
