"""`profile_trace` and `ProfileContext` capture a block; `start_trace`, `stop_trace` are calls."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar

from . import _jax, capture_session, console, occupancy, run_directory
from .after_capture import AfterCapture, OnCapture
from .capture_result import CaptureResult
from .capture_session import CaptureSession
from .errors import CaptureError, ProfilerBusyError
from .settings import CONTEXT_DEFAULTS, TRACE_DEFAULTS, Settings
from .signatures import suggests_keywords

T = TypeVar("T")


class profile_trace:  # noqa: N801 - used like a function
    """Captures what runs in a block: `with profile_trace("./profiles", name="train_step"): ...`.

    Before the block, the folder and the profiler are checked; after it, the results of the work are
    waited for, the capture is written, and the verdict is printed. Inside another capture of this
    process, it only marks its part of the trace. Exceptions of the block are passed on.

    Args:
        log_dir: log directory; default PROFILE_DIR, or `./profiles`.
        name: used in the session ID, such as `train_step`.
        create_perfetto_trace: also write `perfetto_trace.json.gz`.
        profiler_options: a `jax.profiler.ProfileOptions`, or a mapping of its fields.
        mode: `tensorboard`, `perfetto` or `both`: which files are written besides the profile.
        outputs: a pytree to wait for at the end; better, pass each result to `block`.
        subdirectory: a template for a folder below `log_dir`, such as `step_{step:08d}`.
        fields: values for the template.
        step: the step that the block covers, if there is one.
        wait: `window`, the default, waits for what was passed to `block` only at the end of the
            block; `step` at the end of each `step`.
        on_capture: called with the finished `CaptureResult`; what it raises is logged.
        tags: words to find the capture by, such as `["baseline", "bf16"]`; default PROFILE_TAGS.
        enabled, max_seconds, max_megabytes, session_id, quiet, preflight, python_tracer_level,
            host_tracer_level: as in `Settings`.
        args: parsed flags, as `add_profile_args` makes them.
    """

    _defaults = TRACE_DEFAULTS

    @suggests_keywords
    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        name: str | None = None,
        *,
        create_perfetto_trace: bool = False,
        profiler_options: Any = None,
        mode: str | None = None,
        outputs: Any = None,
        subdirectory: str | None = None,
        fields: Mapping[str, Any] | None = None,
        step: int | None = None,
        enabled: bool | None = None,
        max_seconds: float | None = None,
        max_megabytes: float | None = None,
        session_id: str | None = None,
        tags: str | Sequence[str] | None = None,
        quiet: bool | None = None,
        preflight: str | None = None,
        python_tracer_level: int | None = None,
        host_tracer_level: int | None = None,
        wait: str | None = None,
        on_capture: OnCapture | None = None,
        args: Any = None,
    ) -> None:
        self._settings = Settings.resolve(
            self._defaults,
            args=args,
            log_dir=log_dir,
            mode=mode,
            enabled=enabled,
            max_seconds=max_seconds,
            max_megabytes=max_megabytes,
            session_id=session_id,
            tags=tags,
            quiet=quiet,
            preflight=preflight,
            python_tracer_level=python_tracer_level,
            host_tracer_level=host_tracer_level,
            wait=wait,
        )
        self.name = name
        self._after = AfterCapture(
            quiet=self._settings.quiet, keep_captures=0, on_capture=on_capture
        )
        self._log_dir = run_directory.fixed(self._settings.log_dir)
        self._subdirectory = subdirectory
        self._fields = dict(fields or {})
        self._step = step
        self._options = profiler_options
        self._want_perfetto = create_perfetto_trace
        self._outputs: list[Any] = [] if outputs is None else [outputs]
        self._session: CaptureSession | None = None
        self._annotation: Any = None
        self._is_nested = False
        self.result: CaptureResult | None = None

    def block(self, outputs: T) -> T:
        """Remembers `outputs` to wait for, and returns them.

        They are waited for before the capture ends; with `wait="step"` at the end of the `step`
        around the call.
        """
        if self._session is not None:
            # The newest results are the last to be ready; keeping old ones would use memory.
            self._outputs = [outputs]
        return outputs

    @contextmanager
    def step(self, step: int, name: str = "train") -> Iterator[None]:
        """Marks one step of a loop inside the block, so that steps don't need to be inferred."""
        if self._session is None and self._annotation is None:
            yield
            return
        began_ns = time.perf_counter_ns()
        ended_ns: int | None = None  # of a step that raises
        try:
            with _jax.step_annotation(name, step):
                yield
                session = self._session
                if session is not None and session.is_recording:
                    if self._outputs and self._settings.wait == "step":
                        session.wait_for(self._outputs)
                    else:
                        session.unwaited_steps += 1
            ended_ns = time.perf_counter_ns()
        finally:
            if self._session is not None:
                self._session.steps.append((step, began_ns, ended_ns))

    @property
    def is_nested(self) -> bool:
        """Whether this block is, or was, inside another capture, in which it is only a mark."""
        return self._is_nested

    def __enter__(self) -> profile_trace:
        self.result = None
        self._is_nested = False
        if not self._settings.enabled:
            return self
        if occupancy.active_session() is not None:
            self._mark()
            return self
        if occupancy.is_recording_by_jax():
            console.say(
                "A capture by jax.profiler is already active; this block becomes a mark in it",
                quiet=self._settings.quiet,
            )
            self._mark()
            return self
        self._session = CaptureSession(
            self._folder(),
            name=self.name,
            settings=self._settings,
            options=self._options,
            step_first=self._step,
            create_perfetto_trace=self._want_perfetto,
            mark_block=True,
        )
        self._session.after = self._after.run
        try:
            self._session.start()
        except BaseException as error:
            self._session = None
            if isinstance(error, ProfilerBusyError) and occupancy.active_session():
                self._mark()  # another thread was faster
                return self
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._annotation is not None:
            annotation, self._annotation = self._annotation, None
            annotation.__exit__(kind, error, trace)
            return
        session, self._session = self._session, None
        if session is None:
            return
        outputs, self._outputs = self._outputs, []
        try:
            capture_session.stop_without_masking(session, error, outputs or None)
        finally:  # there is a capture even if waiting for the results raised, or after Ctrl-C
            self.result = session.result
            after = session.take_after()
            if self.result is not None and after is not None:
                after(session)

    def _mark(self) -> None:
        self._is_nested = True
        self._annotation = _jax.annotation(self.name or "profile_trace")
        self._annotation.__enter__()

    def _folder(self) -> str:
        known = {} if self._step is None else {"step": self._step}
        fields = {"name": self.name or ""} | known | self._fields
        return run_directory.below(self._log_dir, self._subdirectory, **fields)


class ProfileContext(profile_trace):
    """A one-off capture of a block: `profile_trace` with `./traces` as the default folder."""

    _defaults = CONTEXT_DEFAULTS


_started: profile_trace | None = None


@suggests_keywords
def start_trace(
    log_dir: str | os.PathLike[str] | None = None,
    create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False,
    profiler_options: Any = None,
    *,
    name: str | None = None,
    mode: str | None = None,
    subdirectory: str | None = None,
    fields: Mapping[str, Any] | None = None,
    step: int | None = None,
    enabled: bool | None = None,
    max_seconds: float | None = None,
    max_megabytes: float | None = None,
    session_id: str | None = None,
    quiet: bool | None = None,
    preflight: str | None = None,
    python_tracer_level: int | None = None,
    host_tracer_level: int | None = None,
    on_capture: OnCapture | None = None,
    args: Any = None,
) -> None:
    """Like `jax.profiler.start_trace`, with the checks, IDs, and limits of `profile_trace`.

    A Perfetto link would block the program until somebody opens it; the file is written instead. A
    capture that is still running when the program ends is kept.

    Raises:
        ProfilerBusyError: a capture is already active.
    """
    global _started
    if create_perfetto_link:
        console.say("No link is served; open perfetto_trace.json.gz in https://ui.perfetto.dev")
    occupancy.refuse_if_busy()
    trace = profile_trace(
        log_dir,
        name,
        create_perfetto_trace=create_perfetto_trace or create_perfetto_link,
        profiler_options=profiler_options,
        mode=mode,
        subdirectory=subdirectory,
        fields=fields,
        step=step,
        enabled=enabled,
        max_seconds=max_seconds,
        max_megabytes=max_megabytes,
        session_id=session_id,
        quiet=quiet,
        preflight=preflight,
        python_tracer_level=python_tracer_level,
        host_tracer_level=host_tracer_level,
        on_capture=on_capture,
        args=args,
    )
    trace.__enter__()
    _started = trace


def stop_trace(outputs: Any = None) -> CaptureResult | None:
    """Ends the capture of `start_trace`: waits for `outputs` (or everything) and writes the capture.

    Raises:
        CaptureError: no capture was started, or it was lost.
    """
    global _started
    if _started is None:
        raise CaptureError("No capture was started", "call stepscope.start_trace(log_dir) first")
    trace, _started = _started, None
    if outputs is not None:
        trace.block(outputs)
    trace.__exit__(None, None, None)
    return trace.result
