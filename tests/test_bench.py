"""The recorded measurements: complete, and described without private names."""

import json
import socket
import sys

import numpy as np
import pytest
from bench import browser, edit_loop
from bench.__main__ import MEASUREMENTS, RESULTS, main, table
from bench.measure import peak_bytes, ratio, side_by_side


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_a_recorded_measurement_says_when_where_and_with_what(name):
    recorded = json.loads(RESULTS.read_text(encoding="utf-8"))[name]
    assert recorded["rows"]
    assert set(recorded) == {"date", "machine", "threads", "versions", "rows"}
    assert set(recorded["machine"]) == {"processor", "cores", "memory_gib", "system"}
    assert {"python", "numpy", "torch"} <= set(recorded["versions"])
    assert socket.gethostname() not in json.dumps(recorded)


def test_an_unknown_measurement_is_refused_by_name(capsys):
    assert main(["attentoin"]) == 1
    assert "attentoin" in capsys.readouterr().out


def test_ratios_are_taken_within_each_round():
    assert ratio([2.0, 40.0, 6.0], [1.0, 20.0, 2.0]) == 2.0
    seconds = side_by_side({"a": lambda: None, "b": lambda: None}, rounds=3)
    assert [len(times) for times in seconds.values()] == [3, 3]


def test_a_table_has_one_aligned_line_for_each_row():
    lines = table([{"n": 1, "seconds": 0.5}, {"n": 1000}]).split("\n")
    assert [line.split() for line in lines] == [
        ["n", "seconds"],
        ["1", "0.5"],
        ["1000"],
    ]
    assert len({len(line) for line in lines}) == 1


def test_without_chromium_and_quarto_the_edit_loop_says_so(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(edit_loop, "ROOT", tmp_path)
    monkeypatch.setattr(browser, "CHROMIUM", "/nowhere/chromium")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert edit_loop.rows() == []
    assert capsys.readouterr().out.split("\n") == [
        "Chromium is not at /nowhere/chromium: set CHROMIUM",
        "Quarto is not here",
        "",
    ]


@pytest.mark.parametrize("status", [0, 1])
def test_quarto_is_the_measure_of_the_edit_loop_where_it_is(
    tmp_path, monkeypatch, capsys, status
):
    monkeypatch.setattr(edit_loop, "ROOT", tmp_path)
    monkeypatch.setattr(browser, "CHROMIUM", "/nowhere/chromium")
    quarto = tmp_path / "quarto"
    quarto.write_text(f"#!/bin/sh\necho why it fails >&2\nexit {status}\n")
    quarto.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    rows = edit_loop.rows()
    said = "quarto render fails: why it fails" in capsys.readouterr().out
    assert said == bool(status)
    assert [row["ratio"] for row in rows] == [1.0] * (1 - status)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_the_peak_of_a_call_is_what_it_holds_at_most():
    program = "import numpy as np\ncall = lambda: np.ones(2**22).sum()"
    held = np.ones(2**22).nbytes
    assert 0.98 * held < peak_bytes(program) < 1.1 * held
