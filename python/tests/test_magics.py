"""`%%profile`: what it captures, shows and keeps, and which mistakes it names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stepscope

pytest.importorskip("IPython")

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

PROGRAM = """
import jax
import jax.numpy as jnp
program = jax.jit(lambda x: jnp.sin(x) @ x)
argument = jnp.ones((64, 64))
program(argument).block_until_ready()
count = 0
"""


@pytest.fixture(scope="module")
def module_shell() -> Iterator[Any]:
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "stepscope")
    yield shell
    InteractiveShell.clear_instance()


@pytest.fixture
def shell(module_shell: Any) -> Any:
    module_shell.reset()
    module_shell.run_cell(PROGRAM).raise_error()
    return module_shell


def profile(shell: Any, line: str, cell: str) -> list[dict[str, Any]]:
    """Runs the magic and returns what it displays."""
    with capture_output() as captured:
        shell.run_cell_magic("profile", line, cell)
    return [output.data for output in captured.outputs]


def test_a_cell_is_captured_and_its_overview_is_shown(shell: Any, tmp_path: Path) -> None:
    displayed = profile(shell, "-o session --name mine", "y = program(argument)\ncount += 1\n")
    session = shell.user_ns["session"]
    assert isinstance(session, stepscope.Session)
    assert session.path is not None and session.path.is_relative_to(tmp_path / "profiles")
    assert "mine" in session.name
    assert [output["text/html"] for output in displayed] == [session._repr_html_()]
    assert shell.user_ns["count"] == 1
    assert shell.user_ns["y"].shape == (64, 64)
    assert session.devices


def test_steps_run_the_cell_several_times(shell: Any, tmp_path: Path) -> None:
    profile(shell, "--steps 4 -o session --log-dir other", "count += 1\nprogram(argument)")
    session = shell.user_ns["session"]
    assert shell.user_ns["count"] == 4
    assert session.step_numbers == [0, 1, 2, 3]
    assert session.overview().step_time_ps.count == 4, "the last one is complete"
    assert session.path.is_relative_to(tmp_path / "other")


def test_the_value_of_the_cell_is_its_output_and_is_waited_for(
    shell: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.run_cell_magic("profile", "-q -o session", "program(argument).shape[0] - 22")
    assert "42" in capsys.readouterr().out
    assert shell.user_ns["_"] == 42
    shell.run_cell_magic("profile", "-q -o session", "program(argument)")
    assert shell.user_ns["session"].devices


def test_options_of_the_profiler(shell: Any) -> None:
    code = "def traced():\n    return program(argument)\ntraced()"
    names = []
    for level in (0, 1):
        profile(shell, f"-q -o session --options python_tracer_level={level}", code)
        slices = shell.user_ns["session"].slices(kind="python", match="traced")
        names.append([one.name for one in slices if one.name.endswith(" traced")])
    assert not names[0]
    assert len(names[1]) == 1


def test_quiet_shows_nothing(shell: Any) -> None:
    assert profile(shell, "--quiet -o session", "y = program(argument)") == []
    assert shell.user_ns["session"].devices


def test_a_cell_that_raises_is_captured_and_raises(shell: Any) -> None:
    with capture_output() as captured, pytest.raises(ZeroDivisionError):
        shell.run_cell_magic("profile", "-o session", "y = program(argument)\n1 / 0")
    assert len(captured.outputs) == 1
    session = shell.user_ns["session"]
    assert session.manifest["success"] is False
    assert session.devices, "the work in flight was waited for"


def test_without_captures_the_cell_runs(
    shell: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PROFILE_ENABLED", "0")
    shell.run_cell_magic("profile", "", "count += 1")
    assert shell.user_ns["count"] == 1
    assert "captured nothing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "cell", "message"),
    [
        ("--steps 0", "1", "at least 1"),
        ("-o 1a", "1", "not the name of a variable"),
        ("--options level", "1", "not KEY=VALUE"),
        ("--nmae x", "1", "unrecognized arguments: --nmae"),
        ("", "await one()", "top-level await"),
    ],
)
def test_mistakes_are_named(shell: Any, line: str, cell: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        shell.run_cell_magic("profile", line, cell)
    assert not (tmp_path / "profiles").exists()
