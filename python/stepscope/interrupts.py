"""Ctrl-C while a capture is collected: held back until the capture is written.

When the Python tracer ends, jaxlib calls into Python. An exception that a signal's handler raises
there is lost, and with jax 0.10 the program then hangs for ever. So handlers wait.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class HeldInterrupts:
    """Signals that have a handler in Python wait until the end of the block.

    There the handlers are called, which may raise, as `KeyboardInterrupt` is. Python runs them on
    the main thread only, so on any other there is nothing to hold. Who does not want to wait sends
    the signal three times: the third ends the program, as the system does.
    """

    def __init__(self) -> None:
        self._handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
        self._held: dict[int, FrameType | None] = {}

    def __enter__(self) -> HeldInterrupts:
        if threading.current_thread() is not threading.main_thread():
            return self
        for number in _SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler):  # not the system's, which ends the program without Python
                self._handlers[number] = handler
                signal.signal(number, self._hold)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        for number, frame in self._held.items():
            self._handlers[number](number, frame)

    def _hold(self, number: int, frame: FrameType | None) -> None:
        if number in self._held:
            signal.signal(number, signal.SIG_DFL)
            _say("once more ends the program, and the capture is lost")
        else:
            _say("the capture is being written; the interrupt follows when it is")
        self._held[number] = frame


def _say(text: str) -> None:
    # Not through sys.stderr, in the middle of whose work a handler may run.
    with suppress(OSError):
        os.write(2, f"stepscope: {text}\n".encode())
