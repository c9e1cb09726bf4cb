"""The process that runs the learner's code: `python -m exercise.child`.

It reads a job from stdin and writes a pickled answer after each exercise to
what was its stdout; everything that the learner prints goes to stderr.
`sandbox.py` starts it, and ends it when it takes too long.
"""

import importlib.util
import os
import pickle
import sys
from pathlib import Path

from .answers import Raised, answer_all
from .exercises import EXERCISES

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None

MEMORY = 4 * 2**30  # bytes; what asks for more gets a MemoryError at its line
FILE = 2**30  # bytes of one file; what writes more gets an OSError at its line


def load(path):
    """The names of the learner's file."""
    sys.path.insert(0, str(Path(path).resolve().parent))
    spec = importlib.util.spec_from_file_location("my_attention", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["my_attention"] = module
    spec.loader.exec_module(module)
    return vars(module)


def limit(kind, most):
    """Limit this process, unless it is limited to less already."""
    _, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def main():
    """Run the job on stdin: load, then answer exercise by exercise."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    path, functions, names = pickle.load(sys.stdin.buffer)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if resource:
        limit(resource.RLIMIT_DATA, MEMORY)
        limit(resource.RLIMIT_FSIZE, FILE)

    process = os.getpid()

    def send(answer):
        if os.getpid() != process:
            os._exit(0)  # a copy that the learner forked: one answer is enough
        pickle.dump(answer, channel, protocol=4)
        channel.flush()

    sys.dont_write_bytecode = True
    try:
        namespace = pickle.loads(functions) if functions else load(path)
    except BaseException as error:
        send(Raised.from_exception(error))
        return
    written = [name for name in names if name in namespace]
    send(written)
    for name in written:
        send(answer_all(EXERCISES[name], namespace[name]))
    os._exit(0)  # whatever threads the learner left


if __name__ == "__main__":
    main()
