"""jax's own note of the profiler session that it began: the forms it has, and how to use it.

`jax.profiler` notes its session in one private object, refuses another session while one is
noted, and does both under the lock of that object. What the object holds differs between versions
of jax: `FORMS` lists the forms. Nothing else in this package looks into it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from . import _jax, console


@dataclass(frozen=True, slots=True)
class Form:
    """What jax's note holds in some versions of jax."""

    versions: str
    session: str
    """The attribute that holds the session, None while there is no session."""
    others: Mapping[str, Any] = field(default_factory=dict)
    """Attributes beside the session and the lock, with their values while there is no session."""

    @property
    def attributes(self) -> frozenset[str]:
        """Every attribute of the note."""
        return frozenset({self.session, "lock", *self.others})


FORMS = (
    Form("0.12", "session"),
    Form(
        "0.4.13 to 0.11",
        "profile_session",
        {"log_dir": None, "create_perfetto_link": False, "create_perfetto_trace": False},
    ),
)
"""Every form that is known, the newest first."""

_has_told_of_unknown_form = False


def form_of(note: Any) -> Form | None:
    """The form of `note`, or None where it is a new one. Attributes that came later do no harm."""
    return next(
        (form for form in FORMS if all(hasattr(note, name) for name in form.attributes)), None
    )


def description_of_unknown(note: Any) -> str:
    """What is known about a note of a new form."""
    held = "it is missing" if note is None else f"it holds {', '.join(sorted(vars(note)))}"
    known = "; ".join(f"{', '.join(sorted(form.attributes))} in {form.versions}" for form in FORMS)
    return (
        f"jax {_jax.module().__version__} notes its profiler sessions in a form that this version "
        f"of stepscope does not know ({held}; known: {known})"
    )


class ProfilerState:
    """The note of jax that is installed; of an unknown form, one that is always free."""

    def __init__(self, note: Any) -> None:
        self._note = note
        self.form = form_of(note)

    @property
    def session(self) -> Any:
        """The session that jax has noted, which may be dead; ours is a `Mark`; None for none."""
        return None if self.form is None else getattr(self._note, self.form.session)

    @property
    def lock(self) -> Any:
        """The lock under which jax looks and notes, also while a mark stands before it."""
        lock = getattr(self._note, "lock", None) if self.form is not None else None
        return (lock.behind if isinstance(lock, Mark) else lock) or nullcontext()

    def occupy(self, mark: Mark) -> None:
        """Makes jax refuse every session with the words of `mark`."""
        if self.form is None:
            return
        mark.behind = self.lock
        self._note.lock = mark
        if self.session is None:
            setattr(self._note, self.form.session, mark)

    def free(self, mark: Mark) -> None:
        """Takes back what `occupy` did; what somebody else noted meanwhile stays."""
        with self.lock:
            if self.form is None:
                return
            if self._note.lock is mark:
                self._note.lock = mark.behind
            if self.session is mark:
                self._forget()

    def forget(self, session: Any) -> bool:
        """Makes jax forget `session` if that is the one it has noted; True if it was.

        After a failed stop, versions before 0.12 keep the dead session for the life of the process.
        """
        with self.lock:
            if self.form is None or session is None or self.session is not session:
                return False
            self._forget()
            return True

    def _forget(self) -> None:
        assert self.form is not None
        setattr(self._note, self.form.session, None)
        for name, value in self.form.others.items():
            setattr(self._note, name, value)


class Mark:
    """Stands in jax's note while we record, so that another session is refused, and told why.

    Without it jax would accept a second session, lose it at its end, and be stuck. It stands for
    the lock too, because that is what jax takes first whatever is asked of it, and what jax itself
    says of a session that is noted already does not tell whose that is.
    """

    def __init__(self, whose: str) -> None:
        self.whose = whose
        self.behind: Any = None

    def __enter__(self) -> None:
        raise self._refusal()

    def __exit__(self, *error: object) -> None:
        """Never reached."""

    def __getattr__(self, name: str) -> Any:
        # Versions differ in what they call to stop: `stop`, `export` or `stop_and_export`.
        raise self._refusal()

    def _refusal(self) -> RuntimeError:
        return RuntimeError(
            f"Profile has already been started: {self.whose} is recording, which is stopped by "
            "stepscope and not by jax.profiler. Only one profile may be run at a time."
        )


def current() -> ProfilerState:
    """The note of the jax that is installed, which is imported where that has not happened."""
    return ProfilerState(_jax.profiler_note())


def tell_of_unknown_form() -> None:
    """Says once what does not work because jax's note has a new form."""
    global _has_told_of_unknown_form
    state = current()
    if state.form is not None or _has_told_of_unknown_form:
        return
    _has_told_of_unknown_form = True
    console.warn(
        f"{description_of_unknown(_jax.profiler_note())}. Captures work; what is missing is that "
        "jax.profiler.start_trace inside one is refused, and that jax is cured of a session that a "
        "failed stop_trace left behind.\n  hint: upgrade stepscope"
    )
