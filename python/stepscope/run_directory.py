"""Where a capture is written: `<log_dir>/plugins/profile/<session_id>/<host>.xplane.pb`.

TensorBoard, XProf, and `stepscope view` read this layout. A run directory belongs to one session
forever: it is created exclusively, and each process claims its file in it by creating its manifest
before the capture starts.
"""

from __future__ import annotations

import os
import re
import socket
import string
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import session_ids
from .errors import CaptureError, SettingsError

_ATTEMPTS_MAX = 10_000
_NAMES_MAX = 1000
"""More processes than any job runs on one machine."""


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """A claimed place for one host's capture."""

    session_id: str
    host: str
    folder: Path
    log_dir: Path

    @property
    def profile(self) -> Path:
        """The capture itself: its records if jax wrote them, otherwise one message."""
        return self.records if self.records.exists() else self.message

    @property
    def message(self) -> Path:
        """The capture as one protobuf message, which must be smaller than 2 GiB."""
        return self.folder / f"{self.host}.xplane.pb"

    @property
    def records(self) -> Path:
        """The capture as records in a Riegeli file, of any size."""
        return self.folder / f"{self.host}.xplane.riegeli"

    @property
    def manifest(self) -> Path:
        """The manifest; creating it claimed the place."""
        return self.folder / f"{self.host}.stepscope.json"

    @property
    def trace_json(self) -> Path:
        """The trace for the old trace viewer, written on demand."""
        return self.folder / f"{self.host}.trace.json.gz"

    def claim_perfetto(self) -> Path:
        """The path of the trace for ui.perfetto.dev: jax's name for it, created empty.

        Of several processes in this folder the first gets that name; jax's own would overwrite each
        other.
        """
        path = self.folder / "perfetto_trace.json.gz"
        try:
            path.open("x").close()
        except FileExistsError:
            return self.folder / f"{self.host}.{path.name}"
        return path

    def release(self) -> None:
        """Releases the place, if a capture did not start."""
        self.manifest.unlink(missing_ok=True)
        for folder in (self.folder, self.folder.parent, self.folder.parent.parent):
            try:
                folder.rmdir()
            except OSError:
                break


def claim(
    log_dir: Path,
    *,
    name: str | None,
    session_id: str | None,
    capture: str,
    process_index: int | None,
) -> RunDirectory:
    """Creates the run directory for a capture that starts now, and claims a file in it.

    `session_id` is the user's choice of an ID; all processes that choose the same one share the
    directory. Otherwise the processes of a job agree on one (`session_ids`), and a lone process
    uses a new directory.

    Raises:
        CaptureError: the directory cannot be created.
    """
    profile_folder = log_dir / "plugins" / "profile"
    try:
        if session_id is not None:
            return _claim_chosen(log_dir, profile_folder, session_id, process_index)
        shared = session_ids.shared_store(log_dir)
        if shared is not None:
            agreed = session_ids.agree(shared[0], shared[1], capture, session_ids.new_id(name))
            return _claim_chosen(log_dir, profile_folder, agreed, process_index)
        return _claim_new(log_dir, profile_folder, name, process_index)
    except OSError as error:
        raise CaptureError(
            f"Cannot create the run directory ({error.strerror or error}): {profile_folder}",
            "choose another folder with log_dir, --profile_dir or PROFILE_DIR",
        ) from error


def _claim_new(
    log_dir: Path, profile_folder: Path, name: str | None, process_index: int | None
) -> RunDirectory:
    profile_folder.mkdir(parents=True, exist_ok=True)
    at_unix_ns = time.time_ns()
    for attempt in range(_ATTEMPTS_MAX):
        session_id = session_ids.new_id(name, at_unix_ns=at_unix_ns + attempt * 1_000_000)
        folder = profile_folder / session_id
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        claimed = _claim_file(log_dir, folder, process_index)
        if claimed is not None:
            return claimed
    raise CaptureError(f"Found no free name for a run directory in {profile_folder}")


def _claim_chosen(
    log_dir: Path, profile_folder: Path, session_id: str, process_index: int | None
) -> RunDirectory:
    """A directory that others may share; if the same process uses it again, it gets a number."""
    base = session_ids.clean(session_id)
    if not base:
        raise CaptureError(f"{session_id!r} is not a valid session name", "use letters and digits")
    for attempt in range(1, _ATTEMPTS_MAX):
        folder = profile_folder / (base if attempt == 1 else f"{base}_{attempt}")
        mine = f"{folder}\0{os.getpid()}"
        if mine in _claimed:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        claimed = _claim_file(log_dir, folder, process_index)
        if claimed is not None:
            _claimed.add(mine)
            return claimed
    raise CaptureError(f"Found no free name for session {base} in {profile_folder}")


_claimed: set[str] = set()


_name_of_this_process: str | None = None


def _claim_file(log_dir: Path, folder: Path, process_index: int | None) -> RunDirectory | None:
    """Claims the file of this process, which has the same name in all its captures."""
    global _name_of_this_process
    for name in _names(process_index):
        place = RunDirectory(folder.name, name, folder, log_dir)
        if place.profile.exists():
            continue
        try:
            place.manifest.open("x").close()
        except FileExistsError:
            continue
        _name_of_this_process = _name_of_this_process or name
        return place
    return None


def _names(process_index: int | None) -> Iterator[str]:
    """Names for the file of this process, best first.

    `<host>` is the first process of a machine and `<host>_1` the second: by their local rank if a
    launcher provides it, otherwise in the order of their first captures.
    """
    host = host_name()
    if _name_of_this_process is not None:
        yield _name_of_this_process
    rank = session_ids.local_rank()
    if rank:
        yield f"{host}_{rank}"
    else:
        yield host
    if process_index:
        yield f"{host}_{process_index}"
    for number in range(1, _NAMES_MAX):
        yield f"{host}_{number}"


def host_name() -> str:
    """The machine's name, as jax names its files."""
    return session_ids.clean(socket.gethostname()) or "localhost"


def fixed(log_dir: str | os.PathLike[str]) -> str:
    """`log_dir` made absolute, so that later changes of the working directory don't matter.

    An address (`gs://`) stays unchanged; its captures are copied there (`uploads`).
    """
    text = os.fspath(log_dir)
    return text if "://" in text else str(Path(text).expanduser().absolute())


def below(log_dir: str, template: str | None, **fields: Any) -> str:
    """`log_dir`, or the folder in it that a template names."""
    if template is None:
        return log_dir
    if "://" in log_dir:
        return f"{log_dir.rstrip('/')}/{format_directory(template, **fields)}"
    return str(Path(log_dir) / format_directory(template, **fields))


def step_directory(step: int) -> str:
    """`step_00000100`: step numbers padded so that folders sort as numbers."""
    return f"step_{step:08d}"


def format_directory(template: str, **fields: Any) -> str:
    """Fills a template for a folder, such as `{optimizer}_lr{lr}_epochs{epochs}_seed{seed}`.

    Besides your own `fields`, these are available: `{ts}` (now, `YYYYMMDD_HHMMSS`), `{host}`, and
    `{step}` if a step is known; `{step:08d}` pads it.

    Raises:
        SettingsError: the template names an unknown field.
    """
    values = {"ts": time.strftime("%Y%m%d_%H%M%S"), "host": host_name()} | fields
    try:
        text = string.Formatter().vformat(template, (), values)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        raise SettingsError(
            f"Cannot fill in the template {template!r}: {error}",
            f"available fields: {', '.join(sorted(values))}",
        ) from error
    return re.sub(r"[^\w./=+-]+", "_", text)
