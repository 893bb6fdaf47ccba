"""`maybe_profile(step)`: captures steps according to the `PROFILE_*` variables, otherwise does nothing.

The variables are read at the first call. `python train.py` runs as usual;
`PROFILE_ENABLED=1 PROFILE_START_STEP=100 python train.py` captures step 100.
"""

from __future__ import annotations

from types import TracebackType
from typing import TypeVar

from . import console
from .profiler import Profiler, StepContext
from .settings import (
    ENVIRONMENT_DEFAULTS,
    Settings,
    environment_value,
    misspelt_variables,
)

T = TypeVar("T")


class _Nothing:
    """The context of each step while profiling is off."""

    __slots__ = ()

    def block(self, outputs: T) -> T:
        """Returns `outputs`; nothing waits for them."""
        return outputs

    def __enter__(self) -> _Nothing:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None


_NOTHING = _Nothing()
_profiler: Profiler | None = None
_is_read = False


def maybe_profile(step: int) -> StepContext | _Nothing:
    """A context manager for `step`: `with maybe_profile(step) as profile: ...`.

    Pass results to `profile.block(...)`, so that a captured step lasts until they are available.
    With PROFILE_ENABLED=1, PROFILE_DURATION (1) steps starting at PROFILE_START_STEP (100) are
    captured, and again every PROFILE_INTERVAL steps (0: once), each time into its own folder
    `PROFILE_DIR/step_00000100`.

    Raises:
        SettingsError: a variable has an invalid value; raised by the first call.
        PreflightError: no capture could succeed; raised by the first call.
    """
    if _profiler is not None:
        return StepContext(_profiler, step)
    if _is_read:
        return _NOTHING
    _read()
    return maybe_profile(step)


def environment_profiler() -> Profiler | None:
    """The profiler behind `maybe_profile`, for `capture_async()`; None while profiling is off."""
    if not _is_read:
        _read()
    return _profiler


def reload_environment() -> None:
    """Ends an open window and reads the variables again at the next `maybe_profile`."""
    global _profiler, _is_read
    profiler, _profiler, _is_read = _profiler, None, False
    if profiler is not None:
        profiler.close()


def _read() -> None:
    global _profiler, _is_read
    settings = Settings.resolve(ENVIRONMENT_DEFAULTS) if _is_enabled() else None
    if settings is not None:
        _print_banner(settings)
        _profiler = Profiler(settings=settings, subdirectory="step_{step:08d}", announce=False)
    _is_read = True


def _is_enabled() -> bool:
    """Reads only the switch, so that other variables cannot affect a run without profiling."""
    return bool(environment_value("enabled", False))


def _print_banner(settings: Settings) -> None:
    count = settings.num_steps
    start = "on request only" if settings.start_step < 0 else str(settings.start_step)
    rows = [
        ("Profile Dir", settings.log_dir),
        ("Start Step", start),
        ("Interval", "once" if settings.interval == 0 else f"every {settings.interval} steps"),
        ("Duration", f"{count} step" if count == 1 else f"{count} steps"),
        ("Mode", settings.mode),
    ]
    if settings.trigger is not None:
        rows.append(("Trigger", settings.trigger))
    console.say(console.banner("Profiling with stepscope", rows), quiet=settings.quiet)
    for sentence in misspelt_variables():
        console.warn(sentence)
