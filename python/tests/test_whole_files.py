"""Results as files: an old one stays when the new one cannot be written; pages with secrets."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from stepscope import browser
from stepscope.benchmark import BenchmarkResult
from stepscope.whole_files import write_text

# A limit on the length of files is what a full disk is to the one who writes.
FULL = """
import resource, sys
from stepscope.benchmark import BenchmarkResult
from stepscope.wall_clock import WallClock
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
long = "x" * 100_000
makers = {
    "benchmark": lambda: BenchmarkResult.failed(long, ValueError()),
    "clock": lambda: WallClock(configuration={"long": long}, print_line=lambda text: None),
}
try:
    makers[sys.argv[1]]().to_json(sys.argv[2])
except OSError as error:
    sys.exit(f"refused: {error}")
"""


@pytest.mark.parametrize("maker", ["benchmark", "clock"])
def test_a_full_disk_leaves_the_old_result(tmp_path: Path, maker: str) -> None:
    file = tmp_path / "result.json"
    file.write_text("the old one")
    line = [sys.executable, "-c", FULL, maker, str(file)]
    answer = subprocess.run(line, capture_output=True, text=True, timeout=120)
    assert answer.returncode == 1 and "refused:" in answer.stderr, answer.stderr
    assert file.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [file]


def test_results_replace_files_and_nothing_else(tmp_path: Path) -> None:
    file, link = tmp_path / "inner" / "result.json", tmp_path / "link"
    result = BenchmarkResult.failed("step", ValueError("no"))
    text = result.to_json(file)
    assert file.read_text() == text and json.loads(text)["success"] is False
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~mask
    file.chmod(0o600)
    link.symlink_to(file)
    write_text(link, "new")
    assert link.is_symlink() and file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    device = tmp_path / "null"
    device.symlink_to("/dev/null")
    write_text(device, "gone")
    assert not Path("/dev/null").is_file()
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "inner",
        "link",
        "null",
        "result.json",
    ]


def test_a_link_with_a_secret_is_in_no_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    browser.open_link("https://ui.perfetto.dev/#!/?url=5ecre7</script>", 0.5)
    (address,) = opened
    assert address.startswith("file://") and "5ecre7" not in address
    page = Path(unquote(urlsplit(address).path))
    assert page.read_text().count("5ecre7\\u003c/script>") == 1
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    until = time.monotonic() + 20
    while page.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not page.parent.exists()
