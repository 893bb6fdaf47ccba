"""What a step's time was spent on, as far as it is known without work on the thread of the loop.

Compilations and garbage collections report themselves when they happen, which is rare. The processor
time of the loop's thread is sampled by another thread, so only of steps that are long enough.
"""

from __future__ import annotations

import gc
import threading
import time
from collections import deque
from collections.abc import Iterable
from typing import Any

from . import _compilations

_COLLECTIONS_MAX = 4096
_SAMPLES_MAX = 2000
SAMPLED_NS = 400_000_000
"""Shorter steps have too few samples of their thread's processor time."""

Interval = tuple[int, int]
"""Begin and end, in ns of `time.perf_counter_ns`."""


class StepParts:
    """Follows what the process and the thread that makes this object do."""

    def __init__(self) -> None:
        self._collections: deque[Interval] = deque(maxlen=_COLLECTIONS_MAX)
        self._collection_began = 0
        self._samples: list[Interval] = []  # the time, and the processor time of the thread
        self._clock: int | None = None
        # Asked on the thread itself: an ID of a thread that has ended would crash the process.
        get_clock = getattr(time, "pthread_getcpuclockid", None)
        if get_clock is not None:
            import threading

            self._clock = get_clock(threading.get_ident())
        gc.callbacks.append(self._collected)
        self.sample()

    def close(self) -> None:
        """Ends following."""
        if self._collected in gc.callbacks:
            gc.callbacks.remove(self._collected)

    def _collected(self, phase: str, _info: dict[str, Any]) -> None:
        now = time.perf_counter_ns()
        if phase == "start":
            self._collection_began = now
        else:
            self._collections.append((self._collection_began, now))

    def sample(self) -> None:
        """Notes the processor time of the thread; call it about ten times a second."""
        _compilations.is_counting()  # jax may have been imported since
        if self._clock is None:
            return
        try:
            self._samples.append((time.perf_counter_ns(), time.clock_gettime_ns(self._clock)))
        except OSError:  # the thread has ended
            self._clock = None
        if len(self._samples) > _SAMPLES_MAX:  # a step of minutes needs no tenths of a second
            del self._samples[1::2]

    def of(self, begin: int, end: int) -> dict[str, int]:
        """The parts of a step in ns, by their name in a ring, without those that there were none of."""
        parts = {}
        for name, intervals in (
            ("compiling", _compilations.intervals),
            ("collecting", self._collections),
        ):
            if intervals and intervals[-1][1] > begin:
                parts[name] = covered(list(intervals), begin, end)
        if end - begin >= SAMPLED_NS:
            worked = _difference(self._samples, begin, end)
            if worked is not None:
                parts["working"] = worked
        return parts


def covered(intervals: Iterable[Interval], begin: int, end: int) -> int:
    """How much of the time from `begin` to `end` the intervals cover; they may overlap."""
    total, reached = 0, begin
    for one_begin, one_end in sorted(intervals):
        first, last = max(one_begin, reached), min(one_end, end)
        if last > first:
            total += last - first
            reached = last
    return total


def _difference(samples: list[Interval], begin: int, end: int) -> int | None:
    """By how much the second figure grew from `begin` to `end`; None if samples do not reach so far."""
    first, last = _at(samples, begin), _at(samples, end)
    return None if first is None or last is None else max(0, last - first)


def _at(samples: list[Interval], at: int) -> int | None:
    """The second figure at a time: that of the sample before it, and a part of what came after."""
    for before, after in zip(samples, samples[1:], strict=False):
        if before[0] <= at <= after[0]:
            share = (at - before[0]) / max(1, after[0] - before[0])
            return round(before[1] + share * (after[1] - before[1]))
    return None
