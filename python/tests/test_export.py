"""Sessions written for other viewers, and traces of other profilers read."""

from __future__ import annotations

import gzip
import json
import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import stepscope
from stepscope import engine_errors as errors

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.fixture(scope="module")
def demo() -> stepscope.Session:
    return stepscope.open(FIXTURES / "demo-gpt-cpu")


def test_what_is_written_reads_back(demo: stepscope.Session, tmp_path: Path) -> None:
    perfetto, chrome = tmp_path / "run.pftrace", tmp_path / "run.trace.json.gz"
    sizes = demo.export(perfetto=perfetto, chrome=str(chrome))
    assert sizes == {"perfetto": perfetto.stat().st_size, "chrome": chrome.stat().st_size}
    steps = [row.duration_ps for row in demo.steps().rows]
    assert [row.duration_ps for row in stepscope.open(chrome).steps().rows] == steps
    back = [row.duration_ps for row in stepscope.open(perfetto).steps().rows]
    assert all(abs(ours - theirs) < 2000 for ours, theirs in zip(steps, back, strict=True))


def test_a_profile_is_written_as_a_profile(demo: stepscope.Session, tmp_path: Path) -> None:
    whole, part = tmp_path / "whole.xplane.pb", tmp_path / "part.xplane.pb.gz"
    assert demo.export(xplane=whole) == {"xplane": whole.stat().st_size}
    demo.export(xplane=part, steps=range(2, 4))
    steps = [(row.step, row.duration_ps) for row in demo.steps().rows]
    back = [(row.step, row.duration_ps) for row in stepscope.open(whole).steps().rows]
    assert back == steps
    back = [(row.step, row.duration_ps) for row in stepscope.open(part).steps().rows]
    assert back == [step for step in steps if step[0] in (2, 3)]


def test_a_selection_is_written_alone(demo: stepscope.Session, tmp_path: Path) -> None:
    chrome = tmp_path / "part.trace.json"
    demo.export(chrome=chrome, steps=range(2, 3), device=0, match="dot")
    events = json.loads(chrome.read_text())["traceEvents"]
    names = {event["name"] for event in events if event["ph"] == "X"}
    assert names
    assert any(name.startswith("dot") for name in names)
    assert "step 3" not in names


def test_wrong_wishes_are_refused(demo: stepscope.Session, tmp_path: Path) -> None:
    with pytest.raises(errors.OptionsError):
        demo.export()
    with pytest.raises(errors.OptionsError):
        demo.export(chrome=tmp_path / "x.json", steps="nonsense")
    with pytest.raises(errors.ExportError, match="cannot write"):
        demo.export(perfetto=tmp_path / "missing" / "x.pftrace")


def test_the_page_fetches_the_trace_in_the_background(demo: stepscope.Session) -> None:
    link = demo.perfetto(open_browser=False, timeout=30, port=0)
    page, url = link.split("/#!/?url=")
    assert page == "https://ui.perfetto.dev"
    foreign = urllib.request.Request(url, headers={"Origin": "https://evil.example"})
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(foreign)
    request = urllib.request.Request(url, headers={"Origin": page})
    with urllib.request.urlopen(request) as reply:
        assert reply.headers["Access-Control-Allow-Origin"] == page
        assert len(reply.read()) > 100_000


def test_a_port_that_is_taken_is_said(demo: stepscope.Session) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(errors.ExportError, match="cannot listen") as refused:
            demo.perfetto(open_browser=False, port=taken.getsockname()[1])
    assert "export" in (refused.value.hint or "")


def test_the_published_schema_understands_what_is_written(
    demo: stepscope.Session, tmp_path: Path
) -> None:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

    path = tmp_path / "run.pftrace"
    demo.export(perfetto=path)
    trace = protos.Trace()
    trace.ParseFromString(path.read_bytes())
    kind = protos.TrackEvent
    names: dict[int, str] = {}
    tracks: dict[int, object] = {}
    open_slices: dict[int, list[int]] = {}
    leaving, arriving, begun = set(), set(), 0
    for packet in trace.packet:
        names.update({entry.iid: entry.name for entry in packet.interned_data.event_names})
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        assert event.track_uuid in tracks
        leaving.update(event.flow_ids)
        arriving.update(event.terminating_flow_ids)
        around = open_slices.setdefault(event.track_uuid, [])
        if event.type == kind.TYPE_SLICE_BEGIN:
            assert event.name or event.name_iid in names
            assert not around or around[-1] <= packet.timestamp
            around.append(packet.timestamp)
            begun += 1
        elif event.type == kind.TYPE_SLICE_END:
            assert around.pop() <= packet.timestamp
    assert not any(open_slices.values())
    assert leaving == arriving
    path = tmp_path / "run.trace.json.gz"
    demo.export(chrome=path)
    events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    phases = [event["ph"] for event in events]
    assert phases.count("X") == begun
    assert phases.count("s") == phases.count("f") == len(leaving)


def test_a_trace_of_pytorch_answers() -> None:
    session = stepscope.open(FIXTURES / "kineto-drawn")
    assert session.devices == ["GPU:0"]
    assert session.step_numbers == [3, 4, 5, 6]
    kernels = session.kernels().rows
    assert "gemm" in kernels[0].name
    assert kernels[0].occurrences == 8
