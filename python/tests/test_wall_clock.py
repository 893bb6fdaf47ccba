"""`WallClock`: what is timed, printed, and kept."""

from __future__ import annotations

import json
import time
import timeit
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from stepscope import WallClock


def run_clock(**options: Any) -> tuple[WallClock, list[str]]:
    """Two epochs of three steps of 10 ms and an evaluation of 20 ms, with all lines printed."""
    lines: list[str] = []
    clock = WallClock(
        {"update": "adam", "lr": 0.001},
        epochs=2,
        steps_per_epoch=3,
        print_every=2,
        print_line=lines.append,
        **options,
    )
    clock.begin()
    for epoch in clock.training():
        for step in range(3):
            time.sleep(0.01)
            epoch.step(jnp.float32(step + epoch.index))
    with clock.evaluation() as evaluation:
        time.sleep(0.02)
        evaluation["accuracy"] = jnp.float32(0.5)
    clock.end()
    return clock, lines


def test_times_and_losses() -> None:
    clock, _ = run_clock()
    report = clock.to_dict()
    first, second = report["epochs"]
    assert first["seconds"] >= 0.03 and second["seconds"] >= 0.03
    assert (first["steps"], first["loss"]) == (3, pytest.approx(1.0))
    assert (second["epoch"], second["loss"]) == (2, pytest.approx(2.0))
    assert report["training_seconds"] >= first["seconds"] + second["seconds"]
    assert report["evaluation_seconds"] >= 0.02
    assert report["evaluations"][0]["results"] == {"accuracy": 0.5}
    parts = report["training_seconds"] + report["evaluation_seconds"]
    assert report["total_seconds"] >= parts
    assert report["configuration"] == {"update": "adam", "lr": 0.001}


def test_words_without_a_profile() -> None:
    clock, lines = run_clock()
    assert lines[:3] == [
        "update adam, lr 0.001",
        "profiling: off",
        "starting training: 2 epoch(s)",
    ]
    assert lines[3] == "epoch 1/2, step 1/3, loss 0.0000"
    assert lines[4] == "epoch 1/2, step 2/3, loss 1.0000"
    assert lines[5].startswith("epoch 1/2: loss 1.0000, 0.")
    assert lines[-4].startswith("training took ")
    assert lines[-3] == "starting evaluation"
    assert lines[-2].startswith("evaluation took ") and lines[-2].endswith("accuracy 0.5000")
    assert lines[-1] == clock.report()
    assert "profiling         off" in lines[-1]


def test_words_with_a_profile(tmp_path: Path) -> None:
    folder = tmp_path / "my profiles"
    clock, lines = run_clock(profile_dir=folder)
    assert lines[1] == f"profiling: on, captures go to {folder}"
    assert lines[2] == f"  to view: stepscope view '{folder}'"
    assert lines[3] == f"  or: tensorboard --logdir='{folder}'"
    assert "profiling         on" in clock.report() and str(folder) in clock.report()
    assert clock.to_dict()["profiling"] is True


def test_an_epoch_lasts_until_its_work_is_done() -> None:
    matrix = jnp.full((500, 500), 1e-3)

    @jax.jit
    def heavy(x: jax.Array) -> jax.Array:
        return jax.lax.fori_loop(0, 20, lambda _, y: y @ x, x).sum()

    def run() -> None:
        heavy(matrix).block_until_ready()

    run()
    least_seconds = min(timeit.repeat(run, number=1, repeat=5)) / 4
    clock = WallClock(print_every=0, print_line=lambda _: None)
    for epoch in clock.training():
        epoch.step(heavy(matrix))
    assert clock.epoch_records[0]["seconds"] > least_seconds


def test_an_epoch_cut_short_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    clock = WallClock(epochs=3)
    with pytest.raises(KeyError):
        for epoch in clock.training():
            epoch.step(1.0)
            if epoch.index == 1:
                raise KeyError("the user's")
    complete = [record["complete"] for record in clock.to_dict()["epochs"]]
    assert complete == [True, False]
    assert "not finished" in clock.report()
    assert "training took" in capsys.readouterr().out
    assert clock.to_dict()["evaluation_seconds"] is None


def test_long_epochs_add_up_all_losses() -> None:
    clock = WallClock(print_every=0, print_line=lambda _: None)
    for epoch in clock.training():
        for value in range(2001):
            epoch.step(float(value))
    assert clock.epoch_records[0]["loss"] == pytest.approx(1000.0)
    assert clock.epoch_records[0]["steps"] == 2001


def test_json_is_strict(tmp_path: Path) -> None:
    clock = WallClock({"folder": tmp_path}, print_line=lambda _: None, print_every=0)
    clock.begin()
    for epoch in clock.training():
        epoch.step(jnp.float32("nan"))
    clock.end()
    clock.to_json(tmp_path / "out" / "clock.json")

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    text = (tmp_path / "out" / "clock.json").read_text()
    report = json.loads(text, parse_constant=refuse)
    assert report["epochs"][0]["loss"] == "nan"
    assert report["configuration"] == {"folder": str(tmp_path)}


def test_a_loss_for_each_device_is_their_mean(capsys: pytest.CaptureFixture[str]) -> None:
    import jax.numpy as jnp

    clock = WallClock(print_every=1)
    clock.begin()
    for epoch in clock.training():
        epoch.step(jnp.asarray([1.0, 3.0]))
        epoch.step(4.0)
    clock.end()
    assert "step 1, loss 2.0000" in capsys.readouterr().out
    assert clock.to_dict()["epochs"][0]["loss"] == 3.0
