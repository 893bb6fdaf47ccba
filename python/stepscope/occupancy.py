"""Who is using the profiler of this process: one of our captures, jax, somebody else, or nobody.

XLA has one profiler session per process, whoever starts it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from . import _jax, console, profiler_state, recorders
from .errors import ProfilerBusyError

if TYPE_CHECKING:
    from .capture_session import CaptureSession

lock = threading.RLock()
"""Held while one of our captures starts or releases the profiler."""

_active: CaptureSession | None = None
_is_held_by_parent = False

_ALREADY_ACTIVE_HINT = (
    "only one capture can run at a time: end that one first, or open this one inside it with "
    "profile_trace, which then marks its part of the trace"
)


def active_session() -> CaptureSession | None:
    """Our capture that is recording in this process, or None."""
    return _active


def take(session: CaptureSession) -> None:
    """Notes that `session` records from now on."""
    global _active
    with lock:
        _active = session


def hand_back(session: CaptureSession) -> None:
    """Notes that `session` is no longer recording."""
    global _active
    with lock:
        if _active is session:
            _active = None


def leave_to_parent() -> CaptureSession | None:
    """In a forked child: forgets the capture of the parent, if any, and returns it."""
    global lock, _active, _is_held_by_parent
    lock = threading.RLock()  # the thread that held it may not be in this process
    session, _active = _active, None
    _is_held_by_parent = _is_held_by_parent or session is not None
    return session


def refuse_if_busy() -> None:
    """Makes sure that a session can start; clears a dead one in jax.

    Raises:
        ProfilerBusyError: a session is active, ours or another.
    """
    if _active is not None:
        raise ProfilerBusyError(
            f"A capture is already active: {_active.name or _active.log_dir}", _ALREADY_ACTIVE_HINT
        )
    if _is_held_by_parent:
        raise ProfilerBusyError(
            "This process was forked during a capture, so its profiler is blocked permanently",
            "start processes with multiprocessing's 'spawn', or before the capture",
        )
    if recorders.cure_stuck_state():
        console.warn("cleared a profiler session left behind by an earlier failed stop_trace")
    profiler_state.tell_of_unknown_form()
    if profiler_state.current().session is not None:
        raise ProfilerBusyError(
            "A profiler session is already active: jax.profiler.start_trace was called, or trace "
            "or ProfileSession of jax.profiler",
            "end it first, for example with jax.profiler.stop_trace()",
        )
    if _jax.is_recording():
        raise ProfilerBusyError(
            "A profiler session is already active in this process, likely a capture over the "
            "network",
            "wait until that capture is over",
        )


def is_recording_by_jax() -> bool:
    """Whether `jax.profiler` in this process holds a live session.

    If jax records its sessions in an unknown form, any live session counts as its own.
    """
    if not _jax.is_loaded() or _is_held_by_parent:
        return False
    state = profiler_state.current()
    return (state.session is not None or state.form is None) and _jax.is_recording()
