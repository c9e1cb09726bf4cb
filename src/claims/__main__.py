"""`python -m claims check` and `python -m claims prove`, in the chapter's folder."""

import argparse
import subprocess
import sys
from pathlib import Path

from . import citations, ledger, numbers, scan


def main():
    """Check what can be read, or prove what has to be run."""
    parser = argparse.ArgumentParser(prog="python -m claims", description=__doc__)
    parser.add_argument("verb", choices=["check", "prove"])
    verb = parser.parse_args().verb
    return {"check": check, "prove": prove}[verb](Path())


def check(root):
    """Print each claim without a test, typed number and bad citation; 0 if none."""
    text = (root / "chapter.qmd").read_text("utf-8")
    found = scan.problems(text, scan.marks_in(root / "tests"))
    found += numbers.problems(text, (root / numbers.GIVEN).read_text("utf-8"))
    found += citations.problems(text, (root / "references.bib").read_text("utf-8"))
    for problem in sorted(found):
        print(problem, file=sys.stderr)
    return 1 if found else 0


def prove(root):
    """Run the claims' tests, unless the ledger is of these very sources."""
    text = (root / "chapter.qmd").read_text("utf-8")
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


if __name__ == "__main__":
    sys.exit(main())
