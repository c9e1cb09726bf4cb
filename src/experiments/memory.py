"""Remember what is slow to compute until something that decides it changes."""

import hashlib
import inspect
import platform
import sys
from pathlib import Path

import joblib
import torch

ROOT = Path(__file__).resolve().parents[1]  # where the project's modules are
MEMORY = joblib.Memory("_build/experiments", verbose=0)


def remembered(function, *args):
    """`function(*args)`, from `_build/` if it was computed before.

    Computed again when the arguments change, the source of the function's
    module or of a module of the project that it uses, Python or torch.
    """
    digest = hashlib.sha256()
    for file in sources(inspect.getmodule(function)):
        digest.update(file.read_bytes())
    versions = (platform.python_version(), torch.__version__)
    return _call(function, args, (digest.hexdigest(), *versions))


def sources(module):
    """Files of the module and of all the project's modules it takes names from."""
    found, waiting = set(), [module]
    while waiting:
        module = waiting.pop()
        file = Path(getattr(module, "__file__", None) or sys.executable).resolve()
        if ROOT in file.parents and file not in found:
            found.add(file)
            waiting += [inspect.getmodule(value) for value in vars(module).values()]
    return sorted(found)


@MEMORY.cache
def _call(function, args, key):
    """Joblib looks at the arguments only; `key` stands for the source.

    One thread, so that sums are made in the same order on every machine.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng():
            return function(*args)
    finally:
        torch.set_num_threads(threads)
