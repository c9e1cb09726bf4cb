"""The woven chapter in a real browser: Debian's Chromium, driven by Playwright."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items):
    """Everything here needs the whole woven chapter, so it is slow."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def woven(tmp_path_factory):
    """The folder with the chapter woven for the tests."""
    folder = tmp_path_factory.mktemp("woven")
    command = [sys.executable, "-m", "literate", "weave", "chapter.qmd"]
    done = subprocess.run(
        [*command, "--output", str(folder)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def browser():
    """Chromium; without it the tests skip, and fail where CI should have it.

    For one module: as long as Playwright runs, so does its event loop, and
    other tests need one of their own.
    """
    if not CHROMIUM.exists():
        reason = f"no Chromium at {CHROMIUM}: apt-get install chromium, or set CHROMIUM"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser, woven):
    """visit(**context) opens the page; no visit may request or complain of anything."""
    contexts, complaints = [], []

    def listen(page):
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url))

    def visit(name="chapter.html", **options):
        options = {"viewport": {"width": 1440, "height": 900}} | options
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        listen(page)
        page.goto((woven / name).as_uri())
        return page

    visit.complaints = complaints
    yield visit
    for context in contexts:
        context.close()
    own = woven.as_uri()
    left = [text for text in complaints if not text.startswith(("data:", own))]
    assert left == []
