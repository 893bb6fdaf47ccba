"""Whether other processes of a recorded run still live, as this one sees it.

Their rings have the time of their last sign of life, by clocks that may differ from ours by hours. So
what counts is for how long a sign has been the newest one on our clock, and, for a process of this
machine, what the system says of it.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from . import ring, run_directory


class Life(Enum):
    """What is known of a process."""

    GOES_ON = "goes on"
    """It shows signs of life, or ended normally."""
    SILENT = "silent"
    """It shows none, but it is a process of this machine that exists."""
    LOST = "lost"
    """It stopped without ending."""


@dataclass(slots=True)
class _Sign:
    """The newest sign of life of a process."""

    beat_unix_ns: int
    seen: float
    """When it was first seen, on our monotonic clock."""
    offset_ns: int
    """How much later our clock shows the same moment; too much by the time until it was seen."""


class Lives:
    """Follows the signs of life of other processes."""

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        unix_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._monotonic = monotonic
        self._unix_ns = unix_ns
        self._signs: dict[int, _Sign] = {}

    def of(self, other: ring.Contents, lost_seconds: float) -> Life:
        """What is known of the process whose ring was just read."""
        sign = self._sign(other)
        if other.is_ended:
            return Life.GOES_ON
        exists = exists_here(other.about)
        if exists is False:
            return Life.LOST
        if self._monotonic() - sign.seen <= lost_seconds:
            return Life.GOES_ON
        return Life.SILENT if exists else Life.LOST

    def ended_unix_ns(self, other: ring.Contents, record: ring.Record) -> int:
        """When a step of another process ended, on our clock."""
        return record.ended_unix_ns + self._sign(other).offset_ns

    def _sign(self, other: ring.Contents) -> _Sign:
        sign = self._signs.get(other.rank)
        if sign is None or sign.beat_unix_ns != other.beat_unix_ns:
            offset_ns = self._unix_ns() - other.beat_unix_ns
            if sign is not None:
                offset_ns = min(offset_ns, sign.offset_ns)
            sign = _Sign(other.beat_unix_ns, self._monotonic(), offset_ns)
            self._signs[other.rank] = sign
        return sign


def identity() -> dict[str, Any]:
    """What tells this process from a later one with its number: the boot of the machine with the
    namespace of process numbers, and when it started, in ticks of that boot. Linux only.
    """
    with suppress(OSError, ValueError, IndexError):
        space = _space()
        return {"process_space": space, "process_start_ticks": int(_stat("self")[19])}
    return {}


@functools.cache
def _space() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{boot} {os.readlink('/proc/self/ns/pid')}"


def exists_here(about: dict[str, Any]) -> bool | None:
    """Whether a process exists, by what its ring says of it; None if this system cannot know."""
    pid = int(about.get("pid", 0))
    try:
        if about.get("process_space") != _space():
            return None
    except OSError:  # not Linux
        return _exists(pid) if about.get("host") == run_directory.host_name() else None
    try:
        stat = _stat(str(pid))
        # Another process may have got its number since. `Z` and `X` only wait to be buried.
        return stat[0] not in ("Z", "X") and int(stat[19]) == about.get("process_start_ticks")
    except FileNotFoundError:
        return False
    except (OSError, ValueError, IndexError):
        return _exists(pid)


def is_stopped(about: dict[str, Any]) -> bool:
    """Whether a process of this machine was stopped by a signal or a debugger. Linux only."""
    with suppress(OSError, IndexError):
        return bool(exists_here(about)) and _stat(str(int(about.get("pid", 0))))[0] in ("T", "t")
    return False


def _stat(process: str) -> list[str]:
    """The fields of /proc/<process>/stat after the name, which may contain anything."""
    text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    return text.rsplit(")", 1)[1].split()


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
