"""Sessions in buckets and on web servers answer like those on disk, and again without a network."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from conftest import COMMAND, Asker, Place, amazon, azure, google, listed, pages, web
from ports import free_port


def test_a_listing_finds_what_a_folder_holds_and_fetches_nothing(
    ask: Asker, place: Place, logdir: Path
) -> None:
    here = listed(ask, str(logdir))
    there = listed(ask, place.url, **place.environment)
    told = ["name", "kind", "hosts", "size_bytes", "state"]
    assert [{key: one[key] for key in told} for one in there] == [
        {key: one[key] for key in told} for one in here
    ]
    assert [one["location"].startswith(place.url) for one in there] == [True] * len(there)
    assert not ask.kept(), "listing fetches no profile"


def test_a_listing_opens_what_was_fetched_and_fetches_when_told(
    ask: Asker, logdir: Path
) -> None:
    with web(logdir, "RangeHTTPServer") as place:

        def steps_by_name(*flags: str) -> dict[str, Any]:
            answer = ask("sessions", place.url, "--json", *flags)
            assert answer.returncode == 0, answer.stderr
            sessions = json.loads(answer.stdout)["sessions"]
            left = "are not known yet" in answer.stderr
            assert left == any(one["state"] == "closed" for one in sessions)
            return {one["name"]: one["step_count"] for one in sessions}

        nothing = steps_by_name()
        assert len(nothing) >= 3 and not any(nothing.values())
        assert not ask.kept()
        assert ask("overview", place.url, "--session", "2026_01_01").returncode == 0
        one = steps_by_name()
        assert [name for name, count in one.items() if count] == ["2026_01_01_10_00_00"]
        every = steps_by_name("--fetch")
        assert every["2026_01_03_10_00_00"] == 20
        assert all(count for name, count in every.items() if name.startswith("2026"))


def test_figures_are_those_of_the_same_files_on_disk(
    ask: Asker, place: Place, logdir: Path
) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in logdir.rglob("*"))
    for session in ("2026_01_01", "2026_01_02", "2025_12_31"):
        here = ask("ops", str(logdir), "--session", session, "--json")
        there = ask("ops", place.url, "--session", session, "--json", **place.environment)
        assert there.returncode == 0, there.stderr
        assert json.loads(there.stdout) == json.loads(here.stdout)
    # One profile of each session, and the memory profile next to it.
    sizes = sorted(path.stat().st_size for path in ask.kept())
    assert len(sizes) >= 2 and sizes[-1] > 20 << 20
    assert before == sorted((path, path.stat().st_mtime_ns) for path in logdir.rglob("*"))


def test_one_file_and_what_is_not_there(ask: Asker, place: Place) -> None:
    file = f"{place.url}/plugins/profile/2026_01_01_10_00_00/host-0.xplane.pb.gz"
    answer = ask("overview", file, "--json", **place.environment)
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["session"] == "host-0"
    answer = ask("overview", f"{place.url}/no/such/place", **place.environment)
    assert answer.returncode == 3
    assert "nothing was found" in answer.stderr and "no/such/place" in answer.stderr
    assert "hint: " in answer.stderr
    answer = ask("overview", f"{place.url}/checkpoints", **place.environment)
    assert answer.returncode == 3
    assert "no profile found" in answer.stderr


def test_pages_are_served_from_it(ask: Asker, place: Place) -> None:
    with pages(ask, place) as get:
        sessions = get("/api/sessions")
        assert sessions["root"] == place.url
        names = [session["name"] for session in sessions["sessions"]]
        assert "2026_01_02_10_00_00" in names
        report = get(f"/api/sessions/{sessions['sessions'][0]['id']}/analyses/overview")
        assert report["session"] == names[0]


def test_without_a_network_the_cache_answers_and_says_so(ask: Asker, logdir: Path) -> None:
    with web(logdir, "RangeHTTPServer") as place:
        first = ask("ops", place.url, "--session", "2026_01_02", "--json")
        assert first.returncode == 0, first.stderr
        place.end()
        again = ask("ops", place.url, "--session", "2026_01_02", "--json")
        assert again.returncode == 0, again.stderr
        assert again.stdout == first.stdout
        assert "cannot be reached" in again.stderr and "connection refused" in again.stderr
        missing = ask("ops", place.url, "--session", "2026_01_01")
        assert missing.returncode == 3
        assert "connection refused" in missing.stderr
        unknown = ask("ops", f"http://127.0.0.1:{free_port()}/logs")
        assert unknown.returncode == 3
        assert "connection refused" in unknown.stderr


def test_an_interrupted_fetch_goes_on_where_it_was(ask: Asker, logdir: Path) -> None:
    with web(logdir, "RangeHTTPServer") as place:
        run = "train/plugins/profile/2026_01_02_10_00_00/big%20host.xplane.pb"
        url = f"{place.url}/{run}"
        whole = ask("overview", url, "--json")
        assert whole.returncode == 0, whole.stderr
        # As a process that was killed leaves it: the first two chunks are there. One byte of them
        # is changed, so that it shows when they are fetched again.
        (data,) = ask.kept()
        content = data.read_bytes()
        chunk = 8 << 20
        changed = bytearray(content)
        changed[chunk] ^= 0xFF
        data.unlink()
        data.with_name("part").write_bytes(changed[: 2 * chunk] + bytes(len(content) - 2 * chunk))
        ends = [0, chunk, chunk, 2 * chunk]
        data.with_name("ranges").write_bytes(b"".join(end.to_bytes(8, "little") for end in ends))
        ask("overview", url, "--json")
        assert data.read_bytes() == changed


def test_a_changed_file_is_fetched_again(ask: Asker, logdir: Path, tmp_path: Path) -> None:
    with google(logdir) as place:
        run = "plugins/profile/2026_01_01_10_00_00/host-0.xplane.pb.gz"
        url = f"{place.url}/{run}"
        assert ask("overview", url, **place.environment).returncode == 0
        place.put(run, b"no profile any more")
        answer = ask("overview", url, **place.environment)
        assert answer.returncode == 3, "the old content is not shown for the new"
        assert len(ask.kept()) == 2


def test_the_cache_stays_below_its_size(ask: Asker, logdir: Path) -> None:
    with web(logdir, "RangeHTTPServer") as place:
        for session in ("2026_01_02", "2026_01_01"):
            line = ["overview", place.url, "--session", session, "--json", "--cache-size", "5M"]
            assert ask(*line).returncode == 0
        # The large one was used, so it was kept; the next one caused its removal.
        sizes = [path.stat().st_size for path in ask.kept()]
        assert sizes and max(sizes) < 5 << 20
        assert ask("overview", place.url, "--cache-size", "much").returncode == 2


def test_two_processes_share_one_fetch(ask: Asker, logdir: Path) -> None:
    with web(logdir, "RangeHTTPServer") as place:
        line = [COMMAND, "overview", place.url, "--session", "2026_01_02", "--json"]
        asking = [
            subprocess.Popen(
                line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ask.environment()
            )
            for _ in range(3)
        ]
        answers = [child.communicate(timeout=100)[0] for child in asking]
        assert [child.returncode for child in asking] == [0, 0, 0]
        assert answers[0] == answers[1] == answers[2]


@pytest.fixture(scope="module")
def bucket(logdir: Path) -> Any:
    with amazon(logdir) as place:
        yield place


def test_credentials_come_from_profiles(ask: Asker, bucket: Place, tmp_path: Path) -> None:
    environment = {
        name: value for name, value in bucket.environment.items() if name == "AWS_ENDPOINT_URL"
    }
    folder = tmp_path / ".aws"
    folder.mkdir()
    (folder / "config").write_text("[profile lab]\nregion = us-east-1\n")
    (folder / "credentials").write_text(
        "[lab]\naws_access_key_id = AKIAFILE\naws_secret_access_key = secret\n"
    )
    answer = ask("sessions", bucket.url, "--quick", AWS_PROFILE="lab", **environment)
    assert answer.returncode == 0, answer.stderr
    bare = ask("sessions", "s3://nowhere/x", "--quick", AWS_PROFILE="lab", **environment)
    assert bare.returncode == 3
    assert "the bucket does not exist" in bare.stderr and "aws s3 ls" in bare.stderr


# In place of the AWS CLI: keys for one profile, and an error for all others.
AWS = """#!/bin/sh
echo "$@" >> "$HOME/calls"
[ "$*" = "configure export-credentials --profile lab --format process" ] || {
  echo "Error loading SSO Token: Token for corp does not exist" >&2
  exit 255
}
printf '{"Version": 1, "AccessKeyId": "AKIACLI", "SecretAccessKey": "secret",'
printf '"SessionToken": "token", "Expiration": "2099-01-01T00:00:00+00:00"}'
"""


@contextmanager
def refusing_server() -> Iterator[str]:
    """The URL of a server that rejects everybody."""

    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(403)

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as listening:
        Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()


def test_credentials_of_profiles_that_sign_in_come_from_the_aws_cli(
    ask: Asker, logdir: Path, tmp_path: Path
) -> None:
    folder = tmp_path / ".aws"
    folder.mkdir()
    profile = "sso_session = corp\nregion = us-east-1\n"
    (folder / "config").write_text(f"[profile lab]\n{profile}[profile stale]\n{profile}")
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "aws"
    program.write_text(AWS)
    program.chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    with amazon(logdir) as place:
        endpoint = place.environment["AWS_ENDPOINT_URL"]
        lab = {"AWS_ENDPOINT_URL": endpoint, "AWS_PROFILE": "lab", "PATH": path}
        answer = ask("ops", place.url, "--session", "2026_01_02", **lab)
        assert answer.returncode == 0, answer.stderr
        calls = (tmp_path / "calls").read_text().splitlines()
        assert len(calls) == 1, "one call for all requests"
    with refusing_server() as endpoint:
        lab["AWS_ENDPOINT_URL"] = endpoint
        stale = ask("ops", "s3://lab/runs", **(lab | {"AWS_PROFILE": "stale"}))
        assert stale.returncode == 3
        assert "Token for corp does not exist" in stale.stderr
        assert "aws sso login --profile stale" in stale.stderr
        program.unlink()
        missing = ask("ops", "s3://lab/runs", **(lab | {"PATH": str(programs)}))
        assert missing.returncode == 3
        assert "the AWS CLI was not found" in missing.stderr
        assert "install AWS CLI v2" in missing.stderr


def test_a_refusal_says_what_was_tried(ask: Asker, logdir: Path, tmp_path: Path) -> None:
    with amazon(logdir) as place:
        endpoint = place.environment["AWS_ENDPOINT_URL"]
        # From here on the server requires authentication.
        asked = urllib.request.Request(
            f"{endpoint}/moto-api/reset-auth", data=b"0", method="POST"
        )
        asked.add_header("Content-Type", "text/plain")
        urllib.request.urlopen(asked, timeout=10).close()
        answer = ask("sessions", place.url, "--quick", **place.environment)
        assert answer.returncode == 3
        assert "rejected the credentials from AWS_ACCESS_KEY_ID" in answer.stderr
    with azure(logdir, tmp_path / "azurite") as place:
        answer = ask("sessions", place.url, "--quick", "--anonymous", **place.environment)
        assert answer.returncode == 3
        assert "not public, and anonymous access was requested" in answer.stderr
        assert "AZURE_STORAGE_ACCOUNT_KEY" in answer.stderr


def test_urls_that_are_not_read(ask: Asker) -> None:
    answer = ask("overview", "ftp://host/logs")
    assert answer.returncode == 3
    assert "gs://, s3://" in answer.stderr
    answer = ask("overview", "gs://")
    assert answer.returncode == 3
    assert "the URL has no bucket name" in answer.stderr
    answer = ask("overview", "https://no-such-host.invalid/logs")
    assert answer.returncode == 3
    assert "could not be resolved" in answer.stderr
    assert os.environ.get("STEPSCOPE_CACHE_DIR") is None
