"""SQL over sessions, answered by the real program."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import stepscope
from stepscope.engine_errors import ProgramMissingError, QueryError

FIXTURES = Path(__file__).parents[2] / "fixtures"
DEMO = FIXTURES / "demo-gpt-cpu"

needs_program = pytest.mark.skipif(
    not Path(os.environ.get("STEPSCOPE_SQL", shutil.which("stepscope-sql") or "")).is_file(),
    reason="stepscope-sql is not built",
)


@needs_program
def test_a_query_has_the_figures_of_the_analysis() -> None:
    session = stepscope.open(DEMO)
    rows = session.sql("select name, self_ps from ops order by self_ps desc, name limit 5")
    assert rows.columns == ["name", "self_ps"]
    ops = session.ops(limit=0)
    expected = sorted(((op.name, op.self_ps) for op in ops), key=lambda row: (-row[1], row[0]))
    assert rows.rows() == expected[:5]
    assert [row["self_ps"] for row in rows] == [time for _, time in expected[:5]]
    assert len(rows) == 5
    assert "Self" in repr(rows) or "self_ps" in repr(rows)
    assert "<table" in rows._repr_html_()


@needs_program
def test_all_sessions_below_a_folder_are_asked() -> None:
    rows = stepscope.sql(FIXTURES, "select session, size_bytes from sessions order by session")
    assert len(rows) == len(stepscope.sessions(FIXTURES, quick=True))
    some = stepscope.sql(
        [DEMO, FIXTURES / "hosts4-cpu"], "select session, count(*) as n from steps group by session"
    )
    assert len(some) == 2


@needs_program
def test_rows_become_frames() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    rows = stepscope.sql(DEMO, "select name, duration_ps from slices where device is not null")
    table = rows.to_arrow()
    assert table.num_rows == len(rows) > 100
    assert table.schema.field("duration_ps").type == pyarrow.int64()


@needs_program
@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("selec 1", "not understood"),
        ("select * from opps", "not found"),
        ("drop table ops", "DDL not supported"),
    ],
)
def test_what_is_wrong_is_said(query: str, told: str) -> None:
    with pytest.raises(QueryError, match=told):
        stepscope.sql(DEMO, query)


@needs_program
def test_a_query_is_given_up_in_time() -> None:
    query = "select count(*) from slices a, slices b, slices c where a.duration_ps < b.start_ps + c.start_ps"
    with pytest.raises(QueryError, match="took longer"):
        stepscope.sql(DEMO, query, seconds=0.5)


def test_without_the_program_the_error_says_where_to_put_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("STEPSCOPE_SQL", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with pytest.raises(ProgramMissingError) as raised:
        stepscope.sql(DEMO, "select 1")
    assert "PATH" in str(raised.value)


def test_sessions_from_bytes_cannot_be_asked() -> None:
    profile = next(path for path in DEMO.rglob("*") if ".xplane.pb" in path.name)
    session = stepscope.open(profile.read_bytes())
    with pytest.raises(QueryError, match="from bytes"):
        session.sql("select 1")
