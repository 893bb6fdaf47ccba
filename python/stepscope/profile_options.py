"""Raw `ProfileOptions` of jax, with the silence taken out.

jax accepts any attribute on its options and ignores those it does not know; a slip of the pen
then costs a capture. Here an unknown field is said, with the one that was meant.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from . import _jax, console
from .errors import SettingsError
from .settings import Settings

FIELDS = (
    "host_tracer_level",
    "python_tracer_level",
    "device_tracer_level",
    "enable_hlo_proto",
    "include_dataset_ops",
    "start_timestamp_ns",
    "duration_ms",
    "repository_path",
    "raise_error_on_start_failure",
    "advanced_configuration",
    "session_id",
)
"""Every field that some version of jax has."""


def build(settings: Settings, given: Any = None) -> Any:
    """The options for a session, or None where this jax has none (before 0.6.1).

    `given` is a `jax.profiler.ProfileOptions`, a mapping of field to value, or None. Levels that
    stand in `settings` are filled in unless `given` is jax's own object, which is used as it is.

    Raises:
        SettingsError: `given` is something else.
    """
    options_class = getattr(_jax.profiler(), "ProfileOptions", None)
    levels = {
        name: getattr(settings, name)
        for name in ("python_tracer_level", "host_tracer_level")
        if getattr(settings, name) is not None
    }
    if options_class is None:
        if given is not None or levels:
            console.warn(
                f"jax {_jax.module().__version__} has no profiler options; they are left out. "
                "They came with jax 0.6.1"
            )
        return None
    if given is not None and not isinstance(given, Mapping):
        if not isinstance(given, options_class):
            raise SettingsError(
                f"profiler_options is {given!r}, which is not understood",
                'give a jax.profiler.ProfileOptions, or a mapping such as {"host_tracer_level": 0}',
            )
        _warn_of_unknown(options_class, list(getattr(given, "__dict__", {})))
        _warn_of_duration(getattr(given, "duration_ms", 0))
        return given
    options = options_class()
    values = levels | dict(given or {})
    _warn_of_unknown(options_class, list(values))
    _warn_of_duration(values.get("duration_ms", 0))
    for name, value in values.items():
        if hasattr(options_class, name):
            setattr(options, name, value)
    return options


def as_dict(options: Any) -> dict[str, Any]:
    """The fields of `options` and their values, for the manifest."""
    found: dict[str, Any] = {}
    for name in FIELDS:
        if options is None or not hasattr(type(options), name):
            continue
        try:
            value = getattr(options, name)
        except TypeError:  # jax 0.6 can set advanced_configuration but not read it
            continue
        found[name] = dict(value) if isinstance(value, Mapping) else value
    return found


def host_events_recorded(options: Any) -> bool:
    """Whether a session with `options` records host events, as far as the options say."""
    return options is None or int(getattr(options, "host_tracer_level", 2)) > 0


def session_id_of(options: Any) -> str | None:
    """The name for the run directory that the user put into the options."""
    return str(getattr(options, "session_id", "") or "") or None


def _warn_of_unknown(options_class: type, names: list[str]) -> None:
    for name in names:
        if hasattr(options_class, name):
            continue
        known = [field for field in FIELDS if hasattr(options_class, field)]
        close = difflib.get_close_matches(name, known, n=1)
        meant = f"; did you mean {close[0]}?" if close else f"; it has {', '.join(known)}"
        console.warn(f"jax {_jax.module().__version__} has no profiler option {name!r}{meant}")


def _warn_of_duration(duration_ms: int) -> None:
    if duration_ms:
        console.warn(
            "duration_ms has no effect on a capture from within the program; use max_seconds"
        )
