"""Chromium, for what is measured in an open page."""

import os
from pathlib import Path

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def has_chromium():
    """Whether there is one; a line says where none was found."""
    found = Path(CHROMIUM).exists()
    if not found:
        print(f"Chromium is not at {CHROMIUM}: set CHROMIUM")
    return found


def launch(playwright):
    """The browser."""
    arguments = ["--headless", "--no-sandbox"]
    return playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
