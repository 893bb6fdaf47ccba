"""Trains a small transformer with one of three update rules, and profiles it if asked.

    python examples/main.py --epochs 2 --lr 0.1 --update manifold_muon --profile

A profile goes to `<profile_dir>/<update>_lr<lr>_epochs<n>_seed<seed>`, and the wall-clock report
`wall_clock.json` beside it.
"""

import argparse
from pathlib import Path

from training.loop import Training, add_training_args, train

import stepscope


def main() -> None:
    """Reads the flags, trains, evaluates and reports."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_training_args(parser)
    stepscope.add_profile_args(parser, start_step=10)  # past compilation, within a short run
    args = parser.parse_args()
    training = Training.from_args(args)

    run_directory = Path(args.profile_dir) / stepscope.format_directory(
        "{update}_lr{lr}_epochs{epochs}_seed{seed}",
        update=training.update,
        lr=training.learning_rate,
        epochs=training.epochs,
        seed=training.seed,
    )
    clock = stepscope.WallClock(
        {
            "update": training.update,
            "epochs": training.epochs,
            "lr": training.learning_rate,
            "seed": training.seed,
        },
        epochs=training.epochs,
        steps_per_epoch=training.steps_per_epoch,
        profile_dir=run_directory if args.profile else None,
    )
    clock.begin()
    profiler = stepscope.Profiler(args=args, log_dir=run_directory, name=training.update)
    with profiler:
        train(training, clock, profiler.step)
    with clock.evaluation() as evaluation:
        evaluation.update(training.evaluate())
    clock.end()
    if args.profile:
        clock.to_json(run_directory / "wall_clock.json")
        if not profiler.results:
            print(
                f"no capture: the run has the steps 0..{training.total_steps - 1} and the window "
                f"starts at step {args.profiler_start_step}; see --profiler_start_step"
            )


if __name__ == "__main__":
    main()
