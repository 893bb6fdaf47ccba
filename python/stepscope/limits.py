"""Watches a running capture and ends it when it gets too long or too large.

The profiler cannot report how much it holds. But events wait in memory until the end, at about five
bytes of memory per byte of the final file (5.2 to 5.7 for ops and Python calls, 2.7 to 3.2 for
annotations, measured with jax 0.10 on CPU; collecting takes more, see `machine_memory`). So the
size limit is compared with a fifth of the growth of the memory allocated by the process. Memory
that the program itself allocates in the meantime counts too and ends the capture early; memory that
it frees ends it late. The allocator is queried once a second, which takes it about a millisecond.
The limit in seconds is accurate to a tenth of a second.

A profile is one protobuf message, and such a message cannot exceed 2 GiB: a larger one comes back
empty. So a capture is ended before that, whatever `max_megabytes` says, unless jax writes it as
records.
"""

from __future__ import annotations

import ctypes
import math
import os
import threading
import time
from collections.abc import Callable
from functools import cache

from . import console, machine_memory

MEMORY_BYTES_PER_FILE_BYTE = 5
MESSAGE_BYTES_MAX = 2**31 - 1
"""The maximum size of a protobuf message, and therefore of an `.xplane.pb`."""
MESSAGE_MEGABYTES_SAFE = 1900.0
"""Where a capture is ended that becomes one message: the estimate is off by up to 6 %, and a second."""
LARGE_BYTES = 2**30
"""From here on a message suggests smaller captures, or records."""
HOW_TO_STAY_BELOW = (
    "record fewer steps, without Python frames (python_tracer_level=0); with jax 0.11.1 or newer, "
    'profiler_options={"advanced_configuration": {"enable_continuous_profiling": True}} writes '
    "records (.xplane.riegeli), which have no such limit"
)
_LOOK_EVERY_SECONDS = 1.0


class Watchdog:
    """Calls `stop` with a reason, from its own thread, when a limit is passed."""

    def __init__(
        self,
        max_seconds: float,
        max_megabytes: float,
        stop: Callable[[str], None],
        *,
        writes_records: bool = False,
    ) -> None:
        self._max_seconds = max_seconds
        self._max_megabytes = max_megabytes
        if not writes_records:
            self._max_megabytes = min(max_megabytes, MESSAGE_MEGABYTES_SAFE)
        self._is_wall = self._max_megabytes < max_megabytes
        self._stop = stop
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Starts watching, unless nothing limits the capture."""
        if math.isinf(self._max_seconds) and math.isinf(self._max_megabytes):
            return
        self._thread = threading.Thread(target=self._watch, name="stepscope-limits", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Stops watching; may be called from the watching thread itself."""
        self._done.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def _reason(self, growth_bytes: int) -> str:
        basis = f"estimated from {growth_bytes / 1e6:.0f} MB more memory in use"
        if not self._is_wall:
            return f"max_megabytes = {self._max_megabytes:g}, {basis}"
        return (
            f"the size of its file, {self._max_megabytes:g} MB, {basis}: one message cannot hold "
            f"more than 2 GiB. To record more, {HOW_TO_STAY_BELOW}"
        )

    def _watch(self) -> None:
        started = time.monotonic()
        allocated_before = allocated_bytes()
        memory = machine_memory.MemoryGuard()
        while True:
            left_seconds = started + self._max_seconds - time.monotonic()
            if self._done.wait(min(max(left_seconds, 0.0), _LOOK_EVERY_SECONDS)):
                return
            if time.monotonic() - started >= self._max_seconds:
                self._stop(f"max_seconds = {self._max_seconds:g}")
                return
            growth_bytes = allocated_bytes() - allocated_before
            out_of_memory = memory.reason_to_stop(growth_bytes)
            if out_of_memory is not None:
                self._stop(out_of_memory)
                return
            if growth_bytes / MEMORY_BYTES_PER_FILE_BYTE > self._max_megabytes * 1e6:
                self._stop(self._reason(growth_bytes))
                return


def remark_on_size(size_bytes: int, *, is_records: bool) -> None:
    """If a capture is close to the file size limit, says how to stay below it next time."""
    if size_bytes >= LARGE_BYTES and not is_records:
        console.warn(
            f"the capture has {console.bytes_text(size_bytes)}; above 2 GiB it would be lost; "
            f"{HOW_TO_STAY_BELOW}"
        )


def finite(limit: float) -> float | None:
    """A limit as it is in files; None if there is none."""
    return None if math.isinf(limit) else limit


def remark_on_limit(max_megabytes: float, *, writes_records: bool) -> None:
    """If the limit exceeds the maximum file size, says that the capture will end earlier."""
    if max_megabytes * 1e6 > MESSAGE_BYTES_MAX and not math.isinf(max_megabytes):
        if not writes_records:
            console.warn(
                f"max_megabytes = {max_megabytes:g} is more than a profile file can hold; the "
                f"capture is ended at {MESSAGE_MEGABYTES_SAFE:g} MB. To record more, "
                f"{HOW_TO_STAY_BELOW}"
            )


def allocated_bytes() -> int:
    """Memory currently allocated in this process, according to its allocator.

    If the C library does not report it (only glibc 2.33 and newer does), it is the resident memory,
    which does not shrink when memory is freed: then only the first large capture of a process is
    measured well. 0 if the system does not report that either.
    """
    ask = _allocator()
    if ask is None:
        return _resident_bytes()
    answer = ask()
    return int(answer.uordblks) + int(answer.hblkhd)


class _AllocatorInfo(ctypes.Structure):
    """`struct mallinfo2` of glibc; `uordblks` and `hblkhd` are the bytes in use."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        )
    ]


@cache
def _allocator() -> Callable[[], _AllocatorInfo] | None:
    try:
        ask = ctypes.CDLL(None).mallinfo2
    except (OSError, AttributeError, TypeError):
        return None
    ask.restype = _AllocatorInfo
    ask.argtypes = []
    found: Callable[[], _AllocatorInfo] = ask
    return found


def _resident_bytes() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
