"""Each mistake of the catalogue is known again in what a learner wrote."""

import itertools

import pytest

from exercise.exercises import EXERCISES
from exercise.mistakes import MISTAKES
from exercise.outcomes import same
from exercise.recognize import fingerprints
from readers import WRONG, verdict_on, written

PAIRS = [(exercise, name) for exercise, edits in WRONG.items() for name in edits]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_right_function_in_another_style_is_right(exercise):
    verdict = verdict_on(exercise, written(exercise, {}))
    assert verdict.state == "right", verdict


@pytest.mark.parametrize("exercise, name", PAIRS)
def test_a_mistake_as_a_learner_writes_it_is_named(exercise, name):
    verdict = verdict_on(exercise, written(exercise, WRONG[exercise][name]))
    assert verdict.state == "wrong"
    assert verdict.mistakes == (name.partition(",")[0],), verdict


def test_every_mistake_of_the_catalogue_is_written_by_a_learner():
    assert {m.name for m in MISTAKES} == {name.partition(",")[0] for _, name in PAIRS}


@pytest.mark.parametrize("exercise", EXERCISES)
def test_no_two_mistakes_have_the_same_outcomes(exercise):
    known = fingerprints(exercise)
    for (a, (_, of_a)), (b, (_, of_b)) in itertools.combinations(known.items(), 2):
        agree = all(same(of_a[case], of_b[case], 1e-7) for case in of_a)
        assert not agree, f"{a} and {b} cannot be told apart: merge them"
