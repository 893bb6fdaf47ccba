"""jax's hook after each run of a compiled program, which we share with its own check for NaNs.

jax sets that hook anew, for the process or for one thread, whenever its check is turned on or off:

    jax.config.update("jax_debug_nans", True)      for the process
    with jax.debug_nans(False): ...                for the thread, also within jax (`jax.nn.relu`)

After the second one, the thread has a hook of its own, which is none, and no longer that of the process.
So we stand between jax and its state: whatever it sets is called first, and we are called after it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from . import _jax

Hook = Callable[[Any, Any, Any, Any], None]
"""Called with a program, its arguments, its keywords, and its outputs."""

_lock = threading.Lock()
_hooks: tuple[Hook, ...] = ()
_release: Callable[[], None] | None = None


def add(hook: Hook) -> Callable[[], None] | None:
    """Has jax call `hook` after each run. Returns a function that ends this; None if jax cannot."""
    global _hooks, _release
    with _lock:
        if _release is None:
            _release = _install()
        if _release is None:
            return None
        _hooks = (*_hooks, hook)
    return lambda: _remove(hook)


def _remove(hook: Hook) -> None:
    global _hooks, _release
    with _lock:
        _hooks = tuple(other for other in _hooks if other is not hook)
        if not _hooks and _release is not None:
            _release()
            _release = None


def _ran(program: Any, arguments: Any, keywords: Any, outputs: Any) -> None:
    for hook in _hooks:
        hook(program, arguments, keywords, outputs)


def _after(before: Any) -> Hook:
    """What jax set, and then we."""
    if before is None:
        return _ran

    def both(program: Any, arguments: Any, keywords: Any, outputs: Any) -> None:
        before(program, arguments, keywords, outputs)
        _ran(program, arguments, keywords, outputs)

    return both


class _Between:
    """Stands in for jax's state of the hook."""

    def __init__(self, state: Any) -> None:
        self._state = state
        self._before = state.get_global()
        self.set_global(self._before)
        # This thread has none, which hides that of the process.
        if state.get_local() is None:
            self.set_local(None)

    def get_global(self) -> Any:
        return self._before

    def set_global(self, hook: Any) -> None:
        self._before = hook
        self._state.set_global(_after(hook))

    def set_local(self, hook: Any) -> None:
        self._state.set_local(_after(hook) if hook is None or callable(hook) else hook)

    def release(self) -> None:
        """Gives jax what it set last. Other threads keep ours, which then does nothing."""
        self._state.set_global(self._before)
        if self._state.get_local() is _ran:
            self._state.set_local(None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._state, name)


def _install() -> Callable[[], None] | None:
    api: Any = _jax.private_module("jax._src.api")
    state = getattr(api, "_post_hook_state", None)
    if state is None:
        return _install_in_process()
    if not (hasattr(state, "get_global") and hasattr(state, "get_local")):
        return None
    between = _Between(state)
    api._post_hook_state = between

    def release() -> None:
        api._post_hook_state = state
        between.release()

    return release


def _install_in_process() -> Callable[[], None] | None:
    """In older versions, a thread without a hook of its own has that of the process.

    While jax's check is on, runs are not seen there.
    """
    jit: Any = getattr(_jax.private_module("jax._src.lib"), "jax_jit", None)
    if not hasattr(jit, "global_state"):
        return None
    shared: Any = jit.global_state()
    before = shared.post_hook
    shared.post_hook = _after(before)

    def release() -> None:
        shared.post_hook = before

    return release
