"""The JAX arrays in the results of a function: waiting for them, and where they are.

Unlike a capture, a timed function need not use JAX at all, so nothing here imports it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _jax


def arrays_in(value: Any) -> list[Any]:
    """The JAX arrays in pytrees, dataclasses and plain objects; none while JAX is not imported."""
    return list(_jax._arrays_of(value, depth=2)) if _jax.is_loaded() else []


def wait(value: Any) -> None:
    """Returns when every JAX array in `value` is computed. Ignores NumPy and plain values.

    A computation that failed on the device raises here, as it does in JAX.
    """
    if _jax.is_loaded():
        _jax.block_until_ready(value)


def device_names(arrays: Iterable[Any]) -> list[str]:
    """The devices of the arrays, one entry per kind: `NVIDIA H200 x4 (gpu)`, `cpu`."""
    devices = {device for array in arrays for device in getattr(array, "devices", lambda: set())()}
    counts: dict[tuple[str, str], int] = {}
    for device in devices:
        key = (str(getattr(device, "device_kind", device.platform)), str(device.platform))
        counts[key] = counts.get(key, 0) + 1
    names = []
    for (kind, platform), count in sorted(counts.items()):
        times = f" x{count}" if count > 1 else ""
        names.append(f"{kind}{times}" if kind == platform else f"{kind}{times} ({platform})")
    return names
