"""Statistics of repeated measurements: percentiles, deviation, and a bootstrap interval.

NumPy is used if installed, and plain Python otherwise; both give an interval of the same kind, but
not the same digits.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

_RESAMPLES = 2000
# Pure Python draws about ten million values per second; this limits it to half a second.
_PURE_PYTHON_DRAWS = 5_000_000
_NUMPY_CHUNK_VALUES = 4_000_000


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Percentile of sorted values with linear interpolation between neighbors, as in NumPy."""
    position = (len(ordered) - 1) * percent / 100.0
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def standard_deviation(values: Sequence[float]) -> float:
    """Sample standard deviation (divided by n - 1); zero for a single value."""
    if len(values) < 2:
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def bootstrap_interval(
    values: Sequence[float], confidence_level: float, seed: int
) -> tuple[float, float]:
    """Percentile bootstrap interval of the mean: low and high end, in the unit of the values.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13. Values are
    treated as independent, so slow drifts of the machine make the interval too narrow.
    """
    if len(values) < 2:
        return values[0], values[0]
    means = sorted(_numpy_means(values, seed) or _pure_python_means(values, seed))
    tail_percent = (1.0 - confidence_level) / 2.0 * 100.0
    return percentile(means, tail_percent), percentile(means, 100.0 - tail_percent)


def _numpy_means(values: Sequence[float], seed: int) -> list[float]:
    try:
        import numpy
    except ImportError:
        return []
    generator = numpy.random.default_rng(seed)
    array = numpy.asarray(values, dtype=numpy.float64)
    rows = max(1, _NUMPY_CHUNK_VALUES // len(array))
    means: list[float] = []
    while len(means) < _RESAMPLES:
        count = min(rows, _RESAMPLES - len(means))
        picks = generator.integers(0, len(array), size=(count, len(array)))
        means.extend(array[picks].mean(axis=1).tolist())
    return means


def _pure_python_means(values: Sequence[float], seed: int) -> list[float]:
    generator = random.Random(seed)
    resamples = min(_RESAMPLES, max(100, _PURE_PYTHON_DRAWS // len(values)))
    count = len(values)
    return [math.fsum(generator.choices(values, k=count)) / count for _ in range(resamples)]
