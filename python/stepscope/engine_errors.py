"""What can go wrong with a session or a question, one class for each error of the engine.

Each derives from `StepscopeError` and from the built-in class that code without this package would
expect, so that `except FileNotFoundError` around `stepscope.open` does what it says.
"""

from __future__ import annotations

import os

from .errors import StepscopeError


class EngineError(StepscopeError):
    """The base of what the engine raises. `path` is what the error is about, or None."""

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        path: str | os.PathLike[str] | None = None,
        errno: int | None = None,
    ) -> None:
        super().__init__(message, hint or None)
        self.path = None if path is None else os.fspath(path)
        _tell_system_error(self, errno, self.path)

    def __reduce__(self) -> tuple[object, ...]:
        errno = getattr(self, "errno", None)
        return (type(self), (self.message, self.hint, self.path, errno))


def _tell_system_error(error: BaseException, errno: int | None, path: str | None) -> None:
    """Fills in what code that catches `OSError` reads."""
    if isinstance(error, OSError):
        error.errno = errno
        error.filename = path


class EngineMissingError(EngineError, ImportError):
    """The extension module is not there, so sessions cannot be opened. Captures still work."""


class PathNotFoundError(EngineError, FileNotFoundError):
    """Nothing has this path."""


class NoProfilesError(EngineError, FileNotFoundError):
    """The path exists and holds no profile; the message says what is there instead."""


class UnreadableError(EngineError, OSError):
    """The system refused to give a file."""


class UnreadablePermissionError(UnreadableError, PermissionError):
    """The system refused to give a file because it is not readable for this user."""


class CorruptError(EngineError, ValueError):
    """An archive or a compressed file of which nothing could be read."""


class TooLargeError(EngineError, ValueError):
    """A file that unfolds to more than there is room for, or to more than is plausible."""


class NotAProfileError(EngineError, ValueError):
    """A file that was read and is no profile."""


class NotAMemoryProfileError(NotAProfileError):
    """A file that was read and is not a memory profile."""


class NoSuchSessionError(EngineError, LookupError):
    """No session at the path, or more than one, is called so."""


class NoSuchAnalysisError(EngineError, LookupError):
    """No analysis is called so."""


class OptionsError(EngineError, ValueError):
    """An option of an analysis that does not exist or has a value that is not understood."""


class UnknownOptionError(OptionsError, TypeError):
    """A keyword that a function does not have; the hint names the nearest."""


class SessionClosedError(EngineError, ValueError):
    """A question to a session after its `close()`."""


class PackageMissingError(EngineError, ImportError):
    """pandas, Polars or PyArrow was asked for and cannot be imported."""


class ExportError(EngineError, OSError):
    """A session could not be written or handed to another viewer: a file, or a port that is taken."""


class NothingSelectedError(EngineError, LookupError):
    """A selection matches nothing; the message lists what there is."""


class NoEventsError(EngineError, ValueError):
    """A question about time, asked of a session that holds memory profiles only."""


class AnalysisFailedError(EngineError, RuntimeError):
    """A defect of the engine."""


class OnDemandError(EngineError, RuntimeError):
    """A capture from outside that gave nothing."""


class OnDemandOptionsError(OnDemandError, ValueError):
    """An address or a setting of a capture from outside that makes no sense."""


class CaptureWarning(UserWarning):
    """A session was opened, and something is wrong with its files: figures may be incomplete."""
