"""Incidents of a recorded run: what happened, on which rank, and what it was doing.

Each is a folder with `request.json` (what was noticed), `rank_<n>.json` (what each rank knew),
`rank_<n>.stacks.txt` (the stacks of all its threads), `incident.json` once all ranks have said what they
know, and `report.txt` once they have also captured.
"""

from __future__ import annotations

import json
import math
import statistics
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import lives, ranks, ring, stacks
from .errors import CaptureError
from .recorders import write_atomically

_EXCESS_SHARE = 0.5
"""A rank is slow in a step if it exceeded its median by this share of the largest excess."""
_PLACES_NAMED = 3
_PART_SHARE = 0.5
"""A part of a step is what grew if it has this share of what the step took longer than usual."""
_PARTS = {
    "compiling": "compilation",
    "collecting": "garbage collection",
    "between": "the time between steps",
}


def describe(folder: Path) -> dict[str, Any]:
    """The incident in `folder`, from what the ranks left there.

    Raises:
        OSError: the request cannot be read.
        ValueError: the request is damaged.
    """
    request: dict[str, Any] = json.loads((folder / ranks.REQUEST).read_text(encoding="utf-8"))
    known = answers_of(folder)
    contents = ranks.rings(folder.parent.parent, None)
    return request | {
        "cause": _cause(request, known, contents),
        "ranks": [known[rank] for rank in sorted(known)],
        "missing_ranks": sorted({one.rank for one in contents} - known.keys()),
        "captures": sorted({str(one["captured"]) for one in known.values() if one.get("captured")}),
    }


def write(folder: Path, *, is_final: bool = True) -> dict[str, Any]:
    """Writes `incident.json`, and `report.txt` if nothing is to come; returns the incident."""
    incident = describe(folder)
    with suppress(CaptureError):
        write_atomically(folder / "incident.json", json.dumps(incident, indent=1).encode())
        if not is_final:
            return incident
        write_atomically(folder / "report.txt", "\n".join(report(incident)).encode() + b"\n")
    return incident


def report(incident: dict[str, Any]) -> list[str]:
    """The lines for people."""
    lines = [f"{incident['what']}", f"  cause: {incident['cause']}", f"  rule: {incident['rule']}"]
    for answer in incident["ranks"]:
        where = f", in {answer['where']}" if answer.get("where") else ""
        lines.append(
            f"  rank {answer['rank']} on {answer['host']} (process {answer['pid']}): "
            f"at step {answer['step']}{where}"
        )
    for rank in incident["missing_ranks"]:
        lines.append(f"  rank {rank}: no answer")
    return lines + captures_told(incident)


def captures_told(incident: dict[str, Any]) -> list[str]:
    """How to open its captures."""
    return [f"  open it: stepscope view {captured}" for captured in incident["captures"]]


def is_final(answer: dict[str, Any]) -> bool:
    """Whether a rank has captured, or will not."""
    return "captured_steps" in answer


def answers_of(folder: Path) -> dict[int, dict[str, Any]]:
    """What the ranks have said so far, by rank."""
    found = {}
    for path in folder.glob("rank_*.json"):
        with suppress(OSError, ValueError, KeyError):
            answer = json.loads(path.read_text(encoding="utf-8"))
            found[int(answer["rank"])] = answer
    return found


def _cause(
    request: dict[str, Any], answers: dict[int, dict[str, Any]], contents: list[ring.Contents]
) -> str:
    kind = request["kind"]
    if kind == "lost":
        return _lost(request, contents)
    if kind == "silent":
        return _silent(request, contents)
    if kind == "metric":
        return _metric(request, contents)
    if kind == "memory":
        return str(request["what"])
    if kind == "step":
        return _slow_step(request, answers, contents)
    return _stall(request, answers)


@dataclass(frozen=True, slots=True)
class _Slow:
    """What a rank did while the step of the incident was slow."""

    rank: int
    record: ring.Record
    excess_ns: float
    usual: list[ring.Record]


def _slow_step(
    request: dict[str, Any], answers: dict[int, dict[str, Any]], contents: list[ring.Contents]
) -> str:
    step = request["step"]
    found = [one for one in (_at_that_time(request, own) for own in contents) if one is not None]
    most = max((one.excess_ns for one in found), default=0)
    if most <= 0:
        return "unknown: the step is no longer in the rings"
    slow = [one for one in found if one.excess_ns >= _EXCESS_SHARE * most]
    fast = len(found) - len(slow)
    if len(slow) > 1 and not fast:
        longest = max(one.record.step_ns for one in slow)
        head = f"step {step} was slow on all {len(slow)} ranks ({_text(longest)})"
        behind = _behind(slow)
        apart = [one.rank for one in behind] or _apart(answers) or [request["rank"]]
        return head + _late(behind) + _where(answers, apart) + _grown(slow, apart)
    names = ", ".join(f"rank {one.rank} ({_text(one.record.step_ns)})" for one in slow)
    others = f"; it was not on {fast} other rank{'s' if fast > 1 else ''}" if fast else ""
    apart = [one.rank for one in slow]
    return f"step {step} was slow on {names}{others}{_where(answers, apart)}{_grown(slow, apart)}"


def _at_that_time(request: dict[str, Any], one: ring.Contents) -> _Slow | None:
    """The step of a rank that went on while that of the incident was slow; None without one."""
    found: list[ring.Record] = []
    usual: list[ring.Record] = []
    for record in one.records:
        is_then = was_then(request, record.step, record.ended_unix_ns, record.step_ns)
        (found if is_then else usual).append(record)
    if not found or not usual:
        return None
    record = max(found, key=lambda record: record.step_ns)
    usual_ns = statistics.median(other.step_ns for other in usual)
    return _Slow(one.rank, record, record.step_ns - usual_ns, usual)


def was_then(request: dict[str, Any], step: int, ended_unix_ns: int, step_ns: int) -> bool:
    """Whether a step of any rank went on while that of the incident was slow.

    Ranks that wait for another one do so in a later step than it is in, so that the time counts, and
    the number only where clocks differ.
    """
    begin = request.get("from_unix_ns", math.inf)
    end = request.get("to_unix_ns", -math.inf)
    return step == request["step"] or begin < ended_unix_ns and ended_unix_ns - step_ns < end


def _behind(slow: list[_Slow]) -> list[_Slow]:
    """The ranks for which the others waited: they had not reached the step of most."""
    least = min(one.record.step for one in slow)
    behind = [one for one in slow if one.record.step == least]
    return behind if 2 * len(behind) < len(slow) else []


def _late(behind: list[_Slow]) -> str:
    if not behind:
        return ""
    names = ", ".join(f"rank {one.rank}" for one in behind)
    were = "was" if len(behind) == 1 else "were"
    return f"; the others waited for {names}, which {were} still in step {behind[0].record.step}"


def _grown(slow: list[_Slow], of: list[int]) -> str:
    """What made the step longer on the first of these ranks, as far as its parts are known."""
    one = next((one for one in slow if one.rank in of), None)
    if one is None:
        return ""
    own = one.record
    for name, text in _PARTS.items():
        usual = [record.parts[name] for record in one.usual if name in record.parts]
        grown = own.parts.get(name, 0) - (statistics.median(usual) if usual else 0)
        if grown >= _PART_SHARE * one.excess_ns:
            return f"; what grew on rank {one.rank} was {text} ({_text(own.parts[name])})"
    worked = own.parts.get("working")
    if worked is None:
        return ""
    what = "work" if worked >= _PART_SHARE * own.step_ns else "waiting"
    return (
        f"; what grew on rank {one.rank} was {what} of the loop's thread "
        f"({_text(worked)} of processor time)"
    )


def _stall(request: dict[str, Any], answers: dict[int, dict[str, Any]]) -> str:
    if not answers:
        return "unknown: no rank answered"
    behind = min(answer["step"] for answer in answers.values())
    at_it = sorted(rank for rank, answer in answers.items() if answer["step"] == behind)
    if len(at_it) < len(answers):
        names = ", ".join(f"rank {rank}" for rank in at_it)
        return f"{names} stopped after step {behind}{_where(answers, at_it)}"
    head = f"all {len(at_it)} ranks stopped" if len(at_it) > 1 else f"rank {at_it[0]} stopped"
    return f"{head} after step {behind}{_where(answers, _apart(answers) or at_it)}"


def _stack(answer: dict[str, Any]) -> list[str]:
    """The frames of a rank's loop, outermost first."""
    return list(reversed(answer.get("frames") or []))


def _apart(answers: dict[int, dict[str, Any]]) -> list[int]:
    """The ranks that were somewhere else than most, who wait for them; none if nobody stands out.

    Ranks that wait may poll in any function below, so what counts is where stacks part, seen from
    the outside.
    """
    frames = {rank: _stack(answers[rank]) for rank in sorted(answers) if _stack(answers[rank])}
    for level in range(max(map(len, frames.values()), default=0)):
        groups: dict[str | None, list[int]] = {}
        for rank, own in frames.items():
            groups.setdefault(own[level] if level < len(own) else None, []).append(rank)
        if len(groups) > 1:
            sizes = sorted(groups.values(), key=len)
            return [] if len(sizes[0]) == len(sizes[1]) else sizes[0]
    return []


def _where(answers: dict[int, dict[str, Any]], of: list[int]) -> str:
    """What these ranks were doing, as far as it was seen, and where all others were."""
    seen: dict[str, int] = {}  # the first rank at each place
    for rank in of:
        if where := answers.get(rank, {}).get("where"):
            seen.setdefault(where, rank)
    if not seen:
        return "; what it did in that time was not seen"
    others = [_stack(answer) for rank, answer in answers.items() if rank not in of]
    shared = stacks.place(_shared(others))
    rest = f", the others in {shared}" if shared and shared not in seen else ""
    places = list(seen.items())[:_PLACES_NAMED]
    return "; " + "; ".join(f"rank {rank} was in {where}" for where, rank in places) + rest


def _shared(frames: list[list[str]]) -> list[str]:
    """The functions in which all these stacks are, innermost first; with the line if it is one."""
    found: list[str] = []
    for level in zip(*frames, strict=False):
        functions = {frame.rpartition(":")[0] for frame in level}
        if len(functions) > 1:
            break
        found.append(level[0] if len(set(level)) == 1 else f"{functions.pop()})")
        if len(set(level)) > 1:
            break
    return found[::-1]


def _lost(request: dict[str, Any], contents: list[ring.Contents]) -> str:
    rank = request["lost_rank"]
    one = next((one for one in contents if one.rank == rank), None)
    if one is None:
        return f"rank {rank} stopped without ending"
    last = f"after step {one.records[-1].step}" if one.records else "before its first step"
    about = one.about
    return (
        f"rank {rank} on {about['host']} (process {about['pid']}) stopped without ending, {last}: "
        "it was killed, or crashed"
    )


def _silent(request: dict[str, Any], contents: list[ring.Contents]) -> str:
    """The process exists: it is stopped, or no thread of its Python gets to run."""
    rank = request["silent_rank"]
    one = next((one for one in contents if one.rank == rank), None)
    if one is None:
        return str(request["what"])
    last = f"after step {one.records[-1].step}" if one.records else "before its first step"
    why = (
        "it is stopped, by a signal or a debugger"
        if lives.is_stopped(one.about)
        else "native code may hold the interpreter's lock, or the machine gives it no time"
    )
    return (
        f"rank {rank} on {one.about['host']} (process {one.about['pid']}) shows no sign of life "
        f"{last}, but its process exists: {why}"
    )


def _metric(request: dict[str, Any], contents: list[ring.Contents]) -> str:
    parts = []
    for name in request["metrics"]:
        step, value = request["step"], request["values"].get(name)
        before = None
        for one in contents:
            if one.rank == request["rank"]:
                before = next(
                    (
                        record
                        for record in reversed(one.records)
                        if record.step < step and name in record.metrics
                    ),
                    None,
                )
        was = f" ({before.metrics[name]:.6g} at step {before.step})" if before else ""
        parts.append(f"{name} was {value} at step {step} on rank {request['rank']}{was}")
    return "; ".join(parts)


def _text(ns: int) -> str:
    return f"{ns / 1e9:.3g} s" if ns >= 1e9 else f"{ns / 1e6:.3g} ms"
