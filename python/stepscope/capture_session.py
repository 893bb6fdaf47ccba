"""`CaptureSession`: one capture, correct by construction. Everything else builds on it.

Checks come before the recording, an ID is never used twice, the results of the work are waited for,
the program's exception is preserved, and jax is left as it was found, whatever happens.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from . import (
    _compilations,
    _jax,
    capture_cost,
    console,
    interrupts,
    limits,
    manifest,
    occupancy,
    perfetto,
    preflight,
    profile_options,
    recorders,
    run_directory,
    session_ids,
    termination,
    uploads,
)
from .capture_cost import CaptureCost
from .capture_result import CaptureResult, StepRecord
from .errors import CaptureError, ProfilerBusyError
from .capture_history import history
from .occupancy import active_session as active_session
from .settings import TRACE_DEFAULTS, Settings
from .signatures import suggests_keywords

StepTimes = tuple[int, int, int | None]
"""A step with its start and end in ns of `time.perf_counter_ns`; no end if it failed.

Plain numbers, because any other work in a captured step would be recorded with it.
"""

_attempts: dict[str, int] = {}


class CaptureSession:
    """Records from `start` to `stop`, or as a context manager.

    Args:
        log_dir: the log directory; overrides `settings`.
        name: used in the session ID and the manifest.
        settings: resolved settings; by default from the environment.
        options: a `jax.profiler.ProfileOptions`, or a mapping of its fields.
        step_first: the first step that will be covered, if steps are counted. Hosts of a job
            that capture the same step write one session.
        trigger: why the capture is made, for the manifest.
        create_perfetto_trace: also write `perfetto_trace.json.gz`.
        mark_block: mark the recording as one block, which is the capture's step if no
            other step is marked.
        begins_ns: when the previous steps started, in ns of `time.perf_counter_ns`, to measure what
            the capture costs.
    """

    @suggests_keywords
    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        *,
        name: str | None = None,
        settings: Settings | None = None,
        options: Any = None,
        step_first: int | None = None,
        trigger: str | None = None,
        create_perfetto_trace: bool = False,
        mark_block: bool = False,
        begins_ns: Sequence[int] = (),
    ) -> None:
        self.settings = settings or Settings.resolve(TRACE_DEFAULTS, log_dir=log_dir)
        self._folder_as_given = os.fspath(log_dir if log_dir is not None else self.settings.log_dir)
        self._upload = uploads.of(self._folder_as_given)
        self.log_dir = (
            Path(self._folder_as_given).expanduser() if self._upload is None else self._upload.local
        )
        self.name = name
        self.trigger = trigger
        self.step_first = step_first
        self.steps: list[StepTimes] = []
        self.ends_with_step = False
        """It ends as soon as the results of its last step are available."""
        self.unwaited_steps = 0
        """Steps that ended before their results were available, or may have."""
        self.recorder: recorders.Recorder | None = None  # while recording; whoever stops takes it
        self.result: CaptureResult | None = None
        self._given_options = options
        self._options: Any = None
        self._want_perfetto = create_perfetto_trace or self.settings.mode != "tensorboard"
        self._want_trace_json = self.settings.mode == "both"
        self._place: run_directory.RunDirectory | None = None
        self._watchdog: limits.Watchdog | None = None
        self._stop_lock = threading.Lock()
        self._stop_failure: CaptureError | None = None
        self._process: tuple[int, int] = (0, 1)
        self._started_unix_ns = 0
        self._unix_ns_at_zero = 0  # of the clock used to time steps
        self._hook: Any = None
        self._hook_thread = 0
        self._is_of_parent = False
        self._mark_block = mark_block
        self._block: Any = None
        self._begins_ns = list(begins_ns)
        self._drained_ns = 0
        self._python_call_ns: int | None = None
        self._compilations_before: int | None = None
        self._termination = termination.Handler(self)
        self.gives_way = False
        """It ends when the program starts a profile of its own, instead of refusing that."""
        self.after: Callable[[CaptureSession], object] | None = None
        """What follows the capture; called by whatever ends it."""

    @property
    def is_recording(self) -> bool:
        """Whether this session is recording now."""
        return self.recorder is not None

    @property
    def is_of_parent(self) -> bool:
        """Whether this is a forked child and the session belongs to its parent."""
        return self._is_of_parent

    def start(self) -> CaptureSession:
        """Checks that the capture can succeed, then starts recording.

        Raises:
            ProfilerBusyError: another session is active in this process.
            PreflightError: the capture would fail or come back empty.
            CaptureError: this session was already started, or the run directory cannot be created.
        """
        with occupancy.lock:
            if self._place is not None:
                raise CaptureError("A session can only be started once", "create a new CaptureSession")
            attempt = self._count_attempt()
            occupancy.refuse_if_busy()
            found = preflight.problems(self._folder_as_given, need_bytes=history.largest_size_bytes)
            preflight.enforce(found, self.settings.preflight)
            history.remark_on_frequency(self.settings.quiet)
            _jax.initialize_backends()
            self._process = session_ids.process_of_job()
            self._options = profile_options.build(self.settings, self._given_options)
            limits.remark_on_limit(
                self.settings.max_megabytes,
                writes_records=profile_options.writes_records(self._options),
            )
            manifest.git_state()
            # Work that is still running belongs to what came before.
            drains_ns = time.perf_counter_ns()
            _jax.block_on_live_arrays()
            self._drained_ns = time.perf_counter_ns() - drains_ns
            self._place = run_directory.claim(
                self.log_dir.absolute(),
                name=self.name,
                session_id=self.settings.session_id or profile_options.session_id_of(self._options),
                capture=attempt,
                process_index=self._process[0] if self._process[1] > 1 else None,
            )
            try:
                self._begin_recording()
            except BaseException:
                self._place.release()
                raise
            occupancy.take(self)
        return self

    def stop(self, outputs: Any = None, *, error: BaseException | None = None) -> CaptureResult:
        """Waits for the results, ends the recording and writes the capture.

        `outputs` is a pytree that is waited for first; without it, every array that the program
        holds. `error` is the exception with which the profiled code ended: then nothing is waited
        for, and the manifest says so. A second call returns the same result.

        Raises:
            CaptureError: the profiler lost the capture, or it cannot be written.
        """
        if self._is_of_parent:
            raise CaptureError(
                "This capture belongs to the parent process of this fork",
                "stop it there",
            )
        failure: BaseException | None = None
        if self.is_recording and (error is None or _is_normal_end(error)):
            try:
                self.wait_for(outputs)
            except BaseException as raised:  # the program's own error, raised again below
                failure = raised if error is None else None
        self._finish(error or failure, stopped_by=None)
        self._restore()  # where a limit ended the capture, from another thread
        if failure is not None:
            raise failure
        if self._stop_failure is not None:
            raise self._stop_failure
        if self.result is None:
            raise CaptureError("No capture was started", "call start() first")
        return self.result

    def reset(self) -> None:
        """Ends the recording and discards it; also clears a stuck session in jax."""
        if self._is_of_parent:
            return
        with self._stop_lock:
            recorder, self.recorder = self.recorder, None
            if recorder is not None:
                self._end_block()
                recorder.abandon()
                self._restore()
                self._termination.uninstall()
                if self._place is not None:
                    self._place.release()
        occupancy.hand_back(self)
        recorders.cure_stuck_state()

    def leave_to_parent(self) -> None:
        """In a forked child: forgets the recording, which continues in the parent.

        Stopping it here would overwrite the parent's file, and crash jaxlib.
        """
        recorder, self.recorder = self.recorder, None
        self._block = None
        self._is_of_parent = True
        self._stop_lock = threading.Lock()  # whoever held it is not in this process
        if recorder is not None:
            recorder.leave_to_parent()

    def wait_for(self, outputs: Any = None) -> None:
        """Blocks on `outputs`, or on every array that the program holds."""
        with _jax.own_time("wait"):
            if outputs is not None:
                _jax.block_until_ready(outputs)
            else:
                _jax.block_on_live_arrays()

    def __enter__(self) -> CaptureSession:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        stop_without_masking(self, error)

    def _count_attempt(self) -> str:
        """A description of the capture that is the same on all hosts of a job."""
        what = self.name or "capture"
        if self.step_first is not None:
            return f"{what}, step {self.step_first}"
        _attempts[what] = _attempts.get(what, 0) + 1
        return f"{what}, number {_attempts[what]}"

    def _begin_recording(self) -> None:
        assert self._place is not None
        self._hook, self._hook_thread = sys.getprofile(), threading.get_ident()
        self._started_unix_ns = time.time_ns()
        manifest.write(self._place.manifest, self._known())
        recorder = recorders.new_recorder()
        traces_python = profile_options.python_calls_recorded(self._options)
        plain_call_ns = capture_cost.plain_call_ns() if traces_python else 0.0
        self._compilations_before = _compilations.count() if _compilations.is_counting() else None
        recorder.start(self._options, self._place)
        if profile_options.host_events_recorded(self._options) and not _jax.is_recording():
            # The profiler's lock is held by a session that records no host events.
            recorder.abandon()
            self._restore()
            raise ProfilerBusyError(
                "The profiler did not start: another session in this process is using it",
                "wait until that capture is over",
            )
        self._started_unix_ns = time.time_ns()
        self._unix_ns_at_zero = self._started_unix_ns - time.perf_counter_ns()
        self.recorder = recorder
        if self.gives_way:
            recorder.mark.give_way = partial(self._stop_at_limit, "the program's own profile")
        if traces_python:
            self._python_call_ns = capture_cost.traced_call_ns(plain_call_ns)
        if self._mark_block:
            self._block = _jax.block_annotation(self.name, self.step_first)
            self._block.__enter__()
        self._termination.install()
        self._watchdog = limits.Watchdog(
            self.settings.max_seconds,
            self.settings.max_megabytes,
            self._stop_at_limit,
            writes_records=profile_options.writes_records(self._options),
        )
        self._watchdog.start()

    def end_now(self, stopped_by: str) -> None:
        """Ends the capture from outside the program's normal flow, and keeps it. Never raises."""
        try:
            is_first = self._finish(None, stopped_by=stopped_by)
        except Exception as failure:  # noqa: BLE001 - the program is about to end
            console.warn(f"the capture was lost: {failure}")
            return
        if self._stop_failure is not None:
            console.warn(str(self._stop_failure))
        elif is_first and self.result is not None:
            console.say(f"Profile saved: {self.result.directory}", quiet=self.settings.quiet)
            after = self.take_after()
            if after is not None:
                after(self)

    def _stop_at_limit(self, reason: str) -> None:
        if not self._finish(None, stopped_by=reason):
            return
        if self._stop_failure is not None:
            console.warn(str(self._stop_failure))
        else:
            console.say(f"Capture ended early by {reason}", quiet=self.settings.quiet)

    def _finish(self, error: BaseException | None, *, stopped_by: str | None) -> bool:
        """Stops once, whoever comes first; leaves a result or a failure. True for the first.

        A Ctrl-C in the meantime is raised once the capture is written.
        """
        try:
            with interrupts.HeldInterrupts():
                with self._stop_lock:
                    recorder, self.recorder = self.recorder, None
                    if recorder is None:
                        return False
                    self._end_block()
                    self._collect(recorder, error, stopped_by)
                if self._watchdog is not None:
                    self._watchdog.cancel()
        finally:  # the original signal handlers are restored
            self._termination.uninstall()
        return True

    def _end_block(self) -> None:
        block, self._block = self._block, None
        if block is not None:
            block.__exit__(None, None, None)

    def _collect(
        self, recorder: recorders.Recorder, error: BaseException | None, stopped_by: str | None
    ) -> None:
        assert self._place is not None
        stopped_unix_ns = time.time_ns()
        started = time.perf_counter()
        size_bytes = 0
        try:
            with console.Heartbeat("Collecting the capture", quiet=self.settings.quiet):
                size_bytes = recorder.stop(
                    self._place, trace_json=self._want_perfetto or self._want_trace_json
                )
        except CaptureError as failed:
            self._stop_failure = failed
            error = error or failed
        except BaseException as failed:  # an interrupt while collecting
            self._stop_failure = CaptureError(f"The capture was interrupted: {failed!r}")
            raise
        finally:
            self._restore()
            occupancy.hand_back(self)
        result = self._describe(error, stopped_by, stopped_unix_ns)
        result.mean_step_ns = self._mean_step_ns(stopped_unix_ns)
        result.cost = self._cost(result.mean_step_ns, stopped_unix_ns)
        if self._compilations_before is not None:
            result.compilations = _compilations.count() - self._compilations_before
        result.size_bytes = size_bytes
        result.stop_seconds = time.perf_counter() - started
        history.last_stop_seconds = time.monotonic()
        if self._stop_failure is None:
            self.result = result
            history.largest_size_bytes = max(history.largest_size_bytes, size_bytes)
            limits.remark_on_size(size_bytes, is_records=self._place.profile == self._place.records)
            self._write_extras(result)
        self._write_manifest(result, stopped_unix_ns)

    def take_after(self) -> Callable[[CaptureSession], object] | None:
        """What follows the capture, for the first caller; None for the others."""
        after, self.after = self.after, None
        return after

    def upload(self) -> None:
        """Copies the capture to its bucket. Never raises.

        If this fails, the capture stays in the local folder, and a message says where.
        """
        if self._upload is not None and self.result is not None:
            self.result.uploaded_to = self._upload.send(self.result)

    def _restore(self) -> None:
        """Restores the `sys.setprofile` hook on its thread."""
        if self._hook is not None and threading.get_ident() == self._hook_thread:
            _jax.restore_profile_hook(self._hook)
            self._hook = None

    def _write_extras(self, result: CaptureResult) -> None:
        assert self._place is not None
        if not self._want_perfetto:
            return
        target = None
        try:
            target = self._place.claim_perfetto()
            perfetto.convert(self._place.trace_json, target)
            result.perfetto_path = target
            if not self._want_trace_json:
                self._place.trace_json.unlink()
        except (OSError, ValueError, CaptureError) as error:
            if target is not None and result.perfetto_path is None:
                target.unlink(missing_ok=True)
            console.warn(f"perfetto_trace.json.gz was not written: {error}")

    def _describe(
        self, error: BaseException | None, stopped_by: str | None, stopped_unix_ns: int
    ) -> CaptureResult:
        assert self._place is not None
        step_end = self.steps[-1][0] + 1 if self.steps else None
        step_first = self.steps[0][0] if self.steps else self.step_first
        return CaptureResult(
            session_id=self._place.session_id,
            name=self.name,
            host=self._place.host,
            process_index=self._process[0],
            process_count=self._process[1],
            log_dir=self._place.log_dir,
            directory=self._place.folder,
            path=self._place.profile,
            size_bytes=0,
            seconds=(stopped_unix_ns - self._started_unix_ns) / 1e9,
            stop_seconds=0.0,
            step_first=step_first,
            step_end=step_end if step_end is not None or step_first is None else step_first + 1,
            steps=[self._record_of(times) for times in self.steps],
            success=error is None or _is_normal_end(error),
            error=None if error is None or _is_normal_end(error) else _error_text(error),
            trigger=self.trigger,
            stopped_by=stopped_by,
            platform=_jax.platform(),
        )

    def _mean_step_ns(self, stopped_unix_ns: int) -> int | None:
        """The mean wall time of a step, from its start until its results were available."""
        if not self.steps:
            return None
        if self.ends_with_step:
            ends_ns = stopped_unix_ns - self._unix_ns_at_zero
            return (ends_ns - self.steps[0][1]) // len(self.steps)
        durations_ns = [ended - began for _, began, ended in self.steps if ended is not None]
        if self.unwaited_steps or not durations_ns:
            return None
        return sum(durations_ns) // len(durations_ns)

    def _cost(self, mean_step_ns: int | None, stopped_unix_ns: int) -> CaptureCost | None:
        before_ns, steps_before = capture_cost.step_before(self._begins_ns, self._drained_ns)
        step_ns = None if before_ns is None else mean_step_ns
        if step_ns is not None and self.ends_with_step:
            step_ns = capture_cost.captured_step(
                [began for _, began, _ in self.steps],
                stopped_unix_ns - self._unix_ns_at_zero,
                before_ns,
            )
        if step_ns is None and self._python_call_ns is None:
            return None
        return CaptureCost(
            step_ns=step_ns,
            step_before_ns=before_ns,
            steps_before=steps_before,
            python_call_ns=self._python_call_ns,
            waits_each_step=self.settings.wait == "step",
        )

    def _record_of(self, times: StepTimes) -> StepRecord:
        step, began_ns, ended_ns = times
        duration_ns = None if ended_ns is None else ended_ns - began_ns
        return StepRecord(step, self._unix_ns_at_zero + began_ns, duration_ns)

    def _known(self) -> dict[str, Any]:
        """What is known when the manifest is first written."""
        assert self._place is not None
        return {
            "session_id": self._place.session_id,
            "name": self.name,
            "tags": list(self.settings.tags),
            "host": self._place.host,
            "process_index": self._process[0],
            "process_count": self._process[1],
            "started_unix_ns": self._started_unix_ns,
            "trigger": self.trigger,
            "options": profile_options.as_dict(self._options)
            | {
                "mode": self.settings.mode,
                "max_seconds": limits.finite(self.settings.max_seconds),
                "max_megabytes": limits.finite(self.settings.max_megabytes),
            },
        } | manifest.about_process()

    def _write_manifest(self, result: CaptureResult, stopped_unix_ns: int) -> None:
        assert self._place is not None
        content = self._known() | {
            "stopped_unix_ns": stopped_unix_ns,
            "stop_seconds": round(result.stop_seconds, 6),
            "step_first": result.step_first,
            "step_end": result.step_end,
            "steps": [
                {
                    "step": record.step,
                    "started_unix_ns": record.started_unix_ns,
                    "duration_ns": record.duration_ns,
                }
                for record in result.steps[: manifest.STEPS_MAX]
            ],
            "steps_left_out": max(0, len(result.steps) - manifest.STEPS_MAX),
            "mean_step_ns": result.mean_step_ns,
            "success": result.success,
            "error": result.error,
            "stopped_by": result.stopped_by,
            "size_bytes": result.size_bytes,
            "compilations": result.compilations,
            "cost": None if result.cost is None else result.cost.as_dict(),
        }
        result.manifest = content
        try:
            manifest.write(self._place.manifest, content)
        except CaptureError as error:
            console.warn(str(error))


def stop_without_masking(
    session: CaptureSession, error: BaseException | None, outputs: Any = None
) -> CaptureResult | None:
    """Stops `session`; while `error` is propagating to the caller, nothing else is raised.

    A failure to stop is then logged and added to `error` as a note. In a forked child nothing
    happens: the capture belongs to the parent.
    """
    if session.is_of_parent:
        return None
    try:
        return session.stop(outputs, error=error)
    except CaptureError as failure:
        if error is None:
            raise
        console.warn(str(failure))
        error.add_note(f"stepscope: the capture was lost as well: {failure.message}")
        return None


def _is_normal_end(error: BaseException) -> bool:
    """Whether `error` is how a program or a generator ends normally."""
    if isinstance(error, SystemExit):
        return error.code is None or error.code == 0
    return isinstance(error, GeneratorExit)


def _error_text(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@atexit.register
def _stop_at_exit() -> None:
    """A program that ends inside a capture keeps what was recorded."""
    session = active_session()
    if session is None:
        return
    # In a console or a notebook, the last error is from an earlier line.
    is_interactive = hasattr(sys, "ps1")
    error: BaseException | None = None if is_interactive else getattr(sys, "last_value", None)
    try:
        if error is None:
            session.wait_for()
            session._finish(None, stopped_by="the end of the program")  # noqa: SLF001
        session.stop(error=error)
        after = session.take_after()
        if after is not None:
            after(session)
    except Exception as failure:  # noqa: BLE001 - the interpreter is on its way out
        console.warn(str(failure))


def _leave_to_parent() -> None:
    """A forked child has a copy of its parent's capture in memory, but must not touch it."""
    session = occupancy.leave_to_parent()
    if session is not None:
        session.leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
