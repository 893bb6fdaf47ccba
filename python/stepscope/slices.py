"""The slices of a session, row by row: what happened, when, and where.

```python
session.slices(match="all-reduce", device=0).to_pandas(units="us")
for slice in session.slices(kind="python", steps=3):
    print(slice.name, slice.duration_ps)
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .frames import ArrowRows, Tabular, columns_of
from .notebook_display import Displayed

if TYPE_CHECKING:
    from . import _stepscope

ROWS_SHOWN = 10
"""Rows in `repr` and notebooks."""

Kind = Literal[
    "op",
    "kernel",
    "transfer",
    "async_op",
    "program_run",
    "step",
    "derived",
    "host",
    "python",
    "marker",
    "device_other",
]
"""What a slice is. Device work is `op`, `kernel`, and `transfer`."""

Class = Literal[
    "matmul",
    "attention",
    "compute",
    "collective",
    "copy",
    "program",
    "step",
    "python",
    "host",
    "wait",
    "input",
    "compile",
    "marker",
]
"""What a slice does."""


@dataclass(frozen=True, slots=True)
class Slice:
    """One slice: a time interval on a track."""

    host: str
    """Host."""
    device: str | None
    """Device; None for host threads."""
    track: str
    """Name of the row on the timeline."""
    track_index: int
    """Its number, which distinguishes rows with the same name."""
    line_id: int
    """Number of the thread or stream, as recorded."""
    role: str
    """What the row is: `ops`, `stream`, `python`, `host_thread`..."""
    lane: int
    """Lane in the track."""
    depth: int
    """Number of slices of the track that contain it."""
    index: int
    """Position in the lane."""
    name: str
    """Name."""
    kind: str
    """What it is: `op`, `kernel`, `transfer`, `python`, `host`..."""
    class_: str
    """What it does: `matmul`, `collective`, `wait`... The column is named `class`."""
    start_ps: int
    """Start, relative to time 0 of the session."""
    duration_ps: int
    """Duration."""
    self_ps: int
    """Duration without directly nested slices."""
    step: int | None
    """Number of the step in which it starts, on its device or host."""
    op: str | None
    """HLO instruction."""
    category: str | None
    """HLO category."""
    program: str | None
    """Program, such as `jit_step(70)`."""
    program_id: str | None
    """Its ID, an unsigned 64-bit number."""
    scope: str | None
    """JAX name stack."""
    source: str | None
    """`file:line`."""


class Slices(Displayed, Tabular):
    """The selected slices, in the order of tracks, lanes, and time.

    Nothing is copied before it is read: as Arrow in batches, in a loop one by one, so that memory
    use does not grow with the number of slices.
    """

    def __init__(self, native: _stepscope.Slices, columns: Sequence[str] | None = None) -> None:
        self._native = native
        self._columns = columns_of(columns)
        self._arrow(None)  # an unknown column is an error here

    @property
    def columns(self) -> list[str]:
        """Names of the columns exported as Arrow."""
        return self._native.columns() if self._columns is None else list(self._columns)

    def _arrow(self, units: str | None) -> ArrowRows:
        return self._native.arrow(self._columns, units)

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> Iterator[Slice]:
        reader = self._native.reader()
        while rows := reader.rows():
            for row in rows:
                yield Slice(*row)

    def __repr__(self) -> str:
        return f"<Slices: {len(self):,} rows, {len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        return self._native.head(ROWS_SHOWN).html(ROWS_SHOWN)
