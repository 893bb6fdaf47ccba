"""The slices of a session: what happened, when, where, row by row.

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
"""What a slice is. The work of devices is `op`, `kernel` and `transfer`."""

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
    """One slice: a stretch of time on a track."""

    host: str
    """Host."""
    device: str | None
    """Device; None for threads of the host."""
    track: str
    """Name of the row on the timeline."""
    track_index: int
    """Its number, which tells rows of one name apart."""
    line_id: int
    """Number of the thread or stream, as it was recorded."""
    role: str
    """What the row is: `ops`, `stream`, `python`, `host_thread`..."""
    lane: int
    """Lane in the track."""
    depth: int
    """How many slices of the track are around it."""
    index: int
    """Position in the lane."""
    name: str
    """Name."""
    kind: str
    """What it is: `op`, `kernel`, `transfer`, `python`, `host`..."""
    class_: str
    """What it does: `matmul`, `collective`, `wait`... The column is called `class`."""
    start_ps: int
    """Begin, since time 0 of the session."""
    duration_ps: int
    """Duration."""
    self_ps: int
    """Duration without the slices directly within."""
    step: int | None
    """Number of the step it begins in, on its device or host."""
    op: str | None
    """HLO instruction."""
    category: str | None
    """HLO category."""
    program: str | None
    """Program, such as `jit_step(70)`."""
    program_id: str | None
    """Its id, which may exceed 64 bits with a sign."""
    scope: str | None
    """JAX name stack."""
    source: str | None
    """`file:line`."""


class Slices(Tabular):
    """Slices that were selected, in the order of tracks, lanes and time.

    Nothing is copied before it is read: as Arrow they come in batches, in a loop one by one, so that
    memory does not grow with how many there are.
    """

    def __init__(self, native: _stepscope.Slices, columns: Sequence[str] | None = None) -> None:
        self._native = native
        self._columns = columns_of(columns)
        self._arrow(None)  # a column that does not exist is an error here

    @property
    def columns(self) -> list[str]:
        """Names of the columns that leave as Arrow."""
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
