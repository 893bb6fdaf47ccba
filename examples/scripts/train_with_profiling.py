"""Trains as ever, and captures steps when variables of the environment say so.

    python examples/scripts/train_with_profiling.py
    PROFILE_ENABLED=1 PROFILE_START_STEP=20 PROFILE_DURATION=2 PROFILE_DIR=~/profiles \
        python examples/scripts/train_with_profiling.py

All that the loop needs is `with maybe_profile(step)`.
"""

import argparse

import _path  # noqa: F401
from training.loop import Training, add_training_args, train

from stepscope import WallClock, environment_profiler, maybe_profile


def main() -> None:
    """Trains; the only flags are those of training."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_training_args(parser)
    args = parser.parse_args()
    training = Training.from_args(args)
    profiler = environment_profiler()  # None while profiling is off
    clock = WallClock(
        {"update": training.update, "epochs": training.epochs, "lr": training.learning_rate},
        epochs=training.epochs,
        steps_per_epoch=training.steps_per_epoch,
        profile_dir=profiler.settings.log_dir if profiler else None,
    )
    clock.begin()
    train(training, clock, maybe_profile)
    with clock.evaluation() as evaluation:
        evaluation.update(training.evaluate())
    clock.end()


if __name__ == "__main__":
    main()
