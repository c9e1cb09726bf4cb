"""What the learner's functions do on the telling inputs, as plain data."""

import sys
import sysconfig
import traceback
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

STEP_NAMES = {  # as learners call them
    "scores": ("scores", "score", "S", "logits", "attn_scores", "attention_scores"),
    "weights": ("weights", "weight", "w", "A", "P", "probs", "attn", "attn_weights"),
}
REAL = "biuf"  # kinds of dtype: booleans, integers, floats
LARGEST = 100_000  # elements of a result, or an array, that is worth sending back
MOST = 40  # arrays on the way to a result that are worth sending back


@dataclass(frozen=True)
class Raised:
    """An exception, and the learner's last line on the way to it."""

    type: str
    message: str
    file: str = ""
    line: int = 0

    @classmethod
    def from_exception(cls, error):
        """What to keep of an exception: nothing that runs the learner's code."""
        frames = traceback.extract_tb(error.__traceback__)
        mine = [f for f in frames if _is_learners(f.filename)]
        file, line = (mine[-1].filename, mine[-1].lineno) if mine else ("", 0)
        try:
            message = " ".join(str(error).split())[:300]
        except Exception:
            message = ""
        if isinstance(error, SyntaxError) and error.lineno:
            file, line, message = error.filename or "", error.lineno, error.msg
        return cls(_type_of(error), message, file, line)


@dataclass(frozen=True)
class Answer:
    """What one call did: a tuple of arrays, or the reason why there is none."""

    value: tuple | None = None
    kind: str = ""  # what came back, when it was no array of real numbers
    raised: Raised | None = None
    changed: tuple = ()  # arguments changed in place
    torch: str = ""  # the first function of torch that was called
    steps: dict = field(default_factory=dict)  # scores and weights, if so named
    broken: tuple = ()  # arrays on the way that hold NaN among other numbers


def answer_all(exercise, function):
    """The answers by case, then one for each argument changed: `without ARGUMENT`."""
    cases = dict(exercise.cases) | probes(exercise)
    return {name: _answer(exercise, function, case) for name, case in cases.items()}


def probes(exercise):
    """The first case with one array after another made different."""
    name, case = next(iter(exercise.cases.items()))
    return {
        f"other {argument}": (*case[:at], array[::-1] * 0.5 + 0.25, *case[at + 1 :])
        for at, (argument, array) in enumerate(zip(exercise.arguments, case))
        if isinstance(array, np.ndarray) and array.dtype.kind == "f"
    }


def _answer(exercise, function, case):
    arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in case]
    watch = _Watch()
    try:
        with np.errstate(all="ignore"):
            sys.setprofile(watch)
            try:
                value = exercise.call(function, *arguments)
            finally:
                sys.setprofile(None)
            value, kind = _plain(value)  # it may run the learner's code, too
    except BaseException as error:
        return Answer(raised=Raised.from_exception(error), torch=watch.torch)
    changed = tuple(
        name
        for name, before, after in zip(exercise.arguments, case, arguments)
        if isinstance(before, np.ndarray)
        and not np.array_equal(before, after, equal_nan=True)
    )
    return Answer(
        value, kind, None, changed, watch.torch, watch.steps, tuple(watch.broken)
    )


def _plain(value):
    """(a tuple of arrays of real numbers, ""), or (None, what it is instead)."""
    items = value if isinstance(value, tuple) else (value,)
    arrays, size = [], 0
    for item in items:
        if item is None:
            return None, "None"
        if _package(type(item).__module__) == "torch":
            return None, "torch.Tensor"
        try:
            array = np.asarray(item)
            size += array.size
            if size > LARGEST:
                shape = f"an array of shape {array.shape}"
                return None, shape if item is value else f"a tuple of {len(items)}"
            if array.dtype.kind == "O":
                array = array.astype(float)
        except (TypeError, ValueError):
            return None, _kind_of(item)
        if array.dtype.kind not in REAL:
            return None, _kind_of(item)
        arrays.append(np.array(array))
    return tuple(arrays), ""


class _Watch:
    """A profile function: keeps scores and weights, where NaN begins, torch's use."""

    def __init__(self):
        self.steps, self.broken, self.torch = {}, [], ""

    def __call__(self, frame, event, arg):
        name = frame.f_code.co_name
        if _is_learners(frame.f_code.co_filename):
            if event == "return":
                self._keep(frame.f_locals)
            elif event == "c_call" and _is_torchs(arg):
                self.torch = self.torch or arg.__name__
        elif event == "call" and frame.f_back and name != "<module>":
            package = _package(frame.f_globals.get("__name__"))
            if package == "torch" and _is_learners(frame.f_back.f_code.co_filename):
                self.torch = self.torch or name

    def _keep(self, names):
        for step, aliases in STEP_NAMES.items():
            for alias in aliases:
                value = names.get(alias)
                if _worth_sending(value):
                    self.steps[step] = np.array(value)
        for value in names.values():
            if len(self.broken) < MOST and _worth_sending(value) and _partly_nan(value):
                self.broken.append(np.array(value))


def _kind_of(item):
    is_array = isinstance(item, np.ndarray)
    return f"an array of {item.dtype.name}" if is_array else _type_of(item)


def _type_of(value):
    """The name of its type, unless that is endless."""
    return type(value).__name__[:80]


def _is_torchs(function):
    """Whether a function written in C is torch's, or a method of an object of torch."""
    owner = type(getattr(function, "__self__", None))
    modules = getattr(function, "__module__", None), owner.__module__
    return "torch" in map(_package, modules)


def _package(module):
    return (module or "").partition(".")[0]


def _worth_sending(value):
    """Whether it is an array of real numbers, and no giant."""
    numbers = isinstance(value, np.ndarray) and value.dtype.kind in REAL
    return numbers and value.size <= LARGEST


def _partly_nan(array):
    return array.dtype.kind == "f" and np.isnan(array).any() != np.isnan(array).all()


_LIBRARIES = tuple(
    sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
) + (str(Path(__file__).parent), "<frozen", "<__array_function__")


def _is_learners(filename):
    """Whether the file is neither Python's, nor a library's, nor ours."""
    return not filename.startswith(_LIBRARIES)
