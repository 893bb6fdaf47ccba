"""The processes of a recorded run, as each sees the others: their rings and the incidents they opened.

A run is the folder `<log_dir>/record/<run>` with `rank_<n>.ring` of each process and one folder per
incident. A process learns from files what another one asks for, and, where jax's coordination
service is in use, from its keys, which need no shared folder.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import _jax, lives, ring, run_directory, session_ids
from .errors import CaptureError
from .lives import Life, Lives
from .recorders import write_atomically

REQUEST = "request.json"
_WATCHED = 4
_TAIL = 32
"""Newest records of another rank that are read at each look."""


class Run:
    """This process's place in the run, and its view of the others."""

    def __init__(self, log_dir: Path, capacity: int) -> None:
        """Joins the run of this job, or begins one.

        Raises:
            CaptureError: the folder cannot be written.
        """
        launched = session_ids.launcher()
        self.rank, self.count = (0, 1) if launched is None else launched[:2]
        if _jax.platform() is not None:  # asking jax earlier would create its devices
            self.rank, self.count = session_ids.process_of_job()
        self.host = run_directory.host_name()
        self.client = _jax.coordination_client() if _jax.is_loaded() and self.count > 1 else None
        self._seen: set[str] = set()
        self._lives = Lives()
        try:
            self.folder, self.ring = self._join(log_dir, capacity)
        except OSError as error:
            raise CaptureError(
                f"The recorder cannot write its ring ({error.strerror or error}): {log_dir}",
                "choose another folder with log_dir",
            ) from error
        self.incidents = self.folder / "incidents"
        self.incidents.mkdir(exist_ok=True)

    def _join(self, log_dir: Path, capacity: int) -> tuple[Path, ring.Ring]:
        store = session_ids.shared_store(log_dir) if _jax.is_loaded() else _store_of_launcher(log_dir)
        about = {
            "rank": self.rank,
            "process_count": self.count,
            "host": self.host,
            "pid": os.getpid(),
            "started_unix_ns": time.time_ns(),
        } | lives.identity()
        for attempt in range(1000):
            run = session_ids.new_id()
            if store is not None:
                run = session_ids.agree(store[0], store[1], f"record {attempt}", run)
            folder = log_dir / "record" / run
            folder.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):  # of a process that this one follows after a restart
                return folder, ring.Ring(folder / f"rank_{self.rank}.ring", about, capacity)
        raise FileExistsError(0, "too many runs began at the same time", str(log_dir))

    def watched(self) -> list[ring.Contents]:
        """The rings of the ranks that this one watches: the next few, so that all are watched."""
        steps = range(1, min(_WATCHED, self.count - 1) + 1)
        paths = [self.folder / f"rank_{(self.rank + one) % self.count}.ring" for one in steps]
        return _read(paths, _TAIL)

    def life(self, other: ring.Contents, lost_seconds: float) -> Life:
        """Whether another process stopped without ending."""
        return self._lives.of(other, lost_seconds)

    def ended_unix_ns(self, other: ring.Contents, record: ring.Record) -> int:
        """When a step of another process ended, on the clock of this one."""
        return self._lives.ended_unix_ns(other, record)

    def open(self, request: dict[str, Any]) -> Path:
        """Publishes a new incident; returns its folder."""
        folder = self.incidents / str(request["id"])
        folder.mkdir()
        self._seen.add(folder.name)
        text = json.dumps(request, indent=1)
        write_atomically(folder / REQUEST, text.encode())
        if self.client is not None:
            with suppress(Exception):  # the files remain
                self.client.key_value_set(f"{self._key}{folder.name}", text)
        return folder

    def new_requests(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Incidents that other processes opened since the last call."""
        found = {path.parent.name: path for path in self.incidents.glob(f"*/{REQUEST}")}
        for name in sorted(found.keys() - self._seen):
            with suppress(OSError, ValueError):
                request = json.loads(found[name].read_text(encoding="utf-8"))
                self._seen.add(name)
                yield found[name].parent, request
        for name, text in self._published():
            if name not in self._seen:
                self._seen.add(name)
                folder = self.incidents / session_ids.clean(name)
                folder.mkdir(exist_ok=True)
                with suppress(CaptureError):
                    write_atomically(folder / REQUEST, text.encode())
                yield folder, json.loads(text)

    def _published(self) -> list[tuple[str, str]]:
        list_keys = getattr(self.client, "key_value_dir_get", None)
        if list_keys is None:
            return []
        try:
            return [(key.rsplit("/", 1)[-1], text) for key, text in list_keys(self._key)]
        except Exception:  # noqa: BLE001 - no keys yet, or the service ended
            return []

    @property
    def _key(self) -> str:
        return f"stepscope/record/{self.folder.name}/"

    def may_open(self, rule: str, seconds: float) -> bool:
        """Whether no process opened an incident of this rule within `seconds`; then this one may."""
        mark = self.incidents / f".{session_ids.clean(rule)}"
        try:
            mark.mkdir()
        except FileExistsError:
            with suppress(OSError):
                if time.time() - mark.stat().st_mtime < seconds:
                    return False
                os.utime(mark)
                return True
            return False
        except OSError:
            return False
        return True


def rings(folder: Path, last: int | None = _TAIL) -> list[ring.Contents]:
    """The rings of a run by rank; those that cannot be read are left out."""
    return _read(folder.glob("rank_*.ring"), last)


def _read(paths: Iterable[Path], last: int | None) -> list[ring.Contents]:
    found = []
    for path in paths:
        with suppress(OSError, ValueError):
            found.append(ring.read(path, last))
    return sorted(found, key=lambda one: one.rank)


def _store_of_launcher(log_dir: Path) -> tuple[session_ids.Store, str] | None:
    launched = session_ids.launcher()
    job = session_ids.kubernetes_job() if launched is None else launched[2]
    return None if job is None else (session_ids.FolderStore(log_dir / ".stepscope"), job)
