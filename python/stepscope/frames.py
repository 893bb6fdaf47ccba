"""Rows as `pandas.DataFrame`, `polars.DataFrame` or `pyarrow.Table`, imported only when needed."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, Protocol

from .engine_errors import PackageMissingError

if TYPE_CHECKING:
    import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]
    import polars  # type: ignore[import-not-found, import-untyped, unused-ignore]
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

Units = Literal["ps", "ns", "us", "ms", "s"]
"""A unit of time. Columns are integer picoseconds by default; with a unit, `self_ps` becomes
`self_ms`, with fractions."""


class ArrowRows(Protocol):
    """Anything that exports Arrow data."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class Tabular:
    """Rows under columns. pandas, Polars, DuckDB, and PyArrow also accept it directly, through Arrow."""

    def _arrow(self, units: str | None) -> ArrowRows:
        raise NotImplementedError

    def to_pandas(self, *, units: Units | None = None) -> pandas.DataFrame:
        """A `pandas.DataFrame`; `units="ms"` gives times in milliseconds, under `_ms`."""
        frame: pandas.DataFrame = to_pandas(self._arrow(units))
        return frame

    def to_polars(self, *, units: Units | None = None) -> polars.DataFrame:
        """A `polars.DataFrame`; `units="ms"` gives times in milliseconds, under `_ms`."""
        frame: polars.DataFrame = to_polars(self._arrow(units))
        return frame

    def to_arrow(self, *, units: Units | None = None) -> pyarrow.Table:
        """A `pyarrow.Table`; `units="ms"` gives times in milliseconds, under `_ms`."""
        table: pyarrow.Table = to_arrow(self._arrow(units))
        return table

    def __arrow_c_schema__(self) -> object:
        return self._arrow(None).__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._arrow(None).__arrow_c_stream__(requested_schema)


def to_pandas(rows: ArrowRows) -> Any:
    """Rows as a pandas DataFrame. pandas reads Arrow itself from version 3 on, and needs PyArrow
    for it; before, PyArrow reads the rows."""
    pandas = _imported("pandas", "to_pandas")
    if not hasattr(pandas.DataFrame, "from_arrow"):
        return _imported("pyarrow", "to_pandas", "with pandas before 3").table(rows).to_pandas()
    _imported("pyarrow", "to_pandas", "for pandas")
    return pandas.DataFrame.from_arrow(rows)


def to_polars(rows: ArrowRows) -> Any:
    """Rows as a Polars DataFrame."""
    return _imported("polars", "to_polars").DataFrame(rows)


def to_arrow(rows: ArrowRows) -> Any:
    """Rows as a PyArrow table."""
    return _imported("pyarrow", "to_arrow").table(rows)


def _imported(package: str, function: str, why: str = "") -> ModuleType:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        needs = f"{function}() needs the package {package}{f' {why}' if why else ''}"
        raise PackageMissingError(
            f"{needs}, but it cannot be imported ({error})",
            f"pip install {package}; without it, to_csv(), to_dict(), and iterating over rows still work",
        ) from error


def columns_of(columns: Sequence[str] | str | None) -> list[str] | None:
    """Names of columns; a single one may be given without a list."""
    return [columns] if isinstance(columns, str) else None if columns is None else list(columns)
