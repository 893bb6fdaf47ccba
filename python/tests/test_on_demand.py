"""On-demand captures of real jobs that called `jax.profiler.start_server`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from captures import event_names, manifest_of, run_directories
from ports import free_port

import stepscope

pytest.importorskip("stepscope._stepscope", reason="captures from outside are made by the engine")

JOB = """
import sys, time
import jax, jax.numpy as jnp
jax.profiler.start_server(int(sys.argv[1]))
program = jax.jit(lambda x: jnp.tanh(x @ x).sum())
x = jnp.ones((128, 128))
program(x).block_until_ready()
print("ready", flush=True)
step = 0
while True:
    if "idle" in sys.argv:
        time.sleep(0.05)
        continue
    with jax.profiler.StepTraceAnnotation("train", step_num=step):
        program(x).block_until_ready()
    step += 1
    time.sleep(0.01)
"""
READY_SECONDS = 120


class Job:
    """A process that trains forever and can be profiled."""

    def __init__(self, *arguments: str) -> None:
        self.port = free_port()
        self.address = f"localhost:{self.port}"
        command = [sys.executable, "-c", JOB, str(self.port), *arguments]
        environment = os.environ | {"JAX_PLATFORMS": "cpu"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)

    def wait_until_ready(self) -> Job:
        assert self.process.stdout is not None
        watch = threading.Timer(READY_SECONDS, self.process.kill)
        watch.start()
        line = self.process.stdout.readline()
        watch.cancel()
        assert line == "ready\n", f"the job ended with {self.process.wait()}"
        return self

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def jobs() -> Iterator[list[Job]]:
    started = [Job(), Job()]
    yield [job.wait_until_ready() for job in started]
    for job in started:
        job.kill()


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The command, as installed by the package."""
    command = [sys.executable, "-m", "stepscope", "capture", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_two_processes_become_one_session(jobs: list[Job], tmp_path: Path) -> None:
    addresses = [job.address for job in jobs]
    captured = stepscope.capture(addresses, 0.5, tmp_path, name="both", quiet=True)
    assert captured.status == "complete"
    assert captured.session_id.endswith("_both")
    assert run_directories(tmp_path) == [captured.path]
    for host, job in zip(captured.hosts, jobs, strict=True):
        assert host.path is not None
        assert host.path.name == f"localhost_{job.port}.xplane.pb"
        assert event_names(host.path)["train"] > 3
        assert manifest_of(host.path)["options"]["duration_seconds"] == 0.5
    assert any("steps" in line for line in captured.verdict)
    session = stepscope.open(captured)
    assert len(session.host_names) == 2
    assert len(session.step_numbers) > 3


def test_the_python_tracer_is_off_unless_asked_for(jobs: list[Job], tmp_path: Path) -> None:
    address = jobs[0].address
    without = stepscope.capture(address, 0.3, tmp_path, quiet=True)
    traced = stepscope.capture(address, 0.3, tmp_path, python_tracer_level=1, quiet=True)
    counts = []
    for captured in (without, traced):
        path = captured.hosts[0].path
        assert path is not None
        counts.append(sum(1 for name in event_names(path) if name.startswith("$")))
    assert counts[0] == 0 < counts[1]


def test_a_dead_host_is_named_and_the_other_kept(jobs: list[Job], tmp_path: Path) -> None:
    dead = f"localhost:{free_port()}"
    with pytest.warns(stepscope.CaptureWarning, match=dead):
        captured = stepscope.capture([jobs[0].address, dead], 0.2, tmp_path, quiet=True)
    assert captured.status == "partial"
    assert [host.address for host in captured.failed] == [dead]
    assert "start_server" in captured.failed[0].hint
    with pytest.raises(stepscope.EngineError, match="connection refused"):
        stepscope.capture(dead, 0.2, tmp_path)


def test_settings_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    for addresses, seconds in [("localhost", 1.0), ("a:1", 0.0), ("a:1", float("nan")), ([], 1.0)]:
        with pytest.raises(ValueError, match=r"port|1 ms|seconds|address"):
            stepscope.capture(addresses, seconds, tmp_path)
    assert not (tmp_path / "plugins").exists()


def test_a_busy_job_is_asked_again(jobs: list[Job], tmp_path: Path) -> None:
    address = jobs[0].address
    first = threading.Thread(
        target=stepscope.capture, args=(address, 1.5, tmp_path / "first"), kwargs={"quiet": True}
    )
    first.start()
    time.sleep(0.5)
    with pytest.raises(stepscope.EngineError, match="another profiling session is active"):
        stepscope.capture(address, 0.2, tmp_path / "hasty", busy_wait_seconds=0.2)
    patient = stepscope.capture(address, 0.2, tmp_path / "patient", quiet=True)
    first.join()
    assert patient.status == "complete"


def test_a_job_killed_while_it_records_is_told(jobs: list[Job], tmp_path: Path) -> None:
    doomed = Job().wait_until_ready()
    addresses = f"{doomed.address},{jobs[0].address}"
    command = [sys.executable, "-m", "stepscope", "capture", addresses]
    command += ["--duration", "4s", "--logdir", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as capture:
        assert capture.stderr is not None
        told = ""
        # It says so when the recording starts; how long that takes depends on the machine.
        while f"{doomed.address}: recording" not in told:
            line = capture.stderr.readline()
            assert line, told
            told += line
        time.sleep(1.0)
        doomed.kill()
        told += capture.stderr.read()
    assert capture.returncode == 4, told
    assert f"{doomed.address}: the job ended during the capture" in told
    (folder,) = run_directories(tmp_path)
    assert [path.name for path in folder.glob("*.pb")] == [f"localhost_{jobs[0].port}.xplane.pb"]


def test_an_idle_job_gives_an_empty_capture_that_says_so(tmp_path: Path) -> None:
    idle = Job("idle").wait_until_ready()
    try:
        done = run(idle.address, "--duration", "300ms", "--logdir", tmp_path)
    finally:
        idle.kill()
    assert done.returncode == 4
    assert "no events were recorded" in done.stderr


def test_a_series_makes_one_session_per_capture(jobs: list[Job], tmp_path: Path) -> None:
    done = run(
        jobs[0].address, "--duration", "100ms", "--every", "500ms", "--repeat", 3,
        "--logdir", tmp_path, "--no-verdict",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(run_directories(tmp_path)) == 3


def test_ctrl_c_ends_the_recording_and_keeps_it(jobs: list[Job], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "stepscope", "capture", jobs[0].address]
    process = subprocess.Popen(
        [*command, "--duration", "60s", "--logdir", str(tmp_path)],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert "recording" in process.stderr.readline()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    process.stderr.close()
    (folder,) = run_directories(tmp_path)
    (profile,) = folder.glob("*.xplane.pb")
    assert event_names(profile)["train"] > 3


def test_words_of_collect_profile_are_understood(jobs: list[Job], tmp_path: Path) -> None:
    done = run(jobs[0].port, 200, "--log_dir", tmp_path, "--no_perfetto_link")
    assert done.returncode == 0, done.stderr
    (folder,) = run_directories(tmp_path)
    assert (folder / f"127.0.0.1_{jobs[0].port}.xplane.pb").exists()


def test_snapshots_of_a_job_that_is_recorded_all_the_time(jobs: list[Job], tmp_path: Path) -> None:
    done = run(
        jobs[0].address, "--continuous", "--every", "400ms", "--repeat", 2, "--logdir", tmp_path
    )
    assert done.returncode == 0, done.stderr
    first, second = run_directories(tmp_path)
    for folder in (first, second):
        (profile,) = folder.glob("*.xplane.pb")
        assert event_names(profile)["train"] > 3
    # It was stopped: an ordinary capture is possible again.
    assert stepscope.capture(jobs[0].address, 0.1, tmp_path, quiet=True).status == "complete"
