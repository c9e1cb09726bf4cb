"""Lint: ruff over the project, with the chapter's lines for tangled modules."""

import json
import os
import re
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
        what = f"{found['code']} {found['message']}"
        file, row = found["filename"], found["location"]["row"]
        yield _problem(file, row, what, f"ruff rule {found['code']} says why")


def misformatted(paths):
    """Where `ruff format` would change a file, as problems: one for each hunk."""
    file, row = None, None
    for line in _ruff("format", "--diff", "--quiet", "--", *paths).splitlines():
        if line.startswith("--- "):
            file, row = line.removeprefix("--- "), None
        elif hunk := HUNK.match(line):
            row = int(hunk[1])
        elif row and line[:1] in ("-", "+"):
            fix = f"run ruff format {os.path.relpath(file)} (and make stitch)"
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
    """What ruff prints; its own errors (not those of the code) end the run."""
    command = [sys.executable, "-m", "ruff", *arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 2 and arguments[0] == "check":
        sys.exit(result.stderr.strip())
    return result.stdout
