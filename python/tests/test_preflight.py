"""Checks before a capture, which leave nothing behind."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import captures
import pytest

import stepscope
from stepscope import preflight

Work = Callable[[], Any]
pytestmark = pytest.mark.oldest
SHARING = f"--{preflight.MULTI_SUBSCRIBER}"


def ids(log_dir: str | Path) -> list[str]:
    return [problem.id for problem in preflight.problems(log_dir)]


def test_a_good_folder_has_no_errors_and_stays_as_it_was(tmp_path: Path) -> None:
    found = preflight.problems(tmp_path / "a" / "b")
    assert all(problem.severity == "warning" for problem in found)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", ["file", "file/below", "/proc/stepscope", "/dev/null/below"])
def test_an_unwritable_folder_is_refused_before_the_block(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_text("a file where a folder should be")
    with pytest.raises(stepscope.PreflightError, match="is not writable") as caught:
        with stepscope.profile_trace(tmp_path / folder):
            pytest.fail("the block must not run")
    assert "choose another folder" in str(caught.value)
    assert folder.rsplit("/", 1)[-1] in caught.value.message


def test_a_profiler_refuses_when_it_is_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(stepscope.PreflightError):
        stepscope.Profiler(log_dir=tmp_path / "file")
    stepscope.Profiler(log_dir=tmp_path / "file", enabled=False)


def test_a_decorated_function_refuses_when_it_is_decorated(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(stepscope.PreflightError):
        stepscope.profile_function(tmp_path / "file")(lambda: None)


def test_a_folder_lost_after_the_start_costs_a_capture_only(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    profiler = stepscope.Profiler(1, tmp_path / "profiles", start_step=1)
    (tmp_path / "profiles").write_text("a file where a folder should be")
    for step in range(4):
        profiler.begin_step(step)
        profiler.end_step(work())
    assert "no capture of step 1" in capsys.readouterr().err


def test_processes_of_one_job_look_at_one_folder_at_once(tmp_path: Path) -> None:
    log_dir = tmp_path / "job" / "profiles"

    def look(_: int) -> list[str]:
        return [found for _ in range(100) for found in ids(log_dir) if found == "unwritable_folder"]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(look, range(4))) == [[]] * 4
    assert list(tmp_path.iterdir()) == []


def test_a_way_through_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    assert "unwritable_folder" not in ids(tmp_path / "new" / ".." / "profiles")
    assert "unwritable_folder" in ids(tmp_path / ("x" * 300) / "profiles")


@pytest.mark.parametrize("policy", ["warn", "off"])
def test_the_checks_can_be_softened(
    tmp_path: Path,
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
    policy: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(stepscope.PreflightError, match="Only 1 kB are free"):
        with stepscope.profile_trace("profiles"):
            pytest.fail("the block must not run")
    with stepscope.profile_trace("profiles", preflight=policy):
        work()
    assert captures.only_profile(tmp_path)
    assert ("Only 1 kB are free" in capsys.readouterr().err) == (policy == "warn")


def test_disk_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=500_000_000))
    assert "disk_low" in ids(tmp_path)
    found = preflight.problems(tmp_path, need_bytes=600_000_000)
    assert found[0].id == "disk_full"
    assert found[0].severity == "error"


def test_addresses_that_nothing_can_copy_to_are_refused_with_what_is_missing() -> None:
    with pytest.raises(stepscope.PreflightError, match="gs://bucket/x") as caught:
        stepscope.CaptureSession("gs://bucket/x").start()
    assert "pip install fsspec gcsfs" in str(caught.value)
    assert "local folder" in str(caught.value)


MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
C:\\134 /mnt/c 9p rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb1 /home/local ext4 rw 0 0
bucket /data/my\\040bucket fuse.gcsfuse rw 0 0
/dev/sdc1 /usb fuseblk rw 0 0
//server/share /share cifs rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/mnt/c/Users/me/profiles", "Windows drive"),
        ("/home/me/profiles", "network drive"),
        ("/home/local/profiles", None),
        ("/data/my bucket/profiles", "FUSE"),
        ("/usb/profiles", None),
        ("/share/profiles", "network drive"),
        ("/shared/profiles", None),
        ("/tmp/profiles", None),
    ],
)
def test_slow_drives(path: str, expected: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WSL_DISTRO_NAME", raising=False)
    reason = preflight.slow_file_system(path, MOUNTS)
    assert (reason is None) if expected is None else (expected in (reason or ""))


def test_windows_drives_under_wsl_without_a_list_of_mounts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WSL_DISTRO_NAME", "Ubuntu")
    assert preflight.slow_file_system("/mnt/c/profiles", "") is not None
    assert preflight.slow_file_system("/mnt/data/profiles", "") is None


@pytest.mark.parametrize("variable", sorted(preflight.RIVALS))
def test_rivals_for_the_gpu(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "1")
    monkeypatch.setattr(preflight, "_has_gpu", lambda: False)
    assert "rival_profiler" in ids(tmp_path)
    stepscope.Profiler(log_dir=tmp_path)  # on a CPU it is a warning only
    monkeypatch.setattr(preflight, "_has_gpu", lambda: True)
    with pytest.raises(stepscope.PreflightError, match="one profiler at a time"):
        stepscope.CaptureSession(tmp_path).start()


@pytest.mark.parametrize(
    ("flags", "shares"),
    [
        ("", False),
        (SHARING, True),
        (f"--other=1 {SHARING}=true", True),
        (f"{SHARING}=true {SHARING}=0", False),
        (f"{SHARING}s=true", False),
    ],
)
def test_a_rival_with_which_cupti_is_shared_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str, shares: bool
) -> None:
    monkeypatch.setenv("NSYS_PROFILING_SESSION_ID", "1")
    monkeypatch.setenv("XLA_FLAGS", flags)
    monkeypatch.setattr(preflight, "_has_gpu", lambda: True)
    (problem,) = [found for found in preflight.problems(tmp_path) if found.id == "rival_profiler"]
    assert problem.severity == ("warning" if shares else "error")
    assert "CUDA 13.2" in problem.fix


def test_problems_put_errors_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVPROF_ID", "1")
    monkeypatch.setenv("TF_DISABLE_PROFILING", "1")
    found = ids(tmp_path)
    assert found[0] == "profiling_disabled"
    assert "rival_profiler" in found


@captures.only_where(os.geteuid() != 0)  # root may write everywhere
def test_a_folder_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert "unwritable_folder" in ids(tmp_path / "profiles")
    finally:
        tmp_path.chmod(0o700)
