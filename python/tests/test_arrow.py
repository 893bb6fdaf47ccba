"""Tables as Arrow: pandas, Polars, DuckDB, and PyArrow accept a report directly."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import stepscope
from stepscope._stepscope import analyses

pa = pytest.importorskip("pyarrow")
pytest.importorskip("polars")
pytest.importorskip("pandas")
pytest.importorskip("duckdb")

DEMO = Path(__file__).resolve().parents[2] / "fixtures/demo-gpt-cpu"


@pytest.fixture(scope="module")
def session() -> stepscope.Session:
    return stepscope.open(DEMO)


def test_pyarrow_has_the_rows_with_their_types(session: stepscope.Session) -> None:
    ops = session.ops()
    table = pa.table(ops)
    assert table.num_rows == len(ops.rows)
    types = {field.name: field.type for field in table.schema}
    assert types["name"] == pa.string()
    assert types["self_ps"] == pa.int64()
    assert types["occurrences"] == pa.int64()
    assert types["self_ratio"] == pa.float64()
    assert types["flops"] == pa.float64()
    assert types["is_rematerialized"] == pa.bool_()
    for name in ("name", "self_ps", "self_ratio", "flops", "scope"):
        assert table[name].to_pylist() == [getattr(row, name) for row in ops.rows], name
    assert table.schema.metadata[b"stepscope.table"] == b"rows"


def test_what_is_not_known_is_null(session: stepscope.Session) -> None:
    ops = session.ops()
    table = pa.table(ops)
    counts = {}
    for name in ("flops", "bytes", "flop_rate", "roofline_ratio", "self_ps"):
        unknown = [getattr(row, name) is None for row in ops.rows]
        assert table[name].is_null().to_pylist() == unknown, name
        counts[name] = sum(unknown)
    # The peaks of this chip are unknown, so nothing is a share of them.
    assert counts["roofline_ratio"] == len(ops.rows)
    assert counts["self_ps"] == 0


@pytest.mark.parametrize("analysis", [name for name, _ in analyses()])
def test_the_schema_does_not_depend_on_the_rows(session: stepscope.Session, analysis: str) -> None:
    full = session.run(analysis)
    for key, table in full.tables.items():
        read = pa.table(table)
        read.validate(full=True)
        assert read.column_names == table.columns, key
        assert pa.schema(table).equals(read.schema, check_metadata=True), key


def test_an_empty_table_keeps_its_types(session: stepscope.Session) -> None:
    # XLA:CPU has no kernels, so this table has no rows.
    kernels = pa.table(session.kernels())
    assert kernels.num_rows == 0
    assert kernels.schema.field("total_ps").type == pa.int64()
    assert kernels.schema.field("mean_ps").type == pa.float64()


def test_polars(session: stepscope.Session) -> None:
    import polars

    ops = session.ops()
    frame = polars.DataFrame(ops)
    assert frame.height == len(ops.rows)
    assert frame["self_ps"].dtype == polars.Int64
    assert frame["self_ps"].sum() == sum(row.self_ps for row in ops.rows)
    assert math.isclose(frame["self_ratio"].sum(), 1.0)


def test_pandas(session: stepscope.Session) -> None:
    import pandas

    steps = session.steps()
    frame = pandas.DataFrame.from_arrow(steps)
    assert list(frame["step"]) == [row.step for row in steps.rows]
    assert frame["duration_ps"].dtype == "int64"


def test_duckdb(session: stepscope.Session) -> None:
    import duckdb

    ops = session.ops()
    found = duckdb.sql("select count(*), sum(self_ps)::bigint from ops").fetchall()[0]
    assert found == (len(ops.rows), sum(row.self_ps for row in ops.rows))


def test_several_readers_and_a_table_that_outlives_its_report(session: stepscope.Session) -> None:
    table = session.overview().table("step_series")
    first, second = pa.table(table), pa.table(table)
    assert first.equals(second)
    assert first.num_rows == 6
    capsule = table.__arrow_c_stream__()
    # A stream that nobody reads is freed with its capsule.
    del capsule


def test_the_list_of_sessions(session: stepscope.Session) -> None:
    table = pa.table(stepscope.sessions(DEMO))
    assert table["name"].to_pylist()[0] == "demo"
    assert table["step_count"].to_pylist()[0] == 6
