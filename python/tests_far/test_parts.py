"""For large remote profiles, only the planes that a question reads are fetched."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from conftest import LARGE_BYTES, Asker, Place, pages, web
from profiles import tpu_profile

RUN = "plugins/profile/2026_01_03_10_00_00"
LEFT = "host threads are skipped"


def folder_with(folder: Path, *profiles: bytes) -> Path:
    run = folder / RUN
    run.mkdir(parents=True)
    for number, profile in enumerate(profiles):
        (run / f"host-{number}.xplane.pb").write_bytes(profile)
    return folder


def disk_bytes(ask: Asker) -> int:
    files = [path for path in ask.cache.rglob("*") if path.is_file()]
    return sum(path.stat().st_blocks * 512 for path in files)


def is_without_ranges(place: Place) -> bool:
    """Python's own server sends everything, whatever range is requested."""
    arguments = place.process.args
    return isinstance(arguments, list) and "http.server" in arguments


@pytest.mark.parametrize("command", ["ops", "op_tree", "scopes", "roofline"])
def test_answers_about_devices_leave_the_host_where_it_is(
    ask: Asker, place: Place, logdir: Path, command: str
) -> None:
    here = ask(command, str(logdir / "tpu"), "--json")
    there = ask(command, f"{place.url}/tpu", "--json", **place.environment)
    assert there.returncode == 0, there.stderr
    assert there.stdout == here.stdout
    if is_without_ranges(place):
        assert len(ask.kept()) == 1 and LEFT not in there.stderr
    else:
        assert not ask.kept() and LEFT in there.stderr
        assert disk_bytes(ask) < LARGE_BYTES // 8


def test_the_rest_comes_when_it_is_asked_for(ask: Asker, tmp_path: Path) -> None:
    profile = tpu_profile(LARGE_BYTES)
    logdir = folder_with(tmp_path / "logs", profile)
    with web(logdir, "RangeHTTPServer") as place:
        first = ask("ops", place.url, "--json")
        assert LEFT in first.stderr
        # Steps have a part that host threads explain.
        steps = ask("steps", place.url, "--json")
        assert steps.returncode == 0 and LEFT not in steps.stderr
        assert steps.stdout == ask("steps", str(logdir), "--json").stdout
        (kept,) = ask.kept()
        assert kept.read_bytes() == profile
        again = ask("ops", place.url, "--json")
        assert again.stdout == first.stdout and LEFT not in again.stderr


def test_parts_are_there_without_a_network(ask: Asker, tmp_path: Path) -> None:
    logdir = folder_with(tmp_path / "logs", tpu_profile(LARGE_BYTES))
    with web(logdir, "RangeHTTPServer") as place:
        first = ask("ops", place.url, "--json")
        place.end()
        again = ask("ops", place.url, "--json")
        assert again.returncode == 0, again.stderr
        assert again.stdout == first.stdout
        steps = ask("steps", place.url)
        assert steps.returncode == 3 and "connection refused" in steps.stderr


def test_hosts_come_at_once_each_as_far_as_needed(ask: Asker, tmp_path: Path) -> None:
    """One host ran programs on its CPU: its threads contain ops, and are fetched."""
    logdir = folder_with(
        tmp_path / "logs",
        tpu_profile(LARGE_BYTES),
        tpu_profile(LARGE_BYTES, runs_programs=True),
        tpu_profile(1 << 10),
    )
    with web(logdir, "RangeHTTPServer") as place:
        answer = ask("ops", place.url, "--json")
        assert answer.returncode == 0, answer.stderr
        assert answer.stdout == ask("ops", str(logdir), "--json").stdout
        assert "dot.9" in answer.stdout
        assert LEFT in answer.stderr
        sizes = sorted(path.stat().st_size for path in ask.kept())
        assert len(sizes) == 2 and sizes[0] < 1 << 20 and sizes[1] > LARGE_BYTES


def test_pages_fetch_no_more_of_a_baseline_than_they_show(ask: Asker, tmp_path: Path) -> None:
    run = folder_with(tmp_path / "logs", tpu_profile(LARGE_BYTES))
    older = run / RUN.replace("01_03", "01_02")
    older.mkdir(parents=True)
    (older / "host-0.xplane.pb").write_bytes(tpu_profile(LARGE_BYTES))
    with web(run, "RangeHTTPServer") as place, pages(ask, place) as get:
        baseline = get("/api/sessions")["sessions"][1]
        route = f"/api/sessions/{baseline['key']}"
        ops = get(f"{route}/analyses/ops")
        assert not ask.kept()
        states = [one["state"] for one in get("/api/sessions")["sessions"]]
        assert states == ["closed", "in_parts"] and disk_bytes(ask) < LARGE_BYTES // 8
        # Opened for a question that reads everything, it gives the same answer.
        get(f"{route}/analyses/steps")
        assert get("/api/sessions")["sessions"][1]["state"] == "open"
        assert get(f"{route}/analyses/ops") == ops
        assert get(f"{route}/analyses/ops?steps=1..2") != ops


def test_pages_open_a_session_as_far_as_their_view_reads_it(ask: Asker, tmp_path: Path) -> None:
    logdir = folder_with(tmp_path / "logs", tpu_profile(LARGE_BYTES))
    with web(logdir, "RangeHTTPServer") as place, pages(ask, place) as get:
        entries = {entry["name"]: entry["reads_devices_only"] for entry in get("/api/analyses")}
        assert entries["ops"] and not entries["steps"]
        route = f"/api/sessions/{get('/api/sessions')['sessions'][0]['key']}"
        parts = get(f"{route}?reads=devices")
        assert parts["state"] == "in_parts" and parts["devices"] and parts["duration_ps"] is None
        here_bytes = parts["size_bytes"] - parts["left_out_bytes"]
        assert here_bytes < disk_bytes(ask) < LARGE_BYTES // 8
        ops = get(f"{route}/analyses/ops")
        whole = get(route)
        assert whole["state"] == "open" and whole["left_out_bytes"] == 0
        assert whole["devices"] == parts["devices"]
        assert whole["step_count"] == parts["step_count"]
        assert get(f"{route}?reads=devices") == whole
        assert get(f"{route}/analyses/ops") == ops


def test_a_session_that_could_not_be_fetched_is_tried_again(ask: Asker, tmp_path: Path) -> None:
    logdir = folder_with(tmp_path / "logs", tpu_profile(LARGE_BYTES))
    profile = logdir / RUN / "host-0.xplane.pb"
    with web(logdir, "RangeHTTPServer") as place, pages(ask, place) as get:
        route = f"/api/sessions/{get('/api/sessions')['sessions'][0]['key']}"
        assert get(f"{route}?reads=devices")["state"] == "in_parts"
        ops = get(f"{route}/analyses/ops")
        away = profile.rename(tmp_path / "away")
        failed = get(route)
        assert failed["state"] == "failed" and failed["error"]
        # The parts fetched before still answer.
        assert get(f"{route}/analyses/ops") == ops
        away.rename(profile)
        time.sleep(2.1)
        assert get(route)["state"] == "open"


def test_times_are_chosen_from_all_that_was_recorded(ask: Asker, tmp_path: Path) -> None:
    logdir = folder_with(tmp_path / "logs", tpu_profile(LARGE_BYTES))
    with web(logdir, "RangeHTTPServer") as place:
        line = ["ops", "--time", "2ms..4ms", "--json"]
        answer = ask(*line, place.url)
        assert answer.stdout == ask(*line, str(logdir)).stdout
        assert len(ask.kept()) == 1


@pytest.mark.parametrize("damage", ["cut", "noise", "tail"])
def test_a_damaged_profile_is_told_as_on_disk(ask: Asker, tmp_path: Path, damage: str) -> None:
    whole = tpu_profile(LARGE_BYTES)
    middle = len(whole) // 2
    damaged = {
        "cut": whole[: middle + middle // 2],
        "noise": whole[:100] + b"\xff" * 300 + whole[400:],
        "tail": whole + b"\x0a\xff\xff\xff\x7f",
    }[damage]
    logdir = folder_with(tmp_path / "logs", damaged)
    with web(logdir, "RangeHTTPServer") as place:
        here = ask("ops", str(logdir), "--json")
        there = ask("ops", place.url, "--json")
        assert (there.returncode, there.stdout) == (here.returncode, here.stdout)
        assert LEFT not in there.stderr
        said = [line for line in here.stderr.splitlines() if line.startswith("warning")]
        assert all(line in there.stderr for line in said)
