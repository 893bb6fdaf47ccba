"""Goals of a capture: what it is for decides the options, and the verdict says whether it was met.

`docs/guides/run.md` lists the options, the size and the overhead of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _jax, console, profile_contents
from .capture_result import CaptureResult
from .errors import SettingsError, StepscopeError

SMALL_BYTES_MAX = 20_000_000
"""A `small` capture is at most this large."""
FAITHFUL_RATIO_MAX = 0.05
"""In a `faithful` capture, steps are at most this much longer than those before it."""

_COLLECTIVES = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute", "nccl")
_OPTIONS_SINCE = (0, 6, 1)
_ADVANCED_SINCE = {"gpu": (0, 8, 0), "tpu": (0, 6, 2)}
"""The first jax that documents the advanced options of a platform."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A purpose with its options; `advanced` has further ones for each platform."""

    name: str
    host_tracer_level: int
    python_tracer_level: int
    num_steps: int
    advanced: Mapping[str, Mapping[str, bool | int | str]] = field(default_factory=dict)
    device_host_tracer_level: int | None = None
    """On GPU and TPU, whose ops are not host events."""

    def options(self, platform: str | None) -> dict[str, Any]:
        """The profiler options on `platform`.

        Raises:
            SettingsError: the installed jax lacks one of them.
        """
        if _jax.version() < _OPTIONS_SINCE:
            raise self._refusal("profiler options", _OPTIONS_SINCE)
        level = self.host_tracer_level
        if platform in ("gpu", "tpu") and self.device_host_tracer_level is not None:
            level = self.device_host_tracer_level
        options: dict[str, Any] = {
            "host_tracer_level": level,
            "python_tracer_level": self.python_tracer_level,
        }
        advanced = self.advanced.get(platform or "", {})
        if advanced:
            since = _ADVANCED_SINCE[platform or ""]
            if _jax.version() < since:
                raise self._refusal(", ".join(advanced), since)
            options["advanced_configuration"] = dict(advanced)
        return options

    def _refusal(self, what: str, since: tuple[int, ...]) -> SettingsError:
        version = ".".join(str(number) for number in since)
        return SettingsError(
            f"--goal {self.name} needs {what}, which jax {_jax.module().__version__} does not have",
            f"install jax {version} or newer, or leave out --goal",
        )


GOALS = {
    goal.name: goal
    for goal in (
        Goal("readable", host_tracer_level=2, python_tracer_level=1, num_steps=3),
        Goal("faithful", host_tracer_level=1, python_tracer_level=0, num_steps=10),
        Goal(
            "small",
            host_tracer_level=1,
            python_tracer_level=0,
            num_steps=2,
            device_host_tracer_level=0,
            advanced={
                "gpu": {"gpu_num_chips_to_profile_per_task": 1},
                "tpu": {"tpu_num_chips_to_profile_per_task": 1},
            },
        ),
        Goal("memory", host_tracer_level=2, python_tracer_level=0, num_steps=2),
        Goal(
            "kernel",
            host_tracer_level=2,
            python_tracer_level=0,
            num_steps=3,
            device_host_tracer_level=1,
            advanced={"tpu": {"tpu_trace_mode": "TRACE_COMPUTE_AND_SYNC"}},
        ),
        Goal(
            "communication",
            host_tracer_level=2,
            python_tracer_level=0,
            num_steps=5,
            device_host_tracer_level=1,
            advanced={
                # Traces of SparseCores displace those of collectives.
                "tpu": {
                    "tpu_trace_mode": "TRACE_COMPUTE_AND_SYNC",
                    "tpu_num_sparse_cores_to_trace": 0,
                }
            },
        ),
    )
}
"""Every goal by name."""


def verdict(goal: Goal, result: CaptureResult) -> str:
    """One line: whether the capture met its goal, and why. Unknown if that was not recorded."""
    try:
        is_met, why = _CHECKS[goal.name](result)
    except OSError as error:
        is_met, why = None, f"the capture cannot be read: {error}"
    word = {True: "met", False: "not met", None: "unknown"}[is_met]
    return f"goal {goal.name}: {word}, {why}"


def save_memory(goal: Goal, result: CaptureResult) -> None:
    """For the goal `memory`: writes what is allocated now beside the capture."""
    if goal.name == "memory":
        from .memory import save_memory_profile

        save_memory_profile(result.directory / f"{result.host}.memory.prof")


def _readable(result: CaptureResult) -> tuple[bool | None, str]:
    if result.path.suffix != ".pb":
        return None, "records are not read here"
    names = profile_contents.event_names(result.path)
    python = any(name.startswith("$") for name in names)
    return python, f"Python functions were {'' if python else 'not '}recorded"


def _faithful(result: CaptureResult) -> tuple[bool | None, str]:
    ratio = None if result.cost is None else result.cost.step_ratio
    if ratio is None:
        return None, "the slowdown was not measured: too few steps before the capture"
    text = f"captured steps took {ratio:+z.1%} compared with the steps before"
    return ratio <= FAITHFUL_RATIO_MAX, f"{text} (at most {FAITHFUL_RATIO_MAX:+.0%})"


def _small(result: CaptureResult) -> tuple[bool | None, str]:
    most = console.bytes_text(SMALL_BYTES_MAX)
    size = console.bytes_text(result.size_bytes)
    return result.size_bytes <= SMALL_BYTES_MAX, f"{size} (at most {most})"


def _memory(result: CaptureResult) -> tuple[bool | None, str]:
    path = result.directory / f"{result.host}.memory.prof"
    if path.exists():
        return True, f"allocations are in {path.name}"
    return False, "no memory profile was written"


def _kernel(result: CaptureResult) -> tuple[bool | None, str]:
    contents = profile_contents.look(result.path)
    devices = [name for name in contents.planes_with_events if name.startswith("/device:")]
    if devices:
        return True, f"kernels of {len(devices)} devices were recorded"
    return False, f"no kernels were recorded ({result.platform or 'unknown'} backend)"


def _communication(result: CaptureResult) -> tuple[bool | None, str]:
    found = _collectives(result)
    if found is None:
        return None, "without the engine, names do not tell whether collectives were recorded"
    if found:
        return True, f"recorded: {', '.join(found)}"
    return False, "no collectives were recorded"


def _collectives(result: CaptureResult) -> list[str] | None:
    """The kinds of collectives that were recorded. Ops have the names that the program gives them."""
    try:
        from .session import open

        return sorted({row.kind for row in open(result.path).collectives().rows})
    except (ImportError, StepscopeError):
        names = profile_contents.event_names(result.path)
        found = {kind for kind in _COLLECTIVES for name in names if kind in name.lower()}
        return sorted(found) or None


_CHECKS = {
    "readable": _readable,
    "faithful": _faithful,
    "small": _small,
    "memory": _memory,
    "kernel": _kernel,
    "communication": _communication,
}
