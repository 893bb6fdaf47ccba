"""A folder in a place where everybody may create files, which only this user may enter."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def private_folder(parent: Path) -> Path:
    """`stepscope-<uid>` in `parent`, created if it is not there.

    Somebody else may have created that name first, to read or replace what is put there.

    Raises:
        PermissionError: the folder is somebody else's, or others may enter it.
    """
    user = os.getuid() if hasattr(os, "getuid") else 0
    path = parent / f"stepscope-{user}"
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    if not hasattr(os, "getuid"):
        return path  # such systems have a temporary folder for each user
    about = path.lstat()
    is_private = stat.S_ISDIR(about.st_mode) and not about.st_mode & 0o077
    if about.st_uid != user or not is_private:
        raise PermissionError(f"{path} must be a folder of this user with mode 0700")
    return path
