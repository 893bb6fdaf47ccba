"""Times a function call by call, waiting for the device each time.

    stats = benchmark_function(train_step, state, batch, num_iterations=100, warmup=10)
    assert stats["mean"] < 150.0    # milliseconds

The result is a dictionary with attributes. Nothing here imports JAX: functions that don't use it
are timed as they are.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from . import _arrays, _compilations, _statistics
from .capture_result import CaptureResult
from .capture_session import active_session
from .errors import CaptureError
from .signatures import accepted_keywords, unknown_keyword
from .trace import profile_trace
from .whole_files import write_text

__all__ = ["BenchmarkResult", "benchmark_function"]

_CONFIDENCE_LEVEL = 0.95
_BOOTSTRAP_SEED = 0
_TRACED_ITERATIONS = 5


class BenchmarkResult(dict[str, Any]):
    """The result of a benchmark: a dictionary whose keys are also attributes.

    Times are in milliseconds (see `unit`), unless the key names another unit:
    `mean`, `std` (sample standard deviation), `median`, `p5`, `p95`, `min`, `max`,
    `confidence_interval` (95 % bootstrap interval of the mean, low and high end) and `samples`.
    Also: `name`, `iterations`, `warmup`, `device`, `compilations` (programs compiled while
    timed; None if JAX does not report them), `compiled_iterations` (their indices), `notes`,
    and the keys of the JSON file, `execution_time` (the mean), `execution_time_unit`,
    `execution_time_seconds`, `success`, `error` and `tensorboard_trace` (the log directory of the
    trace, or None; the session captured by this benchmark is `trace_session`).
    """

    def __getattr__(self, key: str) -> Any:
        try:
            return self[key]
        except KeyError:
            raise AttributeError(f"a benchmark result has no {key!r}") from None

    @classmethod
    def failed(cls, name: str, error: BaseException) -> BenchmarkResult:
        """The record of a benchmark that raised: no times, `success` false, and the reason."""
        return cls(
            name=name,
            execution_time=None,
            execution_time_unit="ms",
            execution_time_seconds=None,
            success=False,
            error=f"{type(error).__name__}: {error}",
            tensorboard_trace=None,
        )

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The result as JSON text; also written to `path` if given."""
        text = json.dumps(self, indent=2) + "\n"
        if path is not None:
            write_text(path, text)
        return text

    def summary(self) -> str:
        """The result in a few lines, as `benchmark_function` prints it."""
        if not self["success"]:
            return f"{self['name']}: failed: {self['error']}"
        low, high = self["confidence_interval"]
        lines = [
            f"{self['name']}: {self['mean']:.2f} ± {self['std']:.2f} ms",
            f"  median {_duration(self['median'])}, p5 {_duration(self['p5'])}, "
            f"p95 {_duration(self['p95'])}, min {_duration(self['min'])}, "
            f"max {_duration(self['max'])}",
            f"  mean between {_duration(low)} and {_duration(high)} (95 % interval), "
            f"{self['iterations']} iterations after {self['warmup']} of warm-up",
            f"  on {self['device']}",
        ]
        lines.extend(f"  note: {note}" for note in self["notes"])
        if self["tensorboard_trace"] is not None:
            lines.append(f"  trace: {self['trace_session']}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        if not self["success"]:
            return f"BenchmarkResult({self.summary()})"
        return (
            f"BenchmarkResult({self['name']}: {self['mean']:.2f} ± {self['std']:.2f} ms, "
            f"median {_duration(self['median'])}, {self['iterations']} iterations, "
            f"{self['device']})"
        )


class _Samples(NamedTuple):
    """One timed pass: the time of each call, and which calls compiled something."""

    times_ms: list[float]
    compilations: int | None
    compile_ms: float
    compiled_iterations: list[int]
    last_result: Any


def benchmark_function(
    fn: Callable[..., Any],
    *args: Any,
    num_iterations: int = 100,
    warmup: int = 10,
    name: str | None = None,
    trace_dir: str | os.PathLike[str] | None = None,
    json_path: str | os.PathLike[str] | None = None,
    print_result: bool = True,
    carry: Carry = 0,
    **kwargs: Any,
) -> BenchmarkResult:
    """Calls `fn(*args, **kwargs)` `num_iterations` times and reports how long a call takes.

    Each call is timed until the JAX arrays in its result are computed; any pytree works, and
    objects are searched for arrays. The first `warmup` calls are not counted. Times are in milliseconds.

    `trace_dir` captures five more calls, after the timed ones, so that profiling does not change
    the figures. `json_path` receives the result or, if `fn` raises, the reason. An exception of
    `fn` is passed on to the caller.

    `carry` is for functions that donate their arguments (`donate_argnums`) or continue from their
    result: with `carry=1` the first result of a call is the first argument of the next, with
    `carry=2` the first two are. For anything else, pass a function of result and arguments:
    `carry=lambda result, args: (result["state"], *args[1:])`.

    Keywords of this function cannot be passed to `fn`; wrap it in a lambda or `functools.partial`.

    Raises `TypeError` if `fn` is not a plain callable or does not have a given keyword, and
    `ValueError` for invalid counts.
    """
    _check(fn, num_iterations, warmup)
    _check_keywords(fn, kwargs)
    calls = _Calls(fn, args, kwargs, carry)
    label = name or _name_of(fn)
    try:
        for _ in range(warmup):
            _arrays.wait(calls.call())
            calls.carry()
        samples = _timed_calls(calls, num_iterations)
        trace, notes = None, _notes(samples)
        if trace_dir is not None:
            trace, failure = _traced_calls(calls, trace_dir, label)
            notes.extend(failure)
    except Exception as error:
        _explain_donation(error)
        if json_path is not None:
            with contextlib.suppress(OSError):  # the exception of fn matters more
                BenchmarkResult.failed(label, error).to_json(json_path)
        raise
    result = _result(label, samples, warmup, _device(samples.last_result, calls.args, kwargs))
    result["notes"] = notes
    if trace is not None:
        result.update(tensorboard_trace=str(trace.log_dir), trace_session=str(trace.directory))
    if print_result:
        _print(result.summary())
    if json_path is not None:
        result.to_json(json_path)
    return result


def _check(fn: Any, num_iterations: int, warmup: int) -> None:
    if not callable(fn):
        raise TypeError(
            f"benchmark_function expects a function, but got {type(fn).__name__}; "
            "write benchmark_function(step, x), not benchmark_function(step(x))"
        )
    if inspect.iscoroutinefunction(fn) or inspect.isgeneratorfunction(fn):
        raise TypeError(
            f"{_name_of(fn)} is a coroutine or generator function, whose body does not run when "
            "it is called; time a plain function that runs it to completion"
        )
    if num_iterations < 1:
        raise ValueError(f"num_iterations must be at least 1, but is {num_iterations}")
    if warmup < 0:
        raise ValueError(f"warmup must be 0 or more, but is {warmup}")


_OWN_KEYWORDS = frozenset(
    ("num_iterations", "warmup", "name", "trace_dir", "json_path", "print_result", "carry")
)


def _check_keywords(fn: Callable[..., Any], kwargs: dict[str, Any]) -> None:
    """A misspelled keyword of ours would be passed to `fn`, which fails later and elsewhere."""
    accepted = accepted_keywords(fn)
    for name in kwargs:
        if accepted is not None and name not in accepted:
            raise unknown_keyword("benchmark_function", name, accepted | _OWN_KEYWORDS)


def _name_of(fn: Any) -> str:
    inner = getattr(fn, "func", fn)  # functools.partial
    return str(getattr(inner, "__name__", None) or type(inner).__name__)


Carry = int | Callable[[Any, tuple[Any, ...]], Iterable[Any]]
"""How many results become arguments of the next call, or a function of result and arguments."""


class _Calls:
    """Calls a function again and again, each time with what the last call returned."""

    def __init__(
        self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], carry: Carry
    ) -> None:
        self.args = args
        self._fn = fn
        self._kwargs = kwargs
        self._carry = carry
        self._result: Any = None
        if not callable(carry) and not 0 <= carry <= len(args):
            raise ValueError(
                f"carry is {carry}, but the function is called with {len(args)} arguments"
            )

    def call(self) -> Any:
        """One call; its result."""
        self._result = self._fn(*self.args, **self._kwargs)
        return self._result

    def carry(self) -> None:
        """Makes the result of the last call the arguments of the next. Not timed."""
        result, self._result = self._result, None
        if callable(self._carry):
            self.args = tuple(self._carry(result, self.args))
        elif self._carry > 0:
            self.args = (*_first(result, self._carry), *self.args[self._carry :])


def _first(result: Any, count: int) -> tuple[Any, ...]:
    results = tuple(result) if isinstance(result, (tuple, list)) else (result,)
    if len(results) < count:
        raise ValueError(f"carry is {count}, but the function returns {len(results)} results")
    return results[:count]


def _timed_calls(calls: _Calls, count: int) -> _Samples:
    is_counting = _compilations.is_counting()
    compile_seconds = _compilations.seconds()
    times_ms: list[float] = []
    compiled: list[int] = []
    before = first = _compilations.count()
    result = None
    for index in range(count):
        start_ns = time.perf_counter_ns()
        result = calls.call()
        _arrays.wait(result)
        times_ms.append((time.perf_counter_ns() - start_ns) / 1e6)
        calls.carry()
        if (now := _compilations.count()) != before:
            compiled.append(index)
            before = now
    compile_ms = (_compilations.seconds() - compile_seconds) * 1e3
    compilations = before - first if is_counting or "jax" not in sys.modules else None
    return _Samples(times_ms, compilations, compile_ms, compiled, result)


def _traced_calls(
    calls: _Calls, trace_dir: str | os.PathLike[str], label: str
) -> tuple[CaptureResult | None, list[str]]:
    """Captures a few calls, each as a step. A capture that fails is a note, not an exception."""
    trace = profile_trace(trace_dir, name=label)
    is_nested = False
    try:
        with trace:
            is_nested = trace.is_nested
            for index in range(_TRACED_ITERATIONS):
                with trace.step(index, label):
                    trace.block(calls.call())
                calls.carry()
    except CaptureError as failure:
        return None, [f"no trace was captured: {failure.message}"]
    if trace.result is None:
        reason = "another capture is running" if is_nested else "PROFILE_ENABLED=0"
        return None, [f"no trace was captured: {reason}"]
    return trace.result, []


def _notes(samples: _Samples) -> list[str]:
    notes = []
    if samples.compilations:
        compiled = set(samples.compiled_iterations)
        others = [t for index, t in enumerate(samples.times_ms) if index not in compiled]
        rest = f"; the others take {_duration(math.fsum(others) / len(others))}" if others else ""
        notes.append(
            f"{len(compiled)} of {len(samples.times_ms)} timed iterations compiled "
            f"{samples.compilations} program(s), {_duration(samples.compile_ms)} in total{rest}. "
            "More warmup helps if this happens once; shapes, types, or static arguments that "
            "change from call to call compile every time"
        )
    if active_session() is not None:
        notes.append("a capture was running, so these times include its cost")
    if "jax" in sys.modules and samples.last_result is None:
        notes.append(
            "the function returns nothing to wait for, so work that was still "
            "running on the device is not in these times. Return what the function computes"
        )
    return notes


def _result(name: str, samples: _Samples, warmup: int, device: str) -> BenchmarkResult:
    times_ms = samples.times_ms
    ordered = sorted(times_ms)
    mean = math.fsum(times_ms) / len(times_ms)
    interval = _statistics.bootstrap_interval(times_ms, _CONFIDENCE_LEVEL, _BOOTSTRAP_SEED)
    return BenchmarkResult(
        name=name,
        unit="ms",
        mean=mean,
        std=_statistics.standard_deviation(times_ms),
        median=_statistics.percentile(ordered, 50.0),
        p5=_statistics.percentile(ordered, 5.0),
        p95=_statistics.percentile(ordered, 95.0),
        min=ordered[0],
        max=ordered[-1],
        confidence_interval=list(interval),
        confidence_level=_CONFIDENCE_LEVEL,
        iterations=len(times_ms),
        warmup=warmup,
        device=device,
        compilations=samples.compilations,
        compiled_iterations=samples.compiled_iterations,
        execution_time=mean,
        execution_time_unit="ms",
        execution_time_seconds=mean / 1e3,
        success=True,
        error=None,
        tensorboard_trace=None,
        trace_session=None,
        notes=[],
        samples=times_ms,
    )


def _device(result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Where it ran: the devices of the result, or of the arguments, or the host."""
    names = _arrays.device_names(_arrays.arrays_in(result)) or _arrays.device_names(
        _arrays.arrays_in([args, kwargs])
    )
    return ", ".join(names) or "host, no JAX array in result or arguments"


def _explain_donation(error: Exception) -> None:
    if "deleted" in str(error) and hasattr(error, "add_note"):
        error.add_note(
        "benchmark_function calls with the same arguments every time, unless carry is set. "
        "A function that donates its arguments (donate_argnums) consumes them in the first "
        "call: carry=1 makes the first result the first argument of the next call"
        )


def _duration(milliseconds: float) -> str:
    """At least three significant digits, in a suitable unit."""
    for limit, factor, unit in ((1e-3, 1e6, "ns"), (1.0, 1e3, "us"), (1e3, 1.0, "ms")):
        if milliseconds < limit:
            value = milliseconds * factor
            return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
    return f"{milliseconds / 1e3:.2f} s"


def _print(text: str) -> None:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.replace("±", "+/-").encode(encoding, "replace").decode(encoding)
    print(text, flush=True)
