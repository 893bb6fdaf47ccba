"""`@profile_function(log_dir, warmup_steps=5)`: captures one call of a function."""

from __future__ import annotations

import functools
import inspect
import os
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from . import _jax, console, preflight, run_directory
from .errors import CaptureError, PreflightError
from .settings import TRACE_DEFAULTS, Settings, checked
from .trace import profile_trace

P = ParamSpec("P")
R = TypeVar("R")


def profile_function(
    log_dir: str | os.PathLike[str] | None = None,
    warmup_steps: int = 5,
    *,
    name: str | None = None,
    num_calls: int = 1,
    **options: Any,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: the first `warmup_steps` calls run as they are, then one call is captured.

    The captured call waits for its return value, which is handed on untouched. With `num_calls`
    above 1 that many calls are captured, one session each. Later calls run as they are. A call
    inside another capture is marked in it, and the function's own capture is made by a later
    call. When the profiler is busy the call runs without a capture and the next one tries again.
    Coroutine functions work too.

    Args:
        log_dir: folder for captures; else PROFILE_DIR, else `./profiles`.
        warmup_steps: calls that run before, so that compilation is over.
        name: goes into the session id; by default the function's name.
        num_calls: how many calls are captured.
        options: as for `profile_trace`.

    Raises:
        SettingsError: a setting cannot be understood.
        PreflightError: the folder cannot be written; raised where the function is decorated.
    """
    if callable(log_dir):
        raise TypeError("write @profile_function() with parentheses, or give a folder")
    if warmup_steps < 0:
        raise ValueError("warmup_steps must be 0 or more")
    checked("num_steps", num_calls, "the argument num_calls")

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                "a call of a generator function does no work yet: decorate what one step calls, "
                "or put profile_trace around the loop"
            )
        chosen = name or getattr(function, "__qualname__", "function").replace("<locals>.", "")
        calls = _Calls(log_dir, chosen, warmup_steps, num_calls, options)
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
    """Counts the calls of one function and says which of them are captured."""

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None,
        name: str,
        warmup_steps: int,
        num_calls: int,
        options: dict[str, Any],
    ) -> None:
        known = {key: value for key, value in options.items() if key in Settings.__slots__}
        self._settings = Settings.resolve(
            TRACE_DEFAULTS, args=options.get("args"), log_dir=log_dir, **known
        )
        self._log_dir = run_directory.fixed(self._settings.log_dir)
        self._name = name
        self._options = options
        self._number = 0
        self._warmup_steps = warmup_steps
        self._left = num_calls if self._settings.enabled else 0
        self._lock = threading.Lock()
        if self._left:
            _check_folder(self._settings)

    def count(self) -> int | None:
        """The number of this call if it is to be captured, else None."""
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
        """What surrounds call `number`."""
        trace = profile_trace(self._log_dir, self._name, step=number, **self._options)
        return _CallCapture(trace, self._name, number, self._give_back)

    def _give_back(self) -> None:
        with self._lock:
            self._left += 1


class _CallCapture:
    """A capture around one call, which a busy profiler turns into nothing."""

    def __init__(
        self, trace: profile_trace, name: str, number: int, give_back: Callable[[], None]
    ) -> None:
        self._trace = trace
        self._name = name
        self._number = number
        self._give_back = give_back
        self._step: Any = None
        self._is_open = False

    def __enter__(self) -> _CallCapture:
        try:
            self._trace.__enter__()
            self._is_open = True
        except (PreflightError, CaptureError) as error:
            console.warn(f"call {self._number} of {self._name} runs without a capture: {error}")
            self._give_back()
            return self
        if self._trace.is_nested:
            self._give_back()
        else:
            self._step = self._trace.step(self._number, self._name)
            self._step.__enter__()
        return self

    def block(self, outputs: R) -> R:
        """Waits for the results, so that the step covers the work and not only its dispatch."""
        if self._step is not None:
            _jax.block_until_ready(outputs)
        return self._trace.block(outputs)

    def __exit__(self, *about: Any) -> None:
        if not self._is_open:
            return
        error = about[1]
        if self._step is not None:
            self._step.__exit__(*about)
        try:
            self._trace.__exit__(*about)
        except CaptureError as failure:
            if error is not None:
                raise
            console.warn(f"the capture of {self._name} was lost: {failure}")


def _check_folder(settings: Settings) -> None:
    preflight.enforce(preflight.problems(settings.log_dir), settings.preflight)
