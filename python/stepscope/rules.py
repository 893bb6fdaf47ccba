"""Rules that say what an incident is, such as `step_time > 3 * median` or `loss is nan`.

The language is that of `triggers`, with more names: `idle` (time since a step ended), `late` (for
how long another host has been ahead), `memory` (the highest share of a device's memory in use) and
the program's own metrics. What is not known makes a comparison false.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator, Mapping

from .errors import TriggerError
from .triggers import TIMES, STEPS_BEFORE_ARMED, Measured, Parser, StepTimes, written_out

DEFAULT_RULES = ("step_time > 3 * median", "idle > 60s", "late > 30s", "memory > 0.95")
"""What an incident is unless the program says otherwise."""

_WORDS = frozenset({"and", "or", "not", "is", "nan", "inf"})


class Known(StepTimes):
    """What the rules of one process are evaluated on."""

    def __init__(self) -> None:
        super().__init__()
        self.idle = 0.0
        self.late = 0.0
        self.memory = math.nan
        self.metrics: dict[str, float] = {}
        self.has_metric = False


_MOMENTS: dict[str, Measured] = {
    "idle": (lambda known: known.idle, 1),  # type: ignore[attr-defined]
    "late": (lambda known: known.late, 1),  # type: ignore[attr-defined]
    "memory": (lambda known: known.memory, 0),  # type: ignore[attr-defined]
}


class _Names(Mapping[str, Measured]):
    """The names of a rule: ours, and whatever the program calls its metrics."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.isidentifier() and name not in _WORDS

    def __getitem__(self, name: str) -> Measured:
        ours = TIMES.get(name) or _MOMENTS.get(name)
        if ours is not None:
            return ours

        def metric(known: StepTimes) -> float:
            found: float = known.metrics[name]  # type: ignore[attr-defined]
            return found

        return metric, 0

    def __iter__(self) -> Iterator[str]:
        yield from (*TIMES, *_MOMENTS, "your metrics")

    def __len__(self) -> int:
        return len(TIMES) + len(_MOMENTS)


def suggestion(name: str, others: Iterable[str] = ()) -> str:
    """A question after the name of a metric that is not known."""
    close = difflib.get_close_matches(name, [*TIMES, *_MOMENTS, *others], n=1)
    return f"; did you mean {close[0]}?" if close else ""


def check_without_metrics(text: str) -> None:
    """Checks a rule for a program that gives no metrics.

    Raises:
        TriggerError: it is invalid, or uses a metric.
    """
    ours = (*TIMES, *_MOMENTS)
    words = Parser(written_out(text), _Names()).words()
    unknown = next((word for word in words if word not in ours and word not in _WORDS), None)
    if unknown is not None:  # said before units, for a misspelled time is taken for a number
        raise TriggerError(
            f"The rule {text!r} uses {unknown}, which an unmodified program does not give"
            f"{suggestion(unknown)}",
            f"available names: {', '.join(ours)}; metrics need stepscope.recorder() in the program",
        )
    IncidentRule(text)


class IncidentRule:
    """A rule that fires when it becomes true.

    Raises:
        TriggerError: the rule is invalid.
    """

    def __init__(self, text: str) -> None:
        self.text = written_out(text)
        parser = Parser(self.text, _Names())
        self._rule = parser.rule()
        self._was_true = False
        self.metrics = parser.used - TIMES.keys() - _MOMENTS.keys()
        """The metrics that it uses."""
        self.uses_times = bool(parser.used & TIMES.keys())
        """Whether it is about the time of a step."""
        self.is_of_moments = bool(parser.used & _MOMENTS.keys())
        """Whether it may become true while no step ends."""
        if not parser.used:
            raise TriggerError(f"The rule {text!r} uses no name", "write a rule such as 'loss is nan'")

    @property
    def kind(self) -> str:
        """`step`, `moment` or `metric`."""
        if self.metrics:
            return "metric"
        return "moment" if self.is_of_moments else "step"

    def fires(self, known: Known) -> bool:
        """Whether the rule is true now and was not before."""
        if self.uses_times and (len(known) < STEPS_BEFORE_ARMED or math.isnan(known.step_time)):
            return False
        if not self.metrics <= known.metrics.keys():
            return False
        is_true = self._rule(known)
        fires, self._was_true = is_true and not self._was_true, is_true
        return fires
