"""A profile of a TPU, written byte by byte: the tests have no TPU."""

from __future__ import annotations

STEPS = 20
STEP_PS = 1_000_000_000


def varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def message(field: int, content: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(content)) + content


def text(field: int, content: str) -> bytes:
    return message(field, content.encode())


def names(field: int, known: list[str]) -> bytes:
    """A table of a plane: entries of a map, numbered from 1."""
    entries = [
        number(1, key) + message(2, number(1, key) + text(2, name))
        for key, name in enumerate(known, 1)
    ]
    return b"".join(message(field, entry) for entry in entries)


def event(name: int, start_ps: int, duration_ps: int, stats: bytes = b"") -> bytes:
    return message(4, number(1, name) + number(2, start_ps) + number(3, duration_ps) + stats)


def line(key: int, name: str, events: list[bytes]) -> bytes:
    return message(3, number(1, key) + text(2, name) + b"".join(events))


def device(ordinal: int) -> bytes:
    """Steps of one millisecond, each with one program of two ops."""
    labels = [str(step) for step in range(STEPS)] + ["jit_step(7)", "fusion.1", "copy.2"]
    program, fusion, copy = STEPS + 1, STEPS + 2, STEPS + 3
    starts = [step * STEP_PS for step in range(STEPS)]
    ops = [
        one
        for start in starts
        for one in (
            event(fusion, start + 1000, 600_000_000 + ordinal),
            event(copy, start + 700_000_000, 100_000_000),
        )
    ]
    return (
        text(2, f"/device:TPU:{ordinal}")
        + line(1, "Steps", [event(1 + at, start, STEP_PS) for at, start in enumerate(starts)])
        + line(2, "XLA Modules", [event(program, start, 900_000_000) for start in starts])
        + line(3, "XLA Ops", ops)
        + names(4, labels)
    )


def threads(large_bytes: int, *, runs_programs: bool) -> bytes:
    """Host threads. If they run their own programs on the host's CPU, those are ops too."""
    stats = ["level", "hlo_op", "hlo_module", "device_ordinal"] if runs_programs else ["level"]
    noise = message(4, number(1, 1) + text(5, "x" * 1000))
    calls = [event(1, at * 1000, 500, noise) for at in range(large_bytes // len(noise))]
    lines = line(5, "python", calls)
    if runs_programs:
        told = [number(1, 2) + text(5, "dot.9"), number(1, 3) + text(5, "jit_evaluate")]
        told.append(number(1, 4) + number(4, 0))
        ops = b"".join(message(4, stat) for stat in told)
        lines += line(6, "tf_XLAEigen/6", [event(2, 1000, 5_000_000, ops)])
    return text(2, "/host:CPU") + lines + names(4, ["step", "dot.9"]) + names(5, stats)


def environment() -> bytes:
    start = message(6, number(1, 1) + number(3, 1_700_000_000_000_000_000))
    return text(2, "Task Environment") + names(5, ["profile_start_time"]) + start


def tpu_profile(host_bytes: int, *, runs_programs: bool = False) -> bytes:
    """Two devices, and host threads with about `host_bytes`."""
    planes = [device(0), device(1), threads(host_bytes, runs_programs=runs_programs), environment()]
    return b"".join(message(1, plane) for plane in planes) + text(4, "vm")
