"""Rules that start a capture, such as `step_time > 2 * median`, or `2x` and `200ms` for short.

A rule is a comparison of sums and products of numbers, `step_time` (the step that just ended),
`last` (the one before it) and statistics over the recent steps: `median`, `mean`, `min`, `max`,
`p90`, `p95`, `p99`. A number that is a time needs a unit, `s`, `ms`, or `us`: `0.5` alone
could be either. Comparisons may be combined with `and`, `or`, `not`, and parentheses. Nothing else
is allowed, and nothing is ever evaluated as Python.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Mapping

from .errors import TriggerError

RECENT_STEPS = 100
"""Number of recent steps in the statistics."""
STEPS_BEFORE_ARMED = 10
"""Number of steps before a rule may fire: the first ones compile and warm up."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)\s*(?P<unit>ms|us|s\b)?"
    r"|(?P<word>[A-Za-z_]\w*)|(?P<sign>>=|<=|==|!=|[-+*/()<>]))"
)
_UNIT_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, None: 1.0}


class StepTimes:
    """The durations of recent steps in seconds, kept in order, with their statistics."""

    def __init__(self, recent_steps: int = RECENT_STEPS) -> None:
        self._in_time: deque[float] = deque()
        self._sorted: list[float] = []
        self._recent_steps = recent_steps
        self.step_time = 0.0
        self.last = 0.0

    def __len__(self) -> int:
        return len(self._sorted)

    def add(self, seconds: float) -> None:
        """Adds a step and drops the oldest."""
        self._in_time.append(seconds)
        insort(self._sorted, seconds)
        if len(self._in_time) > self._recent_steps:
            oldest = self._in_time.popleft()
            del self._sorted[bisect_left(self._sorted, oldest)]

    def quantile(self, share: float) -> float:
        """The value below which `share` of the recent steps are, with linear interpolation."""
        values = self._sorted
        position = share * (len(values) - 1)
        below = int(position)
        part = position - below
        if not part:
            return values[below]
        return values[below] * (1 - part) + values[below + 1] * part

    def mean(self) -> float:
        """The arithmetic mean of the recent steps."""
        return sum(self._sorted) / len(self._sorted)


Value = Callable[[StepTimes], float]
Rule = Callable[[StepTimes], bool]
Measured = tuple[Value, int]
"""A value with its power of time: 0 for a plain number, 1 for a time."""

_SHORT = re.compile(r"(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>x|ms|us|s)?")

_NAMES: dict[str, Value] = {
    "step_time": lambda times: times.step_time,
    "last": lambda times: times.last,
    "median": lambda times: times.quantile(0.5),
    "mean": lambda times: times.mean(),
    "min": lambda times: times.quantile(0.0),
    "max": lambda times: times.quantile(1.0),
    "p90": lambda times: times.quantile(0.9),
    "p95": lambda times: times.quantile(0.95),
    "p99": lambda times: times.quantile(0.99),
}
TIMES: dict[str, Measured] = {name: (value, 1) for name, value in _NAMES.items()}
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">": lambda left, right: left > right,
    "<": lambda left, right: left < right,
    ">=": lambda left, right: left >= right,
    "<=": lambda left, right: left <= right,
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
}


class Trigger:
    """A rule with the steps it has seen.

    Raises:
        TriggerError: the rule is invalid.
    """

    def __init__(self, text: str) -> None:
        self.text = written_out(text)
        self._rule = parse(self.text)
        self._times = StepTimes()

    def observe(self, seconds: float) -> bool:
        """Adds the duration of a step; True if the rule is true for it.

        The step is compared with those before it, and then joins them.
        """
        times = self._times
        times.last, times.step_time = times.step_time, seconds
        fires = len(times) >= STEPS_BEFORE_ARMED and self._rule(times)
        times.add(seconds)
        return fires

    def explain(self) -> str:
        """Why the rule just fired, in a few words."""
        times = self._times
        return (
            f"{self.text} (step {times.step_time * 1e3:.3g} ms, "
            f"median {times.quantile(0.5) * 1e3:.3g} ms)"
        )


def written_out(text: str) -> str:
    """The full form of a short rule: `1.5x` and `200ms` are thresholds for a slow step.

    Raises:
        TriggerError: a number without a unit, which could be either.
    """
    short = _SHORT.fullmatch(text.strip())
    if short is None:
        return text
    number, unit = short["number"], short["unit"]
    if unit is None:
        raise TriggerError(
            f"The rule {text!r} has no unit",
            f"write '{number}ms' or '{number}s' for a time, '{number}x' for a multiple of the "
            "median step time",
        )
    return f"step_time > {number} * median" if unit == "x" else f"step_time > {number}{unit}"


def parse(text: str) -> Rule:
    """Parses the rule in `text`.

    Raises:
        TriggerError: with the location of the error in the text.
    """
    return Parser(text).rule()


class _UnitError(TriggerError):
    """A rule that parses but compares incompatible values."""


class Parser:
    """The parser of rules, over the names that a rule may use; `used` are those that it does.

    Recursive descent: or → and → not → comparison → sum → product → number or name.
    """

    def __init__(self, text: str, names: Mapping[str, Measured] | None = None) -> None:
        self._text = text
        self._names = TIMES if names is None else names
        self.used: set[str] = set()
        self._with_unit: set[int] = set()  # positions of numbers with a unit
        self._tokens = self._split()
        self._at = 0

    def rule(self) -> Rule:
        rule = self._either()
        if self._peek():
            raise self._error("expected the end")
        return rule

    def words(self) -> list[str]:
        """The words in the text, in order: names, known or not, and operators."""
        return [word for word, _, _ in self._tokens if word.isidentifier()]

    def _split(self) -> list[tuple[str, int, float | None]]:
        tokens: list[tuple[str, int, float | None]] = []
        position = 0
        text = self._text.rstrip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise self._error_at("unexpected character", position)
            number = match["number"]
            if number is not None:
                if match["unit"]:
                    self._with_unit.add(match.start())
                tokens.append(("", match.start(), float(number) * _UNIT_SECONDS[match["unit"]]))
            else:
                tokens.append((match["word"] or match["sign"], match.start(), None))
            position = match.end()
        return tokens

    def _peek(self) -> str | None:
        """The next token: its text, the word `number`, or None at the end."""
        if self._at >= len(self._tokens):
            return None
        word, _, number = self._tokens[self._at]
        return "number" if number is not None else word

    def _take(self, *wanted: str) -> str | None:
        ahead = self._peek()
        if ahead is None or ahead not in wanted:
            return None
        self._at += 1
        return ahead

    def _either(self) -> Rule:
        left = self._all()
        while self._take("or"):
            left = (lambda a, b: lambda times: a(times) or b(times))(left, self._all())
        return left

    def _all(self) -> Rule:
        left = self._negated()
        while self._take("and"):
            left = (lambda a, b: lambda times: a(times) and b(times))(left, self._negated())
        return left

    def _negated(self) -> Rule:
        if self._take("not"):
            inner = self._negated()
            return lambda times: not inner(times)
        return self._comparison()

    def _comparison(self) -> Rule:
        before = self._at
        if self._take("("):
            # Either a rule in parentheses, or a comparison whose left side starts with one.
            try:
                rule = self._either()
                if self._take(")") and self._peek() in (None, "and", "or", ")"):
                    return rule
            except _UnitError:
                raise
            except TriggerError:
                pass
            self._at = before
        left, left_power = self._sum()
        if self._take("is"):
            return self._kind(left)
        sign = self._take(*_COMPARISONS)
        if sign is None:
            raise self._error("expected a comparison such as >")
        compare, (right, right_power) = _COMPARISONS[sign], self._sum()
        self._check_units(left_power, right_power)
        return lambda times: compare(left(times), right(times))

    def _kind(self, value: Value) -> Rule:
        kind = self._take("nan", "inf")
        if kind is None:
            raise self._error("expected nan or inf")
        is_kind = math.isnan if kind == "nan" else math.isinf
        return lambda times: is_kind(value(times))

    def _sum(self) -> Measured:
        left, power = self._product()
        while sign := self._take("+", "-"):
            factor = 1.0 if sign == "+" else -1.0
            right, right_power = self._product()
            self._check_units(power, right_power)
            left = (lambda a, b, f: lambda times: a(times) + f * b(times))(left, right, factor)
        return left, power

    def _product(self) -> Measured:
        left, power = self._value()
        while sign := self._take("*", "/"):
            right, right_power = self._value()
            if sign == "*":
                left = (lambda a, b: lambda times: a(times) * b(times))(left, right)
                power += right_power
            else:
                left = (lambda a, b: lambda times: _divide(a(times), b(times)))(left, right)
                power -= right_power
        return left, power

    def _value(self) -> Measured:
        if self._take("-"):
            inner, power = self._value()
            return (lambda times: -inner(times)), power
        if self._take("("):
            inner, power = self._sum()
            if not self._take(")"):
                raise self._error("expected a closing parenthesis")
            return inner, power
        ahead = self._peek()
        if ahead == "number":
            _, at, seconds = self._tokens[self._at]
            number = seconds or 0.0
            self._at += 1
            return (lambda times: number), int(at in self._with_unit)
        if ahead is not None and ahead in self._names:
            self._at += 1
            self.used.add(ahead)
            return self._names[ahead]
        raise self._error("expected a number or a name")

    def _check_units(self, left_power: int, right_power: int) -> None:
        """A time may only be compared with, or added to, a time."""
        if left_power == right_power:
            return
        if {left_power, right_power} == {0, 1}:
            raise _UnitError(
                f"The rule {self._text!r} compares a time with a number that has no unit",
                "write the unit, such as 500ms or 0.5s, or compare with a multiple such as "
                "2 * median",
            )
        raise _UnitError(
            f"The rule {self._text!r} compares a time with something that is not a time",
            "compare two times: step_time > 2 * median",
        )

    def _error(self, what: str) -> TriggerError:
        at_end = self._at >= len(self._tokens)
        return self._error_at(what, len(self._text) if at_end else self._tokens[self._at][1])

    def _error_at(self, what: str, position: int) -> TriggerError:
        rest = self._text[position:].strip() or "the end"
        return TriggerError(
            f"The rule {self._text!r} is invalid at {rest!r}: {what}",
            f"write a rule such as 'step_time > 2 * median'; available names: {', '.join(self._names)}",
        )


def _divide(left: float, right: float) -> float:
    return left / right if right else float("inf")
