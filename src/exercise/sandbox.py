"""Run the learner's code in a process of its own, for a limited time."""

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass

from .answers import Raised

SECONDS = 20.0  # for loading the file and for each exercise: importing torch takes 5
PRINTED = 2_000  # characters of the learner's output that are kept
PARTS = {  # of a pickled answer, beside Python's own plain data
    "exercise.answers.Answer",
    "exercise.answers.Raised",
    "numpy._core.multiarray._reconstruct",
    "numpy.dtype",
    "numpy.ndarray",
}


@dataclass(frozen=True)
class Ended:
    """The process ended before it answered."""

    how: str
    advice: str


@dataclass(frozen=True)
class Run:
    """What came of the learner's code."""

    answers: dict  # exercise -> answers by case, or Ended
    failed: Raised | Ended | None  # when the file could not even be loaded
    printed: str


def run(names, seconds, path=None, functions=None):
    """The answers to the exercises in `names` of a file, or of pickled functions.

    After an exercise that never answers the rest runs in a fresh process.
    """
    answers, printed, left = {}, "", list(names)
    while True:
        with _Process((path, functions, left)) as process:
            loaded = process.next(list | Raised, seconds)
            if not isinstance(loaded, list):
                return Run(answers, loaded, process.printed())
            left = [name for name in left if name in loaded]
            while left:
                name = left.pop(0)
                answers[name] = process.next(dict, seconds)
                if isinstance(answers[name], Ended):
                    break
            printed = printed or process.printed()
        if not left:
            return Run(answers, None, printed)


class _Answers(pickle.Unpickler):
    """Reads answers and nothing else.

    A pickle may name any function to call: the learner's code would run here,
    where nothing limits it.
    """

    def find_class(self, module, name):
        """What the pickle names, if it is a part of an answer."""
        if f"{module}.{name}" in PARTS:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no part of an answer")


class _Process:
    """One process running a job; its answers come through a queue."""

    def __init__(self, job):
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "exercise.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(pickle.dumps(job))
            self.process.stdin.close()
        self.answers, self.output = queue.Queue(), b""
        self.threads = [
            threading.Thread(target=target, daemon=True)
            for target in (self._receive, self._listen)
        ]
        for thread in self.threads:
            thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """End the process, and those that it started."""
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        self.process.wait()
        for thread in self.threads:
            thread.join(1)  # longer if what was started left the session

    def next(self, kind, seconds):
        """The next answer, which is of this kind, or Ended."""
        try:
            answer = self.answers.get(timeout=seconds)
        except queue.Empty:
            advice = "Look for a loop whose condition stays true."
            return Ended(f"did not end within {seconds:g} seconds", advice)
        if isinstance(answer, kind):
            return answer
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1)
        code = self.process.poll() or 0
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        advice = "Look for os._exit, a crash in C code or too deep a recursion."
        return Ended(f"ended the whole Python process ({how})", advice)

    def printed(self):
        """The beginning of what the process printed."""
        self.threads[1].join(0.1)
        return self.output.decode(errors="replace")[:PRINTED]

    def _receive(self):
        try:
            with self.process.stdout as channel:
                while True:
                    self.answers.put(_Answers(channel).load())
        except Exception:  # the end of the stream, or garbage in it
            self.answers.put(None)

    def _listen(self):
        with self.process.stderr as printed:
            while chunk := printed.read1():
                if len(self.output) < 4 * PRINTED:
                    self.output += chunk
