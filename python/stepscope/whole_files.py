"""Files of texts that are the old one or the new one, whatever happens while they are written."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a text to a file beside it and renames that; creates the folder if need be.

    Raises:
        OSError: the text cannot be written; an old file is as it was.
    """
    file = Path(path).expanduser()
    file.parent.mkdir(parents=True, exist_ok=True)
    # Links stay links; a pipe or a device is written to, never replaced.
    target = file.resolve()
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8")
        return
    partial = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        # Never through a link that somebody else put there.
        with partial.open("x", encoding="utf-8") as out:
            if target.exists():
                partial.chmod(target.stat().st_mode & 0o777)
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        partial.replace(target)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise
