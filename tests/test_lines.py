"""The chapter's line everywhere: in failed tests, in findings, in tracebacks."""

import re
import subprocess
import sys

import pytest

from literate.__main__ import main
from literate.lines import chapter_line

CHAPTER = """\
# Title

```{python}
#| label: imports
#| filename: src/calm.py
import math
```

- In a list:

  ```{python}
  #| label: half
  #| filename: src/calm.py

  def half(x):
      return x / len(math.__name__[4:])
  ```
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "chapter.qmd").write_text(CHAPTER)
    assert main(["tangle", str(tmp_path / "chapter.qmd")]) == 0
    return tmp_path


def run(folder, *command):
    result = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={"PYTHONPATH": "src", "PATH": ""},
        capture_output=True,
        text=True,
    )
    return result.returncode, result.stdout + result.stderr


def line_of(text, part):
    """The number of the one line of `text` with `part` in it."""
    [number] = [n for n, line in enumerate(text.splitlines(), 1) if part in line]
    return number


@pytest.mark.parametrize("code", ["import math", "def half", "return x"])
def test_a_line_of_a_module_leads_to_the_same_line_of_the_chapter(project, code):
    module = project / "src/calm.py"
    line = line_of(module.read_text(), code)
    assert chapter_line(module, line) == (
        project / "chapter.qmd",
        line_of(CHAPTER, code),
    )


def test_a_mark_and_a_changed_cell_lead_to_where_the_cell_begins(project):
    module = project / "src/calm.py"
    opener = line_of(CHAPTER, "  ```{python}")
    mark = line_of(module.read_text(), "# %% half")
    assert chapter_line(module, mark) == (project / "chapter.qmd", opener)
    module.write_text(module.read_text().replace("return x", "y = 1\n    return y"))
    assert chapter_line(module, mark + 2) == (project / "chapter.qmd", opener)


def test_other_lines_and_files_lead_nowhere(project, tmp_path):
    assert chapter_line(project / "src/calm.py", 1) is None
    assert chapter_line(__file__, 1) is None
    assert chapter_line(tmp_path / "missing.py", 1) is None
    copy = tmp_path / "copy.py"
    copy.write_text((project / "src/calm.py").read_text())
    assert chapter_line(copy, 7) is None


CALLS = """
import pytest
from calm import half

def test_failure():
    half(1)

def test_group():
    try:
        half(1)
    except ZeroDivisionError as error:
        raise ExceptionGroup("both", [error, ValueError()])

def test_imports():
    import broken
"""


@pytest.mark.parametrize("style", ["long", "short"])
def test_pytest_shows_the_chapters_line_beside_the_modules(project, style):
    broken = "```{python}\n#| label: b\n#| filename: src/broken.py\nimport gone\n```\n"
    (project / "chapter.qmd").write_text(CHAPTER + broken)
    assert main(["tangle", str(project / "chapter.qmd")]) == 0
    (project / "test_calm.py").write_text(CALLS)
    (project / "test_import.py").write_text("import broken\n")
    status, report = run(
        project,
        *["-m", "pytest", "-p", "literate.pytest_lines", "-p", "no:cacheprovider"],
        *["--continue-on-collection-errors", f"--tb={style}"],
    )
    assert status == 1
    half, gone = line_of(CHAPTER, "return x"), line_of(CHAPTER + broken, "import gone")
    found = re.findall(r"^src/.*\(chapter.qmd:(\d+)\)$", report, flags=re.MULTILINE)
    # The module that cannot be imported: once as a file of tests is read, once
    # in a test.
    assert found == [str(gone), str(half), str(gone)], report
    assert f'src/calm.py", line 12 (chapter.qmd:{half}), in half' in report, report


@pytest.mark.slow
def test_a_woven_cell_that_fails_inside_a_module_names_its_line(project, capsys):
    broken = "```{python}\n#| label: uses\nimport sys\nsys.path.append('src')\n"
    broken += "import calm\n\ncalm.half(1)\n```\n"
    (project / "chapter.qmd").write_text(CHAPTER + broken)
    assert main(["weave", str(project / "chapter.qmd"), "--to", "html"]) == 1
    call, half = line_of(CHAPTER + broken, "half(1)"), line_of(CHAPTER, "return x")
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith(f"chapter.qmd:{call}: cell uses: ZeroDivisionError")
    assert f"(raised at line {half})" in error


def test_lint_reports_at_the_chapters_line(project):
    status, report = run(project, "-m", "literate", "lint")
    assert (status, report) == (0, "")
    worse = CHAPTER.replace("import math", "import math, os").replace("x /", "x  /")
    (project / "chapter.qmd").write_text(worse)
    assert main(["tangle", str(project / "chapter.qmd")]) == 0
    (project / "other.py").write_text("import os\n")
    status, report = run(project, "-m", "literate", "lint")
    assert status == 1
    first, second = line_of(worse, "math, os"), line_of(worse, "x  /")
    found = re.findall(r"^(\S+): (\S+).* \((\S+)\)", report, flags=re.MULTILINE)
    assert (f"chapter.qmd:{first}", "F401", "src/calm.py:7") in found
    assert (f"chapter.qmd:{second}", "ruff", "src/calm.py:12") in found
    assert "other.py:1: F401" in report
    assert "src/calm.py:7: F401" not in report


def test_lint_says_in_one_line_why_ruff_does_not_run(project):
    (project / "pyproject.toml").write_text("[tool.ruff]\nline-width = 1\n")
    said = "pyproject.toml:1: ruff does not run: unknown field `line-width`; correct"
    status, report = run(project, "-m", "literate", "lint")
    assert status == 1 and report.startswith(said) and report.count("\n") == 1
