"""Hooks for other libraries, with these libraries, if installed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import captures
import pytest

import stepscope
from stepscope import Profiler

Work = Callable[[], Any]


def steps_of(profiler: Profiler) -> list[list[int]]:
    return [[record.step for record in result.steps] for result in profiler.results]


def test_nothing_is_imported_for_them() -> None:
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, stepscope\n"
            "stepscope.KerasCallback, stepscope.LightningCallback, stepscope.profiled_steps\n"
            "print([name for name in ('jax', 'keras', 'flax', 'lightning') if name in sys.modules])",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout == "[]\n", ended.stderr


def test_keras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    keras = pytest.importorskip("keras")
    import numpy as np

    model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
    model.compile(optimizer="adam", loss="mse")
    x, y = np.ones((64, 4), "float32"), np.ones((64, 1), "float32")
    callback = stepscope.KerasCallback(Profiler(num_steps=3, start_step=6))
    history = model.fit(x, y, batch_size=16, epochs=3, verbose=0, callbacks=[callback])
    assert len(history.history["loss"]) == 3
    assert steps_of(callback.profiler) == [[6, 7, 8]]
    assert captures.event_names(captures.only_profile(tmp_path))["train"] == 3
    model.evaluate(x, y, verbose=0, callbacks=[callback])
    # A window that `fit` ends early is kept, and the next `fit` continues counting.
    callback = stepscope.KerasCallback(Profiler(num_steps=3, start_step=2, interval=4))
    model.fit(x, y, batch_size=16, epochs=1, verbose=0, callbacks=[callback])
    model.fit(x, y, batch_size=16, epochs=1, verbose=0, callbacks=[callback])
    assert steps_of(callback.profiler) == [[2, 3], [6, 7]]


def test_flax_nnx(tmp_path: Path) -> None:
    nnx = pytest.importorskip("flax.nnx")
    optax = pytest.importorskip("optax")
    import jax.numpy as jnp

    model = nnx.Linear(4, 1, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)

    @nnx.jit
    def train_step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
        def loss_of(model: Any) -> Any:
            return ((model(x) - y) ** 2).mean()

        loss, gradients = nnx.value_and_grad(loss_of)(model)
        optimizer.update(model, gradients)
        return loss

    profiler = Profiler(num_steps=2, start_step=3)
    step = stepscope.profiled_steps(train_step, profiler)
    x, y = jnp.ones((8, 4)), jnp.zeros((8, 1))
    losses = [float(step(model, optimizer, x, y)) for _ in range(8)]
    assert losses == sorted(losses, reverse=True)
    assert steps_of(profiler) == [[3, 4]]
    assert step.profiler is profiler  # type: ignore[attr-defined]
    profile = captures.only_profile(tmp_path)
    assert captures.event_names(profile)["train"] == 2


def test_a_loop_in_the_manner_of_lightning(work: Work) -> None:
    class Trainer:
        def __init__(self, callbacks: list[Any]) -> None:
            self.callbacks = callbacks
            self.global_step = 0

        def call(self, event: str, *about: Any) -> None:
            for callback in self.callbacks:
                getattr(callback, event)(self, *about)

        def fit(self, module: Any, batches: range) -> None:
            self.call("setup", module, "fit")
            self.call("on_train_start", module)
            try:
                for index in batches:
                    self.call("on_train_batch_start", module, None, index)
                    outputs = module()
                    self.call("on_train_batch_end", module, {"loss": outputs}, None, index)
                    self.global_step += 1
            except ValueError as error:
                self.call("on_exception", module, error)
                raise
            self.call("on_train_end", module)

    callback = stepscope.LightningCallback(Profiler(num_steps=2, start_step=3))
    Trainer([callback]).fit(work, range(10))
    assert steps_of(callback.profiler) == [[3, 4]]

    def broken() -> Any:
        if trainer.global_step == 4:
            raise ValueError("nan")
        return work()

    callback = stepscope.LightningCallback(Profiler(num_steps=5, start_step=3))
    trainer = Trainer([callback])
    with pytest.raises(ValueError, match="nan"):
        trainer.fit(broken, range(10))
    (result,) = callback.profiler.results
    assert (result.success, result.error) == (False, "ValueError: nan")
    with pytest.raises(AttributeError, match="no attribute 'state_dict'"):
        _ = callback.state_dict


def test_a_hook_that_is_called_once_per_step(work: Work) -> None:
    hook = stepscope.StepHook(Profiler(num_steps=2, start_step=3))
    for step in range(8):
        hook(step, step * 0.5)
        work()
    assert steps_of(hook.profiler) == [[3, 4]]
    with pytest.raises(TypeError, match="Did you mean 'profiler'"):
        stepscope.StepHook(profile=hook.profiler)  # type: ignore[call-arg]
