"""What made a step slow: compilation, garbage collection, time between steps, work, or waiting."""

from __future__ import annotations

import gc
import json
import time
from pathlib import Path

import pytest
import unmodified

import stepscope
from stepscope import incidents, ring, step_parts

MS = 10**6


@pytest.mark.parametrize(
    ("intervals", "covered"),
    [
        ([], 0),
        ([(0, 5), (25, 30)], 0),
        ([(5, 12), (18, 30)], 4),
        ([(11, 14), (12, 13), (13, 16)], 5),  # tracing contains tracing
        ([(0, 100)], 10),
    ],
)
def test_time_is_counted_once(intervals: list[tuple[int, int]], covered: int) -> None:
    assert step_parts.covered(reversed(intervals), 10, 20) == covered


def test_parts_are_kept_beside_the_metrics(tmp_path: Path) -> None:
    writer = ring.Ring(tmp_path / "rank_0.ring", {"rank": 0}, capacity=4)
    for step in range(6):
        time.sleep(0.002)
        began = time.perf_counter_ns() if step % 2 else None
        time.sleep(0.001)
        writer.append(step, began)
        writer.set_metric(writer.count, "loss", step / 2)
    writer.set_parts(5, {"compiling": 7 * MS, "working": 10**18})
    writer.set_parts(1, {"compiling": 7 * MS})  # overwritten long ago
    records = ring.read(writer.path).records
    assert [record.step for record in records] == [2, 3, 4, 5]
    assert [record.metrics for record in records] == [{"loss": step / 2} for step in range(2, 6)]
    assert records[0].parts == {}
    for record in (records[1], records[3]):
        assert set(record.parts) == {"between"}
        assert 2 * MS <= record.parts["between"] <= record.step_ns - MS
    assert records[2].parts == {"compiling": 7 * MS, "working": 1000 * (2**32 - 1)}


def test_the_threads_time_and_collections_are_known(tmp_path: Path) -> None:
    heap = [[number] for number in range(200_000)]
    with stepscope.recorder(tmp_path, rules=["idle > 600s"], quiet=True) as recorder:
        recorder.end_step(0)
        _work(1.5)
        recorder.end_step(1)
        time.sleep(1.5)
        recorder.end_step(2)
        gc.collect()
        recorder.end_step(3)
        time.sleep(0.3)
    assert len(heap) == 200_000
    by_step = {one.step: one for one in ring.read(recorder.directory / "rank_0.ring").records}
    # Samples are a tenth of a second apart, more on a busy machine: work just before a step's end is
    # partly counted to the next. How much a machine gives this thread is for the test of the cause.
    assert by_step[1].parts["working"] > 3 * by_step[2].parts["working"]
    assert by_step[3].parts["collecting"] > 0.5 * by_step[3].step_ns
    assert recorder._parts._collected not in gc.callbacks


def _work(seconds: float) -> None:
    ends = time.thread_time() + seconds
    while time.thread_time() < ends:
        sum(range(1000))


PROGRAM = unmodified.PROGRAM + """
import gc, glob, time
def compiling():
    # As jax reports it: how long compiling really takes differs by a factor of ten.
    time.sleep(1.2)
    jax.monitoring.record_event_duration_secs("/jax/core/compile/backend_compile_duration", 1.1)
def collecting():
    def slow(phase, _): time.sleep(0.6)
    gc.callbacks.append(slow)
    gc.collect()
    gc.callbacks.remove(slow)
def waiting():
    time.sleep(1.2)
for step in range(30):
    w, loss = train_step(w, x)
    time.sleep(0.005)
CAUSE()
while not glob.glob('profiles/record/*/incidents/*/report.txt'):
    w, loss = train_step(w, x)
    time.sleep(0.005)
"""


@pytest.mark.parametrize(
    ("cause", "grown"),
    [
        ("compiling", "compilation ("),
        ("collecting", "garbage collection ("),
        ("waiting", "waiting of the loop's thread ("),
    ],
)
def test_the_incident_says_what_grew(tmp_path: Path, cause: str, grown: str) -> None:
    program = PROGRAM.replace("CAUSE", cause)
    unmodified.run(tmp_path, program, {"record": True, "rules": ["step_time > 1s"]})
    assert f"; what grew on rank 0 was {grown}" in _cause(tmp_path)


def test_time_between_annotated_steps_is_told(tmp_path: Path) -> None:
    program = unmodified.PROGRAM + (
        "import glob, time\n"
        "step = 0\n"
        "while not glob.glob('profiles/record/*/incidents/*/report.txt'):\n"
        "    time.sleep(1.2 if step == 30 else 0.005)\n"
        "    with jax.profiler.StepTraceAnnotation('train', step_num=step):\n"
        "        w, loss = train_step(w, x)\n"
        "    step += 1\n"
    )
    unmodified.run(tmp_path, program, {"record": True, "rules": ["step_time > 1s"]})
    assert "; what grew on rank 0 was the time between steps (" in _cause(tmp_path)


def _cause(tmp_path: Path) -> str:
    (path,) = tmp_path.glob("profiles/record/*/incidents/*/incident.json")
    incident = json.loads(path.read_text())
    assert incident["cause"] in incidents.report(incident)[1]
    return str(incident["cause"])
