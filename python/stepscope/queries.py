"""SQL over sessions: every table of every analysis, and every slice.

The queries run in `stepscope-sql`, a program of its own next to `stepscope`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .engine_errors import ProgramMissingError, QueryError
from .frames import ArrowRows, Tabular
from .keywords import checked
from .notebook_display import Displayed

PROGRAM = "stepscope-sql"
VARIABLE = "STEPSCOPE_SQL"


class Rows(Displayed, Tabular):
    """The rows of a query. Columns whose names end in `_ps`, `_bytes` and so on have that unit."""

    def __init__(self, native: Any, remarks: list[str]) -> None:
        self._native = native
        self.remarks = remarks
        """What a reader of the rows has to know, such as sessions that could not be opened."""

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        names: list[str] = self._native.columns
        return names

    def rows(self) -> list[tuple[Any, ...]]:
        """The rows, each a tuple of all columns."""
        rows: list[tuple[Any, ...]] = self._native.rows()
        return rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = self.columns
        return (dict(zip(names, row, strict=True)) for row in self.rows())

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        text: str = self._native.text(20, 120)
        return text.rstrip()

    def _repr_html_(self) -> str:
        html: str = self._native._repr_html_()
        return html

    def _arrow(self, units: str | None) -> ArrowRows:
        rows: ArrowRows = self._native.arrow(units)
        return rows


@checked
def sql(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    query: str,
    *,
    sessions: Sequence[str] = (),
    seconds: float | None = None,
    memory_bytes: int | None = None,
) -> Rows:
    """Asks all sessions at one or several paths.

    Args:
        paths: Log directories, runs, profiles or URLs.
        query: A query, such as `select session, name, self_ps from ops order by self_ps desc`.
        sessions: Only sessions whose names contain one of these.
        seconds: When to give up.
        memory_bytes: Memory of sorts, joins and groups.

    Raises:
        QueryError: The query is wrong, or needs more than it may use.
        ProgramMissingError: `stepscope-sql` is not installed.
    """
    from . import _stepscope

    one = isinstance(paths, str | os.PathLike)
    places = [paths] if one else list(paths)  # type: ignore[arg-type, list-item, unused-ignore]
    command = [str(_program()), "--format", "arrow"]
    for name in sessions:
        command += ["--session", name]
    if seconds is not None:
        command += ["--time", str(seconds)]
    if memory_bytes is not None:
        command += ["--memory", str(memory_bytes)]
    # After `--` nothing is an option; the query comes through the pipe, so that nobody sees it.
    command += ["--", *(os.fspath(place) for place in places)]  # type: ignore[misc, unused-ignore]
    done = subprocess.run(command, input=query.encode(), capture_output=True, check=False)
    told = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode != 0:
        message = "\n".join(line.removeprefix("error: ") for line in told if not line.startswith("hint: "))
        hints = [line.removeprefix("hint: ") for line in told if line.startswith("hint: ")]
        raise QueryError(message or f"{PROGRAM} ended with {done.returncode}", " ".join(hints) or None)
    return Rows(_stepscope.table_of_arrow(done.stdout), told)


def _program() -> Path:
    """Named by the variable, next to Python or this package, or where programs are."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    name = PROGRAM + (".exe" if sys.platform == "win32" else "")
    for folder in (Path(sys.executable).parent, Path(__file__).parent):
        if (folder / name).is_file():
            return folder / name
    if found := shutil.which(PROGRAM):
        return Path(found)
    raise ProgramMissingError(
        f"{PROGRAM} is not installed, which answers queries",
        f"put it next to {sys.executable} or on PATH, or name it in {VARIABLE}",
    )
