"""The pytest fixture `benchmark_step`: captures a few steps and fails if a budget is broken.

```python
def test_train_step(benchmark_step):
    benchmark_step(train_step, state, batch, budgets={"step_time": "+10%", "launch_count": "+0"})
```

`pytest --stepscope-save` stores the capture as the baseline for later runs. Importing this
module imports neither jax nor the engine; tests that do not use the fixture pay nothing.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from . import reports
    from .gate import Budgets

BASELINE = ".stepscope/baseline"
"""Folder of baselines, below the root of the tests."""

_PROPERTY = "stepscope"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options, in their own group."""
    group = parser.getgroup("stepscope", "stepscope")
    group.addoption(
        "--stepscope-dir",
        metavar="FOLDER",
        help="keep captures of benchmark_step here (default: the test's temporary folder)",
    )
    group.addoption(
        "--stepscope-baseline",
        metavar="FOLDER",
        help=f"baselines of benchmark_step (default: {BASELINE} below the root of the tests)",
    )
    group.addoption(
        "--stepscope-save",
        nargs="?",
        const="replace",
        choices=("replace", "add"),
        help="store captures as baselines instead of comparing; `--stepscope-save=add` keeps the "
        "existing ones, so that three or more show how much runs vary",
    )


class BenchmarkStep:
    """The value of the fixture `benchmark_step`: call it with a step and its arguments."""

    def __init__(self, request: pytest.FixtureRequest, folder: Path) -> None:
        config = request.config
        self._node = request.node
        self._root = config.rootpath
        self._folder = folder
        baseline = config.getoption("--stepscope-baseline")
        self._baselines = self._root / BASELINE if baseline is None else Path(baseline)
        self._save: str | None = config.getoption("--stepscope-save")
        self._count = 0

    def __call__(
        self,
        step: Callable[..., Any],
        *args: Any,
        steps: int = 20,
        warmup: int = 3,
        budgets: Budgets | None = None,
        **keywords: Any,
    ) -> reports.CheckReport | None:
        """Captures `step(*args, **keywords)` `steps` times, after `warmup` uncounted calls.

        Returns the report of the check. Without `budgets`, those of the nearest `stepscope.toml`
        apply; without any, the capture is reported but not checked, and the result is None. A step
        that donates its arguments must be wrapped by the caller, since it is called with the same
        arguments every time.

        Raises:
            Regression: a budget is broken, or cannot be checked.
        """
        __tracebackhide__ = True  # pytest shows the line of the test
        if steps < 1:
            raise ValueError(f"steps must be at least 1, but is {steps}")
        name = self._next_name()
        run = self._capture(step, args, keywords, steps, warmup, self._folder / name)
        store = self._baselines / name
        if self._save is not None:
            _store(run, store, self._save)
            self._tell(name, "saved", f"the baseline is {store}")
            return None
        return self._check(name, run, store, budgets)

    def _next_name(self) -> str:
        self._count += 1
        number = "" if self._count == 1 else f"-{self._count}"
        return re.sub(r"[^A-Za-z0-9_.-]+", "-", self._node.nodeid).strip("-") + number

    def _capture(
        self,
        step: Callable[..., Any],
        args: tuple[Any, ...],
        keywords: dict[str, Any],
        steps: int,
        warmup: int,
        folder: Path,
    ) -> Path:
        from . import _arrays
        from .errors import CaptureError
        from .trace import profile_trace

        for _ in range(warmup):
            _arrays.wait(step(*args, **keywords))
        trace = profile_trace(folder, name="benchmark_step", quiet=True, python_tracer_level=0)
        with trace:
            for number in range(steps):
                with trace.step(number):
                    _arrays.wait(trace.block(step(*args, **keywords)))
        if trace.result is None:
            raise CaptureError(
                "benchmark_step captured nothing",
                "another capture is running, or PROFILE_ENABLED=0 is set",
            )
        return trace.result.directory

    def _check(
        self, name: str, run: Path, store: Path, budgets: Budgets | None
    ) -> reports.CheckReport | None:
        __tracebackhide__ = True
        from ._engine import engine
        from .gate import Regression, assert_no_regression

        if budgets is None and not json.loads(engine().gate_settings())["options"]["budget"]:
            self._tell(name, "not checked", f"no budgets given; the capture is {run}")
            return None
        stored = sorted(path for path in store.iterdir()) if store.is_dir() else []
        try:
            report = assert_no_regression(run, baseline=stored, budgets=budgets)
        except Regression as error:
            self._tell(name, error.report.verdict, error.report.conclusion)
            if not stored:
                note = f"no baseline is stored in {store}; pytest --stepscope-save stores one"
                error.add_note(note)
            raise
        self._tell(name, report.verdict, report.conclusion)
        return report

    def _tell(self, name: str, verdict: str, text: str) -> None:
        """Adds a line to print at the end of the test run; it also reaches the main process of xdist."""
        told = json.dumps({"name": name, "verdict": verdict, "text": text})
        self._node.user_properties.append((_PROPERTY, told))


def _store(run: Path, store: Path, how: str) -> None:
    if how == "replace" and store.is_dir():
        shutil.rmtree(store)
    store.mkdir(parents=True, exist_ok=True)
    shutil.copytree(run, store / run.name, dirs_exist_ok=True)


@pytest.fixture
def benchmark_step(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> BenchmarkStep:
    """Captures a few steps and checks them against budgets: `benchmark_step(train_step, state)`."""
    kept = request.config.getoption("--stepscope-dir")
    folder = tmp_path_factory.mktemp("stepscope") if kept is None else Path(kept)
    return BenchmarkStep(request, folder)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints a line with the result of each benchmark."""
    told = [
        json.loads(str(text))
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "teardown"
        for name, text in getattr(report, "user_properties", [])
        if name == _PROPERTY
    ]
    if not told:
        return
    terminalreporter.section("stepscope")
    for one in told:
        is_bad = one["verdict"] in ("broken", "unknown")
        is_noisy = one["verdict"] == "within_noise"
        word = one["verdict"].replace("_", " ")
        terminalreporter.write(f"{word:12}  ", red=is_bad, yellow=is_noisy, green=not is_bad)
        terminalreporter.write(f"{one['name']}: {one['text']}\n")
