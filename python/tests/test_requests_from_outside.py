"""Captures requested from outside: a file, a signal; and SIGTERM during a capture."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from captures import manifest_of, only_profile, profiles

from stepscope import Profiler

Work = Callable[[], Any]

PROGRAM = """
import os, signal, sys, time
import jax, jax.numpy as jnp
import stepscope

program = jax.jit(lambda x: jnp.sin(x) @ x)
argument = jnp.ones((64, 64))
program(argument).block_until_ready()
"""


def run(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM + text],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def loop(profiler: Profiler, work: Work, until: Callable[[], bool], first: int = 0) -> int:
    step, began = first, time.monotonic()
    while not until() and time.monotonic() - began < 30:
        profiler.begin_step(step)
        profiler.end_step(work())
        time.sleep(0.002)
        step += 1
    return step


def test_a_file_that_appears_starts_a_capture(tmp_path: Path, work: Work) -> None:
    file = tmp_path / "capture"
    profiler = Profiler(2, start_step=-1, trigger_file=file)
    step = loop(profiler, work, lambda: threading.active_count() > 0, 0)
    file.touch()
    step = loop(profiler, work, lambda: len(profiler.results) == 1, step)
    assert not file.exists()
    file.write_text("3\n")
    loop(profiler, work, lambda: len(profiler.results) == 2, step)
    profiler.close()
    lengths = [len(result.steps) for result in profiler.results]
    assert lengths == [2, 3]
    file.touch()
    time.sleep(1.2)
    assert file.exists()  # nobody is watching anymore


def test_a_signal_starts_a_capture_and_the_program_gets_it_too(work: Work) -> None:
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *about: seen.append(about[0]))
    try:
        mine = signal.getsignal(signal.SIGUSR1)
        profiler = Profiler(2, start_step=-1, trigger_signal="SIGUSR1")
        os.kill(os.getpid(), signal.SIGUSR1)
        loop(profiler, work, lambda: bool(profiler.results))
        profiler.close()
        assert len(profiler.results[0].steps) == 2
        assert profiler.results[0].trigger == "capture_async"
        assert seen == [signal.SIGUSR1]
        assert signal.getsignal(signal.SIGUSR1) is mine
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_how_to_ask_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    profiler = Profiler(2, start_step=-1, trigger_signal="usr1", trigger_file="/tmp/now")
    profiler.close()
    printed = capsys.readouterr().err
    assert f"kill -USR1 {os.getpid()}" in printed
    assert "touch /tmp/now" in printed


def test_another_thread_cannot_listen_to_signals(capsys: pytest.CaptureFixture[str]) -> None:
    made: list[Profiler] = []
    thread = threading.Thread(
        target=lambda: made.append(Profiler(1, start_step=-1, trigger_signal="SIGUSR1"))
    )
    thread.start()
    thread.join()
    made[0].close()
    assert "main thread" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL


def test_sigterm_keeps_the_capture_and_ends_the_program_as_ever(tmp_path: Path) -> None:
    ended = run(
        tmp_path,
        """
profiler = stepscope.Profiler(1000, "logs", start_step=0,
    on_capture=lambda result: print("called", result.stopped_by, flush=True))
for step in range(10):
    profiler.begin_step(step)
    profiler.end_step(program(argument))
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(30)
print("never here")
""",
    )
    assert ended.returncode == -signal.SIGTERM, ended.stderr
    assert ended.stdout == "called SIGTERM\n"
    manifest = manifest_of(only_profile(tmp_path / "logs"))
    assert manifest["stopped_by"] == "SIGTERM"
    assert len(manifest["steps"]) == 10


def test_sigterm_goes_on_to_the_programs_own_handler(tmp_path: Path) -> None:
    ended = run(
        tmp_path,
        """
def mine(number, frame):
    print("mine", flush=True)

signal.signal(signal.SIGTERM, mine)
with stepscope.profile_trace("logs") as trace:
    program(argument).block_until_ready()
    os.kill(os.getpid(), signal.SIGTERM)
    print("goes on", flush=True)
print(trace.result.stopped_by, signal.getsignal(signal.SIGTERM) is mine)
os.kill(os.getpid(), signal.SIGTERM)
with stepscope.profile_trace("logs") as trace:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(trace.result.stopped_by, signal.getsignal(signal.SIGTERM) is signal.SIG_IGN)
""",
    )
    assert ended.stdout.splitlines() == [
        "mine",
        "goes on",
        "SIGTERM True",
        "mine",
        "None True",
    ], ended.stderr
    assert len(profiles(tmp_path / "logs")) == 2


def test_ctrl_c_twice_is_clean(tmp_path: Path) -> None:
    """The first one ends the loop; another one during collection is deferred."""
    ended = run(
        tmp_path,
        """
import threading
from stepscope import recorders

recorder = type(recorders.new_recorder())
honest = recorder.stop

def stop(self, *arguments, **keywords):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.05)
    return honest(self, *arguments, **keywords)

recorder.stop = stop
try:
    with stepscope.Profiler(1000, "logs", start_step=0) as profiler:
        for step in range(10):
            with profiler.step(step) as handle:
                handle.block(program(argument))
                if step == 5:
                    os.kill(os.getpid(), signal.SIGINT)
                    time.sleep(1)
except KeyboardInterrupt:
    print("interrupted", profiler.results[0].error, profiler.is_recording)
with stepscope.profile_trace("again") as trace:
    program(argument)
""",
    )
    lines = ended.stdout.splitlines()
    assert lines == ["interrupted KeyboardInterrupt: None False"] or lines == [
        "interrupted KeyboardInterrupt False"
    ], ended.stderr
    assert len(profiles(tmp_path / "logs")) == 1
