"""Processes that work for this one, such as loaders of data, recorded with it.

`jax.profiler.register_subprocess` alone records nothing: a capture takes registered processes in
only where its options say `profile_subprocesses`, which is done here.
"""

from __future__ import annotations

from collections.abc import Callable

from . import _jax
from .errors import CaptureError, SettingsError

OPTION = "profile_subprocesses"
"""The key of `advanced_configuration` with which a capture takes registered processes in."""

_registered: dict[int, Callable[[], None]] = {}


def register_subprocess(pid: int, port: int) -> Callable[[], None]:
    """Records the process `pid` with this one, in every capture from now on; returns its end.

    That process has called `jax.profiler.start_server(port, requires_backend=False)` before. Its
    threads stand in this process's capture, with its id behind their names. Host events only.

    Raises:
        SettingsError: this jax has no `register_subprocess` (it came with 0.10).
        CaptureError: the process cannot be reached at `port`, or is registered already.
    """
    register = getattr(_jax.profiler(), "register_subprocess", None)
    if register is None:
        raise SettingsError(
            f"jax {_jax.module().__version__} cannot record other processes",
            "jax.profiler.register_subprocess came with jax 0.10",
        )
    try:
        unregister: Callable[[], None] = register(pid, port)
    except RuntimeError as error:
        raise CaptureError(
            f"Process {pid} cannot be recorded: {error}",
            "call jax.profiler.start_server(port, requires_backend=False) there first",
        ) from error
    _registered[pid] = unregister

    def end() -> None:
        if _registered.pop(pid, None) is not None:
            unregister()

    return end


def count() -> int:
    """How many processes are registered."""
    return len(_registered)
