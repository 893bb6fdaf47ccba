"""Hooks for training loops of other libraries: Keras, Flax, and loops like Lightning's.

None of these libraries is imported here. Each hook drives a `Profiler`, which is `self.profiler`;
the loop itself stays as it is.

```python
model.fit(x, y, callbacks=[stepscope.KerasCallback(Profiler(num_steps=5, start_step=20))])
train_step = stepscope.profiled_steps(train_step, Profiler(num_steps=5))      # Flax NNX, Linen
hooks += [stepscope.StepHook(Profiler(num_steps=5))]                          # hook(step)
trainer = Trainer(callbacks=[stepscope.LightningCallback(Profiler(num_steps=5))])
```
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from .profiler import Profiler
from .signatures import suggests_keywords

P = ParamSpec("P")
R = TypeVar("R")


class KerasCallback:
    """Captures batches of `model.fit`; steps are counted over all epochs.

    Keras requires methods of its callbacks, not a base class, so this one works without Keras
    installed. Results are not passed to callbacks before they are read, so a step ends when its
    batch does; the end of the window waits for all work.
    """

    @suggests_keywords
    def __init__(self, profiler: Profiler | None = None) -> None:
        self.profiler = profiler or Profiler()
        self.model: Any = None
        self.params: dict[str, Any] = {}
        self._step = 0

    def set_model(self, model: Any) -> None:
        """Called by Keras."""
        self.model = model

    def set_params(self, params: dict[str, Any]) -> None:
        """Called by Keras."""
        self.params = params

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A step starts."""
        self.profiler.begin_step(self._step)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """It ends; with Keras' `steps_per_execution` it covers that many batches."""
        self.profiler.end_step(_arrays_only(logs))
        self._step += 1

    def on_train_end(self, logs: Any = None) -> None:
        """The end of `fit`, which ends an open window. Another `fit` continues counting."""
        self.profiler.end_window()

    def __getattr__(self, name: str) -> Any:
        # Keras calls every event of every callback; the others do nothing.
        if name.startswith("on_"):
            return _nothing
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class LightningCallback:
    """Captures batches of a trainer with callbacks like Lightning's.

    `on_train_batch_start(trainer, module, batch, batch_idx)` and `on_train_batch_end(trainer,
    module, outputs, batch, batch_idx)` delimit a step. Its number is `trainer.global_step` if the
    trainer has one.
    """

    @suggests_keywords
    def __init__(self, profiler: Profiler | None = None) -> None:
        self.profiler = profiler or Profiler()
        self._step = 0

    def on_train_batch_start(self, trainer: Any, *about: Any, **more: Any) -> None:
        """A step starts."""
        step = getattr(trainer, "global_step", None)
        self._step = self._step + 1 if step is None else int(step)
        self.profiler.begin_step(self._step)

    def on_train_batch_end(
        self, trainer: Any, module: Any = None, outputs: Any = None, *about: Any, **more: Any
    ) -> None:
        """It ends."""
        self.profiler.end_step(outputs)

    def on_train_end(self, *about: Any, **more: Any) -> None:
        """The end of the training: ends an open window."""
        self.profiler.end_window()

    def on_exception(
        self, trainer: Any = None, module: Any = None, exception: BaseException | None = None
    ) -> None:
        """The training fails with an exception, which ends an open window."""
        self.profiler.end_window(exception)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("on_") or name in ("setup", "teardown"):
            return _nothing
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class StepHook:
    """A hook that is called once per step, `hook(step)`, like the actions of CLU.

    A step lasts from its call to the next one. `hook.profiler.close()` ends the last.
    """

    @suggests_keywords
    def __init__(self, profiler: Profiler | None = None) -> None:
        self.profiler = profiler or Profiler()

    def __call__(self, step: int, *about: Any, **more: Any) -> None:
        self.profiler.end_step()
        self.profiler.begin_step(int(step))


@suggests_keywords
def profiled_steps(
    train_step: Callable[P, R], profiler: Profiler | None = None, *, first_step: int = 0
) -> Callable[P, R]:
    """`train_step` with each call as a step of `profiler`: for `nnx.jit`, `jax.jit` and plain steps.

    What it returns is waited for in captured steps and returned unchanged. A step that changes its
    model and returns nothing (Flax NNX) is waited for at the end of the window, through all arrays
    that the program holds. The profiler is `result.profiler`.
    """
    chosen = profiler or Profiler()
    number = first_step

    @functools.wraps(train_step)
    def step(*arguments: P.args, **keywords: P.kwargs) -> R:
        nonlocal number
        current, number = number, number + 1
        with chosen.step(current) as handle:
            return handle.block(train_step(*arguments, **keywords))

    step.profiler = chosen  # type: ignore[attr-defined]
    return step


def _arrays_only(logs: Any) -> Any:
    """Logs that contain arrays are results to wait for; numbers were already read."""
    values = logs.values() if hasattr(logs, "values") else ()
    arrays = [value for value in values if hasattr(value, "block_until_ready")]
    return arrays or None


def _nothing(*about: Any, **more: Any) -> None:
    return None
