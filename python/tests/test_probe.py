"""The probe that `stepscope doctor` runs in the Python of the program."""

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

PROBE = Path(__file__).parents[1] / "stepscope" / "_probe.py"


def answer(folder: Path) -> dict[str, object]:
    """The output of the probe when read from standard input, as the command runs it."""
    finished = subprocess.run(
        [sys.executable, "-"],
        input=PROBE.read_text(encoding="utf-8"),
        capture_output=True,
        check=True,
        cwd=folder,
        text=True,
    )
    found = json.loads(finished.stdout)
    assert isinstance(found, dict)
    return found


def test_versions_are_those_of_the_environment(tmp_path: Path) -> None:
    found = answer(tmp_path)
    distributions = found["distributions"]
    assert isinstance(distributions, dict)
    for name in ("jax", "jaxlib"):
        assert distributions[name] == [metadata.version(name)]
    assert found["executable"] == sys.executable
    assert found["shadows"] == []


def test_a_file_that_hides_a_package_is_named(tmp_path: Path) -> None:
    (tmp_path / "jax.py").write_text("", encoding="utf-8")
    assert answer(tmp_path)["shadows"] == ["jax.py"]


def test_the_probe_needs_the_standard_library_only(tmp_path: Path) -> None:
    bare = [sys.executable, "-S", str(PROBE)]
    finished = subprocess.run(bare, capture_output=True, check=True, cwd=tmp_path, text=True)
    assert json.loads(finished.stdout)["distributions"] == {}
