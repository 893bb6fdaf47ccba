"""A quick check of a capture without the engine: does it contain anything?

Walks the outer layers of the profile (planes, lines, the first event of each) only,
so that it costs milliseconds however large the file is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_PLANES = 1
_PLANE_NAME, _PLANE_LINES = 2, 3
_LINE_EVENTS = 4
_PLANE_EVENT_METADATA = 4
_BYTES_SUSPICIOUS = 1000


@dataclass(slots=True)
class Contents:
    """An outline of a capture's contents."""

    size_bytes: int
    device_planes: list[str] = field(default_factory=list)
    planes_with_events: list[str] = field(default_factory=list)
    is_damaged: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it has no events of any program or device."""
        return not self.planes_with_events


def look(path: Path) -> Contents:
    """Inspects the capture at `path`. Damage is a result, not an error."""
    with path.open("rb") as file:
        data = memoryview(file.read())
    contents = Contents(size_bytes=len(data))
    try:
        for number, plane in _fields(data):
            if number == _PLANES:
                _look_at_plane(plane, contents)
    except (ValueError, IndexError):
        contents.is_damaged = True
    return contents


def _look_at_plane(plane: memoryview, contents: Contents) -> None:
    name, has_events = "", False
    for number, value in _fields(plane):
        if number == _PLANE_NAME:
            name = bytes(value).decode("utf-8", "replace")
        elif number == _PLANE_LINES and not has_events:
            has_events = any(inner == _LINE_EVENTS for inner, _ in _fields(value))
    if name.startswith("/device:"):
        contents.device_planes.append(name)
    if has_events:
        contents.planes_with_events.append(name)


def event_names(path: Path) -> set[str]:
    """The names of all events in the capture at `path`, without those of compiled programs.

    Raises:
        OSError: the file cannot be read.
    """
    found: set[str] = set()
    with path.open("rb") as file:
        data = memoryview(file.read())
    try:
        for number, plane in _fields(data):
            if number == _PLANES:
                found |= _names_in(plane)
    except (ValueError, IndexError):
        pass  # damage: what was found so far
    return found


def _names_in(plane: memoryview) -> set[str]:
    names: set[str] = set()
    for number, value in _fields(plane):
        if number == _PLANE_NAME and bytes(value) == b"/host:metadata":
            return set()
        if number == _PLANE_EVENT_METADATA:
            for field_number, metadata in _fields(value):
                if field_number != 2:
                    continue
                for inner, text in _fields(metadata):
                    if inner == 2:
                        names.add(bytes(text).decode("utf-8", "replace"))
    return names


def problems(contents: Contents, platform: str | None) -> list[str]:
    """What is wrong with a capture made on `platform`, one sentence each, with what to do."""
    if contents.size_bytes == 0:
        return ["The capture is empty (0 bytes); capture again."]
    if contents.is_damaged:
        return ["The capture is damaged; the disk may have been full. Capture again."]
    if contents.is_empty:
        return [
            "The capture has no events:  nothing ran while it was recorded, or both tracers were "
            "off. Run the work inside the capture and wait for its results (block)."
        ]
    found = []
    if contents.size_bytes < _BYTES_SUSPICIOUS:
        found.append(f"The capture has only {contents.size_bytes} bytes; was any work in it?")
    devices_with_events = [
        name for name in contents.planes_with_events if name.startswith("/device:")
    ]
    if platform in ("gpu", "cuda", "rocm", "tpu") and not devices_with_events:
        found.append(
            f"No {platform.upper()} events were recorded: the work ran elsewhere, another "
            "profiler is using the device, or this user may not profile it (docs/guides/capture.md)."
        )
    return found


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """The length-delimited fields of a protobuf message; others are skipped.

    Raises:
        ValueError: the bytes are not a message.
        IndexError: they end in the middle of one.
    """
    position, end = 0, len(data)
    while position < end:
        tag, position = _varint(data, position)
        wire = tag & 7
        if wire == 2:
            length, position = _varint(data, position)
            if position + length > end:
                raise ValueError("a field is longer than its message")
            yield tag >> 3, data[position : position + length]
            position += length
        elif wire == 0:
            _, position = _varint(data, position)
        elif wire in (1, 5):
            position += 8 if wire == 1 else 4
        else:
            raise ValueError("unknown wire type")


def _varint(data: memoryview, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
        if shift > 63:
            raise ValueError("a number is too long")
