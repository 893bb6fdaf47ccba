"""The cell of `session.show()`: the page in a frame, its requests answered by the kernel.

There is no port: the frame posts its requests to the notebook, the notebook sends them through the
kernel's own connection, and answers return as binary buffers.

A cell has two outputs: a static picture, which a saved notebook keeps, and the frame, which hides
the picture while it shows the page. In one output of both kinds, a notebook whose kernel is gone
would try to show the frame and nothing else.
"""

from __future__ import annotations

import re
import sys
import threading
import time
import uuid
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import anywidget  # type: ignore[import-not-found, import-untyped, unused-ignore]
import traitlets  # type: ignore[import-not-found, import-untyped, unused-ignore]

from . import notebook_pages
from .engine_errors import OptionsError

if TYPE_CHECKING:
    from .session import Session

HEIGHT_PIXELS = 640
"""The height of the frame."""

IDLE_SECONDS = 1.0
"""The picture is made once the page has asked for nothing for so long."""
START_SECONDS = 5.0
"""A page that has asked for nothing by then is not shown, or starts slowly."""
PICTURE_SECONDS = 20.0
"""The picture is made by then in any case."""

_LOOK_SECONDS = 0.1
_PICOS = {"s": 10**12, "ms": 10**9, "us": 10**6, "µs": 10**6, "ns": 10**3, "ps": 1}
_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|ms|us|µs|ns|ps)\s*")
_of_cells: dict[str, tuple[str, list[PagesWidget]]] = {}
"""The widgets that a cell made in its last run, with the ID of that run."""


class PagesWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """The pages of one session, in a cell. A saved notebook keeps the session's report instead."""

    _esm = Path(__file__).parent / "notebook_widget.js"
    place = traitlets.Unicode().tag(sync=True)
    """What the page opens first, as the hash of its URL."""
    page = traitlets.Unicode().tag(sync=True)
    """The version of the page, which cells of one window share."""
    first = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """What the page requests first, so that the notebook asks for it while the page starts."""
    height = traitlets.Int(HEIGHT_PIXELS).tag(sync=True)
    """The height of the frame, in pixels."""
    picture = traitlets.Unicode().tag(sync=True)
    """The `data-stepscope-picture` of the picture that the page replaces."""

    def __init__(
        self, session: Session, view: str, parameters: dict[str, str], height: int
    ) -> None:
        self._pages = notebook_pages.of(session, self)
        _close_those_of_last_run(self)  # now, so that threads of the same session go on
        query = f"?{urlencode(parameters, quote_via=quote)}" if parameters else ""
        place = f"#/s/{self._pages.key}/{view}{query}"
        first, picture = _first(self._pages.key, view), uuid.uuid4().hex
        page = self._pages.version
        super().__init__(place=place, page=page, first=first, height=height, picture=picture)
        self._name = repr(session)
        self._is_asked = False
        self.on_msg(self._receive)

    def _receive(self, _widget: Any, content: Any, _buffers: Any) -> None:
        # What is requested ahead says nothing: on a slow machine, the page starts for seconds.
        if not (content.get("page") or content.get("ahead")):
            self._is_asked = True
        self._pages.submit(self._answer, content)

    def _answer(self, content: dict[str, Any]) -> None:
        to = {"view": content["view"], "id": content["id"]}
        if content.get("page"):
            self.send(to, [self._pages.page, self._pages.code])
            return
        body = content["body"].encode()
        status, headers, answer = self._pages.answer(content["method"], content["url"], body)
        self.send({**to, "status": status, "headers": headers}, [answer])

    def _ipython_display_(self) -> None:
        if getattr(_shell(), "kernel", None) is None:  # a terminal
            print(self._name)
            return
        # A notebook that is run by a program is saved as soon as the cell has ended.
        is_watched = _is_watched()
        self._publish_still(is_empty=is_watched)
        data, metadata = self._live()
        _publish(data, metadata=metadata)
        if is_watched:
            threading.Thread(
                target=self._show_picture_later, name="stepscope-picture", daemon=True
            ).start()

    def _live(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The output with the frame."""
        shown: Any = super()._repr_mimebundle_() or {}
        data, metadata = shown if isinstance(shown, tuple) else (shown, {})
        return {**data, "text/plain": self._name}, metadata

    def _publish_still(self, *, is_empty: bool = False, update: bool = False) -> None:
        """Shows the output with the picture; an empty one keeps its place.

        That is an empty text: with HTML, JupyterLab would first load its code for formulas, 1 MB.
        """
        picture = None if is_empty else self._pages.picture()
        data = {"text/plain": "" if is_empty else self._name}
        if picture is not None:
            data["text/html"] = f'<div data-stepscope-picture="{self.picture}">{picture}</div>'
        _publish(data, transient={"display_id": self.picture}, update=update)

    def _show_picture_later(self) -> None:
        """Computes the picture when nobody waits for the engine: it takes as long as the page."""
        began = time.monotonic()
        while (seconds := time.monotonic() - began) < PICTURE_SECONDS:
            is_expected = not self._is_asked and seconds < START_SECONDS
            if not is_expected and self._pages.idle_seconds >= IDLE_SECONDS:
                break
            time.sleep(_LOOK_SECONDS)
        self._publish_still(update=True)

    def close(self) -> None:
        """Ends the connection and, with the last cell of a session, its threads."""
        self._pages.left_by(self)
        super().close()


def _publish(data: dict[str, Any], **more: Any) -> None:
    from IPython import display

    publish: Any = display.publish_display_data
    publish(data, **more)


def _shell() -> Any:
    """The shell of the notebook, or None."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()


def _is_watched() -> bool:
    """Whether somebody could answer a question of the cell: not if a program runs the notebook."""
    return bool(getattr(getattr(_shell(), "kernel", None), "_allow_stdin", False))


def _close_those_of_last_run(widget: PagesWidget) -> None:
    """A cell that runs again replaces what it showed before, whose threads and session are freed."""
    get_parent = getattr(_shell(), "get_parent", None)
    parent = get_parent() if get_parent is not None else {}
    cell = parent.get("metadata", {}).get("cellId")
    if cell is None:
        return
    run = parent.get("header", {}).get("msg_id", "")
    last, widgets = _of_cells.get(cell, ("", []))
    if last != run:
        for one in widgets:
            one.close()
        widgets = []
    _of_cells[cell] = (run, [*widgets, widget])


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
