"""`session.show()`: the page's requests, answered by the kernel, and what a saved notebook keeps."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import stepscope
from stepscope.engine_errors import OptionsError, PackageMissingError, UnknownOptionError

pytest.importorskip("anywidget")

from stepscope import notebook_pages, notebook_widget  # noqa: E402

FIXTURES = Path(__file__).parents[2] / "fixtures"


class Cell:
    """A widget with the notebook's side of its connection."""

    def __init__(self, widget: Any) -> None:
        self.widget = widget
        self.key = widget.place.split("/")[2]
        self._answers: dict[int, tuple[dict[str, Any], list[bytes]]] = {}
        self._arrived = threading.Condition()
        widget.send = self._receive
        self._count = 0

    def _receive(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        with self._arrived:
            assert content["view"] == "the view"
            self._answers[content["id"]] = (content, buffers)
            self._arrived.notify_all()

    def ask(self, url: str, method: str = "GET", body: str = "", **more: Any) -> int:
        self._count += 1
        content = {"view": "the view", "id": self._count, "method": method, "url": url}
        self.widget._receive(self.widget, {**content, "body": body, **more}, [])
        return self._count

    def answer(self, number: int) -> tuple[dict[str, Any], bytes]:
        content, [body] = self._answered(number)
        return content, body

    def page(self) -> list[bytes]:
        """The page and its code."""
        return self._answered(self.ask("", page=True))[1]

    def _answered(self, number: int) -> tuple[dict[str, Any], list[bytes]]:
        with self._arrived:
            assert self._arrived.wait_for(lambda: number in self._answers, timeout=30)
            return self._answers[number]


@pytest.fixture(scope="module")
def demo() -> stepscope.Session:
    return stepscope.open(FIXTURES / "demo-gpt-cpu")


@pytest.fixture
def show(demo: stepscope.Session) -> Iterator[Callable[..., Cell]]:
    cells: list[Cell] = []

    def shown(*arguments: Any, **keywords: Any) -> Cell:
        cells.append(Cell(demo.show(*arguments, **keywords)))
        return cells[-1]

    yield shown
    for cell in cells:
        cell.widget.close()


def test_the_place_that_opens(show: Callable[..., Cell]) -> None:
    cell = show()
    assert cell.widget.place == f"#/s/{cell.key}/timeline"
    assert cell.widget.first[-1] == f"api/sessions/{cell.key}/analyses/timeline"
    for url in cell.widget.first:
        assert cell.answer(cell.ask(url))[0]["status"] == 200, url
    cell = show("hlo_stats", steps=range(2, 5), height=300)
    assert cell.widget.place == f"#/s/{cell.key}/ops?steps=2..5"
    assert cell.widget.height == 300
    cell = show(at="1.5ms..0.25s")
    assert cell.widget.place.endswith("?window=1500000000..250000000000")


def test_reports_and_tiles_come_from_the_kernel(
    show: Callable[..., Cell], demo: stepscope.Session
) -> None:
    cell = show()
    session = f"api/sessions/{cell.key}"
    first = cell.ask(f"{session}/analyses/overview")
    tile = cell.ask(
        f"{session}/timeline/tile?start_ps=0&end_ps=100000000000&width_px=1000&tracks=0"
    )
    content, body = cell.answer(first)
    assert content["status"] == 200
    assert json.loads(body) == demo.overview().to_dict()
    content, body = cell.answer(tile)
    assert content["status"] == 200, body
    assert dict(content["headers"])["content-type"] == "application/octet-stream"
    assert len(body) > 100
    content, body = cell.answer(cell.ask(f"{session}/analyses/nothing"))
    assert content["status"] == 404
    assert "error" in json.loads(body)


def test_the_page_is_sent_on_request_and_not_saved(show: Callable[..., Cell]) -> None:
    cell = show()
    page, code = cell.page()
    assert page.startswith(b"<!doctype html>")
    assert b'src="stepscope-code:first"' in page
    assert len(code) < 400_000, "the other views are sent when they are shown"
    state = cell.widget.get_state()
    assert len(str({name: value for name, value in state.items() if name != "_esm"})) < 2000


def test_cells_name_the_version_of_the_page(show: Callable[..., Cell]) -> None:
    cell, other = show(), show("ops")
    expected = hashlib.sha256(b"".join(cell.page())).hexdigest()
    assert cell.widget.page == other.widget.page == expected


def test_other_code_of_the_page_is_an_answer(show: Callable[..., Cell]) -> None:
    cell = show()
    for name in ("later", "rest"):
        content, code = cell.answer(cell.ask(f"frame/{name}.js"))
        assert content["status"] == 200
        assert b"stepscope-code:first" in code


def test_the_picture_waits_for_a_page_that_starts_slowly(
    show: Callable[..., Cell], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in (("IDLE_SECONDS", 0.02), ("START_SECONDS", 60.0), ("_LOOK_SECONDS", 0.01)):
        monkeypatch.setattr(notebook_widget, name, seconds)
    cell, published = show(), threading.Event()
    monkeypatch.setattr(cell.widget, "_publish_still", lambda **_: published.set())
    thread = threading.Thread(target=cell.widget._show_picture_later, daemon=True)
    thread.start()
    cell.page()
    cell.answer(cell.ask(cell.widget.first[0], ahead=True))
    assert not published.wait(0.5), "the page itself has asked for nothing"
    cell.answer(cell.ask("api/sessions"))
    assert published.wait(30)
    thread.join(30)


def test_nothing_can_be_captured_or_sent_elsewhere(show: Callable[..., Cell]) -> None:
    cell = show()
    body = json.dumps({"host": "example.com:1", "duration_ms": 10})
    content, _ = cell.answer(cell.ask("api/captures", "POST", body))
    assert content["status"] in (403, 404, 405)
    content, _ = cell.answer(cell.ask("api/sessions", "DELETE"))
    assert content["status"] == 405
    content, _ = cell.answer(cell.ask("api/ses sions"))
    assert content["status"] == 400


def test_a_notebook_that_a_program_runs_keeps_the_picture(demo: stepscope.Session) -> None:
    """An output of its own: readers prefer the frame to whatever else is in its output."""
    import nbconvert
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook()
    opens = f"import stepscope\nsession = stepscope.open({str(FIXTURES / 'demo-gpt-cpu')!r})"
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in (opens, "session.show()")]
    NotebookClient(notebook, timeout=120).execute()
    picture, frame = [output["data"] for output in notebook.cells[1].outputs]
    assert demo._repr_html_() in picture["text/html"]
    assert picture["text/plain"] == frame["text/plain"] == repr(demo)
    assert "application/vnd.jupyter.widget-view+json" in frame
    assert "application/vnd.jupyter.widget-view+json" not in picture
    page, _ = nbconvert.HTMLExporter(template_name="lab").from_notebook_node(notebook)
    assert page.count('class="stepscope-report"') == page.count('30.9 % waiting for input') == 1


class Shell:
    """The shell of a notebook whose cell runs again and again."""

    def __init__(self) -> None:
        self.runs = 0

    def get_parent(self) -> dict[str, Any]:
        return {"header": {"msg_id": f"run {self.runs}"}, "metadata": {"cellId": "a cell"}}


@pytest.mark.parametrize("is_opened_again", [False, True])
def test_a_cell_that_runs_again_frees_what_it_showed(
    demo: stepscope.Session, monkeypatch: pytest.MonkeyPatch, is_opened_again: bool
) -> None:
    shell = Shell()
    monkeypatch.setattr(notebook_widget, "_shell", lambda: shell)
    # Those of one session are 7. Other libraries of the process may start some of theirs meanwhile, and
    # what 40 cells left behind would be at least as many.
    most = _threads() + 20
    for shell.runs in range(20):
        session = stepscope.open(FIXTURES / "demo-gpt-cpu") if is_opened_again else demo
        cells = [Cell(session.show()), Cell(session.show("ops"))]
        for cell in cells:
            for number in [cell.ask("api/sessions") for _ in range(4)]:
                assert cell.answer(number)[0]["status"] == 200
    ends = time.monotonic() + 10
    while _threads() > most and time.monotonic() < ends:
        time.sleep(0.05)
    assert _threads() <= most
    for cell in cells:
        cell.widget.close()
    assert not notebook_pages._pages


def _threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def test_cells_share_the_pages_of_their_session(show: Callable[..., Cell]) -> None:
    before = _threads()
    cells = [show() for _ in range(20)]
    for cell in cells:
        assert cell.answer(cell.ask("api/sessions"))[0]["status"] == 200
    assert _threads() <= before + 6
    for cell in cells[1:]:
        cell.widget.close()
    assert cells[0].answer(cells[0].ask("api/sessions"))[0]["status"] == 200


def test_mistakes_are_named(demo: stepscope.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionsError, match="unknown view 'timelines'"):
        demo.show("timelines")
    with pytest.raises(OptionsError, match="unknown view 'compare'"):
        demo.show("compare")
    for wrong in ("1.2s", "1..2", "2s..1s", "a..b"):
        with pytest.raises(OptionsError, match="at="):
            demo.show(at=wrong)
    with pytest.raises(UnknownOptionError, match="no keyword step="):
        demo.show(step=3)  # type: ignore[call-arg]
    monkeypatch.delitem(sys.modules, "stepscope.notebook_widget")
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(PackageMissingError, match="needs the package anywidget") as told:
        demo.show()
    assert "stepscope[notebook]" in (told.value.hint or "")
