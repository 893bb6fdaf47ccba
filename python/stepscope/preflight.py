"""Checks, before the first step, for problems that would make a capture fail or be empty.

jax reports most of these only when the capture is stopped; by then the data is lost.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from . import _jax, console, uploads
from .errors import PreflightError

FREE_BYTES_MIN = 32_000_000
"""With less free space than this, a capture is refused."""
FREE_BYTES_LOW = 1_000_000_000
"""With less free space than this, a capture runs with a warning."""

SLOW_FILE_SYSTEMS = {
    "9p": "a Windows drive seen from WSL",
    "drvfs": "a Windows drive seen from WSL",
    "nfs": "a network drive",
    "nfs4": "a network drive",
    "cifs": "a network drive",
    "smb3": "a network drive",
    "smbfs": "a network drive",
    "afs": "a network drive",
    "ceph": "a network drive",
    "fuse": "a drive served by a program (FUSE)",
}
"""File systems on which writing and viewing captures is slow, by type in the list of mounts."""

RIVALS = {
    "NSYS_PROFILING_SESSION_ID": "Nsight Systems (nsys)",
    "NV_NSIGHT_INJECTION_PORT_BASE": "Nsight Compute (ncu)",
    "NV_NSIGHT_INJECTION_TRANSPORT_TYPE": "Nsight Compute (ncu)",
    "NVPROF_ID": "nvprof",
    "CUDA_INJECTION64_PATH": "a tool injected into CUDA",
}
"""Variables that profilers set in the processes they start, with the profiler."""

MULTI_SUBSCRIBER = "xla_gpu_enable_cupti_multi_subscriber"
"""The XLA flag that allows CUPTI to be shared with another profiler, with CUDA 13.2 or newer."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem: `error` refuses the capture, `warning` is only logged."""

    id: str
    severity: Literal["error", "warning"]
    what: str
    fix: str

    def __str__(self) -> str:
        return f"{self.what}\n  hint: {self.fix}"


def problems(log_dir: str | os.PathLike[str], *, need_bytes: int = 0) -> list[Problem]:
    """All problems with `log_dir` and the environment for a capture, worst first.

    `need_bytes` is the expected size of the capture, if known. The checks don't need jax, and leave
    nothing behind in the folder. `occupancy.refuse_if_busy` checks for sessions of other profilers.
    """
    found = _no_way_to_upload(log_dir)
    if not found:
        upload = uploads.of(log_dir)
        folder = Path(log_dir).expanduser() if upload is None else upload.local
        found = _unwritable(folder)
        if not found:
            found += _disk_space(folder, need_bytes)
            found += _slow_drive(folder)
    found += _profiling_disabled()
    found += _rivals(os.environ, has_gpu=_has_gpu())
    return sorted(found, key=lambda problem: problem.severity != "error")


def enforce(found: list[Problem], policy: str) -> None:
    """Raises the first error in `found`, and logs the rest.

    With `policy` `warn` errors are logged too; with `off` nothing happens.

    Raises:
        PreflightError: there is an error and the policy is `error`.
    """
    if policy == "off":
        return
    for problem in found:
        if problem.severity == "error" and policy == "error":
            raise PreflightError(problem.what, problem.fix)
        console.warn(str(problem))


def _no_way_to_upload(log_dir: str | os.PathLike[str]) -> list[Problem]:
    """A bucket that this machine has no tool to write to."""
    address = os.fspath(log_dir)
    if not uploads.is_address(address) or uploads.copier(address) is not None:
        return []
    return [
        Problem(
            "remote_folder",
            "error",
            f"No tool on this machine can copy captures to {address}",
            f"{uploads.missing(address)}; or capture into a local folder",
        )
    ]


def _unwritable(log_dir: Path) -> list[Problem]:
    """Actually creates a folder and a file, where `log_dir` is or would be created.

    They have unique names, because processes of one job check the same folder at the same time: one
    must not remove what another relies on.
    """
    there = _existing(log_dir)
    try:
        with tempfile.TemporaryDirectory(dir=there, prefix=".stepscope-") as probe:
            folder = Path(probe) / log_dir.absolute().relative_to(there)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "probe").write_bytes(b"stepscope")
    except OSError as error:
        return [
            Problem(
                "unwritable_folder",
                "error",
                f"The log directory is not writable ({error.strerror or error}): {log_dir}",
                "choose another folder (log_dir=..., --profile_dir, PROFILE_DIR), "
                "or mkdir -p and chmod u+rwx this one",
            )
        ]
    return []


def _existing(log_dir: Path) -> Path:
    """`log_dir`, or the nearest parent that exists."""
    absolute = log_dir.absolute()
    folders = (absolute, *absolute.parents)
    return next((folder for folder in folders if os.path.lexists(folder)), absolute)


def _disk_space(log_dir: Path, need_bytes: int) -> list[Problem]:
    try:
        free_bytes = shutil.disk_usage(_existing(log_dir)).free
    except OSError:
        return []
    what = f"Only {console.bytes_text(free_bytes)} are free on the disk of {log_dir}"
    fix = "free some space, or choose a folder on another disk"
    if free_bytes < max(FREE_BYTES_MIN, need_bytes):
        return [Problem("disk_full", "error", what, fix)]
    if free_bytes < FREE_BYTES_LOW:
        return [Problem("disk_low", "warning", what, fix)]
    return []


def _slow_drive(log_dir: Path) -> list[Problem]:
    path = os.path.realpath(log_dir)
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        mounts = ""
    reason = slow_file_system(path, mounts)
    if reason is None:
        return []
    return [
        Problem(
            "slow_drive",
            "warning",
            f"The log directory is on {reason}: {path}",
            "writing and opening captures there is slow; use a local folder such as ~/profiles",
        )
    ]


def slow_file_system(path: str, mounts: str) -> str | None:
    """Why `path` is on a slow drive, from the text of `/proc/self/mounts`; None if it is not.

    `/mnt/c` and its like are Windows drives under WSL whatever the list says.
    """
    longest, kind = "", ""
    for line in mounts.splitlines():
        columns = line.split(" ")
        if len(columns) < 3:
            continue
        folder = columns[1].replace("\\040", " ")
        is_above = path == folder or path.startswith(folder.rstrip("/") + "/")
        if is_above and len(folder) >= len(longest):
            longest, kind = folder, columns[2]
    # fuse.sshfs and the like; fuseblk is a local disk.
    reason = SLOW_FILE_SYSTEMS.get(kind.split(".", 1)[0])
    if reason is not None:
        return f"{reason}, file system {kind}"
    parts = path.split("/")
    if len(parts) > 2 and parts[1] == "mnt" and len(parts[2]) == 1 and _is_wsl():
        return "a Windows drive seen from WSL"
    return None


def _is_wsl() -> bool:
    if "WSL_DISTRO_NAME" in os.environ:
        return True
    try:
        return "microsoft" in Path("/proc/version").read_text(encoding="utf-8").lower()
    except OSError:
        return False


def _profiling_disabled() -> list[Problem]:
    if not _jax.environment_disables_profiling():
        return []
    return [
        Problem(
            "profiling_disabled",
            "error",
            "TF_DISABLE_PROFILING is set, which disables every profiler session in this process",
            "unset TF_DISABLE_PROFILING before the program starts",
        )
    ]


def _rivals(environ: Mapping[str, str], *, has_gpu: bool) -> list[Problem]:
    """Other users of CUPTI; device rows stay empty unless CUPTI is shared with them."""
    names = [rival for variable, rival in RIVALS.items() if environ.get(variable)]
    if not names:
        return []
    if _shares_cupti(environ):
        what = f"This process runs under {names[0]} and shares the GPU's profiling interface"
        fix = "if device rows stay empty: sharing needs CUDA 13.2 or newer in driver and libraries"
        return [Problem("rival_profiler", "warning", what, fix)]
    what = (
        f"This process runs under {names[0]}, and a GPU supports one profiler at a time unless "
        "XLA shares CUPTI"
    )
    fix = (
        f"run without it; or, with CUDA 13.2 or newer, set XLA_FLAGS=--{MULTI_SUBSCRIBER}; or set "
        "PROFILE_PREFLIGHT=warn to capture the host side only"
    )
    return [Problem("rival_profiler", "error" if has_gpu else "warning", what, fix)]


def _shares_cupti(environ: Mapping[str, str]) -> bool:
    """Whether XLA_FLAGS lets several profilers share CUPTI. The last mention counts."""
    flags = environ.get("XLA_FLAGS", "").split()
    values = [
        (flag.partition("=")[2] or "true").lower()
        for flag in flags
        if flag.removeprefix("--").partition("=")[0] == MULTI_SUBSCRIBER
    ]
    return bool(values) and values[-1] in ("true", "1")


def _has_gpu() -> bool:
    """Whether NVIDIA GPUs are in use, or would be once jax starts."""
    platform = _jax.platform()
    if platform is not None:
        return platform in ("gpu", "cuda")
    if os.environ.get("JAX_PLATFORMS", "").split(",")[0] in ("cpu", "tpu"):
        return False
    return sys.platform == "linux" and os.path.exists("/dev/nvidiactl")
