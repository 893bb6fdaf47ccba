"""What notebooks show of sessions, reports, tables and comparisons, live and saved."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import stepscope
from stepscope import errors, reports

FIXTURES = Path(__file__).parents[2] / "fixtures"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"
VOID = {"rect", "circle", "line", "br", "img"}


class Checked(HTMLParser):
    """Markup with its elements, its text, and whether every element is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.texts: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


def shown(thing: Any) -> Checked:
    """The HTML of a thing, checked for what must never be in it."""
    bundle = thing._repr_mimebundle_()
    assert bundle["text/plain"] == repr(thing)
    html = Checked(bundle["text/html"])
    assert not {"script", "style", "link", "img", "iframe"} & set(html.elements)
    assert not [name for name, _ in html.attributes if name.startswith("on")]
    return html


@pytest.fixture(scope="module")
def demo() -> stepscope.Session:
    return stepscope.open(FIXTURES / "demo-gpt-cpu")


def test_every_report_is_shown_with_all_its_tables(demo: stepscope.Session) -> None:
    seen = 0
    for analysis in reports.BY_ANALYSIS:
        try:
            report = demo.run(analysis)
        except errors.StepscopeError:
            continue  # it needs another session, or what this one did not record
        html = shown(report)
        seen += 1
        has_rows = any(len(table) > 0 for table in report.tables.values())
        assert "thead" in html.elements or not has_rows, analysis
    assert seen > 15


def test_the_overview_has_its_conclusion_figures_chart_and_verdicts(
    demo: stepscope.Session,
) -> None:
    overview = demo.overview()
    html = shown(overview)
    assert html.texts[0] == overview.headline
    assert html.text.count(overview.headline) == 1
    for title in ("Step time", "Mean (ms)", "Verdicts", "Top ops", "Steps"):
        assert title in html.text, title
    assert html.elements.count("svg") == 1
    assert html.elements.count("g") == len(overview.step_series)
    for verdict in overview.verdicts[:10]:
        assert verdict.title in html.text
    assert html.texts.count("●") == 10


def test_a_session_is_shown_as_what_it_contains(demo: stepscope.Session) -> None:
    assert demo._repr_html_() == demo.overview()._repr_html_()
    assert repr(demo) == demo._repr_mimebundle_()["text/plain"]
    heap = stepscope.open(FIXTURES / "demo-gpt-cpu" / "memory.prof")
    assert heap._repr_html_() == heap.heap()._repr_html_()


def test_rows_are_limited_and_counted(demo: stepscope.Session) -> None:
    ops = demo.ops()
    html = shown(ops)
    assert f"… 10 of {len(ops):,} rows" in html.text
    table = Checked(ops.table()._repr_html_())
    assert f"… 50 of {len(ops):,} rows" in table.text
    assert table.elements.count("tr") == 51


def test_comparisons_are_shown(demo: stepscope.Session, tmp_path: Path) -> None:
    mlp = stepscope.open(FIXTURES / "mlp-cpu")
    compared = stepscope.compare(demo, mlp)
    html = shown(compared)
    assert html.texts[0] == compared.differences[0].conclusion
    checked = stepscope.check(mlp, demo, budget=["step_time=+2%"])
    html = shown(checked)
    assert html.texts[0] == checked.conclusion
    assert "Budgets" in html.text
    history = stepscope.history(FIXTURES / "experiments-cpu")
    assert "Runs" in shown(history).text


def test_forms_can_be_chosen(demo: stepscope.Session) -> None:
    steps = demo.steps()
    assert set(steps._repr_mimebundle_(include=["text/plain"])) == {"text/plain"}
    assert set(steps._repr_mimebundle_(exclude=["text/plain"])) == {"text/html"}


def test_names_of_a_profile_are_no_markup(tmp_path: Path, work: Any) -> None:
    with stepscope.profile_trace(tmp_path, quiet=True) as trace:
        for step in range(3):
            with trace.step(step, HOSTILE), stepscope.profile_scope(HOSTILE):
                trace.block(work())
    session = stepscope.open(trace.result)
    slices = session.slices(match="onerror")
    for thing in (session, session.steps(), session.regions(kind="all"), slices):
        shown(thing)
    html = shown(slices)
    values = [value or "" for _, value in html.attributes]
    assert any(HOSTILE in text for text in [*html.texts, *values])
    assert "&lt;script&gt;" in slices._repr_html_()


def test_a_saved_notebook_shows_the_same(tmp_path: Path) -> None:
    import nbconvert
    import nbformat
    from nbclient import NotebookClient

    demo = str(FIXTURES / "demo-gpt-cpu")
    cells = [
        f"import stepscope\nsession = stepscope.open({demo!r})\nsession",
        "session.ops(limit=12)",
        "session.overview().table('devices')",
    ]
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    NotebookClient(notebook, timeout=120).execute()
    saved = nbformat.writes(notebook)
    page, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(
        nbformat.reads(saved, as_version=4)
    )
    for kept in ("<svg", "Step time", "Verdicts", "Self (", "10 of 12 rows", "Busy share (%)"):
        assert kept in page, kept
