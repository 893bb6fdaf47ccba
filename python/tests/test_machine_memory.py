"""Available memory of machine and container, and captures that end before it is used up."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepscope
from stepscope import machine_memory
from stepscope.machine_memory import MemoryGuard, _of_cgroups, _of_machine

Work = Callable[[], Any]


def group(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


def test_the_machine_says_what_is_available(tmp_path: Path) -> None:
    info = tmp_path / "meminfo"
    info.write_text("MemTotal: 100 kB\nMemFree: 10 kB\nMemAvailable:   70 kB\n")
    assert _of_machine(info) == 71_680
    assert _of_machine(tmp_path / "not there") is None
    info.write_text("MemAvailable:\n")
    assert _of_machine(info) is None


def test_limits_of_control_groups_version_2(tmp_path: Path) -> None:
    process = tmp_path / "process"
    process.write_text("0::/job/step\n")
    root = tmp_path / "cgroup"
    group(root / "job" / "step", memory__max="max", memory__current="5")
    group(
        root / "job",
        memory__max="1000",
        memory__current="900",
        memory__stat="anon 300\ninactive_file 250\n",
    )
    assert _of_cgroups(root, process) == [350]


def test_limits_of_control_groups_version_1(tmp_path: Path) -> None:
    process = tmp_path / "process"
    process.write_text("5:cpu,cpuacct:/x\n4:memory:/docker/abc\n")
    root = tmp_path / "cgroup"
    # In a container, the process's own group is the root.
    group(
        root / "memory", memory__limit_in_bytes="4096", memory__usage_in_bytes="96"
    )
    assert _of_cgroups(root, process) == [4000]
    group(root / "memory", memory__limit_in_bytes="9223372036854771712")
    assert _of_cgroups(root, process) == []
    assert _of_cgroups(root, tmp_path / "nothing") == []


def test_collecting_has_to_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    left = [1000.0]
    monkeypatch.setattr(machine_memory, "available_bytes", lambda: left[0])
    guard = MemoryGuard()
    assert guard.reason_to_stop(0) is None
    assert guard.reason_to_stop(100) is None
    left[0] = 599
    assert "collecting takes" in (guard.reason_to_stop(100) or "")
    left[0] = 601
    assert guard.reason_to_stop(100) is None
    left[0] = 10
    # Memory used by others is not the capture's fault, and ending it would free nothing.
    assert guard.reason_to_stop(0) is None


def test_a_capture_ends_when_memory_runs_out(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    import jax

    left = [10**12]
    monkeypatch.setattr(machine_memory, "available_bytes", lambda: left[0])
    began = time.monotonic()
    with stepscope.profile_trace("logs", quiet=True) as trace:
        session = trace._session
        assert session is not None
        left[0] = 10**6
        while session.is_recording and time.monotonic() - began < 30:
            for _ in range(1000):
                with jax.profiler.TraceAnnotation("kept until the end"):
                    pass
        trace.block(work())
    assert trace.result is not None
    assert (trace.result.stopped_by or "").startswith("the memory of the machine")
    assert trace.result.path.is_file()
