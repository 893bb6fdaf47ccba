"""jax's own record of its session: all known forms, and an unknown one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any

import captures
import jax
import pytest

import stepscope
from stepscope import _jax, profiler_state

Work = Callable[[], Any]
pytestmark = pytest.mark.oldest


def fresh(form: profiler_state.Form) -> SimpleNamespace:
    """A record in that form, as created by jax."""
    return SimpleNamespace(**form.others, **{form.session: None}, lock=Lock())


def test_the_form_of_the_installed_jax_is_known() -> None:
    """Fails with every new form, before users encounter it."""
    note = _jax.profiler_note()
    form = profiler_state.form_of(note)
    if form is None or set(vars(note)) != form.attributes:
        pytest.fail(
            f"{profiler_state.description_of_unknown(note)}: read jax/_src/profiler.py of this jax "
            "and add the form to FORMS in python/stepscope/profiler_state.py"
        )


@pytest.mark.parametrize("form", profiler_state.FORMS, ids=lambda form: form.session)
def test_every_form_is_told_apart_and_can_be_occupied(form: profiler_state.Form) -> None:
    note = fresh(form)
    state, mark, lock = profiler_state.ProfilerState(note), profiler_state.Mark("ours"), note.lock
    assert state.form is form
    state.occupy(mark)
    assert getattr(note, form.session) is mark
    with pytest.raises(RuntimeError, match="ours is recording"):
        with note.lock:
            pytest.fail("the lock must not be given")
    assert state.lock is lock
    state.free(mark)
    assert vars(note) == vars(fresh(form)) | {"lock": lock}


@pytest.mark.parametrize("form", profiler_state.FORMS, ids=lambda form: form.session)
def test_only_the_session_that_is_meant_is_forgotten(form: profiler_state.Form) -> None:
    note = fresh(form)
    state, session = profiler_state.ProfilerState(note), object()
    for name in form.others:
        setattr(note, name, "something")
    setattr(note, form.session, session)
    state.free(profiler_state.Mark("another"))
    assert not state.forget(object())
    assert state.session is session
    assert state.forget(session)
    assert vars(note) == vars(fresh(form)) | {"lock": note.lock}


@pytest.mark.parametrize("note", [None, SimpleNamespace(current=None, mutex=Lock())])
def test_an_unknown_form_is_told_once_and_captures_work(
    tmp_path: Path,
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    note: Any,
) -> None:
    monkeypatch.setattr(_jax, "profiler_note", lambda: note)
    monkeypatch.setattr(profiler_state, "_has_told_of_unknown_form", False)
    for _ in range(2):
        with stepscope.profile_trace("profiles"), stepscope.profile_scope("region"):
            work()
    told = capsys.readouterr().err
    assert told.count("in a form that this version of stepscope does not know") == 1
    assert ("it is missing" if note is None else "it has current, mutex") in told
    assert len(captures.profiles(tmp_path / "profiles")) == 2
    with jax.profiler.trace(str(tmp_path / "jax")):
        with stepscope.profile_trace("ours", name="inner_part") as inner:
            work()
    assert inner.is_nested
    assert captures.event_names(captures.only_profile(tmp_path / "jax"))["inner_part"] == 1


def test_a_hundred_captures_in_a_row(tmp_path: Path, work: Work) -> None:
    for _ in range(100):
        with stepscope.profile_trace("profiles", quiet=True) as trace:
            work()
        assert trace.result is not None and trace.result.success
    assert len(captures.profiles(tmp_path / "profiles")) == 100


def by_trace(folder: Path) -> Any:
    return jax.profiler.trace(str(folder))


class by_start_and_stop:  # noqa: N801 - read as the other ways
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        jax.profiler.start_trace(str(self.folder))

    def __exit__(self, *error: object) -> None:
        jax.profiler.stop_trace()


def by_session(folder: Path) -> Any:
    return jax.profiler.ProfileSession(log_dir=folder)


WAYS = [by_trace, by_start_and_stop]
if hasattr(jax.profiler, "ProfileSession"):
    WAYS.append(by_session)


@pytest.mark.parametrize("way", WAYS)
def test_inside_any_session_of_jax_a_block_is_a_mark(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str], way: Callable[[Path], Any]
) -> None:
    with way(tmp_path / "jax"):
        with stepscope.profile_trace("ours", name="inner_part") as inner:
            work()
        with pytest.raises(stepscope.ProfilerBusyError, match=r"jax\.profiler"):
            stepscope.start_trace("ours")
    assert inner.is_nested
    assert "this block becomes a mark in it" in capsys.readouterr().err
    assert captures.event_names(captures.only_profile(tmp_path / "jax"))["inner_part"] == 1
    with stepscope.profile_trace("ours"):
        work()
    assert captures.only_profile(tmp_path / "ours")
