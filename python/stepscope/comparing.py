"""Questions about several sessions: which sessions, and their answer, as for analyses.

```python
report = stepscope.compare("./before", "./after")
print(report)
stepscope.compare("./logs@latest~3", "./logs").differences[0].step_difference_ps
session.compare("./baseline")
stepscope.scaling("./tensorboard_logs").methods[0].conclusion
```
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeVar

from ._engine import engine, place
from .keywords import option_pairs
from .reports_base import Report
from .session import Session, open

AnyReport = TypeVar("AnyReport", bound=Report)

AnySession = Session | str | os.PathLike[str]
"""An open session, a path for the newest one there, or `PATH@NAME` for another: `logs@latest~1`."""


def answer(
    comparison: str, kind: type[AnyReport], sessions: Sequence[AnySession], /, **options: Any
) -> AnyReport:
    """Runs a comparison by its name; the first session is the baseline."""
    if len(sessions) == 1 and not isinstance(sessions[0], Session):
        path = place(sessions[0])
        if _split(path) == (path, None):
            sessions = [f"{path}@latest~1", f"{path}@latest"]
    natives = [opened(session)._native for session in sessions]
    return kind._of(engine().compare(comparison, natives, option_pairs(options)))


def answer_of_last(
    comparison: str,
    kind: type[AnyReport],
    sessions: Sequence[AnySession],
    /,
    files: Sequence[tuple[str, str]] = (),
    **options: Any,
) -> AnyReport:
    """Runs a comparison of the last session with those before it, if any; `files` are names and
    texts of histories."""
    natives = [opened(session)._native for session in sessions]
    return kind._of(engine().compare(comparison, natives, option_pairs(options), list(files)))


def answer_of_all(
    comparison: str, kind: type[AnyReport], sessions: Sequence[AnySession], /, **options: Any
) -> AnyReport:
    """Runs a comparison of every session at the paths; JSON files are benchmarks or histories."""
    natives: list[Any] = []
    files: list[tuple[str, str]] = []
    for session in sessions:
        if isinstance(session, Session):
            natives.append(session._native)
            continue
        path, wanted = _split(place(session))
        if wanted is not None:
            natives.append(open(path, wanted)._native)
            continue
        found, beside = engine().every_session(path)
        natives += found
        files += beside
    return kind._of(engine().compare(comparison, natives, option_pairs(options), files))


def opened(session: AnySession) -> Session:
    """The session itself, or the one that a path names."""
    if isinstance(session, Session):
        return session
    path, wanted = _split(place(session))
    return open(path, wanted)


def _split(path: str) -> tuple[str, str | None]:
    """`logs@latest~1` is `logs` and `latest~1`; a path that exists as typed keeps its `@`."""
    before, at, wanted = path.rpartition("@")
    if at and wanted and not os.path.exists(path) and os.path.exists(before):
        return before, wanted
    return path, None
