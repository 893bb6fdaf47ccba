"""Records helper processes, such as data loaders, together with this one.

`jax.profiler.register_subprocess` alone records nothing: a capture includes registered processes
only if its options set `profile_subprocesses`, which is done here.
"""

from __future__ import annotations

from collections.abc import Callable

from . import _jax
from .errors import CaptureError, SettingsError

OPTION = "profile_subprocesses"
"""The key of `advanced_configuration` with which a capture includes registered processes."""

_registered: dict[int, Callable[[], None]] = {}


def register_subprocess(pid: int, port: int) -> Callable[[], None]:
    """Records the process `pid` with this one, in every capture from now on; returns a function to stop.

    That process must have called `jax.profiler.start_server(port, requires_backend=False)`. Its
    threads appear in this process's capture, with its process ID after their names. Host events
    only.

    Raises:
        SettingsError: this jax has no `register_subprocess` (it came with 0.10).
        CaptureError: the process cannot be reached at `port`, or is already registered.
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
