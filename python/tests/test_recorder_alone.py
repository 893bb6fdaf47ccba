"""Recorded processes that nobody watches: one that is killed, and what its ring keeps."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import unmodified

from stepscope import ring

KILLED = """
import os, time, stepscope
recorder = stepscope.recorder("profiles", rules=["loss > 1e9"])
for step in range(40):
    recorder.end_step(step, loss=2.0 - step / 100)
    time.sleep(0.01)
time.sleep(0.6)
print("all steps", flush=True)
input()
os.kill(os.getpid(), 9)
"""


def incidents(folder: Path, code: int) -> dict[str, Any]:
    """What the command says of the runs in `folder`; with this exit code."""
    line = [sys.executable, "-m", "stepscope", "incidents", str(folder), "--json", "--check"]
    printed = subprocess.run(line, capture_output=True, text=True, check=False)
    assert printed.returncode == code, printed
    report: dict[str, Any] = json.loads(printed.stdout)
    return report


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is seen after two minutes")
def test_a_lone_process_that_is_killed_is_an_incident(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED],
        env=unmodified.environment(None),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "all steps\n"
    # It may be slow, but it lives.
    running = incidents(tmp_path / "profiles", 0)
    (loss,) = running["runs"][0]["metrics"]
    assert loss["name"] == "loss"
    assert [point["last"] for point in loss["points"]] == [2.0 - step / 100 for step in range(40)]
    process.communicate("\n")
    (found,) = incidents(tmp_path / "profiles", 4)["incidents"]
    assert found["what"] == "rank 0 stopped without ending after step 39"
    assert (found["kind"], found["is_derived"], found["step"]) == ("lost", True, 39)
    assert found["ranks"][0]["pid"] == process.pid


def test_a_ring_says_which_process_wrote_it(tmp_path: Path) -> None:
    program = unmodified.PROGRAM + "for step in range(30): w, loss = train_step(w, x)\n"
    unmodified.run(tmp_path, program, {"record": True, "steps_in_ring": 2000})
    (path,) = tmp_path.glob("profiles/record/*/rank_0.ring")
    assert path.stat().st_size == ring.HEADER_BYTES + 2000 * ring.RECORD_BYTES
    about = ring.read(path).about
    if sys.platform == "linux":
        assert about["process_space"].endswith(os.readlink("/proc/self/ns/pid"))
        assert about["process_start_ticks"] > 0
