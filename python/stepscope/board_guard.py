"""Which requests to TensorBoard's port may reach Stepscope's engine: those of its own pages.

TensorBoard has no password, and the plugin sends the engine's token with what it passes on. So a page
of another site, open in a browser that reaches TensorBoard, must not get answers computed, not even
into an `<img>` that it cannot read. Over HTTPS and on localhost browsers say which site a request
comes from (`Sec-Fetch-Site`). Over plain HTTP they don't, and name no origin with a GET: there only
requests with a cookie pass that browsers send from this site alone.
"""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import Any

BODY_BYTES_MAX = 2 << 20
"""The engine takes no more."""

_RELOAD = "Reload the page in TensorBoard. Programs can ask `stepscope view` instead."


class Refused(Exception):
    """Why a request is not passed on: a status line, and a sentence."""

    def __init__(self, status: str, text: str) -> None:
        super().__init__(text)
        self.status = status


class Guard:
    """Admits requests of the pages that carry this process's secret."""

    def __init__(self) -> None:
        self._secret = secrets.token_hex(16)

    def check(self, environ: dict[str, Any]) -> None:
        """Raises `Refused` for a request to `api/` that is not from our own pages."""
        site = environ.get("HTTP_SEC_FETCH_SITE")
        if site is not None:
            if site not in ("same-origin", "none"):
                raise Refused("403 Forbidden", "This request comes from a page of another site.")
            return
        origin = environ.get("HTTP_ORIGIN")
        if origin is not None and origin.partition("://")[2] != environ.get("HTTP_HOST"):
            raise Refused("403 Forbidden", "This request comes from a page of another site.")
        if not self._has_secret(environ):
            raise Refused("403 Forbidden", f"This request comes from no page of this tab. {_RELOAD}")

    def cookie(self, environ: dict[str, Any]) -> tuple[str, str]:
        """The header that gives a page the secret.

        It has no path: browsers use the folder of the page, also behind proxies that change it.
        """
        return "Set-Cookie", f"{_name(environ)}={self._secret}; HttpOnly; SameSite=Strict"

    def _has_secret(self, environ: dict[str, Any]) -> bool:
        try:
            sent = SimpleCookie(environ.get("HTTP_COOKIE", "")).get(_name(environ))
        except CookieError:
            return False
        given = "" if sent is None else sent.value
        return hmac.compare_digest(given.encode(), self._secret.encode())


def _name(environ: dict[str, Any]) -> str:
    # Browsers don't tell the ports of a machine apart: each TensorBoard has its own cookie.
    return f"stepscope_board_{environ.get('SERVER_PORT', '')}"


def body_of(environ: dict[str, Any]) -> bytes | None:
    """The body of a request, none without a length. Raises `Refused` for one that is too long."""
    text = environ.get("CONTENT_LENGTH") or "0"
    if not (text.isascii() and text.isdecimal()):
        raise Refused("400 Bad Request", "The length of this request is not a number.")
    # Digits are counted first: Python refuses to read thousands of them as a number.
    if len(text.lstrip("0")) > len(str(BODY_BYTES_MAX)) or int(text) > BODY_BYTES_MAX:
        most = BODY_BYTES_MAX >> 20
        raise Refused("413 Content Too Large", f"A request may have {most} MiB at most.")
    length = int(text)
    return environ["wsgi.input"].read(length) if length else None
