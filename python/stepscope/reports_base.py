"""What all reports can do: attributes, dictionaries, JSON, CSV, Arrow, text and HTML.

The reports themselves are in `reports`, which is generated from the types of the engine.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from .engine_errors import NoSuchTableError
from .frames import ArrowRows, Tabular
from .keywords import checked
from .notebook_display import Displayed
from .plotting import PLOTTED_ROWS, Library

if TYPE_CHECKING:
    from ._stepscope import Table

ROWS_SHOWN = 10
"""Rows of the main table in `repr`, and of each table in notebooks."""


class Answer(Protocol):
    """What the engine returns: a report whose type Python does not know."""

    def json(self) -> str: ...
    def tables(self) -> list[Table]: ...
    def text(self, rows: int, width: int) -> str: ...
    def html(self, rows: int) -> str: ...


class Record:
    """A part of a report: a dataclass whose attributes are the keys of the JSON."""

    _KEYS: ClassVar[dict[str, str]] = {}
    """Attributes that cannot have the name of their key, such as `class_`."""

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The record of a decoded JSON object; unknown keys are ignored."""
        record = object.__new__(cls)
        record.__dict__.update(_attributes(cls, data))
        return record

    def to_dict(self) -> dict[str, Any]:
        """The record as a dictionary, with the keys of the JSON, recursively."""
        names = [field.name for field in dataclasses.fields(typing.cast(Any, self))]
        return {self._KEYS.get(name, name): _plain(getattr(self, name)) for name in names}


class Report(Displayed, Record, Tabular):
    """The answer to a question. Its attributes are read from the engine on first use.

    It acts as the rows of its main table: `len(report)`, `for row in report`,
    `report.to_pandas(units="ms")`. pandas, Polars, DuckDB, and PyArrow also accept it directly;
    `report.table("...")` returns the other tables.
    """

    def _rows(self) -> list[Any]:
        """The rows of the main table: records if the report has them, otherwise dictionaries."""
        key = self._main_table()
        if key in typing.get_type_hints(type(self)):
            rows: list[Any] = getattr(self, key)
            return rows
        table = self.table()
        return [dict(zip(table.columns, row, strict=True)) for row in table.rows()]

    def _main_table(self) -> str:
        answer = self._source()
        key: str = self.__dict__.get("_main", "rows")
        return key if answer is None else answer.tables()[0].key

    def __len__(self) -> int:
        return len(self._rows())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows())

    def __bool__(self) -> bool:
        return True  # an answer without rows is still an answer

    def _arrow(self, units: str | None) -> ArrowRows:
        return self.table().arrow(units)

    def to_json(self) -> str:
        """The report as JSON text, the same as `--json` prints."""
        answer = self._source()
        return json.dumps(self.to_dict()) if answer is None else answer.json()

    def to_dict(self) -> dict[str, Any]:
        """The report as a dictionary, the same as the JSON."""
        answer = self._source()
        if answer is None:
            return super().to_dict()
        data: dict[str, Any] = json.loads(answer.json())
        return data

    @property
    def tables(self) -> dict[str, Table]:
        """All tables of the report by their keys, the main table first."""
        answer = self._source()
        if answer is None:
            raise TypeError("this report was not made by the engine and has no tables")
        return {table.key: table for table in answer.tables()}

    def table(self, key: str | None = None) -> Table:
        """One table; the main one if no key is given.

        Raises:
            NoSuchTableError: the report has no such table.
        """
        tables = self.tables
        if key is None:
            return next(iter(tables.values()))
        if key not in tables:
            raise NoSuchTableError(f"no such table: {key!r}", f"available: {', '.join(tables)}")
        return tables[key]

    def to_csv(self, table: str | None = None) -> str:
        """A table as CSV, the same as `--csv` prints."""
        return self.table(table).to_csv()

    @checked
    def plot(
        self,
        table: str | None = None,
        *,
        x: str | None = None,
        y: str | Sequence[str] | None = None,
        rows: int = PLOTTED_ROWS,
        library: Library | None = None,
    ) -> Any:
        """A plot of a table, with titles and units of the table.

        Args:
            table: Key of the table [default: the main one].
            x: Column of the horizontal axis [default: the step, or the column that names the rows].
            y: Column of figures, or several that have the same unit, which are stacked [default:
                the parts of the steps, or the first column of times or figures].
            rows: Number of rows, from the top of the table.
            library: `"altair"` or `"matplotlib"` [default: Altair if it is installed].

        Returns:
            An `altair.Chart`, or `matplotlib.axes.Axes` of a new figure.

        Raises:
            PackageMissingError: Neither package is installed.
            OptionsError: A column is unknown, or has no figures, or has another unit.
        """
        from .plotting import plot

        return plot(self.table(table), x, y, rows, library)

    def __repr__(self) -> str:
        answer = self._source()
        if answer is None:
            fields = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
            return f"{type(self).__name__}({fields})"
        width = shutil.get_terminal_size((100, 24)).columns
        return f"{type(self).__name__}\n{answer.text(ROWS_SHOWN, width)}".rstrip()

    def _repr_html_(self) -> str | None:
        answer = self._source()
        return None if answer is None else answer.html(ROWS_SHOWN)

    @classmethod
    def _of(cls, answer: Answer) -> Self:
        report = object.__new__(cls)
        report.__dict__["_answer"] = answer
        return report

    def _source(self) -> Answer | None:
        return self.__dict__.get("_answer")

    def __reduce__(self) -> tuple[object, ...]:
        # Another process gets the figures; the tables stay with the session that made them.
        return (_restored, (type(self), self.to_dict(), self._main_table()))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            answer = self.__dict__.get("_answer")
            names = [field.name for field in dataclasses.fields(self)]
            if answer is None or name not in names:
                title = type(self).__name__
                raise AttributeError(f"{title} has no {name!r}; available: {', '.join(names)}")
            self.__dict__.update(_attributes(type(self), json.loads(answer.json())))
            return self.__dict__[name]


def _restored(kind: type[Report], data: dict[str, Any], main_table: str) -> Report:
    report = kind.from_dict(data)
    report.__dict__["_main"] = main_table
    return report


def _attributes(cls: type[Record], data: dict[str, Any]) -> dict[str, Any]:
    attributes = {}
    for name, key, convert in _plan(cls):
        value = data.get(key)
        attributes[name] = value if value is None or convert is None else convert(value)
    return attributes


@cache
def _plan(cls: Any) -> list[tuple[str, str, Callable[[Any], Any] | None]]:
    """For each attribute: its key, and the function that makes records from its JSON."""
    hints = typing.get_type_hints(cls)
    names = [field.name for field in dataclasses.fields(cls)]
    return [(name, cls._KEYS.get(name, name), _converter(hints[name])) for name in names]


def _converter(hint: Any) -> Callable[[Any], Any] | None:
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint.from_dict
    arguments = [part for part in typing.get_args(hint) if part is not types.NoneType]
    if isinstance(hint, types.UnionType) and len(arguments) == 1:
        return _converter(arguments[0])
    if typing.get_origin(hint) is list:
        return _for_each(_converter(arguments[0]))
    if typing.get_origin(hint) is dict:
        return _for_each_value(_converter(arguments[1]))
    return None


def _for_each(convert: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    if convert is None:
        return None
    return lambda values: [convert(value) for value in values]


def _for_each_value(convert: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    if convert is None:
        return None
    return lambda values: {key: convert(value) for key, value in values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
