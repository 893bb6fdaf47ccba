"""Requests of `stepscope attach PID`: a socket of this process that only its user can reach.

The socket is `/tmp/stepscope-<uid>/<pid>.sock`, in a folder with mode 0700. A request is a line of
JSON such as `{"steps": 5}`; the answer is one with `captured` (a path) or `error`.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import console
from .private_folder import private_folder

if TYPE_CHECKING:
    from .program_capture import ProgramCapture

_REQUEST_BYTES_MAX = 4096
_PARENT = Path("/tmp")  # fixed, because TMPDIR may differ between a job and the shell of its user


class Listener:
    """Answers requests, one after the other, until `close`."""

    def __init__(self, capture: ProgramCapture) -> None:
        self._capture = capture
        self.path = folder() / f"{os.getpid()}.sock"
        _sweep(self.path.parent)
        self.path.unlink(missing_ok=True)  # of an earlier process with this number
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(str(self.path))
        self._socket.listen(4)
        self._process = os.getpid()
        threading.Thread(target=self._listen, name="stepscope-attach", daemon=True).start()

    def close(self) -> None:
        """Stops listening and removes the socket; in a forked child only forgets it."""
        with suppress(OSError):
            self._socket.close()
        if os.getpid() == self._process:
            self.path.unlink(missing_ok=True)

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                connection.settimeout(10.0)
                answer = self._answer(_line(connection))
                connection.settimeout(None)
                connection.sendall(json.dumps(answer).encode() + b"\n")

    def _answer(self, text: bytes) -> dict[str, Any]:
        try:
            request = json.loads(text)
            steps = request.get("steps")
            if steps is not None and (not isinstance(steps, int) or steps < 1):
                raise ValueError("steps must be a whole number above 0")
        except (ValueError, AttributeError) as error:
            return {"error": f"invalid request: {error}"}
        result = self._capture.capture("attach", steps)
        if result is None:
            return {"error": "no capture was made; the program's standard error says why"}
        return {"captured": str(result.directory), "steps": result.steps_text}


def listen(capture: ProgramCapture) -> Listener | None:
    """Listens for requests, if this system has such sockets. Never raises."""
    if not hasattr(socket, "AF_UNIX") or not hasattr(os, "getuid"):
        return None
    try:
        return Listener(capture)
    except OSError as error:
        console.warn(f"`stepscope attach` cannot reach this process: {error}")
        return None


def folder() -> Path:
    """The folder of the sockets of this user, which nobody else may enter.

    Raises:
        PermissionError: the folder is somebody else's, or others may enter it.
    """
    return private_folder(_PARENT)


def _sweep(sockets: Path) -> None:
    """Removes the sockets of processes that were killed: nobody answers at them."""
    for path in sockets.glob("*.sock"):
        if not path.stem.isdigit() or Path(f"/proc/{path.stem}").exists():
            continue
        # The process may exist in another container.
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(0.2)
            try:
                connection.connect(str(path))
            except ConnectionRefusedError:
                path.unlink(missing_ok=True)


def _line(connection: socket.socket) -> bytes:
    received = b""
    while not received.endswith(b"\n") and len(received) < _REQUEST_BYTES_MAX:
        more = connection.recv(_REQUEST_BYTES_MAX)
        if not more:
            break
        received += more
    return received
