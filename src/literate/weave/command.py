"""The verb: `python -m literate weave chapter.qmd --output _build`."""

import sys
from pathlib import Path

from .weaver import FORMATS, Weaver


def add_arguments(parser):
    """The verb's arguments."""
    parser.add_argument("document", nargs="?", default="chapter.qmd", type=Path)
    parser.add_argument("--output", default=Path("_build"), type=Path, metavar="DIR")
    parser.add_argument("--to", choices=FORMATS, action="append", help="default: all")
    parser.add_argument("--timeout", default=300, type=int, metavar="SECONDS")
    parser.add_argument(
        "--draft",
        action="store_true",
        help="weave in spite of dead references and the like",
    )


def run(args):
    """Weave; 0, or 1 with a line for each problem."""
    if not args.document.is_file():
        print(f"{args.document}: there is no such document; name one", file=sys.stderr)
        return 1
    if args.timeout < 1:
        print(f"--timeout {args.timeout}: give a second at least", file=sys.stderr)
        return 1
    weaver = Weaver(args.document, args.output, args.timeout, strict=not args.draft)
    problems = weaver.weave(args.to or tuple(FORMATS))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 0
