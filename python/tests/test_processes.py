"""Several processes: one session for a job, separate ones for strangers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import captures
import pytest
from ports import free_port

import stepscope
from stepscope import run_directory, session_ids

PACKAGE_FOLDER = str(Path(stepscope.__file__).parents[1])

# Two captures of the same steps by every process, as a training loop would make them.
LOOP = """
import sys
rank, count, port, log_dir = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
import jax, jax.numpy as jnp
if port != "0":
    jax.distributed.initialize(f"127.0.0.1:{port}", num_processes=count, process_id=rank)
import stepscope
program = jax.jit(lambda x: x @ x)
profiler = stepscope.Profiler(num_steps=2, log_dir=log_dir, start_step=1, interval=5)
for step in range(8):
    profiler.begin_step(step)
    profiler.end_step(program(jnp.ones((8, 8))))
with stepscope.profile_trace(log_dir, name="evaluation"):
    program(jnp.ones((8, 8)))
profiler.close()
print(len(profiler.results), profiler.results[0].session_id)
"""


def run_processes(
    tmp_path: Path, port: int, environments: list[dict[str, str]]
) -> list[tuple[str, str]]:
    """Runs the loop in one process per environment; returns the standard output and error of each."""
    script = tmp_path / "loop.py"
    script.write_text(LOOP)
    base = {
        "PYTHONPATH": PACKAGE_FOLDER,
        "PATH": os.environ["PATH"],
        "JAX_PLATFORMS": "cpu",
        "HOME": str(tmp_path),
    }
    count = str(len(environments))
    processes = [
        subprocess.Popen(
            [sys.executable, str(script), str(rank), count, str(port), str(tmp_path / "profiles")],
            env=base | environment,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank, environment in enumerate(environments)
    ]
    printed = []
    try:
        for process in processes:
            printed.append(process.communicate(timeout=90))
    finally:
        for process in processes:
            process.kill()
    for process, (_, error) in zip(processes, printed, strict=True):
        assert process.returncode == 0, error
    return printed


def check_one_session_per_capture(log_dir: Path) -> None:
    """Three captures, each one directory with the files of both processes."""
    runs = captures.run_directories(log_dir)
    assert len(runs) == 3
    for run in runs:
        found = captures.profiles(run)
        assert len(found) == 2
        manifests = [captures.manifest_of(profile) for profile in found]
        assert {manifest["session_id"] for manifest in manifests} == {run.name}
        assert {manifest["process_index"] for manifest in manifests} == {0, 1}
        assert {manifest["process_count"] for manifest in manifests} == {2}
        assert len({manifest["step_first"] for manifest in manifests}) == 1
        assert len({manifest["host"] for manifest in manifests}) == 2
    # A process has the same name in every capture, and it carries no process id.
    by_process: dict[int, set[str]] = {0: set(), 1: set()}
    for profile in captures.profiles(log_dir):
        manifest = captures.manifest_of(profile)
        by_process[manifest["process_index"]].add(manifest["host"])
    assert [len(names) for names in by_process.values()] == [1, 1]
    host = run_directory.host_name()
    assert set().union(*by_process.values()) == {host, f"{host}_1"}


@pytest.mark.oldest
def test_a_job_of_jax_distributed_writes_one_session(tmp_path: Path) -> None:
    printed = run_processes(tmp_path, free_port(), [{}, {}])
    check_one_session_per_capture(tmp_path / "profiles")
    assert len({out for out, _ in printed}) == 1
    # Only the first process prints what was captured.
    assert ["Captured" in error for _, error in printed] == [True, False]


def test_a_job_of_a_launcher_writes_one_session(tmp_path: Path) -> None:
    environments = [
        {
            "SLURM_PROCID": str(rank),
            "SLURM_LOCALID": str(rank),
            "SLURM_NTASKS": "2",
            "SLURM_JOB_ID": "77",
        }
        for rank in range(2)
    ]
    run_processes(tmp_path, 0, environments)
    check_one_session_per_capture(tmp_path / "profiles")
    for profile in captures.profiles(tmp_path / "profiles"):
        manifest = captures.manifest_of(profile)
        assert manifest["host"].endswith("_1") == (manifest["process_index"] == 1)


def test_strangers_in_one_folder_have_sessions_of_their_own(tmp_path: Path) -> None:
    run_processes(tmp_path, 0, [{}, {}])
    runs = captures.run_directories(tmp_path / "profiles")
    assert len(runs) == 6
    assert all(len(captures.profiles(run)) == 1 for run in runs)


def test_a_chosen_id_is_shared_by_whoever_chooses_it(tmp_path: Path) -> None:
    run_processes(tmp_path, 0, [{"PROFILE_SESSION_ID": "mine", "PROFILE_MODE": "perfetto"}] * 2)
    runs = captures.run_directories(tmp_path / "profiles")
    assert [run.name for run in runs] == ["mine", "mine_2", "mine_3"]
    for run in runs:
        names = {profile.name for profile in captures.profiles(run)}
        assert names == {f"{run_directory.host_name()}{end}.xplane.pb" for end in ("", "_1")}
        traces = {path.name.split("perfetto_trace")[0] for path in run.glob("*perfetto_trace*")}
        assert len(traces) == 2  # neither wrote over the other
        assert "" in traces


@pytest.fixture
def forget_ids(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Treats this process as one without captures; clear the set to act as another process."""
    known: set[str] = set()
    monkeypatch.setattr(session_ids, "_ids_of_this_process", known)
    return known


def test_the_first_proposal_stays(tmp_path: Path, forget_ids: set[str]) -> None:
    store = session_ids.FolderStore(tmp_path)
    assert session_ids.agree(store, "job", "step 5", "a") == "a"
    forget_ids.clear()
    assert session_ids.agree(store, "job", "step 5", "b") == "a"
    assert session_ids.agree(store, "job", "step 6", "c") == "c"
    assert session_ids.agree(store, "other job", "step 5", "d") == "d"


def test_the_same_capture_again_is_a_new_session(tmp_path: Path, forget_ids: set[str]) -> None:
    store = session_ids.FolderStore(tmp_path)
    first = [session_ids.agree(store, "job", "step 5", name) for name in ("a", "b", "c")]
    assert first == ["a", "b", "c"]
    forget_ids.clear()
    # A slower process finds the three in the same order.
    assert [session_ids.agree(store, "job", "step 5", name) for name in "xyz"] == first


def test_what_an_earlier_run_left_is_old(
    tmp_path: Path, forget_ids: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = session_ids.FolderStore(tmp_path)
    assert session_ids.agree(store, "job", "step 5", "a") == "a"
    forget_ids.clear()
    now = session_ids.time.time_ns()
    monkeypatch.setattr(session_ids.time, "time_ns", lambda: now + 120 * 10**9)
    assert session_ids.agree(store, "job", "step 5", "b") == "b"


def test_names_fit_for_files() -> None:
    assert session_ids.clean("train step/1: ä") == "train_step_1"
    assert session_ids.clean("../..") == ""
    assert session_ids.new_id("x", at_unix_ns=1_700_000_000_123_000_000).endswith("_123_x")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, None),
        ({"RANK": "1", "WORLD_SIZE": "4", "MASTER_PORT": "5"}, (1, 4, "MASTER_PORT=5")),
        ({"RANK": "0", "WORLD_SIZE": "1"}, None),
        (
            {"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "8"},
            (3, 8, "OMPI_MCA_ess_base_jobid=job"),
        ),
        (
            {"RANK": "1", "WORLD_SIZE": "2", "PROFILE_JOB_ID": "mine"},
            (1, 2, "MASTER_PORT=mine"),
        ),
    ],
)
def test_launchers(
    environment: dict[str, str],
    expected: tuple[int, int, str] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for names in session_ids._RANK_VARIABLES:
        for name in names:
            monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert session_ids.launcher() == expected
