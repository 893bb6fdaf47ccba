"""Fixtures of the capture API tests: a clean environment, a small program, a clean end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(0, str(Path(__file__).parent))
# A shell that runs the tests in the background makes them ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def clean_slate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No outside settings, a separate folder, and no session that outlives its test."""
    from stepscope import environment, occupancy, profiler_state, uploads
    from stepscope.after_capture import AfterCapture

    for name in list(os.environ):
        if name.startswith("PROFILE_") or name == "TF_DISABLE_PROFILING":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    # No test reaches a bucket, whatever is installed and logged in on this machine.
    monkeypatch.setattr(uploads, "_COMMANDS", {})
    monkeypatch.setattr(uploads, "_has_fsspec", lambda scheme: False)
    # Output printed in the background would end up in other tests; test_report.py leaves it on.
    monkeypatch.setattr(AfterCapture, "run_later", AfterCapture.run)
    environment.reload_environment()
    yield
    environment.reload_environment()
    left = occupancy.active_session()
    if left is not None:
        left.reset()
    assert left is None, "the test left a capture running"
    if "jax" in sys.modules:
        assert profiler_state.current().session is None, "the test left jax's profiler occupied"


@pytest.fixture(scope="session")
def work() -> Callable[[], Any]:
    """A small jitted program, already compiled; each call returns an array."""
    import jax
    import jax.numpy as jnp

    program = jax.jit(lambda x: jnp.sin(x) @ x)
    argument = jnp.ones((64, 64))
    program(argument).block_until_ready()
    return lambda: program(argument)
