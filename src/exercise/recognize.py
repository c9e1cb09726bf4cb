"""Which mistakes of the catalogue explain what a learner's function gave."""

import contextlib
import functools
import itertools

import numpy as np

from .exercises import EXERCISES, run
from .mistakes import MISTAKES
from .outcomes import agree, is_right, outcome, right_outcome, same, tolerance_of


@functools.cache
def fingerprints(name):
    """The mistakes that tell in the exercise, each with its outcomes by case."""
    exercise = EXERCISES[name]
    found = {}
    for mistake in MISTAKES:
        if mistake.steps.keys() <= exercise.steps.keys():
            outcomes = {c: outcome(exercise, c, mistake.steps) for c in exercise.cases}
            if _tells(exercise, outcomes):
                found[mistake.name] = mistake, outcomes
    return found


def _tells(exercise, outcomes):
    """Whether some result is there and is wrong."""
    return any(
        value is not None
        and not _same(exercise, case, value, right_outcome(exercise.name, case))
        for case, value in outcomes.items()
    )


def find(exercise, answers):
    """The mistakes that explain the answers: tuples of one, else of two.

    A result of nothing but NaN tells nothing of what made it. Then something on the
    way to it must be what the mistake makes there.
    """
    known = fingerprints(exercise.name).values()
    singles = [
        (mistake,)
        for mistake, outcomes in known
        if all(
            _same(exercise, case, answers[case].value, value)
            for case, value in outcomes.items()
        )
    ]
    found = singles or [
        (a, b)
        for (a, _), (b, _) in itertools.combinations(known, 2)
        if not a.steps.keys() & b.steps.keys()
        and _explains(exercise, a.steps | b.steps, answers)
    ]
    if _holds_numbers(exercise, answers):
        return found
    return [mistakes for mistakes in found if _broke(exercise, mistakes, answers)]


def _explains(exercise, wrong, answers):
    """Whether the wrong steps give the answers; the first that differs says no."""
    outcomes = {}
    for case in exercise.cases:
        outcomes[case] = outcome(exercise, case, wrong)
        if not _same(exercise, case, answers[case].value, outcomes[case]):
            return False
    return _tells(exercise, outcomes)


def _same(exercise, case, a, b):
    return same(a, b, tolerance_of(exercise, case))


def _holds_numbers(exercise, answers):
    """Whether a wrong result holds anything but NaN."""
    return any(
        not np.isnan(part).all()
        for case in exercise.cases
        if answers[case].value and not is_right(exercise, case, answers[case])
        for part in answers[case].value
    )


def _broke(exercise, mistakes, answers):
    """Whether the mistakes make an array, NaN in part, that the learner's code made."""
    wrong = dict(item for mistake in mistakes for item in mistake.steps.items())
    for case in exercise.cases:
        tolerance = tolerance_of(exercise, case)
        with np.errstate(all="ignore"), contextlib.suppress(Exception):
            for state in run(exercise, case, wrong):
                for made in vars(state).values():
                    if isinstance(made, np.ndarray) and any(
                        agree(mine, made, tolerance) for mine in answers[case].broken
                    ):
                        return True
    return False
