"""The manifest next to a capture: what the profile itself does not contain.

`<host>.stepscope.json` is created before the capture starts (this also claims the file name) and
rewritten when it has ended; `docs/reference/manifest.md` describes every key.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from . import _jax
from .recorders import write_atomically

MANIFEST_VERSION = 1
GIT_SECONDS_MAX = 2.0
STEPS_MAX = 10_000
"""Maximum number of steps listed; readers reject manifests larger than 4 MiB."""

_DISTRIBUTIONS = (
    "jax",
    "jaxlib",
    "stepscope",
    "flax",
    "optax",
    "numpy",
    "libtpu",
    "jax-cuda12-plugin",
    "jax-cuda12-pjrt",
    "jax-cuda13-plugin",
    "jax-cuda13-pjrt",
    "jax-rocm7-plugin",
    "jax-rocm60-plugin",
)
_SECRET = re.compile(r"(?i)(api[-_]?key|token|secret|passw(or)?d|credential)")
_HIDDEN = "(hidden)"


def write(path: Path, content: dict[str, Any]) -> None:
    """Writes a manifest atomically."""
    text = json.dumps({"stepscope_manifest": MANIFEST_VERSION} | content, indent=2, default=str)
    write_atomically(path, text.encode() + b"\n")


def about_process() -> dict[str, Any]:
    """Versions, devices, git state, arguments, and environment of this process."""
    return {
        "versions": versions(),
        "devices": _jax.local_devices(),
        "git": git_state(),
        "arguments": arguments(),
        "environment": environment(),
    }


@cache
def _installed_versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _DISTRIBUTIONS:
        version = _jax.version_of(name)
        if version is not None:
            found[name] = version
    return found


def versions() -> dict[str, str]:
    """Versions of Python, jax, and related packages, if installed."""
    return dict(_installed_versions())


def arguments() -> list[str]:
    """The command line; values of options that look like secrets are hidden."""
    hidden: list[str] = []
    is_secret = False
    for argument in sys.argv:
        name, equals, _ = argument.partition("=")
        if is_secret and not argument.startswith("-"):
            hidden.append(_HIDDEN)
        elif equals and _SECRET.search(name):
            hidden.append(f"{name}={_HIDDEN}")
        else:
            hidden.append(argument)
        is_secret = argument.startswith("-") and not equals and bool(_SECRET.search(argument))
    return hidden


def environment() -> dict[str, str]:
    """The variables that affect a capture: XLA_FLAGS, LIBTPU_INIT_ARGS, JAX_*, PROFILE_*."""
    return {
        name: _HIDDEN if _SECRET.search(name) else value
        for name, value in sorted(os.environ.items())
        if name in ("XLA_FLAGS", "LIBTPU_INIT_ARGS") or name.startswith(("JAX_", "PROFILE_"))
    }


@cache
def git_state() -> dict[str, Any] | None:
    """Commit, branch and whether there are local changes, of the program's repository.

    Determined once per process, for the folder of the main script. None if it is not in a git
    repository or git does not answer in time; `dirty` is None if only that took too long.
    """
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    folder = Path(script).resolve().parent if script else Path.cwd()
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return None
    branch = _git(folder, "rev-parse", "--abbrev-ref", "HEAD")
    status = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return {
        "commit": commit,
        "branch": None if branch == "HEAD" else branch,
        "dirty": None if status is None else status != "",
    }


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), "--no-optional-locks", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=GIT_SECONDS_MAX,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None
