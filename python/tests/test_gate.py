"""The gate: `assert_no_regression`, the forms of `stepscope check`, the pytest fixture."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import stepscope
from stepscope.engine_errors import OptionsError

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
PLANTED = ROOT / "fixtures" / "planted-cpu"
BASE, SLOWER = PLANTED / "base", PLANTED / "slower"


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stepscope", *arguments], capture_output=True, text=True, check=False
    )


def test_a_session_that_keeps_to_its_budgets_gives_its_report() -> None:
    budgets = {"memory_peak": ["+1%", "<=1GiB"], "step_time": "+1000%"}
    report = stepscope.assert_no_regression(PLANTED / "recompile", baseline=BASE, budgets=budgets)
    assert report.is_passed and report.verdict == "passed"
    assert [row.metric for row in report.rows] == ["memory_peak", "memory_peak", "step_time"]


def test_a_broken_budget_is_an_assertion_error_with_causes() -> None:
    with pytest.raises(AssertionError, match="slower breaks its budget: step_time") as caught:
        stepscope.assert_no_regression(SLOWER, baseline=BASE, budgets={"step_time": "+2%"})
    error = caught.value
    assert isinstance(error, stepscope.Regression)
    assert "18 extra ops at" in str(error)
    assert error.report.rows[0].verdict == "broken"
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.report.rows[0].verdict == "broken"


def test_the_message_is_that_of_the_command() -> None:
    printed = command("check", str(SLOWER), "--baseline", str(BASE), "--budget", "step_time=+2%")
    assert printed.returncode == 4
    with pytest.raises(stepscope.Regression) as caught:
        stepscope.assert_no_regression(SLOWER, baseline=BASE, budgets=["step_time=+2%"])
    first = printed.stdout.splitlines()[0]
    assert str(caught.value).splitlines()[0] == first


def test_baselines_are_sessions_paths_names_or_a_history(tmp_path: Path) -> None:
    budgets = {"memory_peak": "+1%"}
    base = stepscope.open(BASE)
    stepscope.assert_no_regression(stepscope.open(BASE), baseline=base, budgets=budgets)
    stepscope.assert_no_regression(
        f"{PLANTED}@recompile", baseline=[base, f"{PLANTED}@recompile"], budgets=budgets
    )
    report = stepscope.assert_no_regression(
        PLANTED, baseline_runs=3, budgets={"memory_peak": "+1000%"}
    )
    assert len(report.baselines) == 3
    history = tmp_path / "runs.jsonl"
    for _ in range(3):
        assert command("check", str(BASE), "--history", str(history)).returncode == 0
    report = stepscope.assert_no_regression(
        BASE, baseline="history", history=history, budgets=budgets
    )
    assert report.baseline == "history"
    with pytest.raises(stepscope.Regression):
        stepscope.assert_no_regression(SLOWER, baseline="history", history=history, budgets=budgets)
    assert [run.source for run in stepscope.history(history).runs] == ["runs.jsonl"] * 3


def test_budgets_come_from_the_file_unless_they_are_given(tmp_path: Path) -> None:
    budgets = 'memory_peak = "+1%"\nstep_time = "+900%"\n'
    text = f'[check]\nbaseline = "{BASE}"\n[check.budgets]\n{budgets}'
    (tmp_path / "stepscope.toml").write_text(text, encoding="utf-8")
    with pytest.raises(stepscope.Regression, match="memory_peak"):
        stepscope.assert_no_regression(SLOWER)
    config = tmp_path / "stepscope.toml"
    report = stepscope.assert_no_regression(SLOWER, config=config, budgets={"memory_peak": "+900%"})
    assert sorted(row.budget for row in report.rows) == ["memory_peak=+900%", "step_time=+900%"]


def test_what_is_no_budget_is_said() -> None:
    with pytest.raises(OptionsError, match="no budgets given"):
        stepscope.assert_no_regression(SLOWER, baseline=BASE)
    with pytest.raises(OptionsError, match="unknown metric"):
        stepscope.assert_no_regression(SLOWER, baseline=BASE, budgets={"stp_time": "+2%"})
    report = stepscope.check(BASE, SLOWER, budget=["step_time=+2%", "memory_peak<=1GiB"])
    assert [row.verdict for row in report.rows] == ["broken", "passed"]
    with pytest.raises(stepscope.Regression, match="there\\s+is\\s+none\\s+to\\s+compare\\s+with"):
        stepscope.assert_no_regression(SLOWER, budgets={"step_time": "+2%"})
    stepscope.assert_no_regression(SLOWER, budgets={"step_time": "+2%"}, allow_unknown=True)


def test_junit_and_sarif_are_what_others_read(tmp_path: Path) -> None:
    import junitparser
    import sarif_pydantic

    junit, sarif = tmp_path / "result.xml", tmp_path / "result.sarif"
    budgets = ("step_time=+2%", "memory_peak<=1GiB", "idle_time=+2%", "op:none=+2%")
    done = command(
        *("check", str(SLOWER), "--baseline", str(BASE)),
        *(word for budget in budgets for word in ("--budget", budget)),
        *("--junit", str(junit), "--sarif", str(sarif)),
    )
    assert done.returncode == 4, done.stderr
    (suite,) = junitparser.JUnitXml.fromfile(str(junit))
    cases = {case.name: [type(result).__name__ for result in case.result] for case in suite}
    assert cases == {
        "step_time=+2%": ["Failure"],
        "memory_peak<=1GiB": [],
        "idle_time=+2%": [],
        "op:none=+2%": ["Error"],
    }
    assert (suite.tests, suite.failures, suite.errors) == (4, 1, 1)
    log = sarif_pydantic.Sarif.model_validate_json(sarif.read_text(encoding="utf-8"))
    (run,) = log.runs
    assert run.tool.driver.name == "stepscope"
    results = [(result.rule_id, result.level.value) for result in run.results or []]
    assert results == [("step_time", "error"), ("idle_time", "note"), ("op:none", "error")]
    place = (run.results or [])[0].locations[0].physical_location
    assert place.artifact_location.uri.endswith("capture_planted.py")
    assert place.region.start_line == 29


STEP = """
import jax, jax.numpy as jnp

@jax.jit
def small(x):
    return jnp.tanh(x @ x)

@jax.jit
def large(x):
    y = jnp.tanh(x @ x)
    for _ in range(6):
        y = jnp.tanh(y @ x + 1)
    return y

X = jnp.ones((64, 64))
"""


def outcome(pytester: pytest.Pytester, body: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(test_step=STEP + body)
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def test_the_fixture_saves_compares_and_fails(pytester: pytest.Pytester) -> None:
    budgets = '{"launch_count": "+0", "compilation_count": "<=100"}'
    call = f"benchmark_step(small, X, steps=6, budgets={budgets})"
    test = f"def test_it(benchmark_step):\n    {call}\n"
    missing = outcome(pytester, test)
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*no baseline is stored in*"])
    missing.stdout.fnmatch_lines(["*--stepscope-save stores one*"])
    saved = outcome(pytester, test, "--stepscope-save")
    saved.assert_outcomes(passed=1)
    saved.stdout.fnmatch_lines(["saved*test_step.py-test_it: the baseline is *"])
    assert len(list((pytester.path / ".stepscope/baseline/test_step.py-test_it").iterdir())) == 1
    same = outcome(pytester, test, "--stepscope-dir", "kept")
    same.assert_outcomes(passed=1)
    same.stdout.fnmatch_lines(["*= stepscope =*", "passed*test_it: *meets its 2 budgets*"])
    assert list((pytester.path / "kept").rglob("*.xplane.pb"))
    worse = outcome(pytester, test.replace("small", "large"))
    worse.assert_outcomes(failed=1)
    worse.stdout.fnmatch_lines(["*breaks 1 of its 2 budgets: launch_count*"])
    worse.stdout.fnmatch_lines(["*extra*"])
    # The line of the test is the last of the traceback: none of ours is shown.
    worse.stdout.fnmatch_lines([">*benchmark_step(large, X*", "E*"])
    for ours in ("pytest_plugin.py", "gate.py", "keywords.py"):
        worse.stdout.no_fnmatch_line(f"*{ours}:*")


def test_the_fixture_adds_baselines_and_counts_its_calls(pytester: pytest.Pytester) -> None:
    test = """
def test_it(benchmark_step):
    benchmark_step(small, X, steps=5, budgets={"launch_count": "+0"})
    report = benchmark_step(lambda x: small(x), X, steps=5, budgets={"launch_count": "<=1000"})
    assert report is None or report.is_passed
"""
    for _ in range(2):
        outcome(pytester, test, "--stepscope-save=add").assert_outcomes(passed=1)
    store = pytester.path / ".stepscope/baseline"
    assert sorted((path.name, len(list(path.iterdir()))) for path in store.iterdir()) == [
        ("test_step.py-test_it", 2),
        ("test_step.py-test_it-2", 2),
    ]
    outcome(pytester, test).assert_outcomes(passed=1)


def test_without_a_budget_nothing_is_checked_and_that_is_said(pytester: pytest.Pytester) -> None:
    test = "def test_it(benchmark_step):\n    assert benchmark_step(small, X, steps=4) is None\n"
    result = outcome(pytester, test)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["not checked*no budgets given*"])


def test_the_plugin_costs_nothing_until_it_is_used(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_nothing():
            assert "stepscope.pytest_plugin" in sys.modules
            assert "jax" not in sys.modules
            assert "stepscope._stepscope" not in sys.modules
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
    assert "stepscope" not in "".join(line for line in result.outlines if line.startswith("="))


def test_the_examples_of_the_page_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "guides" / "gate.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) == 1
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    exec(blocks[0], names)
    assert "18 extra ops at" in capsys.readouterr().out


def test_the_settings_of_the_page_are_understood(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "guides" / "gate.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    config = tmp_path / "stepscope.toml"
    config.write_text(text, encoding="utf-8")
    done = command(
        *("check", str(SLOWER), "--config", str(config), "--target", "v5e"),
        *("--baseline", str(BASE), "--steps", "2..", "--history", str(tmp_path / "runs.jsonl")),
        "--json",
    )
    assert done.returncode == 4, done.stderr
    budgets = [row["budget"] for row in json.loads(done.stdout)["rows"]]
    expected = ["memory_peak=+1%", "memory_peak<=14GiB", "scope:optimizer=+5%", "step_time<=120ms"]
    assert budgets == expected
