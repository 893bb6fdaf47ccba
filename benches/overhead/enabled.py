"""What a running capture costs per step, and how long the program is paused at its end.

A session of `jax.profiler` and one of `stepscope.Profiler`, with the same options around the same
steps, form a pair in random order. Blocks of steps without a profiler run before, between, and
after, so that each session has its own baseline.

Because ratios of step times are noisy, the processor time of our calls around an empty step is
measured too; this is all that our session adds on the program's thread.
"""

import gc
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from measure import describe, ratios, take_turns

# Tracer levels: Python, host. The first is JAX's default.
LEVELS = {"python tracer on": (1, 2), "python tracer off": (0, 2)}


class Session(NamedTuple):
    """One session: the median step in seconds, and how long ending it took."""

    step_seconds: float
    stop_seconds: float


def make_step(width: int, layers: int, batch: int) -> Callable[[], Any]:
    """A training step of a small network with its optimizer; each call returns the loss."""
    import jax
    import jax.numpy as jnp

    keys = jax.random.split(jax.random.key(0), layers + 1)
    weights = [jax.random.normal(key, (width, width)) / width**0.5 for key in keys[:-1]]
    averages = [jnp.zeros_like(weight) for weight in weights]
    inputs = jax.random.normal(keys[-1], (batch, width))

    def loss_of(weights: list[jax.Array], inputs: jax.Array) -> jax.Array:
        hidden = inputs
        for weight in weights:
            hidden = jax.nn.relu(hidden @ weight)
        return jnp.mean((hidden - inputs) ** 2)

    @jax.jit
    def update(weights: Any, averages: Any, inputs: jax.Array) -> Any:
        loss, slopes = jax.value_and_grad(loss_of)(weights, inputs)
        averages = [0.9 * a + 0.1 * s for a, s in zip(averages, slopes, strict=True)]
        weights = [w - 1e-3 * a for w, a in zip(weights, averages, strict=True)]
        return weights, averages, loss

    state = [weights, averages]

    def step() -> Any:
        state[0], state[1], loss = update(state[0], state[1], inputs)
        return loss

    for _ in range(20):
        step().block_until_ready()
    return step


def plain_steps(step: Callable[[], Any], count: int) -> float:
    """Steps without a profiler, each waited for; the median in seconds."""
    seconds = []
    for _ in range(count):
        start = time.perf_counter()
        step().block_until_ready()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def jax_session(step: Callable[[], Any], count: int, levels: tuple[int, int]) -> Session:
    """Plain `jax.profiler`, as its documentation shows it."""
    import jax

    options = jax.profiler.ProfileOptions()
    options.python_tracer_level, options.host_tracer_level = levels
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        jax.profiler.start_trace(folder, profiler_options=options)
        for number in range(count):
            start = time.perf_counter()
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                step().block_until_ready()
            seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        jax.profiler.stop_trace()
        stop_seconds = time.perf_counter() - start
        _check(Path(folder))
    return Session(statistics.median(seconds), stop_seconds)


def our_session(step: Callable[[], Any], count: int, levels: tuple[int, int]) -> Session:
    """`stepscope.Profiler` around the same steps; the last `end_step` ends the capture."""
    import stepscope

    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        profiler = stepscope.Profiler(
            num_steps=count,
            log_dir=folder,
            start_step=0,
            quiet=True,
            python_tracer_level=levels[0],
            host_tracer_level=levels[1],
        )
        for number in range(count):
            start = time.perf_counter()
            profiler.begin_step(number)
            loss = step()
            if number == count - 1:
                loss.block_until_ready()
                start = time.perf_counter()
            profiler.end_step(loss)
            seconds.append(time.perf_counter() - start)
        stop_seconds = seconds.pop()
        seconds.pop(0)  # the first begin_step starts the session, as start_trace does outside
        _check(Path(folder))
    return Session(statistics.median(seconds), stop_seconds)


def _check(folder: Path) -> None:
    """Fails if the session left no profile: that would make it cheap."""
    profiles = list(folder.glob("plugins/profile/*/*.xplane.pb"))
    if len(profiles) != 1 or profiles[0].stat().st_size < 1000:
        raise RuntimeError(f"expected one profile in {folder}, found {profiles}")


SESSIONS = {"jax.profiler": jax_session, "stepscope": our_session}


def measure_pairs(step: Callable[[], Any], count: int, levels: tuple[int, int], rounds: int) -> Any:
    """Pairs of sessions with their baselines; the first pair is not counted."""
    generator = random.Random(2)
    steps: dict[str, list[float]] = {name: [] for name in SESSIONS}
    slowdown: dict[str, list[float]] = {name: [] for name in SESSIONS}
    stops: dict[str, list[float]] = {name: [] for name in SESSIONS}
    plain: list[float] = []
    for index in range(rounds + 1):
        order = list(SESSIONS)
        generator.shuffle(order)
        baseline = plain_steps(step, count)
        for name in order:
            gc.collect()
            session = SESSIONS[name](step, count, levels)
            after = plain_steps(step, count)
            if index > 0:
                plain.append((baseline + after) / 2)
                steps[name].append(session.step_seconds)
                slowdown[name].append(session.step_seconds / plain[-1])
                stops[name].append(session.stop_seconds)
            baseline = after
    return {
        "steps_per_session": count,
        "plain_step_seconds": describe(plain),
        "step_seconds": {name: describe(values) for name, values in steps.items()},
        "slowdown_ratio": {name: describe(values) for name, values in slowdown.items()},
        "stop_seconds": {name: describe(values) for name, values in stops.items()},
        "step_ratio": describe(ratios(steps["stepscope"], steps["jax.profiler"])),
        "stop_ratio": describe(ratios(stops["stepscope"], stops["jax.profiler"])),
    }


def calls_alone(levels: tuple[int, int], rounds: int, uses: int) -> dict[str, Any]:
    """Microseconds of processor time per step for the calls around it, while capturing."""
    import jax
    import jax.numpy as jnp

    import stepscope

    ready = jnp.ones(()).block_until_ready()

    def jax_calls() -> float:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level, options.host_tracer_level = levels
        with tempfile.TemporaryDirectory() as folder:
            jax.profiler.start_trace(folder, profiler_options=options)
            start_ns = time.thread_time_ns()
            for number in range(uses):
                with jax.profiler.StepTraceAnnotation("train", step_num=number):
                    ready.block_until_ready()
            elapsed_ns = time.thread_time_ns() - start_ns
            jax.profiler.stop_trace()
        return elapsed_ns / uses / 1e3

    def our_calls() -> float:
        with tempfile.TemporaryDirectory() as folder:
            profiler = stepscope.Profiler(
                num_steps=uses + 2,
                log_dir=folder,
                start_step=0,
                quiet=True,
                python_tracer_level=levels[0],
                host_tracer_level=levels[1],
            )
            profiler.begin_step(0)
            profiler.end_step(ready)
            start_ns = time.thread_time_ns()
            for number in range(1, uses + 1):
                profiler.begin_step(number)
                profiler.end_step(ready)
            elapsed_ns = time.thread_time_ns() - start_ns
            profiler.close()
        return elapsed_ns / uses / 1e3

    figures = take_turns({"jax.profiler": jax_calls, "stepscope": our_calls}, rounds, seed=4)
    added = min(figures["stepscope"]) - min(figures["jax.profiler"])
    return {name: describe(values) for name, values in figures.items()} | {
        "added_microseconds": added,
        # The shortest step of which this is one hundredth.
        "one_percent_of_milliseconds": added / 10,
    }


# Sizes (width, layers, batch), steps per session, and how many pairs for each of the others.
MODELS = {
    "small": ((128, 2, 256), 100, 3),
    "small, long": ((128, 2, 256), 1000, 1),
    "medium": ((512, 4, 128), 50, 1),
}


def measure(rounds: int, shrink: int) -> Iterator[tuple[str, dict]]:
    """Rows by model and tracer level. `shrink` divides the steps, for a quick try."""
    for model, (sizes, count, more) in MODELS.items():
        step = make_step(*sizes)
        for words, levels in LEVELS.items():
            pairs = rounds * more if shrink == 1 else rounds
            row = measure_pairs(step, max(5, count // shrink), levels, pairs)
            yield f"{model}, {words}", row | {"tracer": words}
