"""How captures end: by limits, by hand, with the program; and that Python's state is restored."""

from __future__ import annotations

import cProfile
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import captures
import pytest

import stepscope
from stepscope import _jax, limits

Work = Callable[[], Any]
pytestmark = pytest.mark.oldest


def test_seconds_end_a_capture(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    with stepscope.profile_trace("profiles", max_seconds=0.2) as trace:
        began = time.monotonic()
        while not captures.profiles(tmp_path) and time.monotonic() - began < 20:
            work().block_until_ready()
        with stepscope.profile_scope("too late"):
            work().block_until_ready()
    assert trace.result is not None
    assert trace.result.stopped_by == "max_seconds = 0.2"
    assert 0.2 <= trace.result.seconds < 5
    profile = captures.only_profile(tmp_path)
    assert "too late" not in captures.event_names(profile)
    assert captures.manifest_of(profile)["stopped_by"] == "max_seconds = 0.2"
    assert "ended early by max_seconds" in capsys.readouterr().err


def test_size_ends_a_capture(tmp_path: Path, work: Work) -> None:
    with stepscope.profile_trace("profiles", max_megabytes=0.2) as trace:
        began = time.monotonic()
        while not captures.profiles(tmp_path) and time.monotonic() - began < 20:
            work().block_until_ready()
    assert trace.result is not None
    assert (trace.result.stopped_by or "").startswith("max_megabytes = 0.2, estimated from")


@pytest.mark.parametrize("has_allocator", [True, False])
def test_memory_in_use(has_allocator: bool) -> None:
    """In a separate process, in which resident memory was never larger than it is now."""
    program = (
        "from stepscope import limits\n"
        f"if not {has_allocator}:\n"
        "    limits._allocator = lambda: None\n"
        "before = limits.allocated_bytes()\n"
        "held = bytearray(50_000_000)\n"
        "held[::4096] = b'x' * len(held[::4096])\n"
        "print(limits.allocated_bytes() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True
    )
    assert 40_000_000 < int(done.stdout) < 90_000_000


def test_the_size_is_estimated_well(tmp_path: Path) -> None:
    """The assumption of the limit holds within a factor of two, also for a second capture.

    In a separate process: memory that an earlier test frees meanwhile would count against it.
    """
    program = (
        "import gc, jax, jax.numpy as jnp, stepscope\n"
        "from stepscope import limits\n"
        "step = jax.jit(lambda x: (jnp.sin(x) @ x).sum())\n"
        "x = jnp.ones((64, 64))\n"
        "step(x).block_until_ready()\n"
        "for _ in range(2):\n"
        "    gc.collect()\n"
        "    with stepscope.profile_trace('profiles') as trace:\n"
        "        before = limits.allocated_bytes()\n"
        "        for _ in range(2000):\n"
        "            step(x)\n"
        "        step(x).block_until_ready()\n"
        "        growth = limits.allocated_bytes() - before\n"
        "    print(growth, trace.result.size_bytes)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        cwd=tmp_path,
    )
    measured = [[int(word) for word in line.split()] for line in done.stdout.splitlines()]
    assert len(measured) == 2
    for growth, size_bytes in measured:
        assert 0.5 < growth / limits.MEMORY_BYTES_PER_FILE_BYTE / size_bytes < 2, measured


def test_the_profile_hook_of_python_is_put_back(tmp_path: Path, work: Work) -> None:
    def hook(frame: Any, event: str, argument: Any) -> None:
        return None

    sys.setprofile(hook)
    try:
        with stepscope.profile_trace("profiles"):
            work()
        assert sys.getprofile() is hook
    finally:
        sys.setprofile(None)


def test_the_hook_is_put_back_after_a_limit_too(tmp_path: Path, work: Work) -> None:
    def hook(frame: Any, event: str, argument: Any) -> None:
        return None

    sys.setprofile(hook)
    try:
        with stepscope.profile_trace("profiles", max_seconds=0.05) as trace:
            began = time.monotonic()
            while not captures.profiles(tmp_path) and time.monotonic() - began < 20:
                work().block_until_ready()
        assert trace.result is not None and trace.result.stopped_by is not None
        assert sys.getprofile() is hook
    finally:
        sys.setprofile(None)


def test_cprofile_goes_on_after_a_capture(tmp_path: Path, work: Work) -> None:
    def after_the_capture() -> None:
        return None

    profile = cProfile.Profile()
    profile.enable()
    try:
        with stepscope.profile_trace("profiles"):
            work()
        after_the_capture()
    finally:
        profile.disable()
    names = {entry.code.co_name for entry in profile.getstats() if not isinstance(entry.code, str)}
    assert "after_the_capture" in names


def test_start_and_stop(tmp_path: Path, work: Work) -> None:
    with pytest.raises(stepscope.CaptureError, match="No capture was started"):
        stepscope.stop_trace()
    stepscope.start_trace("profiles")
    with pytest.raises(stepscope.ProfilerBusyError, match="already active"):
        stepscope.start_trace("profiles")
    result = stepscope.stop_trace(work())
    assert result is not None
    assert result.path == captures.only_profile(tmp_path / "profiles")


def test_a_session_of_its_own(tmp_path: Path, work: Work) -> None:
    session = stepscope.CaptureSession("profiles")
    with pytest.raises(stepscope.CaptureError, match="No capture was started"):
        session.stop()
    session.start()
    assert session.is_recording
    first = session.stop(work())
    assert session.stop() is first
    with pytest.raises(stepscope.CaptureError, match="started once"):
        session.start()
    other = stepscope.CaptureSession("thrown_away").start()
    other.reset()
    assert not captures.profiles(tmp_path / "thrown_away")
    assert len(captures.profiles(tmp_path)) == 1


def test_the_old_and_the_fast_way_to_stop(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_jax, "has_fast_stop", lambda: False)
    with stepscope.profile_trace("public", mode="both"), stepscope.profile_scope("region"):
        work()
    run = captures.only_profile(tmp_path / "public").parent
    assert captures.event_names(captures.only_profile(tmp_path / "public"))["region"] == 1
    assert len(list(run.iterdir())) == 4
    with pytest.raises(ValueError, match="of the block"):
        with stepscope.profile_trace("public"):
            raise ValueError("of the block")
    assert len(captures.profiles(tmp_path / "public")) == 2


def test_a_program_that_ends_inside_a_capture_keeps_it(tmp_path: Path) -> None:
    from test_names import run_python

    code = """
        import jax, jax.numpy as jnp, stepscope
        stepscope.start_trace("profiles", quiet=True)
        jnp.ones(3) + 1
    """
    run_python(code, tmp_path)
    manifest = captures.manifest_of(captures.only_profile(tmp_path))
    assert manifest["success"] is True
    assert manifest["stopped_by"] == "the end of the program"


def test_a_program_that_dies_inside_a_window_keeps_it(tmp_path: Path) -> None:
    from test_names import PACKAGE_FOLDER

    code = (
        "import jax.numpy as jnp, stepscope\n"
        "profiler = stepscope.Profiler(num_steps=5, start_step=1)\n"
        "for step in range(9):\n"
        "    profiler.begin_step(step)\n"
        "    assert step < 3, 'loss is nan'\n"
        "    profiler.end_step(jnp.ones(3) + 1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": PACKAGE_FOLDER, "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "AssertionError: loss is nan" in done.stderr
    manifest = captures.manifest_of(captures.only_profile(tmp_path))
    assert manifest["success"] is False
    assert manifest["error"] == "AssertionError: loss is nan"
    assert (manifest["step_first"], manifest["step_end"]) == (1, 3)
