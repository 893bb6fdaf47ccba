"""Reports to share: tables that DuckDB, pandas, and Polars read, Markdown, single-file HTML."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import stepscope
from stepscope import engine_errors as errors

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")
pd = pytest.importorskip("pandas")

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "fixtures/demo-gpt-cpu"
TYPES = {"string": pa.string(), "int64": pa.int64(), "double": pa.float64(), "boolean": pa.bool_()}


@pytest.fixture(scope="module")
def demo() -> stepscope.Session:
    return stepscope.open(DEMO)


@pytest.fixture(scope="module")
def folder(demo: stepscope.Session, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    sizes = demo.export(parquet=folder)
    assert sizes == {"parquet": sum(file.stat().st_size for file in folder.iterdir())}
    return folder


def test_every_table_has_the_schema_that_the_manifest_tells(folder: Path) -> None:
    manifest = json.loads((folder / "tables.json").read_text())
    files = {file.name for file in folder.glob("*.parquet")}
    assert files == {table["file"] for table in manifest["tables"]}
    for table in manifest["tables"]:
        read = pq.read_table(folder / table["file"])
        assert read.num_rows == table["rows"], table["name"]
        told = {column["name"]: TYPES[column["type"]] for column in table["columns"]}
        assert {field.name: field.type for field in read.schema} == told, table["name"]


def test_slices_have_the_schema_of_the_documentation(folder: Path) -> None:
    page = (ROOT / "docs/guides/export.md").read_text()
    section = page.split("### slices")[1].split("\n### ")[0]
    told = re.findall(r"^\| `(\w+)` \| (\w+) \|", section, re.MULTILINE)
    read = pq.read_schema(folder / "slices.parquet")
    assert [(field.name, field.type) for field in read] == [
        (name, TYPES[kind]) for name, kind in told
    ]


def test_duckdb_adds_up_what_the_analysis_says(demo: stepscope.Session, folder: Path) -> None:
    query = f"""
        select op, count(*), sum(self_ps) from '{folder}/slices.parquet'
        where op is not null and role = 'ops' group by op
    """
    found = {op: (count, total) for op, count, total in duckdb.sql(query).fetchall()}
    ops = demo.ops(limit=0).rows
    assert sum(row.self_ps for row in ops) == sum(total for _, total in found.values())
    assert {row.name for row in ops} == set(found)


def test_pandas_reads_steps_and_ops(demo: stepscope.Session, folder: Path) -> None:
    steps = pd.read_parquet(folder / "steps.parquet")
    assert list(steps["duration_ps"]) == [row.duration_ps for row in demo.steps(limit=0).rows]
    ops = pd.read_parquet(folder / "ops.parquet")
    assert ops["self_ps"].sum() == sum(row.self_ps for row in demo.ops(limit=0).rows)


def test_csv_has_the_same_rows(demo: stepscope.Session, folder: Path, tmp_path: Path) -> None:
    demo.export(csv=tmp_path / "csv")
    for name in ("ops", "steps", "slices"):
        read = pd.read_csv(tmp_path / "csv" / f"{name}.csv")
        assert len(read) == pq.read_metadata(folder / f"{name}.parquet").num_rows


def test_markdown_and_html_are_files(demo: stepscope.Session, tmp_path: Path) -> None:
    page = tmp_path / "run.md"
    sizes = demo.export(markdown=page, steps=range(2, 4))
    assert sizes == {"markdown": page.stat().st_size}
    assert "| Selected | steps 2..4 |" in page.read_text()


def test_redaction_is_of_every_format(demo: stepscope.Session, tmp_path: Path) -> None:
    demo.export(csv=tmp_path / "one", markdown=tmp_path / "one.md", redact=True, redact_key="a key")
    demo.export(csv=tmp_path / "other", redact=True, redact_key="a key")
    one, other = ((tmp_path / name / "ops.csv").read_text() for name in ("one", "other"))
    assert one == other
    assert "Names were replaced" in (tmp_path / "one.md").read_text()
    manifest = json.loads((tmp_path / "one" / "tables.json").read_text())
    assert manifest["redacted"]["replaced"]
    demo.export(csv=tmp_path / "third", redact=True)
    assert (tmp_path / "third" / "ops.csv").read_text() != one


def test_wrong_wishes_are_refused(demo: stepscope.Session, tmp_path: Path) -> None:
    with pytest.raises(errors.OptionsError):
        demo.export(redact=True)
    with pytest.raises(errors.OptionsError):
        demo.export(csv=tmp_path / "x", steps="nonsense")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(errors.ExportError, match="other files"):
        demo.export(csv=tmp_path / "full")
