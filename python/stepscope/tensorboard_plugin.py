"""Stepscope as a dashboard of TensorBoard: `tensorboard --logdir ./logs`, tab *Stepscope*.
Several directories (`--logdir_spec a:./one,b:./two`) are shown as one, by name.

TensorBoard finds this module by its entry point. The pages come from `stepscope view` in a separate
process, started when the dashboard is first opened and stopped with TensorBoard, and reach the
browser through TensorBoard's own port: one tunnel is enough, and the token stays in this process.

While TensorBoard starts, only one object is constructed: neither the engine nor jax is imported,
and the log directory is searched on a thread.
"""

from __future__ import annotations

import atexit
import http.client
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any

from tensorboard.plugins import base_plugin

from .board_guard import Guard, Refused, body_of

StartResponse = Callable[..., Any]
WsgiApp = Callable[[dict[str, Any], StartResponse], Iterable[bytes]]

_log = logging.getLogger("stepscope.tensorboard")

# Where TensorBoard puts a plugin's pages; everything below it is proxied.
_NAME = "stepscope"
_ROUTE = f"/data/plugin/{_NAME}"
# TensorBoard imports this module into an empty frame, which then becomes the page itself.
_MODULE = b"""export async function render() {
  document.location.replace(new URL('app/', import.meta.url).href);
}
"""
# Seconds between searches of a log directory without profiles.
_LOOK_AGAIN = 20.0
# Folders checked in such a search; captures are near the top.
_MAX_FOLDERS = 4000
# Seconds until the engine must have reported its address.
_START_SECONDS = 60.0
_CHUNK_BYTES = 1 << 16
# Hosts that the pages may capture, separated by commas. Without it the pages capture nothing: whoever
# reaches TensorBoard, which has no password, could reach into this machine's network.
_CAPTURE_VARIABLE = "STEPSCOPE_TENSORBOARD_CAPTURE"
# Headers about the connection, which are not passed on.
_HOP_BY_HOP = frozenset(
    (
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailers",
        "transfer-encoding",
        "upgrade",
    )
)


class StepscopePlugin(base_plugin.TBPlugin):
    """The dashboard."""

    plugin_name = _NAME

    def __init__(self, context: base_plugin.TBContext) -> None:
        # Several log directories are given by a separate flag, and then `logdir` is empty.
        spec = getattr(context.flags, "logdir_spec", "") if context.flags else ""
        named = {} if context.logdir else _named_directories(spec or "")
        self._look = _Look(list(named.values()) or [context.logdir or ""])
        self._engine = _Engine(context.logdir or "", named)
        self._guard = Guard()

    def get_plugin_apps(self) -> dict[str, WsgiApp]:
        return {"/index.js": _index, "/app": self._proxy, "/app/*": self._proxy}

    def is_active(self) -> bool:
        return self._look.has_profiles()

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        return base_plugin.FrontendMetadata(
            es_module_path="/index.js", tab_name="Stepscope", disable_reload=True
        )

    def _proxy(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        try:
            body = self._admitted(environ)
            port, token = self._engine.address()
            return _handed_on(environ, start_response, port, token, body, self._guard)
        except Refused as refused:
            return _plain(start_response, refused.status, str(refused))
        except _EngineError as error:
            return _plain(start_response, "503 Service Unavailable", str(error))
        except OSError as error:
            self._engine.forget()
            text = f"Stepscope's engine does not answer ({error}). Reload this page."
            return _plain(start_response, "502 Bad Gateway", text)

    def _admitted(self, environ: dict[str, Any]) -> bytes | None:
        """The body of a request that may be passed on."""
        _, below = _split(environ)
        # Everything else is a file of the pages, which anybody may link to.
        if below == "/api" or below.startswith("/api/") or below == "/mcp":
            self._guard.check(environ)
        return body_of(environ)


def _split(environ: dict[str, Any]) -> tuple[str, str]:
    """Where the pages are in the browser's address, and the path below that."""
    # SCRIPT_NAME has the prefix that TensorBoard may have been configured with.
    path = environ.get("PATH_INFO", "")
    _, _, below = path.partition(f"{_ROUTE}/app")
    return environ.get("SCRIPT_NAME", "") + path[: len(path) - len(below)], below


def _index(_environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    headers = [
        ("Content-Type", "application/javascript"),
        ("X-Content-Type-Options", "nosniff"),
        ("Cache-Control", "no-cache"),
        ("Content-Length", str(len(_MODULE))),
    ]
    start_response("200 OK", headers)
    return [_MODULE]


def _plain(
    start_response: StartResponse, status: str, text: str, *more: tuple[str, str]
) -> Iterable[bytes]:
    body = text.encode()
    headers = [
        *more,
        ("Content-Type", "text/plain; charset=utf-8"),
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Length", str(len(body))),
    ]
    start_response(status, headers)
    return [body]


def _handed_on(
    environ: dict[str, Any],
    start_response: StartResponse,
    port: int,
    token: str,
    body: bytes | None,
    guard: Guard,
) -> Iterable[bytes]:
    """The engine's answer to the same request."""
    prefix, below = _split(environ)
    if below == "":
        return _plain(start_response, "302 Found", "", ("Location", "app/"))
    query = environ.get("QUERY_STRING", "")
    method = environ.get("REQUEST_METHOD", "GET")
    connection = http.client.HTTPConnection("127.0.0.1", port)
    try:
        target = urllib.parse.quote(below) + (f"?{query}" if query else "")
        connection.request(method, target, body, _request_headers(environ, prefix, token))
        answer = connection.getresponse()
    except BaseException:
        connection.close()
        raise
    headers = [
        (name, _policy(value) if name.lower() == "content-security-policy" else value)
        for name, value in answer.getheaders()
        # The token is only used between this process and the engine: the browser never gets it.
        if name.lower() not in _HOP_BY_HOP and name.lower() != "set-cookie"
    ]
    if below == "/":
        headers.append(guard.cookie(environ))
    start_response(f"{answer.status} {answer.reason}", headers)
    return _chunks(connection, answer)


def _policy(policy: str) -> str:
    """The engine's content security policy, as strict as TensorBoard requires of its plugins."""
    narrowed = ("worker-src", "frame-ancestors")
    directives = (directive.strip() for directive in policy.split(";"))
    return "; ".join(
        f"{directive.partition(' ')[0]} 'self'" if directive.startswith(narrowed) else directive
        for directive in directives
    )


def _request_headers(environ: dict[str, Any], prefix: str, token: str) -> dict[str, str]:
    headers = {
        name[5:].replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }
    if environ.get("CONTENT_TYPE"):
        headers["content-type"] = environ["CONTENT_TYPE"]
    # The origin was compared with TensorBoard's host; the engine knows itself by another one.
    for name in (*_HOP_BY_HOP, "host", "cookie", "origin"):
        headers.pop(name, None)
    headers["authorization"] = f"Bearer {token}"
    headers["x-forwarded-prefix"] = prefix
    return headers


def _chunks(
    connection: http.client.HTTPConnection, answer: http.client.HTTPResponse
) -> Iterator[bytes]:
    try:
        while chunk := answer.read(_CHUNK_BYTES):
            yield chunk
    finally:
        connection.close()


def _named_directories(spec: str) -> dict[str, str]:
    """The directories of `--logdir_spec a:PATH,b:PATH,PATH` by name, as TensorBoard reads it."""
    named: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in spec.split(","))):
        name, colon, path = part.partition(":")
        # The part before the colon may be a scheme, a drive, or part of the path.
        is_path = part.startswith("/") or bool(os.path.splitdrive(part)[0])
        if not colon or path.startswith("//") or is_path:
            name, path = "", part
        path = path if "://" in path else os.path.realpath(os.path.expanduser(path))
        name = name.replace("/", "_") or os.path.basename(path.rstrip("/")) or "logs"
        count = sum(1 for known in named if known == name or known.startswith(f"{name} ("))
        named[name if count == 0 else f"{name} ({count + 1})"] = path
    return named


class _EngineError(Exception):
    """Why there are no pages, as a sentence to show to the user."""


class _Engine:
    """`stepscope view` in a separate process, started on first use."""

    def __init__(self, logdir: str, named: dict[str, str]) -> None:
        self._logdir = logdir
        # For several directories: their paths by name, and the folder of links to them.
        self._named = named
        self._links: str | None = None
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._address: tuple[int, str] | None = None

    def address(self) -> tuple[int, str]:
        """Port and token of a running process."""
        with self._lock:
            if self._process is not None and self._process.poll() is not None:
                self._address = None
            if self._address is None:
                self._address = self._start()
            return self._address

    def forget(self) -> None:
        """Makes the next request start it again."""
        with self._lock:
            self._end()

    def _start(self) -> tuple[int, str]:
        self._end()
        atexit.register(self._end)
        root = self._logdir
        more = _capture_options()
        if self._named:
            self._links = root = _linked(self._named)
            # The folder of links is deleted with this process, and so would be captures in it.
            more = ["--no-capture"]
        line = [*_command(), "view", root, "--child", "--no-report", "--port", "0", *more]
        # Its input is a pipe from here, so it ends when this process does, however that happens.
        self._process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        said: list[str] = []
        listener = threading.Thread(target=_listen, args=(self._process.stderr, said), daemon=True)
        listener.start()
        told: list[dict[str, Any]] = []
        waiter = threading.Thread(target=_first, args=(self._process.stdout, told), daemon=True)
        waiter.start()
        waiter.join(_START_SECONDS)
        if not told:
            self._end()
            listener.join(timeout=5)  # until the end of what it says
            # An error and its hint, one line each.
            last = "\n".join(said[-2:]) if said else "it said nothing"
            raise _EngineError(f"Stepscope's engine did not start:\n{last}")
        return told[0]["port"], told[0]["token"]

    def _end(self) -> None:
        process, self._process, self._address = self._process, None, None
        links, self._links = self._links, None
        atexit.unregister(self._end)
        if links is not None:
            # Links only: nothing behind them is touched.
            shutil.rmtree(links, ignore_errors=True)
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _capture_options() -> list[str]:
    """Which hosts the engine may capture."""
    hosts = [host.strip() for host in os.environ.get(_CAPTURE_VARIABLE, "").split(",")]
    allowed = [f"--allow-capture={host}" for host in hosts if host]
    return allowed or ["--no-capture"]


def _linked(named: dict[str, str]) -> str:
    """A folder with a link to each directory, by its name."""
    far = [f"{name}: {path}" for name, path in named.items() if "://" in path]
    if far:
        raise _EngineError(
            "Stepscope can show several local log directories together, but not if some of them "
            "are remote:\n"
            + "\n".join(far)
            + "\nStart TensorBoard with --logdir and the folder above them, or with one of them."
        )
    folder = tempfile.mkdtemp(prefix="stepscope-logdirs-")
    try:
        for name, path in named.items():
            os.symlink(path, os.path.join(folder, name), target_is_directory=True)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise _EngineError(
            f"The log directories of --logdir_spec cannot be shown together ({error}).\n"
            "Start TensorBoard with --logdir and the folder above them."
        ) from error
    return folder


def _listen(stream: IO[bytes] | None, said: list[str]) -> None:
    for line in stream or ():
        text = line.decode(errors="replace").strip()
        if text:
            _log.info("%s", text)
            said.append(text)


def _first(stream: IO[bytes] | None, told: list[dict[str, Any]]) -> None:
    for line in stream or ():
        try:
            told.append(json.loads(line))
            return
        except ValueError:
            continue


def _command() -> list[str]:
    """This package's own command, or the program of that name if the engine is not installed."""
    from importlib.util import find_spec

    if find_spec("stepscope._stepscope") is not None:
        return [sys.executable, "-m", "stepscope"]
    program = shutil.which("stepscope")
    if program is None:
        raise _EngineError(
            "Stepscope's engine is not installed: run pip install stepscope in TensorBoard's Python."
        )
    return [program]


class _Look:
    """Checks on a thread whether there are profiles, because TensorBoard waits for the answer."""

    def __init__(self, logdirs: list[str]) -> None:
        self._logdirs = [logdir for logdir in logdirs if logdir]
        self._found = False
        self._looked = float("-inf")
        self._lock = threading.Lock()

    def has_profiles(self) -> bool:
        """The last known answer; checks again in the background while there are none."""
        with self._lock:
            is_due = not self._found and time.monotonic() - self._looked > _LOOK_AGAIN
            if is_due and self._logdirs:
                self._looked = time.monotonic()
                looking = threading.Thread(target=self._look, daemon=True)
                looking.start()
            else:
                return self._found
        # Most folders are small: their answer is available before the page asks again.
        looking.join(0.2)
        return self._found

    def _look(self) -> None:
        for logdir in self._logdirs:
            try:
                found = _has_profiles(logdir)
            except Exception as error:
                _log.info("cannot read %s: %s", logdir, error)
                continue
            if found:
                with self._lock:
                    self._found = True
                return


_PROFILES = (".xplane.pb", ".xplane.pb.gz", ".xplane.pb.zst", ".xplane.riegeli")


def _has_profiles(logdir: str) -> bool:
    if "://" in logdir:
        line = [*_command(), "sessions", logdir, "--quick", "--json"]
        return subprocess.run(line, capture_output=True, timeout=120).returncode == 0
    folders = [os.path.expanduser(logdir)]
    for seen in range(_MAX_FOLDERS):
        if seen >= len(folders):
            return False
        try:
            with os.scandir(folders[seen]) as entries:
                for entry in entries:
                    if entry.name.endswith(_PROFILES):
                        return True
                    if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError:
            continue
    return False
