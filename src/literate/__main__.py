"""`python -m literate VERB`: the verbs of the chapter, each in its own module."""

import argparse
import importlib
import signal
import sys

from .problems import Refused

# Each verb is the module of that name, imported when it is asked for, with
# add_arguments(parser) and run(args), which gives the exit status.
VERBS = {
    "tangle": "chapter -> modules",
    "stitch": "modules -> chapter",
    "sync": "tangle or stitch, each cell in the direction that changed",
    "weave": "chapter -> HTML, PDF and notebook",
    "watch": "the open page follows the editor",
    "quarto": "the chapter with Quarto itself, and a check of what it passes over",
    "check": "fail when the chapter and its modules are not the same",
    "lint": "ruff, with the chapter's lines for tangled modules",
}


def main(arguments=None):
    """Run the verb that `arguments` name; the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(
        "literate",
        description=__doc__,
        epilog="\n".join(f"  {verb:8}{what}" for verb, what in VERBS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("verb", choices=VERBS, metavar="VERB")
    verb = parser.parse_args(arguments[:1]).verb
    try:
        module = importlib.import_module(f".{verb}", __package__)
        parser = argparse.ArgumentParser(f"literate {verb}", description=VERBS[verb])
        module.add_arguments(parser)
        return module.run(parser.parse_args(arguments[1:]))
    except Refused as refused:
        print(refused, file=sys.stderr)
    except OSError as error:
        print(f"literate {verb}: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"literate {verb}: interrupted", file=sys.stderr)
        return 130
    return 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
    sys.exit(main())
