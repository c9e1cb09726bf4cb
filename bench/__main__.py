"""Run measurements, print their tables, record them: `python -m bench [NAME ...]`."""

import importlib
import json
import os
import sys
from pathlib import Path

RESULTS = Path(__file__).parent / "results.json"
MEASUREMENTS = ("attention", "decoding", "parallel", "tangle", "edit_loop", "page")


def main(names):
    """Run the named measurements, all when none is named; return an exit status."""
    unknown = [name for name in names if name not in MEASUREMENTS]
    if unknown:
        known = ", ".join(MEASUREMENTS)
        print(f"bench: no measurement {unknown[0]!r}; choose from {known}")
        return 1
    # Before NumPy and torch are imported: the same number of threads for both.
    threads = os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = threads
    from .machine import describe

    for name in names or MEASUREMENTS:
        rows = importlib.import_module(f"bench.{name}").rows()
        if rows:
            print(f"\n{name}\n{table(rows)}", flush=True)
            record(name, describe(int(threads)) | {"rows": rows})
    return 0


def record(name, result):
    """Put one result among the recorded ones."""
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    text = json.dumps(dict(sorted((results | {name: result}).items())), indent=1)
    RESULTS.write_text(text + "\n", encoding="utf-8", newline="\n")


def table(rows):
    """`rows`, flat dictionaries, as lines of aligned columns."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [columns] + [[_cell(row.get(key, "")) for key in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths))
        for line in cells
    )


def _cell(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
