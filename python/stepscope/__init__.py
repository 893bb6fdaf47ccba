"""Stepscope: a profiler for JAX and XLA programs.

Capture from a program:

```python
import stepscope

with stepscope.profile_trace("./profiles", name="train_step") as trace:
    trace.block(train_step(state, batch))
```

Everything is loaded on first use: importing this package imports neither jax nor the engine, and a
program that never profiles pays nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import engine_errors as engine_errors
    from . import errors as errors
    from . import gate as gate
    from . import reports as reports
    from . import slices as slices
    from ._comparisons import check as check
    from ._comparisons import compare as compare
    from ._comparisons import history as history
    from ._comparisons import scaling as scaling
    from .arguments import add_profile_args as add_profile_args
    from .benchmark import BenchmarkResult as BenchmarkResult
    from .benchmark import benchmark_function as benchmark_function
    from .callbacks import KerasCallback as KerasCallback
    from .callbacks import LightningCallback as LightningCallback
    from .callbacks import StepHook as StepHook
    from .callbacks import profiled_steps as profiled_steps
    from .capture_cost import CaptureCost as CaptureCost
    from .capture_result import CaptureResult as CaptureResult
    from .capture_session import CaptureSession as CaptureSession
    from .environment import environment_profiler as environment_profiler
    from .environment import maybe_profile as maybe_profile
    from .errors import CaptureError as CaptureError
    from .errors import PreflightError as PreflightError
    from .errors import ProfilerBusyError as ProfilerBusyError
    from .errors import SettingsError as SettingsError
    from .errors import StepscopeError as StepscopeError
    from .errors import TriggerError as TriggerError
    from .engine_errors import CaptureWarning as CaptureWarning
    from .engine_errors import EngineError as EngineError
    from .flight_recorder import Recorder as Recorder
    from .flight_recorder import recorder as recorder
    from .function import profile_function as profile_function
    from .gate import Regression as Regression
    from .gate import assert_no_regression as assert_no_regression
    from .magics import load_ipython_extension as load_ipython_extension
    from .memory import save_device_memory_profile as save_device_memory_profile
    from .memory import save_memory_profile as save_memory_profile
    from .on_demand import OnDemandCapture as OnDemandCapture
    from .on_demand import capture as capture
    from .profiler import Profiler as Profiler
    from .run_directory import format_directory as format_directory
    from .run_directory import step_directory as step_directory
    from .scopes import profile_scope as profile_scope
    from .server import ProfilerServer as ProfilerServer
    from .server import start_server as start_server
    from .session import Session as Session
    from .session import open as open
    from .session import sessions as sessions
    from .settings import Settings as Settings
    from .subprocesses import register_subprocess as register_subprocess
    from .trace import ProfileContext as ProfileContext
    from .trace import profile_trace as profile_trace
    from .trace import start_trace as start_trace
    from .trace import stop_trace as stop_trace
    from .wall_clock import WallClock as WallClock

    __version__: str

_MODULE_OF: dict[str, str] = {
    "BenchmarkResult": "benchmark",
    "CaptureCost": "capture_cost",
    "CaptureError": "errors",
    "CaptureResult": "capture_result",
    "CaptureSession": "capture_session",
    "CaptureWarning": "engine_errors",
    "EngineError": "engine_errors",
    "KerasCallback": "callbacks",
    "LightningCallback": "callbacks",
    "OnDemandCapture": "on_demand",
    "PreflightError": "errors",
    "ProfileContext": "trace",
    "Profiler": "profiler",
    "ProfilerBusyError": "errors",
    "ProfilerServer": "server",
    "Recorder": "flight_recorder",
    "Regression": "gate",
    "Session": "session",
    "Settings": "settings",
    "SettingsError": "errors",
    "StepHook": "callbacks",
    "StepscopeError": "errors",
    "TriggerError": "errors",
    "WallClock": "wall_clock",
    "add_profile_args": "arguments",
    "assert_no_regression": "gate",
    "benchmark_function": "benchmark",
    "capture": "on_demand",
    "check": "_comparisons",
    "compare": "_comparisons",
    "history": "_comparisons",
    "scaling": "_comparisons",
    "environment_profiler": "environment",
    "format_directory": "run_directory",
    "load_ipython_extension": "magics",
    "maybe_profile": "environment",
    "open": "session",
    "profile_function": "function",
    "profile_scope": "scopes",
    "profile_trace": "trace",
    "recorder": "flight_recorder",
    "register_subprocess": "subprocesses",
    "profiled_steps": "callbacks",
    "save_device_memory_profile": "memory",
    "save_memory_profile": "memory",
    "sessions": "session",
    "sql": "queries",
    "start_server": "server",
    "start_trace": "trace",
    "step_directory": "run_directory",
    "stop_trace": "trace",
}
"""Every public name and its module."""

# A star import keeps the built-in `open`, and does not need IPython.
__all__ = sorted(_MODULE_OF.keys() - {"open", "load_ipython_extension"})


_MODULES = ("engine_errors", "errors", "gate", "reports", "slices")
"""Modules that the documentation names: `stepscope.reports` needs no import of its own."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name == "__version__":
        value: Any = _version()
    elif name in _MODULE_OF:
        value = getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    else:
        raise AttributeError(f"module 'stepscope' has no attribute {name!r}{_meant(name)}")
    globals()[name] = value
    return value


def _version() -> str:
    """The version of the engine, or of the installed package if there is no engine."""
    try:
        from . import _stepscope
    except ImportError:
        from importlib import metadata

        try:
            return metadata.version(__name__)
        except metadata.PackageNotFoundError:
            return "unknown"
    return _stepscope.__version__


def _meant(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, [*_MODULE_OF, *_MODULES], 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF, *_MODULES, "__version__"})
