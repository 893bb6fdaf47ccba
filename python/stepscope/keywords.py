"""Keywords and their values: a typo is an immediate error that names the likely keyword.

Python itself rejects unknown keywords, but only suggests the closest one from 3.13 on. Values reach
the engine as text, so invalid ones are rejected here.
"""

from __future__ import annotations

import difflib
import functools
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from .engine_errors import OptionsError, UnknownOptionError

P = ParamSpec("P")
R = TypeVar("R")


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function; an unknown keyword is an error that names the closest one."""
    names = keywords_of(function)

    @functools.wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        __tracebackhide__ = True
        for name in keywords:
            if name not in names:
                raise unknown(function.__name__, name, names)
        return function(*args, **keywords)

    return call


def keywords_of(function: Callable[..., Any]) -> list[str]:
    """The names of its keyword arguments, in order."""
    plain: Any = getattr(function, "__wrapped__", function)
    code = plain.__code__
    first = code.co_posonlyargcount
    names = code.co_varnames[first : code.co_argcount + code.co_kwonlyargcount]
    return [name for name in names if name != "self"]


def unknown(function: str, name: str, names: list[str]) -> UnknownOptionError:
    """The error that `function` has no keyword `name`."""
    near = difflib.get_close_matches(name, names, 1)
    meant = f"did you mean {near[0]}=? " if near else ""
    listed = ", ".join(f"{known}=" for known in names) or "no keywords"
    return UnknownOptionError(f"{function}() has no keyword {name}=", f"{meant}available: {listed}")


def option_pairs(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Keywords as options of the engine; those that are None are left out."""
    return [
        (name.rstrip("_").replace("_", "-"), _text(name, value))
        for name, value in options.items()
        if value is not None
    ]


def selection(
    steps: object,
    time: object,
    device: object,
    host: object,
    program: object,
    match: object,
) -> list[tuple[str, str]]:
    """The keywords that select a part of a session, as options of the engine."""
    wanted = {"steps": steps, "time": time, "device": device, "host": host}
    return option_pairs(wanted | {"program": program, "match": match})


def truth(name: str, value: object) -> bool:
    """`value`, which must be True or False: a string such as "no" would be truthy."""
    if not isinstance(value, bool):
        raise OptionsError(f"{name}={value!r} must be True or False")
    return value


def redaction(redact: object, key: object) -> bool:
    """Whether names are redacted; anything ambiguous is an error."""
    if isinstance(redact, str):
        hint = f"redact=True, redact_key={redact!r} makes names the same in every export"
        raise OptionsError(f"redact={redact!r} must be True or False", hint)
    is_redacted = truth("redact", redact)
    if key is not None and not is_redacted:
        raise OptionsError("redact_key= requires redact=True")
    if key is not None and (not isinstance(key, str) or not key):
        raise OptionsError("redact_key= must be a string")
    return is_redacted


def size(max_bytes: object) -> int | None:
    """A number of bytes, or None."""
    if max_bytes is None:
        return None
    if isinstance(max_bytes, int) and not isinstance(max_bytes, bool) and max_bytes > 0:
        return max_bytes
    raise OptionsError(f"max_bytes={max_bytes!r} must be a number of bytes")


def _text(name: str, value: Any) -> str:
    """A Python value in command line syntax: `range(3, 8)` is `3..8`."""
    if name == "match":
        return _pattern(value)
    if isinstance(value, os.PathLike):
        return Path(value).read_text(encoding="utf-8")
    if isinstance(value, Iterable) and not isinstance(value, (str, range)):
        if isinstance(value, (bytes, bytearray, memoryview, Mapping)):
            raise OptionsError(f"{name}={value!r} is not valid: {_NEEDED}")
        return ",".join(_one(name, item) for item in value)
    return _one(name, value)


_NEEDED = "expected a string, a number, a range, or a list of these"


def _one(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, range):
        return _range(value)
    if isinstance(value, slice):
        return _slice(name, value)
    # Integers of NumPy and other libraries are not `int`, but support indexing.
    if hasattr(value, "__index__") or isinstance(value, float) or hasattr(value, "__float__"):
        return str(value)
    raise OptionsError(f"{name}={value!r} is not valid: {_NEEDED}")


def _range(value: range) -> str:
    if value.step == 1:
        return f"{value.start}..{value.stop}"
    return ",".join(str(number) for number in value)


def _slice(name: str, value: slice) -> str:
    ends = (value.start, value.stop)
    is_counted_back = any(isinstance(end, int) and end < 0 for end in ends)
    if value.step not in (None, 1) or is_counted_back:
        hint = "steps are selected by number: session.step_numbers[-3:] are the last three"
        raise OptionsError(f"{name}={value!r} cannot have negative bounds or a step", hint)
    return "..".join("" if end is None else str(end) for end in ends)


def _pattern(value: Any) -> str:
    if isinstance(value, re.Pattern):
        value = value.pattern
    if not isinstance(value, str):
        hint = 'match="dot|fusion" matches either'
        raise OptionsError(f"match={value!r} must be a single string", hint)
    return value
