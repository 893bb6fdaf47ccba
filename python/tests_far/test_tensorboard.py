"""The dashboard in TensorBoard, as far as it needs no browser; the rest is in ui/e2e."""

from __future__ import annotations

import io
import json
import logging
import os
import shutil
import subprocess
import sys
import time
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from conftest import DEMO
from stepscope.tensorboard_plugin import StepscopePlugin, _named_directories
from tensorboard.backend.security_validator import SecurityValidatorMiddleware
from tensorboard.plugins.base_plugin import TBContext


OWN_PAGE = {"HTTP_SEC_FETCH_SITE": "same-origin"}


def asked(made: StepscopePlugin, path: str, **more: str) -> tuple[str, dict[str, str], bytes]:
    """The plugin's answer to its own page as TensorBoard passes it on, after its checks."""
    return asked_by(made, path, **OWN_PAGE, **more)


def asked_by(made: StepscopePlugin, path: str, **more: str) -> tuple[str, dict[str, str], bytes]:
    """The same, to whoever sends only these headers."""
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": f"/data/plugin/stepscope{path}",
        "SCRIPT_NAME": "",
        "SERVER_PORT": "6006",
        "HTTP_HOST": "board.example:6006",
        "HTTP_COOKIE": "theirs=1",
        "wsgi.input": io.BytesIO(),
        **more,
    }
    answer: list[Any] = []
    route = "/index.js" if path == "/index.js" else "/app/*"
    application = SecurityValidatorMiddleware(made.get_plugin_apps()[route])
    body = b"".join(application(environ, lambda *told: answer.extend(told)))
    return answer[0], dict(answer[1]), body


@pytest.fixture
def board() -> Any:
    made = StepscopePlugin(TBContext(logdir=str(DEMO)))
    yield made
    made._engine.forget()


def test_tensorboard_finds_it() -> None:
    (found,) = entry_points(group="tensorboard_plugins", name="stepscope")
    assert found.load() is StepscopePlugin


def test_pages_and_reports_come_through(
    board: StepscopePlugin, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        status, headers, page = asked(board, "/app/")
        assert status == "200 OK" and b"<title>Stepscope" in page
        assert b'<base href="/data/plugin/stepscope/app/"' in page
        status, _, body = asked(board, "/app/api/sessions")
        (session,) = json.loads(body)["sessions"]
        assert session["name"] == "demo"
        report = f"/app/api/sessions/{session['id']}/analyses/overview"
        assert asked(board, report)[0] == "200 OK"
        assert asked(board, "/app/api/no-such-thing")[0].startswith("404")
        status, headers, _ = asked(board, "/app", SCRIPT_NAME="/x")
        assert (status, headers["Location"]) == ("302 Found", "app/")
        assert asked(board, "/index.js")[0] == "200 OK"
    assert not caplog.records, "TensorBoard has nothing to object to"


def test_nothing_is_captured_unless_hosts_are_named(
    board: StepscopePlugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = json.dumps({"addresses": "127.0.0.1:1,10.0.0.1:22", "duration_seconds": 0.1}).encode()

    def post(made: StepscopePlugin) -> tuple[str, Any]:
        status, _, answer = asked(
            made,
            "/app/api/capture",
            REQUEST_METHOD="POST",
            CONTENT_TYPE="application/json",
            CONTENT_LENGTH=str(len(body)),
            **{"wsgi.input": io.BytesIO(body)},  # type: ignore[arg-type]
        )
        return status, json.loads(answer)

    status, report = post(board)
    assert status.startswith("400") and "TensorBoard" in report["error"]
    monkeypatch.setenv("STEPSCOPE_TENSORBOARD_CAPTURE", "127.0.0.1, trainer-0:9999")
    made = StepscopePlugin(TBContext(logdir=str(DEMO)))
    try:
        status, report = post(made)
        assert status.startswith("403") and "10.0.0.1:22" in report["error"]
    finally:
        made._engine.forget()


SQL = json.dumps({"query": "select count(*) as n from sessions"}).encode()


def sent(body: bytes, **more: str) -> dict[str, Any]:
    """What makes a request one with a body."""
    about = {
        "REQUEST_METHOD": "POST",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    }
    return about | more


def test_over_plain_http_only_own_pages_are_answered(board: StepscopePlugin) -> None:
    """Where TensorBoard is no localhost, browsers don't say which site a request comes from."""
    report = "/app/api/sessions/0/analyses/overview"
    status, _, body = asked_by(board, report)
    assert status.startswith("403") and b"page of this tab" in body
    for wrong in ("stepscope_board_6006=", "stepscope_board_6006=0", "theirs=1", '"'):
        assert asked_by(board, report, HTTP_COOKIE=wrong)[0].startswith("403"), wrong
    # Nothing was started for them.
    assert board._engine._process is None
    status, headers, _ = asked_by(board, "/app/")
    assert status == "200 OK"
    cookie, *attributes = headers["Set-Cookie"].split("; ")
    assert attributes == ["HttpOnly", "SameSite=Strict"]
    assert board._engine.address()[1] not in cookie
    own = {"HTTP_COOKIE": f"theirs=1; {cookie}"}
    assert asked_by(board, report, **own)[0] == "200 OK"
    # The cookie of another process, or of a TensorBoard at another port.
    other = StepscopePlugin(TBContext(logdir=str(DEMO)))
    assert asked_by(other, report, **own)[0].startswith("403")
    assert asked_by(board, report, SERVER_PORT="6007", **own)[0].startswith("403")


def test_the_page_may_ask_in_sql_and_other_sites_may_not(board: StepscopePlugin) -> None:
    cookie = asked_by(board, "/app/")[1]["Set-Cookie"].split(";")[0]

    def query(**more: str) -> tuple[str, bytes]:
        status, _, body = asked_by(
            board, "/app/api/sql", **sent(SQL, HTTP_COOKIE=cookie, **more)
        )
        return status, body

    status, body = query(HTTP_ORIGIN="http://board.example:6006")
    # Not 403; the program for queries may be missing here.
    assert status[:3] in ("200", "501"), body
    for origin in ("http://evil.example", "http://board.example:8888", "null", ""):
        assert query(HTTP_ORIGIN=origin)[0].startswith("403"), origin
    assert query(HTTP_SEC_FETCH_SITE="same-site")[0].startswith("403")
    assert query(HTTP_SEC_FETCH_SITE="cross-site")[0].startswith("403")


def test_long_requests_are_refused_before_they_are_read(board: StepscopePlugin) -> None:
    class Unread(io.BytesIO):
        def read(self, _size: int | None = -1) -> bytes:
            raise AssertionError("it is read")

    for length, status in [
        (str((2 << 20) + 1), "413"),
        ("9" * 5000, "413"),
        ("-1", "400"),
        ("a few", "400"),
        ("\u0663", "400"),
    ]:
        more = sent(b"", CONTENT_LENGTH=length) | {"wsgi.input": Unread()}
        assert asked(board, "/app/api/sql", **more)[0].startswith(status), length
    assert board._engine._process is None


def test_an_engine_that_is_gone_is_started_again(board: StepscopePlugin) -> None:
    assert asked(board, "/app/api/version")[0] == "200 OK"
    process = board._engine._process
    assert process is not None
    process.kill()
    process.wait()
    assert asked(board, "/app/api/version")[0] == "200 OK"


def test_why_there_are_no_pages_is_said(tmp_path: Path) -> None:
    made = StepscopePlugin(TBContext(logdir=str(tmp_path / "nowhere")))
    status, _, body = asked(made, "/app/")
    assert status.startswith("503")
    assert b"did not start" in body and b"nowhere" in body


class Flags:
    """How TensorBoard was started."""

    def __init__(self, logdir_spec: str) -> None:
        self.logdir_spec = logdir_spec


def test_several_named_directories_are_shown_as_one(tmp_path: Path) -> None:
    folders = [tmp_path / name / "plugins/profile/run" for name in ("old", "new")]
    (profile,) = DEMO.rglob("*.xplane.pb*")
    for folder in folders:
        folder.mkdir(parents=True)
        shutil.copy(profile, folder)
    spec = f"before:{tmp_path / 'old'},{tmp_path / 'new'}"
    made = StepscopePlugin(TBContext(logdir="", flags=Flags(spec)))
    assert made.is_active()
    status, _, body = asked(made, "/app/api/sessions")
    assert status == "200 OK"
    sessions = json.loads(body)["sessions"]
    assert sorted(one["name"] for one in sessions) == ["before/run", "new/run"]
    pair = "&".join(f"session={one['key']}" for one in sessions)
    status, _, body = asked(made, "/app/api/comparisons/compare", QUERY_STRING=pair)
    assert status == "200 OK" and len(json.loads(body)["differences"]) == 1
    settings = json.loads(asked(made, "/app/api/capture")[2])
    assert settings["logdir"] == "" and "several" in settings["reason"]
    links = Path(made._engine._links or "")
    assert links.is_dir()
    made._engine.forget()
    assert not links.exists() and all(list(folder.iterdir()) for folder in folders)


def test_several_directories_far_away_are_refused_in_words(tmp_path: Path) -> None:
    made = StepscopePlugin(TBContext(logdir="", flags=Flags(f"a:gs://lab/logs,b:{tmp_path}")))
    status, _, body = asked(made, "/app/")
    assert status.startswith("503")
    assert b"a: gs://lab/logs" in body and b"--logdir" in body


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("a:/x,b:/y", {"a": "/x", "b": "/y"}),
        ("/x/train, /y/train", {"train": "/x/train", "train (2)": "/y/train"}),
        ("old/run:/x,/y/a:b", {"old_run": "/x", "a:b": "/y/a:b"}),
        ("gs://lab/logs", {"logs": "gs://lab/logs"}),
        ("a:gs://lab/logs", {"a": "gs://lab/logs"}),
        ("", {}),
    ],
)
def test_directories_are_named_as_tensorboard_reads_them(spec: str, named: dict[str, str]) -> None:
    assert _named_directories(spec) == named


def test_it_is_active_where_there_are_profiles(tmp_path: Path) -> None:
    def is_active(folder: Path | str) -> bool:
        made = StepscopePlugin(TBContext(logdir=str(folder)))
        for _ in range(50):
            if made.is_active():
                return True
            time.sleep(0.01)
        return False

    assert is_active(DEMO)
    assert not is_active(tmp_path)
    assert not is_active(tmp_path / "nowhere")
    assert not is_active("")


def test_being_there_costs_nothing() -> None:
    text = (
        "import sys, time\n"
        "from tensorboard.plugins.base_plugin import TBContext\n"
        "before = set(sys.modules)\n"
        "from stepscope.tensorboard_plugin import StepscopePlugin\n"
        f"StepscopePlugin(TBContext(logdir={str(DEMO)!r})).frontend_metadata()\n"
        "print(sorted(name for name in set(sys.modules) - before if 'jax' in name or '_stepscope' in name))"
    )
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    line = [sys.executable, "-c", text]
    answer = subprocess.run(line, capture_output=True, text=True, timeout=60, env=environment)
    assert answer.stdout.strip() == "[]", answer.stderr
