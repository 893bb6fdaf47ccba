"""Messages during a capture: lines on standard error, never on standard output.

Everything goes through the logger `stepscope`. Its own handler writes plain lines to standard
error, unless the program has set up logging to its console: then the lines appear there, once.
Standard output belongs to the profiled program. `PROFILE_QUIET=1` or `quiet=True` silences
everything but warnings, as does `logging.getLogger("stepscope").setLevel("WARNING")`.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from types import TracebackType

RULE = "=" * 60

_ASCII = str.maketrans(
    {
        "\u00b5": "u",
        "\u00d7": "x",
        "\u00f7": "/",
        "\u2026": "...",
        "\u00b7": "-",
        "\u2013": "-",
        "\u2014": "-",
        "\u2212": "-",
        "\u2192": "->",
        "\u2264": "<=",
        "\u2265": ">=",
        "\u201c": '"',
        "\u201d": '"',
        "\u2018": "'",
        "\u2019": "'",
        "\u00a0": " ",
        "\u202f": " ",
    }
)
"""ASCII replacements for characters in the engine's sentences: job logs often show only ASCII."""


def plain(text: str) -> str:
    """`text` with our own symbols in ASCII; names and paths stay as they are."""
    return text.translate(_ASCII)


class _ConsoleHandler(logging.Handler):
    """Writes lines to the current standard error: notebooks and tests replace it."""

    def emit(self, record: logging.LogRecord) -> None:
        if _is_shown_elsewhere():
            return
        text = record.getMessage()
        if record.levelno >= logging.WARNING:
            text = f"stepscope: {text}"
        try:  # a closed standard error never fails a training step
            print(text, file=sys.stderr, flush=True)
        except (OSError, ValueError, AttributeError, RuntimeError):
            return


def _is_shown_elsewhere() -> bool:
    """Whether another handler writes the records of our logger to the console."""
    others = [handler for handler in logger.handlers if not isinstance(handler, _ConsoleHandler)]
    if logger.propagate:
        others += logging.getLogger().handlers
    return any(_is_console(handler) for handler in others)


def _is_console(handler: logging.Handler) -> bool:
    if isinstance(handler, logging.StreamHandler):
        streams = (sys.stderr, sys.stdout, sys.__stderr__, sys.__stdout__)
        return any(handler.stream is stream for stream in streams)
    return type(handler).__name__ in ("ABSLHandler", "RichHandler")


def _new_logger() -> logging.Logger:
    made = logging.getLogger("stepscope")
    if made.level == logging.NOTSET:
        made.setLevel(logging.INFO)
    made.addHandler(_ConsoleHandler())
    return made


logger = _new_logger()
"""The logger of the package."""


def say(text: str, *, quiet: bool = False) -> None:
    """Logs `text` as information unless `quiet`."""
    if not quiet:
        logger.info("%s", text)


def warn(text: str) -> None:
    """Logs a warning, even if quiet."""
    logger.warning("%s", text)


def banner(title: str, rows: list[tuple[str, str]]) -> str:
    """A block between rules of 60 `=`: a title and aligned `name: value` rows."""
    width = max((len(name) for name, _ in rows), default=0) + 1
    lines = [RULE, title, RULE]
    lines += [f"{name + ':':<{width}} {value}" for name, value in rows]
    lines.append(RULE)
    return "\n".join(lines)


def seconds_text(seconds: float) -> str:
    """A duration for people: `850 ms`, `2.4 s`, `3 min 20 s`."""
    if seconds < 1:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def bytes_text(size_bytes: float) -> str:
    """A size for people, in powers of 1000: `812 bytes`, `1.9 MB`."""
    if size_bytes < 1000:
        return f"{int(size_bytes)} bytes"
    for unit in ("kB", "MB", "GB", "TB"):
        size_bytes /= 1000
        if size_bytes < 999.5 or unit == "TB":
            return f"{size_bytes:.3g} {unit}"
    return f"{size_bytes:.3g} TB"


class Heartbeat:
    """Says every few seconds that a long operation is still running.

    With many GPUs, collecting a capture takes minutes, during which the program is paused.
    """

    def __init__(self, what: str, *, every_seconds: float = 10.0, quiet: bool = False) -> None:
        self._what = what
        self._every_seconds = every_seconds
        self._quiet = quiet
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Heartbeat:
        if not self._quiet:
            self._thread = threading.Thread(target=self._beat, name="stepscope-heartbeat")
            self._thread.daemon = True
            try:
                self._thread.start()
            except RuntimeError:  # no new threads while the interpreter shuts down
                self._thread = None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def _beat(self) -> None:
        started = time.monotonic()
        while not self._done.wait(self._every_seconds):
            say(f"{self._what}, {seconds_text(time.monotonic() - started)} so far ...")
