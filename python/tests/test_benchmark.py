"""`benchmark_function`: what it counts, waits for, prints, and writes."""

from __future__ import annotations

import functools
import json
import math
import pickle
import statistics
import subprocess
import sys
import time
import timeit
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import captures
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stepscope
from stepscope import BenchmarkResult, _statistics, benchmark_function
from stepscope import benchmark as benchmark_module

SLEEP_MS = 4.0


def sleeper(calls: list[int]) -> Any:
    """A function of known duration; its first three calls are much slower."""

    def sleep() -> float:
        calls.append(len(calls))
        time.sleep((10 if len(calls) <= 3 else 1) * SLEEP_MS / 1e3)
        return 1.0

    return sleep


def test_counts_calls_and_leaves_warm_up_out(capsys: pytest.CaptureFixture[str]) -> None:
    calls: list[int] = []
    stats = benchmark_function(sleeper(calls), num_iterations=20, warmup=3)
    assert len(calls) == 23
    assert stats["iterations"] == 20 and stats["warmup"] == 3
    assert stats["unit"] == "ms"
    assert SLEEP_MS <= stats["min"] <= stats["p5"] <= stats["median"] <= stats["p95"]
    assert stats["p95"] <= stats["max"]
    assert stats["median"] < 10 * SLEEP_MS, "a slow first call was counted"
    first_line = capsys.readouterr().out.splitlines()[0]
    assert first_line == f"sleep: {stats['mean']:.2f} ± {stats['std']:.2f} ms"


def test_figures_agree_with_the_standard_library() -> None:
    stats = benchmark_function(sleeper([]), num_iterations=15, warmup=3, print_result=False)
    samples = stats["samples"]
    assert stats["mean"] == pytest.approx(statistics.mean(samples))
    assert stats["std"] == pytest.approx(statistics.stdev(samples))
    assert stats["median"] == pytest.approx(statistics.median(samples))
    assert stats["p5"] == pytest.approx(float(np.percentile(samples, 5)))
    assert stats["p95"] == pytest.approx(float(np.percentile(samples, 95)))
    low, high = stats["confidence_interval"]
    assert low <= stats["mean"] <= high


def test_defaults_and_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    seen = []

    def add(left: int, *, right: int) -> int:
        seen.append((left, right))
        return left + right

    stats = benchmark_function(add, 1, right=2)
    assert seen == [(1, 2)] * 110
    assert stats.iterations == 100
    assert stats.device.startswith("host")
    assert "100 iterations after 10 of warm-up" in capsys.readouterr().out


def test_result_is_a_dictionary_with_attributes() -> None:
    stats = benchmark_function(lambda: 1, num_iterations=3, name="one", print_result=False)
    assert isinstance(stats, dict) and isinstance(stats, Mapping)
    assert stats.mean == stats["mean"] == stats["execution_time"]
    assert stats.execution_time_seconds == pytest.approx(stats.mean / 1000)
    assert repr(stats).startswith("BenchmarkResult(one: ") and " ms" in repr(stats)
    assert pickle.loads(pickle.dumps(stats)) == stats
    with pytest.raises(AttributeError, match="no 'meen'"):
        _ = stats.meen


class Held:
    """A result that is not a pytree for JAX."""

    def __init__(self, array: jax.Array) -> None:
        self.array = array


@pytest.mark.parametrize(
    "wrap", [lambda x: x, lambda x: {"a": [x, 1]}, Held], ids=["array", "pytree", "object"]
)
def test_waits_for_the_device(wrap: Any) -> None:
    """A call returns long before its work is done; the figures must include the work."""
    matrix = jnp.full((400, 400), 1e-3)

    @jax.jit
    def heavy(x: jax.Array) -> jax.Array:
        return jax.lax.fori_loop(0, 10, lambda _, y: y @ x, x)

    def run() -> None:
        heavy(matrix).block_until_ready()

    run()
    least_ms = min(timeit.repeat(run, number=1, repeat=5)) * 1e3 / 4
    stats = benchmark_function(
        lambda: wrap(heavy(matrix)), num_iterations=5, warmup=1, print_result=False
    )
    assert stats["min"] > least_ms
    assert stats["device"] == jax.devices()[0].device_kind


def test_compilation_in_the_timed_part_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    double = jax.jit(lambda x: x * 2.5)
    arrays = [np.ones(size, np.float32) for size in range(3, 9)]
    sizes = iter(arrays)
    stats = benchmark_function(lambda: double(next(sizes)), num_iterations=4, warmup=2)
    assert stats["compiled_iterations"] == [0, 1, 2, 3]
    assert stats["compilations"] == 4
    assert "4 of 4 timed iterations compiled 4 program(s)" in capsys.readouterr().out
    steady = benchmark_function(double, arrays[0], num_iterations=4, warmup=1)
    assert steady["compilations"] == 0 and steady["notes"] == []


def test_one_compilation_is_told_apart() -> None:
    triple = jax.jit(lambda x: x * 3.5)
    stats = benchmark_function(
        triple, np.ones(31, np.float32), num_iterations=4, warmup=0, print_result=False
    )
    assert stats["compiled_iterations"] == [0]
    assert "1 of 4 timed iterations" in stats["notes"][0] and "the others take" in stats["notes"][0]


def test_nothing_returned_is_said() -> None:
    stats = benchmark_function(lambda: None, num_iterations=2, print_result=False)
    assert "returns nothing" in stats["notes"][0]


def test_exception_of_the_function_is_the_users(tmp_path: Path) -> None:
    class Mine(Exception):
        pass

    def fail() -> None:
        raise Mine("lost")

    path = tmp_path / "out" / "failed.json"
    with pytest.raises(Mine, match=r"^lost$"):
        benchmark_function(fail, name="fail", json_path=path)
    record = json.loads(path.read_text())
    assert record["success"] is False
    assert record["error"] == "Mine: lost"
    assert record["execution_time"] is None and record["tensorboard_trace"] is None
    assert "failed: Mine: lost" in BenchmarkResult.failed("fail", Mine("lost")).summary()


def test_donated_arguments_are_explained() -> None:
    consume = jax.jit(lambda x: x + 1, donate_argnums=0)
    with pytest.raises((RuntimeError, ValueError)) as caught:
        benchmark_function(consume, jnp.ones(8), warmup=2)
    assert any("donate_argnums" in note for note in caught.value.__notes__)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"num_iterations": 0}, ValueError, "num_iterations must be at least 1"),
        ({"warmup": -1}, ValueError, "warmup must be 0 or more"),
        ({"fn": 3.5}, TypeError, "expects a function"),
    ],
)
def test_impossible_arguments(arguments: dict, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        benchmark_function(**({"fn": lambda: 1} | arguments))


def test_coroutine_functions_are_refused() -> None:
    async def later() -> None:
        pass

    with pytest.raises(TypeError, match="coroutine or generator"):
        benchmark_function(later)


def test_json_keys(tmp_path: Path) -> None:
    stats = benchmark_function(lambda: 1, num_iterations=4, print_result=False)
    path = tmp_path / "deep" / "result.json"
    assert json.loads(stats.to_json(path)) == json.loads(path.read_text())
    record = json.loads(path.read_text())
    assert record["execution_time"] == stats["mean"]
    assert record["execution_time_unit"] == "ms"
    assert record["execution_time_seconds"] == pytest.approx(stats["mean"] / 1e3)
    guide = (Path(__file__).parents[2] / "docs" / "guides" / "benchmark-function.md").read_text("utf-8")
    undocumented = {key for key in record if f"`{key}`" not in guide}
    assert undocumented <= {"name"}, "arguments are described apart"
    assert record["success"] is True and record["error"] is None
    assert record["tensorboard_trace"] is None


def test_trace_of_further_calls(tmp_path: Path, work: Any) -> None:
    calls = []

    def counted() -> Any:
        calls.append(1)
        return work()

    stats = benchmark_function(
        counted, num_iterations=3, warmup=1, name="sine", trace_dir=tmp_path / "traces"
    )
    assert len(calls) == 1 + 3 + 5 and len(stats["samples"]) == 3
    assert stats["tensorboard_trace"] == str(tmp_path / "traces")
    profile = captures.only_profile(tmp_path / "traces")
    assert stats["trace_session"] == str(profile.parent)
    assert captures.event_names(profile)["sine"] == 5
    assert captures.manifest_of(profile)["step_end"] == 5


def test_a_trace_that_cannot_be_taken_leaves_the_figures(tmp_path: Path, work: Any) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    stats = benchmark_function(
        work, num_iterations=3, trace_dir=blocked / "traces", print_result=False
    )
    assert stats["success"] and stats["mean"] > 0
    assert stats["tensorboard_trace"] is None
    assert "no trace was captured" in stats["notes"][0]


def test_inside_a_capture_there_is_no_second_one(tmp_path: Path, work: Any) -> None:
    with stepscope.profile_trace(tmp_path / "outer") as outer:
        stats = benchmark_function(
            work, num_iterations=2, trace_dir=tmp_path / "inner", print_result=False
        )
        outer.block(work())
    assert "a capture was running" in stats["notes"][0]
    assert "another capture is running" in stats["notes"][1]
    assert stats["tensorboard_trace"] is None
    assert not (tmp_path / "inner").exists()


def test_interval_covers_the_true_mean_as_often_as_it_says() -> None:
    """Of 200 samples of a skewed distribution, about 95 % of intervals contain its mean."""
    generator = np.random.default_rng(5)
    hits = 0
    for _ in range(200):
        sample = generator.gamma(4.0, 0.5, size=60).tolist()
        low, high = _statistics.bootstrap_interval(sample, 0.95, seed=0)
        hits += low <= 2.0 <= high
    assert 175 <= hits <= 199


def test_interval_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [5.0 + math.sin(index * 1.7) for index in range(80)]
    with_numpy = _statistics.bootstrap_interval(values, 0.95, seed=0)
    monkeypatch.setitem(sys.modules, "numpy", None)  # an import of it fails
    without = _statistics.bootstrap_interval(values, 0.95, seed=0)
    assert without == _statistics.bootstrap_interval(values, 0.95, seed=0), "seeded"
    assert without == pytest.approx(with_numpy, abs=0.05)
    assert without != with_numpy


def test_a_single_value_has_no_spread() -> None:
    stats = benchmark_function(lambda: 1, num_iterations=1, print_result=False)
    assert stats["std"] == 0.0
    assert stats["confidence_interval"] == [stats["mean"], stats["mean"]]


def test_ascii_terminals() -> None:
    """If the terminal has no plus-minus sign, the output is spelled out instead of failing."""
    code = "import stepscope; stepscope.benchmark_function(lambda: 1, num_iterations=2, name='n')"
    folder = str(Path(stepscope.__file__).parent.parent)
    finished = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": folder, "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert " +/- " in finished.stdout.splitlines()[0]


def test_jax_is_not_imported_for_plain_functions() -> None:
    code = (
        "import sys, stepscope; stats = stepscope.benchmark_function(sum, [1, 2]);"
        "assert 'jax' not in sys.modules; assert stats['compilations'] == 0"
    )
    folder = str(Path(stepscope.__file__).parent.parent)
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": folder}, check=True)


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0.00002, "20.0 ns"),
        (0.00412, "4.12 us"),
        (0.9999, "1000 us"),
        (1.5, "1.50 ms"),
        (145.2, "145 ms"),
        (2500.0, "2.50 s"),
    ],
)
def test_durations_have_a_unit_that_suits(milliseconds: float, text: str) -> None:
    assert benchmark_module._duration(milliseconds) == text


def test_results_are_carried_over_to_donated_arguments() -> None:
    import jax
    import jax.numpy as jnp

    @functools.partial(jax.jit, donate_argnums=0)
    def step(state: Any, batch: Any) -> tuple[Any, Any]:
        return state + batch, batch.sum()

    stats = benchmark_function(
        step, jnp.zeros(8), jnp.ones(8), num_iterations=5, warmup=2, carry=1, print_result=False
    )
    assert stats["iterations"] == 5
    assert stats["success"]
    with pytest.raises((RuntimeError, ValueError), match="delete|donated") as caught:
        benchmark_function(step, jnp.zeros(8), jnp.ones(8), num_iterations=2, print_result=False)
    assert "carry=1" in "".join(getattr(caught.value, "__notes__", []))


def test_what_is_carried_over() -> None:
    seen: list[tuple[int, ...]] = []

    def function(a: int, b: int, c: int = 0) -> tuple[int, int, str]:
        seen.append((a, b, c))
        return a + 1, b + 10, "metrics"

    def times(carry: Any) -> list[tuple[int, ...]]:
        seen.clear()
        benchmark_function(
            function, 1, 1, num_iterations=2, warmup=1, carry=carry, print_result=False, c=5
        )
        return list(seen)

    assert times(0) == [(1, 1, 5)] * 3
    assert times(1) == [(1, 1, 5), (2, 1, 5), (3, 1, 5)]
    assert times(2) == [(1, 1, 5), (2, 11, 5), (3, 21, 5)]
    assert times(lambda result, args: (args[1], result[0])) == [(1, 1, 5), (1, 2, 5), (2, 2, 5)]
    with pytest.raises(ValueError, match="carry is 3, but the function is called with 2"):
        times(3)
    with pytest.raises(ValueError, match="returns 1 results"):
        benchmark_function(lambda a, b: a, 1, 2, carry=2, print_result=False)


def test_a_misspelt_keyword_of_a_benchmark() -> None:
    with pytest.raises(TypeError, match="Did you mean 'num_iterations'"):
        benchmark_function(lambda: 1, num_iteration=3)
    with pytest.raises(TypeError, match="Did you mean 'batch'"):
        benchmark_function(lambda batch: 1, bacth=3)
