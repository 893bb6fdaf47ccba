"""`Profiler` and `maybe_profile`: windows, requests, triggers, and loops that go wrong."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import captures
import jax
import jax.numpy as jnp
import pytest

import stepscope
from stepscope import Profiler, console, environment

Work = Callable[[], Any]
pytestmark = pytest.mark.oldest


def run(
    profiler: Profiler, steps: range, work: Work, at: Mapping[int, Callable[[], Any]] | None = None
) -> None:
    """A loop like users write it; `at` are things done between `end_step` and the next step."""
    for step in steps:
        profiler.begin_step(step)
        profiler.end_step(work())
        (at or {}).get(step, lambda: None)()


def run_slowly(profiler: Profiler, steps: range, work: Work, slow: Mapping[int, float]) -> None:
    """A loop whose steps take some milliseconds, and those in `slow` as many seconds more."""
    for step in steps:
        profiler.begin_step(step)
        time.sleep(0.005 + slow.get(step, 0.0))
        profiler.end_step(work())


def windows(profiler: Profiler) -> list[tuple[int | None, int | None]]:
    return [(result.step_first, result.step_end) for result in profiler.results]


@pytest.mark.parametrize(
    ("settings", "steps", "expected"),
    [
        ({"start_step": 3, "num_steps": 2}, range(10), [(3, 5)]),
        ({"start_step": 0, "num_steps": 1}, range(3), [(0, 1)]),
        ({"start_step": -1}, range(10), []),
        ({"start_step": 2, "num_steps": 1, "interval": 4}, range(12), [(2, 3), (6, 7), (10, 11)]),
        ({"start_step": 2, "num_steps": 3, "interval": 2}, range(7), [(2, 5), (6, 7)]),
        ({"start_step": 3, "num_steps": 4}, range(5, 20), [(5, 7)]),
        ({"start_step": 3, "num_steps": 2}, range(10, 20), []),
        ({"start_step": 3, "num_steps": 2, "interval": 10}, range(10, 20), [(13, 15)]),
        ({"start_step": 5, "num_steps": 3}, range(0, 40, 10), [(10, 11)]),
        ({"start_step": 3, "num_steps": 9}, range(5), [(3, 5)]),
        ({"start_step": 1, "enabled": False}, range(5), []),
    ],
)
def test_windows_are_half_open(
    tmp_path: Path, work: Work, settings: dict[str, Any], steps: range, expected: list[Any]
) -> None:
    profiler = Profiler(log_dir="traces", **settings)
    run(profiler, steps, work)
    profiler.close()
    assert windows(profiler) == expected
    assert len(captures.profiles(tmp_path)) == len(expected)


def test_defaults(tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    profiler = Profiler()
    run(profiler, range(160), work)
    assert windows(profiler) == [(150, 155)]
    assert captures.only_profile(tmp_path / "traces")
    monkeypatch.setenv("PROFILE_START_STEP", "2")
    monkeypatch.setenv("PROFILE_DURATION", "3")
    profiler = Profiler(num_steps=1)
    run(profiler, range(5), work)
    assert windows(profiler) == [(2, 3)]


def test_what_it_says(work: Work, capsys: pytest.CaptureFixture[str]) -> None:
    profiler = Profiler(num_steps=2, log_dir="traces", start_step=150)
    run(profiler, range(148, 160), work)
    profiler.capture_async()
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert lines[0] == (
        "Profiling is planned for steps 150..151. Trace directory: traces"
    )
    assert lines[1] == "Profiling step 150 ... (2 steps, 150..151)"
    assert lines[2] == "Profile saved: traces"
    assert lines[3].startswith("Captured ")
    assert lines[4].startswith("  recorded for ")
    assert lines[-2].startswith("  open it: stepscope view ")
    assert lines[-1] == "Armed: the next 2 steps will be captured"
    assert printed.err.isascii()


def test_quiet(work: Work, capsys: pytest.CaptureFixture[str]) -> None:
    run(Profiler(num_steps=1, start_step=1, quiet=True), range(4), work)
    time.sleep(0.2)
    assert capsys.readouterr().err == ""


def test_a_missed_window_is_said(work: Work, capsys: pytest.CaptureFixture[str]) -> None:
    run(Profiler(num_steps=5, start_step=150), range(1000, 1003), work)
    assert "150..154 are before step 1000" in capsys.readouterr().err


def test_many_steps_are_remarked_on(capsys: pytest.CaptureFixture[str]) -> None:
    Profiler(num_steps=50, start_step=-1)
    assert "1 to 10 are usually enough" in capsys.readouterr().err


def test_requests_open_at_the_next_step(work: Work) -> None:
    profiler = Profiler(num_steps=2, start_step=-1)
    run(profiler, range(10), work, at={3: profiler.capture_async})
    assert windows(profiler) == [(4, 6)]
    assert profiler.results[0].trigger == "capture_async"


def test_a_request_before_the_loop_and_one_with_its_own_length(work: Work) -> None:
    profiler = Profiler(num_steps=2, start_step=-1)
    assert profiler.capture_async(num_steps=1)
    assert not profiler.capture_async()
    run(profiler, range(5), work)
    assert windows(profiler) == [(0, 1)]
    with pytest.raises(ValueError, match="at least 1"):
        profiler.capture_async(0)


def test_a_request_inside_a_step_covers_the_next_steps(work: Work) -> None:
    profiler = Profiler(num_steps=2, start_step=-1)
    profiler.begin_step(0)
    profiler.capture_async()
    profiler.end_step(work())
    run(profiler, range(1, 5), work)
    assert windows(profiler) == [(1, 3)]


def test_a_request_that_would_overlap_the_planned_window_follows_it(work: Work) -> None:
    profiler = Profiler(num_steps=3, start_step=5)
    run(profiler, range(20), work, at={2: profiler.capture_async})
    assert windows(profiler) == [(5, 8), (8, 11)]
    profiler = Profiler(num_steps=3, start_step=5)
    run(profiler, range(20), work, at={0: profiler.capture_async})
    assert windows(profiler) == [(1, 4), (5, 8)]
    profiler = Profiler(num_steps=3, start_step=5)
    run(profiler, range(20), work, at={6: profiler.capture_async})
    assert windows(profiler) == [(5, 8), (8, 11)]


def test_a_disabled_profiler_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert not Profiler(enabled=False).capture_async()
    assert "disabled" in capsys.readouterr().err


def test_requests_from_other_threads(work: Work) -> None:
    profiler = Profiler(num_steps=1, start_step=-1, quiet=True)
    is_over = threading.Event()

    def ask() -> None:
        while not is_over.wait(0.002):
            profiler.capture_async()

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    began, step = time.monotonic(), 0
    while len(profiler.results) < 5 and time.monotonic() - began < 20:
        run(profiler, range(step, step + 1), work)
        step += 1
    is_over.set()
    for thread in threads:
        thread.join()
    profiler.close()
    first_steps = [first for first, _ in windows(profiler)]
    assert len(first_steps) >= 5
    assert len(set(first_steps)) == len(first_steps)


def test_steps_are_marked_recorded_and_waited_for(tmp_path: Path, work: Work) -> None:
    waited = []

    class Pending:
        def block_until_ready(self) -> Pending:
            waited.append(1)
            return self

    profiler = Profiler(num_steps=2, start_step=1)
    for step in range(5):
        profiler.begin_step(step)
        work()
        profiler.end_step({"loss": Pending()})
    profile = captures.only_profile(tmp_path)
    assert captures.event_names(profile)["train"] == 2
    records = captures.manifest_of(profile)["steps"]
    assert [record["step"] for record in records] == [1, 2]
    assert all(record["duration_ns"] > 0 for record in records)
    # The window waits at its end; its steps do not.
    assert len(waited) == 1


def test_the_step_time_of_a_loop_that_never_waits_is_that_of_its_work(tmp_path: Path) -> None:
    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 60, lambda _, y: jnp.tanh(y @ y), x))
    argument = jnp.eye(400)
    slow(argument).block_until_ready()
    began_ns = time.perf_counter_ns()
    slow(argument).block_until_ready()
    alone_ns = time.perf_counter_ns() - began_ns
    with Profiler(num_steps=5, start_step=1) as profiler:
        value = argument
        for step in range(8):
            profiler.begin_step(step)
            value = slow(value)
            profiler.end_step(value)
    result = profiler.last_result
    assert result is not None and result.mean_step_ns is not None
    dispatches_ns = [step.duration_ns for step in result.steps if step.duration_ns is not None]
    assert len(dispatches_ns) == 5
    assert result.mean_step_ns > alone_ns / 4
    steps = stepscope.open(result).steps()
    measured_ns = [step.duration_ps / 1000 for step in steps]
    if jax.__version_info__ >= (0, 5):  # before, jaxlib recorded nothing of what a CPU runs
        assert 0.5 < sum(measured_ns) / 5 / result.mean_step_ns < 1.5


def test_a_window_closed_after_its_last_step_has_no_step_time(tmp_path: Path, work: Work) -> None:
    with Profiler(num_steps=5, start_step=1) as profiler:
        for step in range(3):
            profiler.begin_step(step)
            profiler.end_step(work())
        time.sleep(0.05)  # an evaluation, say
    assert profiler.last_result is not None
    assert profiler.last_result.steps_text == "steps 1..2"
    assert profiler.last_result.mean_step_ns is None


def test_steps_without_marks(tmp_path: Path, work: Work) -> None:
    run(Profiler(num_steps=2, start_step=1, annotate_steps=False), range(5), work)
    assert captures.event_names(captures.only_profile(tmp_path))["train"] == 0


def test_a_step_that_raises_inside_the_window(tmp_path: Path, work: Work) -> None:
    profiler = Profiler(num_steps=5, start_step=1)
    with pytest.raises(ValueError, match="nan"):
        for step in range(10):
            with profiler.step(step) as handle:
                handle.block(work())
                if step == 2:
                    raise ValueError("nan")
    assert windows(profiler) == [(1, 3)]
    manifest = captures.manifest_of(captures.only_profile(tmp_path))
    assert manifest["success"] is False
    assert manifest["error"] == "ValueError: nan"
    assert [record["duration_ns"] is None for record in manifest["steps"]] == [False, True]


def test_a_loop_that_raises_between_begin_and_end(tmp_path: Path, work: Work) -> None:
    with pytest.raises(ZeroDivisionError):
        with Profiler(num_steps=5, start_step=1) as profiler:
            for step in range(10):
                profiler.begin_step(step)
                work()
                if step == 3:
                    raise ZeroDivisionError
                profiler.end_step()
    assert windows(profiler) == [(1, 4)]
    assert captures.manifest_of(captures.only_profile(tmp_path))["success"] is False


def test_a_forgotten_end_step(tmp_path: Path, work: Work) -> None:
    profiler = Profiler(num_steps=2, start_step=1)
    for step in range(5):
        profiler.begin_step(step)
        work()
    assert windows(profiler) == [(1, 3)]


def test_a_step_inside_a_window_that_a_limit_ended(work: Work) -> None:
    profiler = Profiler(num_steps=10**9, start_step=0, max_seconds=0.1)
    step, began = 0, time.monotonic()
    while not profiler.results and time.monotonic() - began < 20:
        run(profiler, range(step, step + 1), work)
        step += 1
    run(profiler, range(step, step + 3), work)
    (result,) = profiler.results
    assert result.stopped_by == "max_seconds = 0.1"
    assert not profiler.is_recording


def test_inside_a_capture_of_ours_a_window_is_skipped(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    profiler = Profiler(num_steps=1, start_step=1)
    with stepscope.profile_trace("outer"):
        run(profiler, range(3), work)
    assert profiler.results == []
    assert "already active" in capsys.readouterr().err


def test_a_trigger_captures_the_steps_after_a_slow_one(work: Work) -> None:
    profiler = Profiler(num_steps=2, start_step=-1, trigger="step_time > 5 * median + 50ms")
    run_slowly(profiler, range(40), work, {15: 0.3, 30: 0.3})
    profiler.close()
    ((first, end),) = windows(profiler)
    # The watch sees a step when its result is available; the next step to start is captured.
    assert first in (16, 17, 18)
    assert end == first + 2
    assert "step_time > 5 * median" in (profiler.results[0].trigger or "")


def test_the_number_of_triggered_captures_is_limited(work: Work) -> None:
    profiler = Profiler(1, start_step=-1, trigger="200ms", trigger_limit=2)
    run_slowly(profiler, range(45), work, {15: 0.25, 25: 0.25, 35: 0.25})
    profiler.close()
    first_steps = [first for first, _ in windows(profiler)]
    assert len(first_steps) == 2
    assert first_steps[0] in (16, 17, 18)
    assert first_steps[1] in (26, 27, 28)


def test_a_trigger_watches_work_and_not_its_dispatch() -> None:
    """The loop never waits, so on the host all steps are fast; one has twenty times the work."""
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(x: Any, rounds: Any) -> Any:
        return jax.lax.fori_loop(0, rounds, lambda _, y: jnp.sin(y @ y) * 0.01, x)

    x = jnp.ones((256, 256))
    step(x, 1).block_until_ready()
    profiler = Profiler(1, start_step=-1, trigger="5x")
    number, began = 0, time.monotonic()
    while not profiler.results and time.monotonic() - began < 60:
        profiler.begin_step(number)
        x = step(x, 200 if number == 30 else 10)
        profiler.end_step(x)
        if number > 40:  # the watch lags behind a loop that runs ahead, like its device
            time.sleep(0.01)
        number += 1
    profiler.close()
    assert len(profiler.results) == 1
    assert (profiler.results[0].step_first or 0) > 30
    assert "median" in (profiler.results[0].trigger or "")


def test_results_that_were_donated_do_not_count_as_fast_steps() -> None:
    import jax
    import jax.numpy as jnp

    from stepscope.step_watch import _done_ns

    gone = jnp.ones(3)
    gone.delete()
    assert _done_ns({"state": gone}, 7) is None
    assert _done_ns(gone, 7) is None
    assert _done_ns({"loss": 0.5}, 7) == 7
    assert _done_ns(None, 7) == 7
    began = time.perf_counter_ns()
    assert (_done_ns({"state": gone, "loss": jax.numpy.ones(2)}, 7) or 0) > began


def test_a_bad_trigger_is_refused_when_the_profiler_is_made() -> None:
    with pytest.raises(stepscope.TriggerError, match="medain"):
        Profiler(trigger="step_time > 2 * medain")


def test_flags_drive_a_profiler(tmp_path: Path, work: Work) -> None:
    import argparse

    parser = stepscope.add_profile_args(argparse.ArgumentParser())
    folder = str(tmp_path / "flagged")
    args = parser.parse_args(
        ["--enable_profiling", f"--profile_dir={folder}", "--profiler_start_step=2"]
    )
    profiler = Profiler(args=args, num_steps=1)
    run(profiler, range(4), work)
    assert windows(profiler) == [(2, 3)]
    assert captures.only_profile(tmp_path / "flagged")
    off = Profiler(args=parser.parse_args([]))
    run(off, range(200), work)
    assert off.results == []


def test_as_an_attribute_of_a_trainer(work: Work) -> None:
    class Trainer:
        def __init__(self) -> None:
            self.profiler = Profiler(
                num_steps=1, log_dir="./checkpoints/profiler_traces", start_step=-1
            )

        def train(self) -> None:
            run(self.profiler, range(5), work, at={1: self.profiler.capture_async})

    trainer = Trainer()
    trainer.train()
    assert windows(trainer.profiler) == [(2, 3)]
    assert captures.only_profile(Path("checkpoints/profiler_traces"))


def environment_loop(steps: range, work: Work) -> None:
    for step in steps:
        with stepscope.maybe_profile(step) as profile:
            profile.block(work())


def test_maybe_profile_does_nothing_without_the_variable(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PROFILE_START_STEP", "not even looked at")
    environment_loop(range(5), work)
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().err == ""
    assert stepscope.environment_profiler() is None


def test_maybe_profile(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PROFILE_ENABLED", "1")
    monkeypatch.setenv("PROFILE_STRAT_STEP", "7")
    environment_loop(range(105), work)
    assert captures.only_profile(tmp_path / "profiles" / "step_00000100")
    printed = capsys.readouterr().err
    assert console.RULE == "=" * 60
    assert printed.count(console.RULE) == 3
    for words in (
        "Profile Dir: ./profiles",
        "Start Step:  100",
        "Interval:    once",
        "Duration:    1 step\n",
        "Mode:        tensorboard",
        "Profiling step 100 ...",
        "Profile saved: profiles/step_00000100",
        "did you mean PROFILE_START_STEP",
    ):
        assert words in printed


def test_maybe_profile_with_every_variable(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "ENABLED": "1",
        "DIR": str(tmp_path / "here"),
        "START_STEP": "2",
        "INTERVAL": "5",
        "DURATION": "2",
        "MODE": "perfetto",
    }.items():
        monkeypatch.setenv(f"PROFILE_{name}", value)
    environment_loop(range(10), work)
    assert sorted(path.name for path in (tmp_path / "here").iterdir()) == [
        "step_00000002",
        "step_00000007",
    ]
    assert len(list(tmp_path.rglob("perfetto_trace.json.gz"))) == 2
    profiler = stepscope.environment_profiler()
    assert profiler is not None
    assert windows(profiler) == [(2, 4), (7, 9)]


def test_maybe_profile_refuses_nonsense_at_the_first_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PROFILE_ENABLED", "1")
    monkeypatch.setenv("PROFILE_START_STEP", "soon")
    with pytest.raises(stepscope.SettingsError, match="PROFILE_START_STEP is 'soon'"):
        stepscope.maybe_profile(0)


def test_maybe_profile_passes_exceptions(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROFILE_ENABLED", "1")
    monkeypatch.setenv("PROFILE_START_STEP", "1")
    with pytest.raises(LookupError):
        for step in range(3):
            with stepscope.maybe_profile(step) as profile:
                profile.block(work())
                if step == 1:
                    raise LookupError
    assert captures.manifest_of(captures.only_profile(tmp_path))["success"] is False
    environment.reload_environment()


def test_a_request_does_not_wait_for_a_capture_that_is_written(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With many GPUs this takes minutes."""
    from stepscope import recorders

    is_writing, may_end = threading.Event(), threading.Event()

    def stop(self: Any, *arguments: Any, **keywords: Any) -> int:
        is_writing.set()
        assert may_end.wait(60)
        return honest(self, *arguments, **keywords)

    recorder = type(recorders.new_recorder())
    honest = recorder.stop
    monkeypatch.setattr(recorder, "stop", stop)
    profiler = Profiler(num_steps=1, start_step=0)
    answers: list[bool] = []

    def ask() -> None:
        assert is_writing.wait(60)
        answers.append(profiler.capture_async(2))
        may_end.set()

    thread = threading.Thread(target=ask)
    thread.start()
    for step in range(5):
        with profiler.step(step) as handle:
            handle.block(work())
    thread.join()
    profiler.close()
    assert answers == [True]
    assert [result.steps_text for result in profiler.results] == ["step 0", "steps 1..2"]
