"""Sources of sessions: results of captures, bytes, ProfileData; and closing."""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import captures
import pytest

import stepscope
from stepscope import engine_errors as errors

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
DEMO = FIXTURES / "demo-gpt-cpu"
CAPTURE = DEMO / "plugins/profile/demo/vm.xplane.pb.gz"


@pytest.fixture(scope="module")
def raw() -> bytes:
    return gzip.decompress(CAPTURE.read_bytes())


@pytest.fixture(scope="module")
def from_file(raw: bytes, tmp_path_factory: pytest.TempPathFactory) -> stepscope.Session:
    file = tmp_path_factory.mktemp("file") / "in-memory.xplane.pb"
    file.write_bytes(raw)
    return stepscope.open(file)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_are_the_file(raw: bytes, from_file: stepscope.Session, kind: Any) -> None:
    session = stepscope.open(kind(raw))
    assert session.ops().to_dict() == from_file.ops().to_dict()
    assert session.steps().to_dict() == from_file.steps().to_dict()
    assert session.path is None
    assert session.manifest is None


def test_bytes_may_be_compressed(from_file: stepscope.Session) -> None:
    session = stepscope.open(CAPTURE.read_bytes())
    assert session.ops().to_dict() == from_file.ops().to_dict()


def test_other_kinds_of_bytes(tmp_path: Path) -> None:
    heap = stepscope.open((DEMO / "memory.prof").read_bytes())
    assert len(heap.heap()) > 0
    chrome = tmp_path / "run.trace.json.gz"
    stepscope.open(DEMO).export(chrome=chrome)
    steps = [row.duration_ps for row in stepscope.open(chrome).steps()]
    assert [row.duration_ps for row in stepscope.open(chrome.read_bytes()).steps()] == steps


@pytest.mark.parametrize("content", [b"", b"not a profile", b"\x00" * 100])
def test_bytes_that_are_no_profile(content: bytes) -> None:
    with pytest.raises(errors.NotAProfileError, match="in-memory"):
        stepscope.open(content)


def test_bytes_that_were_cut_short(raw: bytes) -> None:
    with pytest.warns(errors.CaptureWarning):
        session = stepscope.open(raw[: len(raw) * 2 // 3])
    assert session.warnings


@pytest.mark.parametrize("wrong", [None, 3, 1.5, ["logs"], object()])
def test_what_cannot_be_opened(wrong: Any) -> None:
    with pytest.raises(errors.OptionsError, match="opened"):
        stepscope.open(wrong)


def test_profile_data(raw: bytes, from_file: stepscope.Session) -> None:
    profile_data = pytest.importorskip("jax").profiler.ProfileData
    with pytest.warns(errors.CaptureWarning, match="ProfileData"):
        session = stepscope.open(profile_data.from_serialized_xspace(raw))
    assert session.devices == from_file.devices
    assert session.step_numbers == from_file.step_numbers
    # Integer nanoseconds, as in this capture.
    assert session.steps().to_dict()["rows"] == from_file.steps().to_dict()["rows"]
    ours, theirs = session.ops(limit=0).rows, from_file.ops(limit=0).rows
    assert [(row.name, row.self_ps, row.occurrences) for row in ours] == [
        (row.name, row.self_ps, row.occurrences) for row in theirs
    ]
    assert len(session.events) == len(from_file.events)
    # Programs are not included.
    assert not any(row.flops for row in ours)


def test_a_capture_s_result_opens(tmp_path: Path, work: Callable[[], Any]) -> None:
    with stepscope.profile_trace("profiles", name="mine", quiet=True) as trace:
        for step in range(3):
            with trace.step(step):
                trace.block(work())
    assert trace.result is not None
    with stepscope.open(trace.result) as session:
        assert session.path == trace.result.directory
        assert session.step_numbers == [0, 1, 2]
        assert session.manifest == captures.manifest_of(captures.only_profile(tmp_path))
        assert session.manifest["name"] == "mine"
        assert set(session.manifests) == set(session.host_names)
    assert len(stepscope.compare(trace.result, trace.result).sessions) == 2


def test_a_session_is_closed_at_the_end_of_its_block() -> None:
    with stepscope.open(DEMO) as session:
        ops = session.ops()
        assert not session.is_closed
    assert session.is_closed
    assert repr(session) == "<Session, closed>"
    assert session._repr_html_() is None
    for ask in (session.ops, session.slices, lambda: session.name, lambda: session.export(csv="x")):
        with pytest.raises(errors.SessionClosedError, match="closed"):
            ask()
    assert ops.rows and ops.to_csv()
    session.close()


def test_a_session_without_a_manifest() -> None:
    assert stepscope.open(DEMO).manifest is None


def test_nothing_is_warned_of_a_sound_capture() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stepscope.open(CAPTURE.read_bytes())
