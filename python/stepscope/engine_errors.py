"""Errors of sessions and questions, one class for each error of the engine.

Each derives from `StepscopeError` and from the built-in class that code without this package would
expect, so that `except FileNotFoundError` around `stepscope.open` does what it says.
"""

from __future__ import annotations

import os

from .errors import StepscopeError


class EngineError(StepscopeError):
    """The base class of the engine's errors. `path` is what the error is about, or None."""

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
    """Sets the attributes of `OSError`."""
    if isinstance(error, OSError):
        error.errno = errno
        error.filename = path


class EngineMissingError(EngineError, ImportError):
    """The extension module is missing, so sessions cannot be opened. Captures still work."""


class ProgramMissingError(EngineError, FileNotFoundError):
    """A program that answers queries, `stepscope-sql`, is not installed."""


class QueryError(EngineError, ValueError):
    """A query in SQL that is wrong, or needs more than it may use."""


class PathNotFoundError(EngineError, FileNotFoundError):
    """The path does not exist."""


class NoProfilesError(EngineError, FileNotFoundError):
    """The path exists but contains no profile; the message says what it contains."""


class UnreadableError(EngineError, OSError):
    """The system could not read a file."""


class UnreadablePermissionError(UnreadableError, PermissionError):
    """This user has no permission to read a file."""


class CorruptError(EngineError, ValueError):
    """An archive or a compressed file of which nothing could be read."""


class TooLargeError(EngineError, ValueError):
    """A file that decompresses to more than fits, or to more than is plausible."""


class NotAProfileError(EngineError, ValueError):
    """A file that is not a profile."""


class NotAMemoryProfileError(NotAProfileError):
    """A file that is not a memory profile."""


class NoSuchSessionError(EngineError, LookupError):
    """No session at the path, or more than one, matches the name."""


class NoSuchAnalysisError(EngineError, LookupError):
    """An unknown analysis."""


class NoSuchTableError(EngineError, KeyError):
    """The report has no table with this key."""


class OptionsError(EngineError, ValueError):
    """An unknown option of an analysis, or an invalid value."""


class UnknownOptionError(OptionsError, TypeError):
    """An unknown keyword of a function; the hint names the closest one."""


class SessionClosedError(EngineError, ValueError):
    """A session was used after its `close()`."""


class PackageMissingError(EngineError, ImportError):
    """pandas, Polars, or PyArrow is needed but cannot be imported."""


class ExportError(EngineError, OSError):
    """A session could not be exported or opened in another viewer: a file error, or a taken port."""


class NothingSelectedError(EngineError, LookupError):
    """A selection matches nothing; the message lists what is available."""


class NoEventsError(EngineError, ValueError):
    """A question about time for a session that has only memory profiles."""


class AnalysisFailedError(EngineError, RuntimeError):
    """A bug in the engine."""


class OnDemandError(EngineError, RuntimeError):
    """An on-demand capture that produced nothing."""


class OnDemandOptionsError(OnDemandError, ValueError):
    """An invalid address or setting of an on-demand capture."""


class CaptureWarning(UserWarning):
    """A session was opened, but something is wrong with its files: figures may be incomplete."""
