"""Lint: ruff over the project, with the chapter's lines for tangled modules."""

import json
import os
import re
import shlex
import subprocess
import sys

from .lines import chapter_line
from .problems import Problem, Refused

HUNK = re.compile(r"@@ -(\d+)")


def add_arguments(parser):
    """The files and folders to look at."""
    parser.add_argument("paths", nargs="*", default=["."])


def run(args):
    """Print each finding of `ruff check` and `ruff format`, one line each."""
    problems = [*findings(args.paths), *misformatted(args.paths)]
    if problems:
        raise Refused(problems)
    return 0


def findings(paths):
    """What `ruff check` finds, as problems."""
    for found in json.loads(_ruff("check", "--output-format=json", "--", *paths)):
        code, file, row = found["code"], found["filename"], found["location"]["row"]
        fix = "correct it" if code == "invalid-syntax" else f"ruff rule {code} says why"
        yield _problem(file, row, f"{code} {found['message']}", fix)


def misformatted(paths):
    """Where `ruff format` would change a file, as problems: one for each hunk."""
    file, row = None, None
    for line in _ruff("format", "--diff", "--quiet", "--", *paths).splitlines():
        if line.startswith("--- "):
            file, row = line.removeprefix("--- "), None
        elif hunk := HUNK.match(line):
            row = int(hunk[1])
        elif row and line[:1] in ("-", "+"):
            shown = shlex.quote(os.path.relpath(file))
            fix = f"run ruff format {shown} (and make stitch)"
            yield _problem(file, row, "ruff format would write this otherwise", fix)
            row = None
        elif row:
            row += 1


def _problem(file, line, what, fix):
    """A problem at the chapter's line if the file was tangled, at its own if not."""
    shown, found = os.path.relpath(file), chapter_line(file, line)
    if not found:
        return Problem(shown, line, what, fix)
    where = os.path.relpath(found[0])
    return Problem(
        where, found[1], f"{what} ({shown}:{line})", f"{fix}, then make stitch"
    )


def _ruff(*arguments):
    """What ruff prints. Refuses when it does not run, for its settings most often."""
    command = [sys.executable, "-m", "ruff", *arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 2 and arguments[0] == "check":
        *_, why = result.stderr.strip().splitlines()
        fix = "correct the settings of ruff"
        raise Refused([Problem("pyproject.toml", 1, f"ruff does not run: {why}", fix)])
    return result.stdout
