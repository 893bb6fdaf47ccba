"""Converts a `jax.profiler.ProfileData` back to the profile it was read from, as far as possible.

JAX makes a `ProfileData` from a profile and has no way back, so the profile is rewritten as
described in tsl/profiler/protobuf/xplane.proto. It has only planes, lines, events, and their stats.
Missing are programs (HLO), what is recorded once for all events of a name (categories, FLOPs, and
scopes of TPU ops), thread IDs, and fractions of nanoseconds.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from itertools import count
from typing import Any, Protocol

NOTICE = (
    "it was opened from a ProfileData, which has no programs (HLO), nothing that is recorded once "
    "for all events of a name, and only whole nanoseconds; open the file or its bytes for all of it"
)
"""A remark about the session, stored in the profile as a message of its recorder."""

# Fields of XSpace, XPlane, XLine, XEvent, XStat and of the maps and names in a plane.
_SPACE_PLANES, _SPACE_WARNINGS = 1, 3
_PLANE_ID, _PLANE_NAME, _PLANE_LINES, _PLANE_EVENT_NAMES, _PLANE_STAT_NAMES, _PLANE_STATS = range(
    1, 7
)
_LINE_ID, _LINE_NAME, _LINE_TIMESTAMP_NS, _LINE_EVENTS = range(1, 5)
_EVENT_NAME, _EVENT_OFFSET_PS, _EVENT_DURATION_PS, _EVENT_STATS = range(1, 5)
_STAT_NAME, _STAT_DOUBLE, _STAT_UINT64, _STAT_INT64, _STAT_TEXT, _STAT_BYTES = range(1, 7)
_KEY, _VALUE = 1, 2

_INT64_END = 1 << 63


class ProfileData(Protocol):
    """`jax.profiler.ProfileData`, or anything with the same planes."""

    @property
    def planes(self) -> Iterable[Any]: ...


def profile_of(data: ProfileData) -> bytes:
    """The serialized XSpace."""
    planes = (_field(_SPACE_PLANES, _plane(plane, id)) for id, plane in enumerate(data.planes))
    return b"".join((*planes, _field(_SPACE_WARNINGS, NOTICE.encode())))


class _Names:
    """Names of events or stats of a plane, numbered from 1."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._next = count(1)

    def id(self, name: str) -> int:
        known = self._ids.get(name)
        if known is None:
            known = self._ids[name] = next(self._next)
        return known

    def entries(self, field: int) -> Iterable[bytes]:
        """The plane's map from numbers to names."""
        for name, id in self._ids.items():
            named = _number(1, id) + _field(2, _utf8(name))
            yield _field(field, _number(_KEY, id) + _field(_VALUE, named))


def _plane(plane: Any, id: int) -> bytes:
    events, stats = _Names(), _Names()
    parts = [_number(_PLANE_ID, id), _field(_PLANE_NAME, _utf8(plane.name))]
    for number, line in enumerate(plane.lines, 1):
        parts.append(_field(_PLANE_LINES, _line(line, number, events, stats)))
    parts += [_field(_PLANE_STATS, stat) for stat in _stats(plane, stats)]
    parts += events.entries(_PLANE_EVENT_NAMES)
    parts += stats.entries(_PLANE_STAT_NAMES)
    return b"".join(parts)


def _line(line: Any, number: int, names: _Names, stats: _Names) -> bytes:
    times = [(event, int(event.start_ns), event.start_ns % 1) for event in line.events]
    first_ns = min((start_ns for _, start_ns, _ in times), default=0)
    parts = [
        _number(_LINE_ID, number),
        _field(_LINE_NAME, _utf8(line.name)),
        _number(_LINE_TIMESTAMP_NS, first_ns),
    ]
    for event, start_ns, fraction in times:
        # Exact, even if times count from 1970 and no float can represent their picoseconds.
        offset_ps = (start_ns - first_ns) * 1000 + round(fraction * 1000)
        parts.append(_field(_LINE_EVENTS, _event(event, offset_ps, names, stats)))
    return b"".join(parts)


def _event(event: Any, offset_ps: int, names: _Names, stats: _Names) -> bytes:
    parts = [
        _number(_EVENT_NAME, names.id(event.name)),
        _number(_EVENT_OFFSET_PS, offset_ps),
        _number(_EVENT_DURATION_PS, round(event.duration_ns * 1000)),
    ]
    parts += [_field(_EVENT_STATS, stat) for stat in _stats(event, stats)]
    return b"".join(parts)


def _stats(owner: Any, names: _Names) -> Iterable[bytes]:
    """The stats of a plane or event, as far as they are readable."""
    stats = iter(owner.stats)
    while True:
        try:
            name, value = next(stats)
        except StopIteration:
            return
        except UnicodeDecodeError:  # opaque bytes, which ProfileData decodes as text
            continue
        encoded = _value(value)
        if encoded and name:
            yield _number(_STAT_NAME, names.id(name)) + encoded


def _value(value: object) -> bytes:
    if isinstance(value, int):
        field = _STAT_INT64 if -_INT64_END <= value < _INT64_END else _STAT_UINT64
        return _number(field, value)
    if isinstance(value, float):
        return bytes([_STAT_DOUBLE << 3 | 1]) + struct.pack("<d", value)
    if isinstance(value, str):
        return _field(_STAT_TEXT, _utf8(value))
    if isinstance(value, (bytes, bytearray)):
        return _field(_STAT_BYTES, bytes(value))
    return b""


def _utf8(text: str | None) -> bytes:
    return (text or "").encode("utf-8", "surrogateescape")


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def _varint(value: int) -> bytes:
    if value < 0x80:
        return _SMALL[value]
    parts = bytearray()
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


_SMALL = [bytes([value]) for value in range(0x80)]
