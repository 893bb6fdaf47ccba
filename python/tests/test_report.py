"""The output after a capture, with and without the engine, and the manifest."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import captures
import jax
import pytest

import stepscope
from stepscope import console, manifest, profile_contents, report

Work = Callable[[], Any]
pytestmark = pytest.mark.oldest


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulates an installation without the extension module."""
    monkeypatch.setitem(sys.modules, "stepscope._engine", None)
    monkeypatch.delattr(stepscope, "_engine", raising=False)


def engine_that(monkeypatch: pytest.MonkeyPatch, answer: Callable[[str], Any]) -> None:
    """An engine whose verdict is `answer`."""
    engine = ModuleType("stepscope._engine")
    engine.verdict_lines = answer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "stepscope._engine", engine)
    monkeypatch.setattr(stepscope, "_engine", engine, raising=False)


def capture(work: Work, **keywords: Any) -> stepscope.CaptureResult:
    with stepscope.profile_trace("my profiles", **keywords) as trace:
        with trace.step(4):
            trace.block(work())
    assert trace.result is not None
    return trace.result


def test_without_the_engine(
    work: Work, no_engine: None, capsys: pytest.CaptureFixture[str]
) -> None:
    result = capture(work)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"Captured step 4 in {console.seconds_text(result.seconds)}" in printed.err
    assert f"{console.bytes_text(result.size_bytes)} on {result.host}" in printed.err
    assert "engine is not installed" in printed.err
    assert f"stepscope view '{result.directory}'" in printed.err


def test_the_engines_lines_are_printed(
    work: Work, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def answer(path: str) -> list[str]:
        asked.append(path)
        return ["1 device, 1 step of 3 ms", "busy 80 %"]

    engine_that(monkeypatch, answer)
    result = capture(work)
    printed = capsys.readouterr().err
    head, times, *rest = printed.splitlines()
    assert head == "1 device, 1 step of 3 ms"
    assert times == (
        f"  recorded for {console.seconds_text(result.seconds)}, then collected and written in "
        f"{console.seconds_text(result.stop_seconds)}, while the program was paused"
    )
    assert rest[0] == "  busy 80 %"
    assert rest[1].startswith("  open it: stepscope view")
    assert "engine is not installed" not in printed
    assert asked == [str(result.directory)]


def test_an_engine_that_fails_costs_nothing(
    work: Work, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(path: str) -> list[str]:
        raise RuntimeError("it broke")

    engine_that(monkeypatch, fail)
    capture(work)
    assert "failed to give a verdict: it broke" in capsys.readouterr().err


@pytest.mark.parametrize("how", ["argument", "variable"])
def test_quiet(
    work: Work, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    if how == "variable":
        monkeypatch.setenv("PROFILE_QUIET", "1")
    capture(work, **({"quiet": True} if how == "argument" else {}))
    assert capsys.readouterr().err == ""


def test_only_the_first_process_prints(work: Work, capsys: pytest.CaptureFixture[str]) -> None:
    result = capture(work, quiet=True)
    result.process_index = 1
    report.show(result, quiet=False)
    assert capsys.readouterr().err == ""


def test_the_first_process_waits_for_the_captures_of_the_others(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    result = capture(work, quiet=True)
    result.process_count = 2
    (result.directory / "other.stepscope.json").write_text("{}")
    engine_that(monkeypatch, lambda path: [f"{len(captures.profiles(Path(path)))} hosts"])
    writer = threading.Timer(
        0.2, lambda: (result.directory / "other.xplane.pb").write_bytes(result.path.read_bytes())
    )
    writer.start()
    report.show(result, quiet=False)
    writer.join()
    assert capsys.readouterr().err.startswith("2 hosts\n")
    (result.directory / "third.stepscope.json").write_text("{}")
    assert not report.wait_for_other_processes(result.directory, seconds=0.1)


def test_printing_beside_the_program(
    work: Work, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    shown, go = [], threading.Event()

    def answer(path: str) -> list[str]:
        go.wait(20)
        shown.append(path)
        return []

    engine_that(monkeypatch, answer)
    profiler = stepscope.Profiler(num_steps=1, start_step=0, log_dir=tmp_path)
    profiler.begin_step(0)
    profiler.end_step(work())
    assert profiler.results and not shown
    go.set()
    profiler.close()
    assert shown == [str(profiler.results[0].directory)]


@captures.only_where(hasattr(jax.profiler, "ProfileOptions"))
def test_an_empty_capture_is_named(
    work: Work, no_engine: None, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"host_tracer_level": 0, "python_tracer_level": 0}
    with stepscope.profile_trace("profiles", profiler_options=options):
        work()
    assert "has no events" in capsys.readouterr().err


def test_problems_of_captures(tmp_path: Path, work: Work) -> None:
    path = tmp_path / "x.xplane.pb"
    path.write_bytes(b"")
    assert "0 bytes" in profile_contents.problems(profile_contents.look(path), "cpu")[0]
    result = capture(work, quiet=True)
    whole = result.path.read_bytes()
    contents = profile_contents.look(result.path)
    assert profile_contents.problems(contents, "cpu") == []
    assert "/host:CPU" in contents.planes_with_events
    assert "No GPU events" in profile_contents.problems(contents, "gpu")[0]
    assert "No TPU events" in profile_contents.problems(contents, "tpu")[0]
    path.write_bytes(whole[: len(whole) // 2])
    assert "damaged" in profile_contents.problems(profile_contents.look(path), "cpu")[0]
    path.write_bytes(b"\xff" * 100)
    assert profile_contents.look(path).is_damaged


def test_a_closed_standard_error_is_no_reason_to_fail(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    capture(work)


def test_a_heartbeat_while_it_takes_long(capsys: pytest.CaptureFixture[str]) -> None:
    with console.Heartbeat("Collecting", every_seconds=0.02):
        time.sleep(0.2)
    assert "Collecting, " in capsys.readouterr().err
    with console.Heartbeat("Collecting", every_seconds=0.02, quiet=True):
        time.sleep(0.1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.0123, "12.3 ms"), (2.5, "2.5 s"), (119, "119 s"), (200, "3 min 20 s")],
)
def test_durations_for_people(seconds: float, expected: str) -> None:
    assert console.seconds_text(seconds) == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_900_000, "1.9 MB"), (2e12, "2 TB")],
)
def test_sizes_for_people(size: float, expected: str) -> None:
    assert console.bytes_text(size) == expected


def test_the_manifest(tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS_NOT", "1")
    monkeypatch.setenv("JAX_SOMETHING", "2")
    monkeypatch.setenv("PROFILE_DIR", "3")
    monkeypatch.setenv("JAX_API_KEY", "hide me")
    monkeypatch.setattr(sys, "argv", ["train.py", "--lr=0.1", "--api_key", "hide me", "--token=me"])
    before = time.time_ns()
    result = capture(work, name="train_step")
    content = captures.manifest_of(result.path)
    assert content["stepscope_manifest"] == 1
    assert content["session_id"] == result.path.parent.name
    assert content["name"] == "train_step"
    assert content["host"] == result.path.name.removesuffix(".xplane.pb")
    assert (content["process_index"], content["process_count"]) == (0, 1)
    assert before <= content["started_unix_ns"] < content["stopped_unix_ns"] <= time.time_ns()
    assert content["stop_seconds"] > 0
    assert (content["step_first"], content["step_end"]) == (4, 5)
    assert content["steps"][0]["step"] == 4
    assert content["success"] is True
    assert content["error"] is None
    assert content["size_bytes"] == result.path.stat().st_size
    assert {"python", "jax", "jaxlib"} <= set(content["versions"])
    assert content["devices"][0]["platform"] == "cpu"
    assert set(content["devices"][0]) == {"id", "kind", "platform", "process_index"}
    assert content["options"]["mode"] == "tensorboard"
    assert content["arguments"] == [
        "train.py",
        "--lr=0.1",
        "--api_key",
        "(hidden)",
        "--token=(hidden)",
    ]
    assert content["environment"]["JAX_SOMETHING"] == "2"
    assert content["environment"]["JAX_API_KEY"] == "(hidden)"
    assert content["environment"]["PROFILE_DIR"] == "3"
    assert "XLA_FLAGS_NOT" not in content["environment"]
    assert content == {"stepscope_manifest": 1} | result.manifest


def test_a_manifest_stays_small(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "STEPS_MAX", 3)
    with stepscope.profile_trace("profiles", quiet=True) as trace:
        for step in range(5):
            with trace.step(step):
                work()
    assert trace.result is not None
    content = captures.manifest_of(trace.result.path)
    assert [record["step"] for record in content["steps"]] == [0, 1, 2]
    assert content["steps_left_out"] == 2
    assert (content["step_first"], content["step_end"]) == (0, 5)


def test_git_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    script = tmp_path / "train.py"
    script.write_text("")
    main = ModuleType("__main__")
    main.__file__ = str(script)
    monkeypatch.setitem(sys.modules, "__main__", main)
    manifest.git_state.cache_clear()
    try:
        git("init", "-q", "-b", "trunk")
        git("add", "train.py")
        git("commit", "-q", "-m", "one")
        assert manifest.git_state() == {
            "commit": git("rev-parse", "HEAD"),
            "branch": "trunk",
            "dirty": False,
        }
        manifest.git_state.cache_clear()
        script.write_text("changed")
        assert (manifest.git_state() or {})["dirty"] is True
        manifest.git_state.cache_clear()
        monkeypatch.setenv("PATH", "")
        assert manifest.git_state() is None
    finally:
        manifest.git_state.cache_clear()
