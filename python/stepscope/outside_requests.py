"""Capture requests from outside the program: a file that appears, or a signal."""

from __future__ import annotations

import os
import signal
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from . import console

LOOK_EVERY_SECONDS = 0.5


class TriggerFile:
    """Requests a capture when a file appears, and removes the file.

    `touch /tmp/capture` starts a capture, as often as you like. A file that already exists counts
    as a request too. If the file contains a number, it is the number of steps to capture.
    """

    def __init__(self, path: str, request: Callable[[int | None], object]) -> None:
        self._path = Path(path).expanduser().absolute()
        self._request = weakref.WeakMethod(request)
        self._done = threading.Event()
        thread = threading.Thread(target=self._watch, name="stepscope-trigger-file", daemon=True)
        thread.start()

    def close(self) -> None:
        """Stops watching."""
        self._done.set()

    def _watch(self) -> None:
        while not self._done.wait(LOOK_EVERY_SECONDS):
            if not self._path.exists():
                if self._request() is None:
                    return
                continue
            request = self._request()
            if request is None:
                return
            request(self._take())

    def _take(self) -> int | None:
        text = ""
        with suppress(OSError, UnicodeDecodeError):
            text = self._path.read_text(encoding="utf-8")[:20].strip()
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            console.warn(f"the trigger file cannot be removed, so it triggers only once: {error}")
            self._done.set()
        return int(text) if text.isdigit() and int(text) > 0 else None


class TriggerSignal:
    """Requests a capture at a signal; the program's previous handler is called as well.

    Python handles signals on the main thread, so the profiler must be created there.
    """

    def __init__(self, name: str, request: Callable[[int | None], object]) -> None:
        self._number = signal.Signals[name]
        self._request = weakref.WeakMethod(request)
        self._previous: Any = None
        self._is_set = False
        if threading.current_thread() is not threading.main_thread():
            console.warn(
                f"trigger_signal={name} needs a Profiler created on the main thread; the "
                "signal is ignored"
            )
            return
        self._previous = signal.signal(self._number, self._handle)
        self._is_set = True

    def close(self) -> None:
        """Restores the previous handler, unless the program has set another one in the meantime."""
        if not self._is_set or threading.current_thread() is not threading.main_thread():
            return
        self._is_set = False
        if signal.getsignal(self._number) == self._handle:
            previous = signal.SIG_DFL if self._previous is None else self._previous
            signal.signal(self._number, previous)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        request = self._request()
        if request is not None:
            # On a thread: the main thread may hold any lock at this point.
            threading.Thread(target=request, args=(None,), name="stepscope-trigger-signal").start()
        if callable(self._previous):
            self._previous(number, frame)


def hint(file: str | None, name: str | None) -> list[str]:
    """How to request a capture from outside, one line each."""
    lines = []
    if file is not None:
        lines.append(f"capture from outside: touch {file}")
    if name is not None:
        lines.append(f"capture from outside: kill -{name.removeprefix('SIG')} {os.getpid()}")
    return lines
