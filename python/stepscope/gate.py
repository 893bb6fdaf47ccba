"""A gate in a test or a script: a session must stay within its budgets.

```python
stepscope.assert_no_regression(
    "./logs", baseline="./main", budgets={"step_time": "+2%", "memory_peak": ["+1%", "<=14GiB"]}
)
```

`stepscope check` does the same in a shell.

Budgets: `"+2%"`, `"-5%"`, `"+100MiB"`, `"+2ms"`, `"+0"` limit the change from the baseline;
`"<=150ms"`, `">=80%"` are bounds that need no baseline. Metrics: `step_time`, `all_steps_time`,
`step_time_p95`, `compute_time`, `exposed_communication`, `communication_time`,
`host_to_device_time`, `device_to_host_time`, `device_to_device_time`, `python_callback_time`,
`input_wait`, `compilation_wait`, `host_time`, `idle_time`, `device_busy`, `mfu`, `hfu`,
`memory_peak`, `compilation_count`, `compilation_time`, `launch_count`, `collective_bytes`, `op:NAME`,
`scope:PATH`.

Keys of a `stepscope.toml`: `[check]` has `baseline`, `baseline_runs`, `history`, `confidence`,
`run_noise`, `allow_unknown`, `steps`, `time`, `device`, `host`; `[check.budgets]` has a budget or a
list of them for each metric; `[targets.NAME]` and `[targets.NAME.budgets]` have the same for
`target="NAME"`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import reports
from ._analyses import Steps, Text
from ._engine import engine, place
from .comparing import AnySession, opened
from .engine_errors import OptionsError
from .keywords import checked, option_pairs, truth
from .session import Session

Budgets = Mapping[str, str | Sequence[str]] | Iterable[str]
"""Limits by metric, such as `{"step_time": "+2%"}`, or budgets as on the command line."""

HISTORY = "history"
"""The baseline value that selects the history file."""

_ROWS = 50
_WIDTH = 100


class Regression(AssertionError):
    """A budget is broken or cannot be checked. The message is the output of `stepscope check`."""

    def __init__(self, message: str, report: reports.CheckReport) -> None:
        super().__init__(message)
        self.report = report

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (str(self), self.report))


@checked
def assert_no_regression(
    session: AnySession,
    *,
    baseline: AnySession | Sequence[AnySession] | None = None,
    baseline_runs: int | None = None,
    history: str | os.PathLike[str] | None = None,
    budgets: Budgets | None = None,
    config: str | os.PathLike[str] | None = None,
    target: str | None = None,
    steps: Steps | None = None,
    time: Text | None = None,
    device: Text | None = None,
    host: Text | None = None,
    limit: int | None = None,
    confidence: float | None = None,
    run_noise: float | None = None,
    allow_unknown: bool | None = None,
) -> reports.CheckReport:
    """Raises `Regression` if the session breaks its budgets; otherwise returns the report.

    Args:
        session: an open session, or a path for its newest one, `PATH@NAME` for another.
        baseline: what to compare with, one or several; `"history"` for the runs of `history`.
        baseline_runs: number of sessions of the path before it, if `session` is a path.
        history: a file written by `stepscope check --history`; it is read, not written.
        budgets: limits by metric; by default those of `stepscope.toml`.
        config: the `stepscope.toml` to use; the nearest one if `budgets` is None.
        target: also apply its `[targets.NAME]`.
        steps, time, device, host, limit, confidence, run_noise, allow_unknown: as in
            `stepscope.check`; those of `stepscope.toml` unless given.

    Raises:
        Regression: an `AssertionError`; its `report` says what is broken, and why.
        OptionsError: no budget, or an invalid one.
    """
    __tracebackhide__ = True  # pytest shows the line that calls this
    options = {
        "steps": steps,
        "time": time,
        "device": device,
        "host": host,
        "limit": limit,
        "confidence": confidence,
        "run_noise": run_noise,
        "allow_unknown": None if allow_unknown is None else truth("allow_unknown", allow_unknown),
    }
    settings = _settings(config, target) if budgets is None or config is not None else {}
    merged = {**_without_none(settings.get("options", {})), **_without_none(options)}
    texts = _merged(_texts(budgets), merged.pop("budget", []))
    if not texts:
        raise OptionsError(
            "no budgets given",
            'give budgets={"step_time": "+2%"}, or a stepscope.toml with [check.budgets]',
        )
    if baseline is None and baseline_runs is None:
        baseline = settings.get("baselines") or None
        baseline_runs = settings.get("baseline_runs")
    history = history if history is not None else settings.get("history")
    wanted = _listed(baseline)
    names = [one for one in wanted if not (isinstance(one, str) and one == HISTORY)]
    sessions = [*_before(session, baseline_runs), *(_beside(session, one) for one in names)]
    files = [_history(history)] if len(names) < len(wanted) else []
    natives = [opened(one)._native for one in (*sessions, session)]
    pairs = [*option_pairs(merged), *(("budget", text) for text in texts)]
    answer = engine().compare("check", natives, pairs, files)
    report = reports.CheckReport._of(answer)
    if not report.is_passed:
        raise Regression(answer.text(_ROWS, _WIDTH).rstrip(), report)
    return report


def _settings(config: str | os.PathLike[str] | None, target: str | None) -> dict[str, Any]:
    path = None if config is None else place(config)
    settings: dict[str, Any] = json.loads(engine().gate_settings(path, target))
    return settings


def _texts(budgets: Budgets | None) -> list[str]:
    """Budgets as on the command line."""
    if budgets is None:
        return []
    if isinstance(budgets, str):
        return [budgets]
    if not isinstance(budgets, Mapping):
        return list(budgets)
    texts = []
    for metric, limits in budgets.items():
        for limit in [limits] if isinstance(limits, str) else limits:
            is_bound = limit.lstrip().startswith(("<", ">"))
            texts.append(f"{metric}{limit}" if is_bound else f"{metric}={limit}")
    return texts


def _merged(given: list[str], of_file: list[str]) -> list[str]:
    """The given budgets, and those of the file for other metrics."""
    named = {_metric(text) for text in given}
    return given + [text for text in of_file if _metric(text) not in named]


def _metric(text: str) -> str:
    return text.rpartition("=")[0].strip().rstrip("<>=").strip()


def _without_none(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _listed(baseline: AnySession | Sequence[AnySession] | None) -> list[AnySession]:
    if baseline is None:
        return []
    if isinstance(baseline, (str, os.PathLike, Session)):
        return [baseline]
    return list(baseline)


def _before(session: AnySession, count: int | None) -> list[AnySession]:
    """The sessions before the newest of a path, oldest first."""
    if count is None:
        return []
    if isinstance(session, Session):
        raise OptionsError("baseline_runs needs the path of the log directory, not an open session")
    path = place(session)
    return [f"{path}@latest~{back}" for back in range(count, 0, -1)]


def _beside(session: AnySession, baseline: AnySession) -> AnySession:
    """`latest~1` is a session of the checked path."""
    if isinstance(session, Session) or isinstance(baseline, Session):
        return baseline
    name = place(baseline)
    is_place = "@" in name or "://" in name or os.path.exists(name)
    return name if is_place else f"{place(session)}@{name}"


def _history(path: str | os.PathLike[str] | None) -> tuple[str, str]:
    if path is None:
        raise OptionsError('baseline="history" requires history=', 'for example history="runs.jsonl"')
    file = Path(place(path))
    text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
    return (file.name, text)
