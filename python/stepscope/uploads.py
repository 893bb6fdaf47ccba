"""Captures for a bucket: recorded to a local folder, then copied to `gs://` or `s3://`.

Stepscope has no network client. The copy is made by fsspec, if it is installed with the bucket's
library, or by the vendor's command line tool. Which of them is available is checked before anything
is recorded.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import console
from .capture_result import CaptureResult
from .errors import SettingsError
from .errors import PreflightError
from .private_folder import private_folder

SECONDS_MAX = 600.0
"""A copy that takes longer is aborted; the capture stays in the local folder."""

_LIBRARIES = {"gs": "gcsfs", "s3": "s3fs", "az": "adlfs", "abfs": "adlfs"}
"""The library that fsspec needs, by URL scheme."""

_COMMANDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "gs": (("gcloud", "storage", "cp", "-r"), ("gsutil", "-q", "cp", "-r")),
    "s3": (("aws", "s3", "cp", "--only-show-errors", "--recursive"),),
}
"""Commands that copy a folder, by URL scheme, best first."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A bucket's folder, and the local folder used for recording."""

    address: str
    local: Path

    def send(self, result: CaptureResult) -> str | None:
        """Copies the run directory; returns its address, or None if that failed."""
        parts = result.directory.relative_to(self.local).as_posix()
        target = f"{self.address.rstrip('/')}/{parts}"
        copy = copier(self.address)
        try:
            if copy is None:
                raise OSError(missing(self.address))
            copy(result.directory, target)
        except Exception as error:  # noqa: BLE001 - network clients have classes of their own
            console.warn(
                f"the capture was not copied to {target}: {error}; it is in {result.directory}"
            )
            return None
        return target


def is_address(log_dir: str | os.PathLike[str]) -> bool:
    """Whether `log_dir` is an address (`gs://bucket/folder`) rather than a local folder."""
    return "://" in os.fspath(log_dir)


def of(log_dir: str | os.PathLike[str]) -> Upload | None:
    """The upload for captures in `log_dir`; None for a local folder.

    Raises:
        PreflightError: others could read or replace what is recorded in the temporary folder.
    """
    if not is_address(log_dir):
        return None
    address = os.fspath(log_dir)
    readable = re.sub(r"[^\w.-]+", "_", address.split("://", 1)[1])[-40:]
    unique = hashlib.sha256(address.encode()).hexdigest()[:8]
    try:
        folder = private_folder(Path(tempfile.gettempdir()))
    except OSError as error:
        raise PreflightError(
            f"Captures for {address} have no private folder on this machine: {error}",
            "remove that folder, or set TMPDIR to a folder of your own",
        ) from error
    return Upload(address, folder / f"{readable}-{unique}")


def refuse_for_recorder(log_dir: str | os.PathLike[str]) -> None:
    """Refuses an address as the log directory of a recorder.

    Raises:
        SettingsError: it is one.
    """
    if is_address(log_dir):
        raise SettingsError(
            f"The recorder cannot write to {os.fspath(log_dir)}: its files are mapped into memory, "
            "and all ranks read them while it runs",
            "record in a folder that all ranks share, and copy it afterwards",
        )


def local_folder(log_dir: str | os.PathLike[str]) -> Path:
    """Where captures for `log_dir` are recorded: itself, unless it is an address."""
    upload = of(log_dir)
    return Path(log_dir).expanduser().absolute() if upload is None else upload.local


def copier(address: str) -> Callable[[Path, str], None] | None:
    """A function that copies a local folder to an address; None if no tool is available."""
    scheme = address.split("://", 1)[0]
    if _has_fsspec(scheme):
        return _copy_with_fsspec
    for command in _COMMANDS.get(scheme, ()):
        program = shutil.which(command[0])
        if program is not None:
            return lambda folder, target: _run((program, *command[1:]), folder, target)
    return None


def missing(address: str) -> str:
    """What to install so that captures can be copied to `address`."""
    scheme = address.split("://", 1)[0]
    library = _LIBRARIES.get(scheme)
    ways = [f"fsspec with {library} (pip install fsspec {library})" if library else "fsspec"]
    ways += [f"the command {command[0]}" for command in _COMMANDS.get(scheme, ())]
    return f"install {' or '.join(ways)}to copy to {scheme}://"


def _has_fsspec(scheme: str) -> bool:
    try:
        import fsspec  # type: ignore[import-not-found, import-untyped, unused-ignore]

        fsspec.get_filesystem_class(scheme)
    except (ImportError, ValueError):
        return False
    return True


def _copy_with_fsspec(folder: Path, target: str) -> None:
    import fsspec

    system, root = fsspec.core.url_to_fs(target)
    for path in sorted(folder.iterdir()):
        system.put_file(str(path), f"{root}/{path.name}")


def _run(command: tuple[str, ...], folder: Path, target: str) -> None:
    # gcloud and gsutil copy the folder into the target; aws copies its contents.
    into = target if command[-1] == "--recursive" else target.rsplit("/", 1)[0]
    try:
        subprocess.run(
            [*command, str(folder), f"{into}/"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS_MAX,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        last = (error.stderr or "").strip().splitlines()[-1:] or [f"exit code {error.returncode}"]
        raise OSError(f"{Path(command[0]).name}: {last[0]}") from error
