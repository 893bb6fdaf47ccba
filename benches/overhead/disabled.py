"""What the capture API costs while nothing is captured: nanoseconds per use.

Each contestant is a loop of many uses, timed in processor time of its thread, so that other
programs on the machine matter less. The time of an empty loop in the same round is subtracted. Each
of our calls is compared with the raw JAX call that a user would write instead.

Limits in nanoseconds apply to the minimum over the rounds: anything above it is not caused by the
call itself.
"""

import gc
import os
import time
from collections.abc import Callable

from measure import Figures, describe, ratios, take_turns

# Contestant: the raw JAX call it is compared with, and its limit in nanoseconds. A trigger checks
# every step, so it is not a disabled path and has no limit.
HELD_AGAINST: dict[str, tuple[str, float | None]] = {
    "profile_scope": ("jax TraceAnnotation", 1000.0),
    "maybe_profile, off": ("jax StepTraceAnnotation", 2000.0),
    "maybe_profile, before its window": ("jax StepTraceAnnotation", 2000.0),
    "begin_step + end_step, disabled": ("jax StepTraceAnnotation", 2000.0),
    "begin_step + end_step, before the window": ("jax StepTraceAnnotation", 2000.0),
    "begin_step + end_step, with a trigger": ("jax StepTraceAnnotation", None),
    "end_step of the recorder": ("jax StepTraceAnnotation", 1000.0),
    "end_step of the recorder, with a loss": ("jax StepTraceAnnotation", 1000.0),
}


def contestants(log_dir: str, uses: int) -> dict[str, Callable[[], float]]:
    """Each returns the nanoseconds per use of one loop, the loop itself included."""
    import jax

    import stepscope
    from stepscope import environment

    def timed(body: Callable[[int], None]) -> Callable[[], float]:
        def run() -> float:
            was_enabled = gc.isenabled()
            gc.disable()
            start_ns = time.thread_time_ns()
            body(uses)
            elapsed_ns = time.thread_time_ns() - start_ns
            if was_enabled:
                gc.enable()
            return elapsed_ns / uses

        return run

    def empty(uses: int) -> None:
        for _ in range(uses):
            pass

    def trace_annotation(uses: int) -> None:
        for _ in range(uses):
            with jax.profiler.TraceAnnotation("region"):
                pass

    def step_annotation(uses: int) -> None:
        for step in range(uses):
            with jax.profiler.StepTraceAnnotation("train", step_num=step):
                pass

    def scope(uses: int) -> None:
        for _ in range(uses):
            with stepscope.profile_scope("region"):
                pass

    def maybe(uses: int) -> None:
        for step in range(uses):
            with stepscope.maybe_profile(step):
                pass

    def maybe_with(variables: dict[str, str]) -> Callable[[int], None]:
        def body(uses: int) -> None:
            maybe(uses)

        def prepare() -> None:
            for name in ("PROFILE_ENABLED", "PROFILE_START_STEP", "PROFILE_DIR", "PROFILE_QUIET"):
                os.environ.pop(name, None)
            os.environ.update(variables)
            environment.reload_environment()
            maybe(1)

        body.prepare = prepare
        return body

    def steps_of(profiler: stepscope.Profiler) -> Callable[[int], None]:
        def body(uses: int) -> None:
            for step in range(uses):
                profiler.begin_step(step)
                profiler.end_step()

        return body

    def recorded(uses: int) -> None:
        for step in range(uses):
            recorder.end_step(step)

    def recorded_with_loss(uses: int) -> None:
        for step in range(uses):
            recorder.end_step(step, loss=1.0)

    def profiler(**settings: object) -> stepscope.Profiler:
        return stepscope.Profiler(log_dir=log_dir, quiet=True, **settings)

    # No rule is ever true, so nothing is captured.
    recorder = stepscope.recorder(log_dir, rules=["step_time > 3600s"], quiet=True)
    waiting = {
        "PROFILE_ENABLED": "1",
        "PROFILE_START_STEP": str(10**9),
        "PROFILE_DIR": log_dir,
        "PROFILE_QUIET": "1",
    }
    bodies = {
        "empty loop": empty,
        "jax TraceAnnotation": trace_annotation,
        "jax StepTraceAnnotation": step_annotation,
        "profile_scope": scope,
        "maybe_profile, off": maybe_with({}),
        "maybe_profile, before its window": maybe_with(waiting),
        "begin_step + end_step, disabled": steps_of(profiler(enabled=False)),
        "begin_step + end_step, before the window": steps_of(profiler(start_step=10**9)),
        "begin_step + end_step, with a trigger": steps_of(
            profiler(start_step=-1, trigger="step_time > 1000000 * median")
        ),
        "end_step of the recorder": recorded,
        "end_step of the recorder, with a loss": recorded_with_loss,
    }

    def prepared(body: Callable[[int], None]) -> Callable[[], float]:
        run = timed(body)

        def call() -> float:
            getattr(body, "prepare", lambda: None)()
            return run()

        return call

    return {name: prepared(body) for name, body in bodies.items()}


def measure(log_dir: str, rounds: int, uses: int = 20_000) -> dict[str, dict]:
    """Rows by contestant: nanoseconds without the loop, and the ratio to the raw JAX call."""
    figures: Figures = take_turns(contestants(log_dir, uses), rounds, seed=1)
    empty = figures.pop("empty loop")
    net = {
        name: [value - loop for value, loop in zip(values, empty, strict=True)]
        for name, values in figures.items()
    }
    rows = {}
    for name, values in net.items():
        against, limit_ns = HELD_AGAINST.get(name, (None, None))
        rows[name] = {
            "nanoseconds": describe(values),
            "least_nanoseconds": min(values),
            "held_against": against,
            "ratio": describe(ratios(values, net[against])) if against else None,
            "limit_nanoseconds": limit_ns,
            "meets_limit": None if limit_ns is None else min(values) <= limit_ns,
        }
    return rows
