"""Watches steps for a trigger: when their results are available, not when they were dispatched.

jax returns from a call before its work is done, so the time of a loop on the host only says how
fast work is queued. A thread waits for the results passed to `end_step` and measures the time from
one completed step to the next; the loop itself does not wait.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from . import _jax
from .triggers import Trigger

_RESET = object()
_END = object()
_JOIN_SECONDS = 5.0
STEPS_BEHIND_MAX = 1000
"""If a loop is further ahead of its device than any queue allows, steps are skipped."""


class StepWatch:
    """Feeds a trigger with the times of completed steps; calls `fired` with the reason.

    A step without results to wait for is complete when `end_step` is called.
    """

    def __init__(self, trigger: Trigger, fired: Callable[[str], None]) -> None:
        self.trigger = trigger
        self._fired = weakref.WeakMethod(fired)
        self._steps: SimpleQueue[Any] = SimpleQueue()
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None

    def ended(self, outputs: Any) -> None:
        """Called at the end of each step, with its results or None. Does not wait."""
        if self._thread is None:
            self._start()
        if self._steps.qsize() < STEPS_BEHIND_MAX:
            self._steps.put((time.perf_counter_ns(), outputs))
        else:
            self.reset()

    def reset(self) -> None:
        """The next step has no predecessor: a capture was in between."""
        if self._thread is not None and self._steps.qsize() < 2 * STEPS_BEHIND_MAX:
            self._steps.put(_RESET)

    def close(self) -> None:
        """Ends the thread; steps that it has not seen yet are skipped."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._is_over.set()
            self._steps.put(_END)
            if thread is not threading.current_thread():
                thread.join(_JOIN_SECONDS)

    def _start(self) -> None:
        self._thread = threading.Thread(
            target=_watch,
            args=(self._steps, self._is_over, self.trigger, self._fired),
            name="stepscope-trigger",
            daemon=True,
        )
        self._thread.start()
        _watches.add(self)


_watches: weakref.WeakSet[StepWatch] = weakref.WeakSet()


def _watch(
    steps: SimpleQueue[Any], is_over: threading.Event, trigger: Trigger, fired: Any
) -> None:
    last_ns: int | None = None
    while True:
        step = steps.get()
        if step is _END or is_over.is_set():
            return
        if step is _RESET:
            last_ns = None
            continue
        ended_ns, outputs = step
        done_ns = _done_ns(outputs, ended_ns)
        del step, outputs  # frees the memory of results that are no longer needed
        if last_ns is not None and done_ns is not None:
            if trigger.observe(max(0, done_ns - last_ns) * 1e-9):
                call = fired()
                if call is None:
                    return
                call(trigger.explain())
        last_ns = done_ns


def _done_ns(outputs: Any, ended_ns: int) -> int | None:
    """When the results were available, in ns of `time.perf_counter_ns`; None if unknown.

    Only the smallest result is checked: a program returns them all together.
    """
    if outputs is None:
        return ended_ns
    try:
        if not hasattr(outputs, "block_until_ready"):
            arrays = list(_jax._arrays_of(outputs, depth=2))
            if not arrays:
                return None if _jax.has_arrays(outputs) else ended_ns
            outputs = min(arrays, key=lambda array: getattr(array, "nbytes", 0))
        outputs.block_until_ready()
    except Exception:  # noqa: BLE001 - deleted, or failed: the program gets this error itself
        return None
    return time.perf_counter_ns()


@atexit.register
def _end_watches() -> None:
    """Makes sure that no thread is inside jax when the interpreter shuts down."""
    for watch in list(_watches):
        watch.close()
