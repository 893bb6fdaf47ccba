"""Other profilers: sessions of jax, of a viewer over the network, dead and forbidden sessions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import captures
import jax
import profiler_client
import pytest
from ports import free_port

import stepscope
from stepscope import _jax, occupancy, profiler_state

Work = Callable[[], Any]
pytestmark = pytest.mark.oldest
HAS_OPTIONS = hasattr(jax.profiler, "ProfileOptions")
HAS_SESSIONS = hasattr(jax.profiler, "ProfileSession")


@pytest.fixture
def server() -> Iterator[int]:
    """A jax profiler server in this process; returns its port."""
    port = free_port()
    jax.profiler.start_server(port)
    yield port
    jax.profiler.stop_server()


def during_a_remote_capture(port: int, duration_ms: int) -> tuple[threading.Thread, list[bytes]]:
    """Starts a capture over the network and returns once it is recording."""
    replies: list[bytes] = []
    thread = threading.Thread(
        target=lambda: replies.append(profiler_client.capture(port, duration_ms))
    )
    thread.start()
    began = time.monotonic()
    while not _jax.is_recording():
        assert time.monotonic() - began < 20, "the server did not begin to record"
        time.sleep(0.005)
    return thread, replies


def test_a_server_in_the_middle_of_a_capture(
    server: int, tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    thread, replies = during_a_remote_capture(server, 700)
    with pytest.raises(stepscope.ProfilerBusyError, match="already active") as caught:
        with stepscope.profile_trace("profiles"):
            pytest.fail("the block must not run")
    assert isinstance(caught.value, RuntimeError)
    assert "hint" in str(caught.value)
    profiler = stepscope.Profiler(num_steps=1, log_dir="profiles", start_step=3)
    for step in range(6):
        profiler.begin_step(step)
        profiler.end_step(work())
    assert "no capture of step 3" in capsys.readouterr().err
    assert profiler.results == []
    thread.join()
    # Old servers write the capture to their own disk and answer with an empty message.
    assert len(replies[0]) > (1000 if jax.__version_info__ >= (0, 7) else 0)
    assert not captures.profiles(tmp_path / "profiles")
    with stepscope.profile_trace("profiles"):
        work()
    assert captures.only_profile(tmp_path / "profiles")


def test_a_remote_capture_during_ours_is_refused_and_ours_survives(
    server: int, tmp_path: Path, work: Work
) -> None:
    with stepscope.profile_trace("profiles"), stepscope.profile_scope("region"):
        reply = profiler_client.capture(server, 100)
        work()
    assert b"region" not in reply
    assert captures.event_names(captures.only_profile(tmp_path))["region"] == 1


def test_inside_a_trace_of_jax_blocks_become_marks(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    with jax.profiler.trace(str(tmp_path / "jax")):
        with stepscope.profile_trace("ours", name="inner_part") as inner:
            work()
        assert inner.is_nested
    assert "already active" in capsys.readouterr().err
    assert not (tmp_path / "ours").exists()
    assert captures.event_names(captures.only_profile(tmp_path / "jax"))["inner_part"] == 1


def test_a_session_is_refused_inside_a_trace_of_jax(tmp_path: Path, work: Work) -> None:
    jax.profiler.start_trace(str(tmp_path / "jax"))
    try:
        with pytest.raises(stepscope.ProfilerBusyError, match=r"jax\.profiler\.start_trace"):
            stepscope.CaptureSession("ours").start()
        with pytest.raises(stepscope.ProfilerBusyError):
            stepscope.start_trace("ours")
        work()
    finally:
        jax.profiler.stop_trace()
    assert captures.only_profile(tmp_path / "jax")
    assert not (tmp_path / "ours").exists()


def test_a_profiler_skips_while_jax_traces(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    profiler = stepscope.Profiler(num_steps=2, log_dir="ours", start_step=1)
    with jax.profiler.trace(str(tmp_path / "jax")):
        for step in range(4):
            profiler.begin_step(step)
            profiler.end_step(work())
    assert "already active" in capsys.readouterr().err
    assert profiler.results == []
    profiler.capture_async()
    profiler.begin_step(4)
    profiler.end_step(work())
    profiler.close()
    assert len(profiler.results) == 1


def test_a_second_session_of_ours_is_refused(work: Work) -> None:
    with stepscope.profile_trace("profiles", name="first"):
        with pytest.raises(stepscope.ProfilerBusyError, match="already active: first"):
            stepscope.CaptureSession("profiles").start()
        work()


def test_jax_refuses_at_once_while_we_record(tmp_path: Path, work: Work) -> None:
    with stepscope.profile_trace("profiles"), stepscope.profile_scope("region"):
        (run,) = captures.run_directories(tmp_path / "profiles")
        ours = rf"already been started: the capture {run.name} of stepscope"
        with pytest.raises(RuntimeError, match=ours):
            jax.profiler.start_trace(str(tmp_path / "jax"))
        with pytest.raises(RuntimeError, match=ours):
            jax.profiler.trace(str(tmp_path / "jax")).__enter__()
        with pytest.raises(RuntimeError, match=ours):
            jax.profiler.stop_trace()
        if HAS_SESSIONS:
            with pytest.raises(RuntimeError, match=ours):
                jax.profiler.ProfileSession(tmp_path / "jax").start()
        work()
    assert captures.event_names(captures.only_profile(tmp_path / "profiles"))["region"] == 1
    with jax.profiler.trace(str(tmp_path / "jax")):
        work()
    assert captures.only_profile(tmp_path / "jax")


def poison(tmp_path: Path) -> None:
    """Makes jax's own `stop_trace` fail, after which jax is stuck."""
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    jax.profiler.start_trace(str(blocked))
    try:
        jax.profiler.stop_trace()
    except Exception:  # noqa: BLE001 - the class differs between versions of jaxlib
        pass
    state = profiler_state.current()
    if state.session is None:  # some versions forget the session before they write its file
        assert state.form is not None
        setattr(_jax.profiler_note(), state.form.session, object())
    with pytest.raises(RuntimeError, match="already been started"):
        jax.profiler.start_trace(str(tmp_path / "never"))


def test_the_stuck_state_of_jax_is_cured(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    poison(tmp_path)
    with stepscope.profile_trace("profiles"), stepscope.profile_scope("region"):
        work()
    assert "earlier failed stop_trace" in capsys.readouterr().err
    assert captures.event_names(captures.only_profile(tmp_path / "profiles"))["region"] == 1
    with jax.profiler.trace(str(tmp_path / "jax")):
        work()
    assert captures.only_profile(tmp_path / "jax")


def test_reset_cures_too(tmp_path: Path, work: Work) -> None:
    poison(tmp_path)
    stepscope.CaptureSession("profiles").reset()
    with jax.profiler.trace(str(tmp_path / "jax")):
        work()
    assert captures.only_profile(tmp_path / "jax")


@captures.only_where(HAS_OPTIONS)
def test_a_quiet_session_of_jax_is_not_taken_for_dead(tmp_path: Path, work: Work) -> None:
    options = jax.profiler.ProfileOptions()
    options.host_tracer_level = 0
    options.python_tracer_level = 0
    jax.profiler.start_trace(str(tmp_path / "jax"), profiler_options=options)
    try:
        with pytest.raises(stepscope.ProfilerBusyError):
            stepscope.CaptureSession("ours").start()
    finally:
        jax.profiler.stop_trace()
    assert captures.only_profile(tmp_path / "jax")


@captures.only_where(HAS_OPTIONS)
def test_a_hidden_session_is_found_before_the_block(tmp_path: Path, work: Work) -> None:
    """A session without host events is only noticed because ours does not start."""
    options = jax.profiler.ProfileOptions()
    options.host_tracer_level = 0
    options.python_tracer_level = 0
    hidden = _jax.native_profiler().ProfilerSession(options)
    try:
        with pytest.raises(stepscope.ProfilerBusyError, match="did not start"):
            with stepscope.profile_trace("profiles"):
                pytest.fail("the block must not run")
    finally:
        hidden.stop()
    assert not (tmp_path / "profiles").exists() or not captures.profiles(tmp_path)
    assert occupancy.active_session() is None
    with stepscope.profile_trace("profiles"):
        work()
    assert captures.only_profile(tmp_path)


def test_profiling_can_be_forbidden(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_DISABLE_PROFILING", "true")
    with pytest.raises(stepscope.PreflightError, match="TF_DISABLE_PROFILING"):
        with stepscope.profile_trace("profiles"):
            pytest.fail("the block must not run")
    with pytest.raises(stepscope.PreflightError, match="TF_DISABLE_PROFILING"):
        stepscope.Profiler(log_dir="profiles")
