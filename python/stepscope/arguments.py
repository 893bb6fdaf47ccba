"""`add_profile_args(parser)`: the profile flags of training scripts, for `argparse`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from .settings import FIELDS, FLAG_DEFAULTS, MODES, checked, parse_text
from .signatures import suggests_keywords


class _Switch(argparse.Action):
    """Sets `profile` and `enable_profiling` together: one switch with two names."""

    def __init__(self, option_strings: Sequence[str], dest: str, **keywords: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **keywords)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        is_on = not (option_string or "").startswith("--no")
        for name in FIELDS["enabled"].flags:
            setattr(namespace, name, is_on)


@suggests_keywords
def add_profile_args(
    parser: argparse.ArgumentParser,
    *,
    enabled: bool | None = None,
    log_dir: str | os.PathLike[str] | None = None,
    start_step: int | None = None,
    num_steps: int | None = None,
    interval: int | None = None,
    mode: str | None = None,
    trigger: str | None = None,
) -> argparse.ArgumentParser:
    """Adds every profile flag to `parser` and returns it.

    Flags, each with its variable: `--profile` = `--enable_profiling` (`PROFILE_ENABLED`),
    `--no_profile`, `--profile_dir` (`PROFILE_DIR`), `--profiler_start_step`
    (`PROFILE_START_STEP`, -1 or `none` for armed only), `--profiler_num_steps`
    (`PROFILE_DURATION`), `--profiler_interval` (`PROFILE_INTERVAL`, 0 for once),
    `--profiler_mode` and `--profiler_trigger`. Dashes work instead of underscores.

    A flag that is not given takes the value of its variable, then the value passed here, then the
    default; so the parsed namespace holds the settings in effect.

    Raises:
        SettingsError: a variable has an invalid value.
    """
    given = {name: value for name, value in locals().items() if name in FIELDS}
    defaults = {name: value for name, value in given.items() if value is not None}
    group = parser.add_argument_group("profiling", "capture with stepscope")
    values = {name: _default(name, defaults) for name in FIELDS}
    group.add_argument(
        *_spellings("profile", "enable_profiling"),
        *_spellings("no_profile"),
        dest="profile",
        action=_Switch,
        default=values["enabled"],
        help="capture a profile; default: off (PROFILE_ENABLED)",
    )
    parser.set_defaults(enable_profiling=values["enabled"])
    _add(group, "log_dir", "DIR", values, "log directory for captures")
    _add(group, "start_step", "STEP", values, "first captured step; -1 or none: on request only")
    _add(group, "num_steps", "N", values, "number of captured steps")
    _add(group, "interval", "N", values, "capture every N steps; 0: once")
    _add(group, "mode", "MODE", values, f"files to write: {', '.join(MODES)}")
    _add(group, "trigger", "RULE", values, "capture slow steps, such as 'step_time > 2 * median'")
    return parser


def _add(group: Any, name: str, metavar: str, values: dict[str, Any], what: str) -> None:
    flag = FIELDS[name].flags[0]

    def parse(text: str) -> Any:
        try:
            return FIELDS[name].parse(text)
        except (ValueError, OverflowError) as error:
            raise argparse.ArgumentTypeError(f"{text!r}: {error}") from error

    shown = values[name] if values[name] is not None else "none"
    group.add_argument(
        *_spellings(flag),
        dest=flag,
        type=parse_text if name == "trigger" else parse,
        default=values[name],
        metavar=metavar,
        help=f"{what}; default: {shown} ({FIELDS[name].variable})".replace("%", "%%"),
    )


def _spellings(*flags: str) -> list[str]:
    found: list[str] = []
    for flag in flags:
        found.append(f"--{flag}")
        if "_" in flag:
            found.append(f"--{flag.replace('_', '-')}")
    return found


def _default(name: str, defaults: dict[str, Any]) -> Any:
    variable = FIELDS[name].variable
    if variable in os.environ:
        return checked(name, os.environ[variable], variable)
    return defaults.get(name, FLAG_DEFAULTS[name])
