"""The examples, run like users run them, with short settings; and their mathematics."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import captures
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stepscope

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
sys.path[:0] = [str(EXAMPLES), str(EXAMPLES / "multi_device")]

TINY = ("--config=tiny", "--epochs=1")


def run(script: str, *flags: str, folder: Path, **variables: str) -> subprocess.CompletedProcess:
    """Runs a script in `folder` and returns what it printed; a failure shows its output."""
    package = str(Path(stepscope.__file__).parent.parent)
    environment = {name: text for name, text in os.environ.items() if name != "XLA_FLAGS"}
    environment |= {"JAX_PLATFORMS": "cpu", "PYTHONPATH": package} | variables
    finished = subprocess.run(
        [sys.executable, str(EXAMPLES / script), *flags],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished


def test_batch_over_update_rules(tmp_path: Path) -> None:
    """Every update rule through main.py: layout, report, learning, and output."""
    finished = run(
        "scripts/profile_optimizers.py",
        *TINY,
        "--steps_per_epoch=14",
        "--profile_dir=out",
        folder=tmp_path,
    )
    comparison = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert list(comparison) == ["manifold_muon", "hyperspherical_descent", "adam"]
    for update, lr in (("manifold_muon", 0.1), ("hyperspherical_descent", 0.1), ("adam", 0.003)):
        assert f"=== profiling {update} ===" in finished.stdout
        folder = tmp_path / "out" / f"{update}_lr{lr}_epochs1_seed42"
        profile = captures.only_profile(folder)
        assert re.fullmatch(rf"\d{{4}}(_\d\d){{5}}_\d{{3}}_{update}", profile.parent.name)
        manifest = captures.manifest_of(profile)
        assert (manifest["step_first"], manifest["step_end"]) == (10, 14)
        report = json.loads((folder / "wall_clock.json").read_text())
        assert report["profiling"] is True and report["configuration"]["update"] == update
        assert report["epochs"][0]["steps"] == 14
        result = report["evaluations"][0]["results"]
        assert result["loss_at_best"] < result["loss"] < 2.8, "it has learned something"
        assert comparison[update]["directory"] == str(Path("out") / folder.name)
        assert f"to view: stepscope view out/{folder.name}" in finished.stdout
    assert "to look at all of them: stepscope view out" in finished.stdout


def test_main_without_a_profile(tmp_path: Path) -> None:
    finished = run(
        "main.py",
        *("--config=tiny", "--epochs=2", "--lr=0.002", "--update=adam", "--steps_per_epoch=3"),
        *("--seed=7", "--profile_dir=out"),
        folder=tmp_path,
    )
    lines = finished.stdout.splitlines()
    assert lines[0] == "update adam, epochs 2, lr 0.002, seed 7"
    assert lines[1] == "profiling: off"
    assert any(re.fullmatch(r"epoch 2/2: loss \d\.\d{4}, \d+\.\d\d s", line) for line in lines)
    assert any(line.startswith("  evaluation ") for line in lines)
    assert not (tmp_path / "out").exists()


def test_main_says_when_the_window_lies_beyond_the_run(tmp_path: Path) -> None:
    finished = run(
        *("main.py", *TINY, "--update=adam", "--steps_per_epoch=3"),
        *("--profile", "--profile_dir=out", "--profiler_start_step=150"),
        folder=tmp_path,
    )
    assert "no capture: the run has the steps 0..2" in finished.stdout


def test_profile_training_step(tmp_path: Path) -> None:
    finished = run("scripts/profile_training.py", "step", *TINY, "--update=adam", folder=tmp_path)
    profile = captures.only_profile(tmp_path / "profiles")
    assert captures.manifest_of(profile)["step_first"] == 3
    assert captures.event_names(profile)["train_step"] >= 1
    assert "open it: stepscope view " in finished.stderr


def test_profile_training_memory(tmp_path: Path) -> None:
    run(
        *("scripts/profile_training.py", "memory", *TINY, "--update=adam", "--profile_dir=out"),
        folder=tmp_path,
    )
    for name in ("before.prof", "after.prof"):
        assert (tmp_path / "out" / name).read_bytes()[:2] == b"\x1f\x8b", "gzip"
    manifest = captures.manifest_of(captures.only_profile(tmp_path / "out"))
    assert manifest["name"] == "memory_analysis"


def test_profile_training_breakdown_names_every_layer(tmp_path: Path) -> None:
    run("scripts/profile_training.py", "breakdown", "--batch_size=2", folder=tmp_path)
    profile = captures.only_profile(tmp_path / "profiles")
    names = captures.event_names(profile)
    assert names["forward"] == 3 and names["forward_and_backward"] == 3
    for scope in (b"layer_0/attention", b"layer_1/mlp", b"lm_head"):
        assert scope in profile.read_bytes(), "scopes are part of the names of ops"


def test_train_with_profiling_is_driven_by_variables(tmp_path: Path) -> None:
    finished = run(
        *("scripts/train_with_profiling.py", *TINY, "--update=adam", "--steps_per_epoch=7"),
        folder=tmp_path,
        PROFILE_ENABLED="1",
        PROFILE_START_STEP="4",
        PROFILE_DURATION="2",
        PROFILE_DIR=str(tmp_path / "there"),
    )
    profile = captures.only_profile(tmp_path / "there" / "step_00000004")
    manifest = captures.manifest_of(profile)
    assert (manifest["step_first"], manifest["step_end"]) == (4, 6)
    assert "=" * 60 in finished.stderr
    assert f"captures go to {tmp_path / 'there'}" in finished.stdout


def test_orchestrator_over_all_counts(tmp_path: Path) -> None:
    finished = run(
        "multi_device/test_unified_profiler.py",
        *("--qubits=3", "--time-steps=4", "--iterations=3", "--warmup=1"),
        folder=tmp_path,
    )
    output = tmp_path / "tensorboard_logs"
    (path,) = output.glob("scaling_*.json")
    report = json.loads(path.read_text())
    assert report["device_counts"] == [1, 2, 4, 8]
    assert len(report["scaling"]) == 8
    for row in report["scaling"]:
        run_of_count = report["runs"][str(row["device_count"])]
        base = report["runs"]["1"][row["method"]]["execution_time"]
        assert row["execution_time"] == run_of_count[row["method"]]["execution_time"] > 0
        assert row["speedup_ratio"] == pytest.approx(base / row["execution_time"])
        assert row["efficiency_ratio"] == pytest.approx(row["speedup_ratio"] / row["device_count"])
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    documented = {*report, *report["scaling"][0], *report["runs"]["8"]}
    documented |= set(report["runs"]["8"]["environment"])
    assert {key for key in documented if f"`{key}`" not in readme} == set()
    for count in (1, 2, 4, 8):
        check_count(tmp_path, count, report["runs"][str(count)])
    assert "read what is communicated, not the speedup" in finished.stdout
    assert "to look at all traces: stepscope view tensorboard_logs" in finished.stdout


def check_count(folder: Path, count: int, run_of_count: dict[str, Any]) -> None:
    """One count: its directory, its traces and its entries."""
    environment = run_of_count["environment"]
    assert environment["device_count"] == count
    assert environment["virtual_devices"] is (count > 1)
    directory = folder / environment["directory"]
    assert re.fullmatch(rf"{count}gpu_\d{{8}}_\d{{6}}", directory.name)
    assert json.loads((folder / f"tensorboard_logs/results_{count}gpu.json").read_text())
    for method in ("lcam", "tad"):
        result = run_of_count[f"unitary_grad_{method}"]
        assert result["success"] is True and result["execution_time_unit"] == "ms"
        assert folder / result["tensorboard_trace"] == directory / f"{method}_trace"
        assert result["device"] == ("cpu" if count == 1 else f"cpu x{count}")
        profile = captures.only_profile(directory / f"{method}_trace")
        assert captures.event_names(profile)[f"unitary_grad_{method}"] == 5
        assert result["compilations"] == 0
    assert run_of_count["gradient_difference_ratio"] < 1e-3


def test_runs_of_one_second_have_folders_of_their_own(tmp_path: Path) -> None:
    import gradient_benchmark

    first, second = (gradient_benchmark.run_folder(tmp_path / "runs", 2) for _ in range(2))
    assert first != second and first.is_dir() and second.is_dir()


def test_real_devices_can_be_demanded(tmp_path: Path) -> None:
    finished = subprocess.run(
        [sys.executable, EXAMPLES / "multi_device/profile_8gpu.py", "--virtual-devices=never"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(stepscope.__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 1
    assert "8 device(s) needed, JAX sees no GPU or TPU" in finished.stderr
    assert not (tmp_path / "tensorboard_logs").exists()


def small_problem() -> tuple[Any, ...]:
    """Three qubits, seven steps, and random pulses."""
    import unitary

    system = unitary.chain(3, 7, gate_time=3.0)
    pulses = 0.5 * jax.random.normal(jax.random.key(3), (7, 3))
    states = jnp.eye(8, dtype=jnp.complex64)
    return unitary, system, pulses, states, jnp.asarray(unitary.target_gate(3))


def dense_evolution(system: Any, pulses: np.ndarray) -> np.ndarray:
    """The evolution from matrices over all qubits, without code from the example."""
    flip = np.array([[0, 1], [1, 0]], complex)
    total = np.eye(8, dtype=complex)
    for pulse in pulses:
        half = np.diag(np.asarray(system.half_phases, complex))
        drive = np.eye(8, dtype=complex)
        for qubit, amplitude in enumerate(pulse):
            angle = system.dt * amplitude
            parts = [np.eye(2, dtype=complex)] * 3
            parts[2 - qubit] = np.cos(angle) * np.eye(2) - 1j * np.sin(angle) * flip
            drive = drive @ np.kron(np.kron(parts[0], parts[1]), parts[2])
        total = half @ drive @ half @ total
    return total


def test_evolution_against_dense_matrices() -> None:
    unitary, system, pulses, states, target = small_problem()
    expected = dense_evolution(system, np.asarray(pulses, np.float64))
    for evolve in unitary.EVOLUTIONS.values():
        np.testing.assert_allclose(evolve(system, states, pulses), expected, atol=2e-6)
    own = jnp.asarray(expected, jnp.complex64)
    assert abs(unitary.infidelity("tad", system, pulses, states[None], own[None])) < 1e-5
    identity = np.asarray(target.conj().T @ target)
    np.testing.assert_allclose(identity, np.eye(8), atol=1e-6)


def test_both_gradients_against_differences() -> None:
    unitary, system, pulses, states, target = small_problem()
    slopes = {
        method: np.asarray(
            jax.grad(
                lambda p, m=method: unitary.infidelity(m, system, p, states[None], target[None])
            )(pulses)
        )
        for method in unitary.EVOLUTIONS
    }
    np.testing.assert_allclose(slopes["lcam"], slopes["tad"], atol=1e-5)

    def loss(values: np.ndarray) -> float:
        final = dense_evolution(system, values)
        return 1 - abs((np.asarray(target).conj() * final).sum() / 8) ** 2

    base = np.asarray(pulses, np.float64)
    for index in [(0, 0), (3, 1), (6, 2)]:
        shift = np.zeros_like(base)
        shift[index] = 1e-5
        expected = (loss(base + shift) - loss(base - shift)) / 2e-5
        assert slopes["lcam"][index] == pytest.approx(expected, abs=2e-5)


@pytest.mark.parametrize("shape", [(24, 8), (8, 24), (16, 16)])
def test_manifold_muon_stays_on_the_manifold_and_descends(shape: tuple[int, int]) -> None:
    from training import optimizers

    weight = jax.nn.initializers.orthogonal()(jax.random.key(0), shape)
    goal = jax.random.normal(jax.random.key(1), shape)
    distance = lambda w: ((w - goal) ** 2).sum()  # noqa: E731
    before = distance(weight)
    step = jax.jit(lambda w: optimizers.manifold_muon_step(w, jax.grad(distance)(w), 0.05))
    for _ in range(15):
        weight = step(weight)
    gram = weight.T @ weight if shape[0] >= shape[1] else weight @ weight.T
    np.testing.assert_allclose(gram, np.eye(min(shape)), atol=1e-4)
    assert distance(weight) < before


def test_matrix_sign_against_singular_values() -> None:
    from training import optimizers

    matrix = np.random.default_rng(2).normal(size=(20, 7))
    left, _, right = np.linalg.svd(matrix, full_matrices=False)
    np.testing.assert_allclose(optimizers.matrix_sign(jnp.asarray(matrix)), left @ right, atol=1e-4)


def test_hyperspherical_step_keeps_the_norm_and_descends() -> None:
    from training import optimizers

    weight = 3 * jax.random.normal(jax.random.key(0), (6, 5))
    gradient = jax.random.normal(jax.random.key(1), (6, 5))
    moved = optimizers.hyperspherical_step(weight, gradient, 0.01)
    assert jnp.linalg.norm(moved) == pytest.approx(float(jnp.linalg.norm(weight)), rel=1e-5)
    assert jnp.vdot(gradient, moved - weight) < 0


def test_adam_against_its_formula() -> None:
    from training.optimizers import UPDATE_RULES

    rule = UPDATE_RULES["adam"]
    weight = {"w": jnp.asarray([[1.0, -2.0]])}
    state = rule.initial_state(weight)
    first, second, expected = 0.0, 0.0, np.asarray([[1.0, -2.0]])
    for count, slope in enumerate([[[0.5, -1.0]], [[0.25, 3.0]]], start=1):
        gradient = np.asarray(slope)
        weight, state = rule.update(weight, {"w": jnp.asarray(gradient)}, state, 0.1)
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        expected = expected - 0.1 * (first / (1 - 0.9**count)) / (
            np.sqrt(second / (1 - 0.999**count)) + 1e-8
        )
    np.testing.assert_allclose(weight["w"], expected, rtol=1e-4)


def test_the_language_has_the_entropy_it_says() -> None:
    from training.data import Language

    language = Language(16, seed=1)
    (tokens,) = language.batches(1, 400, 60, stream=0)
    pairs = np.zeros((16, 16))
    np.add.at(pairs, (tokens[:, :-1].ravel(), tokens[:, 1:].ravel()), 1)
    shares = pairs / pairs.sum(axis=1, keepdims=True)
    logs = np.log(np.where(shares > 0, shares, 1.0))
    measured = -(pairs * logs).sum() / pairs.sum()
    assert measured == pytest.approx(language.entropy_nats, rel=0.02)
