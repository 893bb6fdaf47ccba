"""Counts the programs that JAX compiles in this process, without importing JAX.

JAX reports each compilation to its monitoring listeners. One listener is registered, once, and
stays: it runs only when something compiles. Programs loaded from the persistent compilation cache
are reported too, because they also cost time inside the call that needs them.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque

# Recorded by JAX around "compile, or load from the persistent cache", since 0.4.
_COMPILE_EVENT = "/jax/core/compile/backend_compile_duration"
# Tracing, lowering and compiling, which may contain each other.
_EVENTS = "/jax/core/compile/"

intervals: deque[tuple[int, int]] = deque(maxlen=256)
"""The newest stretches of tracing, lowering and compiling, in ns of `time.perf_counter_ns`."""
_lock = threading.Lock()
_count = 0
_seconds = 0.0
_registered: bool | None = None  # None: not tried, False: this JAX offers no listener


def _on_event(event: str, duration_secs: float, **_: str | int) -> None:
    global _count, _seconds
    if event.startswith(_EVENTS):
        now = time.perf_counter_ns()
        intervals.append((now - int(duration_secs * 1e9), now))
    if event == _COMPILE_EVENT:
        with _lock:
            _count += 1
            _seconds += duration_secs


def is_counting() -> bool:
    """Whether compilations are counted from now on. False while JAX is not imported."""
    global _registered
    if _registered is None and "jax" in sys.modules:
        try:
            from jax import monitoring

            monitoring.register_event_duration_secs_listener(_on_event)
            _registered = True
        except (ImportError, AttributeError):
            _registered = False
    return bool(_registered)


def count() -> int:
    """Compilations since counting began. Differences are what matters."""
    return _count


def seconds() -> float:
    """Time spent in those compilations, in seconds."""
    return _seconds
