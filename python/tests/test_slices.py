"""Slices as Arrow and as rows: the same as exported, selected, in batches."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import stepscope
from stepscope import engine_errors as errors
from stepscope import slices
from stepscope._stepscope import Slices as Native

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("pandas")
pytest.importorskip("polars")

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "fixtures/demo-gpt-cpu"


@pytest.fixture(scope="module")
def session() -> stepscope.Session:
    return stepscope.open(DEMO)


@pytest.fixture(scope="module")
def everything(session: stepscope.Session) -> Any:
    return pa.table(session.events)


def test_they_are_the_rows_that_are_exported(
    session: stepscope.Session, everything: Any, tmp_path: Path
) -> None:
    session.export(parquet=tmp_path / "tables")
    exported = pq.read_table(tmp_path / "tables/slices.parquet")
    assert everything.equals(exported)
    assert everything.num_rows == session.timeline().slice_count == len(session.events)


def test_the_columns_are_those_of_the_documentation(everything: Any) -> None:
    section = (ROOT / "docs/guides/export.md").read_text().split("### slices")[1].split("\n### ")[0]
    told = re.findall(r"^\| `(\w+)` \| (\w+) \|", section, re.MULTILINE)
    types = {"string": pa.string(), "int64": pa.int64()}
    assert [(field.name, field.type) for field in everything.schema] == [
        (name, types[kind]) for name, kind in told
    ]
    fields = [field.rstrip("_") for field in slices.Slice.__dataclass_fields__]
    assert fields == everything.column_names == Native.columns()


def test_words_are_those_of_the_types(everything: Any) -> None:
    kinds, classes = slices.Kind.__args__, slices.Class.__args__  # type: ignore[attr-defined]
    assert set(everything["kind"].to_pylist()) <= set(kinds)
    assert set(everything["class"].to_pylist()) <= set(classes)


def test_they_come_in_batches(session: stepscope.Session, everything: Any) -> None:
    reader = pa.RecordBatchReader.from_stream(session.events)
    sizes = [batch.num_rows for batch in reader]
    assert len(sizes) > 1 and max(sizes) <= 1 << 14
    assert sum(sizes) == everything.num_rows


def test_a_loop_has_the_same_rows(session: stepscope.Session, everything: Any) -> None:
    selected = session.slices(device=0, steps=2)
    rows = list(selected)
    assert len(rows) == len(selected) > 0
    table = pa.table(selected)
    for name in ("name", "start_ps", "self_ps", "op", "device"):
        assert [getattr(row, name) for row in rows] == table[name].to_pylist()
    assert [row.class_ for row in rows] == table["class"].to_pylist()
    assert all(isinstance(row, slices.Slice) for row in rows)


@pytest.mark.parametrize(
    ("keywords", "test"),
    [
        ({"device": 0}, lambda row: row["device"] == "CPU:0"),
        ({"device": [0, "CPU:2"]}, lambda row: row["device"] in ("CPU:0", "CPU:2")),
        ({"kind": "python"}, lambda row: row["kind"] == "python"),
        ({"kind": ["op", "step"]}, lambda row: row["kind"] in ("op", "step")),
        ({"class_": "matmul"}, lambda row: row["class"] == "matmul"),
        ({"track": "XLAEigen"}, lambda row: "xlaeigen" in row["track"].lower()),
        ({"track": 3}, lambda row: row["track_index"] == 3),
        ({"time": "100ms..200ms"}, lambda row: 10**11 <= row["start_ps"] < 2 * 10**11),
        (
            {"kind": "op", "steps": range(2, 4)},
            lambda row: row["kind"] == "op" and row["step"] in (2, 3),
        ),
    ],
)
def test_a_selection_is_what_a_filter_finds(
    session: stepscope.Session, everything: Any, keywords: dict[str, Any], test: Any
) -> None:
    expected = [row for row in everything.to_pylist() if test(row)]
    assert expected
    assert pa.table(session.slices(**keywords)).to_pylist() == expected
    assert len(session.slices(**keywords)) == len(expected)


def test_match_looks_at_names_of_ops_too(session: stepscope.Session) -> None:
    texts = ("name", "op", "category", "scope", "source")
    rows = pa.table(session.slices(match="dot")).to_pylist()
    assert rows
    assert all(any("dot" in (row[text] or "").lower() for text in texts) for row in rows)


def test_columns_and_units(session: stepscope.Session) -> None:
    some = session.slices(kind="op", columns=["name", "self_ps"])
    assert pa.table(some).column_names == ["name", "self_ps"]
    frame = some.to_pandas(units="us")
    assert list(frame.columns) == ["name", "self_us"]
    total_ps = sum(row.self_ps for row in some)
    assert frame["self_us"].sum() == pytest.approx(total_ps / 1e6)
    assert some.to_polars(units="ms")["self_ms"].sum() == pytest.approx(total_ps / 1e9)
    assert some.to_arrow().schema.field("self_ps").type == pa.int64()
    assert some.columns == ["name", "self_ps"]


def test_self_times_add_up_to_the_ops(session: stepscope.Session) -> None:
    frame = session.slices(kind="op").to_pandas()
    assert frame["self_ps"].sum() == sum(row.self_ps for row in session.ops(limit=0))


def test_wrong_wishes_are_refused(session: stepscope.Session) -> None:
    with pytest.raises(
        errors.OptionsError, match='kind="kernels" does not exist; available: op, kernel'
    ):
        session.slices(kind="kernels")  # type: ignore[arg-type]
    with pytest.raises(errors.OptionsError, match='no column "self_ms"; available: host'):
        session.slices(columns=["self_ms"])
    with pytest.raises(errors.OptionsError, match='units="hours" does not exist; available: "ps"'):
        session.events.to_pandas(units="hours")  # type: ignore[arg-type]
    with pytest.raises(errors.NothingSelectedError, match="track="):
        session.slices(track="no such thread")
    with pytest.raises(errors.UnknownOptionError, match="slices"):
        session.slices(devise=0)  # type: ignore[call-arg]


def test_repr_and_html(session: stepscope.Session) -> None:
    selected = session.slices(kind="op", match="dot")
    assert repr(selected) == f"<Slices: {len(selected):,} rows, 22 columns>"
    html = selected._repr_html_()
    assert next(iter(selected)).name in html
    assert html.count("<tr>") < 20


def test_a_stream_outlives_its_session() -> None:
    with stepscope.open(DEMO) as session:
        count = len(session.events)
        capsule = pa.RecordBatchReader.from_stream(session.events)
    assert sum(batch.num_rows for batch in capsule) == count
