"""The edit loop: from saving the whole chapter to the open page, beside Quarto.

A copy of the chapter is watched (`python -m literate watch`) and edited; its
page is open in Chromium. `quarto render` weaves the same copy to HTML. What is
not on this machine is left out, with a line that says so.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import Error, sync_playwright

from literate.cells import scan

from .browser import has_chromium, launch

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 7
WARM = 900  # seconds that the first run of all cells may take
LEFT_OUT = (".venv", ".git", "__pycache__", ".quarto", ".pytest_cache", ".ruff_cache")
THINKING = 5  # seconds between edits, in which the whole is woven once more
NUMBER = "7654321"
CELL = f'\n```{{python}}\n#| label: measured\nprint("cell", {NUMBER})\n```\n'
SHOWS = "document.getElementById('{}')?.textContent.includes('{}')"
COLOR = "getComputedStyle(document.body).outlineColor"


def rows():
    """One row for each kind of edit (the median of the rounds) and for Quarto."""
    seconds = {}
    with tempfile.TemporaryDirectory(prefix="edit-loop-") as scratch:
        folder = Path(scratch, "chapter")
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
        if has_chromium():
            with _watched(folder) as (page, lines):
                edits = _edits(folder, page)
                seconds = {name: _measure(*edit, lines) for name, edit in edits.items()}
        quarto = _quarto(folder)
    rows = [{"edit": name, "seconds": value} for name, value in seconds.items()]
    if quarto is None:
        return rows
    rows.append({"edit": "any, by quarto render", "seconds": quarto})
    return [row | {"ratio": row["seconds"] / quarto} for row in rows]


def _edits(folder, page):
    """For each kind of edit: how to save one by its number, how to wait for it."""
    chapter, style = folder / "chapter.qmd", folder / "src/literate/page/page.css"
    text, css = chapter.read_text("utf-8"), style.read_text("utf-8")
    part = text.index("{#sec-why}")
    paragraph = re.search(r"^[A-Z][a-z].{80,}$", text[part:], re.MULTILINE)[0]
    cells = [c for c in scan(text).cells if c.options.get("cache") is not False]
    lines = text.split("\n")
    lines.insert(cells[-1].end, CELL)
    with_cell = "\n".join(lines)

    def prose(n):
        chapter.write_text(text.replace(paragraph, f"{paragraph} Round {n}."), "utf-8")

    def cell(n):
        chapter.write_text(with_cell.replace(NUMBER, str(n)), "utf-8")

    def look(n):
        style.write_text(f"{css}\nbody {{ outline-color: rgb(0, 0, {n}) }}\n", "utf-8")

    def seen(expression):
        return lambda n: _wait(page, expression.format(n))

    return {
        "prose": (prose, seen(SHOWS.format("sec-why", "Round {}."))),
        "cheap cell": (cell, seen(SHOWS.format("sec-solutions", "cell {}\\n"))),
        "style": (look, seen(f"{COLOR} === 'rgb(0, 0, {{}})'")),
    }


def _wait(page, expression):
    """Until the expression holds in the page, which may be loading anew."""
    while True:
        try:
            if page.evaluate(expression):
                return
        except Error:  # the page went away under the question
            pass
        time.sleep(0.01)


def _measure(save, wait, lines):
    """Median seconds from saving to the page, after one round to get there."""
    seconds = []
    for n in range(1, ROUNDS + 2):
        began = time.perf_counter()
        save(n)
        wait(n)
        seconds.append(time.perf_counter() - began)
        lines.readline()
        time.sleep(THINKING)
    return median(seconds[1:])


@contextmanager
def _watched(folder):
    """The open page of the watched chapter, its kernel warm, and the watch's lines."""
    command = [sys.executable, "-m", "literate", "watch", "--no-browser", "--port", "0"]
    watch = subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = re.search(r"http://\S+", watch.stdout.readline())[0]
        with sync_playwright() as playwright:
            chromium = launch(playwright)
            page = chromium.new_page()
            page.goto(address)
            page.locator("#title-block-header").wait_for(timeout=WARM * 1000)
            while "warm" not in (line := watch.stdout.readline()) and "ran" not in line:
                pass
            time.sleep(5)
            yield page, watch.stdout
            chromium.close()
    finally:
        watch.terminate()
        watch.wait()


def _quarto(folder):
    """Seconds of `quarto render` to HTML, None where it is not or fails."""
    if not shutil.which("quarto"):
        print("Quarto is not here")
        return None
    command = ["quarto", "render", "chapter.qmd", "--to", "html"]
    began = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode == 0:
        return time.perf_counter() - began
    _, _, why = done.stderr.strip().rpartition("\n")
    print(f"quarto render fails: {why}")
    return None
