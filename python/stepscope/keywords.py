"""Keywords and their values: a typo is an error at once, which names what was probably meant.

Python refuses unknown keywords by itself, but names the nearest from 3.13 on only; and what a
keyword is given reaches the engine as text, so that what makes no sense is refused here.
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
    """The function; a keyword that it does not have is an error that names the nearest."""
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
    """The names of its arguments that may be given by name, in order."""
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
    return UnknownOptionError(f"{function}() has no keyword {name}=", f"{meant}it has: {listed}")


def option_pairs(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Keywords as the engine knows options; those that are None are left out."""
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
    """The keywords that select a part of a session, as the engine knows options."""
    wanted = {"steps": steps, "time": time, "device": device, "host": host}
    return option_pairs(wanted | {"program": program, "match": match})


def truth(name: str, value: object) -> bool:
    """`value`, which must be True or False: a text such as "no" would count as true."""
    if not isinstance(value, bool):
        raise OptionsError(f"{name}={value!r} is not understood: True or False is needed")
    return value


def redaction(redact: object, key: object) -> bool:
    """Whether names are replaced; whatever leaves that in doubt is an error."""
    if isinstance(redact, str):
        hint = f"redact=True, redact_key={redact!r} makes names the same in every export"
        raise OptionsError(f"redact={redact!r} is not understood: True or False is needed", hint)
    is_redacted = truth("redact", redact)
    if key is not None and not is_redacted:
        raise OptionsError("redact_key= is given, and redact=True is not")
    if key is not None and (not isinstance(key, str) or not key):
        raise OptionsError("redact_key= is not understood: a text is needed")
    return is_redacted


def size(max_bytes: object) -> int | None:
    """A number of bytes, or None."""
    if max_bytes is None:
        return None
    if isinstance(max_bytes, int) and not isinstance(max_bytes, bool) and max_bytes > 0:
        return max_bytes
    raise OptionsError(f"max_bytes={max_bytes!r} is not understood: a number of bytes is needed")


def _text(name: str, value: Any) -> str:
    """A Python value as the command line writes it: `range(3, 8)` is `3..8`."""
    if name == "match":
        return _pattern(value)
    if isinstance(value, os.PathLike):
        return Path(value).read_text(encoding="utf-8")
    if isinstance(value, Iterable) and not isinstance(value, (str, range)):
        if isinstance(value, (bytes, bytearray, memoryview, Mapping)):
            raise OptionsError(f"{name}={value!r} is not understood: {_NEEDED}")
        return ",".join(_one(name, item) for item in value)
    return _one(name, value)


_NEEDED = "a text, a number, a range, or a list of these is needed"


def _one(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, range):
        return _range(value)
    if isinstance(value, slice):
        return _slice(name, value)
    # Numbers of numpy and others are no int, and index or add up like them.
    if hasattr(value, "__index__") or isinstance(value, float) or hasattr(value, "__float__"):
        return str(value)
    raise OptionsError(f"{name}={value!r} is not understood: {_NEEDED}")


def _range(value: range) -> str:
    if value.step == 1:
        return f"{value.start}..{value.stop}"
    return ",".join(str(number) for number in value)


def _slice(name: str, value: slice) -> str:
    ends = (value.start, value.stop)
    is_counted_back = any(isinstance(end, int) and end < 0 for end in ends)
    if value.step not in (None, 1) or is_counted_back:
        hint = "steps are named by their numbers: session.step_numbers[-3:] are the last three"
        raise OptionsError(f"{name}={value!r} cannot count back or in strides", hint)
    return "..".join("" if end is None else str(end) for end in ends)


def _pattern(value: Any) -> str:
    if isinstance(value, re.Pattern):
        value = value.pattern
    if not isinstance(value, str):
        hint = 'match="dot|fusion" matches either'
        raise OptionsError(f"match={value!r} is not understood: one text is needed", hint)
    return value
