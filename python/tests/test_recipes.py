"""The recipes run if their library is installed; so does the example on dispatch."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import captures
import pytest

import stepscope

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "docs" / "guides"

#: Recipes that are whole programs, and the libraries that each needs.
RECIPES = {
    "Flax NNX": ("flax", "optax"),
    "Optax `MultiSteps`": ("optax",),
    "Equinox": ("equinox",),
    "Keras": ("keras",),
}


def sections(page: str) -> dict[str, str]:
    """The text below each second-level heading of a page."""
    text = (GUIDES / page).read_text(encoding="utf-8")
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def run(program: str, folder: Path) -> str:
    """Runs a program in a separate process, like a reader would, and returns its output."""
    package = str(Path(stepscope.__file__).parent.parent)
    finished = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": package},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.mark.parametrize("title", list(RECIPES))
def test_a_recipe_captures_the_steps_it_says(title: str, tmp_path: Path) -> None:
    for library in RECIPES[title]:
        if importlib.util.find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    (program,) = re.findall(r"```python\n(.*?)```", sections("recipes.md")[title], re.DOTALL)
    run(program, tmp_path)
    profile = captures.only_profile(tmp_path / "logs")
    count, first = (int(re.search(rf"{key}=(\d+)", program)[1]) for key in ("num_steps", "start_step"))
    manifest = captures.manifest_of(profile)
    assert (manifest["step_first"], manifest["step_end"]) == (first, first + count)
    assert manifest["success"]


def test_every_recipe_is_tried_or_needs_a_cluster() -> None:
    assert set(sections("recipes.md")) == {*RECIPES, "MaxText", "Slurm"}


def test_a_loop_that_only_dispatches_looks_fast(tmp_path: Path) -> None:
    (program,) = re.findall(
        r"```python\n(.*?)```", (GUIDES / "async-dispatch.md").read_text("utf-8"), re.DOTALL
    )
    told = re.search(r"dispatch ([\d.]+) ms, step ([\d.]+) ms", run(program, tmp_path))
    assert told
    dispatched, finished = map(float, told.groups())
    assert 0 <= dispatched <= finished


def test_every_way_to_capture_that_is_named_exists() -> None:
    text = (GUIDES / "choosing.md").read_text(encoding="utf-8")
    named = set(re.findall(r"stepscope\.([a-z_]+)\(", text)) | {"Profiler", "maybe_profile"}
    named |= {"profile_function", "add_profile_args", "WallClock"}
    assert {name for name in named if not hasattr(stepscope, name)} == set()
