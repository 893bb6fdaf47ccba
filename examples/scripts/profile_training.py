"""Profiles one part of training on its own.

    python examples/scripts/profile_training.py step         one training step
    python examples/scripts/profile_training.py breakdown    every layer and part, by name
    python examples/scripts/profile_training.py data         the input pipeline
    python examples/scripts/profile_training.py memory       device memory before and after a step
    python examples/scripts/profile_training.py benchmark    times one step, without a profile

Each prints where its capture is and how to look at it.
"""

import argparse
from pathlib import Path

import _path  # noqa: F401
import jax
from training.loop import Training, add_training_args
from training.model import loss_and_accuracy

import stepscope

WARMUP_STEPS = 3


def profile_step(training: Training, log_dir: Path) -> None:
    """One training step, after a few that compile and warm up."""

    @stepscope.profile_function(log_dir, warmup_steps=WARMUP_STEPS, name="train_step")
    def step(tokens, index):
        return training.train_step(tokens, index)

    for index, tokens in zip(range(WARMUP_STEPS + 1), training.batches(0), strict=False):
        loss = step(tokens, index)
    print(f"loss after {WARMUP_STEPS + 1} steps: {float(loss):.4f}")


def profile_breakdown(training: Training, log_dir: Path) -> None:
    """Forward and backward pass, apart, with a scope for every layer."""
    tokens = next(iter(training.batches(0)))
    forward = jax.jit(lambda p, t: loss_and_accuracy(p, t, training.config)[0])
    backward = jax.jit(jax.grad(lambda p, t: loss_and_accuracy(p, t, training.config)[0]))
    jax.block_until_ready(
        (forward(training.parameters, tokens), backward(training.parameters, tokens))
    )
    with stepscope.profile_trace(log_dir, name="model_breakdown") as trace:
        for step in range(3):
            with trace.step(step):
                with stepscope.profile_scope("forward"):
                    jax.block_until_ready(forward(training.parameters, tokens))
                with stepscope.profile_scope("forward_and_backward"):
                    jax.block_until_ready(backward(training.parameters, tokens))


def profile_data(training: Training, log_dir: Path) -> None:
    """Fetching batches, moving them to the device, and computing with them."""
    batches = training.batches(0)
    training.train_step(next(batches), 0).block_until_ready()
    with stepscope.profile_trace(log_dir, name="data_pipeline") as trace:
        for step in range(1, 6):
            with trace.step(step):
                with stepscope.profile_scope("fetch_batch"):
                    tokens = next(batches)
                with stepscope.profile_scope("to_device"):
                    tokens = jax.device_put(tokens).block_until_ready()
                with stepscope.profile_scope("computation"):
                    trace.block(training.train_step(tokens, step)).block_until_ready()


def profile_memory(training: Training, log_dir: Path) -> None:
    """Device memory before and after a step, as pprof files, and a capture between them."""
    log_dir.mkdir(parents=True, exist_ok=True)
    batches = training.batches(0)
    training.train_step(next(batches), 0).block_until_ready()  # compile first, then look
    stepscope.save_memory_profile(log_dir / "before.prof")
    with stepscope.profile_trace(log_dir, name="memory_analysis") as trace, trace.step(1):
        trace.block(training.train_step(next(batches), 1)).block_until_ready()
    stepscope.save_memory_profile(log_dir / "after.prof")
    print(f"memory profiles: {log_dir / 'before.prof'} and {log_dir / 'after.prof'}")


def benchmark_step(training: Training, log_dir: Path) -> None:
    """Times one step; the bound of an assertion in a regression test would go here."""
    tokens = next(iter(training.batches(0)))
    stepscope.benchmark_function(
        lambda: training.train_step(tokens, 0),
        num_iterations=20,
        warmup=WARMUP_STEPS,
        name="train_step",
        json_path=log_dir / "benchmark.json",
    )
    print(f"results: {log_dir / 'benchmark.json'}")


MODES = {
    "step": profile_step,
    "breakdown": profile_breakdown,
    "data": profile_data,
    "memory": profile_memory,
    "benchmark": benchmark_step,
}


def main() -> None:
    """Reads the mode and runs it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mode", nargs="?", choices=MODES, default="step", help="what to profile")
    parser.add_argument("--profile_dir", type=Path, default=Path("profiles"))
    add_training_args(parser)
    args = parser.parse_args()
    MODES[args.mode](Training.from_args(args), args.profile_dir)


if __name__ == "__main__":
    main()
