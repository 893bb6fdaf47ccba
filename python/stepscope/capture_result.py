"""What a capture left: where it is, how large, which steps, and what is wrong with it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .capture_cost import CaptureCost


@dataclass(slots=True)
class StepRecord:
    """One step inside a capture, as the host saw it.

    `duration_ns` is the wall time between the begin and the end of the step in the program. Where
    the step's results were not waited for, it is the time to dispatch the work, not to do it:
    `CaptureResult.mean_step_ns` is the time a step took.
    """

    step: int
    started_unix_ns: int
    duration_ns: int | None = None


@dataclass(slots=True)
class CaptureResult:
    """A finished capture.

    `path` is the profile, `directory` its run directory, `log_dir` what a viewer is pointed at;
    `perfetto_path` is the trace for ui.perfetto.dev, where one was asked for.
    `seconds` is how long was recorded and `stop_seconds` how long the program stood still for
    the collection. `stopped_by` names the limit that ended the capture early, or is None.
    `success` is False when the profiled code raised, with its exception in `error`. `cost` is
    what the capture cost the steps, `mean_step_ns` the mean wall time of a captured step,
    `uploaded_to` the address it was copied to, and `compilations` how many programs were compiled
    while it was recorded; None where not known.

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
        """`step 150`, `steps 150..154`, or None where no step numbers are known."""
        if self.step_first is None or self.step_end is None:
            return None
        last = self.step_end - 1
        return f"step {last}" if last <= self.step_first else f"steps {self.step_first}..{last}"
