"""The names, as users write them, and what importing them costs."""

from __future__ import annotations

import inspect
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import stepscope

PACKAGE_FOLDER = str(Path(stepscope.__file__).parents[1])

NAMES = [
    "profile_trace",
    "profile_scope",
    "profile_function",
    "benchmark_function",
    "maybe_profile",
    "Profiler",
    "ProfileContext",
    "save_memory_profile",
    "save_device_memory_profile",
    "add_profile_args",
    "start_trace",
    "stop_trace",
    "CaptureSession",
]


@pytest.mark.parametrize("name", NAMES)
def test_name_is_public(name: str) -> None:
    assert callable(getattr(stepscope, name))
    assert name in stepscope.__all__


def test_every_listed_name_exists() -> None:
    for name in stepscope.__all__:
        assert getattr(stepscope, name) is not None
    assert set(stepscope.__all__) <= set(dir(stepscope))


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'profile_trase'"):
        _ = stepscope.profile_trase


def test_signatures_as_in_the_guides() -> None:
    assert list(inspect.signature(stepscope.profile_trace).parameters)[:2] == ["log_dir", "name"]
    function = inspect.signature(stepscope.profile_function).parameters
    assert list(function)[:2] == ["log_dir", "warmup_steps"]
    assert function["warmup_steps"].default == 5
    profiler = inspect.signature(stepscope.Profiler).parameters
    assert list(profiler)[:2] == ["num_steps", "log_dir"]
    assert next(iter(inspect.signature(stepscope.ProfileContext).parameters)) == "log_dir"
    assert next(iter(inspect.signature(stepscope.maybe_profile).parameters)) == "step"


def run_python(code: str, folder: Path) -> str:
    """Runs `code` in a new interpreter that finds the package, and returns what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": f"{PACKAGE_FOLDER}:{folder}", "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_needs_neither_jax_nor_the_engine(tmp_path: Path) -> None:
    code = """
        import sys
        import stepscope
        for name in stepscope.__all__:
            getattr(stepscope, name)
        with stepscope.profile_scope("region"):
            pass
        with stepscope.maybe_profile(1) as profile:
            assert profile.block(3) == 3
        print([name for name in ("jax", "stepscope._stepscope", "numpy") if name in sys.modules])
    """
    assert run_python(code, tmp_path) == "[]"


def test_a_capture_without_jax_says_what_to_install(tmp_path: Path) -> None:
    code = """
        import sys
        sys.modules["jax"] = None
        import stepscope
        try:
            stepscope.profile_trace("profiles").__enter__()
        except stepscope.StepscopeError as error:
            print(error)
    """
    printed = run_python(code, tmp_path)
    assert "needs jax" in printed
    assert "pip install jax" in printed


def test_one_line_reexports_of_the_guides(tmp_path: Path) -> None:
    for folder, name in (("ueaj", "utils"), ("train", "profiler")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text("")
        (tmp_path / folder / f"{name}.py").write_text("from stepscope import *\n")
    code = """
        from ueaj.utils import profile_trace, profile_scope, profile_function, benchmark_function
        from train.profiler import Profiler, ProfileContext
        import stepscope
        print(profile_trace is stepscope.profile_trace, Profiler is stepscope.Profiler)
    """
    assert run_python(code, tmp_path) == "True True"
