"""`start_server(port)`: makes this program available for on-demand captures, with checks that jax lacks.

jax's own `start_server` says nothing if the port is taken, and does not report which port it chose.
Here the port is checked before and tested after.
"""

from __future__ import annotations

import socket
import threading
import time

from . import _jax, console
from .errors import CaptureError
from .profiler import Profiler
from .signatures import suggests_keywords

_STARTS_SECONDS = 10.0
_lock = threading.Lock()
_running: ProfilerServer | None = None


class ProfilerServer:
    """The server of this process. `address` is the argument for `stepscope capture`."""

    def __init__(self, port: int, profiler: Profiler | None) -> None:
        self.port = port
        self.host = socket.gethostname()
        self.profiler = profiler

    @property
    def address(self) -> str:
        """`host:port`, with this machine's own host name."""
        return f"{self.host}:{self.port}"

    def stop(self) -> None:
        """Stops the server; this also ends a capture that is using it."""
        global _running
        with _lock:
            if _running is self:
                _running = None
                _jax.profiler().stop_server()

    def __enter__(self) -> ProfilerServer:
        return self

    def __exit__(self, *about: object) -> None:
        self.stop()


@suggests_keywords
def start_server(
    port: int = 9999, *, profiler: Profiler | None = None, quiet: bool | None = None
) -> ProfilerServer:
    """Starts jax's profiler server, for `stepscope capture HOST:PORT` and `stepscope.capture`.

    Anybody who can reach the port can capture: jax listens on all interfaces and requires no
    password, so keep the port inside your network. Port 0 picks a free one.

    Args:
        port: the port to listen on.
        profiler: kept with the server, as `server.profiler`: `capture_async()` of it records
            whole steps into the program's own folder.
        quiet: print nothing; default PROFILE_QUIET.

    Raises:
        CaptureError: the port is taken, or a server is already running in this process.
    """
    global _running
    from .settings import TRACE_DEFAULTS, Settings

    settings = Settings.resolve(TRACE_DEFAULTS, quiet=quiet)
    with _lock:
        if _running is not None:
            raise CaptureError(
                f"A profiler server is already running in this process, on port {_running.port}",
                "use that one, or stop it with stop()",
            )
        chosen = _free_port(port)
        try:
            _jax.profiler().start_server(chosen)
        except ValueError as error:  # jax already started one
            raise CaptureError(
                f"jax refused to start a profiler server: {error}",
                "stop the other one with jax.profiler.stop_server()",
            ) from error
        if not _answers(chosen):
            _jax.profiler().stop_server()
            raise CaptureError(
                f"The profiler server is not listening on port {chosen}", "choose another port"
            )
        _running = ProfilerServer(chosen, profiler)
    console.say(
        f"Profiler server on port {chosen}, reachable from the network without a password. "
        f"Capture with: stepscope capture {_running.address}",
        quiet=settings.quiet,
    )
    return _running


def _free_port(port: int) -> int:
    """`port`, or a free one for 0, after actually listening on it."""
    if not 0 <= port <= 65535:
        raise CaptureError(f"Invalid port {port}: ports are 0 to 65535", "choose another one")
    family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
    with socket.socket(family) as probe:
        if family == socket.AF_INET6:
            probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
            probe.listen(1)
        except OSError as error:
            raise CaptureError(
                f"Port {port} is taken ({error.strerror or error}); jax would fail silently and not "
                "listen",
                "choose another port, or 0 for a free one",
            ) from error
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    ends = time.monotonic() + _STARTS_SECONDS
    while time.monotonic() < ends:
        try:
            socket.create_connection(("localhost", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
            continue
        return True
    return False
