"""From the answers to a verdict: right, or which mistake it is.

The catalogue comes first: a mistake is named only when it gives what the
learner's function gave on all the telling inputs. What the catalogue does not
know is described and never guessed.
"""

import linecache
import os
from dataclasses import dataclass

import numpy as np

from .exercises import run
from .outcomes import (
    agree,
    is_right,
    is_single,
    largest,
    right_outcome,
    same,
    tolerance_of,
)
from .recognize import find
from .sandbox import Ended

RIGHT, WRONG, MISSING = "right", "wrong", "not written"


@dataclass(frozen=True)
class Verdict:
    """What to tell the learner about one function."""

    exercise: str
    state: str
    text: str = ""
    mistakes: tuple = ()  # names from the catalogue
    sections: tuple = ()
    matrices: str = ""
    remarks: tuple = ()


def judge(exercise, answers):
    """The verdict on the answers to the exercise, as `answer_all` gives them."""
    if isinstance(answers, Ended):
        return Verdict(
            exercise.name,
            WRONG,
            f"The function {answers.how}. {answers.advice}",
        )
    first = answers[next(iter(exercise.cases))]
    if first.raised and first.raised.type == "NotImplementedError":
        return Verdict(exercise.name, MISSING)
    if all(is_right(exercise, case, answers[case]) for case in exercise.cases):
        checks = (_in_place, _used_torch, _praise)
    else:
        checks = (
            _used_torch,
            _catalogued,
            _exception,
            _no_numbers,
            _wrong_shape,
            _not_a_number,
            _in_place,
            _ignored,
            _first_step,
        )
    return next(filter(None, (check(exercise, answers) for check in checks)))


def _catalogued(exercise, answers):
    found = find(exercise, answers)
    if not found:
        return None
    text = " ".join(f"{m.what} {m.change}" for m in found[0])
    if len(found[0]) > 1:
        text = f"Two mistakes at once. {text}"
    for other in found[1:]:
        new = [m for m in other if m not in found[0]]
        text += " The same result would come of this: " + " ".join(m.what for m in new)
    changed = _changed(answers)
    return Verdict(
        exercise.name,
        WRONG,
        text,
        tuple(m.name for m in found[0]),
        tuple(dict.fromkeys(m.section for m in found[0])),
        remarks=(f"It also changes {changed} in place.",) if changed else (),
    )


# What can be said without the catalogue.


def _used_torch(exercise, answers):
    if exercise.torch_allowed:
        return None
    used = next((a.torch for a in answers.values() if a.torch), "")
    if used:
        text = f"It calls torch's {used}, and the exercise asks for NumPy alone."
    elif any(a.kind == "torch.Tensor" for a in answers.values()):
        text = "The result is a torch.Tensor, and the exercise asks for a NumPy array."
    else:
        return None
    return Verdict(exercise.name, WRONG, text + " torch is what checks it.")


def _exception(exercise, answers):
    for case in exercise.cases:
        raised = answers[case].raised
        if raised:
            text = f"{raised.type}: {raised.message}".removesuffix(": ")
            text += f", {place(raised)}" if raised.line else ""
            return Verdict(exercise.name, WRONG, f"{text}. {_where(exercise, case)}")
    return None


def place(raised):
    """The learner's line that an exception came from, quoted."""
    is_file = os.path.isfile(raised.file)
    name = os.path.basename(raised.file) if is_file else "the cell"
    readable = is_file or not os.path.exists(raised.file)  # a device may have no end
    line = linecache.getline(raised.file, raised.line).strip() if readable else ""
    return f"in line {raised.line} of {name}" + (f": `{line}`" if line else "")


def _where(exercise, case):
    """The case in words."""
    if exercise.sizes and case == next(iter(exercise.cases)):
        sizes = ", ".join(f"{name} = {size}" for name, size in exercise.sizes.items())
        return f"The input had {sizes}."
    return f"The input was the case “{case}”."


def _no_numbers(exercise, answers):
    for case in exercise.cases:
        kind = answers[case].kind
        if kind == "None":
            text = "The function gives back None: a return is missing."
            return Verdict(exercise.name, WRONG, text)
        if kind:
            text = f"The result is {kind}, where an array of real numbers is asked for."
            return Verdict(exercise.name, WRONG, text)
    return None


def _wrong_shape(exercise, answers):
    for case in exercise.cases:
        value, right = answers[case].value, right_outcome(exercise.name, case)
        if len(value) != len(right):
            text = f"{len(value)} results came back, where {len(right)} are asked for"
            text += f": {', '.join(exercise.parts)}."
            return Verdict(exercise.name, WRONG, text)
        for part, mine, wanted in zip(exercise.parts, value, right):
            if mine.shape != wanted.shape:
                sizes = exercise.sizes if case == next(iter(exercise.cases)) else {}
                text = f"The {part} has shape {_shape(mine.shape, sizes)}, where "
                text += f"{_shape(wanted.shape, sizes)} is asked for. "
                text += _cause(mine.shape, wanted.shape)
                return Verdict(exercise.name, WRONG, f"{text} {_where(exercise, case)}")
            if (mine.dtype.kind == "b") != (wanted.dtype.kind == "b"):
                asked = "booleans" if wanted.dtype.kind == "b" else "numbers"
                text = f"The {part} has the type {mine.dtype}, where {asked} are asked."
                return Verdict(exercise.name, WRONG, text)
    return None


def _shape(shape, sizes):
    """The shape in numbers and, where they are known, in letters."""
    letters = {size: name for name, size in reversed(sizes.items())}
    words = ", ".join(str(letters.get(size, size)) for size in shape)
    words += "," if len(shape) == 1 else ""
    return f"{shape}" + (f" = ({words})" if set(shape) & set(letters) else "")


def _cause(mine, wanted):
    """What probably made this shape of that one."""
    if mine == ():
        return "Something is summed or averaged over all axes: name the axis."
    if sorted(mine) == sorted(wanted):
        return "The axes are in another order: look for a transpose."
    if [s for s in mine if s != 1] == [s for s in wanted if s != 1]:
        return (
            "An axis of length one is too many or missing: look at keepdims and None."
        )
    if len(mine) == len(wanted) == 2 and mine[0] == mine[1] == wanted[0]:
        return "It looks like weights that no values have been blended with."
    if len(mine) < len(wanted):
        return "An axis is lost: look for a sum, a mean or an index."
    if len(mine) > len(wanted):
        return "There is an axis too many: look for broadcasting with None or a stack."
    return "Write the shape beside each line: the first that differs is the mistake."


def _not_a_number(exercise, answers):
    for case in exercise.cases:
        for part, mine, wanted in _parts(exercise, answers, case):
            if np.isnan(mine).any() and not np.isnan(wanted).any():
                steps = answers[case].steps
                begins = next((n for n, a in steps.items() if np.isnan(a).any()), "")
                text = f"The {part} holds NaN. {_where(exercise, case)} "
                text += f"The NaN is in the {begins} already. " if begins else ""
                text += "NaN comes of inf - inf, 0 * inf, 0 / 0 or inf / inf."
                return Verdict(exercise.name, WRONG, text, sections=("sec-why",))
    return None


def _changed(answers):
    return " and ".join(dict.fromkeys(n for a in answers.values() for n in a.changed))


def _in_place(exercise, answers):
    changed = _changed(answers)
    if not changed:
        return None
    text = f"It changes {changed} in place, so the caller's array is another one after "
    text += "the call. Write a = a + b rather than a += b, or copy first."
    return Verdict(exercise.name, WRONG, text)


def _ignored(exercise, answers):
    first = answers[next(iter(exercise.cases))].value
    ignored = [
        name.removeprefix("other ")
        for name, answer in answers.items()
        if name.startswith("other ") and same(answer.value, first, 0.0)
    ]
    if not ignored:
        return None
    names = " and ".join(ignored)
    text = f"The result does not depend on {names}: with other numbers there it stays "
    text += f"the same. Look where {names} should be used."
    return Verdict(exercise.name, WRONG, text)


def _first_step(exercise, answers):
    """The step after the last right one, with both matrices."""
    case, differs = next(
        (case, found)
        for case in exercise.cases
        for found in _parts(exercise, answers, case)
        if not agree(*found[1:], tolerance_of(exercise, case))
    )
    if not exercise.arguments:  # the right numbers would be the answer itself
        text = f"No known mistake. Look at the {differs[0]} again."
        return Verdict(exercise.name, WRONG, text)
    *_, (part, mine, wanted) = differs, *_wrong_steps(exercise, case, answers[case])
    text = f"No known mistake. The first step that differs is the {part}. "
    text += _where(exercise, case)
    matrices = f"yours:\n{_matrix(mine)}\nright:\n{_matrix(wanted)}"
    return Verdict(exercise.name, WRONG, text, matrices=matrices)


def _wrong_steps(exercise, case, answer):
    """Back from the result to a right step: (name, the learner's, the right)."""
    states = run(exercise, case)
    for step in ("weights", "scores"):
        mine = answer.steps.get(step)
        right = [np.asarray(getattr(s, step)) for s in states if hasattr(s, step)]
        if mine is None or not right or mine.shape != right[-1].shape:
            continue
        if any(agree(mine, r, tolerance_of(exercise, case)) for r in right):
            return
        yield step, mine, right[-1]


def _parts(exercise, answers, case):
    """The parts of a result: (name, the learner's, the right)."""
    return zip(exercise.parts, answers[case].value, right_outcome(exercise.name, case))


def _matrix(array):
    return np.array2string(
        array, precision=4, suppress_small=True, threshold=60, edgeitems=3
    )


# Right: how close, and what could still be better.


def _praise(exercise, answers):
    """Right: by how much it differs, in roundoffs, and the remarks."""
    worst = {}
    for case in exercise.cases:
        dtype = np.dtype(np.float32 if is_single(exercise, case) else np.float64)
        for _, mine, wanted in _parts(exercise, answers, case):
            finite = np.isfinite(wanted)
            error = largest(mine[finite].astype(float) - wanted[finite].astype(float))
            roundoffs = error / (np.finfo(dtype).eps * (largest(wanted) or 1.0))
            worst[dtype] = max(worst.get(dtype, (0.0, 0.0)), (roundoffs, error))
    text = f"Equal to {exercise.oracle} in all {len(exercise.cases)} cases."
    if any(error for _, error in worst.values()):
        text = f"Close to {exercise.oracle}: " + "; ".join(
            f"within {error:.1e} in {dtype}, {roundoffs:.1f} roundoffs"
            for dtype, (roundoffs, error) in worst.items()
        )
        text += "."
    return Verdict(
        exercise.name, RIGHT, text, remarks=_remarks(exercise, answers, worst)
    )


def _remarks(exercise, answers, worst):
    remarks = []
    for case in exercise.cases:
        if is_single(exercise, case) and answers[case].value[0].dtype == np.float64:
            remarks.append(
                "float64 comes out of float32: np.sqrt of a whole number is a float64 "
                "scalar, which widens the arrays; math.sqrt leaves them "
                "(_build/chapter.html#sec-core)."
            )
    roundoffs, _ = worst.get(np.dtype(np.float64), (0.0, 0.0))
    if roundoffs > 1e-9 / np.finfo(float).eps:
        remarks.append(
            "That is less than float64 can do: something is rounded to float32, or a "
            "small constant is added."
        )
    return tuple(remarks)
