"""`save_memory_profile(path)`: device memory used by live arrays and programs.

A snapshot in pprof's format (gzip), for `stepscope view`, `stepscope heap` and `pprof`. Memory
inside a jitted call is shown as one block of that call.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from . import _jax, console, session_ids
from .errors import CaptureError
from .recorders import write_atomically
from .settings import TRACE_DEFAULTS, Settings
from .signatures import suggests_keywords


@suggests_keywords
def save_memory_profile(
    path: str | os.PathLike[str] | None = None,
    *,
    outputs: Any = None,
    backend: str | None = None,
    timestamp: bool = False,
    quiet: bool | None = None,
) -> Path:
    """Writes a device memory profile and returns where.

    Waits for `outputs` first, or for every array that the program holds: arrays that are still
    being computed could be missing. Folders are created. If `path` is a folder (or missing, for
    PROFILE_DIR or `./profiles`), the file is `memory_<time>.prof`; with `timestamp`, the time is
    added to the file's name, so that snapshots in a loop are kept side by side.

    Raises:
        CaptureError: the backend is missing, or the file cannot be written.
    """
    settings = Settings.resolve(TRACE_DEFAULTS, quiet=quiet)
    target = _target(Path(settings.log_dir if path is None else path).expanduser(), path, timestamp)
    if outputs is not None:
        _jax.block_until_ready(outputs)
    else:
        _jax.block_on_live_arrays()
    try:
        content: bytes = _jax.profiler().device_memory_profile(backend)
    except RuntimeError as error:
        raise CaptureError(
            f"Cannot take the memory profile: {error}",
            "omit backend to profile the default one",
        ) from error
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CaptureError(
            f"Cannot create the folder ({error.strerror or error}): {target.parent}",
            "choose another folder",
        ) from error
    write_atomically(target, content)
    console.say(
        f"Memory profile saved: {target} ({console.bytes_text(len(content))})",
        quiet=settings.quiet,
    )
    return target


def _target(path: Path, given: object, timestamp: bool) -> Path:
    stamp = session_ids.new_id(at_unix_ns=time.time_ns())
    if given is None or path.is_dir() or str(given).endswith(os.sep):
        return path / f"memory_{stamp}.prof"
    if timestamp:
        return path.with_name(f"{path.stem}_{stamp}{path.suffix or '.prof'}")
    return path


save_device_memory_profile = save_memory_profile
"""jax's default name."""
