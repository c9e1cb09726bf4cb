"""One call of Pandoc: Markdown in, a page out, problems at the chapter's lines."""

import json
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pypandoc

from ..problems import Refused

FILTERS = Path(__file__).resolve().parent / "filters"


def convert(chapter, markdown, to, template, variables, arguments):
    """Pandoc's output for `to`, and the problems that it and the filters met."""
    text, problems, _ = call(chapter, markdown, to, template, variables, arguments)
    return text, problems


def call(chapter, markdown, to, template, variables, arguments):
    """What `convert` gives, and the numbers of all that has one, by id."""
    command = [_pandoc(), "--from=markdown", f"--to={to}"]
    command.append(f"--lua-filter={FILTERS / 'weave.lua'}")
    settings = {"variables": variables, "metadata": _metadata(chapter)}
    if template:
        settings["template"] = str(template)
    if chapter.format_option(to, "number-sections"):
        variables["number-sections"] = True
    if chapter.settings.get("bibliography"):
        command.append("--citeproc")
        variables["bibliography"] = True
    if to == "typst":
        command.append(f"--lua-filter={FILTERS / 'speak.lua'}")
    with tempfile.TemporaryDirectory(prefix="weave-") as scratch:
        defaults, log = Path(scratch, "defaults.json"), Path(scratch, "log.json")
        defaults.write_text(json.dumps(settings, default=str), "utf-8")
        command += [f"--defaults={defaults}", f"--log={log}", *arguments]
        done = subprocess.run(
            command,
            input=markdown,
            cwd=chapter.folder,
            capture_output=True,
            encoding="utf-8",
        )
        messages = json.loads(log.read_text("utf-8")) if log.exists() else []
    if done.returncode:
        raise Refused([_failure(chapter, done.stderr)])
    if unseen := list(_unseen(chapter, markdown, done.stderr)):
        raise Refused(unseen)
    numbers = re.findall(r"^@number\t(\S+)\t(.*)$", done.stderr, re.M)
    return done.stdout, list(_met(chapter, done.stderr, messages)), dict(numbers)


def _metadata(chapter):
    """What Pandoc must know of the settings beside the front matter that it reads."""
    data = {"lang": chapter.settings.get("lang", "en"), "link-citations": True}
    if chapter.settings.get("bibliography"):
        data["bibliography"] = chapter.settings["bibliography"]
    if not chapter.settings.get("title"):
        data["pagetitle"] = chapter.stem
    return data


def _failure(chapter, stderr):
    """Pandoc's own refusal, at the line of the file that it names."""
    text = " ".join(re.sub(r"^@.*$", "", stderr, flags=re.M).split())
    place = re.search(r"(\S+\.bib)\b.*?line (\d+)", text)
    file, line = (place[1].strip('"'), int(place[2])) if place else (None, 1)
    return chapter.problem(line, f"Pandoc: {text[:200]}", "correct it", file)


def _unseen(chapter, markdown, stderr):
    """Cells that were run, but that Pandoc reads as something else: Quarto's rule for
    cells looks neither at longer fences nor at comments, quotes or deep indents."""
    made = re.findall(r'^[ \t]*::: \{\.cell .*\bline="(\d+)"\}$', markdown, re.M)
    seen = re.findall(r"^@cell\t(\d+)$", stderr, re.M)
    for line in map(int, set(made) - set(seen)):
        what = "Quarto runs this cell, but it stands inside something else"
        yield chapter.problem(line, what, "take it out, or show it with {{python}}")


def _met(chapter, stderr, messages):
    """What the filters and Pandoc complained of, at the lines where it stands."""
    met = re.findall(r"^@problem\t(.*)\t(.*)\t(.*)$", stderr, re.M)
    for message in messages:
        if message["type"] == "CiteprocWarning":
            for key in re.findall(r"citation (\S+) not", message["message"]):
                what = f"the key {key} is not in the bibliography"
                met.append((f"@{key}", what, "add or correct it"))
        elif message["type"] == "CouldNotConvertTeXMath":
            formula = message["contents"].strip().split("\n")[0]
            what = f"Pandoc cannot read the formula {formula}"
            met.append((formula, what, "correct its TeX"))
    for token, what, fix in dict.fromkeys(met):
        for line in _lines(chapter, token):
            yield chapter.problem(line, what, fix)


def _lines(chapter, token):
    """The lines where `token` stands; an #id may be a cell's label; or "line 12"."""
    if token.startswith("line "):
        return [int(token.removeprefix("line "))]
    start, name = ("(?:#|label: *)", token[1:]) if token[0] == "#" else ("", token)
    pattern = rf"{start}{re.escape(name)}(?![\w-])"
    return chapter.find(pattern, prose_only=not start)


@cache
def _pandoc():
    return pypandoc.get_pandoc_path()
