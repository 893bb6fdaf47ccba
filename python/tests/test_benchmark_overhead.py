"""The overhead bench runs and its figures add up. Tests do not judge times."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import stepscope

BENCH = Path(__file__).resolve().parents[2] / "benches" / "overhead"


def test_bench_runs_and_reports(tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    finished = subprocess.run(
        [sys.executable, str(BENCH / "run.py"), "--quick", f"--json={result}"],
        env=os.environ | {"PYTHONPATH": str(Path(stepscope.__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    report = json.loads(result.read_text())
    scope = report["disabled"]["profile_scope"]
    assert scope["limit_nanoseconds"] == 1000 and scope["nanoseconds"]["median"] > 0
    for name in ("maybe_profile, off", "begin_step + end_step, before the window"):
        assert report["disabled"][name]["limit_nanoseconds"] == 2000
    for name in ("end_step of the recorder", "end_step of the recorder, with a loss"):
        assert report["disabled"][name]["limit_nanoseconds"] == 1000
    for row in report["enabled"].values():
        assert row["step_ratio"]["rounds"] == row["stop_ratio"]["rounds"] == 3
        assert row["stop_seconds"]["jax.profiler"]["median"] > 0
    for row in report["calls"].values():
        assert row["stepscope"]["median"] > 0 and row["jax.profiler"]["median"] > 0
    assert "While capturing" in finished.stdout and "targets: " in finished.stdout


def test_rounds_are_paired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    import measure

    state = {"load": 1.0}

    def slow_machine() -> float:
        state["load"] *= 1.5  # the machine gets busier all the time
        return state["load"]

    figures = measure.take_turns(
        {"ours": lambda: 3 * slow_machine(), "theirs": slow_machine}, rounds=40, seed=3
    )
    ratios = measure.ratios(figures["ours"], figures["theirs"])
    assert all(2 - 1e-9 <= ratio <= 4.5 + 1e-9 for ratio in ratios)
    described = measure.describe(ratios)
    low, high = described["median_interval"]
    assert low <= described["median"] <= high and described["rounds"] == 40
