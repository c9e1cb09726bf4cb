"""How to measure: seconds side by side, peak memory in a process of its own."""

import json
import subprocess
import sys
import time
from statistics import median


def side_by_side(calls, rounds=5):
    """Seconds of each call, by name: {name: [seconds in each round]}.

    Every round runs each call once, one after the other, so that a busy machine
    is busy for all of them; compare with `ratio`.
    """
    for call in calls.values():  # warm up
        call()
    seconds = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def ratio(seconds, baseline):
    """How many times longer than `baseline`: the median over the rounds."""
    return median(a / b for a, b in zip(seconds, baseline))


def peak_bytes(program):
    """By how many bytes `call` raises the resident memory's peak, on Linux.

    `program` is the source of a function `call()` with what it needs. It runs
    in a fresh process: first everything is defined, then `call` once.
    """
    watched = f"{program}\n{_WATCH}"
    run = subprocess.run(
        [sys.executable, "-c", watched], check=True, capture_output=True, text=True
    )
    return json.loads(run.stdout)


_WATCH = """
def resident(field):
    with open("/proc/self/status") as status:
        return next(int(l.split()[1]) * 1024 for l in status if l.startswith(field))
with open("/proc/self/clear_refs", "w") as refs:
    refs.write("5")  # the peak starts again from here
before = resident("VmRSS")
call()
print(resident("VmHWM") - before)
"""
