"""Reads captures for the tests: a slow, obvious walk that shares no code with the package."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def only_where(condition: bool) -> Callable[[Callable[..., None]], Callable[..., None] | None]:
    """A decorator: the test only exists if `condition` is true, such as a version of jax."""
    return lambda test: test if condition else None


def run_directories(log_dir: Path) -> list[Path]:
    """The run directories below `log_dir`, oldest first."""
    return sorted((log_dir / "plugins" / "profile").iterdir())


def profiles(log_dir: Path) -> list[Path]:
    """All profiles anywhere below `log_dir`, even while a capture is changing it."""
    while True:
        try:
            return sorted(log_dir.rglob("*.xplane.pb"))
        except FileNotFoundError:
            continue


def only_profile(log_dir: Path) -> Path:
    """The one profile below `log_dir`."""
    (found,) = profiles(log_dir)
    return found


def manifest_of(profile: Path) -> dict[str, Any]:
    """The manifest next to a profile."""
    path = profile.with_name(profile.name.replace(".xplane.pb", ".stepscope.json"))
    content: dict[str, Any] = json.loads(path.read_text())
    return content


def event_names(profile: Path) -> Counter[str]:
    """How often each event of the profile occurs, by name."""
    found: Counter[str] = Counter()
    for number, plane in _fields(profile.read_bytes()):
        if number != 1:
            continue
        names: dict[int, str] = {}
        lines = []
        for field, value in _fields(plane):
            if field == 3:
                lines.append(value)
            elif field == 4:
                entry = dict(_fields(value))
                names[entry.get(1, 0)] = dict(_fields(entry[2])).get(2, b"").decode()
        for line in lines:
            for field, event in _fields(line):
                if field == 4:
                    found[names.get(dict(_fields(event)).get(1, 0), "?")] += 1
    return found


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        if tag & 7 == 0:
            value, position = _varint(data, position)
            yield tag >> 3, value
        elif tag & 7 == 2:
            length, position = _varint(data, position)
            yield tag >> 3, data[position : position + length]
            position += length
        else:
            position += 8 if tag & 7 == 1 else 4


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
        shift += 7
