"""What a capture says while it happens: lines on standard error, never on standard output.

Standard output belongs to the program that is profiled. `PROFILE_QUIET=1` or `quiet=True`
silences everything but warnings.
"""

from __future__ import annotations

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
"""ASCII for the characters of the engine's sentences: logs of jobs often show no others."""


def plain(text: str) -> str:
    """`text` with our own signs in ASCII; names and paths stay as they are."""
    return text.translate(_ASCII)


def say(text: str, *, quiet: bool = False) -> None:
    """Prints `text` unless `quiet`; a closed standard error never fails a training step."""
    if quiet:
        return
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        return


def warn(text: str) -> None:
    """Prints a warning, whatever the setting for quiet."""
    say(f"stepscope: {text}")


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
    """Says every few seconds that something long is still going on.

    With many GPUs the collection of a capture takes minutes, during which the program stands still.
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
