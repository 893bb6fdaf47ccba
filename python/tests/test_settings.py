"""Precedence, flags, variables, and messages about invalid values."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import stepscope
from stepscope.settings import (
    CONTEXT_DEFAULTS,
    ENVIRONMENT_DEFAULTS,
    FIELDS,
    PROFILER_DEFAULTS,
    TRACE_DEFAULTS,
    Settings,
    misspelt_variables,
)

# For each setting: a value in its variable, as a flag, and as an argument, and the results.
VALUES: dict[str, tuple[str, Any, Any, list[Any]]] = {
    "enabled": ("0", True, False, [False, True, False]),
    "log_dir": ("/a/env", "/a/flag", Path("/a/arg"), ["/a/env", "/a/flag", "/a/arg"]),
    "start_step": ("100", 200, 300, [100, 200, 300]),
    "num_steps": ("2", 3, 4, [2, 3, 4]),
    "interval": ("10", 20, 30, [10, 20, 30]),
    "mode": ("perfetto", "both", "tensorboard", ["perfetto", "both", "tensorboard"]),
    "trigger": ("step_time > 1", "step_time > 2", "step_time > 3", ["step_time > 1"]),
    "trigger_limit": ("2", None, 4, [2, 2, 4]),
    "max_seconds": ("2.5", None, 4, [2.5, 2.5, 4.0]),
    "max_megabytes": ("2", None, 4.5, [2.0, 2.0, 4.5]),
    "session_id": ("a", None, "b", ["a", "a", "b"]),
    "tags": ("a, b,a,", None, ["c", "d"], [("a", "b"), ("a", "b"), ("c", "d")]),
    "quiet": ("yes", None, False, [True, True, False]),
    "preflight": ("warn", None, "off", ["warn", "warn", "off"]),
    "python_tracer_level": ("0", None, 1, [0, 0, 1]),
    "host_tracer_level": ("1", None, 3, [1, 1, 3]),
    "wait": ("window", None, "step", ["window", "window", "step"]),
    "max_captures": ("2", None, 3, [2, 2, 3]),
    "keep_captures": ("2", None, 3, [2, 2, 3]),
    "trigger_file": ("/a/env", None, Path("/a/arg"), ["/a/env", "/a/env", "/a/arg"]),
    "trigger_signal": ("USR1", None, "sigusr2", ["SIGUSR1", "SIGUSR1", "SIGUSR2"]),
}


def test_every_setting_is_tested_here() -> None:
    assert set(VALUES) == set(FIELDS)


@pytest.mark.parametrize("name", list(FIELDS))
def test_precedence(name: str) -> None:
    variable, flag, argument, expected = VALUES[name]
    if name == "trigger":
        expected = [variable, flag, argument]
    environ = {FIELDS[name].variable: variable}
    args = SimpleNamespace(**dict.fromkeys(FIELDS[name].flags[:1], flag))

    def resolved(**keywords: Any) -> Any:
        return getattr(Settings.resolve(PROFILER_DEFAULTS, **keywords), name)

    assert resolved(environ={}) == PROFILER_DEFAULTS[name]
    assert resolved(environ=environ) == expected[0]
    assert resolved(environ=environ, args=args) == expected[1]
    assert resolved(environ=environ, args=args, **{name: argument}) == expected[2]


@pytest.mark.parametrize(
    ("defaults", "log_dir", "start_step", "num_steps", "enabled"),
    [
        (TRACE_DEFAULTS, "./profiles", -1, 1, True),
        (CONTEXT_DEFAULTS, "./traces", -1, 1, True),
        (PROFILER_DEFAULTS, "./traces", 150, 5, True),
        (ENVIRONMENT_DEFAULTS, "./profiles", 100, 1, False),
    ],
)
def test_defaults_of_the_entry_points(
    defaults: dict[str, Any], log_dir: str, start_step: int, num_steps: int, enabled: bool
) -> None:
    settings = Settings.resolve(defaults, environ={})
    assert (settings.log_dir, settings.start_step) == (log_dir, start_step)
    assert (settings.num_steps, settings.enabled) == (num_steps, enabled)
    assert settings.interval == 0
    assert settings.mode == "tensorboard"


@pytest.mark.parametrize(
    ("variable", "text", "name", "expected"),
    [
        ("PROFILE_ENABLED", "1", "enabled", True),
        ("PROFILE_ENABLED", "off", "enabled", False),
        ("PROFILE_ENABLED", "", "enabled", False),
        ("PROFILE_START_STEP", "-1", "start_step", -1),
        ("PROFILE_START_STEP", "none", "start_step", -1),
        ("PROFILE_START_STEP", "1e3", "start_step", 1000),
        ("PROFILE_INTERVAL", "0", "interval", 0),
        ("PROFILE_MODE", "Both", "mode", "both"),
        ("PROFILE_MAX_SECONDS", "inf", "max_seconds", float("inf")),
        ("PROFILE_TRIGGER", "", "trigger", None),
        ("PROFILE_TRIGGER_SIGNAL", "usr2", "trigger_signal", "SIGUSR2"),
        ("PROFILE_TRIGGER_SIGNAL", "", "trigger_signal", None),
    ],
)
def test_values_of_variables(variable: str, text: str, name: str, expected: Any) -> None:
    settings = Settings.resolve(ENVIRONMENT_DEFAULTS, environ={variable: text})
    assert getattr(settings, name) == expected


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("PROFILE_ENABLED", "maybe"),
        ("PROFILE_START_STEP", "abc"),
        ("PROFILE_START_STEP", "-2"),
        ("PROFILE_DURATION", "0"),
        ("PROFILE_DURATION", "1.5"),
        ("PROFILE_INTERVAL", "-1"),
        ("PROFILE_MODE", "chrome"),
        ("PROFILE_DIR", " "),
        ("PROFILE_MAX_SECONDS", "0"),
        ("PROFILE_MAX_SECONDS", "nan"),
        ("PROFILE_WAIT", "never"),
        ("PROFILE_TRIGGER_SIGNAL", "SIGUSR9"),
        ("PROFILE_TRIGGER_SIGNAL", "SIGKILL"),
    ],
)
def test_a_bad_value_is_named_with_its_variable(variable: str, text: str) -> None:
    with pytest.raises(stepscope.SettingsError, match=variable) as caught:
        Settings.resolve(ENVIRONMENT_DEFAULTS, environ={variable: text})
    assert isinstance(caught.value, ValueError)


def test_home_and_variables_in_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    for text in ("~/profiles", "$HOME/profiles"):
        settings = Settings.resolve(TRACE_DEFAULTS, environ={"PROFILE_DIR": text})
        assert settings.log_dir == "/home/someone/profiles"


def test_an_unknown_setting_names_the_one_meant() -> None:
    with pytest.raises(TypeError, match="'max_second'. Did you mean 'max_seconds'?"):
        Settings.resolve(TRACE_DEFAULTS, max_second=3)  # type: ignore[call-arg]


def test_misspelt_variables_are_noticed() -> None:
    environ = {"PROFILE_STRAT_STEP": "3", "PROFILE_DIR": "x", "PROFILER_TOKEN": "", "PATH": ""}
    (sentence,) = misspelt_variables(environ)
    assert "PROFILE_STRAT_STEP" in sentence
    assert "PROFILE_START_STEP" in sentence


def parse(*arguments: str, **defaults: Any) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    assert stepscope.add_profile_args(parser, **defaults) is parser
    return parser.parse_args(arguments)


def test_flags_without_any() -> None:
    args = parse()
    assert args.profile is False
    assert args.enable_profiling is False
    assert args.profile_dir == "/tmp/tensorboard"
    assert args.profiler_start_step == 150
    assert args.profiler_num_steps == 5
    assert args.profiler_interval == 0
    assert args.epochs == 2


@pytest.mark.parametrize("switch", ["--profile", "--enable_profiling", "--enable-profiling"])
def test_the_switch_has_two_names(switch: str) -> None:
    args = parse(switch)
    assert args.profile is True
    assert args.enable_profiling is True
    assert Settings.resolve(PROFILER_DEFAULTS, args=args).enabled


def test_flags_reach_the_settings() -> None:
    args = parse(
        "--profile",
        "--profile_dir=/data/p",
        "--profiler_start_step=none",
        "--profiler-num-steps=7",
        "--profiler_interval=1000",
        "--profiler_mode=both",
        "--profiler_trigger=step_time > 2 * median",
    )
    settings = Settings.resolve(PROFILER_DEFAULTS, args=args, environ={"PROFILE_DURATION": "9"})
    assert settings.log_dir == "/data/p"
    assert settings.start_step == -1
    assert settings.num_steps == 7
    assert settings.interval == 1000
    assert settings.mode == "both"
    assert settings.trigger == "step_time > 2 * median"


def test_a_variable_is_the_default_of_its_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROFILE_ENABLED", "1")
    monkeypatch.setenv("PROFILE_DIR", "/from/variable")
    assert parse().profile is True
    assert parse("--no_profile").profile is False
    assert parse("--no_profile").enable_profiling is False
    assert parse().profile_dir == "/from/variable"
    assert parse("--profile_dir=/from/flag").profile_dir == "/from/flag"


def test_defaults_of_the_program_stand_below_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parse(log_dir="./mine").profile_dir == "./mine"
    monkeypatch.setenv("PROFILE_DIR", "/from/variable")
    assert parse(log_dir="./mine").profile_dir == "/from/variable"


@pytest.mark.parametrize("flag", ["--profiler_num_steps=0", "--profiler_mode=x"])
def test_a_bad_flag_ends_the_parser(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(flag)
    assert flag.split("=")[0] in capsys.readouterr().err


def test_own_flags_of_a_script_work_too() -> None:
    args = SimpleNamespace(enable_profiling=True, profiler_start_step=100, profiler_num_steps=10)
    settings = Settings.resolve(PROFILER_DEFAULTS, args=args, environ={})
    assert (settings.enabled, settings.start_step, settings.num_steps) == (True, 100, 10)


def test_help_shows_flag_variable_and_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse("--help")
    printed = capsys.readouterr().out
    for word in ("--profile_dir", "PROFILE_DIR", "/tmp/tensorboard", "PROFILE_START_STEP"):
        assert word in printed
