"""The output right after a capture: the engine's verdict, and how to open the capture."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

from . import console, profile_contents
from .capture_result import CaptureResult

_ENGINE_MISSING = (
    "The engine is not installed, so there is no verdict: install the stepscope wheel with pip, "
    "or open the capture with the stepscope command elsewhere."
)

OTHERS_SECONDS_MAX = 10.0
"""How long the first process waits for the captures of the others before the verdict."""

def lines(result: CaptureResult) -> list[str]:
    """The lines to print about `result`: the engine's, or what is known without it."""
    verdict, remarks = _verdict(result)
    head, *rest = verdict or [_summary(result)]
    rest.insert(0, _times(result))
    if not verdict or (result.cost is not None and result.cost.grade == "good"):
        rest += _cost(result)  # the engine reports expensive captures itself
    if result.stopped_by is not None:
        rest.append(f"ended early by {result.stopped_by}")
    if result.error is not None:
        rest.append(f"the profiled code raised {result.error}")
    rest += remarks
    place = result.uploaded_to or str(result.directory)
    rest.append(f"open it: stepscope view {shlex.quote(place)}")
    if result.perfetto_path is not None:
        rest.append(f"or drag {result.perfetto_path} into https://ui.perfetto.dev")
    return [head, *(f"  {line}" for line in rest)]


def _summary(result: CaptureResult) -> str:
    steps = f" {result.steps_text}" if result.steps_text else ""
    return (
        f"Captured{steps} in {console.seconds_text(result.seconds)}: "
        f"{console.bytes_text(result.size_bytes)} on {result.host}"
    )


def _times(result: CaptureResult) -> str:
    """The recording time and the time the program was paused, separately."""
    return (
        f"recorded for {console.seconds_text(result.seconds)}, then collected and written in "
        f"{console.seconds_text(result.stop_seconds)}, while the program was paused"
    )


def _cost(result: CaptureResult) -> list[str]:
    """The slowdown of the captured steps, if the steps before them were timed."""
    cost = result.cost
    if cost is None or not cost.step_ns or not cost.step_before_ns or cost.step_ratio is None:
        return []
    text = (
        f"captured steps took {console.seconds_text(cost.step_ns / 1e9)}, "
        f"{cost.step_ratio:+z.0%} compared with the {cost.steps_before} steps before "
        f"({console.seconds_text(cost.step_before_ns / 1e9)})"
    )
    return [text if cost.grade == "good" else f"{cost.grade}: {text}; {cost.remedy}"]


def show(result: CaptureResult, *, quiet: bool) -> None:
    """Prints the lines, on the first process of a job only."""
    if quiet or result.process_index != 0:
        return
    if result.process_count > 1:
        wait_for_other_processes(result.directory)
    console.say("\n".join(lines(result)))


def wait_for_other_processes(directory: Path, seconds: float = OTHERS_SECONDS_MAX) -> bool:
    """Waits until every process that started a capture in `directory` has written it.

    A manifest without a profile is a running capture. False if some are still missing after
    `seconds`; the verdict then says so.
    """
    ends = time.monotonic() + seconds
    while True:
        begun = {_host_of(path) for path in directory.glob("*.stepscope.json")}
        written = {_host_of(path) for path in directory.glob("*.xplane.*")}
        if begun <= written:
            return True
        if time.monotonic() >= ends:
            return False
        time.sleep(0.05)


def _host_of(path: Path) -> str:
    name = path.name.removesuffix(".stepscope.json")
    return name.removesuffix(".xplane.pb").removesuffix(".xplane.riegeli")


def is_notebook() -> bool:
    """Whether the program runs in a cell of a notebook."""
    get_shell = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get_shell is not None and getattr(get_shell(), "kernel", None) is not None


def _verdict(result: CaptureResult) -> tuple[list[str], list[str]]:
    """The engine's lines, and remarks if there are none."""
    try:
        from . import _engine

        verdict = _engine.verdict_lines(str(result.directory))
    except ImportError:
        verdict = None
    except Exception as error:  # noqa: BLE001 - a verdict must not end a training run
        return [], [*_problems(result), f"The engine failed to give a verdict: {error}"]
    if verdict is None:
        return [], [*_problems(result), _ENGINE_MISSING]
    return [console.plain(line) for line in verdict], []


def _problems(result: CaptureResult) -> list[str]:
    try:
        contents = profile_contents.look(result.path)
    except OSError as error:
        return [f"The capture cannot be read: {error}"]
    found = profile_contents.problems(contents, result.platform)
    if result.compilations:
        programs = "1 program was" if result.compilations == 1 else f"{result.compilations} programs were"
        found.append(
            f"{programs} compiled during recording, so these steps are not typical: run 3 to 5 "
            "steps before the capture."
        )
    return found
