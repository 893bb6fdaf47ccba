"""How much memory this process may still use, and when a capture must end because of it.

Events wait in memory until they are collected, and collecting creates a profile in addition to
them: with jax 0.10 on CPU, a capture uses 3 to 6 bytes per byte of the final file while it records,
and 14 to 22 at the peak of its collection. A capture that uses up the memory of the machine or its
container would end the program.
"""

from __future__ import annotations

from pathlib import Path

COLLECTING_RATIO = 5.0
"""Memory for collecting, relative to what was recorded; measured as 1.5 to 4.8 times as much."""
KEPT_FREE_RATIO = 0.1
"""This share of the memory available when the capture started is left to the program."""

_CGROUP = Path("/sys/fs/cgroup")
_UNLIMITED_BYTES = 1 << 60


class MemoryGuard:
    """Decides when a capture must end because memory runs out."""

    def __init__(self) -> None:
        self._available_at_start = available_bytes()

    def reason_to_stop(self, growth_bytes: int) -> str | None:
        """Why the capture ends now, or None. `growth_bytes` is what the process has allocated since."""
        if self._available_at_start is None:
            return None
        available = available_bytes()
        if available is None:
            return None
        collecting = COLLECTING_RATIO * growth_bytes
        needed = collecting + KEPT_FREE_RATIO * self._available_at_start
        if growth_bytes <= 0 or available >= needed:
            return None
        return (
            f"the memory of the machine: {available / 1e6:.0f} MB are left, and collecting takes "
            f"up to {collecting / 1e6:.0f} MB"
        )


def available_bytes() -> int | None:
    """Memory that this process can use before the system or its container kills it, or None."""
    found = [bytes_ for bytes_ in (_of_machine(), *_of_cgroups()) if bytes_ is not None]
    return min(found) if found else None


def _of_machine(path: Path = Path("/proc/meminfo")) -> int | None:
    try:
        for line in path.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None


def _of_cgroups(root: Path = _CGROUP, process: Path = Path("/proc/self/cgroup")) -> list[int]:
    """What each limit on this process leaves, from cgroups v2 and v1."""
    found = []
    for folder, limit, usage in _groups(root, process):
        left = _left(folder, limit, usage)
        if left is not None:
            found.append(left)
    return found


def _groups(root: Path, process: Path) -> list[tuple[Path, str, str]]:
    try:
        lines = process.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    groups = []
    for line in lines:
        _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        if controllers == "":
            base, names = root, ("memory.max", "memory.current")
        elif "memory" in controllers.split(","):
            base, names = root / "memory", ("memory.limit_in_bytes", "memory.usage_in_bytes")
        else:
            continue
        # In a container the path may be that of the host; the process's own group is then the root.
        folder = base / path.strip("/")
        groups += [(one, *names) for one in (folder, *folder.parents) if one.is_relative_to(base)]
    return groups


def _left(folder: Path, limit: str, usage: str) -> int | None:
    try:
        most = int((folder / limit).read_text(encoding="ascii"))
        used = int((folder / usage).read_text(encoding="ascii"))
    except (OSError, ValueError):  # `max`, or missing
        return None
    # Droppable pages of files count as used there.
    return max(0, most - used + _droppable(folder)) if most < _UNLIMITED_BYTES else None


def _droppable(folder: Path) -> int:
    try:
        lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
        names = ("inactive_file", "total_inactive_file")
        counts = {line.split()[0]: int(line.split()[1]) for line in lines if " " in line}
    except (OSError, ValueError, IndexError):
        return 0
    return max((counts.get(name, 0) for name in names), default=0)
