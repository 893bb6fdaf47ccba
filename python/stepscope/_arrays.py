"""Finds the JAX arrays in any value and waits for them.

`jax.block_until_ready` follows pytrees. Results are often held by plain objects that JAX does not
know as pytrees, and waiting for those returns at once, so this walk looks into objects as well.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

# An object graph can be anything, such as a whole model with its tokenizer.
_MOST_OBJECTS = 100_000
_PLAIN = (bool, int, float, complex, str, bytes, bytearray, range, type(None), type)


def arrays_in(value: Any) -> list[Any]:
    """The JAX arrays reachable from `value` through containers, pytrees and attributes."""
    jax = sys.modules.get("jax")
    if jax is None:
        return []
    arrays: list[Any] = []
    seen: set[int] = set()
    pending = [value]
    while pending and len(seen) < _MOST_OBJECTS:
        item = pending.pop()
        if isinstance(item, _PLAIN) or id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, jax.Array):
            arrays.append(item)
        else:
            pending.extend(_parts(item))
    return arrays


def _parts(item: Any) -> list[Any]:
    if isinstance(item, Mapping):
        return list(item.values())
    if isinstance(item, (list, tuple, set, frozenset)):
        return list(item)
    if callable(item) and not hasattr(item, "__dataclass_fields__"):
        return []  # functions, methods and modules hold no results
    parts = list(getattr(item, "__dict__", {}).values())
    for owner in type(item).__mro__:
        slots = owner.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(item, name):
                parts.append(getattr(item, name))
    return parts


def wait(value: Any) -> None:
    """Returns when every JAX array in `value` is computed. NumPy and plain values pass.

    A computation that failed on the device raises here, as it does in JAX.
    """
    jax = sys.modules.get("jax")
    if jax is not None:
        jax.block_until_ready(value if isinstance(value, jax.Array) else arrays_in(value))


def device_names(arrays: list[Any]) -> list[str]:
    """The devices that hold the arrays, as `kind (platform)`, with a count where there are several.

    One entry per kind, such as `NVIDIA H200 x4 (gpu)` or `cpu x8 (cpu)`.
    """
    devices = {device for array in arrays if not array.is_deleted() for device in array.devices()}
    kinds: dict[tuple[str, str], int] = {}
    for device in devices:
        kind = (str(device.device_kind), str(device.platform))
        kinds[kind] = kinds.get(kind, 0) + 1
    return [
        f"{kind}{f' x{count}' if count > 1 else ''} ({platform})"
        for (kind, platform), count in sorted(kinds.items())
    ]
