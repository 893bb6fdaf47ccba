"""Errors, one class per kind of mistake.

Every error says what was found and, as `hint`, what to do about it. All of them derive from
`StepscopeError`, and each also from the built-in class that code without this package would
expect, so that `except RuntimeError` around a capture keeps working.
"""

from __future__ import annotations


class StepscopeError(Exception):
    """The base class of all errors of this package.

    `message` is one sentence; `hint` is what to do next, or None.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\n  hint: {self.hint}"


class SettingsError(StepscopeError, ValueError):
    """An invalid argument, flag, or PROFILE_* variable."""


class TriggerError(SettingsError):
    """A trigger such as `step_time > 2 * median` that cannot be parsed."""


class JaxMissingError(StepscopeError, ImportError):
    """A capture was requested, but jax cannot be imported."""


class CaptureError(StepscopeError, RuntimeError):
    """A capture that could not be started, stopped or written."""


class PreflightError(CaptureError):
    """A problem that would make a capture fail or be empty, found before its first step."""


class ProfilerBusyError(PreflightError):
    """Another profiler session is active in this process; there can be only one."""
