"""Watches a running capture and ends it when it gets too long or too large.

Nobody can ask the profiler how much it holds. What can be seen is that the process grows: events
wait in memory until the end, at about six bytes of memory per byte of the file to come
(measured with jax 0.10 on CPU). So the size limit is compared with a sixth of the growth of
resident memory. A program that allocates much during a capture ends it early; one whose memory
shrinks is seen too late. The limit of seconds is exact to a tenth of a second.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable

MEMORY_BYTES_PER_FILE_BYTE = 6
_LOOK_EVERY_SECONDS = 0.5


class Watchdog:
    """Calls `stop` with a reason, from its own thread, when a limit is passed."""

    def __init__(
        self, max_seconds: float, max_megabytes: float, stop: Callable[[str], None]
    ) -> None:
        self._max_seconds = max_seconds
        self._max_megabytes = max_megabytes
        self._stop = stop
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begins to watch, unless both limits are infinite."""
        if math.isinf(self._max_seconds) and math.isinf(self._max_megabytes):
            return
        self._thread = threading.Thread(target=self._watch, name="stepscope-limits", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Ends the watch; also fine from the watching thread itself."""
        self._done.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def _watch(self) -> None:
        started = time.monotonic()
        memory_bytes_before = resident_bytes()
        while True:
            left_seconds = started + self._max_seconds - time.monotonic()
            if self._done.wait(min(max(left_seconds, 0.0), _LOOK_EVERY_SECONDS)):
                return
            if time.monotonic() - started >= self._max_seconds:
                self._stop(f"max_seconds = {self._max_seconds:g}")
                return
            growth_bytes = resident_bytes() - memory_bytes_before
            if growth_bytes / MEMORY_BYTES_PER_FILE_BYTE > self._max_megabytes * 1e6:
                self._stop(
                    f"max_megabytes = {self._max_megabytes:g}, estimated from "
                    f"{growth_bytes / 1e6:.0f} MB of growth of the process"
                )
                return


def resident_bytes() -> int:
    """The resident memory of this process; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
