"""The extension module, if installed. The capture side uses it for the verdict, and works without it."""

from __future__ import annotations

import json
import os
from types import ModuleType

from .engine_errors import EngineMissingError


def engine() -> ModuleType:
    """The extension module; raises `EngineMissingError` if it cannot be loaded."""
    try:
        from . import _stepscope
    except ImportError as error:
        raise EngineMissingError(
            f"cannot load stepscope's engine ({error})",
            "install the package with its extension module: pip install stepscope",
        ) from error
    return _stepscope


def place(path: str | os.PathLike[str]) -> str:
    """A path or an address as the engine expects it: with `~` expanded, as a shell would do."""
    return os.path.expanduser(os.fspath(path))


def verdict_lines(path: str | os.PathLike[str]) -> list[str] | None:
    """The verdict on the newest session at `path` in a few plain lines; None without the engine."""
    try:
        module = engine()
    except EngineMissingError:
        return None
    if all(name != "verdict" for name, _ in module.analyses()):
        return None
    session = module.Session.open(os.fspath(path), None)
    lines: list[str] = json.loads(session.run("verdict", []).json())["lines"]
    return lines
