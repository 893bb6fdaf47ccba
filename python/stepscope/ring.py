"""The recorder's file: a memory-mapped ring with one record of fixed size per step.

What was written stays in the file however the process ends, because the system owns the pages of a
mapped file. `<` is little endian; all times are in ns.

    page 0      magic, sizes, then one JSON object: rank, host, pid, metrics, ...
    page 0, end beat (unix ns), whether the process ended normally, number of records at that time
    then        records: number, step, end (perf_counter), step time, what is known,
                8 metrics, number again, 4 parts of the step time in µs (32 bits each)

Of what is known, bits 0 to 7 are the metrics and bits 32 to 35 the parts. The number of a record is
written before and after its metrics, so a record that was cut is recognized.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

MAGIC = b"stepring"
VERSION = 1
HEADER_BYTES = 4096
RECORD_BYTES = 128
METRICS_MAX = 8
_SIZES = struct.Struct("<8sIIQI")
_BEAT = struct.Struct("<QQQ")
_RECENT = 64
"""Records that a reader of the newest ones looks for after the last beat."""
_BEAT_AT = HEADER_BYTES - _BEAT.size
_RECORD = struct.Struct("<QqqqQ8dQ4I")
_NEW_RECORD = struct.Struct("<QqqqQ64xQI12x")
"""A record whose metrics and later parts are unknown. Padding is written as zeros, in half the time
that it takes to give each of them."""
_write_new = _NEW_RECORD.pack_into
_now_ns = time.perf_counter_ns
PARTS = ("between", "compiling", "collecting", "working")
"""Between the steps as the program marks them; tracing, lowering and compiling; garbage collection;
processor time of the loop's thread."""
_PARTS_AT = 112
_PART_BIT = 32
_PART_MAX = 2**32 - 1
_HEAD = struct.Struct("<QqqqQ")
_MASK_AT = _HEAD.size - 8


@dataclass(frozen=True, slots=True)
class Record:
    """One step: when its end was reached, and how long after the end of the step before."""

    number: int
    step: int
    ended_unix_ns: int
    step_ns: int
    metrics: dict[str, float] = field(default_factory=dict)
    parts: dict[str, int] = field(default_factory=dict)
    """Parts of the step time that are known, in ns."""


@dataclass(slots=True)
class Contents:
    """What a ring holds: who wrote it, when it last showed life, and its records, oldest first."""

    about: dict[str, Any]
    beat_unix_ns: int
    is_ended: bool
    records: list[Record]

    @property
    def rank(self) -> int:
        """The rank of the process."""
        return int(self.about.get("rank", 0))


class Ring:
    """The writer. Only one thread may call `append`."""

    def __init__(self, path: Path, about: dict[str, Any], capacity: int = 65536) -> None:
        """Creates the file.

        Raises:
            FileExistsError: there is one.
            OSError: it cannot be created.
        """
        self.path = path
        self.capacity = capacity
        self.count = 0
        self._about = dict(about)
        self._metrics: dict[str, int] = {}
        # The wall clock may jump; perf_counter does not.
        self.unix_ns_at_zero = time.time_ns() - time.perf_counter_ns()
        size = HEADER_BYTES + capacity * RECORD_BYTES
        with path.open("xb+") as file:
            os.truncate(file.fileno(), size)
            self._map = mmap.mmap(file.fileno(), size)
        self._last_ns = time.perf_counter_ns()
        self._write_about()
        self.beat()

    def append(self, step: int, began_ns: int | None = None) -> int:
        """Records that `step` has ended now; returns the number of its record.

        What lies before `began_ns`, if the program marks where a step begins, is between steps.
        """
        now = _now_ns()
        known = between_us = 0
        if began_ns is not None:
            known = 1 << _PART_BIT
            between_us = min(max(0, began_ns - self._last_ns) // 1000, _PART_MAX)
        number = self.count + 1
        _write_new(
            self._map,
            HEADER_BYTES + self.count % self.capacity * RECORD_BYTES,
            number,
            step,
            now,
            now - self._last_ns,
            known,
            number,
            between_us,
        )
        self._last_ns = now
        self.count = number
        return number

    @property
    def last_ns(self) -> int:
        """When the last step ended, on the clock of `time.perf_counter_ns`."""
        return self._last_ns

    def step(self, number: int) -> tuple[int, int, int]:
        """Step, end (perf_counter) and step time of the record `number`, which is still in the ring."""
        place = HEADER_BYTES + (number - 1) % self.capacity * RECORD_BYTES
        _, step, ended_ns, step_ns, _ = _HEAD.unpack_from(self._map, place)
        return step, ended_ns, step_ns

    def set_metric(self, number: int, name: str, value: float) -> None:
        """Adds a metric to a record; nothing if the ring has overwritten it, or after 8 names."""
        slot = self._metrics.get(name)
        if slot is None:
            if len(self._metrics) >= METRICS_MAX:
                return
            slot = self._metrics[name] = len(self._metrics)
            self._write_about()
        if number > self.count - self.capacity + 1:
            place = HEADER_BYTES + (number - 1) % self.capacity * RECORD_BYTES
            struct.pack_into("<d", self._map, place + _HEAD.size + 8 * slot, value)
            (known,) = struct.unpack_from("<Q", self._map, place + _MASK_AT)
            struct.pack_into("<Q", self._map, place + _MASK_AT, known | 1 << slot)

    def set_parts(self, number: int, parts: Mapping[str, int]) -> None:
        """Adds parts of its step time, in ns, to a record that the ring still has."""
        if number <= self.count - self.capacity + 1:
            return
        place = HEADER_BYTES + (number - 1) % self.capacity * RECORD_BYTES
        (known,) = struct.unpack_from("<Q", self._map, place + _MASK_AT)
        for name, ns in parts.items():
            slot = PARTS.index(name)
            microseconds = min(max(0, ns) // 1000, _PART_MAX)
            struct.pack_into("<I", self._map, place + _PARTS_AT + 4 * slot, microseconds)
            known |= 1 << _PART_BIT + slot
        struct.pack_into("<Q", self._map, place + _MASK_AT, known)

    def beat(self, *, is_ended: bool = False) -> None:
        """Shows that the process lives, and hands the pages to the file system."""
        _BEAT.pack_into(self._map, _BEAT_AT, time.time_ns(), int(is_ended), self.count)
        self._map.flush(0, HEADER_BYTES)

    def close(self) -> None:
        """The process ends normally."""
        self.beat(is_ended=True)
        self._map.flush()

    def _write_about(self) -> None:
        about = self._about | {
            "metrics": list(self._metrics),
            "unix_ns_at_zero": self.unix_ns_at_zero,
        }
        text = json.dumps(about).encode()[: _BEAT_AT - _SIZES.size]
        self._map[_SIZES.size : _SIZES.size + len(text)] = text
        _SIZES.pack_into(self._map, 0, MAGIC, VERSION, RECORD_BYTES, self.capacity, len(text))


def read(path: Path, last: int | None = None) -> Contents:
    """The ring at `path`, even while it is written or after its process was killed.

    With `last` only so many of the newest records are read: those around the last beat.

    Raises:
        ValueError: the file is not a ring, or is damaged.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
        about, capacity = _read_about(header, path)
        beat_unix_ns, ended, count = _BEAT.unpack_from(header, _BEAT_AT)
        data = _data(file, capacity, count, last)
    zero = int(about.get("unix_ns_at_zero", 0))
    names = [str(name) for name in about.get("metrics", [])]
    records = sorted(_records(data, zero, names), key=lambda record: record.number)
    if last is not None:
        records = [record for record in records if record.number > records[-1].number - last]
    return Contents(about, beat_unix_ns, bool(ended), records)


def _data(file: BinaryIO, capacity: int, count: int, last: int | None) -> bytes:
    """The bytes of all records, or of the newest ones."""
    if last is None or last + _RECENT >= capacity:
        return file.read(capacity * RECORD_BYTES)
    first, end = max(0, count - last) % capacity, count % capacity + _RECENT
    if first > end:  # around the end of the file
        file.seek(HEADER_BYTES + first * RECORD_BYTES)
        tail = file.read((capacity - first) * RECORD_BYTES)
        file.seek(HEADER_BYTES)
        return tail + file.read(end * RECORD_BYTES)
    file.seek(HEADER_BYTES + first * RECORD_BYTES)
    return file.read((end - first) * RECORD_BYTES)


def _read_about(header: bytes, path: Path) -> tuple[dict[str, Any], int]:
    if len(header) < HEADER_BYTES or not header.startswith(MAGIC):
        raise ValueError(f"not a ring of the recorder: {path}")
    _, version, record_bytes, capacity, length = _SIZES.unpack_from(header)
    if version != VERSION or record_bytes != RECORD_BYTES:
        raise ValueError(f"a ring of another version ({version}): {path}")
    about = json.loads(header[_SIZES.size : _SIZES.size + length])
    return about, int(capacity)


def _records(data: bytes, zero: int, names: list[str]) -> Iterator[Record]:
    whole = len(data) // RECORD_BYTES * RECORD_BYTES
    for values in _RECORD.iter_unpack(data[:whole]):
        number, step, ended_ns, step_ns, known = values[:5]
        metrics, again, parts = values[5:-5], values[-5], values[-4:]
        if number == 0 or number != again:
            continue
        found_parts = {
            name: 1000 * microseconds
            for slot, (name, microseconds) in enumerate(zip(PARTS, parts, strict=True))
            if known >> (_PART_BIT + slot) & 1
        }
        found = {
            name: value
            for slot, (name, value) in enumerate(zip(names, metrics, strict=False))
            if known >> slot & 1
        }
        yield Record(number, step, zero + ended_ns, step_ns, found, found_parts)
