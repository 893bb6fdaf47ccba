"""Reports as rows: frames of other packages, units, `len()`, loops."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import stepscope
from stepscope import engine_errors as errors
from stepscope import reports
from stepscope._stepscope import analyses

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pandas")
pytest.importorskip("polars")

DEMO = Path(__file__).resolve().parents[2] / "fixtures/demo-gpt-cpu"


@pytest.fixture(scope="module")
def session() -> stepscope.Session:
    return stepscope.open(DEMO)


@pytest.mark.parametrize("units", ["ps", "ns", "us", "ms", "s"])
def test_times_are_in_the_unit_that_is_asked_for(session: stepscope.Session, units: Any) -> None:
    ops = session.ops()
    in_a_unit = {"ps": 1, "ns": 1e3, "us": 1e6, "ms": 1e9, "s": 1e12}[units]
    expected = [row.self_ps / in_a_unit for row in ops]
    for frame in (ops.to_pandas(units=units), ops.to_polars(units=units)):
        assert list(frame[f"self_{units}"]) == pytest.approx(expected)
        assert ("self_ps" in frame.columns) == (units == "ps")
    table = ops.to_arrow(units=units)
    assert table.schema.field(f"self_{units}").type == (
        pa.int64() if units == "ps" else pa.float64()
    )
    assert table["name"].to_pylist() == [row.name for row in ops]


@pytest.mark.parametrize("analysis", [name for name, _ in analyses()])
def test_no_time_stays_behind_in_picoseconds(session: stepscope.Session, analysis: str) -> None:
    for key, table in session.run(analysis).tables.items():
        names = table.to_arrow(units="ms").column_names
        assert not [name for name in names if name.endswith("_ps") or "_ps_" in name], key
        assert table.to_arrow(units="ps").column_names == table.columns
        assert len(table.to_arrow()) == len(table)


@pytest.mark.parametrize("analysis", [name for name, _ in analyses()])
def test_a_report_stands_for_the_rows_of_its_main_table(
    session: stepscope.Session, analysis: str
) -> None:
    report = session.run(analysis)
    rows = list(report)
    assert bool(report)
    assert len(report) == len(rows) == len(report.table())
    copy = pickle.loads(pickle.dumps(report))
    if all(isinstance(row, reports.Record) for row in rows):
        assert list(copy) == rows
        first_column = report.table().columns[0]
        assert [row.to_dict().get(first_column) for row in rows] is not None


def test_tables_have_rows_and_frames(session: stepscope.Session) -> None:
    table = session.overview().table("step_series")
    assert len(table.rows()) == 6
    assert table.rows()[0] == tuple(table.to_arrow().slice(0, 1).to_pylist()[0].values())
    assert len(table.to_pandas(units="ms")) == len(table.to_polars()) == 6


def test_a_missing_package_is_named() -> None:
    code = f"""
import sys
for name in ("pandas", "polars", "pyarrow"):
    sys.modules[name] = None
import stepscope
ops = stepscope.open({str(DEMO)!r}).ops()
for name in ("pandas", "polars", "arrow"):
    try:
        getattr(ops, f"to_{{name}}")()
    except ImportError as error:
        print(type(error).__name__, str(error).splitlines()[0][:60])
print(len(ops) == len(list(ops)) > 3)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = run.stdout.splitlines()
    assert lines[0].startswith("PackageMissingError to_pandas() needs the package pandas")
    assert lines[1].startswith("PackageMissingError to_polars() needs the package polars")
    assert lines[2].startswith("PackageMissingError to_arrow() needs the package pyarrow")
    assert lines[3] == "True"


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    code = f"""
import sys, stepscope
session = stepscope.open({str(DEMO)!r})
len(session.ops()), list(session.slices(steps=2, kind="step")), repr(session.events)
print([name for name in ("pandas", "polars", "pyarrow", "numpy", "jax") if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_units_that_do_not_exist(session: stepscope.Session) -> None:
    with pytest.raises(errors.OptionsError, match='available: "ps", "ns", "us", "ms", "s"'):
        session.ops().to_arrow(units="minutes")  # type: ignore[arg-type]
