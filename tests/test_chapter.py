"""What holds for the chapter's cells and the modules that they become."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from literate.__main__ import main
from literate.cells import scan

ROOT = Path(__file__).parents[1]
CHAPTER = scan((ROOT / "chapter.qmd").read_text(encoding="utf-8"))
TARGETS = sorted({cell.filename for cell in CHAPTER.cells if cell.filename})


def test_the_scan_finds_no_problem():
    assert CHAPTER.problems == ()


def test_code_that_is_shown_is_at_most_72_columns_wide():
    wide = [
        f"chapter.qmd:{number}: {len(line)} columns"
        for cell in CHAPTER.cells
        if cell.options.get("echo", True) and cell.options.get("include", True)
        for number, line in enumerate(cell.body, cell.body_line)
        if len(line) > 72
    ]
    assert not wide, "\n".join(wide)


def test_the_modules_are_as_tangled(capsys):
    assert main(["check", str(ROOT / "chapter.qmd")]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("target", TARGETS)
def test_a_module_reads_well_alone(target):
    lines = (ROOT / target).read_text(encoding="utf-8").splitlines()
    count = sum(line.startswith("# %% ") for line in lines)
    assert re.match(f'"""{target}, tangled from chapter.qmd: {count} cell', lines[0])
    for number, line in enumerate(lines):
        if line.startswith("# %% ") and number > 5:
            assert lines[number - 2 : number] == ["", ""]
            assert lines[number - 3] != ""


def test_the_modules_are_formatted():
    command = [sys.executable, "-m", "ruff", "format", "--diff", "--quiet"]
    result = subprocess.run(
        [*command, *TARGETS], cwd=ROOT, capture_output=True, text=True
    )
    assert result.stdout == ""
