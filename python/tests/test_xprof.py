"""Captures stay readable by XProf, from the same folder and at the same time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import stepscope


def test_xprof_reads_what_a_capture_leaves(work: Callable[[], Any], tmp_path: Path) -> None:
    from xprof.convert import raw_to_tool_data

    with stepscope.profile_trace(str(tmp_path), name="beside") as trace:
        for _ in range(3):
            trace.block(work())
    (profile,) = tmp_path.glob("plugins/profile/*/*.xplane.pb")
    assert list(profile.parent.glob("*.stepscope.json")), "our manifest is next to it"
    before = sorted(path.name for path in profile.parent.iterdir())

    def ask(tool: str, **options: Any) -> Any:
        data, _ = raw_to_tool_data.xspace_to_tool_data([str(profile)], tool, options)
        return json.loads(data)

    rows = ask("trace_viewer")["traceEvents"]
    theirs = {row["name"] for row in rows if row.get("ph") == "X"}
    assert ask("framework_op_stats")
    ours = stepscope.open(str(tmp_path)).ops()
    # XLA's op names depend on the processor, so the names come from the capture itself.
    assert ours.rows and {row.name for row in ours.rows} <= theirs, "both name the same ops"
    # XProf's cache files next to profiles are its own; they do not disturb ours.
    assert set(before) <= {path.name for path in profile.parent.iterdir()}
    assert len(stepscope.sessions(str(tmp_path)).sessions) == 1
