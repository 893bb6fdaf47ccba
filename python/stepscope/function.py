"""`@profile_function(log_dir, warmup_steps=5)`: captures one or more calls of a function."""

from __future__ import annotations

import functools
import inspect
import os
import threading
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from . import console, preflight, run_directory
from .after_capture import OnCapture
from .errors import CaptureError, PreflightError
from .settings import TRACE_DEFAULTS, Settings, checked
from .signatures import suggests_keywords
from .trace import profile_trace

P = ParamSpec("P")
R = TypeVar("R")


@suggests_keywords
def profile_function(
    log_dir: str | os.PathLike[str] | None = None,
    warmup_steps: int = 5,
    *,
    name: str | None = None,
    num_calls: int | None = None,
    calls_per_capture: int = 1,
    create_perfetto_trace: bool = False,
    profiler_options: Any = None,
    mode: str | None = None,
    subdirectory: str | None = None,
    fields: Mapping[str, Any] | None = None,
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
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: the first `warmup_steps` calls run normally, then calls are captured.

    A captured call waits for its return value, which is returned unchanged; it is a step of the
    capture. Later calls run normally. A call inside another capture is marked in it, and a later
    call makes the function's own capture. If the profiler is busy, the call runs without a capture
    and the next one tries again. Coroutine functions work too.

    Args:
        log_dir: log directory; default PROFILE_DIR, or `./profiles`.
        warmup_steps: calls to skip, so that compilation is done.
        name: used in the session ID; by default the function's name.
        num_calls: total number of captured calls; by default those of one capture.
        calls_per_capture: number of consecutive calls in one capture, including what the program
            does between them.
        create_perfetto_trace, profiler_options, mode, subdirectory, fields, enabled, max_seconds,
            max_megabytes, session_id, quiet, preflight, python_tracer_level, host_tracer_level,
            on_capture, args: as for `profile_trace`.

    Raises:
        SettingsError: a setting is invalid.
        PreflightError: the folder is not writable; raised when the function is decorated.
    """
    if callable(log_dir):
        raise TypeError("write @profile_function() with parentheses, or pass a folder")
    if warmup_steps < 0:
        raise ValueError("warmup_steps must be 0 or more")
    checked("num_steps", calls_per_capture, "the argument calls_per_capture")
    count = calls_per_capture if num_calls is None else num_calls
    checked("num_steps", count, "the argument num_calls")
    settings = Settings.resolve(
        TRACE_DEFAULTS,
        args=args,
        log_dir=log_dir,
        mode=mode,
        enabled=enabled,
        max_seconds=max_seconds,
        max_megabytes=max_megabytes,
        session_id=session_id,
        quiet=quiet,
        preflight=preflight,
        python_tracer_level=python_tracer_level,
        host_tracer_level=host_tracer_level,
    )
    folder = run_directory.fixed(settings.log_dir)

    def new_trace(label: str, number: int) -> profile_trace:
        return profile_trace(
            folder,
            label,
            step=number,
            create_perfetto_trace=create_perfetto_trace,
            profiler_options=profiler_options,
            mode=mode,
            subdirectory=subdirectory,
            fields=fields,
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

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                "calling a generator function does no work yet: decorate the function that one step calls, "
                "or put profile_trace around the loop"
            )
        chosen = name or getattr(function, "__qualname__", "function").replace("<locals>.", "")
        calls = _Calls(settings, chosen, warmup_steps, count, calls_per_capture, new_trace)
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def profiled_coroutine(*arguments: P.args, **keywords: P.kwargs) -> Any:
                number = calls.count()
                if number is None:
                    return await function(*arguments, **keywords)
                with calls.capture(number) as trace:
                    return trace.block(await function(*arguments, **keywords))

            return profiled_coroutine  # type: ignore[return-value]

        @functools.wraps(function)
        def profiled(*arguments: P.args, **keywords: P.kwargs) -> R:
            number = calls.count()
            if number is None:
                return function(*arguments, **keywords)
            with calls.capture(number) as trace:
                return trace.block(function(*arguments, **keywords))

        return profiled

    return decorate


class _Calls:
    """Counts the calls of one function and decides which are captured."""

    def __init__(
        self,
        settings: Settings,
        name: str,
        warmup_steps: int,
        num_calls: int,
        calls_per_capture: int,
        new_trace: Callable[[str, int], profile_trace],
    ) -> None:
        self.name = name
        self._new_trace = new_trace
        self._number = 0
        self._warmup_steps = warmup_steps
        self._left = num_calls if settings.enabled else 0
        self._calls_per_capture = calls_per_capture
        self._open: profile_trace | None = None  # a capture that more calls belong to
        self._calls_in_open = 0
        self._lock = threading.Lock()
        if self._left:
            preflight.enforce(preflight.problems(settings.log_dir), settings.preflight)

    def count(self) -> int | None:
        """The number of this call if it should be captured, else None."""
        if self._left == 0:
            return None
        with self._lock:
            number = self._number
            self._number += 1
            if number < self._warmup_steps or self._left == 0:
                return None
            self._left -= 1
            return number

    def capture(self, number: int) -> _CallCapture:
        """The context manager around call `number`."""
        with self._lock:
            trace, is_new = self._open, self._open is None
        return _CallCapture(self, trace or self._new_trace(self.name, number), number, is_new)

    def opened(self, trace: profile_trace) -> None:
        """A capture started with this call."""
        with self._lock:
            if self._calls_per_capture > 1:
                self._open, self._calls_in_open = trace, 0

    def is_last(self, error: BaseException | None) -> bool:
        """Whether the capture ends with the call that just ended."""
        with self._lock:
            self._calls_in_open += 1
            is_full = self._calls_in_open >= self._calls_per_capture or self._left == 0
            if self._open is None or is_full or error is not None:
                self._open = None
                return True
            return False

    def give_back(self) -> None:
        """A call that could not be captured: a later one will be."""
        with self._lock:
            self._left += 1


class _CallCapture:
    """A capture around one call; does nothing if the profiler is busy."""

    def __init__(self, calls: _Calls, trace: profile_trace, number: int, is_new: bool) -> None:
        self._calls = calls
        self._trace = trace
        self._number = number
        self._is_new = is_new
        self._step: Any = None
        self._is_open = False

    def __enter__(self) -> _CallCapture:
        if self._is_new and not self._open_trace():
            return self
        self._is_open = True
        if self._trace.is_nested:
            self._calls.give_back()
        else:
            self._step = self._trace.step(self._number, self._calls.name)
            self._step.__enter__()
        return self

    def block(self, outputs: R) -> R:
        """Waits for the results, so that the step covers the work and not only its dispatch."""
        return self._trace.block(outputs)

    def __exit__(self, *about: Any) -> None:
        if not self._is_open:
            return
        error = about[1]
        if self._step is not None:
            self._step.__exit__(*about)
            if not self._calls.is_last(error):
                return
        try:
            self._trace.__exit__(*about)
        except CaptureError as failure:
            if error is not None:
                raise
            console.warn(f"the capture of {self._calls.name} was lost: {failure}")

    def _open_trace(self) -> bool:
        try:
            self._trace.__enter__()
        except (PreflightError, CaptureError) as error:
            name = self._calls.name
            console.warn(f"call {self._number} of {name} runs without a capture: {error}")
            self._calls.give_back()
            return False
        if not self._trace.is_nested:
            self._calls.opened(self._trace)
        return True
