"""One call of Pandoc: Markdown in, a page out, problems at the chapter's lines."""

import json
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pypandoc

from ..problems import Refused

FILTER = Path(__file__).resolve().parent / "filters/weave.lua"

PROBLEMS = {
    "reference": ("@{} leads nowhere", "label what it means, or correct the name"),
    "duplicate": ("the label {} is given twice", "rename one of the two"),
    "link": ("the link to {} leads nowhere", "correct the id"),
    "alt": ("the picture {} has no alternative text", 'give it fig-alt="..."'),
    "image": ("there is no picture {}", "correct the path"),
    "citation": ("the citation key {} is not in the bibliography", "add or correct it"),
    "math": ("Pandoc cannot read the formula {}", "correct its TeX"),
}


def convert(chapter, markdown, to, template, variables, metadata, arguments):
    """Pandoc's output for `to`, and the problems that it and the filters met."""
    settings = chapter.settings
    command = [_pandoc(), "--from=markdown", f"--to={to}", f"--lua-filter={FILTER}"]
    if settings.get("bibliography"):
        command.append("--citeproc")
    with tempfile.TemporaryDirectory() as scratch:
        defaults, log = Path(scratch, "defaults.json"), Path(scratch, "log.json")
        settings = {
            "template": str(template),
            "variables": variables,
            "metadata": metadata,
        }
        defaults.write_text(json.dumps(settings), "utf-8")
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
        what = f"Pandoc: {done.stderr.strip().splitlines()[-1]}"
        raise Refused([chapter.problem(1, what, "correct the document")])
    return done.stdout, problems(chapter, done.stderr, messages)


def problems(chapter, stderr, messages):
    """What the filters and Pandoc complained of, at the lines where it stands."""
    met = re.findall(r"^@problem\t(\w+)\t(.*)$", stderr, re.M)
    for message in messages:
        text = message.get("message", "") or message.get("pretty", "")
        if match := re.search(r"citation (\S+) not found", text):
            met.append(("citation", match[1]))
        elif message.get("type") == "CouldNotConvertTeXMath":
            met.append(("math", message["contents"].strip().split("\n")[0]))
    found = []
    for kind, token in dict.fromkeys(met):
        what, fix = PROBLEMS[kind]
        searched = {
            "reference": f"@{token}",
            "citation": f"@{token}",
            "duplicate": f"#{token}",
        }
        lines = chapter.find(searched.get(kind, token))
        if kind == "duplicate":
            lines = lines[1:] or lines
        found += [chapter.problem(line, what.format(token), fix) for line in lines]
    return found


@cache
def _pandoc():
    return pypandoc.get_pandoc_path()
