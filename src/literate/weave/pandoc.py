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

# What the filters and Pandoc report: what is wrong, what to do, and how its
# place looks in the chapter ({} is the token that they name).
PROBLEMS = {
    "reference": ("@{} leads nowhere", "label what it means, or correct it", "@{}"),
    "duplicate": (
        "the label {} is given twice",
        "rename one of the two",
        "(?:#|label: *){}",
    ),
    "citation": ("the key {} is not in the bibliography", "add or correct it", "@{}"),
    "alt": ("the picture {} has no alternative text", 'give it fig-alt="..."', "{}"),
    "caption": ("the picture {} has no caption", "give it one", "#{}"),
    "math": ("Pandoc cannot read the formula {}", "correct its TeX", "{}"),
    "section": ("@{} needs numbered sections", "set number-sections: true", "@{}"),
    "solution": ("Quarto's PDF cannot refer to {}", "refer to its exercise", "@{}"),
    "mixed": ("@{} stands in one group with a citation", "part the group", "@{}"),
    "proof": ("a proof takes no id ({}): Quarto fails", "leave it out", "#{}"),
}


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
    seen = set(map(int, re.findall(r"^@cell\t(\d+)$", done.stderr, re.M)))
    problems = [
        *_unseen(chapter, markdown, seen),
        *_met(chapter, done.stderr, messages),
    ]
    numbers = re.findall(r"^@number\t(\S+)\t(.*)$", done.stderr, re.M)
    return done.stdout, problems, dict(numbers)


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


def _unseen(chapter, markdown, seen):
    """Cells that were run, but that Pandoc reads as something else: Quarto's rule for
    cells looks neither at longer fences nor at comments, quotes or deep indents."""
    made = map(
        int, re.findall(r'^[ \t]*::: \{\.cell .*\bline="(\d+)"\}$', markdown, re.M)
    )
    for line in sorted(set(map(int, made)) - seen):
        what = "Quarto runs this cell, but it stands inside something else"
        yield chapter.problem(line, what, "take it out, or show it with {{python}}")


def _met(chapter, stderr, messages):
    """What the filters and Pandoc complained of, at the lines where it stands."""
    met = re.findall(r"^@problem\t(\w+)\t(.*)$", stderr, re.M)
    for message in messages:
        if message["type"] == "CiteprocWarning":
            met += [
                ("citation", key)
                for key in re.findall(r"citation (\S+) not", message["message"])
            ]
        elif message["type"] == "CouldNotConvertTeXMath":
            met.append(("math", message["contents"].strip().split("\n")[0]))
    for kind, token in dict.fromkeys(met):
        what, fix, place = PROBLEMS[kind]
        if at := re.fullmatch(r"line (\d+)", token):
            lines, token = [int(at[1])], "of this cell"
        else:
            pattern = place.format(re.escape(token)) + r"(?![\w-])"
            lines = chapter.find(pattern, prose_only=kind != "duplicate")
        lines = lines[1:] or lines if kind == "duplicate" else lines
        for line in lines:
            yield chapter.problem(line, what.format(token), fix)


@cache
def _pandoc():
    return pypandoc.get_pandoc_path()
