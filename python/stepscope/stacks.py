"""Stacks of this process: of one thread as frames to report, of all threads into a file."""

from __future__ import annotations

import faulthandler
import os
import sys
import traceback
from pathlib import Path

_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_LIBRARIES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}lib{os.sep}python3", "<frozen ")


def of_thread(thread: int) -> list[str]:
    """The frames of a thread, innermost first: `load_batch (train.py:12)`; empty if it ended.

    Frames of this package are left out.
    """
    frame = sys._current_frames().get(thread)
    if frame is None:
        return []
    found = []
    for one in reversed(traceback.extract_stack(frame)):
        if not one.filename.startswith(_OURS):
            found.append(f"{one.name} ({one.filename}:{one.lineno})")
    return found


def place(frames: list[str]) -> str | None:
    """The innermost frame of the program itself, or the innermost of all; None without frames."""
    own = (one for one in frames if not any(part in one for part in _LIBRARIES))
    return next(own, frames[0] if frames else None)


def write_all(path: Path) -> bool:
    """Writes the stacks of all threads; False if the file cannot be written."""
    try:
        with path.open("w", encoding="utf-8") as file:
            faulthandler.dump_traceback(file, all_threads=True)
    except OSError:
        return False
    return True
