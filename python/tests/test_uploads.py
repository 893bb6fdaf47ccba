"""Captures for a bucket: recorded locally, copied by an installed tool, checked in advance."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import captures
import pytest

import stepscope
from stepscope import Profiler, preflight, uploads

Work = Callable[[], Any]


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A command that copies like `gsutil cp -r`, into a folder that represents the bucket."""
    folder = tmp_path / "cloud"
    tool = tmp_path / "bin" / "gsutil"
    tool.parent.mkdir()
    tool.write_text(
        "#!/bin/sh\n"
        'test "$1 $2 $3" = "-q cp -r" || exit 9\n'
        f'target="{folder}/${{5#gs://}}"\n'
        'case "$5" in *full*) echo "first line" >&2; echo "quota exceeded" >&2; exit 1;; esac\n'
        'mkdir -p "$target" && cp -r "$4" "$target"\n'
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(uploads, "_COMMANDS", {"gs": (("gsutil", "-q", "cp", "-r"),)})
    return folder


def test_what_is_missing_is_said_before_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    (problem,) = preflight.problems("gs://lab/logs")
    assert (problem.id, problem.severity) == ("remote_folder", "error")
    assert "pip install fsspec gcsfs" in problem.fix
    with pytest.raises(stepscope.PreflightError, match="s3://lab/logs") as caught:
        Profiler(log_dir="s3://lab/logs")
    assert "s3fs" in str(caught.value)


def test_only_this_user_may_enter_the_folder_of_recordings(
    bucket: Path, tmp_path: Path, work: Work
) -> None:
    with stepscope.profile_trace("gs://lab/logs") as trace:
        trace.block(work())
    (folder,) = (tmp_path / "tmp").glob("stepscope-*")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert trace.result is not None and trace.result.path.is_relative_to(folder)


@pytest.mark.parametrize("how", ["readable", "link", "file"])
def test_a_folder_that_somebody_else_prepared_is_refused(
    bucket: Path, tmp_path: Path, how: str
) -> None:
    folder = tmp_path / "tmp" / f"stepscope-{os.getuid()}"
    if how == "readable":
        folder.mkdir(mode=0o755)
        folder.chmod(0o755)
    elif how == "link":
        (tmp_path / "theirs").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "theirs")
    else:
        folder.touch(mode=0o600)
    for begin in (
        lambda: uploads.of("gs://lab/logs"),
        lambda: stepscope.profile_trace("gs://lab/logs").__enter__(),
        lambda: Profiler(log_dir="gs://lab/logs"),
    ):
        with pytest.raises(stepscope.PreflightError, match="must be a folder of this user") as why:
            begin()
        assert "TMPDIR" in (why.value.hint or "")
    assert uploads.of(tmp_path) is None


def test_a_block_is_copied(
    bucket: Path, tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    with stepscope.profile_trace("gs://lab/logs", name="one") as trace:
        trace.block(work())
    result = trace.result
    assert result is not None
    assert result.uploaded_to == f"gs://lab/logs/plugins/profile/{result.session_id}"
    copied = bucket / "lab" / "logs" / "plugins" / "profile" / result.session_id
    assert {path.name for path in copied.iterdir()} == {
        path.name for path in result.directory.iterdir()
    }
    assert captures.only_profile(bucket).read_bytes() == result.path.read_bytes()
    assert result.path.is_relative_to(tmp_path / "tmp")
    assert f"open it: stepscope view {result.uploaded_to}" in capsys.readouterr().err


def test_windows_are_copied_each_to_its_folder(bucket: Path, work: Work) -> None:
    seen = []
    profiler = Profiler(
        num_steps=1,
        start_step=1,
        interval=2,
        log_dir="gs://lab/run",
        subdirectory="step_{step:08d}",
        on_capture=lambda result: seen.append(result.uploaded_to),
    )
    for step in range(5):
        profiler.begin_step(step)
        profiler.end_step(work())
    profiler.close()
    folders = sorted(path.name for path in (bucket / "lab" / "run").iterdir())
    assert folders == ["step_00000001", "step_00000003"]
    assert [address.split("/")[4] for address in seen if address] == folders


def test_a_copy_that_fails_costs_nothing_but_the_copy(
    bucket: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    with stepscope.profile_trace("gs://full/logs") as trace:
        trace.block(work())
    assert trace.result is not None
    assert trace.result.uploaded_to is None
    assert trace.result.path.is_file()
    printed = capsys.readouterr().err
    assert "gsutil: quota exceeded; it is in" in printed
    assert f"stepscope view {trace.result.directory}" in printed


@pytest.fixture
def memory_bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setattr(uploads, "_has_fsspec", lambda scheme: scheme == "memory")
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()


def test_with_fsspec(memory_bucket: Any, work: Work) -> None:
    with stepscope.profile_trace("memory://lab/logs") as trace:
        trace.block(work())
    result = trace.result
    assert result is not None and result.uploaded_to is not None
    names = {Path(path).name for path in memory_bucket.find("/lab/logs")}
    assert names == {path.name for path in result.directory.iterdir()}
    with memory_bucket.open(f"{result.uploaded_to}/{result.path.name}") as file:
        assert file.read() == result.path.read_bytes()
