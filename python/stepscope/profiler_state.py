"""jax's own record of the profiler session it started: its forms, and how to use it.

`jax.profiler` records its session in one private object, refuses another session while one is
recorded, and does both under that object's lock. The contents of the object differ between versions
of jax: `FORMS` lists the forms. Nothing else in this package looks into it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from . import _jax, console


@dataclass(frozen=True, slots=True)
class Form:
    """The form of jax's record in some versions of jax."""

    versions: str
    session: str
    """The attribute with the session, which is None while there is no session."""
    others: Mapping[str, Any] = field(default_factory=dict)
    """Attributes other than session and lock, with their values while there is no session."""

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
"""All known forms, newest first."""

_has_told_of_unknown_form = False


def form_of(note: Any) -> Form | None:
    """The form of `note`, or None if it is a new one. Attributes added later do no harm."""
    return next(
        (form for form in FORMS if all(hasattr(note, name) for name in form.attributes)), None
    )


def description_of_unknown(note: Any) -> str:
    """A description of a record in a new form."""
    held = "it is missing" if note is None else f"it has {', '.join(sorted(vars(note)))}"
    known = "; ".join(f"{', '.join(sorted(form.attributes))} in {form.versions}" for form in FORMS)
    return (
        f"jax {_jax.module().__version__} records its profiler sessions in a form that this version "
        f"of stepscope does not know ({held}; known: {known})"
    )


class ProfilerState:
    """The record of the installed jax; if its form is unknown, one that is always free."""

    def __init__(self, note: Any) -> None:
        self._note = note
        self.form = form_of(note)

    @property
    def session(self) -> Any:
        """The session that jax has recorded, which may be dead (ours is a `Mark`), or None."""
        return None if self.form is None else getattr(self._note, self.form.session)

    @property
    def lock(self) -> Any:
        """The lock under which jax reads and writes the record, even while a mark replaces it."""
        lock = getattr(self._note, "lock", None) if self.form is not None else None
        return (lock.behind if isinstance(lock, Mark) else lock) or nullcontext()

    def occupy(self, mark: Mark) -> None:
        """Makes jax refuse every session with the message of `mark`."""
        if self.form is None:
            return
        mark.behind = self.lock
        self._note.lock = mark
        if self.session is None:
            setattr(self._note, self.form.session, mark)

    def free(self, mark: Mark) -> None:
        """Undoes `occupy`; what somebody else recorded in the meantime stays."""
        with self.lock:
            if self.form is None:
                return
            if self._note.lock is mark:
                self._note.lock = mark.behind
            if self.session is mark:
                self._forget()

    def forget(self, session: Any) -> bool:
        """Makes jax forget `session` if that is the one it has recorded; returns whether it was.

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
    """Replaces jax's record while we are recording, so that another session is refused with the
    reason.

    Without it jax would accept a second session, lose it at its end, and be stuck. It also replaces
    the lock, because that is what jax always takes first, and jax's own message about an active
    session does not say whose it is.
    """

    def __init__(self, whose: str) -> None:
        self.whose = whose
        self.behind: Any = None
        self.give_way: Callable[[], object] | None = None
        """Ends our recording, so that the other session is not refused."""

    def __enter__(self) -> None:
        if self.give_way is None:
            raise self._refusal()
        self.give_way()
        self.behind.__enter__()

    def __exit__(self, *error: object) -> None:
        self.behind.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        # Versions differ in what they call to stop: `stop`, `export` or `stop_and_export`.
        raise self._refusal()

    def _refusal(self) -> RuntimeError:
        return RuntimeError(
            f"Profile has already been started: {self.whose} is recording; stop it with "
            "stepscope, not with jax.profiler. Only one profile may be run at a time."
        )


def current() -> ProfilerState:
    """The record of the installed jax, which is imported if necessary."""
    return ProfilerState(_jax.profiler_note())


def tell_of_unknown_form() -> None:
    """Says once what does not work because jax's record has a new form."""
    global _has_told_of_unknown_form
    state = current()
    if state.form is not None or _has_told_of_unknown_form:
        return
    _has_told_of_unknown_form = True
    console.warn(
        f"{description_of_unknown(_jax.profiler_note())}. Captures work, but "
        "jax.profiler.start_trace inside one is not refused, and a session that a "
        "failed stop_trace left behind is not cleared.\n  hint: upgrade stepscope"
    )
