"""A kernel that stays: after an edit only the steps run whose results may differ.

Each cell, and each run of inline code between two cells, is one step of a
trace: its code, the files that it read, and the states before and after it
(see `checkpoints`). A step is kept when all but the last are as they were. Else
the kernel goes back to the state before it and runs it; where that state has
been changed since (a generator that was drawn from, a list that grew), it goes
back further, in the end to a new kernel.
"""

import ast
import asyncio
import itertools
import json
import os
import signal
import threading
import time
from dataclasses import dataclass, field

from nbclient.exceptions import CellTimeoutError, DeadKernelError

from ..cells import Cell
from ..problems import Refused
from ..weave.execute import alone, evaluated, kernel, name_of, run_step
from .checkpoints import file_digest

HELPER = "__import__('literate.loop.checkpoints', fromlist=['take'])"


class Stopped(Exception):
    """The run was stopped from outside; what it had done is kept."""


class Interrupted(RuntimeError):
    """The kernel did not answer what it was asked."""


@dataclass(frozen=True)
class Entry:
    """One step of the trace: what was run, what it gave, the states around it."""

    key: str
    before: str
    after: str
    files: dict = field(repr=False)
    outputs: list = field(repr=False)

    @property
    def fresh(self):
        """Whether the files that it read are as they were."""
        return all(file_digest(path) == d for path, d in self.files.items())


class LiveKernel:
    """Runs a chapter again and again, from one thread."""

    def __init__(self, timeout, report):
        self.timeout, self.report = timeout, report
        self.client, self.trace, self.pid = None, [], None
        self.stopped = threading.Event()
        self.origin = self.at = ("", "")  # states: (key, digest)
        self._ids = itertools.count()

    def execute(self, chapter, stopped):
        """The outputs of the chapter's steps (those that stand alone: None), and
        how many cells have run. Ends with `Stopped` when `stopped`, an event, is set.
        """
        self.stopped = stopped
        groups = _groups(chapter)
        if self.client is None and any(_runs(chapter, group) for group in groups):
            self._start(chapter)
        try:
            ran = self._run(chapter, groups)
        except (Refused, Interrupted, Stopped) as error:
            if isinstance(error.__context__, (CellTimeoutError, DeadKernelError)):
                self.close()
            if stopped.is_set():
                raise Stopped from None
            raise
        except BaseException:
            self.close()
            raise
        outputs = iter([output for entry in self.trace for output in entry.outputs])
        return [None if alone(s) else next(outputs) for s in chapter.steps], ran

    def interrupt(self):
        """From another thread, after `stopped` is set: give up the cell that runs."""
        if self.pid:
            os.kill(self.pid, signal.SIGINT)

    def close(self):
        """End the kernel."""
        if self.client is not None:
            self._wait(self._kernel.__aexit__(None, None, None))
            self._loop.close()
            self.client, self.trace, self.pid = None, [], None
            self.origin = self.at = ("", "")

    def _start(self, chapter):
        self._loop = asyncio.new_event_loop()
        self._wait = self._loop.run_until_complete
        self._kernel = kernel(chapter, self.timeout)
        try:
            self.client = self._wait(self._kernel.__aenter__())
        except BaseException:
            self._loop.close()
            raise
        self.trace = []
        self._call("listen()")
        self.origin = self._take()[0]
        self.at = self.origin
        self.pid = self.client.km.provisioner.pid  # from now on it may be interrupted

    def _run(self, chapter, groups):
        """Bring the trace to what `groups` say; how many cells have run."""
        keys = [_key(chapter, group) for group in groups]
        old = self.trace
        aligned = _aligned(keys, [entry.key for entry in old])
        new, ran, until = [], 0, 0
        try:
            while len(new) < len(groups):
                at = len(new)
                entry = old[aligned[at]] if aligned[at] is not None else None
                state = new[-1].after if new else self.origin
                keep = entry and at >= until and _same(entry.before, state)
                if keep and entry.fresh:
                    new.append(entry)
                    continue
                if self.stopped.is_set():
                    raise Stopped
                if not _runs(chapter, groups[at]):
                    outputs = [[] for _ in groups[at]]
                    new.append(Entry(keys[at], state, state, {}, outputs))
                    continue
                if self.at != state and not self._back(state):
                    until = max(until, at)
                    new = self._further_back(chapter, new, groups)
                    continue
                outputs = self._steps(chapter, groups[:at], groups[at])
                after, files = self._take()
                new.append(Entry(keys[at], state, after, files, outputs))
                ran += isinstance(groups[at][0], Cell)
        except (Refused, Interrupted, Stopped):
            done = len(new)
            rest = [a for a in aligned[done:] if a is not None]
            self.trace = new + (old[rest[0] :] if rest else [])
            self.at = None
            raise
        self.trace = new
        self._forget([entry for entry in old if entry not in new])
        return ran

    def _forget(self, entries):
        """Let the kernel drop the states that only `entries` know."""
        kept = {e.before[0] for e in self.trace} | {e.after[0] for e in self.trace}
        gone = {e.after[0] for e in entries} - kept - {"", self.at and self.at[0]}
        if self.client and gone:
            self._call(f"forget({sorted(gone)!r})")

    def _further_back(self, chapter, new, groups):
        """The longest beginning of `new` whose end can be gone back to."""
        why = self.why
        while new:
            state = new[-1].before
            new = new[:-1]
            if self._back(state):
                name = name_of(groups[len(new)][0])
                self.report(f"again from {name}: {why} changed since")
                return new
        self.report(f"again from the start, in a new kernel: {why} changed since")
        self.close()
        self._start(chapter)
        return []

    def _back(self, state):
        self.why = self._call(f"restore({state[0]!r})").strip("'\"")
        if not self.why:
            self.at = state
        return not self.why

    def _take(self):
        """Remember the kernel's state: (its key, its digest), files that were read."""
        key = str(next(self._ids))
        found = json.loads(ast.literal_eval(self._call(f"take({key!r})")))
        self.at = (key, found["digest"])
        return self.at, found["files"]

    def _steps(self, chapter, before, group):
        """The outputs of one group's steps."""
        cells = [s for g in before for s in g if isinstance(s, Cell)]
        ran = [cell for cell in cells if evaluated(chapter, cell)]
        self.at = None
        began = time.monotonic()
        outputs = [
            self._wait(run_step(self.client, chapter, step, ran))
            if evaluated(chapter, step)
            else []
            for step in group
        ]
        if isinstance(group[0], Cell) and (took := time.monotonic() - began) > 1:
            self.report(f"{name_of(group[0])} {took:.1f} s")
        return outputs

    def _call(self, call):
        """The representation of what the helper in the kernel returns."""
        client = self.client.kc
        message = client.execute(
            "", silent=True, user_expressions={"value": f"{HELPER}.{call}"}
        )
        while True:
            reply = self._wait(client.get_shell_msg(timeout=self.timeout))
            if reply["parent_header"].get("msg_id") == message:
                break
        value = reply["content"].get("user_expressions", {}).get("value", {})
        if value.get("status") != "ok":
            raise Interrupted(f"{call} in the kernel: {value or reply['content']}")
        return value["data"]["text/plain"]


def _same(one, other):
    return one[1] == other[1]


def _groups(chapter):
    """The steps, those of inline code that follow one another in one group."""
    groups = []
    for step in chapter.steps:
        if alone(step):
            continue
        inline = not isinstance(step, Cell)
        if inline and groups and not isinstance(groups[-1][0], Cell):
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def _runs(chapter, group):
    return any(evaluated(chapter, step) for step in group)


def _key(chapter, group):
    """What the author wrote that decides what a group gives."""
    parts = [
        [s.code, getattr(s, "options", None), evaluated(chapter, s)] for s in group
    ]
    return json.dumps([parts, chapter.option("error")], default=str)


def _aligned(keys, old):
    """For each key the index of the same old one, from both ends, or None."""
    start = 0
    while start < min(len(keys), len(old)) and keys[start] == old[start]:
        start += 1
    end = 0
    most = min(len(keys), len(old)) - start
    while end < most and keys[-1 - end] == old[-1 - end]:
        end += 1
    middle = [None] * (len(keys) - start - end)
    return [*range(start), *middle, *range(len(old) - end, len(old))]
