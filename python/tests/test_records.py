"""Captures in records, which have no size limit, and behavior near the limit of the others."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import captures
import jax
import pytest

import stepscope
from stepscope import _jax, limits, machine_memory, profile_options, recorders, run_directory

Work = Callable[[], Any]
RECORDS = {"advanced_configuration": {profile_options.RECORDS: True}}
HAS_OPTIONS = hasattr(jax.profiler, "ProfileOptions")
WRITES_RECORDS = HAS_OPTIONS and _jax.version() >= profile_options.RECORDS_SINCE
pytestmark = pytest.mark.oldest


@captures.only_where(WRITES_RECORDS)
@pytest.mark.parametrize("fast", [True, False], ids=["fast", "public"])
def test_the_file_of_records_is_the_result(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch, fast: bool
) -> None:
    monkeypatch.setattr(_jax, "has_fast_stop", lambda: fast)
    for _ in range(2):
        with stepscope.profile_trace("profiles", profiler_options=RECORDS) as trace:
            work()
        assert trace.result is not None and trace.result.success
        path = trace.result.path
        assert path.name.endswith(".xplane.riegeli")
        assert path.read_bytes()[:4] == b"\x83\xaf\x70\xd1", "the signature of Riegeli"
        assert trace.result.size_bytes == path.stat().st_size > 0
        names = sorted(file.name for file in path.parent.iterdir())
        host = path.name.removesuffix(".xplane.riegeli")
        assert names == [f"{host}.stepscope.json", f"{host}.xplane.riegeli"]
    assert len(list((tmp_path / "profiles" / "plugins" / "profile").iterdir())) == 2


@captures.only_where(WRITES_RECORDS)
def test_a_capture_in_records_outlives_a_wish_that_it_cannot_fulfil(
    work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    with stepscope.profile_trace("profiles", profiler_options=RECORDS, mode="both") as trace:
        work()
    assert trace.result is not None and trace.result.path.name.endswith(".xplane.riegeli")
    assert "no trace.json.gz for a capture in records" in capsys.readouterr().err


@captures.only_where(HAS_OPTIONS and not WRITES_RECORDS)
def test_an_older_jax_writes_one_message_all_the_same(tmp_path: Path, work: Work) -> None:
    with stepscope.profile_trace("profiles", profiler_options=RECORDS):
        work()
    assert captures.only_profile(tmp_path).stat().st_size > 0


def test_a_capture_that_became_too_large_is_no_file_of_nothing(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """XLA's result above 2 GiB: an empty `.xplane.pb`, or no bytes."""
    move = recorders._move_exported  # noqa: SLF001

    def move_nothing(folder: Path, pattern: str, target: Path) -> None:
        move(folder, pattern, target)
        if pattern == "*.xplane.pb":
            target.write_bytes(b"")

    class Emptied:
        def __init__(self, session: Any) -> None:
            self.session = session

        def stop(self) -> bytes:
            self.session.stop()
            return b""

    with monkeypatch.context() as patch:
        patch.setattr(recorders, "_move_exported", move_nothing)
        with pytest.raises(stepscope.CaptureError, match="larger than 2 GiB") as caught:
            with stepscope.profile_trace("profiles") as trace:
                work()
                recorder = trace._session.recorder  # noqa: SLF001
                if isinstance(recorder, recorders.FastRecorder):
                    recorder._session = Emptied(recorder._session)  # noqa: SLF001
    assert profile_options.RECORDS in str(caught.value)
    assert captures.profiles(tmp_path) == []
    with stepscope.profile_trace("others"):
        work()
    assert captures.only_profile(tmp_path)


@pytest.mark.parametrize("max_megabytes", [4000.0, float("inf")])
def test_a_capture_ends_before_its_file_would_be_too_large(
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    max_megabytes: float,
) -> None:
    # More with every look: the watchdog of an earlier test may still take one.
    memory = itertools.count(0, 5 * 1_950_000_000)
    monkeypatch.setattr(machine_memory, "available_bytes", lambda: None)
    monkeypatch.setattr(limits, "allocated_bytes", lambda: next(memory))
    monkeypatch.setattr(limits, "_LOOK_EVERY_SECONDS", 0.01)
    with stepscope.profile_trace("profiles", max_megabytes=max_megabytes) as trace:
        assert ("is ended at 1900 MB" in capsys.readouterr().err) == (max_megabytes == 4000)
        deadline = time.monotonic() + 60  # what is recorded meanwhile stays in memory
        while trace._session.is_recording and time.monotonic() < deadline:  # noqa: SLF001
            work()
    assert trace.result is not None
    assert (trace.result.stopped_by or "").startswith("the size of its file, 1900 MB")


def test_records_have_no_such_limit() -> None:
    reasons: list[str] = []
    watchdog = limits.Watchdog(1.0, 4000.0, reasons.append, writes_records=True)
    assert watchdog._max_megabytes == 4000.0  # noqa: SLF001


def test_a_large_capture_is_told_to_become_smaller(capsys: pytest.CaptureFixture[str]) -> None:
    limits.remark_on_size(1_000_000_000, is_records=False)
    limits.remark_on_size(1_200_000_000, is_records=True)
    assert capsys.readouterr().err == ""
    limits.remark_on_size(1_200_000_000, is_records=False)
    assert "above 2 GiB it would be lost" in capsys.readouterr().err


def test_a_run_directory_knows_both_kinds_of_file(tmp_path: Path) -> None:
    place = run_directory.RunDirectory("run", "host", tmp_path, tmp_path)
    assert place.profile == place.message
    place.records.touch()
    assert place.profile == place.records
