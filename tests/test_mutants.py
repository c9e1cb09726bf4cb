"""The tests are tested: they notice every wrong version of the modules."""

import subprocess
import sys

import pytest

from wrong_modules import EDITS, ROOT, all_mutants


def test_there_are_mutants_of_each_module_and_of_the_catalogue():
    mutants = all_mutants()
    edits = sum(len(pairs) for tests in EDITS.values() for pairs in tests.values())
    assert edits >= 40 and len(mutants) >= edits + 40
    assert len(set(mutants)) == len(mutants)


@pytest.mark.parametrize("module", EDITS)
def test_each_edit_changes_a_module_that_still_compiles(module):
    source = (ROOT / f"src/{module}.py").read_text("utf-8")
    for pairs in EDITS[module].values():
        for right, wrong in pairs:
            assert right in source, f"src/{module}.py does not hold {right!r}"
            compile(source.replace(right, wrong, 1), right, "exec")


@pytest.mark.slow
def test_the_tests_notice_every_wrong_module():
    done = subprocess.run(
        [sys.executable, "tests/wrong_modules.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
