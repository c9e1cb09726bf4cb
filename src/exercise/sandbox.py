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
from .exercises import EXERCISES

SECONDS = 20.0  # for loading the file and for each exercise: importing torch takes 5
PRINTED = 2_000  # characters of the learner's output that are kept


@dataclass(frozen=True)
class Ended:
    """The process ended before it answered."""

    how: str
    advice: str


@dataclass(frozen=True)
class Run:
    """What came of the learner's code."""

    names: tuple  # what the file defines
    answers: dict  # exercise -> answers by case, or Ended
    failed: Raised | Ended | None  # when the file could not even be loaded
    printed: str


def run(path=None, payload=None, names=tuple(EXERCISES), seconds=SECONDS):
    """The answers to the exercises in `names` of a file, or of pickled functions.

    After an exercise that never answers the rest runs in a fresh process.
    """
    defined, answers, printed, left = (), {}, "", list(names)
    while True:
        with _Process((path, payload, left)) as process:
            loaded = process.next(seconds)
            if isinstance(loaded, Raised | Ended):
                return Run(defined, answers, loaded, process.printed())
            defined = tuple(loaded)
            left = [name for name in left if name in defined]
            while left:
                answer = process.next(seconds)
                name = left.pop(0)
                ended = isinstance(answer, Ended)
                answers[name] = answer if ended else answer[1]
                if ended:
                    break
            printed = printed or process.printed()
        if not left:
            return Run(defined, answers, None, printed)


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

    def next(self, seconds):
        """The next answer, or Ended."""
        try:
            answer = self.answers.get(timeout=seconds)
        except queue.Empty:
            advice = "Look for a loop whose condition stays true."
            return Ended(f"did not end within {seconds:g} seconds", advice)
        if answer is not None:
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
                    self.answers.put(pickle.load(channel))
        except Exception:  # the end of the stream, or garbage in it
            self.answers.put(None)

    def _listen(self):
        with self.process.stderr as printed:
            while chunk := printed.read1():
                if len(self.output) < 4 * PRINTED:
                    self.output += chunk
