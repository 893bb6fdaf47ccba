"""Rounds in which contestants take turns, and ratios within a round.

Seconds depend on the machine and its load; ratios of contestants that take turns depend on them much less.
"""

import random
import statistics
from collections.abc import Callable
from typing import Any

Figures = dict[str, list[float]]


def take_turns(contestants: dict[str, Callable[[], float]], rounds: int, seed: int) -> Figures:
    """Every contestant once per round, in another order each time; figures per contestant."""
    generator = random.Random(seed)
    figures: Figures = {name: [] for name in contestants}
    for _ in range(rounds):
        order = list(contestants)
        generator.shuffle(order)
        for name in order:
            figures[name].append(contestants[name]())
    return figures


def ratios(numerators: list[float], denominators: list[float]) -> list[float]:
    """The ratio in each round."""
    return [over / under for over, under in zip(numerators, denominators, strict=True)]


def describe(values: list[float]) -> dict[str, Any]:
    """Median, quartiles and a 95 % interval of the median (by bootstrap, seeded)."""
    generator = random.Random(0)
    medians = sorted(
        statistics.median(generator.choices(values, k=len(values))) for _ in range(2000)
    )
    low, _, high = statistics.quantiles(values, n=4) if len(values) > 1 else [values[0]] * 3
    return {
        "median": statistics.median(values),
        "quartiles": [low, high],
        "median_interval": [medians[50], medians[-51]],
        "rounds": len(values),
    }
