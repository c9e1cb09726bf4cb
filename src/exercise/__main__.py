"""`python -m exercise FILE`: check it; with --new, write it to begin with."""

import argparse
import sys
from pathlib import Path

from .check import check_file
from .exercises import EXERCISES
from .sandbox import SECONDS

STUB = Path("exercises/stub.py")


def main():
    """Check the file that the command line names; exit status 1 unless all is right."""
    parser = argparse.ArgumentParser(prog="python -m exercise", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("names", nargs="*", help="exercises to check (default: all)")
    parser.add_argument("--new", action="store_true", help=f"write FILE from {STUB}")
    parser.add_argument(
        "--seconds", type=_seconds, default=SECONDS, help="time for each exercise"
    )
    options = parser.parse_intermixed_args()
    if options.new:
        return new(options.file)
    if not options.file.is_file():
        return _refuse(options.file, "there is no such file", "run `make exercise`")
    unknown = [name for name in options.names if name not in EXERCISES]
    if unknown:
        known = ", ".join(EXERCISES)
        return _refuse(options.file, f"no exercise {unknown[0]}", f"choose of {known}")
    names = options.names or list(EXERCISES)
    try:
        report, right = check_file(options.file, names, options.seconds)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    print(report)
    return 0 if right else 1


def new(file):
    """Write the file from the stub, without its marks; never over another."""
    if not STUB.is_file():
        return _refuse(STUB, "there is no such file", "run `make tangle`")
    try:
        with file.open("x", encoding="utf-8") as target:
            target.write(without_marks(STUB.read_text(encoding="utf-8")))
    except FileExistsError:
        return _refuse(
            file, "it exists and is yours", "go on with `make check-exercise`"
        )
    except OSError as error:
        return _refuse(file, error.strerror, "name a place where you may write")
    print(f"{file} is written; fill it in, then run `make check-exercise`")
    return 0


def without_marks(text):
    """A tangled file without its head and the marks of its cells."""
    cells = text.split("\n# %% ")[1:]
    return "\n".join(cell.partition("\n")[2] for cell in cells)


def _seconds(text):
    """A time limit: more than nothing, less than a day."""
    seconds = float(text)
    if not 0 < seconds < 86_400:
        raise argparse.ArgumentTypeError(f"{text} is no time to wait")
    return seconds


def _refuse(file, what, fix):
    print(f"{file}:1: {what}; {fix}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
