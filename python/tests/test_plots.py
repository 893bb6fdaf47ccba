"""Plots: the figures of the tables, in their units, with either library, and what is refused."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import stepscope
from stepscope.engine_errors import OptionsError, PackageMissingError

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture(scope="module")
def demo() -> stepscope.Session:
    return stepscope.open(FIXTURES / "demo-gpt-cpu")


@pytest.fixture(autouse=True)
def closed_figures() -> Any:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    yield
    pyplot.close("all")


def test_steps_are_stacked_by_their_parts(demo: stepscope.Session) -> None:
    overview = demo.overview()
    axes = overview.plot("step_series", library="matplotlib")
    assert axes.get_xlabel() == "Step"
    assert axes.get_ylabel() == "Time (ms)"
    assert axes.get_title() == "Steps"
    tops = [0.0] * len(overview.step_series)
    for bars in axes.containers:
        for position, bar in enumerate(bars):
            assert bar.get_y() == pytest.approx(tops[position])
            tops[position] += bar.get_height()
    assert tops == pytest.approx([step.duration_ps / 1e9 for step in overview.step_series])
    assert axes.containers[0].get_label() == "Device compute"
    assert axes.containers[0][0].get_facecolor()[:3] == pytest.approx(
        (0x2F / 255, 0x9E / 255, 0x83 / 255)
    )


def test_altair_draws_the_same(demo: stepscope.Session) -> None:
    ops = demo.ops(limit=40)
    chart = ops.plot(y="self_ps", rows=5).to_dict()
    values = chart["data"]["values"]
    assert [one["name"] for one in values] == [op.name for op in ops.rows[:5]]
    assert chart["title"].startswith("Ops (5 of ")
    unit = {"Self (ms)": 1e9, "Self (µs)": 1e6}[chart["encoding"]["y"]["title"]]
    assert [one["value"] for one in values] == pytest.approx(
        [op.self_ps / unit for op in ops.rows[:5]]
    )
    assert chart["encoding"]["x"]["title"] == "Op"
    axes = ops.plot(y="self_ps", rows=5, library="matplotlib")
    heights = [bar.get_height() for bar in axes.containers[0]]
    assert heights == pytest.approx([one["value"] for one in values])
    assert axes.get_ylabel() == chart["encoding"]["y"]["title"]


def test_two_figures_are_points(demo: stepscope.Session) -> None:
    ops = demo.ops(limit=7)
    axes = ops.plot(x="occurrences", y="self_ps", library="matplotlib")
    points = axes.collections[0].get_offsets()
    assert [x for x, _ in points] == [op.occurrences for op in ops.rows]
    assert ops.plot(x="occurrences", y="self_ps").to_dict()["mark"]["type"] == "point"


def test_every_main_table_with_figures_can_be_plotted(demo: stepscope.Session) -> None:
    plotted = 0
    for analysis in ("overview", "steps", "ops", "scopes", "idle", "hosts", "memory"):
        report = demo.run(analysis)
        if len(report.table()) > 0:
            assert report.plot().to_dict()["data"]["values"]
            plotted += 1
    assert plotted >= 5


def test_mistakes_are_named(demo: stepscope.Session) -> None:
    ops = demo.ops(limit=3)
    with pytest.raises(OptionsError, match="unknown column 'self'"):
        ops.plot(y="self")
    with pytest.raises(OptionsError, match="'name' has no figures"):
        ops.plot(y="name")
    with pytest.raises(OptionsError, match="different units"):
        ops.plot(y=["self_ps", "self_ratio"])
    with pytest.raises(OptionsError, match="unknown library 'plotly'"):
        ops.plot(library="plotly")  # type: ignore[arg-type]
    with pytest.raises(OptionsError, match="at least 1"):
        ops.plot(rows=0)
    with pytest.raises(OptionsError, match="plot\\(\\) has no keyword z="):
        ops.plot(z="name")  # type: ignore[call-arg]


def test_the_other_library_stands_in_and_a_missing_one_is_named(
    demo: stepscope.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    assert demo.ops(limit=3).plot().get_ylabel().startswith("Self")
    with pytest.raises(PackageMissingError, match="needs the package altair"):
        demo.ops(limit=3).plot(library="altair")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PackageMissingError, match="needs the package altair or matplotlib") as told:
        demo.ops(limit=3).plot()
    assert told.value.hint == "pip install altair"


def test_nothing_is_imported_before_a_plot() -> None:
    code = (
        "import sys, stepscope\n"
        f"stepscope.open({str(FIXTURES / 'demo-gpt-cpu')!r}).ops()._repr_html_()\n"
        "assert not {'altair', 'matplotlib', 'IPython', 'anywidget'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_plots_of_the_guide_are_drawn(demo: stepscope.Session) -> None:
    guide = (FIXTURES.parent / "docs/guides/notebooks.md").read_text(encoding="utf-8")
    lines = [line for line in guide.splitlines() if re.match(r"session\..*\.plot\(", line)]
    assert len(lines) >= 3
    for line in lines:
        assert eval(line, {"session": demo}) is not None
