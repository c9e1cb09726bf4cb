"""`make watch` as an author sees it: saves on one side, an open page on the other."""

import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Error

from literate import watch
from literate.serve import Server
from watching import CHAPTER, Author, clean, save, watched, write_chapter

LONG = "\n\n".join(f"Paragraph {n}." for n in range(300))


@pytest.fixture
def project(tmp_path):
    """A watched chapter: (its path, the address, the process)."""
    text = CHAPTER.replace("# Two", f"{LONG}\n\n# Two", 1)
    path = write_chapter(tmp_path, text)
    command = [sys.executable, "-m", "literate", "watch", "doc.qmd", "--no-browser"]
    process = subprocess.Popen(
        [*command, "--port", "0"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    address = re.search(r"http://\S+", process.stdout.readline())[0]
    yield path, address, process
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        process.wait(30)
    process.stdout.close()


@pytest.fixture
def opened(browser, project):
    """The open page, once it is woven."""
    context = browser.new_context(viewport={"width": 1000, "height": 600})
    page = context.new_page()
    page.goto(project[1])
    page.get_by_text("The last word is 1").wait_for(timeout=120_000)
    yield page
    context.close()


def edit(path, old, new, by_renaming=False):
    """Save the chapter with an edit, as editors do."""
    text = path.read_text()
    assert old in text
    target = path.with_name("other~") if by_renaming else path
    target.write_text(text.replace(old, new, 1))
    if by_renaming:
        target.replace(path)


def wait(holds):
    """Until it holds; the page's policy forbids Playwright's own way."""
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_edits_reach_the_open_page_where_it_was(project, opened):
    path, page = project[0], opened
    page.get_by_text("Paragraph 200.").scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    assert place > 1000
    page.evaluate("window.loaded = 'once'")
    edit(path, "Paragraph 200.", "Paragraph two hundred.")
    page.get_by_text("Paragraph two hundred.").wait_for()
    wait(lambda: abs(page.evaluate("scrollY") - place) < 2)
    edit(path, "print(seen, total)", "print(total * 9)")
    page.locator(".cell-output-stdout", has_text="54").wait_for()
    wait(lambda: abs(page.evaluate("scrollY") - place) < 2)
    assert page.evaluate("window.loaded") == "once"  # sections were swapped
    edit(path, 'title: "Watched"', 'title: "Seen"')
    page.get_by_role("heading", name="Seen").wait_for()
    wait(lambda: abs(page.evaluate("scrollY") - place) < 2)
    assert page.evaluate("window.loaded") is None
    edit(path, "print(total * 9)", "print(total * 7)", by_renaming=True)
    page.locator(".cell-output-stdout", has_text="42").wait_for()
    wait(lambda: abs(page.evaluate("scrollY") - place) < 2)
    helper = path.parent / "src/helper.py"
    helper.write_text('NAME = "Grace"\n')
    page.get_by_text("for Grace").wait_for()
    for number in range(10):  # a burst
        edit(path, "last word is", f"last word is {number},")
    page.get_by_text("last word is 9, 8, 7").wait_for()


DOCUMENT = """() => {
  const root = document.documentElement.cloneNode(true);
  for (const own of root.querySelectorAll("#watch-problems, script")) own.remove();
  return root.outerHTML;
}"""


def document(page):
    """What stands in the page, apart from the watch's own; None while it loads."""
    try:
        return page.evaluate(DOCUMENT)
    except Error:
        return None


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A watch that this test moves on, and its server."""
    monkeypatch.setattr(watch, "QUIET", 0)
    (tmp_path / "_build/watch").mkdir(parents=True)
    with (
        closing(Server(tmp_path / "_build/watch", 0)) as server,
        closing(watched(write_chapter(tmp_path), server)) as running,
    ):
        yield running, server


def test_after_a_hundred_edits_the_open_page_is_the_clean_one(
    tmp_path, browser, served
):
    running, server = served
    author, loads = Author(running.path, seed=1), []
    page = browser.new_page()
    page.goto(server.address)
    page.on("load", lambda _: loads.append(1))
    for number in range(100):
        save(running, author.edit())
        if number % 25 == 24:
            if author.sound is not None:
                save(running, author.edit())
            with ThreadPoolExecutor(1) as other:  # Playwright's loop has this thread
                whole = other.submit(clean, running.path, tmp_path / "clean").result()
            assert server.page == whole
            fresh = browser.new_page()
            fresh.goto(server.address)
            wait(lambda fresh=fresh: document(page) == document(fresh))
            fresh.close()
    assert len(loads) < 50  # else sections were swapped
    page.close()


def test_a_broken_chapter_shows_a_banner_until_it_is_mended(project, opened):
    path, page = project[0], opened
    banner = page.locator("#watch-problems")
    assert banner.is_hidden()
    edit(path, "total = double(3)", "total = double(3")
    banner.wait_for(state="visible")
    assert re.match(r"doc\.qmd:\d+: cell draws: SyntaxError", banner.text_content())
    assert page.get_by_text("Paragraph 200.").count() == 1
    edit(path, "total = double(3", "total = double(3)")
    banner.wait_for(state="hidden")


def test_ctrl_c_leaves_nothing_running(project, opened):
    process = project[2]
    tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
    kernels = [pid for task in tasks for pid in task.read_text().split()]
    assert kernels
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    wait(lambda: not any(Path("/proc", kernel).exists() for kernel in kernels))
