"""Run a chapter's cells and inline code once, in a fresh kernel, or not at all.

The results are kept in `_build/cache` under a key of everything that decides
them: the code and options of every cell, the modules under `src/` (without
this package), `bench/*.json`, and the versions of what runs them. An edit of
the prose changes no key and runs no cell.

A cell with `#| cache: false` stands on its own: it must import what it uses,
it runs in a fresh kernel at each weave, and what it reads is never old. (Quarto
accepts the option and runs the cell with the others.)
"""

import asyncio
import hashlib
import json
import os
import platform
import re
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from importlib import metadata
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from ..cells import Cell
from ..files import put
from ..lines import chapter_line
from ..problems import Refused

ANSI = re.compile(r"\x1b\[[0-9;]*m")
FRAME = re.compile(
    r"^ *(?:Cell In\[(\d+)\], line (\d+)|File (\S.*?\.py):(\d+))", re.MULTILINE
)
LARGEST = 1_000_000  # characters of a step's outputs that a page can bear
START = 60  # seconds that a kernel may always take to start, on a busy machine
VERSIONS = ("ipykernel", "ipython", "nbclient", "numpy", "torch", "matplotlib")


def execute(chapter, timeout, report):
    """The outputs of each of the chapter's steps, from the cache if it holds them."""
    key, results = key_of(chapter), kept(chapter)
    if results is None:
        steps = [step for step in chapter.steps if not alone(step)]
        results = iter(asyncio.run(run_steps(chapter, steps, timeout, report)))
        results = [None if alone(step) else next(results) for step in chapter.steps]
        put(_cache(chapter), json.dumps({"key": key, "results": results}))
    for at, step in enumerate(chapter.steps):
        if alone(step):
            results[at] = asyncio.run(run_steps(chapter, [step], timeout, report))[0]
    return results


def kept(chapter):
    """The results in the cache, if they are this chapter's."""
    try:
        found = json.loads(_cache(chapter).read_text("utf-8"))
        return found["results"] if found["key"] == key_of(chapter) else None
    except (FileNotFoundError, ValueError, KeyError, TypeError):  # none, or damaged
        return None


def _cache(chapter):
    return chapter.folder / "_build/cache" / f"{chapter.stem}.json"


def alone(step):
    """Whether a cell stands on its own."""
    return isinstance(step, Cell) and step.options.get("cache") is False


def key_of(chapter):
    """A digest of everything that decides what the cells give."""
    parts = [[step.code, getattr(step, "options", None)] for step in chapter.steps]
    source, own = chapter.folder / "src", Path(__file__).resolve()
    files = {
        path
        for path in source.rglob("*.py")
        if "literate" not in path.relative_to(source).parts
    }
    files |= {own, *chapter.folder.glob("bench/*.json")}
    parts += [[path.name, path.read_bytes().hex()] for path in sorted(files)]
    parts += [platform.python_version(), platform.machine()]
    parts += [f"{name} {metadata.version(name)}" for name in VERSIONS]
    text = json.dumps([chapter.path.name, parts], default=str)
    return hashlib.sha256(text.encode()).hexdigest()


async def run_steps(chapter, steps, timeout, report):
    """Run steps in one fresh kernel; the first failure is refused at its line."""
    if not any(evaluated(chapter, step) for step in steps):
        return [[] for _ in steps]
    async with kernel(chapter, timeout) as client:
        return await _results(client, chapter, steps, report)


@asynccontextmanager
async def kernel(chapter, timeout):
    """The client of a fresh kernel, which ends with the context."""
    client = NotebookClient(
        nbformat.v4.new_notebook(),
        timeout=timeout,
        startup_timeout=max(START, timeout),
        kernel_name="python3",
        allow_errors=True,
        record_timing=False,
        shutdown_kernel="immediate",  # asked to end, it may print a traceback
        resources={"metadata": {"path": str(chapter.folder)}},
    )
    (chapter.folder / "_build/cache/ipython").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="weave-") as scratch:
        manager = client.create_kernel_manager()
        manager.connection_file = str(Path(scratch, "kernel.json"))
        if len(os.fsencode(scratch)) < 80:  # a socket's path has 107 bytes at most
            manager.transport = "ipc"
        try:
            await _start(chapter, client)
            yield client
        finally:
            if client.km:  # it has not ended yet
                await client._async_cleanup_kernel()


async def _start(chapter, client):
    try:
        await client.async_start_new_kernel(env=_environment(chapter))
        await client.async_start_new_kernel_client()
    except RuntimeError as error:  # it died, or did not answer
        what, fix = f"no kernel starts ({error})", "mend what it says, or weave again"
        raise Refused([chapter.problem(1, what, fix)]) from None


async def _results(client, chapter, steps, report):
    """The outputs of steps, one after the other."""
    cells = [step for step in steps if isinstance(step, Cell)]
    results, ran = [], []
    for step in steps:
        began = time.monotonic()
        runs = evaluated(chapter, step)
        results.append(await run_step(client, chapter, step, ran) if runs else [])
        if runs and isinstance(step, Cell):
            place = f"[{cells.index(step) + 1}/{len(cells)}]"
            report(f"{place} {name_of(step)} {time.monotonic() - began:.1f} s")
    return results


def evaluated(chapter, step):
    """Whether a step is run."""
    return not isinstance(step, Cell) or (
        chapter.option("eval", step, True) is not False and step.code.strip() != ""
    )


def _environment(chapter):
    """The kernel's environment: as Quarto's, without a user's own settings."""
    cache = chapter.folder / "_build/cache"
    return {
        **os.environ,
        "QUARTO_DOCUMENT_PATH": str(chapter.folder),
        "IPYTHONDIR": str(cache / "ipython"),
        "MPLCONFIGDIR": str(cache / "matplotlib"),
        "PYTHONHASHSEED": "0",
    }


def name_of(cell):
    """What to call a cell."""
    return cell.label or f"line {cell.line}"


async def run_step(client, chapter, step, ran):
    """One step's outputs, as plain dictionaries."""
    is_cell = isinstance(step, Cell)
    if is_cell:
        ran.append(step)
    node = nbformat.v4.new_code_cell(step.code)
    what = f"cell {name_of(step)}" if is_cell else f"inline `{step.code}`"
    try:
        client.nb.cells = [node]
        await client.async_execute_cell(node, 0, store_history=is_cell)
    except CellTimeoutError:
        what = f"{what} runs for more than {client.timeout} s"
        fix = "make it faster, or give the weave a longer --timeout"
        raise Refused([chapter.problem(step.line, what, fix)]) from None
    except DeadKernelError:
        if asyncio.current_task().cancelling():  # by Ctrl-C, which nbclient misreads
            raise asyncio.CancelledError from None
        what = f"the kernel died in {what}"
        raise Refused([chapter.problem(step.line, what, "run it alone")]) from None
    outputs = [dict(output) for output in node.outputs]
    failed = [output for output in outputs if output["output_type"] == "error"]
    if failed and not (is_cell and chapter.option("error", step, False)):
        raise Refused([_failure(chapter, step, what, failed[0], ran)])
    outputs = [_plain(output) for output in outputs]
    if (size := len(json.dumps(outputs))) > LARGEST:
        what = f"{what} puts out {size:,} characters, more than {LARGEST:,}"
        raise Refused([chapter.problem(step.line, what, "show less of it")])
    return outputs


def _failure(chapter, step, what, error, ran):
    """The failing statement's line in the chapter, the exception and its message."""
    message = ANSI.sub("", f"{error['ename']}: {error['evalue']}").split("\n")[0]
    message = re.sub(r" \(\d+\.py, line \d+\)$", "", message)
    places = []  # the chapter's lines of the traceback, outermost first
    for cell, line, path, path_line in FRAME.findall(
        ANSI.sub("", "\n".join(error["traceback"]))
    ):
        if cell and int(cell) <= len(ran):
            places.append(ran[int(cell) - 1].code_line + int(line) - 1)
        elif path and (found := chapter_line(Path(path).expanduser(), int(path_line))):
            places.append(found[1])
    line = places[0] if isinstance(step, Cell) and places else step.line
    if places and places[-1] != line:
        message += f" (raised at line {places[-1]})"
    return chapter.problem(line, f"{what}: {message}", "correct it and weave again")


def _plain(output):
    """An output without what differs from run to run."""
    output = json.loads(json.dumps(output))
    output.pop("execution_count", None)
    output.pop("metadata", None)
    return output


def log(message):
    """A progress line."""
    print(message, file=sys.stderr, flush=True)
