"""The checker survives what a learner's file does, and says what it was."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from readers import HEAD, RIGHT, check_text


@pytest.mark.slow
def test_an_endless_loop_ends_and_the_rest_is_checked(tmp_path):
    source = "def by_hand():\n    while True:\n        pass\n\n\n"
    start = time.monotonic()
    report, right = check_text(tmp_path, HEAD + source + RIGHT, seconds=4)
    assert time.monotonic() - start < 60
    assert not right
    assert "by_hand: wrong\n  The function did not end within 4 seconds." in report
    assert "self_attention: right" in report


@pytest.mark.parametrize(
    "line, said",
    [
        ("import os; os._exit(0)", "ended the whole Python process (exit status 0)"),
        ("import os; os.abort()", "ended the whole Python process (signal 6)"),
        ("raise SystemExit(3)", "SystemExit: 3, in line 16 of my_attention.py"),
        ("input()", "EOFError"),
        ("exec(compile('1 / 0', 'x' * 5000, 'exec'))", "in line 1 of the cell"),
        ("return by_hand()", "RecursionError"),
        ("return np.ones((10**5, 10**5))", "10**5))`"),
        (
            "return np.broadcast_to(1, (10**6, 10**6))",
            "shape (1000000, 1000000), where",
        ),
        ("return (np.ones(60_000),) * 2", "The result is a tuple of 2, where"),
        ("return type('A', (), {'__array__': lambda *a, **b: 1 / 0})()", "in line 16"),
    ],
)
def test_a_crash_does_not_take_the_checker_down(tmp_path, line, said):
    source = HEAD + RIGHT + f"\n\ndef by_hand():\n    {line}\n"
    report, right = check_text(tmp_path, source)
    assert not right
    assert said in " ".join(report.split()) and "self_attention: right" in report


@pytest.mark.parametrize(
    "source, said",
    [
        ("x = (\n", "SyntaxError: '(' was never closed, in line 1 of my_attention.py"),
        ("\nimport sys\nsys.exit(0)\n", "SystemExit: 0, in line 3 of my_attention.py"),
        ("import os\nos._exit(0)\n", "ended the whole Python process"),
        ("x = '\udce9'\n", "SyntaxError: (unicode error)"),
    ],
)
def test_a_file_that_cannot_be_run_is_said_so(tmp_path, source, said):
    report, right = check_text(tmp_path, source)
    assert not right and report.startswith("The file ") and said in report


def test_arrays_of_objects_on_the_way_do_no_harm(tmp_path):
    source = RIGHT.replace("return weights @ V", "weights = weights.astype(object)\n")
    source += "    for row in weights:\n        row[0] = np.float64(np.nan)\n"
    source += "    return (weights @ V).astype(float)\n"
    report, right = check_text(tmp_path, HEAD + source)
    assert not right and "The result holds NaN." in report


@pytest.mark.skipif(os.name == "nt", reason="file descriptors are those of POSIX")
@pytest.mark.parametrize("sent", ["Call()", "42"])
def test_what_the_learner_sends_in_place_of_answers_is_not_run(tmp_path, sent):
    forged = f"""import os, pickle
class Call:
    def __reduce__(self):
        return open, ({str(tmp_path / "run in the checker")!r}, "x")
for pipe in range(3, 20):
    try:
        os.write(pipe, pickle.dumps({sent}))
    except OSError:
        pass
"""
    report, right = check_text(tmp_path, forged + HEAD + RIGHT)
    assert not right and "ended the whole Python process" in report
    assert os.listdir(tmp_path) == ["my_attention.py"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limits")
def test_a_file_without_end_is_an_error_at_its_line(tmp_path):
    big = tmp_path / "big"
    source = HEAD + f"with open({str(big)!r}, 'wb') as f:\n    f.truncate(2**31)\n"
    report, right = check_text(tmp_path, source + RIGHT)
    assert not right and "File too large, in line 4 of" in " ".join(report.split())
    assert big.stat().st_size == 0


def test_a_process_that_is_limited_already_gets_no_more():
    pytest.importorskip("resource", reason="Windows has no such limits")
    program = "import resource, exercise.child as child\n"
    program += "resource.setrlimit(resource.RLIMIT_DATA, (3 * 2**30, 3 * 2**30))\n"
    program += "child.limit(resource.RLIMIT_DATA, child.MEMORY)\n"
    program += "print(*resource.getrlimit(resource.RLIMIT_DATA))"
    shown = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert shown.split() == [str(3 * 2**30)] * 2


def test_the_output_is_limited(tmp_path):
    source = RIGHT.replace("    Q, K", "    print('x' * 10**7)\n    Q, K")
    report, right = check_text(tmp_path, HEAD + source)
    assert right
    assert "Your code printed:" in report and len(report) < 4000


def test_what_is_printed_last_is_told_whatever_becomes_of_stdout(tmp_path):
    source = "import sys\nprint('no newline', end='')\nsys.stdout = None\n"
    report, right = check_text(tmp_path, source + HEAD + RIGHT)
    assert right and report.endswith("Your code printed:\n  no newline")


@pytest.mark.skipif(os.name == "nt", reason="forks are those of POSIX")
def test_a_process_that_forks_answers_once(tmp_path):
    source = RIGHT.replace("    Q, K, V", "    next(once, int)()\n    Q, K, V")
    also = "\n\ndef contiguous_path(n, k):\n    return max(1, -(-(n - 1) // (k - 1)))\n"
    report, right = check_text(
        tmp_path,
        "import os\nos.fork()\nonce = iter([os.fork])\n" + HEAD + source + also,
    )
    assert right, report


@pytest.mark.skipif(os.name == "nt", reason="process groups are those of POSIX")
def test_a_process_that_the_learner_started_ends_too(tmp_path):
    child = "import subprocess, sys\n"
    child += (
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    )
    child += "print('started', p.pid)\n"
    report, _ = check_text(tmp_path, HEAD + child + RIGHT)
    pid = int(re.search(r"started (\d+)", report)[1])
    time.sleep(0.2)
    state = Path(f"/proc/{pid}/stat")
    assert not state.exists() or " Z " in state.read_text()


@pytest.mark.skipif(os.name == "nt", reason="sessions are those of POSIX")
def test_a_process_that_leaves_the_session_does_not_hold_the_checker(tmp_path):
    child = "import subprocess\n"
    child += "p = subprocess.Popen(['sleep', '120'], start_new_session=True)\n"
    child += "print('started', p.pid)\n"
    start = time.monotonic()
    report, right = check_text(tmp_path, HEAD + child + RIGHT)
    took = time.monotonic() - start
    os.kill(int(re.search(r"started (\d+)", report)[1]), signal.SIGKILL)
    assert right and took < 60
