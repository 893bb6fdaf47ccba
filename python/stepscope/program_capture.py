"""Captures of an unmodified program: planned steps, planned times, a signal, a request of `attach`."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from . import _jax, after_capture, console, goals, session_ids, uploads
from .after_capture import AfterCapture
from .agreed_captures import Agreed, AgreedCaptures, steps_ahead
from .capture_result import CaptureResult
from .capture_session import CaptureSession
from .flight_recorder import (
    MAX_INCIDENTS,
    MIN_INTERVAL_SECONDS,
    NUM_STEPS,
    STEPS_IN_RING,
    Recorder,
    settings_of,
)
from .profiler import Profiler
from .program_steps import ProgramSteps
from .rules import DEFAULT_RULES
from .run_request import RunRequest
from .settings import PROFILER_DEFAULTS, Settings

_LOOK_SECONDS = 0.25
_PACE_SECONDS = 0.5
_PACES = 10
"""How often, and how many times at most, the step is noted to know how fast steps come."""
_PLANNED_MAX = 100
"""Captures for which a rank that is behind the first one may have to wait."""
STEPS_FOUND_SECONDS = 2.0
"""A capture waits this long for the first step of a program of which none are known."""
STEPS_GONE_SECONDS = 30.0
"""A requested capture of steps whose first step has not begun by then is made by time."""


class ProgramCapture:
    """Follows the steps of this program and captures what was requested.

    Captures of steps go through a `Profiler`; those of a time go through a `CaptureSession` that
    another thread starts and ends.
    """

    def __init__(self, request: RunRequest) -> None:
        self._request = request
        self.has_signal: Callable[[], bool] = lambda: False
        """Whether the signal calls `toggle` now: the program may have a use for it."""
        launched = session_ids.launcher()
        self._quiet = request.quiet or (launched is not None and launched[0] > 0)
        self._steps = ProgramSteps(self)
        self._profiler: Profiler | None = None
        self._recorder: Recorder | None = None
        self._began_unix_ns = time.time_ns()
        self._step = -1
        self._options: Any = None
        self._is_off = False
        self._is_told = False
        self._is_changed = False  # whether the program of the steps is not the first one
        self._results: list[CaptureResult] = []
        self._after = AfterCapture(quiet=self._quiet, keep_captures=0, on_capture=self._captured)
        self._lock = threading.Lock()  # held while a capture by time starts or ends
        self._timed: CaptureSession | None = None  # a capture that the signal started
        self._pace: deque[tuple[float, int]] = deque(maxlen=_PACES)  # times and steps
        self._changed = threading.Condition()
        self._is_over = threading.Event()

    def start(self) -> None:
        """Begins to watch; the program goes on."""
        self._steps.start()
        if self._request.at_seconds is not None or self._request.every_seconds is not None:
            threading.Thread(target=self._keep_time, name="stepscope-time", daemon=True).start()

    def began(self, step: int) -> None:
        """A step of the program begins."""
        self._step = step
        profiler = self._profiler or self._prepare()
        if not self._is_told and profiler is not None:
            self._say_plan()
        if profiler is not None:
            profiler.begin_step(step)
        if self._recorder is not None and self._steps.is_annotated:
            self._recorder.begin_step()

    def ended(self, outputs: Any) -> None:
        """A step of the program has ended."""
        if self._profiler is not None:
            self._profiler.end_step(outputs)
        if self._recorder is not None:
            self._recorder.end_step(self._step)

    def changed(self) -> None:
        """Steps are those of another program from now on: the plan is for these."""
        if self._profiler is not None:
            self._profiler.restart(self._step_name)
            self._is_told, self._is_changed = False, True
        if self._recorder is not None:
            self._recorder.name_steps(self._step_name)

    def toggle(self) -> None:
        """Starts a capture, or ends the one that it started."""
        with self._lock:
            session, self._timed = self._timed, None
            if session is None:
                self._timed = self._begin("SIGUSR1")
                if self._timed is not None:
                    console.say(
                        f"Capturing process {os.getpid()} until the next SIGUSR1, or for "
                        f"{console.seconds_text(self._timed.settings.max_seconds)}",
                        quiet=self._quiet,
                    )
            else:
                self._end(session)

    def capture(self, reason: str, num_steps: int | None = None) -> CaptureResult | None:
        """Captures the next steps, or some seconds where steps cannot be told, and waits for it."""
        before, profiler = len(self._results), self._found()
        if profiler is None:
            console.say("Steps cannot be told here, so this capture is by time", quiet=self._quiet)
        elif not profiler.capture_async(num_steps):
            return None
        elif self._is_done(before, STEPS_GONE_SECONDS):
            return self._results[-1] if len(self._results) > before else None
        else:
            console.say("No step began, so this capture is by time", quiet=self._quiet)
        self._capture_seconds(reason)
        return self._results[-1] if len(self._results) > before else None

    def close(self) -> None:
        """The program ends: keeps what is being recorded, and says what was not found."""
        self._is_over.set()
        self._steps.close()
        with self._lock:
            session, self._timed = self._timed, None
            if session is not None:
                self._end(session)
        if self._profiler is not None:
            self._profiler.close()
            if self._recorder is not None:
                self._recorder.close()
        elif not self._is_off:
            self._say_what_was_not_found()
        after_capture.wait_until_done()

    def _say_what_was_not_found(self) -> None:
        if self._request.record:
            what = "Nothing was recorded"
        elif self._request.start_step >= 0:
            what = "No capture"
        else:
            return
        why = (
            "no steps were found. The program has no StepTraceAnnotation, and ran no compiled program "
            "three times"
            if self._steps.has_run
            else "the program ran nothing with jax"
        )
        or_signal = ", or SIGUSR1" if self.has_signal() else ""
        instead = f"; use --at or --every{or_signal}" if self._steps.has_run else ""
        console.say(f"{what}: {why}{instead}", quiet=self._quiet)

    @property
    def is_recording(self) -> bool:
        """Whether steps are being captured."""
        return self._profiler is not None and self._profiler.is_recording

    @property
    def _step_name(self) -> str:
        """What steps are annotated as where the program does not: `runs of train_step`."""
        return self._steps.source or "step"

    def _prepare(self) -> Profiler | None:
        """The first step: the profiler for it, or None if no capture can be made."""
        if self._is_off:
            return None
        try:
            if session_ids.process_of_job()[0] > 0:  # jax knows it by now
                self._quiet = True
            self._profiler = Profiler(
                settings=self._settings(),
                profiler_options=self._options_of_goal(),
                annotate_steps=not self._steps.is_annotated,
                on_capture=self._captured,
                announce=False,
            )
            self._profiler.serve_run(self._step_name)
        except Exception as error:  # noqa: BLE001 - the program runs as without us
            self._is_off = True
            console.warn(f"no capture: {error}")
            return None
        self._say_plan()
        self._record()
        return self._profiler

    def _record(self) -> None:
        """Begins the flight recorder, on the thread of the loop."""
        request = self._request
        if not request.record:
            return
        try:
            goal = request.plan
            steps = NUM_STEPS if goal is None else goal.num_steps
            self._recorder = Recorder(
                settings_of(request.log_dir, num_steps=steps, quiet=self._quiet),
                request.rules or DEFAULT_RULES,
                max_incidents=MAX_INCIDENTS,
                min_interval_seconds=MIN_INTERVAL_SECONDS,
                steps_in_ring=request.steps_in_ring or STEPS_IN_RING,
                options=self._options_of_goal(),
                annotate_steps=not self._steps.is_annotated,
            )
        except Exception as error:  # noqa: BLE001 - the program runs as without us
            console.warn(f"no recording: {error}")
            return
        self._recorder.name_steps(self._step_name)
        console.say(f"Recording every step in {self._recorder.directory}", quiet=self._quiet)

    def _settings(self) -> Settings:
        return Settings.resolve(
            PROFILER_DEFAULTS,
            log_dir=self._request.log_dir,
            start_step=self._request.start_step,
            num_steps=self._request.num_steps,
            quiet=self._quiet,
        )

    def _options_of_goal(self) -> Any:
        """The options of the goal; None without one.

        Raises:
            SettingsError: the installed jax lacks one of them.
        """
        goal = self._request.plan
        if goal is not None and self._options is None:
            self._options = goal.options(_jax.platform())
        return self._options

    def _say_plan(self) -> None:
        request, first = self._request, self._request.start_step
        now = "now " if self._is_changed else ""
        self._is_told = True
        parts = [f"stepscope: steps are {now}{self._steps.source}"]
        last = first + request.num_steps - 1
        if first >= 0 and self._step <= last:  # else the profiler says that they are over
            parts.append(f"steps {max(first, self._step)}..{last} will be captured")
        if self.has_signal():
            parts.append(f"kill -USR1 {os.getpid()} starts and ends a capture")
        console.say("; ".join(parts), quiet=self._quiet)

    def _found(self) -> Profiler | None:
        """The profiler once there are steps; None if there are none. A new program has none yet."""
        ends = time.monotonic() + STEPS_FOUND_SECONDS
        while self._profiler is None and time.monotonic() < ends:
            if self._is_over.wait(_LOOK_SECONDS):
                break
        return self._profiler

    def _is_done(self, before: int, patience_seconds: float) -> bool:
        """Waits for a requested capture of steps; False, and no request, if none of them began."""
        ends = time.monotonic() + patience_seconds
        while time.monotonic() < ends or self.is_recording:
            with self._changed:
                self._changed.wait(_LOOK_SECONDS)
            if len(self._results) > before or self._is_over.is_set():
                return True
        if self._profiler is not None:
            self._profiler.forget_requests()
        return False

    def _capture_seconds(self, reason: str, session_id: str | None = None) -> None:
        """Captures by time, on this thread."""
        with self._lock:
            session = self._begin(reason, session_id)
            if session is not None:
                self._is_over.wait(self._request.seconds)
                self._end(session)

    def _begin(self, reason: str, session_id: str | None = None) -> CaptureSession | None:
        """Starts a capture from this thread."""
        if self._is_off or not self._is_in_use():
            console.warn(f"no capture ({reason}): this process has not used jax yet")
            return None
        try:
            settings = self._settings()
            settings = replace(settings, session_id=settings.session_id or session_id)
            session = CaptureSession(
                settings=settings, options=self._options_of_goal(), trigger=reason
            )
            session.after = self._after.run
            session.gives_way = True
            return session.start()
        except Exception as error:  # noqa: BLE001 - the program runs as without us
            console.warn(f"no capture ({reason}): {error}")
            return None

    def _end(self, session: CaptureSession) -> None:
        try:
            session.stop()
            after = session.take_after()
            if after is not None:
                after(session)
        except Exception as error:  # noqa: BLE001 - the program runs as without us
            console.warn(f"the capture was lost: {error}")

    def _captured(self, result: CaptureResult) -> None:
        """Each capture ends here, on the thread of what follows it."""
        goal = self._request.plan
        if goal is not None:
            goals.save_memory(goal, result)
            console.say(goals.verdict(goal, result), quiet=self._quiet)
        self._results.append(result)
        with self._changed:
            self._changed.notify_all()

    def _is_in_use(self) -> bool:
        return self._steps.has_run or _jax.platform() is not None

    def _keep_time(self) -> None:
        """Captures at the planned times, which count from the first use of jax."""
        while not self._is_in_use():
            if self._is_over.wait(_LOOK_SECONDS):
                return
        job = AgreedCaptures(uploads.local_folder(self._request.log_dir), self._began_unix_ns)
        if job.rank > 0:
            self._follow(job)
            return
        at, every = self._request.at_seconds, self._request.every_seconds
        due = time.monotonic() + (at if at is not None else every or 0.0)
        reason = "--at" if every is None else "--every"
        while not self._waits_until(due):
            if job.count > 1:
                self._lead(job, reason)
            else:
                self.capture(reason)
            if every is None:
                return
            due = max(due + every, time.monotonic())

    def _waits_until(self, due: float) -> bool:
        """Waits, and notes how fast steps come; True if the program ends before."""
        while (left := due - time.monotonic()) > 0:
            if self._is_over.wait(min(left, _PACE_SECONDS)):
                return True
            self._pace.append((time.monotonic(), self._step))
        return self._is_over.is_set()

    def _step_seconds(self) -> float | None:
        """How fast steps come: the mean over some seconds, for they may come in bursts."""
        if len(self._pace) < 2:
            return None
        (began, first), (ended, last) = self._pace[0], self._pace[-1]
        return (ended - began) / (last - first) if last > first else None

    def _lead(self, job: AgreedCaptures, reason: str) -> None:
        """Tells all ranks of the job what to capture, and captures it too."""
        before, profiler = len(self._results), self._found()
        if profiler is not None:
            step_seconds = self._step_seconds() or profiler.recent_step_seconds() or 1.0
            ahead = steps_ahead(step_seconds, _LOOK_SECONDS)
            agreed = job.publish(reason, self._step + ahead, self._request.num_steps)
            if not profiler.capture_agreed(agreed):
                return
            if self._is_done(before, STEPS_GONE_SECONDS + 2 * ahead * step_seconds):
                return
        console.say("Steps cannot be told here, so this capture is by time", quiet=self._quiet)
        agreed = job.publish(reason, None, self._request.num_steps)
        self._capture_seconds(reason, agreed.session_id)

    def _follow(self, job: AgreedCaptures) -> None:
        """Captures what the first rank of the job says, one after another: this one may be far behind."""
        planned: deque[Agreed] = deque(maxlen=_PLANNED_MAX)
        while not self._is_over.wait(_LOOK_SECONDS):
            for agreed in job.new():
                if agreed.step is None:
                    self._capture_seconds(agreed.reason, agreed.session_id)
                else:
                    planned.append(agreed)
            profiler = self._profiler  # none as long as this rank has no steps
            if planned and profiler is not None and not profiler.is_expecting:
                profiler.capture_agreed(planned.popleft())
