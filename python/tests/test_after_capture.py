"""What follows a capture: the callback, limits on the number of captures, and what costs nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import captures
import pytest

import stepscope
from stepscope import CaptureResult, Profiler, after_capture

Work = Callable[[], Any]


def run(profiler: Profiler, steps: range, work: Work) -> None:
    for step in steps:
        profiler.begin_step(step)
        profiler.end_step(work())
    profiler.close()


def test_each_capture_is_handed_over_when_it_is_written(work: Work) -> None:
    seen: list[CaptureResult] = []

    def on_capture(result: CaptureResult) -> None:
        assert result.path.is_file()
        seen.append(result)

    profiler = Profiler(1, start_step=1, interval=3, on_capture=on_capture)
    run(profiler, range(8), work)
    assert [result.step_first for result in seen] == [1, 4, 7]
    assert seen == profiler.results
    with stepscope.profile_trace("block", on_capture=on_capture):
        work()
    captured = stepscope.profile_function("calls", 0, on_capture=on_capture)(work)
    captured()
    assert len(seen) == 5


def test_a_callback_that_raises_harms_nothing(
    work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    def on_capture(result: CaptureResult) -> None:
        raise ConnectionError("no network")

    profiler = Profiler(1, start_step=1, interval=2, on_capture=on_capture)
    run(profiler, range(5), work)
    assert len(profiler.results) == 2
    printed = capsys.readouterr().err
    assert printed.count("on_capture raised ConnectionError: no network") == 2
    assert str(profiler.results[0].directory) in printed


def test_the_callback_runs_beside_the_loop_and_is_waited_for_at_the_end(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    folder = tmp_path / "traces"
    may_end = threading.Event()
    order: list[str] = []

    def on_capture(result: CaptureResult) -> None:
        assert may_end.wait(60)
        order.append(f"{result.step_first} on {threading.current_thread().name}")

    profiler = Profiler(1, folder, start_step=1, interval=1, quiet=True, on_capture=on_capture)
    for step in range(4):
        profiler.begin_step(step)
        profiler.end_step(work())
    assert order == []  # the loop did not wait
    may_end.set()
    profiler.close()
    assert order == [f"{step} on stepscope-after-capture" for step in (1, 2, 3)]


def test_max_captures(work: Work, capsys: pytest.CaptureFixture[str]) -> None:
    profiler = Profiler(1, start_step=1, interval=1, max_captures=2)
    for step in range(6):
        profiler.begin_step(step)
        profiler.end_step(work())
    assert [result.step_first for result in profiler.results] == [1, 2]
    assert not profiler.capture_async()
    assert "max_captures = 2 reached" in capsys.readouterr().err
    assert profiler._schedule.wake_step == float("inf")
    profiler.close()


def test_only_the_newest_captures_are_kept(tmp_path: Path, work: Work) -> None:
    other = tmp_path / "traces" / "plugins" / "profile" / "older" / "vm.xplane.pb"
    other.parent.mkdir(parents=True)
    other.write_bytes(b"somebody else's")
    profiler = Profiler(
        1, start_step=1, interval=1, keep_captures=2, mode="both", create_perfetto_trace=True
    )
    run(profiler, range(6), work)
    assert len(profiler.results) == 5
    left = {path.name for path in captures.run_directories(tmp_path / "traces")}
    assert left == {"older"} | {result.session_id for result in profiler.results[-2:]}


def test_files_of_other_processes_in_a_run_directory_stay(tmp_path: Path, work: Work) -> None:
    def beside(result: CaptureResult) -> None:
        (result.directory / "other.xplane.pb").write_bytes(b"x")

    profiler = Profiler(1, start_step=1, interval=1, keep_captures=1, on_capture=beside)
    run(profiler, range(3), work)
    old, new = profiler.results
    assert {path.name for path in old.directory.iterdir()} == {"other.xplane.pb"}
    assert new.path.is_file()


def test_the_end_of_the_program_calls_back_as_well(tmp_path: Path) -> None:
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            "import jax, stepscope\n"
            "f = jax.jit(lambda x: x + 1)\n"
            "def main():\n"
            "    p = stepscope.Profiler(5, 'logs', start_step=1,\n"
            "        on_capture=lambda r: print('called', r.stopped_by, r.path.is_file()))\n"
            "    for step in range(3):\n"
            "        p.begin_step(step)\n"
            "        p.end_step(f(1.0))\n"
            "main()\n",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.stdout == "called the end of the program True\n", ended.stderr


@pytest.mark.parametrize(
    ("steps", "end"), [(10, ""), (10, "profiler.close()"), (10, "del profiler"), (0, "")]
)
def test_a_window_that_was_never_reached_is_said_at_the_end(
    tmp_path: Path, steps: int, end: str
) -> None:
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            "import stepscope\n"
            "profiler = stepscope.Profiler(5, 'logs', start_step=150)\n"
            f"for step in range({steps}):\n"
            "    profiler.begin_step(step)\n"
            "    profiler.end_step()\n"
            f"{end}\n",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = "never reached: the last step was 9" if steps else "No step started"
    assert ended.stderr.count(said) == 1, ended.stderr
    assert "150..154" in ended.stderr


def test_a_window_that_came_is_not_said_to_be_missing(
    work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    run(Profiler(1, start_step=1, interval=100), range(5), work)
    run(Profiler(1, start_step=-1), range(5), work)
    run(Profiler(1, start_step=100, enabled=False), range(5), work)
    printed = capsys.readouterr().err
    assert "never reached" not in printed
    profiler = Profiler(1, start_step=-1)
    profiler.capture_async()
    profiler.close()
    assert "no step started after that" in capsys.readouterr().err
    after_capture.wait_until_done()
