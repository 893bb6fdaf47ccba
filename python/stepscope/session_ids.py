"""Session IDs that are never used twice, and are the same on all hosts of a job.

An ID is the local time to the millisecond followed by the name:
`2026_11_21_14_05_09_123_train_step`. With several processes, the first one publishes its ID under a
key that all of them can compute, and the others use it: see `agree`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import socket
import time
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from . import _jax

STALE_SECONDS = 60.0
"""An ID published longer ago than this belongs to an earlier capture with the same key."""

_GENERATIONS_MAX = 1000
_RANK_VARIABLES = (
    ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_JOB_ID"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_MCA_ess_base_jobid"),
    ("PMI_RANK", "PMI_SIZE", "PMI_ID"),
    ("RANK", "WORLD_SIZE", "MASTER_PORT"),
)
"""Rank, size and job of common launchers (Slurm, Open MPI, MPICH, torchrun)."""

_LOCAL_RANK_VARIABLES = (
    "LOCAL_RANK",
    "SLURM_LOCALID",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MPI_LOCALRANKID",
    "PALS_LOCAL_RANKID",
)
"""The rank among the processes of one machine (torchrun, Slurm, Open MPI, MPICH, Cray)."""

_ids_of_this_process: set[str] = set()


def new_id(name: str | None = None, *, at_unix_ns: int | None = None) -> str:
    """An ID for a session that starts now, in local time, like jax's run directories."""
    at_unix_ns = time.time_ns() if at_unix_ns is None else at_unix_ns
    stamp = datetime.fromtimestamp(at_unix_ns // 1_000_000_000)
    text = f"{stamp:%Y_%m_%d_%H_%M_%S}_{at_unix_ns // 1_000_000 % 1000:03d}"
    return f"{text}_{clean(name)}" if name and clean(name) else text


def clean(name: str) -> str:
    """`name` with only letters, digits, `_`, `-` and `.`, fit for a file name."""
    return re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII).strip("_.")[:80]


class Store(Protocol):
    """A place shared by the processes of a job where the first value of a key wins."""

    def put_if_absent(self, key: str, value: str) -> str:
        """Stores `value` unless the key has one; returns the stored value."""


class CoordinationStore:
    """The key-value store of `jax.distributed`: reached by every process of the job."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def put_if_absent(self, key: str, value: str) -> str:
        try:
            self._client.key_value_set(key, value)
        except Exception as error:  # noqa: BLE001 - the class differs between versions of jaxlib
            if "exist" not in str(error).lower():
                raise
        return str(self._client.blocking_key_value_get(key, 10_000))


class FolderStore:
    """Files in the log directory, for jobs of a launcher without `jax.distributed`.

    It works for hosts that share the folder. A file appears under its name completely or not at
    all, because it is written under another name and then linked.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put_if_absent(self, key: str, value: str) -> str:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / hashlib.sha256(key.encode()).hexdigest()[:24]
        partial = self._folder / f"{path.name}.{os.getpid()}.{time.time_ns()}"
        partial.write_text(value, encoding="utf-8")
        try:
            os.link(partial, path)
        except FileExistsError:
            pass
        except OSError:
            # No hard links on this file system: exclusive creation is nearly as good.
            try:
                with path.open("x", encoding="utf-8") as file:
                    file.write(value)
            except FileExistsError:
                pass
        finally:
            partial.unlink(missing_ok=True)
        return _read_when_written(path) or value


def _read_when_written(path: Path) -> str:
    """The text of a file that another process may have created but not yet written."""
    for _ in range(200):
        text = path.read_text(encoding="utf-8")
        if text:
            return text
        time.sleep(0.01)
    return ""


def launcher() -> tuple[int, int, str] | None:
    """Rank, number of processes and job key from a launcher's environment variables."""
    for rank_name, size_name, job_name in _RANK_VARIABLES:
        rank, size = os.environ.get(rank_name, ""), os.environ.get(size_name, "")
        if rank.isdigit() and size.isdigit() and int(size) > 1:
            job = os.environ.get("PROFILE_JOB_ID") or os.environ.get(job_name) or "job"
            return int(rank), int(size), f"{job_name}={job}"
    return None


def kubernetes_job() -> str | None:
    """The key of an indexed Job of Kubernetes, whose pods are named `<job>-<index>`; None if not in one.

    Kubernetes does not say how many pods there are.
    """
    index = os.environ.get("JOB_COMPLETION_INDEX", "")
    if not index.isdigit():
        return None
    host = socket.gethostname()
    job = os.environ.get("PROFILE_JOB_ID") or host.split(f"-{index}", 1)[0]
    return f"JOB_COMPLETION_INDEX={job}"


def local_rank() -> int | None:
    """The rank of this process on its machine, if a launcher sets it in the environment."""
    found = (os.environ.get(name, "") for name in _LOCAL_RANK_VARIABLES)
    return next((int(rank) for rank in found if rank.isdigit()), None)


def process_of_job() -> tuple[int, int]:
    """Index of this process and their number, from jax, otherwise from the launcher."""
    index, count = _jax.process_index_and_count()
    launched = launcher() if count == 1 else None
    return (index, count) if launched is None else launched[:2]


def shared_store(log_dir: Path) -> tuple[Store, str] | None:
    """The shared store of this job's processes, with a key for the job; None for a lone process."""
    client = _jax.coordination_client()
    if client is not None and _jax.process_index_and_count()[1] > 1:
        return CoordinationStore(client), "jax"
    launched = launcher()
    job = kubernetes_job() if launched is None else launched[2]
    return None if job is None else (FolderStore(log_dir / ".stepscope"), job)


def agree(store: Store, job: str, capture: str, proposed_id: str) -> str:
    """The ID of the session that all processes of `job` make from `capture`.

    The first process publishes its proposal; no process waits for another. `capture` must be the
    same on all of them, such as `step 150 of profiles`. If the same capture is made again later,
    the stored value is recognized as old by its time, or as already used by this process, and the
    next generation of the key is tried.
    """
    now_ms = time.time_ns() // 1_000_000
    proposal = json.dumps({"id": proposed_id, "unix_ms": now_ms})
    for generation in range(_GENERATIONS_MAX):
        key = f"stepscope/{job}/{capture}/{generation}"
        agreed = json.loads(store.put_if_absent(key, proposal))
        agreed_id = str(agreed["id"])
        is_stale = now_ms - int(agreed["unix_ms"]) > STALE_SECONDS * 1000
        if not is_stale and agreed_id not in _ids_of_this_process:
            _ids_of_this_process.add(agreed_id)
            return agreed_id
    return proposed_id
