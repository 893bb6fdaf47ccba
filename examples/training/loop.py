"""The training loop that the example scripts share: a jitted step, epochs, an evaluation."""

import argparse
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax

from stepscope import WallClock, profile_scope

from .data import Language
from .model import ModelConfig, initial_parameters, loss_and_accuracy
from .optimizers import UPDATE_RULES

CONFIGS = {
    "default": (ModelConfig(), 16),
    # For a quick look at the output.
    "tiny": (ModelConfig(vocabulary=16, sequence=8, width=16, heads=2, layers=1), 8),
    # Sizes that fill the matrix units of an accelerator.
    "tpu_optimized": (
        ModelConfig(
            vocabulary=512, sequence=128, width=512, heads=4, layers=4, compute_type="bfloat16"
        ),
        64,
    ),
}


def add_training_args(parser: argparse.ArgumentParser) -> None:
    """The flags that every training example takes."""
    parser.add_argument("--epochs", type=int, default=2, help="passes over the data (2)")
    parser.add_argument("--lr", type=float, help="learning rate; default: one that suits")
    parser.add_argument(
        "--update", choices=sorted(UPDATE_RULES), default="manifold_muon", help="update rule"
    )
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--steps_per_epoch", type=int, default=50)
    parser.add_argument("--batch_size", type=int, help="sequences in a batch")
    parser.add_argument("--config", choices=sorted(CONFIGS), default="default", help="sizes")


@dataclass
class Training:
    """Everything that a run needs; `train_step` moves the parameters on and returns the loss."""

    config: ModelConfig
    batch_size: int
    learning_rate: float
    epochs: int
    steps_per_epoch: int
    update: str
    seed: int

    @classmethod
    def from_args(cls, args: argparse.Namespace) -> "Training":
        """The run that the flags describe."""
        config, batch_size = CONFIGS[args.config]
        return cls(
            config=config,
            batch_size=args.batch_size or batch_size,
            learning_rate=args.lr or UPDATE_RULES[args.update].default_learning_rate,
            epochs=args.epochs,
            steps_per_epoch=args.steps_per_epoch,
            update=args.update,
            seed=args.seed,
        )

    def __post_init__(self) -> None:
        self.language = Language(self.config.vocabulary, self.seed)
        rule = UPDATE_RULES[self.update]
        self.parameters = initial_parameters(self.seed, self.config)
        self.state = rule.initial_state(self.parameters)
        self._step = jax.jit(
            functools.partial(_train_step, self.config, rule.update), donate_argnums=(0, 1)
        )
        self._evaluate = jax.jit(functools.partial(loss_and_accuracy, config=self.config))

    @property
    def total_steps(self) -> int:
        """Steps of all epochs."""
        return self.epochs * self.steps_per_epoch

    def batches(self, epoch: int):
        """The batches of one epoch."""
        length = self.config.sequence + 1
        return self.language.batches(self.steps_per_epoch, self.batch_size, length, epoch)

    def train_step(self, tokens: Any, step: int) -> jax.Array:
        """One step; the learning rate falls in a straight line to nothing."""
        rate = self.learning_rate * (1 - step / max(1, self.total_steps))
        self.parameters, self.state, loss = self._step(self.parameters, self.state, tokens, rate)
        return loss

    def evaluate(self, batches: int = 4) -> dict[str, float]:
        """Mean loss and accuracy on text that training does not see."""
        length = self.config.sequence + 1
        figures = [
            self._evaluate(self.parameters, tokens)
            for tokens in self.language.batches(batches, self.batch_size, length, stream=10**6)
        ]
        return {
            "loss": sum(float(loss) for loss, _ in figures) / batches,
            "accuracy": sum(float(accuracy) for _, accuracy in figures) / batches,
            "loss_at_best": self.language.entropy_nats,
        }


def _train_step(config, update: Callable, parameters, state, tokens, rate):
    def loss_of(parameters):
        return loss_and_accuracy(parameters, tokens, config)[0]

    loss, gradients = jax.value_and_grad(loss_of)(parameters)
    with profile_scope("optimizer"):
        parameters, state = update(parameters, gradients, state, rate)
    return parameters, state, loss


def train(training: Training, clock: WallClock, around_step: Callable[[int], Any]) -> None:
    """Runs all epochs. `around_step(step)` is a context manager with `block`, for a profiler."""
    step = 0
    for epoch in clock.training():
        batches = iter(training.batches(epoch.index))
        for _ in range(training.steps_per_epoch):
            with around_step(step) as profile:
                with profile_scope("data_loading"):
                    tokens = next(batches)
                with profile_scope("to_device"):
                    tokens = jax.device_put(tokens)
                loss = profile.block(training.train_step(tokens, step))
            epoch.step(loss)
            step += 1
