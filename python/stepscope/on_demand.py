"""Capture running jobs on demand, over the port of `jax.profiler.start_server`.

The capturing program does not need jax; the engine does the work.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from . import console
from ._engine import engine, place, verdict_lines
from .engine_errors import CaptureWarning, OnDemandError
from .signatures import suggests_keywords


@dataclass(frozen=True)
class CapturedHost:
    """The result of one host: a file, or the reason why there is none."""

    address: str
    path: Path | None
    """The `.xplane.pb`."""
    size_bytes: int | None
    is_empty: bool
    """The host sent a profile without events."""
    error: str | None
    hint: str
    """What to do about the error; may be empty."""


@dataclass(frozen=True)
class OnDemandCapture(os.PathLike[str]):
    """A session captured on demand. It is a path: `stepscope.open(capture)` opens it."""

    session_id: str
    path: Path
    """The session's folder, `<logdir>/plugins/profile/<session_id>`."""
    status: str
    """`complete`, `partial` (hosts are missing or recorded nothing) or `nothing` (no events)."""
    hosts: tuple[CapturedHost, ...]
    verdict: tuple[str, ...]
    """A summary of the capture, in a few lines."""

    @property
    def failed(self) -> tuple[CapturedHost, ...]:
        """The hosts without a file."""
        return tuple(host for host in self.hosts if host.path is None)

    def __fspath__(self) -> str:
        return os.fspath(self.path)


@suggests_keywords
def capture(
    addresses: str | Iterable[str],
    duration_seconds: float = 2.0,
    logdir: str | os.PathLike[str] | None = None,
    *,
    name: str | None = None,
    host_tracer_level: int = 2,
    device_tracer_level: int = 1,
    python_tracer_level: int = 0,
    options: Mapping[str, bool | int | str] | None = None,
    start_delay_seconds: float | None = None,
    busy_wait_seconds: float = 5.0,
    connect_timeout_seconds: float = 5.0,
    reply_timeout_seconds: float = 180.0,
    quiet: bool = False,
) -> OnDemandCapture:
    """Records jobs that called `jax.profiler.start_server(port)`, all of them at the same time.

    Args:
        addresses: `"host:port"` of each process, as a list or separated by commas.
        duration_seconds: how long to record.
        logdir: the log directory [default: `PROFILE_DIR` or `./profiles`].
        name: a name to append to the session's time.
        host_tracer_level: 0 off, 1 annotations, 2 also the runtime, 3 everything.
        device_tracer_level: 0 off, 1 on.
        python_tracer_level: 1 records every Python call, which slows the job down.
        options: advanced options of the profiler, such as `{"tpu_trace_mode": "TRACE_COMPUTE"}`.
        start_delay_seconds: start this long after all hosts were reached; by default half a
            second for several hosts, and no delay for one.
        busy_wait_seconds: how long to retry while another capture is running.
        connect_timeout_seconds: how long to wait for a connection.
        reply_timeout_seconds: how long a host may take to send its profile.
        quiet: print nothing.

    Ctrl-C ends the recording early and keeps what was recorded; `KeyboardInterrupt` follows.

    Raises:
        OnDemandOptionsError: an address or a setting is invalid.
        OnDemandError: no host sent a profile, or the folder is not writable.
        EngineMissingError: the extension module is missing.

    Warns:
        CaptureWarning: some hosts sent nothing; `failed` names them.
    """
    chosen = place(os.environ.get("PROFILE_DIR", "") if logdir is None else logdir)
    session_id, folder, status, _, told = engine().capture(
        {
            "addresses": [addresses] if isinstance(addresses, str) else list(addresses),
            "logdir": chosen or "./profiles",
            "duration_seconds": float(duration_seconds),
            "name": name,
            "tracer_levels": (host_tracer_level, device_tracer_level, python_tracer_level),
            "options": list((options or {}).items()),
            "start_delay_seconds": start_delay_seconds,
            "busy_wait_seconds": float(busy_wait_seconds),
            "connect_timeout_seconds": float(connect_timeout_seconds),
            "reply_timeout_seconds": float(reply_timeout_seconds),
        }
    )
    hosts = tuple(CapturedHost(*host) for host in told)
    failed = [host for host in hosts if host.path is None]
    if len(failed) == len(hosts):
        reasons = "; ".join(f"{host.address}: {host.error}" for host in failed)
        raise OnDemandError(f"no host sent a profile: {reasons}", failed[0].hint or None)
    lines = tuple(verdict_lines(folder) or ())
    captured = OnDemandCapture(session_id, Path(folder), status, hosts, lines)
    if failed:
        missing = ", ".join(f"{host.address} ({host.error})" for host in failed)
        message = f"the capture is partial; missing hosts: {missing}"
        warnings.warn(message, CaptureWarning, stacklevel=3)
    for line in (*lines, f"open it: stepscope view {captured.path}"):
        console.say(line, quiet=quiet)
    return captured
