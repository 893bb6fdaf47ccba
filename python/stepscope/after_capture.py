"""What follows a capture while the program runs: report, upload, `on_capture`, removal of old captures.

None of it can harm the program: failures are logged, and the capture stays where it is.
"""

from __future__ import annotations

import shutil
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from . import console, report
from .capture_result import CaptureResult

if TYPE_CHECKING:
    from .capture_session import CaptureSession

OnCapture = Callable[[CaptureResult], object]
"""What is called with each finished capture."""

_threads: list[threading.Thread] = []


class AfterCapture:
    """Runs the requested actions for each capture of one profiler, in this order."""

    def __init__(self, *, quiet: bool, keep_captures: int, on_capture: OnCapture | None) -> None:
        self._quiet = quiet
        self._on_capture = on_capture
        self._keep_captures = keep_captures
        self._kept: deque[CaptureResult] = deque()

    def run(self, session: CaptureSession) -> None:
        """Runs the actions now; never raises."""
        result = session.result
        if result is None:
            return
        try:
            session.upload()
            report.show(result, quiet=self._quiet)
            call_back(self._on_capture, result)
            self._remove_old(result)
        except Exception as error:  # noqa: BLE001 - a report must not end a training run
            console.warn(f"after the capture: {type(error).__name__}: {error}")

    def run_later(self, session: CaptureSession) -> None:
        """Runs the actions on a thread, one capture after the other, so that a training loop continues.

        In a notebook, output printed after a cell has ended is lost, so there it runs immediately.
        """
        before = [thread for thread in _threads if thread.is_alive()]

        def follow() -> None:
            for thread in before:
                thread.join()
            self.run(session)

        thread = threading.Thread(target=follow, name="stepscope-after-capture")
        try:
            if report.is_notebook():
                raise RuntimeError("output after the end of a cell is lost")
            thread.start()
        except RuntimeError:  # or no new threads while the interpreter shuts down
            self.run(session)
            return
        _threads[:] = [*before, thread]

    def _remove_old(self, result: CaptureResult) -> None:
        if self._keep_captures == 0:
            return
        self._kept.append(result)
        while len(self._kept) > self._keep_captures:
            _remove(self._kept.popleft())


def wait_until_done(seconds: float | None = None) -> None:
    """Waits for everything that `run_later` has started, at most `seconds` per capture."""
    for thread in list(_threads):
        if thread is not threading.current_thread():
            thread.join(seconds)


def call_back(on_capture: OnCapture | None, result: CaptureResult) -> None:
    """Calls `on_capture` with the result; what it raises is logged and not propagated."""
    if on_capture is None:
        return
    try:
        on_capture(result)
    except Exception as error:  # noqa: BLE001 - the user's code, beside the user's program
        console.warn(
            f"on_capture raised {type(error).__name__}: {error}; the capture is in "
            f"{result.directory}"
        )


def _remove(result: CaptureResult) -> None:
    """Removes the files that this process wrote; the folder too, once it is empty."""
    beside = [result.path, result.path.with_name(f"{result.host}.stepscope.json")]
    beside.append(result.path.with_name(f"{result.host}.trace.json.gz"))
    if result.perfetto_path is not None:
        beside.append(result.perfetto_path)
    for path in beside:
        path.unlink(missing_ok=True)
    if not any(result.directory.glob("*.xplane.pb")):
        shutil.rmtree(result.directory, ignore_errors=True)
