"""The guide matches the program: settings, variables, flags, checks, examples."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import captures
import pytest

import stepscope
from stepscope import preflight
from stepscope.settings import FIELDS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GUIDE = (DOCS / "guides" / "capture.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", list(FIELDS))
def test_every_setting_is_in_the_guide(name: str) -> None:
    rows = [line for line in GUIDE.splitlines() if line.startswith(f"| `{name}` |")]
    assert len(rows) == 1
    assert f"`{FIELDS[name].variable}`" in rows[0]
    assert all(f"--{flag}" in rows[0] for flag in FIELDS[name].flags)


def test_every_check_is_in_the_troubleshooting_table() -> None:
    source = Path(preflight.__file__).read_text(encoding="utf-8")
    ids = set(re.findall(r'"([a-z]+_[a-z]+)",\s+"(?:error|warning)"', source))
    ids |= set(re.findall(r'Problem\("([a-z_]+)"', source))
    assert len(ids) >= 7
    table = GUIDE[GUIDE.index("## Troubleshooting") :]
    assert {name for name in ids if f"`{name}`" not in table} == set()


def test_every_key_of_the_manifest_is_described(tmp_path: Path, work: Callable[[], Any]) -> None:
    with stepscope.profile_trace("profiles"):
        work()
    keys = captures.manifest_of(captures.only_profile(tmp_path))
    page = (DOCS / "reference" / "manifest.md").read_text(encoding="utf-8")
    described = set(
        re.findall(
            r"`([a-z_]+)`",
            "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `")),
        )
    )
    assert described == set(keys)


def test_the_examples_of_the_guide_run(
    tmp_path: Path, work: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import argparse
    import itertools

    monkeypatch.setenv("PROFILE_ENABLED", "1")
    monkeypatch.setattr("sys.argv", ["train.py", "--profile", f"--profile_dir={tmp_path}/flags"])
    blocks = re.findall(r"```python\n(.*?)```", GUIDE, flags=re.DOTALL)
    assert len(blocks) == 8
    names: dict[str, Any] = {
        "argparse": argparse,
        "stepscope": stepscope,
        "step": lambda batch: work(),
        "batch": None,
        "batches": itertools.repeat(None),
        "state": None,
        "train_step": lambda state, batch: (state, work()),
    }
    for block in blocks:
        exec(block.replace("10_000", "160"), dict(names))
    found = {path.relative_to(tmp_path).parts[0] for path in captures.profiles(tmp_path)}
    assert found == {"profiles", "traces"}
    assert (tmp_path / "profiles" / "step_00000100").exists()


def test_every_name_of_the_package_in_the_pages_exists() -> None:
    import importlib

    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    texts = [page.read_text(encoding="utf-8") for page in pages]
    found = {name for text in texts for name in re.findall(r"\bstepscope\.([A-Za-z_.]+)", text)}
    names = {name.rstrip(".") for name in found if not name.startswith(("toml", "json", "dev", "cdx"))}
    assert len(names) > 15
    for name in names:
        value: Any = stepscope
        for part in name.split("."):
            value = getattr(value, part)
    modules = {name for text in texts for name in re.findall(r"`stepscope\.([a-z_]+)`", text)}
    for name in modules - {*dir(stepscope), "toml", "json"}:
        importlib.import_module(f"stepscope.{name}")
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", stepscope.__version__)


@pytest.fixture
def fixtures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory has the captures that the pages mention."""
    for name in ("logs", "main"):
        (tmp_path / name).symlink_to(ROOT / "fixtures" / "demo-gpt-cpu")
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    monkeypatch.chdir(tmp_path)


def blocks_of(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


@pytest.mark.parametrize(
    ("page", "count"),
    [("docs/guides/python.md", 8), ("docs/guides/export.md", 1), ("docs/guides/traces.md", 1)],
)
@pytest.mark.usefixtures("fixtures")
def test_the_examples_about_sessions_run(page: str, count: int) -> None:
    blocks = blocks_of(page)
    assert len(blocks) == count
    names: dict[str, Any] = {"stepscope": stepscope, "session": stepscope.open("logs")}
    for block in blocks:
        lines = [line for line in block.splitlines() if "session.perfetto(" not in line]
        exec("\n".join(lines), names)
    written = {path.name for path in Path().iterdir()} - {"logs", "main", "fixtures"}
    assert written >= {"run.pftrace"} or page == "docs/guides/export.md"


def test_the_examples_about_timing_run(tmp_path: Path, work: Callable[[], Any]) -> None:
    first, second = blocks_of("docs/guides/benchmark-function.md")
    names: dict[str, Any] = {
        "train_step": lambda *state_and_batch: work(),
        "state": None,
        "batch": None,
        "batches": [None, None],
        "evaluate": lambda: 0.5,
    }
    exec(first, names)
    assert names["stats"]["median"] > 0
    exec(second, names)
    assert (tmp_path / "profiles" / "wall_clock.json").is_file()


def test_the_example_on_the_first_page_runs(tmp_path: Path, work: Callable[[], Any]) -> None:
    (block,) = blocks_of("README.md")
    exec(block, {"train_step": lambda state, batch: work(), "state": None, "next_batch": list})
    assert captures.only_profile(tmp_path / "logs")
