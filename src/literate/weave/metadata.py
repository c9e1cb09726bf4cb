"""What the two page templates are told about the document."""

import datetime
import json
import os
import subprocess
from importlib import metadata

import pypandoc

from figures import palette


def page_metadata(chapter, to):
    """The template's variables: authors, dates, colours and the build stamp."""
    settings = chapter.settings
    authors = settings.get("author") or []
    authors = authors if isinstance(authors, list) else [authors]
    authors = [a if isinstance(a, dict) else {"name": a} for a in authors]
    data = {
        "lang": settings.get("lang", "en"),
        "pagetitle": chapter.stem,
        "number-sections": bool(_format_option(settings, to, "number-sections")),
        "authors": authors,
        "author-label": "Authors" if len(authors) > 1 else "Author",
        "affiliations": any("affiliation" in a for a in authors),
        "palette": {"light": palette.LIGHT, "dark": palette.DARK},
        "stamp": stamp(chapter),
        "files": _files(chapter),
        "stem": chapter.stem,
    }
    if settings.get("title"):
        del data["pagetitle"]
    for name in ("bibliography", "nocite"):
        if settings.get(name):
            data[name] = settings[name]
    if settings.get("date"):
        data["date-shown"] = _date(settings["date"])
    return data


def _format_option(settings, to, name):
    own = (settings.get("format") or {})
    own = own.get(to) if isinstance(own, dict) else None
    return (own if isinstance(own, dict) else {}).get(name, settings.get(name))


def wants_toc(chapter, to):
    """Whether the document asks for a table of contents in this format."""
    return bool(_format_option(chapter.settings, to, "toc"))


def _date(value):
    date = datetime.date.fromisoformat(str(value))
    return f"{date:%B} {date.day}, {date.year}"


def _files(chapter):
    """The tangled modules that the page offers beside itself."""
    names = dict.fromkeys(c.filename for c in chapter.document.cells if c.filename)
    return [name for name in names if (chapter.folder / name).exists()]


def commit_date(folder):
    """Seconds since 1970 of SOURCE_DATE_EPOCH, else of the commit, else 0."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    return int(epoch or _git(folder, "log", "-1", "--format=%ct") or 0)


def stamp(chapter):
    """Which commit and which versions made the page."""
    folder = chapter.folder
    date = datetime.datetime.fromtimestamp(commit_date(folder), datetime.UTC)
    ledger = folder / "_build/ledger.json"
    entries = json.loads(ledger.read_text("utf-8")) if ledger.exists() else {}
    return {
        "commit": _git(folder, "rev-parse", "--short=12", "HEAD") or "none",
        "date": f"{date:%Y-%m-%d}",
        "versions": [
            {"name": name, "version": _version(name)}
            for name in ("numpy", "torch", "pandoc", "typst")
        ],
        "largest-difference": entries.get("largest_difference"),
    }


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
