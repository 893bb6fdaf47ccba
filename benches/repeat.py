"""Repeats a capture in time: a profile as large as wanted, in the tracks of the small one.

    python benches/repeat.py SOURCE.xplane.pb TARGET.xplane.pb TIMES

Only the starts of lines are written anew; events are copied as they are. Planes of one name are parts
of one plane, and so are lines of one id, so the result is one long run.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

# Fields of `XSpace`, `XPlane`, `XLine`, `XEvent`.
PLANES, PLANE_ID, PLANE_NAME, LINES = 1, 1, 2, 3
LINE_START_NS, EVENTS, OFFSET_PS, DURATION_PS = 3, 4, 2, 3
# Between one repetition and the next.
PAUSE_NS = 1_000_000


def varint(data: memoryview, at: int) -> tuple[int, int]:
    """A number, and where the next field begins."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def as_varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(data: memoryview) -> Iterator[tuple[int, int | memoryview, memoryview]]:
    """Number, value and raw bytes of every field of a message."""
    at = 0
    while at < len(data):
        begin = at
        key, at = varint(data, at)
        value: int | memoryview
        match key & 7:
            case 0:
                value, at = varint(data, at)
            case 2:
                length, at = varint(data, at)
                value, at = data[at : at + length], at + length
            case kind:
                length = {1: 8, 5: 4}[kind]
                value, at = data[at : at + length], at + length
        yield key >> 3, value, data[begin:at]


def sub_message(field: int, body: bytes) -> bytes:
    return bytes([field << 3 | 2]) + as_varint(len(body)) + body


def line(data: memoryview) -> tuple[int, int, bytes]:
    """Start and end in nanoseconds, and the line without its start."""
    start_ns = end_ps = 0
    rest = []
    for number, value, raw in fields(data):
        if number == LINE_START_NS:
            start_ns = value
            continue
        if number == EVENTS:
            times = {number: value for number, value, _ in fields(value)}
            end_ps = max(end_ps, times.get(OFFSET_PS, 0) + times.get(DURATION_PS, 0))
        rest.append(raw)
    return start_ns, start_ns + end_ps // 1000, b"".join(rest)


def main(source: str, target: str, times: int) -> None:
    planes = []
    begin_ns, end_ns = 1 << 62, 0
    for number, plane, _ in fields(memoryview(Path(source).read_bytes())):
        if number != PLANES:
            continue
        own = list(fields(plane))
        lines = [line(value) for number, value, _ in own if number == LINES]
        rest = [(number, bytes(raw)) for number, _, raw in own if number != LINES]
        planes.append((lines, rest))
        for start_ns, stop_ns, _ in lines:
            if start_ns > 0:
                begin_ns, end_ns = min(begin_ns, start_ns), max(end_ns, stop_ns)
    period_ns = end_ns - begin_ns + PAUSE_NS
    with open(target, "wb") as out:
        for round in range(times):
            for lines, rest in planes:
                kept = [raw for number, raw in rest if round == 0 or number in (PLANE_ID, PLANE_NAME)]
                for start_ns, _, body in lines:
                    at_ns = start_ns + round * period_ns if start_ns > 0 else 0
                    start = bytes([LINE_START_NS << 3]) + as_varint(at_ns)
                    kept.append(sub_message(LINES, start + body))
                out.write(sub_message(PLANES, b"".join(kept)))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
