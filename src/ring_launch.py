"""Start processes that attend in a ring, watch them, end them.

`python -m ring_launch 4` runs ring_attention in 4 processes on this machine
and compares with one.
"""

import multiprocessing
import os
import socket
import sys
import tempfile
import threading
import time
from datetime import timedelta
from functools import partial
from multiprocessing.connection import wait

import numpy as np
import torch.distributed as dist

from attention import flash_attention
from ring import ring_attention

GRACE = 1.0  # seconds after a failure in which others may tell of theirs


class RingFailed(RuntimeError):
    """Why there is no result, in one line."""


def launch(work, n_processes, seconds=60.0, patience=30.0):
    """What work() returns in each of the processes of a gloo group, by rank.

    A process waits `patience` seconds for a message of another. Raises
    RingFailed when one raises, dies or is not done after `seconds`. However it
    ends, none of the processes is left; they end with this one, too.
    """
    method = "forkserver" if os.name == "posix" else "spawn"
    context = multiprocessing.get_context(method)
    context.set_forkserver_preload(["ring"])  # imports torch once for all
    members = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for rank in range(n_processes):
                ours, theirs = context.Pipe(duplex=False)
                group = (rank, n_processes, f"file://{folder}/store", patience)
                process = context.Process(target=_member, args=(theirs, work, *group))
                process.start()
                theirs.close()
                members.append((process, ours))
            return _collect(members, seconds)
        finally:
            for process, ours in members:
                process.kill()
                process.join()
                ours.close()


def count_sent(call):
    """What call() returns, and how many bytes it gave to isend."""
    sent, isend = 0, dist.isend

    def counting(tensor, *args, **kwargs):
        nonlocal sent
        sent += tensor.nbytes
        return isend(tensor, *args, **kwargs)

    dist.isend = counting
    try:
        return call(), sent
    finally:
        dist.isend = isend


def _member(pipe, work, rank, size, store, patience):
    """One process: join the group, work, report (kind, result or reason)."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if "lo" in (name for _, name in socket.if_nameindex()):
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    try:
        dist.init_process_group(
            "gloo",
            init_method=store,
            rank=rank,
            world_size=size,
            timeout=timedelta(seconds=patience),
        )
        report = "done", work()
        dist.barrier()  # nobody leaves while another still needs its messages
    except RuntimeError as error:  # gloo's: a peer is late or gone
        report = "waited", f"waited in vain for another ({_line(error)})"
    except Exception as error:
        report = "failed", f"raised {type(error).__name__}: {_line(error)}"
    pipe.send(report)


def _end_with_parent():
    """Wait until the parent is gone, whatever ended it, and follow it."""
    multiprocessing.parent_process().join()
    os._exit(1)


def _line(error):
    return " ".join(str(error).split())


def _collect(members, seconds):
    """The members' results, or RingFailed with the failure that came first in rank."""
    size, start = len(members), time.monotonic()
    reports, deadline = {}, start + seconds
    while len(reports) < size and time.monotonic() < deadline:
        waiting = {m[1]: rank for rank, m in enumerate(members) if rank not in reports}
        for pipe in wait(list(waiting), max(0.0, deadline - time.monotonic())):
            rank = waiting[pipe]
            reports[rank] = _report(pipe, members[rank][0])
            if reports[rank][0] != "done":
                deadline = min(deadline, time.monotonic() + GRACE)
    silent = [str(rank) for rank in range(size) if rank not in reports]
    for kind in ("died", "failed", "waited"):  # causes before consequences
        for rank, (found, reason) in sorted(reports.items()):
            if found == kind:
                unfinished = f"; still at work: {', '.join(silent)}" if silent else ""
                raise RingFailed(f"process {rank} of {size} {reason}{unfinished}")
    if silent:
        which = ", ".join(silent)
        raise RingFailed(f"process {which} of {size} not done after {seconds:g} s")
    return [reports[rank][1] for rank in range(size)]


def _report(pipe, process):
    """What the member sent, or how it died: its end of the pipe closes with it."""
    try:
        return pipe.recv()
    except EOFError:
        process.join()
        return "died", f"died (exit status {process.exitcode})"


def uneven(n, parts):
    """How many of n rows each part gets: shares of 1, 2, 3, ..., none equal."""
    ends = [n * p * (p + 1) // (parts * (parts + 1)) for p in range(parts + 1)]
    return [b - a for a, b in zip(ends, ends[1:])]


def bytes_sent(rows, width, itemsize):
    """What each process sends: all rows but those that its successor began with."""
    n, size = sum(rows), len(rows)
    return [(n - rows[(rank + 1) % size]) * width * itemsize for rank in range(size)]


def _own_part(arrays, rows, causal):
    """What one process computes, and the bytes it sent."""
    end = sum(rows[: dist.get_rank() + 1])
    own = slice(end - rows[dist.get_rank()], end)
    return count_sent(lambda: ring_attention(*(A[own] for A in arrays), causal))


def compare(n_processes):
    """Compare the ring with one process; print the difference and the bytes."""
    n, d = 4096, 64
    arrays = np.random.default_rng(0).standard_normal((3, n, d), np.float32)
    rows = uneven(n, n_processes)
    expected = bytes_sent(rows, 2 * d, arrays.itemsize)
    print(f"{n} tokens in {n_processes} processes: {rows} rows")
    for causal in (False, True):
        start = time.perf_counter()
        results = launch(partial(_own_part, arrays, rows, causal), n_processes)
        seconds = time.perf_counter() - start
        output = np.concatenate([part for part, _ in results])
        difference = abs(output - flash_attention(*arrays, causal)).max()
        print(f"causal={causal}: largest difference {difference:.1e}, {seconds:.1f} s")
        print(f"  bytes sent, by process: {[sent for _, sent in results]}")
        print(f"  by the formula:         {expected}")


def main(arguments):
    """Compare with the number of processes on the command line; what went wrong."""
    if arguments not in [[str(n)] for n in range(1, 65)]:
        return "ring: N is a number of processes from 1 to 64: make ring N=4"
    try:
        compare(int(arguments[0]))
    except RingFailed as failure:
        return f"ring: {failure}"


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for the processes to come
    sys.exit(main(sys.argv[1:]))
