"""`Profiler`: captures windows of steps of a training loop, as planned or on demand.

Windows are half-open: `start_step=150, num_steps=5` covers steps 150 to 154. Between windows
`begin_step` notes the time and compares one number, and `end_step` returns.
"""

from __future__ import annotations

import math
import os
import statistics
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from . import _jax, after_capture, console, occupancy, outside_requests, preflight, run_directory
from .after_capture import AfterCapture, OnCapture
from .agreed_captures import Agreed
from .capture_result import CaptureResult
from .capture_session import CaptureSession, stop_without_masking
from .errors import CaptureError, ProfilerBusyError
from .schedule import Due, Request, Schedule
from .settings import PROFILER_DEFAULTS, Settings
from .signatures import suggests_keywords
from .step_watch import StepWatch
from .triggers import Trigger

T = TypeVar("T")

NUM_STEPS_USUAL = 10
"""Windows with more steps are captured, with a message about their size."""
STEPS_TIMED = 64
"""Number of steps timed before a window, to measure what the capture costs."""


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
    that is above 0; after `capture_async()`; after a step for which `trigger` is true; and when a
    file or a signal asks for it. A busy profiler or a full disk may cost a capture, but never a
    training step; the reason is logged.

    Args:
        num_steps: steps per window; default PROFILE_DURATION, or 5.
        log_dir: log directory, or a bucket (`gs://`, `s3://`) to copy captures to; default
            PROFILE_DIR, or `./traces`.
        start_step, interval, trigger, trigger_limit, enabled, mode, max_seconds, max_megabytes,
            session_id, quiet, preflight, host_tracer_level, max_captures, keep_captures,
            trigger_file, trigger_signal: as in `Settings`.
        tags: words to find the captures by, such as `["baseline", "bf16"]`; default PROFILE_TAGS.
        python_tracer_level: 1 records each Python call, which makes steps with much Python
            several times longer; 0, the default here, does not.
        wait: `window`, the default, waits for results only at the end of the window, so that the
            loop runs as it does without a capture; `step` waits for the results of each captured
            step, which makes an asynchronous loop synchronous.
        on_capture: called with each finished `CaptureResult`, while the loop continues: to upload
            it, or to log it with W&B or MLflow. What it raises is logged and not propagated.
        args: parsed flags, as `add_profile_args` makes them.
        name: used in session IDs.
        subdirectory: a template for a folder per window, below `log_dir`: `step_{step:08d}`.
        fields: values for the template.
        profiler_options: a `jax.profiler.ProfileOptions`, or a mapping of its fields.
        create_perfetto_trace: also write `perfetto_trace.json.gz`.
        annotate_steps: mark the steps in the trace. Steps that the loop marks itself with
            `StepTraceAnnotation` still count only once.
        announce: log immediately what is planned.
        settings: resolved settings, instead of all others.

    Raises:
        SettingsError: a setting is invalid.
        PreflightError: no capture could succeed, for example because the folder is not writable.
    """

    @suggests_keywords
    def __init__(
        self,
        num_steps: int | None = None,
        log_dir: str | os.PathLike[str] | None = None,
        *,
        start_step: int | None = None,
        interval: int | None = None,
        trigger: str | None = None,
        trigger_limit: int | None = None,
        trigger_file: str | os.PathLike[str] | None = None,
        trigger_signal: str | None = None,
        max_captures: int | None = None,
        keep_captures: int | None = None,
        wait: str | None = None,
        on_capture: OnCapture | None = None,
        enabled: bool | None = None,
        mode: str | None = None,
        max_seconds: float | None = None,
        max_megabytes: float | None = None,
        session_id: str | None = None,
        tags: str | Sequence[str] | None = None,
        quiet: bool | None = None,
        preflight: str | None = None,
        python_tracer_level: int | None = None,
        host_tracer_level: int | None = None,
        args: Any = None,
        name: str | None = None,
        subdirectory: str | None = None,
        fields: Mapping[str, Any] | None = None,
        profiler_options: Any = None,
        create_perfetto_trace: bool = False,
        annotate_steps: bool = True,
        announce: bool = True,
        settings: Settings | None = None,
    ) -> None:
        self.settings = settings or Settings.resolve(
            PROFILER_DEFAULTS,
            args=args,
            num_steps=num_steps,
            log_dir=log_dir,
            start_step=start_step,
            interval=interval,
            trigger=trigger,
            trigger_limit=trigger_limit,
            trigger_file=trigger_file,
            trigger_signal=trigger_signal,
            max_captures=max_captures,
            keep_captures=keep_captures,
            wait=wait,
            enabled=enabled,
            mode=mode,
            max_seconds=max_seconds,
            max_megabytes=max_megabytes,
            session_id=session_id,
            tags=tags,
            quiet=quiet,
            preflight=preflight,
            python_tracer_level=python_tracer_level,
            host_tracer_level=host_tracer_level,
        )
        self.results: list[CaptureResult] = []
        self._name = name
        self._log_dir = run_directory.fixed(self.settings.log_dir)
        self._subdirectory = subdirectory
        self._fields = dict(fields or {})
        self._options = profiler_options
        self._want_perfetto = create_perfetto_trace
        self._annotate_steps = annotate_steps
        self.step_name = "train"
        """What steps are annotated as."""
        self._waits_each_step = self.settings.wait == "step"
        self._lock = threading.RLock()  # held while a capture is written, which may take minutes
        self._session: CaptureSession | None = None
        self._window: range = range(0)
        self._annotation: Any = None
        self._new_annotation: Any = None  # fetched once per window, not in every step
        self._step: int | None = None  # the captured step that has started but not ended
        self._step_began_ns = 0
        self._begins_ns: deque[int] = deque(maxlen=STEPS_TIMED + 1)
        self._after = AfterCapture(
            quiet=self.settings.quiet,
            keep_captures=self.settings.keep_captures,
            on_capture=on_capture,
        )
        rule = Trigger(self.settings.trigger) if self.settings.trigger else None
        self.gives_way = False
        """Captures end, or wait, for profiles that the program itself makes with `jax.profiler`."""
        self._is_waiting = False  # for such a profile
        self._schedule = Schedule(self.settings)
        self._watch: StepWatch | None = None
        self._listeners: list[Any] = []
        if self.settings.enabled:
            _check(self.settings)
            if rule is not None and self.settings.trigger_limit > 0:
                self._watch = StepWatch(rule, self._trigger_fired)
            self._listen()
            if announce:
                self._say_what_is_planned(rule)
        self._say_unreached = weakref.finalize(
            self, _say_unreached, self._schedule, self.settings.quiet, os.getpid()
        )

    @property
    def is_recording(self) -> bool:
        """Whether a window is open."""
        return self._session is not None

    @property
    def is_expecting(self) -> bool:
        """Whether a window is open, or a request waits for its step."""
        return self.is_recording or self._schedule.is_requested

    @property
    def last_result(self) -> CaptureResult | None:
        """The newest capture, or None."""
        return self.results[-1] if self.results else None

    def capture_async(self, num_steps: int | None = None) -> bool:
        """Requests a capture of the next `num_steps` steps, and returns immediately.

        May be called from any thread, at any step. The window opens at the next `begin_step` or, if
        the planned window would overlap it, after that one. Returns False if profiling is disabled,
        a request is already waiting, or `max_captures` were made.
        """
        count = self.settings.num_steps if num_steps is None else num_steps
        if count < 1:
            raise ValueError("num_steps must be at least 1")
        return self._request(Request(Due(count, "capture_async")))

    def capture_agreed(self, agreed: Agreed) -> bool:
        """Requests what the ranks of the job agreed on; from the next step on if its own is over."""
        due = Due(agreed.num_steps, agreed.reason, self.settings.session_id or agreed.session_id)
        return self._request(Request(due, -math.inf if agreed.step is None else agreed.step))

    def _request(self, request: Request) -> bool:
        if not self.settings.enabled:
            self._say("Profiling is disabled (enabled, PROFILE_ENABLED): no capture")
            return False
        if self._schedule.is_over:
            self._say(f"max_captures = {self.settings.max_captures} reached: no more captures")
            return False
        if not self._schedule.request(request):
            self._say("A capture is already armed; it opens at the next step")
            return False
        from_step = "" if request.at_step < 0 else f" from step {request.at_step} on"
        self._say(f"Armed: the next {_steps_text(request.due.count)}{from_step} will be captured")
        return True

    def recent_step_seconds(self) -> float | None:
        """The median time from one step to the next of late; None if too few are known."""
        begins = list(self._begins_ns)
        steps = [end - begin for begin, end in pairwise(begins)]
        return statistics.median(steps) * 1e-9 if steps else None

    def serve_run(self, step_name: str) -> None:
        """Captures for `stepscope run`, of a program that knows nothing of it."""
        self.gives_way = self._schedule.is_of_run = True
        self.step_name = step_name

    def forget_requests(self) -> None:
        """Withdraws a request of `capture_async` whose window has not opened yet."""
        self._schedule.forget_requests()

    def restart(self, step_name: str) -> None:
        """Steps are counted anew from the next one; the planned windows are for these."""
        with self._lock:
            self.end_window()
            self.step_name = step_name
            self._schedule.restart()
            self._begins_ns.clear()

    def begin_step(self, step: int) -> None:
        """Call this before the work of `step`. Costs next to nothing outside windows."""
        if step < self._schedule.wake_step:
            self._begins_ns.append(time.perf_counter_ns())
            self._schedule.last_step = step
            return
        with self._lock:
            step = self._schedule.last_step = int(step)
            if self._session is None or self._step is not None or step not in self._window:
                self._open_or_close_window(step)
                if self._session is None:
                    self._begins_ns.append(time.perf_counter_ns())
                    return
            # JAX's Python tracer records every call of a captured step, so keep them few.
            if self._annotate_steps:
                self._annotation = self._new_annotation(self.step_name, _r=1, step_num=step)
                self._annotation.__enter__()
            self._step_began_ns = time.perf_counter_ns()
            self._step = step

    def end_step(self, outputs: Any = None, *, error: BaseException | None = None) -> None:
        """Call this after the work of the step, with its results if possible.

        The last step of a window waits for `outputs`, or for everything the program holds if
        nothing is given; with `wait="step"` each step of the window waits for its `outputs`. A
        trigger uses the time at which `outputs` are available. `error` is the exception with which
        the step ended; it ends the window.
        """
        if self._session is None:
            if self._watch is not None:
                self._watch.ended(outputs)
            return
        with self._lock:
            session, step = self._session, self._step
            if session is None or step is None:
                return
            is_recording = session.recorder is not None
            try:
                if outputs is not None and error is None and is_recording:
                    if self._waits_each_step:
                        with _jax.own_time("wait"):
                            _jax.block_until_ready(outputs)
                if outputs is None or not self._waits_each_step:
                    session.unwaited_steps += 1
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
                    session.ends_with_step = error is None and is_recording
                    self._close_window(outputs, error)
                    self._schedule.settle(None, is_open=False)

    def step(self, step: int) -> StepContext:
        """`with profiler.step(step) as handle:` instead of `begin_step` and `end_step`."""
        return StepContext(self, step)

    def end_window(self, error: BaseException | None = None) -> None:
        """Ends an open window now and keeps what was recorded; later windows open as planned."""
        with self._lock:
            self.end_step(error=error)
            if self._session is not None:
                self._close_window(None, error)
            self._schedule.settle(None, is_open=False)

    def close(self, error: BaseException | None = None) -> None:
        """Ends an open window now, keeps what was recorded, and waits for the follow-up actions.

        Reports a planned window that was never reached. Follow-up actions are the report, the
        upload, and `on_capture`.
        """
        with self._lock:
            self._say_unreached()
            self._schedule.forget_requests()
            self.end_window(error)
        if self._watch is not None:
            self._watch.close()
        for listener in self._listeners:
            listener.close()
        after_capture.wait_until_done()

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
            due = self._schedule.due(step)
            self._say_what_was_missed(step)
            if due is not None:
                self._open_window(step, due)
        self._schedule.settle(step, is_open=self._session is not None)

    def _open_window(self, step: int, due: Due) -> None:
        session = CaptureSession(
            self._folder(step),
            name=self._name,
            settings=replace(self.settings, session_id=due.session_id or self.settings.session_id),
            options=self._options,
            step_first=step,
            trigger=due.reason,
            create_perfetto_trace=self._want_perfetto,
            begins_ns=self._begins_ns,
        )
        session.after = self._after.run
        session.gives_way = self.gives_way
        last = step + due.count - 1
        try:
            if occupancy.active_session() is not None:
                raise CaptureError("A capture is already active; this window is part of it")
            session.start()
        except ProfilerBusyError as error:
            self._wait_for_program(step, due, error)
            return
        except Exception as error:  # noqa: BLE001 - a training step never fails because of its profiler
            console.warn(f"no capture of step {step}: {error}")
            return
        self._is_waiting = False
        self._schedule.opened()
        self._begins_ns.clear()
        # The same as `StepTraceAnnotation`, without its `__init__` in Python.
        self._new_annotation = _jax.profiler().TraceAnnotation
        self._session, self._window = session, range(step, step + due.count)
        self._say(f"Profiling step {step} ... ({_steps_text(due.count)}, {step}..{last})")

    def _wait_for_program(self, step: int, due: Due, busy: ProfilerBusyError) -> None:
        """The window opens once the profile of the program itself has ended, if we give way to it."""
        if not self.gives_way or not self._schedule.request(Request(due, step + 1)):
            console.warn(f"no capture of step {step}: {busy}")
        elif not self._is_waiting:
            self._is_waiting = True
            self._say(
                f"The program's own profile is running at step {step}: "
                f"{_steps_text(due.count)} will be captured after it"
            )

    def _say_what_was_missed(self, step: int) -> None:
        missed, self._schedule.missed = self._schedule.missed, None
        if missed is not None:
            self._say(self._schedule.too_late(missed, step))

    def _trigger_fired(self, reason: str) -> None:
        """Called on the thread of the watch, after a slow step."""
        if self._schedule.fire(reason):
            self._say(f"Trigger: {reason}")

    def _request_from_outside(self, num_steps: int | None) -> None:
        self.capture_async(num_steps)

    def _listen(self) -> None:
        file, name = self.settings.trigger_file, self.settings.trigger_signal
        if file is not None:
            listener = outside_requests.TriggerFile(file, self._request_from_outside)
            self._listeners.append(listener)
        if name is not None:
            self._listeners.append(
                outside_requests.TriggerSignal(name, self._request_from_outside)
            )

    def _close_window(self, outputs: Any, error: BaseException | None) -> None:
        session, self._session = self._session, None
        self._window = range(0)
        self._begins_ns.clear()
        if self._watch is not None:
            self._watch.reset()
            if self._schedule.triggers_left == 0:
                watch, self._watch = self._watch, None
                watch.close()
        if session is None:
            return
        try:
            stop_without_masking(session, error, outputs)
        except CaptureError as failure:
            console.warn(f"the capture was lost: {failure}")
        finally:  # there is a capture even if waiting for the results raised, or after Ctrl-C
            if session.result is not None:
                self.results.append(session.result)
                self._say(f"Profile saved: {self._shown(session.log_dir)}")
                if session.take_after() is not None:
                    self._after.run_later(session)

    def _folder(self, step: int) -> str:
        fields = {"step": step, "name": self._name or ""} | self._fields
        return run_directory.below(self._log_dir, self._subdirectory, **fields)

    def _shown(self, folder: Path) -> Path:
        """`folder` as the user wrote it: relative to the working directory if it is still below it."""
        if Path(self.settings.log_dir).is_absolute() or not folder.is_relative_to(Path.cwd()):
            return folder
        return folder.relative_to(Path.cwd())

    def _say_what_is_planned(self, rule: Trigger | None) -> None:
        settings, count = self.settings, self.settings.num_steps
        start = self._schedule.next_start
        if start is not None:
            last = start + count - 1
            again = f", then every {settings.interval} steps" if settings.interval > 0 else ""
            plan = f"Profiling is planned for steps {start}..{last}{again}"
        else:
            plan = "Profiling is armed: call capture_async() to capture the next steps"
        self._say(f"{plan}. Trace directory: {settings.log_dir}")
        if rule is not None:
            self._say(f"Trigger: {rule.text} (at most {settings.trigger_limit})")
        for line in outside_requests.hint(settings.trigger_file, settings.trigger_signal):
            self._say(line)
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


def _check(settings: Settings) -> None:
    preflight.enforce(preflight.problems(settings.log_dir), settings.preflight)


def _say_unreached(schedule: Schedule, quiet: bool, process: int) -> None:
    """At the end of the profiler or of the program: which window was never reached."""
    unreached = schedule.unreached()
    if unreached is not None and os.getpid() == process:
        console.say(unreached, quiet=quiet)
