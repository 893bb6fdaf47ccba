"""Captures of incidents: all ranks at one agreed step, through a `Profiler`."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from . import _jax
from .capture_result import CaptureResult
from .errors import CaptureError
from .profiler import Profiler
from .recorders import write_atomically
from .settings import Settings

WAIT_SECONDS = 30.0
"""An incident whose capture has not begun by then is reported without it."""

Answer = Callable[[Path, CaptureResult | None, str | None], None]


class IncidentCaptures:
    """Captures the agreed steps of one incident at a time; calls `answer` for each incident."""

    def __init__(
        self,
        settings: Settings,
        rank: int,
        answer: Answer,
        *,
        options: Any = None,
        annotate_steps: bool,
    ) -> None:
        self.is_wanted = False
        """Whether `step_ended` must be called."""
        self._settings = replace(settings, quiet=True)
        self._rank = rank
        self._answer = answer
        self._options = options
        self._annotate_steps = annotate_steps
        self.step_name = "train"
        """What steps are annotated as."""
        self._profiler: Profiler | None = None
        self._lock = threading.Lock()
        self._folder: Path | None = None
        self._at_step = 0
        self._begun_at = 0.0
        self._is_open = False

    def plan(self, folder: Path, at_step: int) -> None:
        """Captures from `at_step` on, or from the next step if that is over."""
        if not _jax.is_loaded():
            self._answer(folder, None, "this process has not imported jax")
            return
        with self._lock:
            is_free = self._folder is None
            if is_free:
                self._folder, self._at_step = folder, at_step
                self._begun_at = time.monotonic()
                self.is_wanted = True
        if not is_free:
            self._answer(folder, None, "another incident was being captured")

    def step_ended(self, step: int) -> bool:
        """Called on the loop's thread between steps while a capture is planned or runs.

        True if the next step is captured.
        """
        if self._is_open and self._profiler is not None:
            self._profiler.end_step()
            self._is_open = self.is_wanted = self._profiler.is_recording
            if self._is_open:
                self._profiler.begin_step(step + 1)
        elif step + 1 >= self._at_step:
            self._open(step + 1)
        return self._is_open

    def _open(self, step: int) -> None:
        folder = self._folder
        profiler = None if folder is None else self._new_profiler(folder)
        if profiler is None:
            self.finished(None, "the capture cannot be written")
            return
        self._profiler = profiler
        profiler.capture_async()
        profiler.begin_step(step)
        self._is_open = profiler.is_recording
        if not self._is_open:
            profiler.forget_requests()
            self.finished(None, "the profiler is in use")

    def finished(self, result: CaptureResult | None, why_not: str | None = None) -> None:
        """The capture is there, or cannot be made."""
        with self._lock:
            folder, self._folder = self._folder, None
            self.is_wanted = False
        if folder is not None:
            self._answer(folder, result, why_not)

    def give_up_late(self) -> None:
        """Answers without a capture if its step did not come."""
        is_late = time.monotonic() - self._begun_at > WAIT_SECONDS
        if self._folder is not None and is_late and not self._is_open:
            self.finished(None, "its step did not come")

    def close(self) -> None:
        """Ends a capture now and keeps what was recorded."""
        if self._profiler is not None:
            self._profiler.close()
        self.finished(None, "the program ended")

    def _new_profiler(self, folder: Path) -> Profiler | None:
        """The profiler of one incident, whose name all ranks give to their session."""
        with suppress(CaptureError):
            profiler = Profiler(
                settings=replace(self._settings, session_id=folder.name),
                on_capture=self.finished,
                profiler_options=self._options,
                annotate_steps=self._annotate_steps,
                announce=False,
            )
            profiler.gives_way = True
            profiler.step_name = self.step_name
            return profiler
        return None


def memory_share() -> float:
    """The highest share of a local device's memory that is in use; NaN if unknown, as on CPU."""
    shares = []
    if _jax.is_loaded() and _jax.platform() not in (None, "cpu"):
        for device in _jax.module().local_devices():
            with suppress(Exception):  # not every backend knows
                stats = device.memory_stats() or {}
                if stats.get("bytes_limit"):
                    shares.append(stats["bytes_in_use"] / stats["bytes_limit"])
    return max(shares, default=math.nan)


def write_answer(path: Path, answer: dict[str, Any]) -> None:
    """Writes what this rank knows; a full disk loses it."""
    with suppress(CaptureError):
        write_atomically(path, json.dumps(answer, indent=1).encode())
