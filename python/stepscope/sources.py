"""What a session is opened from: a path, a capture's result, bytes, a `jax.profiler.ProfileData`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ._engine import engine, place
from .engine_errors import NoSuchSessionError, OptionsError

if TYPE_CHECKING:
    from . import _stepscope


def opened_native(source: object, session: str | int | None) -> _stepscope.Session:
    """The engine's session: the newest at a path, or the one named `session`."""
    native: type[_stepscope.Session] = engine().Session
    if isinstance(source, (str, os.PathLike)):
        return native.open(place(source), _wanted(session))
    if hasattr(source, "planes"):
        from .profile_data import profile_of

        source = profile_of(source)
    if isinstance(source, (bytes, bytearray, memoryview)):
        if session is not None:
            raise NoSuchSessionError("bytes contain a single session without a name")
        return native.open_bytes(bytes(source))
    if source is None:
        hint = "the result of a capture is None while it is running, or if it was disabled or nested"
        raise OptionsError("None cannot be opened", hint)
    kind = type(source).__name__
    raise OptionsError(f"a {kind} cannot be opened: expected a path, bytes, or a ProfileData")


def _wanted(session: str | int | None) -> str | None:
    if session is None or (isinstance(session, (str, int)) and not isinstance(session, bool)):
        return None if session is None else str(session)
    raise OptionsError(f"session={session!r} must be a name or a number")
