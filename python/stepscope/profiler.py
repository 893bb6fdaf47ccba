"""`Profiler`: captures a window of steps of a training loop, on its own or on demand.

Windows are half-open: `start_step=150, num_steps=5` covers the steps 150 to 154. Between windows
`begin_step` and `end_step` compare one number each and return.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from . import _jax, console, occupancy, preflight, report, run_directory
from .capture_result import CaptureResult
from .capture_session import CaptureSession, stop_without_masking
from .errors import CaptureError
from .settings import PROFILER_DEFAULTS, Settings
from .triggers import Trigger

T = TypeVar("T")

NUM_STEPS_USUAL = 10
"""A window of more steps is captured, with a word on size."""


class Profiler:
    """Captures steps of a loop.

    ```python
    profiler = Profiler(num_steps=5, log_dir="./traces")
    for step in range(1000):
        profiler.begin_step(step)
        loss = train_step(batch)
        profiler.end_step(loss)
    ```

    A window opens at `start_step` (150 unless set; -1 for never), then every `interval` steps if
    that is above 0; after `capture_async()`; and after a step for which `trigger` holds. A busy
    profiler or a full disk costs a capture, never a training step: what happened is printed.

    Args:
        num_steps: steps in a window; else PROFILE_DURATION, else 5.
        log_dir: folder for captures; else PROFILE_DIR, else `./traces`.
        start_step, interval, trigger, trigger_limit, enabled, mode, max_seconds, max_megabytes,
            session_id, quiet, preflight, python_tracer_level, host_tracer_level: as in `Settings`.
        args: parsed flags, as `add_profile_args` makes them.
        name: goes into session ids.
        subdirectory: a template for a folder below `log_dir` per window: `step_{step:08d}`.
        fields: values for the template.
        profiler_options: a `jax.profiler.ProfileOptions`, or a mapping of its fields.
        create_perfetto_trace: also write `perfetto_trace.json.gz`.
        annotate_steps: mark the steps in the trace. Turn it off if the loop has its own
            `StepTraceAnnotation`.
        announce: print at once what is planned.
        settings: resolved settings, in place of all others.

    Raises:
        SettingsError: a setting cannot be understood.
        PreflightError: no capture could succeed, such as in a folder that cannot be written.
    """

    def __init__(
        self,
        num_steps: int | None = None,
        log_dir: str | os.PathLike[str] | None = None,
        *,
        args: Any = None,
        name: str | None = None,
        subdirectory: str | None = None,
        fields: Mapping[str, Any] | None = None,
        profiler_options: Any = None,
        create_perfetto_trace: bool = False,
        annotate_steps: bool = True,
        announce: bool = True,
        settings: Settings | None = None,
        **chosen: Any,
    ) -> None:
        self.settings = settings or Settings.resolve(
            PROFILER_DEFAULTS, args=args, num_steps=num_steps, log_dir=log_dir, **chosen
        )
        self.results: list[CaptureResult] = []
        self._name = name
        self._log_dir = run_directory.fixed(self.settings.log_dir)
        self._subdirectory = subdirectory
        self._fields = dict(fields or {})
        self._options = profiler_options
        self._want_perfetto = create_perfetto_trace
        self._annotate_steps = annotate_steps
        self._lock = threading.RLock()  # held while a capture is written, which may take minutes
        self._arm_lock = threading.Lock()  # held for moments: `capture_async` returns at once
        self._session: CaptureSession | None = None
        self._window: range = range(0)
        self._annotation: Any = None
        self._new_annotation: Any = None  # fetched once per window, not in every step
        self._step: int | None = None  # the captured step that has begun and not ended
        self._step_began_ns = 0
        self._armed_steps: int | None = None
        self._trigger = Trigger(self.settings.trigger) if self.settings.trigger else None
        self._triggers_left = self.settings.trigger_limit
        self._has_fired = False
        self._watch = self._watch_steps if self._trigger and self.settings.enabled else None
        self._last_begin_ns: int | None = None
        self._first_step: int | None = None
        self._next_start = self.settings.start_step if self.settings.start_step >= 0 else None
        self._wake_step: float = math.inf
        if self.settings.enabled:
            preflight.enforce(preflight.problems(self.settings.log_dir), self.settings.preflight)
            if announce:
                self._say_what_is_planned()
            self._set_wake_step()

    @property
    def is_recording(self) -> bool:
        """Whether a window is open."""
        return self._session is not None

    @property
    def last_result(self) -> CaptureResult | None:
        """The newest capture, or None."""
        return self.results[-1] if self.results else None

    def capture_async(self, num_steps: int | None = None) -> bool:
        """Asks for a capture of the next `num_steps` steps, and returns at once.

        May be called from any thread, at any step. The window opens at the next `begin_step`; if
        the planned window would overlap it, after that one. False if profiling is disabled or
        such a request is waiting already.
        """
        count = self.settings.num_steps if num_steps is None else num_steps
        if count < 1:
            raise ValueError("num_steps must be at least 1")
        if not self.settings.enabled:
            self._say("Profiling is disabled, so there is no capture (enabled, PROFILE_ENABLED)")
            return False
        with self._arm_lock:
            is_waiting = self._armed_steps is not None
            if not is_waiting:
                self._armed_steps = count
                self._wake_step = -math.inf
        if is_waiting:
            self._say("A capture is already armed; it opens at the next step")
            return False
        self._say(f"Armed: the next {_steps_text(count)} will be captured")
        return True

    def begin_step(self, step: int) -> None:
        """Call it before the work of `step`. Costs next to nothing outside windows."""
        if step < self._wake_step and (self._watch is None or not self._watch()):
            return
        with self._lock:
            step = int(step)
            if self._session is None or self._step is not None or step not in self._window:
                self._open_or_close_window(step)
                if self._session is None:
                    return
            # JAX's Python tracer records every call of a captured step, so there are few here.
            if self._annotate_steps:
                self._annotation = self._new_annotation("train", _r=1, step_num=step)
                self._annotation.__enter__()
            self._step_began_ns = time.perf_counter_ns()
            self._step = step

    def end_step(self, outputs: Any = None, *, error: BaseException | None = None) -> None:
        """Call it after the work of the step, with its results if possible.

        Inside a window `outputs` are waited for, so that the step ends when its work does; the
        window's last step waits for everything the program holds if nothing is given. `error` is
        the exception with which the step ended; it ends the window.
        """
        if self._session is None:
            return
        with self._lock:
            session, step = self._session, self._step
            if session is None or step is None:
                return
            is_recording = session.recorder is not None
            try:
                if outputs is not None and error is None and is_recording:
                    _jax.block_until_ready(outputs)
            except BaseException as raised:
                error = raised
                raise
            finally:
                if self._annotation is not None:
                    self._annotation.__exit__(None, None, None)
                    self._annotation = None
                ended_ns = time.perf_counter_ns() if error is None else None
                session.steps.append((step, self._step_began_ns, ended_ns))
                self._step = None
                if error is not None or not is_recording or step + 1 not in self._window:
                    self._close_window(outputs, error)
                    self._set_wake_step()

    def step(self, step: int) -> StepContext:
        """`with profiler.step(step) as handle:` instead of `begin_step` and `end_step`."""
        return StepContext(self, step)

    def close(self, error: BaseException | None = None) -> None:
        """Ends an open window now, keeps what was recorded, and waits for what is printed of it."""
        with self._lock:
            self._armed_steps = None
            self.end_step(error=error)
            if self._session is not None:
                self._close_window(None, error)
            self._set_wake_step()
        report.wait_until_shown()

    def __enter__(self) -> Profiler:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close(error)

    def _open_or_close_window(self, step: int) -> None:
        if self._step is not None:  # no end_step since the last begin_step
            self.end_step()
        if self._session is not None and step not in self._window:
            self._close_window(None, None)
        if self._session is None:
            self._open_window_if_due(step, self._take_fired(step))
        if self._first_step is None:
            self._first_step = step
        self._set_wake_step()

    def _open_window_if_due(self, step: int, fired: str | None) -> None:
        count, reason = self._due(step)
        if count is None and fired is not None:
            count, reason = self.settings.num_steps, fired
        if count is None:
            return
        session = CaptureSession(
            self._folder(step),
            name=self._name,
            settings=self.settings,
            options=self._options,
            step_first=step,
            trigger=reason,
            create_perfetto_trace=self._want_perfetto,
        )
        last = step + count - 1
        self._say(f"Capture starts at step {step} for {_steps_text(count)} ({step}..{last})")
        try:
            if occupancy.active_session() is not None:
                raise CaptureError("A capture is already active; this window is a part of it")
            session.start()
        except Exception as error:  # noqa: BLE001 - a training step never fails for its profiler
            console.warn(f"no capture of step {step}: {error}")
            return
        # What `StepTraceAnnotation` makes, without its `__init__` in Python.
        self._new_annotation = _jax.profiler().TraceAnnotation
        self._session, self._window = session, range(step, step + count)
        self._say(f"Capture started; profiling step {step} ...")

    def _due(self, step: int) -> tuple[int | None, str | None]:
        """How many steps to capture from `step` on, and why; None if there is no reason."""
        planned, count = self._next_start, self.settings.num_steps
        if planned is not None and step >= planned:
            window_end = planned + count
            was_before = self._first_step is not None and self._first_step < planned
            if step < window_end:
                count = window_end - step
            if step < window_end or was_before:  # some loops count in larger strides
                self._next_start = self._start_after(step + count - 1)
                return count, "start_step"
            self._next_start = self._start_after(step)
            self._say(
                f"The steps {planned}..{window_end - 1} lie before step {step}, where this loop "
                "began; set start_step, interval or call capture_async()"
            )
        planned = self._next_start
        with self._arm_lock:
            armed = self._armed_steps
            if armed is None or (planned is not None and step < planned < step + armed):
                return None, None
            self._armed_steps = None
        return armed, "capture_async"

    def _start_after(self, step: int) -> int | None:
        """The start of the first planned window after `step`."""
        interval, start = self.settings.interval, self.settings.start_step
        if interval <= 0:
            return None
        return start + ((step - start) // interval + 1) * interval

    def _watch_steps(self) -> bool:
        """Takes the time since the last `begin_step` in; True if the trigger fires for it.

        The time from begin to begin is that of the step with everything around it, even where
        `end_step` does not wait for the device.
        """
        now_ns = time.perf_counter_ns()
        last_ns, self._last_begin_ns = self._last_begin_ns, now_ns
        if last_ns is None or self._trigger is None:
            return False
        self._has_fired = self._trigger.observe((now_ns - last_ns) * 1e-9)
        return self._has_fired

    def _take_fired(self, step: int) -> str | None:
        """Why the trigger fired before `step`, once; None if it did not."""
        has_fired, self._has_fired = self._has_fired, False
        if not has_fired or self._trigger is None:
            return None
        self._triggers_left -= 1
        if self._triggers_left <= 0:
            self._watch = None
        reason = self._trigger.explain()
        self._say(f"Trigger after step {step - 1}: {reason}")
        return reason

    def _close_window(self, outputs: Any, error: BaseException | None) -> None:
        session, self._session = self._session, None
        self._window = range(0)
        self._last_begin_ns = None
        if session is None:
            return
        if session.is_recording:
            self._say(f"Capture stops after {_steps_text(len(session.steps))}")
        try:
            stop_without_masking(session, error, outputs)
        except CaptureError as failure:
            console.warn(f"the capture was lost: {failure}")
        finally:  # there is a capture even where waiting for the results raised, or Ctrl-C
            if session.result is not None:
                self.results.append(session.result)
                self._say(f"Profile saved: {self._shown(session.log_dir)}")
                report.show_later(session.result, quiet=self.settings.quiet)

    def _folder(self, step: int) -> str:
        fields = {"step": step, "name": self._name or ""} | self._fields
        return run_directory.below(self._log_dir, self._subdirectory, **fields)

    def _shown(self, folder: Path) -> Path:
        """`folder` as the user wrote it: relative to the working folder if it still is below it."""
        if Path(self.settings.log_dir).is_absolute() or not folder.is_relative_to(Path.cwd()):
            return folder
        return folder.relative_to(Path.cwd())

    def _set_wake_step(self) -> None:
        """The first step at which `begin_step` has anything to do."""
        with self._arm_lock:
            if not self.settings.enabled:
                self._wake_step = math.inf
            elif self._first_step is None or self._session is not None:
                self._wake_step = -math.inf
            elif self._armed_steps is not None:
                self._wake_step = -math.inf
            else:
                self._wake_step = math.inf if self._next_start is None else self._next_start

    def _say_what_is_planned(self) -> None:
        settings, count = self.settings, self.settings.num_steps
        self._say(f"Trace directory: {settings.log_dir}")
        if self._next_start is not None:
            last = self._next_start + count - 1
            again = f", then every {settings.interval} steps" if settings.interval > 0 else ""
            self._say(f"Profiling is planned for the steps {self._next_start}..{last}{again}")
        else:
            self._say("Profiling is armed: call capture_async() to capture the next steps")
        if self._trigger is not None:
            self._say(f"Trigger: {self._trigger.text} (at most {self._triggers_left})")
        if count > NUM_STEPS_USUAL:
            self._say(
                f"{count} steps make a large capture; 1 to {NUM_STEPS_USUAL} are usually enough"
            )

    def _say(self, text: str) -> None:
        console.say(text, quiet=self.settings.quiet)


class StepContext:
    """One step as a context manager; `block` waits for its results."""

    __slots__ = ("_outputs", "_profiler", "_step")

    def __init__(self, profiler: Profiler, step: int) -> None:
        self._profiler = profiler
        self._step = step
        self._outputs: Any = None

    def block(self, outputs: T) -> T:
        """Remembers results to wait for at the end of the step if it is captured; returns them."""
        self._outputs = outputs
        return outputs

    def __enter__(self) -> StepContext:
        self._profiler.begin_step(self._step)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        outputs, self._outputs = self._outputs, None
        if error is None:
            self._profiler.end_step(outputs)
        else:
            self._profiler.end_step(error=error)


def _steps_text(count: int) -> str:
    return f"{count} step" if count == 1 else f"{count} steps"
