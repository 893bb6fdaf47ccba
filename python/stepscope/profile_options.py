"""jax's raw `ProfileOptions`, with checks that jax lacks.

Before 0.12 jax accepts any attribute on its options and ignores those it does not know, and every
jax passes on any key of `advanced_configuration`, so a typo costs a capture. Here an unknown name
is reported before the recording starts, with the likely one.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from . import _jax, console, subprocesses
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

RECORDS = "enable_continuous_profiling"
"""The key of `advanced_configuration` with which jax writes records instead of one message."""

RECORDS_SINCE = (0, 11, 1)
"""The first jax that writes records; older versions accept the key and write one message."""

ADVANCED_KEYS = frozenset(
    """
    enable_continuous_profiling gpu_enable_cupti_activity_graph_trace gpu_enable_nvtx_tracking
    gpu_max_activity_api_events gpu_max_annotation_strings gpu_max_callback_api_events
    gpu_num_chips_to_profile_per_task gpu_pm_sample_buffer_size_per_gpu_mb gpu_pm_sample_counters
    gpu_pm_sample_interval_us max_trace_buffers override_hostname override_hostnames
    profile_subprocesses tpu_circular_buffer_tracing tpu_cmn_perf_counter_sampling_options
    tpu_cpu_perf_counter_configs tpu_cpu_perf_counter_profile_events
    tpu_e2e_enable_fw_power_level_event tpu_e2e_enable_fw_thermal_event
    tpu_e2e_enable_fw_throttle_event tpu_enable_periodic_counter_sampling
    tpu_icr_perf_counter_sampling_options tpu_num_chips_to_profile_per_task
    tpu_num_sparse_core_tiles_to_trace tpu_num_sparse_cores_to_trace tpu_perf_counters
    tpu_power_trace_level tpu_sc_dma tpu_scs_perf_counter_sampling_options
    tpu_sctc_perf_counter_sampling_options tpu_sctd_perf_counter_sampling_options
    tpu_tc_perf_counter_sampling_options tpu_trace_mode tpu_tracemark_lower tpu_tracemark_upper
    tpu_watched_sync_flag_mask tpu_watched_sync_flag_number
    """.split()
)
"""The keys of `advanced_configuration` that JAX documents; some work without `tpu_` as well."""


def build(settings: Settings, given: Any = None) -> Any:
    """The options for a session, or None if this jax has none (before 0.6.1).

    `given` is a `jax.profiler.ProfileOptions`, a mapping of field to value, or None. Levels from
    `settings` are filled in unless `given` is jax's own object, which is used unchanged.

    Raises:
        SettingsError: `given` is something else, or has a value that jax does not accept.
    """
    options_class = getattr(_jax.profiler(), "ProfileOptions", None)
    levels = {
        name: getattr(settings, name)
        for name in ("python_tracer_level", "host_tracer_level")
        if getattr(settings, name) is not None
    }
    if options_class is None:
        # A default of ours is not a request of the user.
        if given is not None or not settings.defaulted.issuperset(levels):
            console.warn(
                f"jax {_jax.module().__version__} has no profiler options; they are left out. "
                "They came with jax 0.6.1"
            )
        return None
    if given is not None and not isinstance(given, Mapping):
        if not isinstance(given, options_class):
            raise SettingsError(
                f"profiler_options has an invalid value: {given!r}",
                'pass a jax.profiler.ProfileOptions, or a mapping such as {"host_tracer_level": 0}',
            )
        _warn_of_unknown(options_class, list(getattr(given, "__dict__", {})))
        _warn_of_duration(getattr(given, "duration_ms", 0))
        advanced = as_dict(given).get("advanced_configuration")
        _warn_of_advanced(advanced)
        if subprocesses.count() and subprocesses.OPTION not in (advanced or {}):
            who = "process is" if subprocesses.count() == 1 else "processes are"
            console.warn(
                f"{subprocesses.count()} registered {who} not captured: the options lack "
                f"{subprocesses.OPTION} in advanced_configuration"
            )
        return given
    options = options_class()
    values = levels | dict(given or {})
    _warn_of_unknown(options_class, list(values))
    _warn_of_duration(values.get("duration_ms", 0))
    _warn_of_advanced(values.get("advanced_configuration"))
    if subprocesses.count():
        with_them = {subprocesses.OPTION: True} | dict(values.get("advanced_configuration") or {})
        values["advanced_configuration"] = with_them
    for name, value in values.items():
        if not hasattr(options_class, name):
            continue
        try:
            setattr(options, name, value)
        except (TypeError, RuntimeError) as error:
            raise SettingsError(
                f"The profiler option {name} cannot be {value!r}",
                "levels are whole numbers from 0; advanced_configuration maps names to true or "
                "false, whole numbers or text",
            ) from error
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


def writes_records(options: Any) -> bool:
    """Whether a session with `options` is written as records, which have no size limit."""
    advanced = as_dict(options).get("advanced_configuration") or {}
    is_asked_for = str(advanced.get(RECORDS, "")).lower() in ("true", "1")
    return is_asked_for and _jax.version() >= RECORDS_SINCE


def python_calls_recorded(options: Any) -> bool:
    """Whether a session with `options` traces Python calls; jax does by default."""
    return options is None or int(getattr(options, "python_tracer_level", 1)) > 0


def session_id_of(options: Any) -> str | None:
    """The run directory name from the user's options."""
    return str(getattr(options, "session_id", "") or "") or None


def _warn_of_unknown(options_class: type, names: list[str]) -> None:
    for name in names:
        if hasattr(options_class, name):
            continue
        known = [field for field in FIELDS if hasattr(options_class, field)]
        close = difflib.get_close_matches(name, known, n=1)
        meant = f"; did you mean {close[0]}?" if close else f"; available: {', '.join(known)}"
        console.warn(f"jax {_jax.module().__version__} has no profiler option {name!r}{meant}")


def _warn_of_advanced(configuration: Any) -> None:
    """Only jax's TPU backend checks the keys, and no backend says what it ignores."""
    if not isinstance(configuration, Mapping):
        return
    for name, value in configuration.items():
        if name not in ADVANCED_KEYS and f"tpu_{name}" not in ADVANCED_KEYS:
            close = difflib.get_close_matches(str(name), ADVANCED_KEYS, n=1)
            meant = f"; did you mean {close[0]}?" if close else ", and probably ignores it"
            console.warn(f"unknown key {name!r} in advanced_configuration{meant}")
        if not isinstance(value, (bool, int, str)):
            console.warn(
                f"{name} in advanced_configuration is {value!r}, which jax treats as text; "
                "use true or false, an integer, or text"
            )


def _warn_of_duration(duration_ms: int) -> None:
    if duration_ms:
        console.warn(
            "duration_ms has no effect on captures from within the program; use max_seconds"
        )
