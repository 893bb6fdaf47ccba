"""A misspelled keyword fails immediately, with a suggestion.

Python itself suggests a name from 3.13 on; here every version does.
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def suggests_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """A decorator: an unknown keyword is a `TypeError` with a suggestion.

    For functions called once or per capture, not per step: it costs an extra call.
    """
    parameters = inspect.signature(function).parameters
    named = {name for name, one in parameters.items() if one.kind is not one.POSITIONAL_ONLY}

    @functools.wraps(function)
    def checked(*arguments: P.args, **keywords: P.kwargs) -> R:
        if not keywords.keys() <= named:
            called = function.__qualname__.removesuffix(".__init__")
            if function.__name__ == "__init__" and arguments:
                called = type(arguments[0]).__name__
            unknown = next(name for name in keywords if name not in named)
            raise unknown_keyword(called, unknown, named - {"self"})
        return function(*arguments, **keywords)

    return checked


def unknown_keyword(called: str, name: str, known: Iterable[str]) -> TypeError:
    """The error for the keyword `name`, which `called` does not have."""
    text = f"{called}() got an unexpected keyword argument {name!r}"
    close = difflib.get_close_matches(name, sorted(known), n=1)
    return TypeError(f"{text}. Did you mean {close[0]!r}?" if close else text)


def accepted_keywords(function: Callable[..., Any]) -> set[str] | None:
    """The keywords that `function` takes; None if it takes any, or if unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return None
    return {one.name for one in parameters if one.kind is not one.POSITIONAL_ONLY}
