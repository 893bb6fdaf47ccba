"""The cell of `session.show()`: the page in a frame, its requests answered by the kernel.

There is no port: the frame posts its requests to the notebook, the notebook sends them through the
kernel's own connection, and answers return as binary buffers.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import anywidget  # type: ignore[import-not-found, import-untyped, unused-ignore]
import traitlets  # type: ignore[import-not-found, import-untyped, unused-ignore]

from ._engine import engine
from .engine_errors import EngineError, OptionsError

if TYPE_CHECKING:
    from .session import Session

HEIGHT_PIXELS = 640
"""The height of the frame."""

_REQUESTS_AT_ONCE = 4
_PICOS = {"s": 10**12, "ms": 10**9, "us": 10**6, "µs": 10**6, "ns": 10**3, "ps": 1}
_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|ms|us|µs|ns|ps)\s*")


class PagesWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """The pages of one session, in a cell. A saved notebook keeps the session's report beside it."""

    _esm = Path(__file__).parent / "notebook_widget.js"
    place = traitlets.Unicode().tag(sync=True)
    """What the page opens first, as the hash of its URL."""
    first = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """What the page requests first, so that the notebook asks for it while the page starts."""
    height = traitlets.Int(HEIGHT_PIXELS).tag(sync=True)
    """The height of the frame, in pixels."""

    def __init__(
        self, session: Session, view: str, parameters: dict[str, str], height: int
    ) -> None:
        pages = engine().Pages(session._native)
        page = pages.page()
        query = f"?{urlencode(parameters, quote_via=quote)}" if parameters else ""
        place = f"#/s/{pages.key}/{view}{query}"
        super().__init__(place=place, first=_first(pages.key, view), height=height)
        # The kernel receives messages one after another; pages request several things at once.
        self._threads = ThreadPoolExecutor(_REQUESTS_AT_ONCE, thread_name_prefix="stepscope-page")
        self._pages = pages
        self._page = page
        self._picture = session._repr_html_()
        self._name = repr(session)
        self.on_msg(self._receive)
        if page is None:
            self.close()
            raise EngineError(
                "this build of stepscope has no web UI to show",
                "install the wheel, or build with Node.js and without STEPSCOPE_NO_UI",
            )

    def _receive(self, _widget: Any, content: Any, _buffers: Any) -> None:
        self._threads.submit(self._answer, content)

    def _answer(self, content: dict[str, Any]) -> None:
        to = {"view": content["view"], "id": content["id"]}
        if content.get("page"):
            self.send(to, [self._page.encode()])
            return
        body = content["body"].encode()
        try:
            status, headers, answer = self._pages.answer(content["method"], content["url"], body)
        except ValueError as error:
            status, headers, answer = 400, [], str(error).encode()
        self.send({**to, "status": status, "headers": headers}, [answer])

    def _repr_mimebundle_(self, **keywords: Any) -> Any:
        shown = super()._repr_mimebundle_(**keywords)
        if shown is None:
            return None
        data, metadata = shown if isinstance(shown, tuple) else (shown, {})
        # What is left where there is no kernel: nbconvert, previews, printed notebooks.
        still = {"text/plain": self._name}
        if self._picture is not None:
            still["text/html"] = self._picture
        return {**data, **still}, metadata

    def close(self) -> None:
        """Ends the connection and its threads; the cell keeps its static picture."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        super().close()


def _first(key: str, view: str) -> list[str]:
    """The URLs that the page requests to show a view; others are requested when it asks."""
    session = f"api/sessions/{key}"
    first = ["api/analyses", "api/comparisons", "api/sessions", session]
    return [*first, f"{session}/analyses/timeline"] if view == "timeline" else first


def window(at: str) -> str:
    """`1.2s..1.3s` as the page writes it: picoseconds."""
    ends = [_TIME.fullmatch(end) for end in at.split("..")]
    if len(ends) != 2 or None in ends:
        raise OptionsError(f"at={at!r} is not a range of times", 'such as at="1.2s..1.3s"')
    start, end = (round(Fraction(one[1]) * _PICOS[one[2]]) for one in ends if one)
    if end <= start:
        raise OptionsError(f"at={at!r} ends before it begins")
    return f"{start}..{end}"
