"""The little language of triggers."""

from __future__ import annotations

import random
import statistics

import pytest

from stepscope import TriggerError
from stepscope.triggers import STEPS_BEFORE_ARMED, StepTimes, Trigger, parse


def times(*seconds: float, step_time: float = 0.0, last: float = 0.0) -> StepTimes:
    found = StepTimes()
    for value in seconds:
        found.add(value)
    found.step_time, found.last = step_time, last
    return found


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("step_time > 2 * median", True),
        ("step_time > 4 * median", False),
        ("step_time>250ms", True),
        ("step_time > 0.25 s", True),
        ("step_time < 250000 us", False),
        ("step_time >= 0.3s", True),
        ("step_time != last", True),
        ("step_time > mean + 1.5 * (max - min)", True),
        ("step_time > 2 * median and last > 1s", False),
        ("step_time > 2 * median or last > 1s", True),
        ("not step_time > 2 * median", False),
        ("not (last > 1s or step_time < 1ms)", True),
        ("(step_time - last) / last > 0.5", True),
        ("(step_time > 1s or last < 1s) and (max < 1s)", True),
        ("-step_time < -0.2s", True),
        ("step_time > p95 * 2", True),
        ("2 * 3 + 4 == 10", True),
        ("2 + 3 * 4 == 14", True),
        ("8 / 2 / 2 == 2", True),
        ("5 - 2 - 1 == 2", True),
        ("1 / 0 > 5", True),
    ],
)
def test_rules(rule: str, expected: bool) -> None:
    assert parse(rule)(times(0.09, 0.1, 0.11, step_time=0.3, last=0.1)) is expected


@pytest.mark.parametrize(
    ("rule", "place"),
    [
        ("", "the end"),
        ("step_time", "the end"),
        ("step_time >", "the end"),
        ("step_tme > 2", "step_tme > 2"),
        ("step_time > 2s median", "median"),
        ("step_time > (2 * median", "the end"),
        ("step_time > 2s) ", ")"),
        ("__import__('os').system('ls') > 1", "__import__"),
        ("step_time > 2 ** 3", "* 3"),
        ("step_time.real > 1", ".real"),
        ("1 < 2 < 3", "< 3"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_place(rule: str, place: str) -> None:
    with pytest.raises(TriggerError) as caught:
        parse(rule)
    assert place in caught.value.message
    assert "step_time > 2 * median" in str(caught.value)


@pytest.mark.parametrize(
    ("short", "rule"),
    [
        ("1.5x", "step_time > 1.5 * median"),
        ("2 x", "step_time > 2 * median"),
        ("200ms", "step_time > 200ms"),
        (" .5 s", "step_time > .5s"),
        ("step_time > 1s", "step_time > 1s"),
    ],
)
def test_a_threshold_is_short_for_a_rule(short: str, rule: str) -> None:
    assert Trigger(short).text == rule


@pytest.mark.parametrize("bare", ["0.5", "200", " 2. "])
def test_a_bare_threshold_is_refused_with_the_units_to_choose_from(bare: str) -> None:
    number = bare.strip()
    with pytest.raises(TriggerError, match="has no unit") as caught:
        Trigger(bare)
    assert f"'{number}ms' or '{number}s'" in str(caught.value)
    assert f"'{number}x'" in str(caught.value)


@pytest.mark.parametrize(
    "rule",
    [
        "step_time > 0.5",
        "step_time > median + 1",
        "(last > 2)",
        "not (step_time > 1s or last > 2)",
        "step_time * median > 1s",
        "step_time / median > 20ms",
        "2 > 1s",
    ],
)
def test_a_time_is_compared_with_a_time(rule: str) -> None:
    with pytest.raises(TriggerError, match="compares") as caught:
        Trigger(rule)
    assert "2 * median" in str(caught.value)


def test_statistics_agree_with_the_standard_library() -> None:
    source = random.Random(7)
    values = [source.lognormvariate(0, 0.5) for _ in range(250)]
    found = times(*values)
    recent = values[-100:]
    assert len(found) == 100
    assert found.quantile(0.5) == pytest.approx(statistics.median(recent))
    assert found.mean() == pytest.approx(statistics.fmean(recent))
    assert found.quantile(0.0) == min(recent)
    assert found.quantile(1.0) == max(recent)
    centiles = statistics.quantiles(recent, n=100, method="inclusive")
    assert found.quantile(0.95) == pytest.approx(centiles[94])


def test_a_rule_waits_for_enough_steps_then_fires_on_the_slow_one() -> None:
    trigger = Trigger("step_time > 2 * median")
    assert not trigger.observe(5.0)  # the first step compiles
    assert not any(trigger.observe(0.1) for _ in range(STEPS_BEFORE_ARMED))
    assert not trigger.observe(0.15)
    assert trigger.observe(0.25)
    assert "250 ms" in trigger.explain()
    assert "median 100 ms" in trigger.explain()


def test_a_slow_step_is_compared_with_those_before_it() -> None:
    trigger = Trigger("step_time > max")
    for _ in range(STEPS_BEFORE_ARMED):
        trigger.observe(0.1)
    assert trigger.observe(0.2)
    assert not trigger.observe(0.2)
