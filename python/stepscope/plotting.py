"""Plots of tables, with Altair or Matplotlib: the figures of the table, its titles and its units."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .engine_errors import OptionsError, PackageMissingError

if TYPE_CHECKING:
    from ._stepscope import Table

Library = Literal["altair", "matplotlib"]
"""A package that draws plots."""

PLOTTED_ROWS = 30
"""Rows of a table in a plot."""

# The colors of the pages.
_PART_COLORS = {
    "device_compute_ps": "#2f9e83",
    "collectives_ps": "#e08b1f",
    "host_to_device_ps": "#d3b53a",
    "device_to_host_ps": "#b3952a",
    "device_to_device_ps": "#e6d27a",
    "python_callbacks_ps": "#8f74d6",
    "input_wait_ps": "#b55f93",
    "compilation_ps": "#8a6a45",
    "host_overhead_ps": "#a98f78",
    "idle_ps": "#a3acb9",
}


@dataclass(frozen=True)
class Series:
    """The figures of one column."""

    name: str
    values: list[float | None]
    color: str | None


@dataclass(frozen=True)
class Plot:
    """What is drawn, whichever package draws it."""

    title: str
    x_title: str
    x: list[Any]
    y_title: str
    series: list[Series]
    kind: Literal["bar", "point"]
    """Bars, stacked if there are several series; points if the horizontal axis is a figure too."""


def plot(
    table: Table,
    x: str | None = None,
    y: str | Sequence[str] | None = None,
    rows: int = PLOTTED_ROWS,
    library: Library | None = None,
) -> Any:
    """A plot of a table: an `altair.Chart`, or else `matplotlib.axes.Axes`."""
    draw = _drawing(library)
    return draw(planned(table, x, y, rows))


def planned(table: Table, x: str | None, y: str | Sequence[str] | None, rows: int) -> Plot:
    """What to draw: the wanted columns of the first rows, or those that suit the table."""
    if rows < 1:
        raise OptionsError("rows= must be at least 1")
    roles = dict(zip(table.columns, table.roles, strict=True))
    titles = dict(zip(table.columns, table.titles, strict=True))
    keys = [y] if isinstance(y, str) else list(y or _usual_y(roles))
    across = x or _usual_x(roles, keys)
    for key in (across, *keys):
        if key not in roles:
            raise OptionsError(f"unknown column {key!r}", f"available: {', '.join(roles)}")
    for key in keys:
        if roles[key] not in ("figure", "position"):
            raise OptionsError(f"column {key!r} has no figures", f"figures: {_figures(roles)}")
    axes = table.axes(keys, rows) or []
    # Columns that measure different things have no common axis.
    units = {title.removeprefix(titles[key]) for key, (title, _) in zip(keys, axes, strict=True)}
    if len(units) > 1:
        raise OptionsError(f"{', '.join(keys)} have different units and need a plot each")
    unit = units.pop()
    is_point = roles[across] == "figure"
    x_title, values = _points(table, across, rows) if is_point else _names(table, across, rows)
    colors = _PART_COLORS if len(keys) > 1 else {}
    series = [
        Series(titles[key], axis[1], colors.get(key)) for key, axis in zip(keys, axes, strict=True)
    ]
    y_title = axes[0][0] if len(keys) == 1 else f"Time{unit}" if _is_time(keys) else f"Value{unit}"
    kind: Literal["bar", "point"] = "point" if is_point else "bar"
    return Plot(_title(table, len(values)), x_title, values, y_title, series, kind)


def _points(table: Table, key: str, rows: int) -> tuple[str, list[Any]]:
    """Title and figures of a column."""
    ((title, values),) = table.axes([key], rows) or [("", [])]
    return title, list(values)


def _names(table: Table, key: str, rows: int) -> tuple[str, list[Any]]:
    """Title and texts of a column."""
    at = table.columns.index(key)
    texts = ["" if row[at] is None else str(row[at]) for row in table.rows()[:rows]]
    return table.titles[at], texts


def _title(table: Table, shown: int) -> str:
    """The title of the table, with how many rows the plot leaves out."""
    total = max(table.row_count, len(table))
    return table.title if shown >= total else f"{table.title} ({shown:,} of {total:,} rows)"


def _usual_y(roles: dict[str, str]) -> list[str]:
    """The parts of steps; of other tables the first time, or else the first column of figures."""
    if "step" in roles and all(part in roles for part in _PART_COLORS):
        return list(_PART_COLORS)
    figures = [key for key, role in roles.items() if role == "figure"]
    if not figures:
        raise OptionsError("the table has no figures to plot")
    times = [key for key in figures if key.endswith("_ps")]
    return (times or figures)[:1]


def _usual_x(roles: dict[str, str], y: Sequence[str]) -> str:
    """The step; otherwise the first column that names the rows."""
    if "step" in roles and "step" not in y:
        return "step"
    for wanted in ("text", "position"):
        for key, role in roles.items():
            if role == wanted and key not in y:
                return key
    return next((key for key in roles if key not in y), next(iter(roles)))


def _figures(roles: dict[str, str]) -> str:
    return ", ".join(key for key, role in roles.items() if role == "figure")


def _is_time(keys: Sequence[str]) -> bool:
    return all(key.endswith("_ps") for key in keys)


def _drawing(library: Library | None) -> Callable[[Plot], Any]:
    """The function that draws: with the wanted package, or with one that is installed."""
    if library not in (None, "altair", "matplotlib"):
        raise OptionsError(f"unknown library {library!r}", "available: altair, matplotlib")
    for name in ("altair", "matplotlib"):
        if library in (None, name):
            try:
                importlib.import_module(name)
            except ImportError as error:
                missing = error
                continue
            from . import plot_libraries

            return plot_libraries.DRAWING[name]
    raise PackageMissingError(
        f"plot() needs the package {library or 'altair or matplotlib'}, but it cannot be imported "
        f"({missing})",
        f"pip install {library or 'altair'}",
    )
