"""Events during a capture: Ctrl-C, forks, other folders, exits, notebooks."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from captures import event_names, manifest_of, only_profile, only_where, profiles

import stepscope
from stepscope import CaptureSession, Profiler, profile_function, profile_scope, profile_trace

Work = Callable[[], Any]

PROGRAM = """
import os, signal, sys, threading, time
import jax, jax.numpy as jnp
import stepscope

program = jax.jit(lambda x: jnp.sin(x) @ x)
argument = jnp.ones((64, 64))
program(argument).block_until_ready()
"""


def run(folder: Path, text: str, *, seconds: float = 120) -> subprocess.CompletedProcess[str]:
    """Runs a separate program with real JAX in `folder`."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM + text],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


@pytest.mark.oldest
def test_three_times_ctrl_c_ends_a_program_that_cannot_wait(tmp_path: Path) -> None:
    ended = run(
        tmp_path,
        """
from stepscope.interrupts import HeldInterrupts

try:
    with HeldInterrupts():
        os.kill(os.getpid(), signal.SIGINT)
        print("held", flush=True)
except KeyboardInterrupt:
    print("raised", flush=True)
try:
    with HeldInterrupts():
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    print("raised once", signal.getsignal(signal.SIGINT) is signal.default_int_handler, flush=True)
with HeldInterrupts():
    for _ in range(3):
        os.kill(os.getpid(), signal.SIGINT)
    print("never here")
""",
    )
    assert ended.returncode == -signal.SIGINT
    assert ended.stdout.split("\n") == ["held", "raised", "raised once True", ""]
    assert ended.stderr.count("interrupt once more to end the program") == 2


@pytest.mark.oldest
def test_ctrl_c_while_a_capture_is_collected(tmp_path: Path) -> None:
    """Without special handling, the program would hang forever and lose the capture."""
    ended = run(
        tmp_path,
        """
def press():
    while True:
        time.sleep(0.01)
        if session.recorder is None:  # it is being collected
            os.kill(os.getpid(), signal.SIGINT)
            return

session = stepscope.CaptureSession("logs").start()
for _ in range(4000):
    result = program(argument)
result.block_until_ready()
threading.Thread(target=press, daemon=True).start()
try:
    session.stop()
except KeyboardInterrupt:
    print("interrupted", session.result.success, session.result.path.is_file())
with stepscope.profile_trace("again") as trace:
    program(argument)
print("again", trace.result.success)
""",
    )
    assert ended.stdout.split("\n")[:2] == ["interrupted True True", "again True"], ended.stderr
    assert manifest_of(only_profile(tmp_path / "logs"))["success"] is True


def test_the_result_of_an_interrupted_block_is_there(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from stepscope import recorders

    def stop(self: Any, *arguments: Any, **keywords: Any) -> int:
        size_bytes = honest(self, *arguments, **keywords)
        signal.raise_signal(signal.SIGINT)
        return size_bytes

    recorder = type(recorders.new_recorder())
    honest = recorder.stop
    monkeypatch.setattr(recorder, "stop", stop)
    trace = profile_trace(tmp_path)
    with pytest.raises(KeyboardInterrupt), trace:
        work()
    assert trace.result is not None
    assert trace.result.success
    assert "open it: stepscope view" in capsys.readouterr().err

    profiler = Profiler(1, tmp_path / "steps", start_step=0)
    profiler.begin_step(0)
    with pytest.raises(KeyboardInterrupt):
        profiler.end_step(work())
    assert profiler.last_result is not None


def test_ctrl_c_while_a_limit_ends_the_capture(tmp_path: Path) -> None:
    """Another thread collects it then; the key works all the same."""
    ended = run(
        tmp_path,
        """
from stepscope import recorders
recorder = type(recorders.new_recorder())
honest = recorder.stop
def stop(*arguments, **keywords):
    is_writing.set()
    time.sleep(2)
    return honest(*arguments, **keywords)
recorder.stop = stop
is_writing = threading.Event()
presses = 0
try:
    with stepscope.profile_trace("logs", max_seconds=0.1) as trace:
        is_writing.wait(60)
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
except KeyboardInterrupt:
    presses += 1
print(presses, trace.result.stopped_by)
""",
    )
    assert ended.stdout == "1 max_seconds = 0.1\n", ended.stderr


@only_where(hasattr(os, "fork"))
def test_a_forked_child_leaves_the_capture_to_its_parent(tmp_path: Path) -> None:
    ended = run(
        tmp_path,
        """
import warnings
warnings.simplefilter("ignore")
with stepscope.profile_trace("logs") as trace:
    process = os.fork()
    if process == 0:
        trace.__exit__(None, None, None)
        try:
            stepscope.start_trace("logs")
        except stepscope.ProfilerBusyError as error:
            open("child", "w").write(f"{trace.result}; {error.message}")
        os._exit(0)
    os.waitpid(process, 0)
    program(argument)
print(trace.result.success)
""",
    )
    assert ended.stdout == "True\n", ended.stderr
    said = (tmp_path / "child").read_text()
    assert said.startswith("None; This process was forked during a capture")
    assert ended.stderr.count("open it:") == 1
    manifest = manifest_of(only_profile(tmp_path / "logs"))
    assert manifest["success"] is True
    assert event_names(only_profile(tmp_path / "logs"))


@only_where(hasattr(os, "fork"))
def test_workers_that_are_forked_during_a_window_end_as_ever(tmp_path: Path) -> None:
    """Data loaders fork such workers; their exit must not end the capture."""
    ended = run(
        tmp_path,
        """
import multiprocessing, warnings
warnings.simplefilter("ignore")
profiler = stepscope.Profiler(num_steps=2, start_step=1, log_dir="logs")
for step in range(4):
    profiler.begin_step(step)
    if step == 1:
        context = multiprocessing.get_context("fork")
        worker = context.Process(target=profiler.close)
        worker.start()
        worker.join(60)
    profiler.end_step(program(argument))
profiler.close()
print(worker.exitcode, [result.steps_text for result in profiler.results])
""",
    )
    assert ended.stdout == "0 ['steps 1..2']\n", ended.stderr
    assert ended.stderr.count("Profile saved") == 1


@pytest.mark.oldest
def test_a_folder_is_meant_where_it_was_named(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    profiler = Profiler(1, "traces", start_step=1, subdirectory="step_{step:08d}")
    trace = profile_trace("block")
    decorated = profile_function("calls", warmup_steps=0)(work)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    for step in range(3):
        with profiler.step(step) as handle:
            handle.block(work())
    profiler.close()
    with trace:
        work()
    decorated()
    assert only_profile(tmp_path / "traces" / "step_00000001")
    assert only_profile(tmp_path / "block")
    assert only_profile(tmp_path / "calls")
    assert profiles(elsewhere) == []
    assert f"Profile saved: {tmp_path / 'traces' / 'step_00000001'}" in capsys.readouterr().err


@pytest.mark.parametrize("use", [profile_trace, stepscope.ProfileContext])
def test_a_bucket_that_nothing_can_write_to_is_refused_by_every_block(use: Any) -> None:
    with pytest.raises(stepscope.PreflightError, match="gs://lab/logs"), use("gs://lab/logs"):
        pass


@pytest.mark.parametrize("code", [None, 0])
def test_a_program_that_leaves_is_no_failure(tmp_path: Path, work: Work, code: int | None) -> None:
    with pytest.raises(SystemExit), profile_trace(tmp_path) as trace:
        work()
        sys.exit(code)
    assert trace.result is not None
    assert trace.result.success
    assert trace.result.error is None


def test_a_program_that_leaves_with_a_code_has_failed(tmp_path: Path, work: Work) -> None:
    with pytest.raises(SystemExit), profile_trace(tmp_path) as trace:
        work()
        sys.exit(3)
    assert trace.result is not None
    assert (trace.result.success, trace.result.error) == (False, "SystemExit: 3")


def test_an_error_without_words_has_its_name(tmp_path: Path, work: Work) -> None:
    with pytest.raises(KeyboardInterrupt), profile_trace(tmp_path) as trace:
        work()
        raise KeyboardInterrupt
    assert trace.result is not None
    assert trace.result.error == "KeyboardInterrupt"


def test_a_generator_that_is_left_early_is_no_failure(tmp_path: Path, work: Work) -> None:
    traces = []

    def batches() -> Iterator[Any]:
        with profile_trace(tmp_path) as trace:
            traces.append(trace)
            while True:
                yield work()

    generator = batches()
    next(generator)
    generator.close()
    assert traces[0].result is not None
    assert traces[0].result.success


def test_generator_functions_are_refused() -> None:
    def batches() -> Iterator[int]:
        yield 1

    async def more() -> Any:
        yield 1

    for function in batches, more:
        with pytest.raises(TypeError, match="generator"):
            profile_function("./profiles")(function)


def test_a_scope_around_a_coroutine_covers_its_awaits(tmp_path: Path, work: Work) -> None:
    @profile_scope("served")
    async def serve() -> str:
        with profile_scope("inside"):
            await asyncio.sleep(0.01)
            work()
        return "done"

    with profile_trace(tmp_path):
        assert asyncio.run(serve()) == "done"
    names = event_names(only_profile(tmp_path))
    assert names["served"] == names["inside"] == 1
    with CaptureSession(tmp_path / "off"):
        pass
    assert asyncio.run(serve()) == "done"


def test_an_old_error_of_a_console_is_not_that_of_a_capture(tmp_path: Path) -> None:
    """A console continues after an error, and keeps it."""
    ended = run(
        tmp_path,
        """
sys.ps1, sys.last_value = ">>> ", ValueError("of an earlier line")
stepscope.start_trace("logs")
program(argument)
""",
    )
    manifest = manifest_of(only_profile(tmp_path / "logs"))
    assert manifest["success"] is True, ended.stderr
    assert manifest["stopped_by"] == "the end of the program"


def test_a_notebook_shows_the_verdict_below_its_cell(tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    cells = [
        PROGRAM,
        "profiler = stepscope.Profiler(num_steps=2, start_step=1, log_dir='steps')\n"
        "for step in range(4):\n"
        "    profiler.begin_step(step)\n"
        "    profiler.end_step(program(argument))\n",
        "with stepscope.profile_trace('block') as trace:\n"
        "    for step in range(3):\n"
        "        with trace.step(step): trace.block(program(argument))\n",
        "stepscope.open(trace.result.directory).steps()",
    ]
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    for cell in notebook.cells[1:3]:
        printed = "".join(output.get("text", "") for output in cell.outputs)
        assert "Step time" in printed, printed
        assert "open it: stepscope view" in printed
    (table,) = notebook.cells[3].outputs
    assert "<table" in table["data"]["text/html"]
