"""What Quarto passes over is found in what it made; without Quarto one line says so."""

import argparse
import os
import stat

import pytest

from literate import quarto
from literate.weave.chapter import Chapter

SOURCE = """---
title: A try
---

See @fig-nope and [@nope2000], [here](#nowhere).

![No words](img.png)
"""
PAGE = """<p>See <strong>?@fig-nope</strong> and (<strong>nope2000?</strong>),
<a href="#nowhere">here</a>.</p><pre>?@fig-shown</pre>
<figure><img src="img.png"><figcaption>No words</figcaption></figure>"""


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "try.qmd"
    path.write_text(SOURCE, "utf-8")
    return path


def test_what_quarto_passes_over_is_found_in_its_page(document):
    page = document.with_suffix(".html")
    page.write_text(PAGE, "utf-8")
    problems = quarto.in_page(Chapter(document), page)
    assert sorted(str(problem).partition(";")[0] for problem in problems) == [
        "try.qmd:5: @fig-nope leads nowhere",
        "try.qmd:5: the key nope2000 is not in the bibliography",
        "try.qmd:5: the link to #nowhere leads nowhere",
        "try.qmd:7: the picture img.png has no alternative text",
        "try.qmd:7: there is no picture img.png",
    ]


def test_without_quarto_the_package_is_tried_and_one_line_says_that_it_failed(
    document, monkeypatch, capfd
):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    assert quarto.run(argparse.Namespace(document=document)) == 1
    tried = f"quarto: none on the PATH; installing {quarto.PACKAGE}\n"
    assert capfd.readouterr().err == f"{tried}{quarto.ABSENT}\n"


def test_the_quarto_that_the_package_brings_is_used(
    document, tmp_path, monkeypatch, capfd
):
    python = tmp_path / "python"  # its pip brings a quarto that fails
    python.write_text(
        '#!/bin/sh\ncd "${0%/*}"\n'
        "printf '#!/bin/sh\\nexit 3\\n' >quarto\nchmod +x quarto\n"
    )
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", os.defpath)
    monkeypatch.setattr("sys.executable", str(python))
    assert quarto.run(argparse.Namespace(document=document)) == 1
    assert "quarto render try.qmd failed (status 3)" in capfd.readouterr().err


def test_a_failing_quarto_is_one_line_after_its_own(
    document, tmp_path, monkeypatch, capfd
):
    program = tmp_path / "quarto"
    program.write_text("#!/bin/sh\necho its own words >&2\nexit 3\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    assert quarto.run(argparse.Namespace(document=document)) == 1
    first, second = capfd.readouterr().err.splitlines()
    assert first == "its own words"
    assert second.endswith("failed (status 3); its message stands above")
