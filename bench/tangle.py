"""Tangle: processor time and memory against the number of cells.

`slope` is the logarithmic one from the row before: 1 is linear, 2 quadratic.
The last column is the whole process, the interpreter and its imports included.
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = (625, 1250, 2500, 5000)
VERBS = ("tangle", "check", "stitch")
CELL = """
## Section {n}

Some prose about function {n}, with `f{n}` in it.

```{{python}}
#| label: cell-{n}
#| filename: src/part_{part}.py
def f{n}(x):
    \"\"\"x and {n}, doubled.\"\"\"
    y = x + {n}
    for _ in range(2):
        y = y + y
    return y
```
"""
PROGRAM = """
import json, sys, time
from literate.__main__ import main
assert main(sys.argv[1:]) == 0
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps([time.process_time(), int(peak.split()[1])]))
"""


def rows():
    """One row for each verb and size; stitch carries one edit back."""
    found = []
    for verb in VERBS:
        last = None
        for n in SIZES:
            seconds, kilobytes = measure(verb, n)
            row = {"verb": verb, "cells": n, "seconds": seconds, "slope": ""}
            if last:
                row["slope"] = math.log2(seconds / last)
            found.append(row | {"megabytes": round(kilobytes / 1000)})
            last = seconds
    return found


def measure(verb, n):
    """Seconds of the processor (the least of three) and peak kilobytes of `verb`."""
    runs = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            chapter = Path(folder, "chapter.qmd")
            cells = (CELL.format(n=k, part=k % 5) for k in range(n))
            chapter.write_text("".join(cells), encoding="utf-8")
            if verb != "tangle":
                run("tangle", chapter)
            if verb == "stitch":
                part = Path(folder, "src/part_0.py")
                edited = part.read_text(encoding="utf-8").replace("y + y", "2 * y", 1)
                part.write_text(edited, encoding="utf-8")
            runs.append(run(verb, chapter))
    return min(runs)


def run(verb, chapter):
    """Seconds and kilobytes of one run in a process of its own."""
    command = [sys.executable, "-c", PROGRAM, verb, chapter]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(result.stdout.splitlines()[-1])


if __name__ == "__main__":
    from bench.__main__ import table

    print(table(rows()))
