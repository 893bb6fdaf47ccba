"""SIGTERM during a capture: ends and keeps the capture, then continues with the program's own handling.

Job schedulers and Kubernetes send it some seconds before they kill. Python runs handlers on the
main thread, so a capture that starts on another thread is not guarded.
"""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .capture_session import CaptureSession


class Handler:
    """Guards one capture; installed only while it records."""

    def __init__(self, session: CaptureSession) -> None:
        self._session = session
        self._previous: Any = None

    def install(self) -> None:
        """Replaces the current handler, which is called afterwards."""
        if threading.current_thread() is not threading.main_thread():
            return
        previous = signal.getsignal(signal.SIGTERM)
        if previous is None or previous is signal.SIG_IGN:  # set in C, or ignored by the program
            return
        self._previous = previous
        signal.signal(signal.SIGTERM, self._handle)

    def uninstall(self) -> None:
        """Restores the previous handler, unless the program has set another one in the meantime."""
        if self._previous is None or threading.current_thread() is not threading.main_thread():
            return
        previous, self._previous = self._previous, None
        if signal.getsignal(signal.SIGTERM) == self._handle:
            signal.signal(signal.SIGTERM, previous)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        previous = self._previous or signal.SIG_DFL
        self._session.end_now("SIGTERM")
        self.uninstall()
        if callable(previous):
            previous(number, frame)
            return
        # As without a handler: the parent sees that a signal ended the program.
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
