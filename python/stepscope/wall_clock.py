"""Wall-clock report of a training run: total, per epoch, evaluation, and whether it was profiled.

    clock = WallClock({"update": "adam", "lr": 0.001}, epochs=2, profile_dir="profiles")
    clock.begin()
    for epoch in clock.training():
        for batch in batches:
            loss = train_step(batch)
            epoch.step(loss)
    with clock.evaluation() as evaluation:
        evaluation["accuracy"] = evaluate()
    clock.end()

Wall-clock times are what the user waits for: with profiling on they include its overhead.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from . import _arrays
from .whole_files import write_text

__all__ = ["Epoch", "WallClock"]

# Losses stay on the device until then, so that counting a step does not wait for them.
_LOSSES_KEPT = 512


class Epoch:
    """One pass over the data, handed out by `WallClock.training`."""

    def __init__(self, clock: WallClock, index: int, steps: int | None) -> None:
        self.index = index
        self.steps_done = 0
        self.loss: float | None = None
        self._clock = clock
        self._steps = steps
        self._losses: list[Any] = []
        self._loss_sum = 0.0
        self._loss_count = 0

    def step(self, loss: Any = None) -> None:
        """Counts a step. The loss may still be computing: it is only read when printed."""
        self.steps_done += 1
        if loss is not None:
            self._losses.append(loss)
            if len(self._losses) > _LOSSES_KEPT:
                self._add_up(_LOSSES_KEPT // 2)  # old enough to be computed: no wait
        if self._clock.prints_step(self.steps_done):
            of = f"/{self._steps}" if self._steps else ""
            shown = f", loss {_number(loss):.4f}" if loss is not None else ""
            self._clock.say(
                f"epoch {self.index + 1}/{self._clock.epochs}, step {self.steps_done}{of}{shown}"
            )

    def finish(self) -> None:
        """Waits for the losses, so that the epoch's time includes the device work."""
        _arrays.wait(self._losses)
        self._add_up(len(self._losses))
        if self._loss_count:
            self.loss = self._loss_sum / self._loss_count

    def _add_up(self, count: int) -> None:
        self._loss_sum += sum(_number(loss) for loss in self._losses[:count])
        self._loss_count += count
        del self._losses[:count]


def _number(loss: Any) -> float:
    """A loss as a number; the mean, if there is one per device as with `pmap`."""
    return float(loss.mean() if getattr(loss, "ndim", 0) > 0 else loss)


class WallClock:
    """Times a training run and prints progress. All times are wall-clock seconds.

    `configuration` is printed and kept unchanged. `profile_dir` is where captures go, or None if
    the run is not profiled. `print_every` is how often a step is printed: reading a loss waits for
    the device, so a line per step makes a fast loop slower; 0 prints none.
    """

    def __init__(
        self,
        configuration: Mapping[str, Any] | None = None,
        *,
        epochs: int = 1,
        steps_per_epoch: int | None = None,
        profile_dir: str | os.PathLike[str] | None = None,
        print_every: int = 10,
        print_line: Callable[[str], None] | None = None,
    ) -> None:
        self.configuration = dict(configuration or {})
        self.epochs = epochs
        self.steps_per_epoch = steps_per_epoch
        self.profile_dir = None if profile_dir is None else os.fspath(profile_dir)
        self.print_every = print_every
        self.epoch_records: list[dict[str, Any]] = []
        self.evaluation_records: list[dict[str, Any]] = []
        self.training_seconds: float | None = None
        self._print_line = print_line or (lambda text: print(text, flush=True))
        self._begin_seconds = time.perf_counter()
        self.total_seconds: float | None = None

    def begin(self) -> None:
        """Starts the clock of the whole run and prints the plan."""
        self._begin_seconds = time.perf_counter()
        if self.configuration:
            self.say(", ".join(f"{key} {value}" for key, value in self.configuration.items()))
        if self.profile_dir is None:
            self.say("profiling: off")
        else:
            self.say(f"profiling: on, captures go to {self.profile_dir}")
            self.say(f"  to view: stepscope view {shlex.quote(self.profile_dir)}")
            self.say(f"  or: tensorboard --logdir={shlex.quote(self.profile_dir)}")
        self.say(f"starting training: {self.epochs} epoch(s)")

    def training(self) -> Iterator[Epoch]:
        """Yields one `Epoch` after the other, and times each one and their total.

        An epoch that is left early, by `break` or an exception, is recorded up to that point.
        """
        start_seconds = time.perf_counter()
        try:
            for index in range(self.epochs):
                epoch = Epoch(self, index, self.steps_per_epoch)
                epoch_start_seconds = time.perf_counter()
                is_complete = False
                try:
                    yield epoch
                    epoch.finish()
                    is_complete = True
                finally:
                    seconds = time.perf_counter() - epoch_start_seconds
                    self._record_epoch(epoch, seconds, is_complete)
        finally:
            self.training_seconds = time.perf_counter() - start_seconds
            self.say(f"training took {self.training_seconds:.2f} s in total")

    def _record_epoch(self, epoch: Epoch, seconds: float, is_complete: bool) -> None:
        self.epoch_records.append(
            {
                "epoch": epoch.index + 1,
                "seconds": seconds,
                "steps": epoch.steps_done,
                "loss": epoch.loss,
                "complete": is_complete,
            }
        )
        loss = "" if epoch.loss is None else f"loss {epoch.loss:.4f}, "
        end = "" if is_complete else ", not finished"
        self.say(f"epoch {epoch.index + 1}/{self.epochs}: {loss}{seconds:.2f} s{end}")

    @contextmanager
    def evaluation(self, name: str = "evaluation") -> Iterator[dict[str, Any]]:
        """Times an evaluation. Waits for, prints, and keeps the values put into the dictionary."""
        self.say(f"starting {name}")
        results: dict[str, Any] = {}
        start_seconds = time.perf_counter()
        yield results
        _arrays.wait(results)
        seconds = time.perf_counter() - start_seconds
        results = {key: _plain(value) for key, value in results.items()}
        self.evaluation_records.append({"name": name, "seconds": seconds, "results": results})
        shown = "".join(
            f", {key} {value:.4f}" if isinstance(value, float) else f", {key} {value}"
            for key, value in results.items()
        )
        self.say(f"{name} took {seconds:.2f} s{shown}")

    def end(self) -> None:
        """Stops the clock of the run and prints the report."""
        self.total_seconds = time.perf_counter() - self._begin_seconds
        self.say(self.report())

    def report(self) -> str:
        """The wall-clock report in a few lines."""
        lines = ["wall clock"]
        for record in self.epoch_records:
            end = "" if record["complete"] else "  (not finished)"
            lines.append(f"  epoch {record['epoch']:<12d}{record['seconds']:9.2f} s{end}")
        rows = [("training", self.training_seconds)]
        rows += [(record["name"], record["seconds"]) for record in self.evaluation_records]
        rows.append(("total", self.total_seconds))
        lines.extend(f"  {name:<18}{value:9.2f} s" for name, value in rows if value is not None)
        if self.profile_dir is None:
            lines.append("  profiling         off")
        else:
            lines.append("  profiling         on; the times include its overhead")
            lines.append(f"  profiles          {self.profile_dir}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything in the report, times in seconds; null for parts that did not run."""
        return {
            "configuration": {key: _plain(value) for key, value in self.configuration.items()},
            "total_seconds": self.total_seconds,
            "training_seconds": self.training_seconds,
            "epochs": [{**record, "loss": _plain(record["loss"])} for record in self.epoch_records],
            "evaluation_seconds": sum(record["seconds"] for record in self.evaluation_records)
            if self.evaluation_records
            else None,
            "evaluations": list(self.evaluation_records),
            "profiling": self.profile_dir is not None,
            "profile_dir": self.profile_dir,
        }

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report as JSON text; also written to `path` if given."""
        text = json.dumps(self.to_dict(), indent=2) + "\n"
        if path is not None:
            write_text(path, text)
        return text

    def prints_step(self, step: int) -> bool:
        """Whether this step of an epoch, counted from one, gets a line."""
        return self.print_every > 0 and (step == 1 or step % self.print_every == 0)

    def say(self, text: str) -> None:
        """Prints a line the way this clock prints."""
        self._print_line(text)


def _plain(value: Any) -> Any:
    """A value that JSON can hold: finite numbers as numbers, everything else as text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return number if math.isfinite(number) else str(number)
