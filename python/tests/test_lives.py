"""Signs of life of the ranks of a recorded job: lost, silent, or only on a clock of its own."""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import unmodified

from stepscope import lives, ring
from stepscope.lives import Life, Lives

HOUR_NS = 3600 * 10**9
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="its /proc says what processes do")


@pytest.fixture
def child(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], ring.Contents]]:
    """A process, and the ring that it left after a few steps."""
    program = (
        "import sys, time; from stepscope import lives, ring\n"
        "import os; from pathlib import Path\n"
        "about = {'rank': 1, 'host': 'vm', 'pid': os.getpid()} | lives.identity()\n"
        "ring = ring.Ring(Path('rank_1.ring'), about, 8)\n"
        "ring.append(5)\n"
        "print('ready', flush=True)\n"
        "input()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env=unmodified.environment(None),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process, ring.read(tmp_path / "rank_1.ring")
    finally:
        process.kill()
        process.communicate()


class Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@linux_only
def test_a_process_that_is_stopped_is_silent_and_not_lost(
    child: tuple[subprocess.Popen[str], ring.Contents],
) -> None:
    process, contents = child
    clock = Clock()
    seen = Lives(clock)
    assert seen.of(contents, 15.0) is Life.GOES_ON
    process.send_signal(signal.SIGSTOP)
    clock.seconds += 14.0
    assert seen.of(contents, 15.0) is Life.GOES_ON
    clock.seconds += 2.0
    assert seen.of(contents, 15.0) is Life.SILENT
    ends = time.monotonic() + 10
    while not lives.is_stopped(contents.about) and time.monotonic() < ends:
        time.sleep(0.01)
    assert lives.is_stopped(contents.about)
    beats = dataclasses.replace(contents, beat_unix_ns=contents.beat_unix_ns + 1)
    assert seen.of(beats, 15.0) is Life.GOES_ON
    process.kill()
    while seen.of(beats, 15.0) is not Life.LOST:  # at once, also while nobody has buried it
        assert time.monotonic() < ends + 10
    assert not lives.is_stopped(contents.about)


@linux_only
def test_a_later_process_with_the_same_number_is_another_one(
    child: tuple[subprocess.Popen[str], ring.Contents],
) -> None:
    _, contents = child
    contents.about["process_start_ticks"] -= 1
    assert Lives().of(contents, 15.0) is Life.LOST
    # What runs in another container has numbers of its own.
    contents.about["process_space"] = "another"
    assert Lives().of(contents, 15.0) is Life.GOES_ON


@pytest.mark.parametrize("skew_ns", [-HOUR_NS, 0, HOUR_NS])
def test_clocks_of_other_hosts_may_differ(skew_ns: int) -> None:
    """An hour behind: each of its signs of life looks an hour old."""
    clock = Clock()
    seen = Lives(clock, lambda: int(clock.seconds * 1e9))
    about = {"rank": 1, "host": "elsewhere", "pid": 1, "process_space": "elsewhere"}
    for _ in range(100):
        clock.seconds += 0.5
        theirs = int(clock.seconds * 1e9) + skew_ns
        record = ring.Record(1, 7, theirs - 2 * 10**9, 10**6)
        contents = ring.Contents(about, theirs, is_ended=False, records=[record])
        assert seen.of(contents, 15.0) is Life.GOES_ON
        assert seen.ended_unix_ns(contents, record) == int((clock.seconds - 2.0) * 1e9)
    clock.seconds += 15.5
    assert seen.of(contents, 15.0) is Life.LOST
    contents.is_ended = True
    assert seen.of(contents, 15.0) is Life.GOES_ON


JOB = """
import glob, os, signal, sys, time
from pathlib import Path
import stepscope
from stepscope import flight_recorder
flight_recorder.LOST_SECONDS = 1.5
rank = int(os.environ["RANK"])
with stepscope.recorder("profiles", rules=["idle > 600s"]) as recorder:
    for step in range(20):
        recorder.end_step(step)
        time.sleep(0.01)
    Path(f"{rank}.pid").write_text(str(os.getpid()))
    while not os.path.exists("1.pid"):
        time.sleep(0.01)
    time.sleep(1.0)
    if rank == 1:
        os.kill(os.getpid(), signal.SIGSTOP)
    while not glob.glob("profiles/record/*/incidents/*/report.txt"):
        time.sleep(0.05)
    if rank == 0:
        os.kill(int(Path("1.pid").read_text()), signal.SIGCONT)
"""


@linux_only
def test_a_rank_that_is_stopped_is_an_incident_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(JOB)
    processes = [
        subprocess.Popen(
            [sys.executable, "job.py"],
            env=unmodified.environment(None, RANK=str(rank), WORLD_SIZE="2"),
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in (0, 1)
    ]
    try:
        told = [process.communicate(timeout=90)[1] for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0, 0], told
    (path,) = tmp_path.glob("profiles/record/*/incidents/*/incident.json")
    incident: dict[str, Any] = json.loads(path.read_text())
    pid = (tmp_path / "1.pid").read_text()
    assert (incident["kind"], incident["rank"]) == ("silent", 0)
    assert incident["what"] == "rank 1 shows no sign of life for 1.5 s, but its process exists"
    assert f"(process {pid}) shows no sign of life after step 19" in incident["cause"]
    assert incident["cause"].endswith("it is stopped, by a signal or a debugger")
    assert "killed" not in json.dumps(incident)
