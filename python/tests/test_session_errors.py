"""Errors of sessions, as exceptions that say what to do."""

from __future__ import annotations

import errno
import gzip
import os
import pickle
import warnings
from pathlib import Path

import pytest

import stepscope
from stepscope import engine_errors as errors

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
DEMO = FIXTURES / "demo-gpt-cpu"
CAPTURE = DEMO / "plugins/profile/demo/vm.xplane.pb.gz"


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        stepscope.open(tmp_path / "nowhere")
    error = raised.value
    assert type(error) is errors.PathNotFoundError
    assert isinstance(error, stepscope.StepscopeError)
    assert error.filename == str(tmp_path / "nowhere")
    assert error.hint and error.hint in str(error)


def test_a_folder_without_profiles(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing that was recorded")
    for ask in (stepscope.open, stepscope.sessions):
        with pytest.raises(errors.NoProfilesError, match="1 other file") as raised:
            ask(tmp_path)
        assert raised.value.path == str(tmp_path)


def test_a_trace_without_events(tmp_path: Path) -> None:
    (tmp_path / "a.trace.json.gz").write_bytes(gzip.compress(b"{}"))
    with pytest.raises(errors.NotAProfileError, match="without any event") as raised:
        stepscope.open(tmp_path)
    assert "traceEvents" in raised.value.hint


@pytest.mark.parametrize("content", [b"", b"not a profile", b"\x00" * 100, os.urandom(2000)])
def test_garbage_is_no_profile(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "host.xplane.pb"
    file.write_bytes(content)
    with pytest.raises(ValueError, match="host.xplane.pb") as raised:
        stepscope.open(file)
    assert type(raised.value) is errors.NotAProfileError


def test_a_compressed_file_of_which_nothing_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "host.xplane.pb.gz"
    file.write_bytes(CAPTURE.read_bytes()[:12] + b"\xff" * 40)
    with pytest.raises(errors.CorruptError, match="gzip"):
        stepscope.open(file)


def test_a_bomb_is_too_large(tmp_path: Path) -> None:
    file = tmp_path / "host.xplane.pb.gz"
    # Compressed data may be concatenated: 1.1 GiB of zeros in total.
    file.write_bytes(gzip.compress(bytes(16 << 20)) * 70)
    with pytest.raises(errors.TooLargeError, match="bomb"):
        stepscope.open(file)


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    file = tmp_path / "host.xplane.pb.gz"
    file.write_bytes(CAPTURE.read_bytes())
    file.chmod(0)
    if os.access(file, os.R_OK):
        # Root can read anything; but a symlink loop fails for root as well.
        loop = tmp_path / "loop"
        loop.symlink_to(loop)
        with pytest.raises(errors.UnreadableError) as raised:
            stepscope.open(loop)
        assert isinstance(raised.value, OSError)
        assert raised.value.errno == errno.ELOOP
        return
    with pytest.raises(PermissionError) as refused:
        stepscope.open(file)
    assert type(refused.value) is errors.UnreadablePermissionError
    assert refused.value.errno == errno.EACCES


def test_a_truncated_capture_opens_with_a_warning(tmp_path: Path) -> None:
    raw = gzip.decompress(CAPTURE.read_bytes())
    file = tmp_path / "host.xplane.pb"
    file.write_bytes(raw[: len(raw) * 2 // 3])
    with pytest.warns(errors.CaptureWarning, match="host"):
        session = stepscope.open(file)
    assert session.warnings
    assert session.warnings[0].message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert stepscope.open(DEMO).name == "demo"


def test_a_session_that_is_not_there() -> None:
    with pytest.raises(errors.NoSuchSessionError, match="available: demo"):
        stepscope.open(DEMO, session="another")


def test_questions_that_make_no_sense() -> None:
    session = stepscope.open(DEMO)
    with pytest.raises(ValueError, match="^steps= ") as raised:
        session.ops(steps="first")
    assert type(raised.value) is errors.OptionsError
    with pytest.raises(errors.NothingSelectedError, match="available"):
        session.ops(device="TPU:99")
    with pytest.raises(errors.OptionsError, match="no keyword no_such_option="):
        session.run("ops", no_such_option=1)
    with pytest.raises(TypeError):
        session.ops(no_such_option=1)  # type: ignore[call-arg]
    with pytest.raises(errors.NoSuchAnalysisError) as unknown:
        session.run("astrology")
    assert unknown.value.hint is not None and "overview" in unknown.value.hint


def test_a_memory_profile_alone_has_no_steps() -> None:
    session = stepscope.open(DEMO / "memory.prof")
    with pytest.raises(errors.NoEventsError, match="memory profile"):
        session.steps()


def test_errors_survive_pickling(tmp_path: Path) -> None:
    with pytest.raises(errors.PathNotFoundError) as raised:
        stepscope.open(tmp_path / "nowhere")
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (str(copy), copy.hint, copy.path) == (
        str(raised.value),
        raised.value.hint,
        raised.value.path,
    )
