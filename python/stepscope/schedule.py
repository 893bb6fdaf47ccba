"""Which steps a `Profiler` captures: planned windows, requests, and triggers.

Knows only steps and settings; no jax, no files. Requests may come from any thread.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

from .settings import Settings


@dataclass(frozen=True, slots=True)
class Due:
    """A window that opens now: its number of steps, why, and the session if it was agreed on."""

    count: int
    reason: str
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A window of the next steps, not before `at_step`."""

    due: Due
    at_step: float = -math.inf


class Schedule:
    """Decides at each step whether a window opens.

    `wake_step` is the first step at which there is something to decide, so that a loop compares one
    number per step.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.RLock()  # held briefly; a signal handler may interrupt
        self._requested: Request | None = None
        self._fired: str | None = None
        self._next_start = settings.start_step if settings.start_step >= 0 else None
        self._captures_left: float = settings.max_captures or math.inf
        self._triggers_left = settings.trigger_limit
        self.first_step: int | None = None
        self.missed: range | None = None  # a planned window before the loop's first step
        self.last_step: int | None = None  # updated by the loop in each step
        self.has_opened = False
        self.wake_step: float = -math.inf if settings.enabled else math.inf
        self.is_of_run = False
        """Of `stepscope run`: the next step begins when a run ends, also if none follows."""

    @property
    def next_start(self) -> int | None:
        """The first step of the next planned window, or None."""
        return self._next_start

    @property
    def is_requested(self) -> bool:
        """Whether a request is waiting for its step."""
        return self._requested is not None

    @property
    def triggers_left(self) -> int:
        """How many captures the trigger may still start."""
        return self._triggers_left if self._captures_left > 0 else 0

    @property
    def is_over(self) -> bool:
        """Whether the maximum number of captures was made."""
        return self._captures_left <= 0

    def request(self, request: Request) -> bool:
        """Requests a window; False if a request is already waiting."""
        with self._lock:
            if self._requested is not None:
                return False
            self._requested = request
            self.wake_step = min(self.wake_step, request.at_step)
        return True

    def fire(self, reason: str) -> bool:
        """The trigger fired: a window opens at the next step. False if it may not fire again."""
        with self._lock:
            if self._triggers_left <= 0 or self._fired is not None or self.is_over:
                return False
            self._triggers_left -= 1
            self._fired = reason
            self.wake_step = -math.inf
        return True

    def due(self, step: int) -> Due | None:
        """The window that opens at `step`, or None."""
        with self._lock:
            if self.is_over:
                return None
            return self._planned(step) or self._asked_for(step)

    def opened(self) -> None:
        """A window was opened."""
        self.has_opened = True
        self._captures_left -= 1

    def forget_requests(self) -> None:
        """The loop is over."""
        with self._lock:
            self._requested = self._fired = None

    def restart(self) -> None:
        """Another loop begins, whose steps are counted anew; requests stay."""
        with self._lock:
            self._next_start = self._settings.start_step if self._settings.start_step >= 0 else None
            self.first_step = self.missed = self.last_step = None
            self.has_opened = False
            self.wake_step = -math.inf if self._settings.enabled else math.inf

    def settle(self, step: int | None, *, is_open: bool) -> None:
        """Computes when there is something to decide again; `step` is the one that starts now."""
        with self._lock:
            if self.first_step is None:
                self.first_step = step
            planned = math.inf if self._next_start is None else self._next_start
            asked = math.inf if self._requested is None else self._requested.at_step
            if not self._settings.enabled:
                self.wake_step = math.inf
            elif is_open or self.first_step is None:
                self.wake_step = -math.inf
            elif self.is_over:
                self.wake_step = math.inf
            else:
                self.wake_step = -math.inf if self._fired is not None else min(planned, asked)

    def _planned(self, step: int) -> Due | None:
        planned, count = self._next_start, self._settings.num_steps
        if planned is None or step < planned:
            return None
        window_end = planned + count
        was_before = self.first_step is not None and self.first_step < planned
        if step < window_end:
            count = window_end - step
        if step < window_end or was_before:  # some loops count in larger strides
            self._next_start = self._start_after(step + count - 1)
            return Due(count, "start_step")
        self._next_start = self._start_after(step)
        self.missed = range(planned, window_end)
        return None

    def _asked_for(self, step: int) -> Due | None:
        planned = self._next_start
        request = self._requested
        if request is not None and step >= request.at_step:
            if planned is None or not step < planned < step + request.due.count:
                self._requested = None
                return request.due
        if self._fired is not None:
            reason, self._fired = self._fired, None
            return Due(self._settings.num_steps, reason)
        return None

    def _start_after(self, step: int) -> int | None:
        """The start of the first planned window after `step`."""
        interval, start = self._settings.interval, self._settings.start_step
        if interval <= 0:
            return None
        return start + ((step - start) // interval + 1) * interval

    def unreached(self) -> str | None:
        """A sentence about what was planned but never reached; None if everything was."""
        settings = self._settings
        if not settings.enabled or self.is_over:
            return None
        if self._requested is not None:
            return "A capture was requested, but no step started after that"
        planned = self._next_start
        if planned is None or self.has_opened:
            return None
        window = f"{planned}..{planned + settings.num_steps - 1}"
        if self.last_step is None:
            return f"No step started, so the window {window} was not captured: call begin_step(step)"
        if self.is_of_run:
            return (
                f"Steps {window} were not captured: the program ended in step {self.last_step}; "
                "choose earlier ones with --steps, or use --at"
            )
        return (
            f"The window {window} was never reached: the last step was {self.last_step}; set "
            "start_step (PROFILE_START_STEP) below that"
        )

    def too_late(self, missed: range, step: int) -> str:
        """A sentence about a window that was over before the first step."""
        how = "set start_step or interval, or call capture_async()"
        if self.is_of_run:
            how = "use --steps, --at or --every"
        return (
            f"Steps {missed[0]}..{missed[-1]} are before step {step}, where this loop started; {how}"
        )
