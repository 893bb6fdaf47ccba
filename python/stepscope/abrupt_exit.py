"""`os._exit` of the program: what is being recorded is kept before.

Python then runs no exit handlers, so a capture would be lost. Watchdogs call it when the program
hangs, so what is kept is waited for only so long.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from . import console

KEPT_SECONDS = 60.0
"""How long the end of the program waits for its capture."""


def install(close: Callable[[], None]) -> None:
    """Has `close` called by `os._exit` of this process, not by that of the processes it forks."""
    process, exit_now = os.getpid(), os._exit

    def exit_when_kept(status: int) -> None:
        if os.getpid() == process:
            os._exit = exit_now  # what is kept may itself end the program, or hang
            _wait_for(close)
        exit_now(status)

    os._exit = exit_when_kept  # type: ignore[assignment]


def _wait_for(close: Callable[[], None]) -> None:
    # On a thread: this one may hold locks, or be the one that hangs.
    closing = threading.Thread(target=close, name="stepscope-exit", daemon=True)
    try:
        closing.start()
    except RuntimeError:  # the interpreter is shutting down, and has called the exit handlers
        return
    closing.join(KEPT_SECONDS)
    if closing.is_alive():
        console.warn(
            f"the program ended by os._exit, and the capture was not written within "
            f"{console.seconds_text(KEPT_SECONDS)}"
        )
