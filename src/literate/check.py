"""Check: fail when tangle or stitch would write anything."""

from .problems import Problem, Refused
from .sync import sync
from .tangle import add_arguments, carry_out, compare, explain

__all__ = ["add_arguments", "run", "check"]


def run(args):
    """Compare the chapter with its modules."""
    return carry_out(args, sync if args.diff else check, "check")


def check(project):
    """No texts. Refuses a project whose two sides are not the same."""
    problems = [explain(project, pair) for pair in compare(project) if pair.changed]
    if not problems:
        what = "this file is not as tangled (order, marks or blank lines)"
        problems = [
            Problem(name, 1, what, "run make tangle")
            for name, text in sync(project).items()
            if text != project.texts[name]
        ]
    if problems:
        raise Refused(problems)
    return {}
