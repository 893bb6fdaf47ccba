"""The part of `stepscope run` inside the program: loaded once jax is imported, it never raises."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import threading
from types import FrameType

from . import abrupt_exit, attach, console, session_ids
from .errors import StepscopeError
from .program_capture import ProgramCapture
from .run_request import RunRequest

_PARENT = "STEPSCOPE_RUN_IN"
"""Names the process that captures, so that its worker processes do not capture as well."""
SIGNAL = "SIGUSR1"

_capture: ProgramCapture | None = None


def start() -> None:
    """Watches this program as `STEPSCOPE_RUN` asks for."""
    global _capture
    try:
        request = RunRequest.from_environment()
        if request is None or _capture is not None or _is_worker():
            return
        _capture = ProgramCapture(request)
        _listen_to_signal(_capture)
        _capture.start()
        listener = attach.listen(_capture)
        ends = contextlib.ExitStack()
        if listener is not None:
            ends.callback(listener.close)
        ends.callback(_capture.close)
        atexit.register(ends.close)
        abrupt_exit.install(ends.close)
    except StepscopeError as error:
        console.warn(f"no capture: {error}")
    except Exception as error:  # noqa: BLE001 - the program runs as without us
        console.warn(f"no capture: {type(error).__name__}: {error}")


def _is_worker() -> bool:
    """Whether this is a child of a process that captures, and not another rank of the job."""
    rank = str(session_ids.launcher())
    process, _, rank_of_it = os.environ.get(_PARENT, "").partition(" ")
    if process and process != str(os.getpid()) and rank_of_it == rank:
        return True
    os.environ[_PARENT] = f"{os.getpid()} {rank}"
    return False


def _listen_to_signal(capture: ProgramCapture) -> None:
    """`SIGUSR1` starts and ends a capture, unless the program has a use for it."""
    number = getattr(signal, SIGNAL, None)
    if number is None or threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(number) is not signal.SIG_DFL:
        return

    def handle(number: int, frame: FrameType | None) -> None:
        # On a thread: the main thread may hold any lock at this point.
        threading.Thread(target=capture.toggle, name="stepscope-signal", daemon=True).start()

    signal.signal(number, handle)
    capture.has_signal = lambda: signal.getsignal(number) is handle
