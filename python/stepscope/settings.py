"""One resolver for every setting: argument > flag > `PROFILE_*` variable > default.

`Settings.resolve` is the only place that reads the variables. Each entry point has its own
defaults, because users of the different entry points expect different ones.
"""

from __future__ import annotations

import difflib
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import SettingsError
from .signatures import suggests_keywords

MODES = ("tensorboard", "perfetto", "both")
PREFLIGHT_POLICIES = ("error", "warn", "off")
WAITS = ("step", "window")
ARMED_ONLY = -1
"""The start step for no planned window: only `capture_async()` and triggers."""


def parse_bool(text: str) -> bool:
    """`1 true yes on` and `0 false no off` in any case; an empty text is false."""
    word = text.strip().lower()
    if word in ("1", "true", "yes", "on", "y", "t"):
        return True
    if word in ("0", "false", "no", "off", "n", "f", "", "none"):
        return False
    raise ValueError("expected 1 or 0")


def parse_start_step(text: str) -> int:
    """A step number; `-1` or `none` means on request only."""
    if text.strip().lower() in ("none", "never", "off"):
        return ARMED_ONLY
    step = parse_int(text)
    if step < ARMED_ONLY:
        raise ValueError("expected a step, or -1 for captures on request only")
    return step


def parse_int(text: str) -> int:
    """An integer; `10_000` and `1e4` are also valid."""
    try:
        return int(text)
    except ValueError:
        number = float(text) if text.strip() else float("nan")
        if number != number or number != int(number):
            raise ValueError("expected an integer") from None
        return int(number)


def parse_count(text: str) -> int:
    """An integer of at least 1."""
    number = parse_int(text)
    if number < 1:
        raise ValueError("expected at least 1")
    return number


def parse_not_negative(text: str) -> int:
    """An integer of at least 0."""
    number = parse_int(text)
    if number < 0:
        raise ValueError("expected 0 or more")
    return number


def parse_positive(text: str) -> float:
    """A number above zero; `inf` turns a limit off."""
    number = float(text)
    if not number > 0:
        raise ValueError("expected a number above 0")
    return number


def parse_path(text: str) -> str:
    """A folder, with `~` and `$HOME` expanded."""
    if not text.strip():
        raise ValueError("expected a folder")
    return os.path.expanduser(os.path.expandvars(text))


def parse_text(text: str) -> str | None:
    """Any text; an empty one means unset."""
    return text.strip() or None


def parse_tags(text: str) -> tuple[str, ...]:
    """Tags between commas, each once; an empty text means none."""
    tags = [tag.strip() for tag in text.split(",")]
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def parse_signal(text: str) -> str | None:
    """The name of a signal of this system: `SIGUSR1`, `usr1`; an empty text means none."""
    word = text.strip().upper()
    if not word:
        return None
    name = word if word.startswith("SIG") else f"SIG{word}"
    if name not in signal.Signals.__members__:
        raise ValueError("expected a signal of this system, such as SIGUSR1")
    if name in ("SIGKILL", "SIGSTOP"):
        raise ValueError("no program can handle this signal; use SIGUSR1")
    return name


def _one_of(words: tuple[str, ...]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        word = text.strip().lower()
        if word not in words:
            raise ValueError(f"expected one of {', '.join(words)}")
        return word

    return parse


@dataclass(frozen=True, slots=True)
class _Field:
    """Where one setting may come from: the variable, and the attributes of parsed flags."""

    variable: str
    parse: Callable[[str], Any]
    flags: tuple[str, ...] = ()


FIELDS: dict[str, _Field] = {
    "enabled": _Field("PROFILE_ENABLED", parse_bool, ("profile", "enable_profiling")),
    "log_dir": _Field("PROFILE_DIR", parse_path, ("profile_dir",)),
    "start_step": _Field("PROFILE_START_STEP", parse_start_step, ("profiler_start_step",)),
    "num_steps": _Field("PROFILE_DURATION", parse_count, ("profiler_num_steps",)),
    "interval": _Field("PROFILE_INTERVAL", parse_not_negative, ("profiler_interval",)),
    "mode": _Field("PROFILE_MODE", _one_of(MODES), ("profiler_mode",)),
    "trigger": _Field("PROFILE_TRIGGER", parse_text, ("profiler_trigger",)),
    "trigger_limit": _Field("PROFILE_TRIGGER_LIMIT", parse_count),
    "max_seconds": _Field("PROFILE_MAX_SECONDS", parse_positive),
    "max_megabytes": _Field("PROFILE_MAX_MEGABYTES", parse_positive),
    "session_id": _Field("PROFILE_SESSION_ID", parse_text),
    "tags": _Field("PROFILE_TAGS", parse_tags),
    "quiet": _Field("PROFILE_QUIET", parse_bool),
    "preflight": _Field("PROFILE_PREFLIGHT", _one_of(PREFLIGHT_POLICIES)),
    "python_tracer_level": _Field("PROFILE_PYTHON_TRACER", parse_not_negative),
    "host_tracer_level": _Field("PROFILE_HOST_TRACER", parse_not_negative),
    "wait": _Field("PROFILE_WAIT", _one_of(WAITS)),
    "max_captures": _Field("PROFILE_MAX_CAPTURES", parse_not_negative),
    "keep_captures": _Field("PROFILE_KEEP_CAPTURES", parse_not_negative),
    "trigger_file": _Field("PROFILE_TRIGGER_FILE", parse_text),
    "trigger_signal": _Field("PROFILE_TRIGGER_SIGNAL", parse_signal),
}

_COMMON: dict[str, Any] = {
    "enabled": True,
    "log_dir": "./profiles",
    "start_step": ARMED_ONLY,
    "num_steps": 1,
    "interval": 0,
    "mode": "tensorboard",
    "trigger": None,
    "trigger_limit": 1,
    "max_seconds": 300.0,
    "max_megabytes": 1000.0,
    "session_id": None,
    "tags": (),
    "quiet": False,
    "preflight": "error",
    "python_tracer_level": None,
    "host_tracer_level": None,
    "wait": "window",
    "max_captures": 0,
    "keep_captures": 0,
    "trigger_file": None,
    "trigger_signal": None,
}

TRACE_DEFAULTS: dict[str, Any] = dict(_COMMON)
CONTEXT_DEFAULTS: dict[str, Any] = _COMMON | {"log_dir": "./traces"}
PROFILER_DEFAULTS: dict[str, Any] = _COMMON | {
    "log_dir": "./traces",
    "start_step": 150,
    "num_steps": 5,
    "python_tracer_level": 0,
}
ENVIRONMENT_DEFAULTS: dict[str, Any] = _COMMON | {
    "enabled": False,
    "start_step": 100,
    "python_tracer_level": 0,
}
FLAG_DEFAULTS: dict[str, Any] = PROFILER_DEFAULTS | {
    "enabled": False,
    "log_dir": "/tmp/tensorboard",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting of a capture, resolved.

    Steps `start_step .. start_step + num_steps` form a half-open window; with `interval` n above 0
    a window opens every n steps, with 0 only once. With `start_step` -1 none opens. A capture also
    ends after `max_seconds`, or when its file would be larger than about `max_megabytes` (an
    estimate: see `limits`). With `wait` `window` only the end of the last captured step waits for
    results; with `step` the end of each one does. `tags` are recorded with the capture. At most `max_captures` are made (0: no limit),
    and the newest `keep_captures` stay on disk (0: all). A file that appears at `trigger_file`, or
    the signal `trigger_signal`, starts a capture.
    """

    enabled: bool
    log_dir: str
    start_step: int
    num_steps: int
    interval: int
    mode: str
    trigger: str | None
    trigger_limit: int
    max_seconds: float
    max_megabytes: float
    session_id: str | None
    tags: tuple[str, ...]
    quiet: bool
    preflight: str
    python_tracer_level: int | None
    host_tracer_level: int | None
    wait: str
    max_captures: int
    keep_captures: int
    trigger_file: str | None
    trigger_signal: str | None
    defaulted: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    """Names of the settings that have their default."""

    @classmethod
    @suggests_keywords
    def resolve(
        cls,
        defaults: Mapping[str, Any],
        *,
        args: Any = None,
        environ: Mapping[str, str] | None = None,
        enabled: bool | None = None,
        log_dir: str | os.PathLike[str] | None = None,
        start_step: int | None = None,
        num_steps: int | None = None,
        interval: int | None = None,
        mode: str | None = None,
        trigger: str | None = None,
        trigger_limit: int | None = None,
        max_seconds: float | None = None,
        max_megabytes: float | None = None,
        session_id: str | None = None,
        tags: str | Sequence[str] | None = None,
        quiet: bool | None = None,
        preflight: str | None = None,
        python_tracer_level: int | None = None,
        host_tracer_level: int | None = None,
        wait: str | None = None,
        max_captures: int | None = None,
        keep_captures: int | None = None,
        trigger_file: str | os.PathLike[str] | None = None,
        trigger_signal: str | None = None,
    ) -> Settings:
        """The effective settings: for each, the first of argument, flag, variable, and default.

        Arguments that are None count as not given. `args` is what `argparse` returned (or anything
        with such attributes).

        Raises:
            SettingsError: a value is invalid; the message names its location.
        """
        arguments = {name: value for name, value in locals().items() if name in FIELDS}
        variables = os.environ if environ is None else environ
        values: dict[str, Any] = {}
        defaulted: set[str] = set()
        for name, one in FIELDS.items():
            if arguments.get(name) is not None:
                values[name] = checked(name, arguments[name], f"the argument {name}")
                continue
            flag = _flag(one, args)
            if flag is not None:
                values[name] = checked(name, flag[1], f"--{flag[0]}")
            elif one.variable in variables:
                values[name] = checked(name, variables[one.variable], one.variable)
            else:
                values[name] = defaults[name]
                defaulted.add(name)
        return cls(**values, defaulted=frozenset(defaulted))


def checked(name: str, value: Any, place: str) -> Any:
    """`value` for the setting `name`, parsed and checked; `place` is named in the error."""
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    if isinstance(text, (list, tuple)):
        text = ",".join(str(each) for each in text)
    if isinstance(text, bool):
        text = "1" if text else "0"
    try:
        return FIELDS[name].parse(str(text))
    except (ValueError, OverflowError) as error:
        raise SettingsError(
            f"{place} is {value!r}, which is not valid: {error}",
            "see docs/guides/capture.md for the settings and their values",
        ) from error


def environment_value(name: str, default: Any) -> Any:
    """The setting `name` from its variable alone, or `default`."""
    text = os.environ.get(FIELDS[name].variable)
    return default if text is None else checked(name, text, FIELDS[name].variable)


def _flag(field: _Field, args: Any) -> tuple[str, Any] | None:
    """The first flag of `field` in `args`; of several switches, one that is on."""
    found = [(flag, getattr(args, flag, None)) for flag in field.flags]
    given = [(flag, value) for flag, value in found if value is not None]
    return next((pair for pair in given if pair[1] is True), given[0] if given else None)


def misspelt_variables(environ: Mapping[str, str] | None = None) -> list[str]:
    """One sentence for each `PROFILE_*` variable that looks like a misspelling of a real one."""
    variables = os.environ if environ is None else environ
    known = [field.variable for field in FIELDS.values()] + ["PROFILE_JOB_ID"]
    sentences = []
    for variable in sorted(variables):
        if not variable.startswith("PROFILE") or variable in known:
            continue
        close = difflib.get_close_matches(variable, known, n=1, cutoff=0.8)
        if close:
            sentences.append(f"{variable} is not a setting; did you mean {close[0]}?")
    return sentences
