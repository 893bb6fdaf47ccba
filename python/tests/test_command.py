"""The `stepscope` command of the package."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import urllib.request
from importlib.metadata import version
from pathlib import Path

import pytest

DEMO = Path(__file__).resolve().parents[2] / "fixtures/demo-gpt-cpu"
SUFFIX = ".exe" if os.name == "nt" else ""
SCRIPT = str(Path(sysconfig.get_path("scripts")) / f"stepscope{SUFFIX}")
MODULE = [sys.executable, "-m", "stepscope"]


def run(*arguments: str, command: list[str] | None = None) -> subprocess.CompletedProcess[str]:
    line = [*(command or [SCRIPT]), *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=120)


@pytest.mark.oldest
@pytest.mark.parametrize("command", [[SCRIPT], MODULE], ids=["script", "module"])
def test_version_and_answers(command: list[str]) -> None:
    answer = run("--version", command=command)
    assert (answer.returncode, answer.stdout.strip()) == (0, f"stepscope {version('stepscope')}")
    answer = run("overview", str(DEMO), "--json", command=command)
    assert answer.returncode == 0
    assert json.loads(answer.stdout)["session"] == "demo"
    assert answer.stderr == ""


def test_exit_codes_pass_through(tmp_path: Path) -> None:
    garbage = tmp_path / "host.xplane.pb"
    garbage.write_bytes(b"garbage")
    assert run("overview", str(garbage)).returncode == 3
    assert run("overview", str(tmp_path / "nowhere")).returncode == 3
    assert run("astrology").returncode == 2
    assert run("report", str(DEMO), "--check").returncode in (0, 4)
    usage = run()
    assert usage.returncode == 2
    assert "Usage: stepscope" in usage.stderr
    assert "Usage: stepscope" in run("--help", command=MODULE).stdout


def opened(url: str) -> http.client.HTTPResponse:
    """The page at the printed address, as a browser opens it: the token moves into a cookie."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    return browser.open(url, timeout=20)


def test_a_closed_pipe_is_no_failure() -> None:
    line = f"'{SCRIPT}' timeline '{DEMO}' --json | head -c 10"
    answer = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60)
    assert answer.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize("command", [[SCRIPT], MODULE], ids=["script", "module"])
def test_ctrl_c_ends_the_server(command: list[str]) -> None:
    line = [*command, "view", str(DEMO), "--no-report", "--port", "0"]
    # A shell that runs tests in the background has them ignore Ctrl-C.
    served = subprocess.Popen(
        line,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert served.stderr is not None
        address = served.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\w+", address)
        assert found is not None, address
        # Once it answers it also listens for signals.
        opened(found.group()).close()
        served.send_signal(signal.SIGINT)
        assert served.wait(timeout=20) == 0
        rest = served.stderr.read()
        assert "stopped" in rest
        assert "Traceback" not in rest
    finally:
        if served.poll() is None:
            served.kill()
        served.wait()


def test_the_pages_are_inside() -> None:
    line = [SCRIPT, "view", str(DEMO), "--no-report", "--port", "0"]
    served = subprocess.Popen(line, stderr=subprocess.PIPE, text=True)
    try:
        assert served.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\w+", served.stderr.readline())
        assert found is not None
        page = opened(found.group()).read().decode()
        assert "<script" in page, "the web UI was left out of this wheel"
    finally:
        served.terminate()
        served.wait()
