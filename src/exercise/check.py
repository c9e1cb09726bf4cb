"""Check a file, or functions of a notebook, and print what was found."""

import textwrap

import cloudpickle

from .answers import Raised
from .exercises import EXERCISES
from .judge import MISSING, RIGHT, WRONG, judge, place
from .sandbox import SECONDS, run

PAGE = "_build/chapter.html"


def check(*functions, seconds=SECONDS):
    """Check functions, by their names, and print the report.

    In a notebook: `check(self_attention)`. ValueError for a function that no
    exercise asks for.
    """
    known = {function.__name__: function for function in functions}
    unknown = sorted(known.keys() - EXERCISES.keys())
    if unknown:
        raise ValueError(f"no exercise {unknown[0]}; there are {', '.join(EXERCISES)}")
    result = run(list(known), seconds, functions=cloudpickle.dumps(known))
    print(report(result, verdicts_of(result)))


def check_file(path, names=tuple(EXERCISES), seconds=SECONDS):
    """The report on a file, and whether all that is written is right."""
    result = run(names, seconds, path=str(path))
    verdicts = verdicts_of(result)
    right = bool(verdicts) and all(v.state == RIGHT for v in verdicts)
    return report(result, verdicts), right


def verdicts_of(result):
    """A verdict for each exercise that the learner has begun."""
    verdicts = [judge(EXERCISES[name], found) for name, found in result.answers.items()]
    return [verdict for verdict in verdicts if verdict.state != MISSING]


def report(result, verdicts):
    """The text for the learner."""
    if result.failed:
        return _wrap(_failure(result.failed)) + _printed(result)
    blocks = [_block(verdict) for verdict in verdicts]
    if not blocks:
        blocks = ["Nothing is written yet; begin with self_attention."]
    return "\n\n".join(blocks) + _printed(result)


def _failure(failed):
    if isinstance(failed, Raised):
        text = f"{failed.type}: {failed.message}".removesuffix(": ")
        where = f", {place(failed)}" if failed.line else ""
        return f"The file cannot be run: {text}{where}."
    return f"The file {failed.how}. {failed.advice}"


def _block(verdict):
    known = f" ({' and '.join(verdict.mistakes)})" if verdict.mistakes else ""
    lines = [f"{verdict.exercise}: {verdict.state}{known}", _wrap(verdict.text, "  ")]
    if verdict.matrices:
        lines.append(textwrap.indent(verdict.matrices, "  "))
    lines += [_wrap(f"Remark: {remark}", "  ") for remark in verdict.remarks]
    if verdict.state == WRONG:
        anchors = verdict.sections or (EXERCISES[verdict.exercise].label,)
        lines.append("  Read " + " and ".join(f"{PAGE}#{a}" for a in anchors))
    return "\n".join(lines)


def _printed(result):
    if not result.printed.strip():
        return ""
    return "\n\nYour code printed:\n" + textwrap.indent(result.printed.rstrip(), "  ")


def _wrap(text, indent=""):
    return textwrap.fill(
        text,
        88,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
