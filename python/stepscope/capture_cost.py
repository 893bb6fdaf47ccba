"""The slowdown of captured steps, measured in the program itself.

Two figures: how much longer the captured steps were than those just before them, and how long the
Python tracer takes for one call on this machine.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from . import _jax

GOOD_RATIO = 0.10
"""Up to this, the cost of a capture is normal: 5 to 10 % is typical."""
BAD_RATIO = 0.20
"""Above this, its figures do not represent the program."""
STEPS_BEFORE_MIN = 3
"""Fewer steps do not predict the next one."""

_CALLS = 200
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class CaptureCost:
    """The captured steps compared with those before them, and the cost of a traced Python call.

    `step_ns` is the time of a captured step, and `step_before_ns` that of the `steps_before` steps
    before the capture. Both are medians, so that one step that took long for another reason does
    not count (see `captured_step` and `step_before`). `python_call_ns` is what the Python tracer adds to
    a call. None if not measured.
    """

    step_ns: int | None = None
    step_before_ns: int | None = None
    steps_before: int = 0
    python_call_ns: int | None = None
    waits_each_step: bool = False

    @property
    def step_ratio(self) -> float | None:
        """How much longer captured steps were: 0.25 is 25 % longer; None if not measured."""
        if not self.step_ns or not self.step_before_ns:
            return None
        return self.step_ns / self.step_before_ns - 1.0

    @property
    def grade(self) -> str:
        """`good`, `warning` or `bad`."""
        ratio = self.step_ratio
        if ratio is None or ratio <= GOOD_RATIO:
            return "good"
        return "bad" if ratio > BAD_RATIO else "warning"

    @property
    def remedy(self) -> str:
        """What to change to reduce the slowdown."""
        if self.python_call_ns is not None:
            return (
                f"the Python tracer adds {self.python_call_ns / 1e3:.2g} us to each call: turn it "
                "off with python_tracer_level=0"
            )
        if self.waits_each_step:
            return 'each captured step was waited for: wait="window" waits at the end only'
        return "the first steps after a pause may be slower too: capture more steps to find out"

    def as_dict(self) -> dict[str, Any]:
        """For the manifest."""
        return {
            "step_ns": self.step_ns,
            "step_before_ns": self.step_before_ns,
            "steps_before": self.steps_before,
            "step_ratio": None if self.step_ratio is None else round(self.step_ratio, 4),
            "python_call_ns": self.python_call_ns,
        }


def step_before(begins_ns: Sequence[int], drained_ns: int = 0) -> tuple[int | None, int]:
    """The step time before the capture, and the number of steps it is based on.

    `begins_ns` is when each step started; `drained_ns` is how long the queued work took to finish
    once the loop stopped for the capture. A loop that runs ahead of its device is sometimes held
    back by a full queue, or reads a result every few steps, so single periods say little: the
    result is the median of the means of up to four groups. None if unknown: too few steps, or a
    queue that holds more work than the loop has shown.
    """
    count = len(begins_ns) - 1
    if count < STEPS_BEFORE_MIN or drained_ns > (begins_ns[-1] - begins_ns[0]) / 2:
        return None, max(count, 0)
    return _median_step(begins_ns), count


def captured_step(begins_ns: Sequence[int], ended_ns: int, before_ns: int | None) -> int | None:
    """The time of a captured step, comparable with the `before_ns` of the steps before.

    `begins_ns` is when each captured step started; `ended_ns` is when the results of the last were
    available. If the loop keeps step with its device, this is computed as for the steps before. A
    loop that runs ahead waits for all steps at the end: then only the mean is known. Such a loop is
    told by its steps, most of which take less than half as long as before. None without steps.
    """
    if not begins_ns:
        return None
    edges = [*begins_ns, ended_ns]
    periods = sorted(end - start for start, end in pairwise(begins_ns))
    keeps_step = (
        len(begins_ns) >= STEPS_BEFORE_MIN
        and before_ns is not None
        and 2 * periods[len(periods) // 2] >= before_ns
    )
    return _median_step(edges) if keeps_step else (ended_ns - begins_ns[0]) // len(begins_ns)


def _median_step(edges_ns: Sequence[int]) -> int:
    """The median of the means of up to four groups of steps."""
    count = len(edges_ns) - 1
    stretches = min(4, count)
    edges = [round(count * part / stretches) for part in range(stretches + 1)]
    means = sorted(
        (edges_ns[end] - edges_ns[start]) / (end - start) for start, end in pairwise(edges)
    )
    return round((means[(stretches - 1) // 2] + means[stretches // 2]) / 2)


def plain_call_ns() -> float:
    """Processor time of a call of an empty function: the median of several rounds."""
    rounds = []
    for _ in range(_ROUNDS):
        began = time.thread_time_ns()
        for _ in range(_CALLS):
            _nothing()
        rounds.append((time.thread_time_ns() - began) / _CALLS)
    return sorted(rounds)[_ROUNDS // 2]


def traced_call_ns(plain_ns: float) -> int:
    """What the active Python tracer adds to a call that takes `plain_ns` without it.

    The calls are marked, so that no analysis attributes them to the program.
    """
    with _jax.own_time("calibrate"):
        return max(0, round(plain_call_ns() - plain_ns))


def _nothing() -> None:
    return None
