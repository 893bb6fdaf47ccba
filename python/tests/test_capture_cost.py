"""The cost of a capture per step: measured, reported, and small unless the Python tracer is on."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import captures
import pytest

import stepscope
from stepscope import CaptureCost, Profiler, recorders
from stepscope.capture_cost import captured_step, step_before

Work = Callable[[], Any]


@pytest.mark.parametrize(
    ("begins", "drained", "expected"),
    [
        ([0, 10, 20, 30, 40], 0, (10, 4)),
        ([0, 10], 0, (None, 1)),
        ([], 0, (None, 0)),
        # A checkpoint in one of four groups does not count.
        ([0, 10, 20, 30, 40, 50, 60, 1060, 1070], 0, (10, 8)),
        # A loop that reads its loss every fourth step: three quick starts, then the wait.
        ([0, 1, 2, 3, 40, 41, 42, 43, 80, 81, 82, 83, 120, 121, 122, 123, 160], 0, (10, 16)),
        # The queue held more work than the loop has shown.
        ([0, 1, 2, 3, 4], 3, (None, 4)),
    ],
)
def test_the_steps_before_a_capture(
    begins: list[int], drained: int, expected: tuple[int | None, int]
) -> None:
    assert step_before(begins, drained) == expected


@pytest.mark.parametrize(
    ("begins", "ended", "before", "expected"),
    [
        ([0, 10, 20, 30], 40, 10, 10),
        # One stalled step: in the middle, first, last.
        ([0, 10, 20, 110, 120, 130, 140, 150], 160, 10, 10),
        ([0, 90, 100, 110], 120, 10, 10),
        ([0, 10, 20, 30], 120, 10, 10),
        # All steps are slower.
        ([0, 14, 28, 42], 56, 10, 14),
        # The loop ran ahead of its device: only all steps together say how long they took.
        ([0, 1, 2, 3], 44, 10, 11),
        # The first step of `stepscope run` begins after the wait for the one before, the last ends
        # with its own.
        ([0, 2, 12, 22, 32], 50, 10, 10),
        # Too few to tell a stall.
        ([0, 10], 100, 10, 50),
        ([0, 10, 20, 30], 40, None, 10),
        ([], 40, 10, None),
    ],
)
def test_a_captured_step(
    begins: list[int], ended: int, before: int | None, expected: int | None
) -> None:
    assert captured_step(begins, ended, before) == expected


def test_one_stalled_step_is_no_cost_of_the_capture(work: Work) -> None:
    profiler = Profiler(8, start_step=12)
    for step in range(22):
        profiler.begin_step(step)
        time.sleep(0.5 if step == 14 else 0.01)
        work().block_until_ready()
        profiler.end_step()
    profiler.close()
    cost = profiler.results[0].cost
    assert cost is not None and cost.step_ratio is not None
    assert cost.step_ratio < 2  # with the stall in it: above 4
    assert (profiler.results[0].mean_step_ns or 0) > 60e6


@pytest.mark.parametrize(
    ("step", "before", "grade"),
    [(105, 100, "good"), (109, 100, "good"), (115, 100, "warning"), (121, 100, "bad")]
    + [(50, 100, "good"), (None, 100, "good"), (100, None, "good")],
)
def test_grades(step: int | None, before: int | None, grade: str) -> None:
    cost = CaptureCost(step_ns=step, step_before_ns=before)
    assert cost.grade == grade
    if step and before:
        assert cost.step_ratio == pytest.approx(step / before - 1)
    else:
        assert cost.step_ratio is None


def python_loop(profiler: Profiler, calls: int, work: Work) -> None:
    """Steps that are mostly Python."""

    def called() -> None:
        return None

    for step in range(24):
        profiler.begin_step(step)
        for _ in range(calls):
            called()
        profiler.end_step(work())
    profiler.close()


def test_the_python_tracer_is_bad_for_python_and_says_so(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    profiler = Profiler(4, start_step=20, python_tracer_level=1)
    python_loop(profiler, 100_000, work)
    (result,) = profiler.results
    assert result.cost is not None and result.cost.step_ratio is not None
    assert result.cost.step_ratio > 0.2
    assert 20 < (result.cost.python_call_ns or 0) < 20_000
    printed = capsys.readouterr().err
    assert "bad: Captured steps took" in printed
    assert "python_tracer_level=0" in printed
    manifest = captures.manifest_of(captures.only_profile(tmp_path))
    assert manifest["cost"]["step_ns"] == result.cost.step_ns
    assert manifest["cost"]["step_ratio"] == pytest.approx(result.cost.step_ratio, abs=1e-3)
    names = captures.event_names(result.path)
    assert names["stepscope: calibrate"] == 1


def test_the_python_tracer_is_off_in_a_profiler(tmp_path: Path, work: Work) -> None:
    profiler = Profiler(4, start_step=20)
    python_loop(profiler, 1000, work)
    (result,) = profiler.results
    assert profiler.settings.python_tracer_level == 0
    assert result.cost is not None
    assert result.cost.python_call_ns is None
    assert not [name for name in captures.event_names(result.path) if name.startswith("$")]


@pytest.mark.parametrize("wait", ["step", "window"])
def test_waiting_is_a_choice_and_is_marked_as_our_own(
    tmp_path: Path, work: Work, wait: str
) -> None:
    waited: list[int] = []

    class Pending:
        def __init__(self, step: int) -> None:
            self.step = step

        def block_until_ready(self) -> Pending:
            waited.append(self.step)
            return self

    profiler = Profiler(3, start_step=2, wait=wait)
    for step in range(8):
        profiler.begin_step(step)
        work()
        profiler.end_step(Pending(step))
    profiler.close()
    names = captures.event_names(captures.only_profile(tmp_path))
    assert names["train"] == 3
    if wait == "step":
        assert waited == [2, 3, 4, 4]
        assert names["stepscope: wait"] == 4
    else:
        assert waited == [4]
        assert names["stepscope: wait"] == 1


def test_a_block_waits_at_its_end_only_if_asked(tmp_path: Path, work: Work) -> None:
    with stepscope.profile_trace("logs", wait="window") as trace:
        for number in range(3):
            with trace.step(number):
                trace.block(work())
    names = captures.event_names(captures.only_profile(tmp_path))
    assert names["stepscope: wait"] == 1
    with pytest.raises(stepscope.SettingsError, match="step, window"):
        stepscope.profile_trace(wait="never")


def test_a_slow_start_does_not_count_as_a_slow_step(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps take about 10 ms. A start of 2 s would make the five captured ones 40 times longer."""
    start = recorders.FastRecorder.start

    def slow_start(*arguments: Any) -> None:
        time.sleep(2)
        start(*arguments)

    monkeypatch.setattr(recorders.FastRecorder, "start", slow_start)
    profiler = Profiler(5, start_step=15)
    for step in range(25):
        profiler.begin_step(step)
        time.sleep(0.01)
        profiler.end_step(work())
    profiler.close()
    cost = profiler.results[0].cost
    assert cost is not None and cost.step_ratio is not None
    assert cost.steps_before == 14
    assert cost.step_ratio < 20


def test_compilations_in_a_capture_are_counted(work: Work) -> None:
    import jax
    import jax.numpy as jnp

    with stepscope.profile_trace("logs"):
        work()
    with stepscope.profile_trace("logs") as trace:
        jax.jit(lambda x: jnp.cos(x) * 3.25)(jnp.ones(7)).block_until_ready()
    assert trace.result is not None
    assert (trace.result.compilations or 0) >= 1
