"""Which program makes a step of an unmodified program, and from when on that is settled."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jax.numpy as jnp
import pytest

from stepscope import _compilations
from stepscope.program_runs import RUNS_WATCHED, ProgramRuns


class Listener:
    """Notes what it is told; records from `record_from` on for `record_steps` steps."""

    def __init__(self, record_from: int = 10**9, record_steps: int = 5) -> None:
        self.told: list[Any] = []
        self.record = range(record_from, record_from + record_steps)
        self.is_recording = False

    def began(self, step: int) -> None:
        self.is_recording = step in self.record
        self.told.append(step)

    def ended(self, outputs: Any) -> None:
        pass

    def changed(self) -> None:
        assert not self.is_recording
        self.told.append("changed")


class Loop:
    """Runs programs as jax does: the first run of each compiles it and is not seen by the hook."""

    def __init__(self, listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
        self.runs = ProgramRuns(listener)
        self.compiled: set[str] = set()
        self.programs: dict[str, Any] = {}
        monkeypatch.setattr(_compilations, "count", lambda: len(self.compiled))

    def run(self, name: str, arguments: tuple[Any, ...], outputs: Any) -> Any:
        program = self.programs.setdefault(name, SimpleNamespace(__name__=name, __module__="user"))
        if name in self.compiled:
            self.runs.ran(program, arguments, {}, outputs)
        self.compiled.add(name)
        return outputs


Make = Callable[[Listener], Loop]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Make:
    return lambda listener: Loop(listener, monkeypatch)


def accumulate(loop: Loop, micro_batches: int, steps: int) -> None:
    """Gradients of micro-batches, added up, and one update that returns parameters and momentum."""
    parameters, momentum = jnp.ones(8), jnp.ones(8)
    for _ in range(steps):
        total = None
        for _ in range(micro_batches):
            gradients = loop.run("loss", (parameters,), jnp.ones(8))
            if total is None:
                total = gradients
            else:
                total = loop.run("add", (total, gradients), jnp.ones(8))
        arguments = (parameters, momentum, total)
        parameters, momentum = loop.run("apply", arguments, (jnp.ones(8), jnp.ones(8)))


def test_a_training_step_is_settled_at_its_third_run(make: Make) -> None:
    listener = Listener()
    loop = make(listener)
    state = jnp.ones(8)
    for step in range(12):
        state = loop.run("train_step", (state, 0), jnp.ones(8))
        if step in (0, 6):  # compiled while the loop is under way
            loop.run(f"evaluate{step}", (state,), jnp.ones(()))
    assert loop.runs.name == "train_step"
    assert listener.told == list(range(3, 13))


@pytest.mark.parametrize("micro_batches", [2, 3, 4, 8, 16])
def test_micro_batches_are_not_steps(make: Make, micro_batches: int) -> None:
    """Twenty runs of `loss`, where captures begin by default, are not reached with it."""
    listener = Listener(record_from=20)
    loop = make(listener)
    accumulate(loop, micro_batches, 30)
    assert loop.runs.name == "apply"
    before = listener.told
    if "changed" in before:
        assert max(before[: before.index("changed")], default=0) < 20
        before = before[before.index("changed") + 1 :]
    assert before == list(range(3, 31))


def test_a_capture_of_micro_batches_is_not_interrupted(make: Make) -> None:
    """More of them than the steps before a capture: it ends, and then steps are counted anew."""
    listener = Listener(record_from=20, record_steps=100)
    loop = make(listener)
    accumulate(loop, 30, 30)
    at = listener.told.index("changed")
    assert set(range(20, 120)) <= set(listener.told[:at])
    assert listener.told[at + 1 :] == list(range(4, 31))


def test_a_program_without_state_waits_until_the_loop_began_anew_twice(make: Make) -> None:
    listener = Listener()
    loop = make(listener)
    for step in range(100):
        loop.run("predict", (jnp.ones(8),), jnp.ones(8))
        if step == 3:
            loop.run("log", (), jnp.ones(()))
    assert listener.told == [3, 4, *range(13, 101)]


def test_what_compiles_all_the_time_is_settled_nevertheless(make: Make) -> None:
    listener = Listener()
    loop = make(listener)
    for step in range(RUNS_WATCHED + 10):
        loop.run("predict", (jnp.ones(8),), jnp.ones(8))
        loop.run(f"shape{step}", (), jnp.ones(()))
    assert listener.told == list(range(RUNS_WATCHED + 1, RUNS_WATCHED + 11))


def test_a_large_evaluation_does_not_replace_a_training_step(make: Make) -> None:
    listener = Listener()
    loop = make(listener)
    state = jnp.ones(8)
    for _ in range(20):
        state = loop.run("train_step", (state,), jnp.ones(8))
        loop.run("evaluate", (state,), jnp.ones(1000))
    assert loop.runs.name == "train_step"
    assert "changed" not in listener.told
