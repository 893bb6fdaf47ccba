"""Ctrl-C while a capture is collected: held back until the capture is written.

When the Python tracer ends, jaxlib calls into Python. An exception raised there by a signal handler
is lost, and with jax 0.10 the program then hangs forever. So signal handlers must wait.
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
    """Defers signals that have a Python handler until the end of the block.

    Then the handlers are called, which may raise, as for `KeyboardInterrupt`. Python runs them only
    on the main thread, so on other threads there is nothing to defer. To end the program without
    waiting, send the signal three times: the third time the system's default action applies.
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
            _say("interrupt once more to end the program and lose the capture")
        else:
            _say("writing the capture; the interrupt takes effect when it is written")
        self._held[number] = frame


def _say(text: str) -> None:
    # Not through sys.stderr: a handler may run in the middle of a write to it.
    with suppress(OSError):
        os.write(2, f"stepscope: {text}\n".encode())
