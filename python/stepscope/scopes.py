"""`profile_scope(name)`: a named region, seen on the timeline and in the names of ops.

Outside a capture and outside `jit` tracing it costs well under a microsecond, so scopes can stay in
the program permanently.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from . import _jax

P = ParamSpec("P")
R = TypeVar("R")

_annotation: Any = None
_named_scope: Any = None
_is_enabled: Callable[[], bool] = lambda: False
_is_outside_tracing: Callable[[], bool] = lambda: True


def _bind() -> bool:
    """Fetches from jax what scopes need, once jax is imported; False until then."""
    global _annotation, _named_scope, _is_enabled, _is_outside_tracing
    if not _jax.is_loaded() or not hasattr(sys.modules["jax"], "named_scope"):
        return False
    _named_scope = _jax.module().named_scope
    _is_outside_tracing = _jax.tracing_check()
    _annotation = _jax.profiler().TraceAnnotation
    _is_enabled = _annotation.is_enabled
    return True


class profile_scope:  # noqa: N801 - used like a function
    """Names a region of the program: `with profile_scope("forward_pass"): ...`.

    During a capture the region is a slice on the timeline of its thread, with `stats` in its
    details. If a function is traced by `jit`, the name becomes part of the names of its ops (as
    with `jax.named_scope`), so that device time is attributed to it too. Scopes nest, work in
    Python loops, and work as decorators: `@profile_scope("loss")`.
    """

    __slots__ = ("_entered", "name", "stats")

    def __init__(self, name: str, **stats: Any) -> None:
        self.name = name
        self.stats = stats
        self._entered: list[Any] | None = None

    def __enter__(self) -> profile_scope:
        if _annotation is None and not _bind():
            return self
        is_outside = _is_outside_tracing()
        if is_outside and not _is_enabled():
            return self
        entered = self._entered = self._entered or []
        if not is_outside:
            scope = _named_scope(self.name)
            scope.__enter__()
            entered.append(scope)
        annotation = _annotation(self.name, **self.stats)
        annotation.__enter__()
        entered.append(annotation)
        # How many contexts this level entered; an object may be entered within itself.
        entered.append(1 if is_outside else 2)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        entered = self._entered
        if not entered:
            return
        for _ in range(entered.pop()):
            entered.pop().__exit__(kind, error, trace)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        name, stats = self.name, self.stats
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def scoped_coroutine(*arguments: P.args, **keywords: P.kwargs) -> Any:
                with profile_scope(name, **stats):
                    return await function(*arguments, **keywords)

            return scoped_coroutine  # type: ignore[return-value]

        @functools.wraps(function)
        def scoped(*arguments: P.args, **keywords: P.kwargs) -> R:
            with profile_scope(name, **stats):
                return function(*arguments, **keywords)

        return scoped
