"""Misspelled keywords: an immediate error with a suggestion, for people and for mypy."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepscope
from stepscope.settings import FIELDS, Settings

PACKAGE = Path(stepscope.__file__).parent.parent


@pytest.mark.parametrize(
    ("call", "wrong", "meant"),
    [
        (stepscope.Profiler, "start_stp", "start_step"),
        (stepscope.Profiler, "num_step", "num_steps"),
        (stepscope.profile_trace, "profile_options", "profiler_options"),
        (stepscope.ProfileContext, "quite", "quiet"),
        (stepscope.profile_function, "warmup", "warmup_steps"),
        (stepscope.profile_function, "call_per_capture", "calls_per_capture"),
        (stepscope.start_trace, "python_tracer", "python_tracer_level"),
        (stepscope.CaptureSession, "logdir", "log_dir"),
        (stepscope.save_memory_profile, "backed", "backend"),
        (stepscope.add_profile_args, "num_step", "num_steps"),
        (stepscope.capture, "log_dir", "logdir"),
        (stepscope.start_server, "pord", "port"),
    ],
)
def test_a_misspelt_keyword_names_the_one_meant(
    tmp_path: Path, call: Callable[..., Any], wrong: str, meant: str
) -> None:
    with pytest.raises(TypeError) as caught:
        call(**{wrong: 1})
    assert f"{call.__name__}() got an unexpected keyword argument {wrong!r}" in str(caught.value)
    assert f"Did you mean {meant!r}?" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_suggested_where_nothing_is_close() -> None:
    with pytest.raises(TypeError, match=r"argument 'zzz'$"):
        stepscope.Profiler(zzz=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "call",
    [
        stepscope.Profiler,
        stepscope.ProfileContext,
        stepscope.profile_trace,
        stepscope.profile_function,
        stepscope.start_trace,
        stepscope.stop_trace,
        stepscope.maybe_profile,
        stepscope.CaptureSession,
        stepscope.add_profile_args,
        stepscope.save_memory_profile,
        stepscope.capture,
        stepscope.start_server,
        Settings.resolve,
    ],
)
def test_signatures_say_everything(call: Callable[..., Any]) -> None:
    parameters = inspect.signature(call).parameters.values()
    assert not [one.name for one in parameters if one.kind is one.VAR_KEYWORD]


def test_every_setting_is_an_argument() -> None:
    names = set(inspect.signature(stepscope.Profiler).parameters)
    assert set(FIELDS) <= names
    assert set(FIELDS) <= set(inspect.signature(Settings.resolve).parameters)


def test_a_typo_fails_in_mypy(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import stepscope\n"
        "stepscope.Profiler(num_steps=5, start_step=1)\n"
        "stepscope.Profiler(num_stps=5)\n"
        "with stepscope.profile_trace('p', nam='x'):\n"
        "    pass\n"
        "stepscope.start_trace('p', qiet=True)\n"
        "@stepscope.profile_function('p', warmup=3)\n"
        "def f(x: int) -> int:\n"
        "    return x\n"
        "stepscope.Profiler(start_step='soon')\n"
    )
    pytest.importorskip("mypy")
    # mypy finds an installed package by itself, and rejects a search path within site-packages.
    installed = PACKAGE.name == "site-packages"
    ended = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(tmp_path / "c")]
        + [str(program)],
        env={"PATH": ""} if installed else {"PATH": "", "MYPYPATH": str(PACKAGE)},
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line.split(":") for line in ended.stdout.splitlines() if ": error:" in line]
    lines = {error[1] for error in errors if Path(error[0]).name == program.name}
    assert lines == {"3", "4", "6", "7", "10"}, ended.stdout + ended.stderr
