"""What both pages say about themselves: who, when, how long, the build stamp."""

import datetime
import os
import re
import subprocess
from importlib import metadata

import pypandoc

from claims import ledger

from ..cells import Prose
from ..problems import Refused

WORDS_A_MINUTE = 220  # of prose with formulas; code is read beside it


def about(chapter):
    """The variables of both templates that depend on the document."""
    settings = chapter.settings
    authors = settings.get("author") or []
    authors = authors if isinstance(authors, list) else [authors]
    authors = [a if isinstance(a, dict) else {"name": a} for a in authors]
    if any("name" not in author for author in authors):
        line, *_ = chapter.find(r"(?m)^author:")
        fix = "give each author a `name:`"
        raise Refused([chapter.problem(line, "an author has no name", fix)])
    names = [author["name"] for author in authors]
    data = {
        "by-line": names,
        "author-meta": names,
        "author-label": "Authors" if len(authors) > 1 else "Author",
        "affiliations": [a["affiliation"] for a in authors if "affiliation" in a],
        "stamp": [{"name": name, "value": value} for name, value in stamp(chapter)],
    }
    prose = (p.source for p in chapter.document.pieces if isinstance(p, Prose))
    words = len(" ".join(prose).split())
    data["reading-time"] = f"about {max(1, round(words / WORDS_A_MINUTE))} minutes"
    if settings.get("date"):
        data["date"] = _date(settings["date"])
    return data


def _date(value):
    date = datetime.date.fromisoformat(str(value))
    return f"{date:%B} {date.day}, {date.year}"


def commit_date(chapter):
    """Seconds since 1970 of SOURCE_DATE_EPOCH, else of the commit, else 0."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch and not re.fullmatch(r"\d{1,11}", epoch, re.ASCII):
        what = f"SOURCE_DATE_EPOCH is {epoch!r}, not seconds since 1970"
        raise Refused([chapter.problem(1, what, "correct it, or unset it")])
    return int(epoch or _git(chapter.folder, "log", "-1", "--format=%ct") or 0)


def stamp(chapter):
    """Which commit and which versions made the page, as pairs."""
    folder = chapter.folder
    date = datetime.datetime.fromtimestamp(commit_date(chapter), datetime.UTC)
    yield "Commit", _git(folder, "rev-parse", "--short=12", "HEAD") or "none"
    yield "Date", f"{date:%Y-%m-%d}"
    for name in ("numpy", "torch", "pandoc", "typst"):
        yield name, _version(name)
    kept = ledger.read(folder / ledger.LEDGER) or {"found": {}}
    errors = [test.error or 0 for tests in kept["found"].values() for test in tests]
    if errors:
        yield "Largest difference from torch, float16 included", f"{max(errors):.1e}"


def _git(folder, *arguments):
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _version(name):
    return pypandoc.get_pandoc_version() if name == "pandoc" else metadata.version(name)
