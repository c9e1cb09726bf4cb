"""The page's weight, and the requests that opening it takes."""

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from .browser import has_chromium, launch

ROOT = Path(__file__).resolve().parents[1]


def rows():
    """One row: kilobytes, as they are and compressed; requests, if Chromium is here."""
    with tempfile.TemporaryDirectory(prefix="page-") as scratch:
        command = [sys.executable, "-m", "literate", "weave", "chapter.qmd"]
        options = ["--to", "html", "--output", scratch]
        subprocess.run([*command, *options], cwd=ROOT, check=True, capture_output=True)
        page = Path(scratch, "chapter.html")
        data = page.read_bytes()
        row = {
            "page": page.name,
            "kilobytes": len(data) / 1000,
            "compressed": len(gzip.compress(data)) / 1000,
        }
        if has_chromium():
            row["requests"] = _requests(page)
    return [row]


def _requests(path):
    """How many requests the page makes when it is opened, itself among them."""
    urls = []
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        page = chromium.new_page()
        page.on("request", lambda request: urls.append(request.url))
        page.goto(path.as_uri(), wait_until="networkidle")
        chromium.close()
    return sum(not url.startswith("data:") for url in urls)
