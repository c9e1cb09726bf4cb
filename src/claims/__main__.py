"""`python -m claims check` and `python -m claims prove`, in the chapter's folder."""

import argparse
import subprocess
import sys
from pathlib import Path

from literate import files
from literate.problems import Problem, Refused

from . import citations, ledger, numbers, scan


def main(arguments=None):
    """Check what can be read, or prove what has to be run; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m claims", description=__doc__)
    parser.add_argument("verb", choices=["check", "prove"])
    verb = parser.parse_args(arguments).verb
    try:
        return {"check": check, "prove": prove}[verb](Path())
    except Refused as refused:
        print(refused, file=sys.stderr)
    except SyntaxError as error:
        what = f"this is not Python ({error.msg})"
        fix = "correct it"
        print(Problem(error.filename, error.lineno, what, fix), file=sys.stderr)
    return 1


def check(root):
    """Refuse claims without a test, typed numbers and bad citations."""
    text = _read(root, scan.CHAPTER)
    found = scan.problems(text, scan.marks_in(root / "tests"))
    found += numbers.problems(text, _read(root, numbers.GIVEN.as_posix()))
    found += citations.problems(text, _read(root, citations.BIB))
    if found:
        raise Refused(found)
    return 0


def prove(root):
    """Run the claims' tests, unless the ledger is of these very sources."""
    text = _read(root, scan.CHAPTER)
    stated = {claim.id for claim in scan.claims_of(text)}
    kept = ledger.read(root / ledger.LEDGER)
    if (
        kept
        and kept["digest"] == ledger.digest(root)
        and stated <= kept["found"].keys()
    ):
        return 0
    command = [sys.executable, "-m", "pytest", "-q", "-m", "claim and not slow"]
    return subprocess.call([*command, "--ledger", str(ledger.LEDGER)], cwd=root)


def _read(root, name):
    text = files.read(root, name)
    if text is None:
        fix = "run this in the chapter's folder"
        raise Refused([Problem(name, 1, "there is no such file", fix)])
    return text


if __name__ == "__main__":
    sys.exit(main())
