"""Captures that all ranks of a job make at the same steps: the first rank says when, the others follow.

Ranks run at their own speed, so a time is not the same step on all of them. The first rank publishes
a step some way ahead, in the log directory and, where jax's coordination service is in use, as one of
its keys, which needs no shared folder.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from . import _jax, session_ids
from .errors import CaptureError
from .recorders import write_atomically

_STEPS_AHEAD_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Agreed:
    """A capture that all ranks make: from `step` on, or at once where steps cannot be told."""

    session_id: str
    step: int | None
    num_steps: int
    reason: str
    unix_ns: int


class AgreedCaptures:
    """This process's place among the ranks of its job, and what the first of them published."""

    def __init__(self, log_dir: Path, began_unix_ns: int) -> None:
        """`began_unix_ns` is when this process began, to tell what an earlier job left."""
        self.rank, self.count = session_ids.process_of_job()
        self._client = _jax.coordination_client() if self.count > 1 else None
        self._accepted_ns = began_unix_ns - int(session_ids.STALE_SECONDS * 1e9)
        job = _job()
        if job is not None and job.startswith("JOB_COMPLETION_INDEX=") and self.count == 1:
            # Kubernetes does not say how many there are.
            self.rank, self.count = int(os.environ["JOB_COMPLETION_INDEX"]), 2
        name = hashlib.sha256((job or "jax").encode()).hexdigest()[:16]
        self._file = log_dir / ".stepscope" / f"captures_{name}.json"
        self._key = f"stepscope/captures/{name}/"
        self._seen: set[str] = set()
        if self.rank == 0 and self.count > 1:
            with suppress(OSError):  # of an earlier job
                self._file.unlink()

    def publish(self, reason: str, step: int | None, num_steps: int) -> Agreed:
        """Tells the other ranks of a capture."""
        now = time.time_ns()
        agreed = Agreed(session_ids.new_id(at_unix_ns=now), step, num_steps, reason, now)
        self._seen.add(agreed.session_id)
        text = json.dumps(asdict(agreed))
        with suppress(OSError, CaptureError):  # the keys remain
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._file, text.encode())
        if self._client is not None:
            with suppress(Exception):  # the file remains
                self._client.key_value_set(f"{self._key}{agreed.session_id}", text)
        return agreed

    def new(self) -> Iterator[Agreed]:
        """What the first rank published since the last call."""
        for text in self._published():
            with suppress(ValueError, TypeError):
                agreed = Agreed(**json.loads(text))
                if agreed.session_id not in self._seen and agreed.unix_ns > self._accepted_ns:
                    self._seen.add(agreed.session_id)
                    yield agreed

    def _published(self) -> list[str]:
        found = []
        with suppress(OSError):
            found.append(self._file.read_text(encoding="utf-8"))
        list_keys = getattr(self._client, "key_value_dir_get", None)
        if list_keys is not None:
            with suppress(Exception):  # no keys yet, or the service ended
                found += [text for _, text in list_keys(self._key)]
        return found


def _job() -> str | None:
    launched = session_ids.launcher()
    return session_ids.kubernetes_job() if launched is None else launched[2]


def steps_ahead(step_seconds: float, look_seconds: float) -> int:
    """How far ahead a step must be so that all ranks learn of it before they get there."""
    wait = 2 * look_seconds + 1.0
    return 2 + min(_STEPS_AHEAD_MAX, math.ceil(wait / max(step_seconds, 1e-6)))
