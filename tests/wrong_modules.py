"""Wrong versions of the tangled modules, and a way to try the tests on them.

`python tests/wrong_modules.py` imports what is slow to import once, and then forks a
process for each mutant: there the wrong module takes the right one's place and
the tests of that part run until one fails. It prints the mutants that no test
noticed, and exits with 1 if there are any.

The right modules go through the same process first and must pass: a process that
can do nothing but fail would notice every mutant. A fork holds only the thread that
made it, so the libraries must keep to one thread, or the child waits for the others.
"""

import importlib
import os
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace

ROOT = Path(__file__).parent.parent
SECONDS = 60  # for the tests of one mutant

# module -> tests -> right code, with the wrong code that first takes its place.
EDITS = {
    "attention": {
        "test_attention.py": [
            # the core: the catalogue has more
            ("e.sum(axis=axis, keepdims=True)", "e.sum(axis=0, keepdims=True)"),
            ("np.exp(x - x.max(axis=axis, keepdims=True))", "np.exp(x)"),
            ("np.exp(x - x.max(axis=axis, keepdims=True))", "np.exp(x - x.max())"),
            ("math.sqrt(K.shape[-1])  # (n, n)", "np.sqrt(K.shape[-1])"),
            # dtypes
            ("np.result_type(dtype, np.float32)", "dtype"),
            ("np.result_type(dtype, np.float64)", "np.result_type(dtype, np.float32)"),
            ("return weights.astype(dtype, copy=False)", "return weights"),
            ("(weights @ V).astype(dtype, copy=False)", "weights @ V"),
            # shapes
            ("or A.shape[axis] != B.shape[axis]", ""),
            ("np.broadcast_shapes(A.shape[:-2], B.shape[:-2])", "pass"),
            ("{A.shape}, {B.shape}", "{A.shape}"),
            ('_check_fit("K and V", K, V, axis=-2)\n    weights', "weights"),
            ("if mask.dtype != bool:", "if False:"),
            # empty sides and scales
            ("1 / math.sqrt(max(K.shape[-1], 1))", "1 / math.sqrt(K.shape[-1])"),
            ("if scores.size == 0:", "if False:"),
            (
                "softmax(np.where(empty, 0, scores), axis=-1)",
                "softmax(scores, axis=-1)",
            ),
            ("return np.where(empty, 0, weights)", "return weights"),
            (".all(axis=-1, keepdims=True)", ".any(axis=-1, keepdims=True)"),
            (".all(axis=-1, keepdims=True)", ".all(axis=-2, keepdims=True)"),
            ("if scale is None:", "if not scale:"),
            ("K.mT * scale", "K.mT * scale**2"),
        ],
        "test_masks.py": [
            ("np.where(mask, scores, -np.inf)", "np.where(mask, scores, -1e9)"),
            ("np.where(mask, scores, -np.inf)", "np.where(mask, scores, 0)"),
            ("np.where(mask, scores, -np.inf)", "np.where(mask, -np.inf, scores)"),
            ("np.where(mask, scores, -np.inf)", "scores * mask"),
            ("np.where(mask, scores, -np.inf)", "scores + mask"),
            ("np.tri(m, n, n - m, dtype=bool)", "np.tri(m, n, 0, dtype=bool)"),
            ("np.tri(m, n, n - m, dtype=bool)", "np.tri(m, n, n - m - 1, dtype=bool)"),
            ("np.tri(m, n, n - m, dtype=bool)", "np.tri(m, n, n - m)"),
            ("n = m if n is None else n", "n = n or m"),
        ],
        "test_heads.py": [
            (
                "X.reshape(*batch, n, n_heads, d_model // n_heads)",
                "X.reshape(*batch, n, d_model // n_heads, n_heads)",
            ),
            ("return X.swapaxes(-3, -2)  # (..., n_heads, n, d_head)", "return X"),
            ("or X.shape[-1] % n_heads", ""),
            ("n_heads < 1 or", ""),
            ("return _project(merge_heads(heads), W_o)", "return merge_heads(heads)"),
            (
                "attention(Q, K, V, mask)  # (..., n_heads",
                "attention(Q, K, V)  # (..., n_heads",
            ),
            (
                "attention(Q, K, V, mask)  # (..., n_heads",
                "attention(K, Q, V, mask)  # (..., n_heads",
            ),
            ("W_o).astype(dtype)", "W_o)"),
        ],
        "test_positions.py": [
            ("base ** (-np.arange(0, d, 2) / d)", "base ** (-np.arange(d // 2) / d)"),
            (
                "base ** (-np.arange(0, d, 2) / d)",
                "1 / (base * np.arange(0, d, 2) / d + 1)",
            ),
            ("np.outer(np.arange(n)", "np.outer(np.arange(1, n + 1)"),
            (
                "np.stack([np.sin(angles), np.cos(angles)], axis=-1)",
                "np.stack([np.cos(angles), np.sin(angles)], axis=-1)",
            ),
            (
                "np.stack([np.sin(angles), np.cos(angles)], axis=-1)",
                "np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)",
            ),
            ("[:, :d_model]", ""),
            (
                "even * cos - odd * sin, even * sin + odd * cos",
                "even * cos + odd * sin, odd * cos - even * sin",
            ),
            ("even * cos - odd * sin", "even * cos + odd * sin"),
            ("positions[..., None] * _rates", "(positions[..., None] + 1) * _rates"),
            (
                "positions[..., None] * _rates",
                "np.arange(len(positions))[..., None] * _rates",
            ),
            ("X[..., 0::2], X[..., 1::2]", "np.split(X, 2, axis=-1)"),
            ("X.shape[-1] % 2 or", ""),
            (".reshape(X.shape).astype(dtype)", ".reshape(X.shape)"),
        ],
        "test_decoding.py": [
            ("store[..., :at, :] = old", "pass"),
            ("max(at + t, 2 * at)", "at + t"),
            ("max(at + t, 2 * at)", "at + t + 1"),
            (
                "if at + t > store.shape[-2] or dtype != store.dtype:",
                "if at + t > store.shape[-2]:",
            ),
            ("np.result_type(store, rows)", "np.result_type(rows)"),
            ("if old.shape != (*batch, at, d):", "if False:"),
            ("return all_K[..., :n, :], all_V[..., :n, :]", "return all_K, all_V"),
            ("return all_K[..., :n, :], all_V[..., :n, :]", "return K, V"),
            (
                "self._n, self._K, self._V = n, all_K, all_V",
                "self._n, self._K, self._V = n, all_K, all_K",
            ),
            ("n = self._n + K.shape[-2]", "n = self._n + 1"),
            (
                "all_V = _write_rows(self._V, self._n, V)",
                "all_V = _write_rows(self._V, 0, V)",
            ),
            (
                "return X.reshape(*batch, n_groups, n_heads // n_groups, m, d)",
                "X = X.reshape(*batch, n_heads // n_groups, n_groups, m, d)"
                "; return X.swapaxes(-4, -3)",
            ),
            ("if A.ndim > 2 else 0", "if A.ndim > 2 else 1"),
            ("or heads[0] % heads[1]", ""),
            ("or heads[1] != heads[2]", ""),
            ("if mask is not None and mask.ndim > 2:", "if False:"),
        ],
        "test_flash.py": [
            ("np.maximum(a.maximum, b.maximum)", "a.maximum"),
            (
                "np.where(np.isneginf(maximum), 0, maximum)\n    a_factor",
                "maximum\n    a_factor",
            ),
            ("a_factor * a.total + b_factor * b.total", "a.total + b.total"),
            (
                "a_factor * a.numerator + b_factor * b.numerator",
                "a.numerator + b.numerator",
            ),
            (
                "self.numerator / np.where(self.total == 0, 1, self.total)",
                "self.numerator / self.total",
            ),
            ("for index in np.ndindex(batch):", "for index in [(0,) * len(batch)]:"),
            ("sums *= np.exp2(-rise)", "sums[:, -1:] *= np.exp2(-rise)"),
            ("sums *= np.exp2(-rise)", "sums[:, :-1] *= np.exp2(-rise)"),
            ("scores -= rise", "pass"),
            ("Q[:, -1:] -= rise", "pass"),
            ("if scores.max() > 64:", "if False:"),
            (
                "max(0, keys.stop + m - n) if causal",
                "max(0, keys.stop + m - n - 2) if causal",
            ),
            (
                "max(0, keys.start + m - n) if causal",
                "max(0, keys.start + m - n + 1) if causal",
            ),
            ("i.start + n - m - j.start", "i.start - j.start"),
            ("if block_size < 1:", "if block_size < 0:"),
            ("math.log2(math.e) / math.sqrt", "1 / math.sqrt"),
            ("sums[:, :-1] / np.where(total == 0, 1, total)", "sums[:, :-1] / total"),
        ],
    },
    "paths": {
        "test_paths.py": [
            (
                "for i in range(n - 1)]\n    return read + carry",
                "for i in range(n - 2)]\n    return read + carry",
            ),
            ("return read + carry", "return carry"),
            (
                "for j in range(i, min(i + k, n))",
                "for j in range(i, min(i + k + 1, n))",
            ),
            (
                "for j in range(i, min(i + k, n))",
                "for j in range(i + 1, min(i + k, n))",
            ),
            ("max(1, -(-(n - 1) // (k - 1)))", "max(1, (n - 1) // (k - 1))"),
            ("max(1, -(-(n - 1) // (k - 1)))", "-(-(n - 1) // (k - 1))"),
            ("max(1, -(-(n - 1) // (k - 1)))", "max(1, -(-n // (k - 1)))"),
            ("max(1, -(-(n - 1) // (k - 1)))", "max(1, -(-n // k))"),
            ("    hops = 1\n", "    hops = 0\n"),
            ("while k**hops < n:", "while k**hops <= n:"),
            (
                "min(i + k ** (layer + 1), n), k**layer)",
                "min(i + k ** (layer + 1), n), 2**layer)",
            ),
            ("((0, i), (1, j)) for j", "((0, i), (2, j)) for j"),
            ("for i in range(j + 1)]", "for i in range(j)]"),
            ("for i in range(j + 1)]", "for i in range(n)]"),
            ("if node[0] >= 1 and", "if"),
            ("queue.popleft()", "queue.pop()"),
            ("if head not in before:", "if True:"),
            ("len(path) - 1", "len(path)"),
            ("return n\n", "return n - 1\n"),
        ],
    },
}
CATALOGUED = {
    "self_attention": "test_attention.py",
    "causal_mask": "test_masks.py",
    "split_heads": "test_heads.py",
    "merge_heads": "test_heads.py",
    "KVCache": "test_decoding.py",
}


@dataclass(frozen=True)
class Mutant:
    """One wrong module: an edit of its text, or a mistake in one function."""

    module: str
    tests: str
    old: str
    new: str

    def __str__(self):
        return f"{self.module}: {self.old!r} -> {self.new!r}"

    def make(self):
        """The wrong module."""
        path = ROOT / f"src/{self.module}.py"
        source, module = path.read_text("utf-8"), ModuleType(self.module)
        if self.old not in source and self.old not in CATALOGUED:
            raise ValueError(f"{path.name} does not hold {self.old!r}")
        module.__file__ = str(path)
        sys.modules[self.module] = module
        if self.old not in CATALOGUED:
            source = source.replace(self.old, self.new, 1)
        exec(compile(source, path, "exec"), vars(module))
        if self.old in CATALOGUED:
            setattr(module, self.old, catalogued(self.old, self.new))
        return module


def catalogued(name, mistake):
    """The function with a mistake of the exercises' catalogue in it."""
    from exercise.exercises import EXERCISES
    from exercise.recognize import fingerprints

    exercise = EXERCISES[name]
    steps = exercise.steps | fingerprints(name)[mistake][0].steps
    if name == "KVCache":
        state = SimpleNamespace()
        steps["cache"](state)
        return state.Cache

    def function(*arguments):
        if name == "causal_mask" and len(arguments) == 1:
            arguments *= 2
        state = SimpleNamespace(**dict(zip(exercise.arguments, arguments)))
        for step in steps.values():
            step(state)
        return state.output

    return function


def all_mutants():
    """The edits and the catalogue's mistakes."""
    from exercise.recognize import fingerprints

    edits = [
        Mutant(module, tests, old, new)
        for module, by_tests in EDITS.items()
        for tests, pairs in by_tests.items()
        for old, new in pairs
    ]
    mistakes = [
        Mutant("attention", tests, name, mistake)
        for name, tests in CATALOGUED.items()
        for mistake in fingerprints(name)
    ]
    return edits + mistakes


def outcomes(mutants):
    """Each mutant with the exit status of its tests, as they end.

    0: they pass; 1: they fail; -SIGALRM: they never end. As many run at once as there
    are cores.
    """
    running, waiting = {}, list(reversed(mutants))
    while running or waiting:
        while waiting and len(running) < (os.cpu_count() or 1):
            mutant = waiting.pop()
            running[_start(mutant)] = mutant
        child, status = os.wait()
        yield running.pop(child), os.waitstatus_to_exitcode(status)


def _start(mutant):
    """The process that runs the tests on the mutant."""
    child = os.fork()
    if child:
        return child
    signal.alarm(SECONDS)
    code = 2
    try:
        with tempfile.TemporaryDirectory() as scratch:
            code = _try(mutant, scratch)
    finally:
        os._exit(code)


def _try(mutant, scratch):
    """The exit status of the tests on the mutant; nothing is printed or kept."""
    import hypothesis.configuration
    import pytest

    hypothesis.configuration.set_hypothesis_home_dir(scratch)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    try:
        mutant.make()
    except SyntaxError:
        return 2
    options = ["-x", "-q", "-p", "no:cacheprovider", "--assert=plain"]
    return int(pytest.main([*options, str(ROOT / "tests" / mutant.tests)]))


def main(names):
    """Try the mutants, or those whose description holds one of `names`."""
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT / "tests")]
    for module in ("torch", "hypothesis", "pytest", "networkx", "matplotlib.figure"):
        importlib.import_module(module)
    chosen = [
        mutant
        for mutant in all_mutants()
        if not names or any(name in str(mutant) for name in names)
    ]
    right = [
        Mutant(module, tests, "", "")
        for module, by_tests in EDITS.items()
        for tests in by_tests
    ]
    for module, status in outcomes(right):
        if status != 0:
            print(f"{module.tests} ends with {status} on the right {module.module}")
            return 2
    survivors = []
    for mutant, status in outcomes(chosen):
        if status not in (1, -signal.SIGALRM):
            survivors.append(mutant)
            print(f"survived: {mutant}", flush=True)
        elif status != 1:
            print(f"never ended: {mutant}", flush=True)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} mutants noticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    sys.exit(main(sys.argv[1:]))
