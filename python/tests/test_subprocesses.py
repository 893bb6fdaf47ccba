"""Helper processes of the program: recorded with it once registered."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import captures
import jax
import pytest
from ports import free_port

import stepscope
from stepscope import profile_options, subprocesses
from stepscope.settings import TRACE_DEFAULTS

Work = Callable[[], Any]
pytestmark = pytest.mark.oldest
CAN_REGISTER = hasattr(jax.profiler, "register_subprocess")
LOADER = textwrap.dedent(
    """
    import sys, time
    import jax
    port = int(sys.argv[1])
    jax.profiler.start_server(port, requires_backend=False)
    augment = jax.jit(lambda x: x * 2)
    augment(1.0).block_until_ready()
    print(port, flush=True)
    while True:
        with jax.profiler.TraceAnnotation("load_in_the_worker"):
            augment(1.0).block_until_ready()
            time.sleep(0.005)
    """
)


@pytest.fixture
def loader() -> Iterator[tuple[int, int]]:
    """A data loader process, and the port of its profiler."""
    command = [sys.executable, "-c", LOADER, str(free_port())]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None
    try:
        yield process.pid, int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


@captures.only_where(CAN_REGISTER)
def test_a_registered_process_is_in_the_capture(
    tmp_path: Path,
    work: Work,
    capsys: pytest.CaptureFixture[str],
    loader: tuple[int, int],
) -> None:
    end = stepscope.register_subprocess(*loader)
    try:
        with stepscope.profile_trace("with", python_tracer_level=0):
            work()
            time.sleep(0.2)
        with pytest.raises(stepscope.CaptureError, match=f"Process {loader[0]} cannot"):
            stepscope.register_subprocess(*loader)
        options = jax.profiler.ProfileOptions()
        with stepscope.profile_trace("own", profiler_options=options):
            assert "1 registered process is not captured" in capsys.readouterr().err
            work()
    finally:
        end()
    end()
    assert subprocesses.count() == 0
    with stepscope.profile_trace("without", python_tracer_level=0):
        work()
        time.sleep(0.2)
    counts = {
        name: captures.event_names(captures.only_profile(tmp_path / name))["load_in_the_worker"]
        for name in ("with", "own", "without")
    }
    assert counts["with"] > 3
    # The loader's computation is host work, next to the devices of the program.
    with_loader, without = (stepscope.open(tmp_path / name) for name in ("with", "without"))
    assert with_loader.devices == without.devices
    assert {op.program for op in with_loader.ops().rows} == {
        op.program for op in without.ops().rows
    }
    assert counts["own"] == counts["without"] == 0


@captures.only_where(CAN_REGISTER)
def test_what_the_options_say_of_processes_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocesses, "_registered", {1: lambda: None})
    settings = stepscope.Settings.resolve(TRACE_DEFAULTS)
    for given, expected in [
        (None, {"profile_subprocesses": True}),
        ({"advanced_configuration": {"a": 1}}, {"profile_subprocesses": True, "a": 1}),
        (
            {"advanced_configuration": {"profile_subprocesses": False}},
            {"profile_subprocesses": False},
        ),
    ]:
        options = profile_options.build(settings, given)
        assert profile_options.as_dict(options)["advanced_configuration"] == expected


@captures.only_where(not CAN_REGISTER)
def test_an_older_jax_says_what_it_lacks() -> None:
    with pytest.raises(stepscope.SettingsError, match="cannot record other processes"):
        stepscope.register_subprocess(1, 1)
