"""What earlier captures of this process say about the next one."""

from __future__ import annotations

import math
import time

from . import console

FREQUENT_SECONDS = 1.0
FREQUENT_COUNT = 5
"""This many captures in a row, each this soon after the previous one, cause a remark."""


class History:
    """Sizes and times of the captures so far."""

    def __init__(self) -> None:
        self.largest_size_bytes = 0
        self.last_stop_seconds = -math.inf
        self._count_in_a_row = 0

    def remark_on_frequency(self, quiet: bool) -> None:
        """Says once per series that captures follow each other too quickly."""
        is_soon = time.monotonic() - self.last_stop_seconds < FREQUENT_SECONDS
        self._count_in_a_row = self._count_in_a_row + 1 if is_soon else 1
        if self._count_in_a_row == FREQUENT_COUNT:
            console.say(
                f"{FREQUENT_COUNT} captures within seconds: each one has a fixed cost in time and "
                "disk. Capture several steps at once, or every 1000 steps",
                quiet=quiet,
            )


history = History()
"""The history of this process."""
