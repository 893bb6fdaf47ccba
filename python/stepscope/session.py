"""Sessions in Python: open a capture and ask it what the command line and the pages are asked.

```python
session = stepscope.open("./logs")
print(session.overview())
ops = session.ops(steps=range(3, 8), match="dot", limit=20)
for op in ops.rows:
    print(op.name, op.self_ps)
polars.from_arrow(ops)
```
"""

from __future__ import annotations

import os
import warnings
import webbrowser
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from . import reports
from ._analyses import Analyses
from ._engine import engine, place
from .engine_errors import CaptureWarning, OptionsError
from .reports_base import ROWS_SHOWN, Report

if TYPE_CHECKING:
    from . import _stepscope

AnyReport = TypeVar("AnyReport", bound=Report)

PERFETTO_PORT = 9001
"""The only port of this machine that ui.perfetto.dev asks."""

_LOUD = ("damaged", "truncated", "recorder")
"""Kinds of warnings that the command line prints and that Python warns of."""


def open(path: str | os.PathLike[str], session: str | int | None = None) -> Session:  # noqa: A001
    """Opens a session: the newest at `path`, or the one called `session`.

    `path` is a log directory, a run directory, an `*.xplane.pb` (also `.gz` or `.zst`), an archive
    of these, or a folder of any of them. `session` is a name, a part that only one has, or a number
    in `stepscope.sessions(path)`. What is wrong with the files is a `CaptureWarning`.
    """
    wanted = None if session is None else str(session)
    opened = Session(engine().Session.open(place(path), wanted))
    for warning in opened.warnings:
        if warning.kind in _LOUD:
            text = f"{warning.host}: {warning.message}"
            hint = f" ({warning.hint})" if warning.hint else ""
            warnings.warn(text + hint, CaptureWarning, stacklevel=2)
    return opened


def sessions(
    path: str | os.PathLike[str], quick: bool = False, *, fetch: bool = False
) -> reports.SessionsReport:
    """The sessions at a path, captured last first, and what was ignored there and why.

    Each is opened for its devices, duration and steps, unless `quick`. Of those far away only the
    ones that were fetched before are opened, unless `fetch`.
    """
    text, table = engine().sessions(place(path), quick, fetch)
    return reports.SessionsReport._of(_Listing(text, table))


class Session(Analyses):
    """One capture over all its hosts, decoded, with a method for every analysis.

    It never changes and may be used from any thread; work is done without the interpreter's lock.
    """

    def __init__(self, native: _stepscope.Session) -> None:
        self._native = native

    @property
    def name(self) -> str:
        """Name, by which people call it."""
        return self._native.name

    @property
    def path(self) -> Path:
        """The run directory or the file."""
        return Path(self._native.path)

    @property
    def host_names(self) -> list[str]:
        """Names of its hosts."""
        return self._native.hosts

    @property
    def devices(self) -> list[str]:
        """Names of its devices."""
        return self._native.devices

    @property
    def step_numbers(self) -> list[int]:
        """Numbers of its steps; `session.steps()` tells about them."""
        return self._native.step_numbers

    @cached_property
    def warnings(self) -> list[reports.SessionWarning]:
        """What was wrong with the files and what was repaired."""
        keys = ("kind", "host", "message", "hint")
        found = self._native.warnings
        return [reports.SessionWarning.from_dict(dict(zip(keys, one, strict=True))) for one in found]

    def run(self, analysis: str, /, **options: Any) -> Report:
        """Runs an analysis by its name or by the name XProf has for it, options by keyword."""
        kind = reports.BY_ANALYSIS.get(analysis, reports.OtherReport)
        return self._answer(analysis, kind, **options)

    def _answer(self, analysis: str, kind: type[AnyReport], /, **options: Any) -> AnyReport:
        return kind._of(self._native.run(analysis, option_pairs(options)))

    def compare(
        self, baseline: Session | str | os.PathLike[str], **options: Any
    ) -> reports.CompareReport:
        """What changed since the baseline; options are those of `stepscope.compare`."""
        from ._comparisons import compare

        return compare(baseline, self, **options)

    def export(
        self,
        *,
        html: str | os.PathLike[str] | None = None,
        markdown: str | os.PathLike[str] | None = None,
        csv: str | os.PathLike[str] | None = None,
        parquet: str | os.PathLike[str] | None = None,
        perfetto: str | os.PathLike[str] | None = None,
        chrome: str | os.PathLike[str] | None = None,
        xplane: str | os.PathLike[str] | None = None,
        collapsed: str | os.PathLike[str] | None = None,
        speedscope: str | os.PathLike[str] | None = None,
        redact: bool | str = False,
        max_bytes: int | None = None,
        **selection: Any,
    ) -> dict[str, int]:
        """Writes the session, or what `selection` leaves of it, for other people and programs.

        `html` is one file that holds the pages with their answers, `markdown` a page for an issue,
        `csv` and `parquet` are folders of tables; `perfetto` and `chrome` are traces, `xplane` is the
        profile itself, `collapsed` and `speedscope` are stacks of the host's threads for flame graphs,
        compressed where a name ends in `.gz`. At least one is needed. `redact=True` puts other names in the
        place of names, paths and sources, in all of them; a text is the key that makes names the
        same in every export. `max_bytes` limits the HTML. `selection` is that of all questions:
        `steps=range(3, 6)`, `device=0`, `match="dot"`. Gives the sizes by format, in bytes.
        """
        files = {
            "html": html,
            "markdown": markdown,
            "csv": csv,
            "parquet": parquet,
            "perfetto": perfetto,
            "chrome": chrome,
            "xplane": xplane,
            "collapsed": collapsed,
            "speedscope": speedscope,
        }
        wanted = [(name, place(path)) for name, path in files.items() if path is not None]
        if not wanted:
            raise OptionsError(f"export needs something to write: {', '.join(files)}")
        key = redact if isinstance(redact, str) else None
        is_redacted = redact is not False
        options = option_pairs(selection)
        return dict(self._native.export(wanted, options, is_redacted, key, max_bytes))

    def perfetto(
        self,
        *,
        open_browser: bool = True,
        timeout: float = 600,
        port: int = PERFETTO_PORT,
        **selection: Any,
    ) -> str:
        """Opens the session, or what `selection` leaves of it, in ui.perfetto.dev. Gives the link.

        The call returns at once. A thread waits at most `timeout` seconds for the page to fetch the
        trace and ends then; it does not keep the program alive. The page comes from the internet;
        the trace goes from this machine to the browser and stays there unless you press Share.
        """
        link = self._native.perfetto(timeout, port, option_pairs(selection))
        if open_browser:
            webbrowser.open(link)
        return link

    def __repr__(self) -> str:
        counts = (("host", self.host_names), ("device", self.devices), ("step", self.step_numbers))
        parts = [f"{len(all)} {noun}{'' if len(all) == 1 else 's'}" for noun, all in counts]
        return f"<Session {self.name!r}: {', '.join(parts)}>"

    def _repr_html_(self) -> str | None:
        return self.run("overview")._repr_html_()


class _Listing:
    """The list of sessions in the form in which analyses answer."""

    def __init__(self, text: str, table: _stepscope.Table) -> None:
        self._text = text
        self._table = table

    def json(self) -> str:
        return self._text

    def tables(self) -> list[_stepscope.Table]:
        return [self._table]

    def text(self, rows: int, width: int) -> str:
        return self._table.text(max(rows, 2 * ROWS_SHOWN), width)

    def html(self, rows: int) -> str:
        return self._table.html(max(rows, 2 * ROWS_SHOWN))


def option_pairs(options: dict[str, Any]) -> list[tuple[str, str]]:
    """Keywords as the command line knows them; those that are None are left out."""
    return [
        (name.rstrip("_").replace("_", "-"), _text(value))
        for name, value in options.items()
        if value is not None
    ]


def _text(value: Any) -> str:
    """A Python value as the command line writes it: `range(3, 8)` is `3..8`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, range) and value.step == 1:
        return f"{value.start}..{value.stop}"
    if isinstance(value, slice) and value.step in (None, 1):
        ends = ("" if end is None else str(end) for end in (value.start, value.stop))
        return "..".join(ends)
    if isinstance(value, os.PathLike):
        return Path(value).read_text(encoding="utf-8")
    if isinstance(value, Iterable):
        return ",".join(_text(item) for item in value)
    return str(value)
