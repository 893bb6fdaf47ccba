"""The pages of one session for all cells that show it: answers to their requests, and the picture."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from ._engine import engine
from .engine_errors import EngineError

if TYPE_CHECKING:
    from . import _stepscope
    from .session import Session

Answered = tuple[int, list[tuple[str, str]], bytes]
"""Status, headers and body."""

_REQUESTS_AT_ONCE = 4
"""The kernel receives messages one after another; pages request several things at once."""


class SessionPages:
    """The threads and routes of one session, which end when no cell shows it any more."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._routes: _stepscope.Pages | None = engine().Pages(session._native)
        self.page: bytes = self._file("frame/page.html")
        """The page without its code."""
        self.code: bytes = self._file("frame/first.js")
        """The code with which the page starts; it requests more when needed."""
        self.version: str = hashlib.sha256(self.page + self.code).hexdigest()
        """Another page has another one."""
        self.key: str = self._routes.key
        """The key of the session in routes."""
        self._threads = ThreadPoolExecutor(_REQUESTS_AT_ONCE, thread_name_prefix="stepscope-page")
        self._users: set[int] = set()
        self._lock = threading.Lock()
        self._waiting = 0  # requests that are not answered yet
        self._answered_at = time.monotonic()
        self._picture_lock = threading.Lock()
        self._picture: str | None = None

    def _file(self, path: str) -> bytes:
        """A file of the web UI."""
        status, _, content = self.answer("GET", path, b"")
        if status != HTTPStatus.OK:
            raise EngineError(
                "this build of stepscope has no web UI to show",
                "install the wheel, or build with Node.js and without STEPSCOPE_NO_UI",
            )
        return content

    @property
    def idle_seconds(self) -> float:
        """The time since the last request was answered; 0 while one is waiting for its answer."""
        return 0.0 if self._waiting else time.monotonic() - self._answered_at

    def submit(self, work: Callable[..., None], *arguments: Any) -> None:
        """Does `work`, which answers a request, on a thread of these pages."""
        with self._lock:
            self._waiting += 1
        try:
            self._threads.submit(work, *arguments).add_done_callback(self._note_answer)
        except RuntimeError:  # closed in the meantime: nobody waits for the answer
            return

    def _note_answer(self, _work: Any) -> None:
        with self._lock:
            self._waiting -= 1
            self._answered_at = time.monotonic()

    def answer(self, method: str, url: str, body: bytes) -> Answered:
        """The answer to a request, by its URL relative to the page."""
        routes = self._routes
        if routes is None:
            return 410, [], b"the cell was closed"
        try:
            return routes.answer(method, url, body)
        except ValueError as error:
            return 400, [], str(error).encode()

    def picture(self) -> str | None:
        """The overview as HTML, computed once; None if there is none, or the session is closed."""
        with self._picture_lock:
            if self._picture is None:
                self._picture = self._session._repr_html_()
            return self._picture

    def left_by(self, user: object) -> None:
        """`user` shows these pages no longer. Without any user their threads end."""
        with _lock:
            self._users.discard(id(user))
            if not self._users and _pages.get(self._session) is self:
                del _pages[self._session]
                self._threads.shutdown(wait=False, cancel_futures=True)
                self._routes = None  # with threads of its own


_pages: dict[Session, SessionPages] = {}
_lock = threading.Lock()


def of(session: Session, user: object) -> SessionPages:
    """The pages of a session for `user`, shared by all that show it.

    Raises:
        EngineError: this build has no pages.
    """
    with _lock:
        found = _pages.get(session) or SessionPages(session)
        _pages[session] = found
        found._users.add(id(user))
        return found
