"""Sessions in Python: open a capture and run the same analyses as the command line and the pages.

```python
session = stepscope.open("./logs")
print(session.overview())
ops = session.ops(steps=range(3, 8), match="dot", limit=20)
for op in ops:
    print(op.name, op.self_ps)
ops.to_polars(units="ms")
session.slices(kind="python").to_pandas()
```
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from . import reports
from ._analyses import Analyses, Steps, Text
from ._engine import engine, place
from .browser import open_link
from .engine_errors import (
    CaptureWarning,
    EngineError,
    OptionsError,
    PackageMissingError,
    QueryError,
    SessionClosedError,
)
from .keywords import checked, keywords_of, option_pairs, redaction, selection, size, truth, unknown
from .notebook_display import Displayed
from .reports_base import ROWS_SHOWN, Report
from .slices import Class, Kind, Slices
from .sources import opened_native

if TYPE_CHECKING:
    from . import _stepscope
    from .comparing import AnySession
    from .profile_data import ProfileData
    from .queries import Rows

AnyReport = TypeVar("AnyReport", bound=Report)

PERFETTO_PORT = 9001
"""The only local port that ui.perfetto.dev uses."""

_LOUD = ("damaged", "truncated", "recorder")
"""Kinds of warnings that the command line prints and that Python raises as warnings."""


@checked
def open(  # noqa: A001
    source: str | os.PathLike[str] | bytes | bytearray | memoryview | ProfileData,
    session: str | int | None = None,
) -> Session:
    """Opens a session: the newest at a path, or the one named `session`.

    `source` is a log directory, a run directory, an `*.xplane.pb` (also `.gz` or `.zst`), an
    archive of these, or a folder of any of them; a capture's result; the bytes of a profile or
    trace; or a `jax.profiler.ProfileData`, which contains less than the file. `session` is a name,
    a unique part of a name, `latest~1`, or a number in `stepscope.sessions(path)`. Problems with
    the files are reported as a `CaptureWarning`.

    A session can be used as a context manager: `with stepscope.open(path) as session: ...`.
    """
    opened = Session(opened_native(source, session))
    for warning in opened.warnings:
        if warning.kind in _LOUD:
            text = f"{warning.host}: {warning.message}"
            hint = f" ({warning.hint})" if warning.hint else ""
            warnings.warn(text + hint, CaptureWarning, stacklevel=3)
    return opened


@checked
def sessions(
    path: str | os.PathLike[str], quick: bool = False, *, fetch: bool = False
) -> reports.SessionsReport:
    """The sessions at a path, latest capture first, and what was skipped and why.

    Each is opened to list its devices, duration, and steps, unless `quick`. Remote sessions are
    only opened if already fetched, unless `fetch`.
    """
    is_quick, is_fetched = truth("quick", quick), truth("fetch", fetch)
    text, table = engine().sessions(place(path), is_quick, is_fetched)
    return reports.SessionsReport._of(_Listing(text, table))


class Session(Displayed, Analyses):
    """One capture over all its hosts, decoded, with a method for every analysis.

    It is immutable and may be used from any thread; work is done without the GIL.
    """

    def __init__(self, native: _stepscope.Session) -> None:
        self._open: _stepscope.Session | None = native

    @property
    def _native(self) -> _stepscope.Session:
        if self._open is None:
            raise SessionClosedError("the session is closed", "open it again: stepscope.open(path)")
        return self._open

    def close(self) -> None:
        """Releases its memory and files. Reports and tables made from it stay valid."""
        self._open = None

    @property
    def is_closed(self) -> bool:
        """Whether `close()` was called."""
        return self._open is None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def name(self) -> str:
        """Its name."""
        return self._native.name

    @property
    def path(self) -> Path | None:
        """The run directory or the file; None if it was opened from bytes."""
        path = self._native.path
        return None if path is None else Path(path)

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
        """Numbers of its steps; see `session.steps()` for details."""
        return self._native.step_numbers

    @cached_property
    def warnings(self) -> list[reports.SessionWarning]:
        """What was wrong with the files and what was repaired."""
        keys = ("kind", "host", "message", "hint")
        found = self._native.warnings
        return [
            reports.SessionWarning.from_dict(dict(zip(keys, one, strict=True))) for one in found
        ]

    @cached_property
    def manifests(self) -> dict[str, dict[str, Any]]:
        """Manifests that capturing programs wrote next to their profiles, by host: versions,
        devices, commit, arguments, captured steps. docs/reference/manifest.md describes the keys.
        """
        texts = ((host, _json_object(text)) for host, text in self._native.manifests())
        return {host: content for host, content in texts if content is not None}

    @property
    def manifest(self) -> dict[str, Any] | None:
        """The manifest of the first process; None if there is none."""
        written = self.manifests.values()
        return min(written, key=lambda manifest: manifest.get("process_index") or 0, default=None)

    def run(self, analysis: str, /, **options: Any) -> Report:
        """Runs an analysis by its name or its XProf name, with options as keywords."""
        kind = reports.BY_ANALYSIS.get(analysis, reports.OtherReport)
        method = getattr(Analyses, reports.NAMES.get(kind, ""), None)
        if method is not None:
            known = keywords_of(method)
            for name in options:
                if name not in known:
                    raise unknown(analysis, name, known)
        return self._answer(analysis, kind, **options)

    def _answer(self, analysis: str, kind: type[AnyReport], /, **options: Any) -> AnyReport:
        return kind._of(self._native.run(analysis, option_pairs(options)))

    def _answer_beside(
        self, comparison: str, kind: type[AnyReport], baseline: AnySession, /, **options: Any
    ) -> AnyReport:
        from .comparing import answer

        return answer(comparison, kind, (baseline, self), **options)

    @checked
    def slices(
        self,
        *,
        match: str | None = None,
        steps: Steps | None = None,
        time: Text | None = None,
        track: Text | None = None,
        device: Text | None = None,
        host: Text | None = None,
        program: Text | None = None,
        kind: Kind | Iterable[Kind] | None = None,
        class_: Class | Iterable[Class] | None = None,
        columns: str | Sequence[str] | None = None,
    ) -> Slices:
        """The slices of the session: for pandas, Polars, PyArrow, DuckDB, or a loop.

        match: Slices whose name, or whose op's name, category, scope or source, matches this
        regular expression; case-sensitive if it contains capitals.
        steps: Steps by number: `5`, `range(3, 8)`, `"3..8"`, `[1, 4, range(7, 9)]`.
        time: Times since the session began: `"1.2s..1.5s"`, `"300ms.."`; slices that start within
            them.
        track: Rows of the timeline by number or by name (part of it, any case).
        device: Devices by number or name; host threads are then left out.
        host: Hosts by name (part of it, any case).
        program: Programs by id or by name (part of it, any case).
        kind: What the slices are: `"op"`, `"kernel"`, `"python"`, or a list.
        class_: What the slices do: `"matmul"`, `"collective"`, `"wait"`, or a list.
        columns: Columns to export as Arrow [default: all]; a loop always has all of them.
        """
        wanted = {
            "match": match,
            "steps": steps,
            "time": time,
            "track": track,
            "device": device,
            "host": host,
            "program": program,
            "kind": kind,
            "class_": class_,
        }
        return Slices(self._native.slices(option_pairs(wanted)), columns)

    @checked
    def sql(self, query: str, *, seconds: float | None = None) -> Rows:
        """Asks this session in SQL: every table of every analysis, and every slice.

        Raises:
            QueryError: The query is wrong, or the session was opened from bytes.
            ProgramMissingError: `stepscope-sql` is not installed.
        """
        from .queries import sql

        if self.path is None:
            raise QueryError("a session that was opened from bytes has no path to ask in SQL")
        return sql(self.path, query, seconds=seconds)

    @property
    def events(self) -> Slices:
        """Every slice of the session: `session.slices()` without a selection."""
        return self.slices()

    @checked
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
        redact: bool = False,
        redact_key: str | None = None,
        max_bytes: int | None = None,
        steps: Steps | None = None,
        time: Text | None = None,
        device: Text | None = None,
        host: Text | None = None,
        program: Text | None = None,
        match: str | None = None,
    ) -> dict[str, int]:
        """Writes the session, or the selected part, for other people and programs.

        `html` is a single file with the pages and their answers, `markdown` a page for an issue,
        `csv` and `parquet` are folders of tables; `perfetto` and `chrome` are traces, `xplane` is
        the profile itself, `collapsed` and `speedscope` are stacks of the host threads for flame
        graphs. Traces and stacks are compressed if the name ends in `.gz`. At least one format is
        required. `redact=True` redacts names, paths, and sources in all of them; `redact_key` makes
        names the same in every export with that key. `max_bytes` limits the size of the HTML. The
        other keywords select, as in all analyses: `steps=range(3, 6)`, `device=0`, `match="dot"`.
        Returns the sizes by format, in bytes.
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
            raise OptionsError(f"export needs at least one of: {', '.join(files)}")
        options = selection(steps, time, device, host, program, match)
        is_redacted = redaction(redact, redact_key)
        written = self._native.export(wanted, options, is_redacted, redact_key, size(max_bytes))
        return dict(written)

    @checked
    def perfetto(
        self,
        *,
        open_browser: bool = True,
        timeout: float = 600,
        port: int = PERFETTO_PORT,
        steps: Steps | None = None,
        time: Text | None = None,
        device: Text | None = None,
        host: Text | None = None,
        program: Text | None = None,
        match: str | None = None,
    ) -> str:
        """Opens the session, or the selected part, in ui.perfetto.dev. Returns the link.

        The call returns immediately. A thread waits at most `timeout` seconds for the page to fetch
        the trace and then ends; it does not keep the program alive. The page comes from the
        internet; the trace goes from this machine to the browser and stays there unless you press
        Share.
        """
        is_shown = truth("open_browser", open_browser)
        options = selection(steps, time, device, host, program, match)
        link = self._native.perfetto(timeout, port, options)
        if is_shown:
            open_link(link, timeout)
        return link

    @checked
    def show(
        self,
        view: str = "timeline",
        *,
        steps: Steps | None = None,
        at: str | None = None,
        height: int = 640,
    ) -> Any:
        """The pages of the session in a cell of a notebook, with the kernel as their server.

        No port is opened. Requires the package anywidget: `pip install 'stepscope[notebook]'`. A
        saved notebook keeps the overview as a static picture.

        Args:
            view: The page to open, by the name of its analysis: `"timeline"`, `"ops"`.
            steps: Steps to select: `5`, `range(3, 8)`, `"3..8"`.
            at: The part of the timeline to show, as times since the session began:
                `"1.2s..1.3s"`.
            height: Height of the cell, in pixels.

        Returns:
            An `anywidget.AnyWidget`; `close()` ends its connection.

        Raises:
            PackageMissingError: anywidget is not installed.
            OptionsError: The view or the time does not exist.
        """
        views = [name for name, _ in engine().analyses()]
        name = reports.NAMES.get(reports.BY_ANALYSIS.get(view, Report), "")
        if name not in views:
            raise OptionsError(f"unknown view {view!r}", f"available: {', '.join(views)}")
        try:
            from .notebook_widget import PagesWidget, window
        except ImportError as error:
            raise PackageMissingError(
                f"show() needs the package anywidget, but it cannot be imported ({error})",
                "pip install 'stepscope[notebook]'; sessions and reports show tables without it",
            ) from error
        parameters = dict(option_pairs({"steps": steps}))
        if at is not None:
            parameters["window"] = window(at)
        return PagesWidget(self, name, parameters, height)

    def __repr__(self) -> str:
        if self.is_closed:
            return "<Session, closed>"
        counts = (("host", self.host_names), ("device", self.devices), ("step", self.step_numbers))
        parts = [f"{len(all)} {noun}{'' if len(all) == 1 else 's'}" for noun, all in counts]
        return f"<Session {self.name!r}: {', '.join(parts)}>"

    def _repr_html_(self) -> str | None:
        if self.is_closed:
            return None
        try:
            return self.run(self._native.main_analysis)._repr_html_()
        except EngineError:
            return None  # nothing that can be summed up: `repr` shows the contents


class _Listing:
    """The list of sessions in the form of an analysis result."""

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


def _json_object(text: str) -> dict[str, Any] | None:
    try:
        content = json.loads(text)
    except ValueError:
        return None  # reported in `warnings`
    return content if isinstance(content, dict) else None
