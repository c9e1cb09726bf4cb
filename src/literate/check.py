"""Check: fail when the chapter and its modules are not the same."""

from .problems import Problem, Refused
from .sync import sync
from .tangle import add_arguments, carry_out, compare, explain

__all__ = ["add_arguments", "run", "check"]


def run(args):
    """Compare the chapter with its modules."""
    return carry_out(args, sync if args.diff else check)


def check(project):
    """No texts: nothing is written. Refuses a project that is not in step."""
    problems = [explain(project, pair) for pair in compare(project) if pair.changed]
    if not problems:
        what = "this file is not as tangled (order, marks or blank lines)"
        problems = [
            Problem(name, 1, what, "run make tangle")
            for name, text in sync(project).items()
            if text != project.texts[name]
        ]
    if problems or project.leftovers:
        raise Refused([*problems, *project.leftovers])
    return {}
