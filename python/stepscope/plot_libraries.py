"""Draws plots with Altair or with Matplotlib, each imported only when it draws."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .plotting import Plot

COLOR = "#4c78a8"
"""The color of a single series."""


def with_altair(plot: Plot) -> Any:
    """An `altair.Chart`."""
    altair: Any = importlib.import_module("altair")

    values = [
        {"row": row, "name": name, "value": value, "series": series.name, "order": order}
        for order, series in enumerate(plot.series)
        for row, (name, value) in enumerate(zip(plot.x, series.values, strict=True))
    ]
    is_bar = plot.kind == "bar"
    chart = altair.Chart(altair.Data(values=values), title=plot.title)
    if is_bar:
        # By number, so that rows keep their order and rows with the same name stay apart.
        names = json.dumps([_shortened(name) for name in plot.x])
        axis = altair.Axis(labelExpr=f"{names}[datum.value]", labelAngle=-45)
        x = altair.X("row:O", title=plot.x_title, axis=axis)
    else:
        x = altair.X("name:Q", title=plot.x_title)
    tooltip = [
        altair.Tooltip("name:N" if is_bar else "name:Q", title=plot.x_title),
        altair.Tooltip("value:Q", title=plot.y_title),
    ]
    encoding = {"x": x, "y": altair.Y("value:Q", title=plot.y_title), "tooltip": tooltip}
    if len(plot.series) > 1:
        titles = [series.name for series in plot.series]
        colors = [series.color for series in plot.series]
        given = {} if None in colors else {"range": colors}
        scale = altair.Scale(domain=titles, **given)
        encoding["color"] = altair.Color("series:N", title="", scale=scale)
        encoding["order"] = altair.Order("order:Q")
        tooltip.insert(0, altair.Tooltip("series:N", title="Column"))
    mark = {} if len(plot.series) > 1 else {"color": COLOR}
    drawn = chart.mark_bar(**mark) if is_bar else chart.mark_point(**mark)
    return drawn.encode(**encoding)


def with_matplotlib(plot: Plot) -> Any:
    """`matplotlib.axes.Axes` of a new figure."""
    pyplot: Any = importlib.import_module("matplotlib.pyplot")

    _, axes = pyplot.subplots(figsize=(8, 4), layout="constrained")
    bottom = [0.0] * len(plot.x)
    for series in plot.series:
        color = series.color or (COLOR if len(plot.series) == 1 else None)
        if plot.kind == "point":
            known = [float("nan") if value is None else value for value in series.values]
            axes.scatter(plot.x, known, color=color, label=series.name)
            continue
        heights = [value or 0.0 for value in series.values]
        axes.bar(range(len(plot.x)), heights, bottom=bottom, color=color, label=series.name)
        bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
    if plot.kind == "bar":
        names = [_plain(_shortened(name)) for name in plot.x]
        axes.set_xticks(range(len(plot.x)), names, rotation=45, ha="right")
    if len(plot.series) > 1:
        axes.legend(fontsize="small")
    axes.set(title=_plain(plot.title), xlabel=plot.x_title, ylabel=plot.y_title)
    return axes


DRAWING: dict[str, Callable[[Plot], Any]] = {"altair": with_altair, "matplotlib": with_matplotlib}
"""The function that draws with each package."""


def _plain(text: str) -> str:
    """Text in which Matplotlib reads no formula."""
    return text.replace("$", r"\$")


def _shortened(name: str, longest: int = 40) -> str:
    half = longest // 2 - 1
    return name if len(name) <= longest else f"{name[:half]}…{name[-half:]}"
