"""Attention over several processes: equal to one, and never left hanging."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest
import torch.distributed as dist

import ring_launch
from attention import causal_mask
from oracle import torch_attention
from ring import ring_attention
from ring_launch import RingFailed, bytes_sent, count_sent, launch

# rows of queries and of keys by process, and whether causal
CASES = {
    1: [([5], [5], True), ([3], [7], False), ([7], [3], True)],
    2: [([4, 4], [4, 4], True), ([1, 6], [5, 2], True), ([0, 3], [9, 0], False)],
    4: [
        ([3, 3, 3, 3], [3, 3, 3, 3], False),
        ([1, 5, 2, 4], [1, 5, 2, 4], True),
        ([2, 0, 1, 3], [0, 7, 1, 4], True),
        ([6, 2, 3, 1], [1, 0, 4, 2], True),  # more queries than keys
    ],
}


def draw(m, n, dtype=np.float64):
    rng = np.random.default_rng(m * 100 + n)
    shapes = (2, m, 4), (2, n, 4), (2, n, 3)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def own(array, rows):
    """This process's rows of the whole array."""
    start = sum(rows[: dist.get_rank()])
    return array[..., start : start + rows[dist.get_rank()], :]


def run_cases(cases):
    """Every case in this process: its rows of the output, and the bytes it sent."""
    found = []
    for m, n, causal in cases:
        Q, K, V = draw(sum(m), sum(n))
        parts = own(Q, m), own(K, n), own(V, n)
        found.append(count_sent(partial(ring_attention, *parts, causal)))
    return found


@pytest.mark.claim("clm-ring")
@pytest.mark.claim("clm-ring-bytes")
@pytest.mark.parametrize("processes", CASES)
def test_a_ring_of_processes_gives_what_one_gives(processes, close):
    results = launch(partial(run_cases, CASES[processes]), processes)
    for case, (m, n, causal) in enumerate(CASES[processes]):
        mask = causal_mask(sum(m), sum(n)) if causal else None
        outputs, sent = zip(*(of_process[case] for of_process in results))
        expected = torch_attention(*draw(sum(m), sum(n)), mask)
        close(np.concatenate(outputs, axis=-2), expected)
        two_heads_of_seven_numbers = 2 * (4 + 3)
        assert list(sent) == bytes_sent(n, two_heads_of_seven_numbers, itemsize=8)


def fails_in(process, how):
    """Work in which one process of the ring misbehaves before its turn."""
    if dist.get_rank() == process:
        how()
    return ring_attention(*draw(2, 2))


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def come_late():
    time.sleep(60)


def refuse():
    raise ValueError("no rows today")


@pytest.mark.claim("clm-ring-faults")
@pytest.mark.parametrize(
    "how, message",
    [
        (die, r"process 1 of 2 died \(exit status -9\)"),
        (refuse, "process 1 of 2 raised ValueError: no rows today"),
        (come_late, r"process 0 of 2 waited in vain.*still at work: 1"),
    ],
)
def test_a_failing_process_ends_the_ring_in_one_clear_line(how, message):
    with pytest.raises(RingFailed, match=message) as failure:
        launch(partial(fails_in, 1, how), 2, seconds=60, patience=2)
    assert "\n" not in str(failure.value)
    assert multiprocessing.active_children() == []


@pytest.mark.claim("clm-ring-faults")
def test_the_time_limit_ends_processes_that_wait_for_nothing():
    start = time.monotonic()
    with pytest.raises(RingFailed, match="process 0 of 1 not done after 1 s"):
        launch(come_late, 1, seconds=1)
    assert time.monotonic() - start < 20
    assert multiprocessing.active_children() == []


@pytest.mark.slow
@pytest.mark.claim("clm-ring-faults")
def test_no_process_outlives_a_killed_parent(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(
        "import os, sys, time\n"
        "from ring_launch import launch\n"
        "def work():\n"
        "    print(os.getpid(), flush=True)\n"
        "    time.sleep(120)\n"
        "if __name__ == '__main__':\n"
        "    launch(work, 2)\n"
    )
    command = [sys.executable, script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        for _ in range(2):
            assert int(parent.stdout.readline()) != parent.pid
        parent.kill()
        start = time.monotonic()
        assert parent.stdout.read() == ""  # its other writers have ended, too
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("arguments", [[], ["0"], ["x"], ["1000"], ["2", "3"]])
def test_a_number_of_processes_that_cannot_be_is_refused_in_one_line(arguments):
    refused = "ring: N is a number of processes from 1 to 64: make ring N=4"
    assert ring_launch.main(arguments) == refused
