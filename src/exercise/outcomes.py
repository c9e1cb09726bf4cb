"""What comes out of an exercise, and when two of them agree.

An outcome is a tuple of arrays, or None where there is no result.
"""

import functools

import numpy as np

from .exercises import EXERCISES, run


def as_outcome(value):
    """A result as the tuple of arrays that answers hold."""
    return tuple(
        np.asarray(v) for v in (value if isinstance(value, tuple) else [value])
    )


@functools.cache
def right_outcome(name, case):
    """The right answer to one case of the exercise of this name."""
    exercise = EXERCISES[name]
    with np.errstate(divide="ignore", invalid="ignore"):
        return as_outcome(exercise.right(*exercise.cases[case]))


def outcome(exercise, case, wrong):
    """What comes out of the steps with the wrong ones among them, or None."""
    try:
        with np.errstate(all="ignore"):
            return as_outcome(run(exercise, case, wrong)[-1].output)
    except Exception:
        return None


def is_single(exercise, case):
    """Whether the case is in float32."""
    arrays = (a for a in exercise.cases[case] if isinstance(a, np.ndarray))
    return any(array.dtype == np.float32 for array in arrays)


def tolerance_of(exercise, case):
    """How far two equal outcomes of the case may be apart, relative to the largest."""
    return 1e-4 if is_single(exercise, case) else 1e-9


def same(a, b, tolerance):
    """Whether two outcomes agree, relative to the largest element."""
    if a is None or b is None:
        return a is b
    return len(a) == len(b) and all(agree(x, y, tolerance) for x, y in zip(a, b))


def agree(x, y, tolerance):
    """Whether two arrays agree: in shape, in being booleans, in each element."""
    if x.shape != y.shape or (x.dtype.kind == "b") != (y.dtype.kind == "b"):
        return False
    if x.dtype.kind == "b":
        return bool((x == y).all())
    return np.allclose(
        x, y, rtol=tolerance, atol=tolerance * largest(y), equal_nan=True
    )


def largest(array):
    """The largest finite absolute value."""
    finite = np.abs(array[np.isfinite(array)])
    return float(finite.max()) if finite.size else 0.0


def is_right(exercise, case, answer):
    """Whether the answer is right, to float32's precision at least."""
    expected = right_outcome(exercise.name, case)
    tolerance = max(tolerance_of(exercise, case), 1e-5)
    return same(answer.value, expected, tolerance)
