"""`perfetto_trace.json.gz` for ui.perfetto.dev, from the trace that jaxlib exports."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from .recorders import write_atomically


def convert(trace_json: Path, target: Path) -> None:
    """Writes the trace without entries that Perfetto rejects.

    jaxlib ends its list of events with an empty object and adds metadata; Perfetto reports the
    former as a broken file and does not know the latter. The whole trace is read into memory, which
    matters for long captures.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: the exported trace is not valid JSON.
    """
    with gzip.open(trace_json, "rb") as file:
        trace = json.load(file)
    trace.pop("metadata", None)
    trace["traceEvents"] = [event for event in trace.get("traceEvents", []) if event]
    write_atomically(target, gzip.compress(json.dumps(trace).encode(), compresslevel=6))
