"""Sessions and reports in Python: the same answers as the command line, as typed objects."""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import shutil
import subprocess
import sys
import threading
import time
import typing
from collections import Counter
from pathlib import Path

import captures
import pytest

import stepscope
from stepscope import engine_errors as errors
from stepscope import reports
from stepscope._engine import verdict_lines
from stepscope._stepscope import analyses

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
NAMES = ["demo-gpt-cpu", "hosts4-cpu", "mlp-cpu"]
ANALYSES = [name for name, _ in analyses()]


def fixture(name: str) -> str:
    return str(FIXTURES / name)


def command_json(*arguments: str) -> object:
    line = [sys.executable, "-m", "stepscope", *arguments, "--json"]
    answer = subprocess.run(line, capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


@pytest.fixture(scope="module")
def demo() -> stepscope.Session:
    return stepscope.open(fixture("demo-gpt-cpu"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("analysis", ANALYSES)
def test_a_report_is_what_the_command_line_answers(name: str, analysis: str) -> None:
    session = stepscope.open(fixture(name))
    try:
        report = getattr(session, analysis)()
    except errors.EngineError as error:
        # An analysis may reject a session; then both reject it with the same message.
        line = [sys.executable, "-m", "stepscope", analysis, fixture(name), "--json"]
        refused = subprocess.run(line, capture_output=True, text=True)
        assert refused.returncode != 0
        assert error.message in refused.stderr
        return
    expected = command_json(analysis, fixture(name))
    assert report.to_dict() == expected
    assert json.loads(report.to_json()) == expected
    assert type(report) is reports.BY_ANALYSIS[analysis]


@pytest.mark.parametrize("analysis", ANALYSES)
def test_every_analysis_has_a_method_and_typed_attributes(
    demo: stepscope.Session, analysis: str
) -> None:
    kind = reports.BY_ANALYSIS[analysis]
    hints = typing.get_type_hints(getattr(type(demo), analysis))
    assert hints["return"] is kind
    report = getattr(demo, analysis)()
    check_types(report)
    assert stepscope.reports.Record.to_dict(report) == report.to_dict()


def check_types(record: reports.Record) -> None:
    """Every attribute has the annotated type, recursively."""
    hints = typing.get_type_hints(type(record))
    for field in dataclasses.fields(typing.cast(typing.Any, record)):
        value = getattr(record, field.name)
        where = f"{type(record).__name__}.{field.name}"
        check_value(value, hints[field.name], where)


def check_value(value: object, hint: typing.Any, where: str) -> None:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        assert value in arguments, where
    elif origin is list:
        assert isinstance(value, list), where
        for item in value:
            check_value(item, arguments[0], where)
    elif origin is dict:
        assert isinstance(value, dict), where
        for item in value.values():
            check_value(item, arguments[1], where)
    elif arguments:
        if value is not None:
            check_value(value, arguments[0], where)
    else:
        assert type(value) is hint, f"{where} is {value!r}, not {hint}"
        if isinstance(value, reports.Record):
            check_types(value)


def test_attributes_carry_figures_of_the_capture(demo: stepscope.Session) -> None:
    assert demo.name == "demo"
    assert len(demo.devices) == 4
    assert demo.step_numbers == [0, 1, 2, 3, 4, 5]
    assert "6 steps" in repr(demo)
    overview = demo.overview()
    assert overview.session == "demo"
    steps = demo.steps()
    slowest = max(steps.rows, key=lambda row: row.duration_ps)
    # Step 4 stalls 120 ms in data loading: fixtures/README.md.
    assert slowest.step == 4
    assert slowest.duration_ps > 120_000_000_000


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"steps": range(1, 3)}, ["--steps", "1..3"]),
        ({"steps": "1..=2"}, ["--steps", "1..=2"]),
        ({"steps": 2}, ["--steps", "2"]),
        ({"steps": [1, range(3, 5)]}, ["--steps", "1,3..5"]),
        ({"steps": slice(4, None)}, ["--steps", "4.."]),
        ({"device": [0, "CPU:1"]}, ["--device", "0,CPU:1"]),
        ({"match": "dot", "limit": 3}, ["--match", "dot", "--limit", "3"]),
        ({"sort": "-occurrences", "limit": 5}, ["--sort=-occurrences", "--limit", "5"]),
        ({"by": "device"}, ["--by", "device"]),
        ({"host": None, "limit": 1}, ["--limit", "1"]),
    ],
)
def test_keywords_are_the_options(
    demo: stepscope.Session, keywords: dict[str, typing.Any], words: list[str]
) -> None:
    report = demo.ops(**keywords)
    assert report.to_dict() == command_json("ops", fixture("demo-gpt-cpu"), *words)


def test_an_option_that_takes_a_file_takes_a_path_or_its_text(
    demo: stepscope.Session, tmp_path: Path
) -> None:
    text = "device_busy_ratio = 0.9 0.7\n"
    file = tmp_path / "thresholds.txt"
    file.write_text(text)
    line = ("overview", fixture("demo-gpt-cpu"), "--thresholds", str(file))
    expected = command_json(*line)
    assert demo.overview(thresholds=file).to_dict() == expected
    assert demo.overview(thresholds=text).to_dict() == expected


def test_other_names_reach_the_analysis(demo: stepscope.Session) -> None:
    report = demo.run("hlo_stats", limit=2)
    assert isinstance(report, reports.OpsReport)
    assert report.to_dict() == demo.ops(limit=2).to_dict()


def test_repr_and_html_show_the_main_table(demo: stepscope.Session) -> None:
    ops = demo.ops(limit=30)
    text, html = repr(ops), ops._repr_html_()
    assert text.startswith("OpsReport\n")
    assert html is not None
    for shown in (text, html):
        assert ops.rows[0].name in shown
    assert "more rows" in text
    assert "… 10 of " in html
    assert html.count("<tr>") < 25
    assert "<script" not in html
    assert "\x1b" not in text
    assert "demo" in (demo._repr_html_() or "")


def test_csv_and_tables(demo: stepscope.Session) -> None:
    steps = demo.steps()
    line = [sys.executable, "-m", "stepscope", "steps", fixture("demo-gpt-cpu"), "--csv"]
    assert steps.to_csv() == subprocess.run(line, capture_output=True, check=True).stdout.decode()
    overview = demo.overview()
    assert "verdicts" in overview.tables
    assert overview.to_csv("verdicts").startswith("title,key,")
    assert len(overview.table("step_series")) == 6
    with pytest.raises(KeyError, match="verdicts"):
        overview.table("no_such_table")


def test_reports_compare_and_travel_between_processes(demo: stepscope.Session) -> None:
    ops = demo.ops(limit=3)
    copy = pickle.loads(pickle.dumps(ops))
    assert copy == ops
    assert copy.to_dict() == ops.to_dict()
    assert ops.rows[0].class_ == ops.to_dict()["rows"][0]["class"]
    with pytest.raises(AttributeError, match="rows"):
        ops.no_such_attribute  # noqa: B018
    with pytest.raises(dataclasses.FrozenInstanceError):
        ops.rows = []  # type: ignore[misc]


def test_sessions_are_listed_with_what_they_hold(tmp_path: Path) -> None:
    for name in NAMES:
        shutil.copytree(FIXTURES / name, tmp_path / name)
    listed = stepscope.sessions(tmp_path)
    assert isinstance(listed, reports.SessionsReport)
    assert listed.to_dict() == command_json("sessions", str(tmp_path))
    by_name = {session.name: session for session in listed.sessions}
    assert by_name["demo"].step_count == 6
    assert by_name["mlp_dp"].hosts == ["host-0", "host-1", "host-2", "host-3"]
    assert "demo" in repr(listed)
    quick = stepscope.sessions(tmp_path, quick=True)
    assert {session.state for session in quick.sessions} == {"closed"}
    assert stepscope.open(tmp_path, session="mlp_dp").name == "mlp_dp"
    numbered = [stepscope.open(tmp_path, session=one.id).name for one in listed.sessions]
    assert numbered == [one.name for one in listed.sessions]


def test_sessions_are_compared_as_the_command_line_does() -> None:
    folder = fixture("planted-cpu")
    base, slower = f"{folder}/base", f"{folder}/slower"
    expected = command_json("compare", base, slower)
    report = stepscope.compare(base, slower)
    assert report.to_dict() == expected
    assert isinstance(report, reports.CompareReport)
    assert report.differences[0].conclusion
    assert stepscope.compare(f"{folder}@base", f"{folder}@slower").to_dict() == expected
    opened = stepscope.open(slower)
    assert opened.compare(base, limit=3).op_count == report.op_count
    assert len(stepscope.compare(base, opened, limit=3).ops) == 3
    assert len(stepscope.compare(folder).sessions) == 2
    with pytest.raises(errors.OptionsError, match="at least 2 sessions"):
        stepscope.compare(opened)


def test_a_session_works_from_many_threads(demo: stepscope.Session) -> None:
    expected = demo.ops().to_dict()
    found: list[bool] = []
    threads = [
        threading.Thread(target=lambda: found.append(demo.ops().to_dict() == expected))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


@captures.only_where(hasattr(os, "fork"))
def test_a_forked_process_asks_and_opens() -> None:
    """It has none of the worker threads of its parent's engine."""
    code = """
import multiprocessing, os, sys
import stepscope

path = sys.argv[1]
session = stepscope.open(path)
expected = session.ops().to_json()

def ask():
    answers = [stepscope.open(path).ops().to_json(), session.ops().to_json()]
    hosts = [stepscope.open(path).hosts().to_csv(), session.hosts().to_csv()]
    os._exit(0 if answers == [expected] * 2 and hosts[0] == hosts[1] else 1)

context = multiprocessing.get_context("fork")
children = [context.Process(target=ask, daemon=True) for _ in range(3)]
for child in children:
    child.start()
for child in children:
    child.join(60)
print([child.exitcode for child in children], session.ops().to_json() == expected)
"""
    line = [sys.executable, "-c", code, fixture("mlp-cpu")]
    done = subprocess.run(line, capture_output=True, text=True, timeout=200, check=False)
    assert done.stdout == "[0, 0, 0] True\n", done.stderr


def test_the_interpreter_is_free_while_the_engine_works() -> None:
    # Seen several times within one call: a call that holds the GIL all the time would be seen at
    # most once before its work and once after it.
    call = 0
    seen_enough = threading.Event()

    def work() -> None:
        nonlocal call
        for number in range(1, 200):
            call = number
            stepscope.open(fixture("demo-gpt-cpu"))
            call = 0
            if seen_enough.is_set():
                return

    thread = threading.Thread(target=work)
    thread.start()
    seen = Counter[int]()
    while thread.is_alive():
        now = call
        seen[now] += now > 0
        if seen[now] > 3:
            seen_enough.set()
        time.sleep(0.0002)
    thread.join()
    assert seen_enough.is_set(), seen


def test_the_verdict_is_there_for_the_capture() -> None:
    lines = verdict_lines(fixture("demo-gpt-cpu"))
    assert lines == command_json("verdict", fixture("demo-gpt-cpu"))["lines"]  # type: ignore[index]
    assert lines
    assert all(isinstance(line, str) for line in lines)


def test_the_home_directory_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell expands it; in Python the package must."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "logs").symlink_to(fixture("mlp-cpu"))
    session = stepscope.open("~/logs")
    assert len(session.steps().rows) == 20
    assert len(stepscope.sessions("~/logs").sessions) == len(
        stepscope.sessions(fixture("mlp-cpu")).sessions
    )
    assert len(stepscope.compare("~/logs@latest", Path("~/logs")).sessions) == 2
    assert stepscope.check("~/logs", "~/logs", budget=["launch_count=+0"]).rows
    session.export(markdown="~/run.md")
    assert (tmp_path / "run.md").is_file()
    with pytest.raises(errors.PathNotFoundError, match=str(tmp_path)):
        stepscope.open("~/nothing")
