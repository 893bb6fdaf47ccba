"""The result of a capture: where it is, its size, its steps, and what is wrong with it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .capture_cost import CaptureCost


@dataclass(slots=True)
class StepRecord:
    """One step inside a capture, as the host saw it.

    `duration_ns` is the wall time between the start and the end of the step in the program. If the
    step's results were not waited for, it is the time to dispatch the work, not to do it:
    `CaptureResult.mean_step_ns` is the actual time per step.
    """

    step: int
    started_unix_ns: int
    duration_ns: int | None = None


@dataclass(slots=True)
class CaptureResult:
    """A finished capture.

    `path` is the profile, `directory` its run directory, `log_dir` the path to open in a viewer;
    `perfetto_path` is the trace for ui.perfetto.dev, if requested. `seconds` is the recording time,
    and `stop_seconds` how long the program was paused while the capture was collected. `stopped_by`
    names the limit that ended the capture early, or is None. `success` is False if the profiled
    code raised; the exception is in `error`. `cost` is the slowdown of the captured steps,
    `mean_step_ns` the mean wall time of a captured step, `uploaded_to` the address it was copied
    to, and `compilations` the number of programs compiled during recording; None if unknown.

    It is a path: `stepscope.open(result)` opens the capture.
    """

    session_id: str
    name: str | None
    host: str
    process_index: int
    process_count: int
    log_dir: Path
    directory: Path
    path: Path
    size_bytes: int
    seconds: float
    stop_seconds: float
    step_first: int | None = None
    step_end: int | None = None
    steps: list[StepRecord] = field(default_factory=list)
    success: bool = True
    error: str | None = None
    trigger: str | None = None
    stopped_by: str | None = None
    platform: str | None = None
    perfetto_path: Path | None = None
    cost: CaptureCost | None = None
    mean_step_ns: int | None = None
    uploaded_to: str | None = None
    compilations: int | None = None
    manifest: dict[str, Any] = field(default_factory=dict, repr=False)

    def __fspath__(self) -> str:
        return os.fspath(self.directory)

    @property
    def steps_text(self) -> str | None:
        """`step 150`, `steps 150..154`, or None if no step numbers are known."""
        if self.step_first is None or self.step_end is None:
            return None
        last = self.step_end - 1
        return f"step {last}" if last <= self.step_first else f"steps {self.step_first}..{last}"
