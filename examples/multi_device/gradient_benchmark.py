"""Benchmarks two gradients of one gate on n devices: execution time, and a trace of each.

`profile_1gpu.py`, `profile_2gpu.py`, `profile_4gpu.py` and `profile_8gpu.py` call `main` with
their count. Devices are what JAX sees. Where it sees too few GPUs or TPUs, n virtual CPU devices
take their place, and the output says so: they show how work is split and what is communicated,
not how fast n real devices are.

The result is a JSON file; its keys are explained in examples/README.md.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

METHODS = {"unitary_grad_lcam": "lcam", "unitary_grad_tad": "tad"}
METHOD_WORDS = {"lcam": "adjoint method, custom VJP", "tad": "automatic differentiation"}
SCHEMA_VERSION = 1


def parse_arguments(device_count: int) -> argparse.Namespace:
    """The command line of a benchmark on `device_count` devices."""
    parser = argparse.ArgumentParser(description=f"Gradient benchmark on {device_count} device(s)")
    add_benchmark_flags(parser)
    parser.add_argument("--json", type=Path, help="result file; default: in the run's folder")
    return parser.parse_args()


def add_benchmark_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that one benchmark and all of them have in common."""
    parser.add_argument("--qubits", type=int, default=6, help="length of the chain (6)")
    parser.add_argument("--time-steps", type=int, default=200, help="steps of the pulse (200)")
    parser.add_argument("--iterations", type=int, default=10, help="timed calls (10)")
    parser.add_argument("--warmup", type=int, default=2, help="calls before those (2)")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("tensorboard_logs"),
        help="folder for runs (tensorboard_logs)",
    )
    parser.add_argument(
        "--virtual-devices",
        choices=("auto", "always", "never"),
        default="auto",
        help="virtual CPU devices: where real ones do not suffice, always, or never (auto)",
    )


def prepare_environment(device_count: int) -> None:
    """Before JAX is imported: room for virtual CPU devices, and only as many GPUs as are used."""
    flags = os.environ.get("XLA_FLAGS", "")
    if "xla_force_host_platform_device_count" not in flags:
        count = f"--xla_force_host_platform_device_count={device_count}"  # GPUs, TPUs: no effect
        os.environ["XLA_FLAGS"] = f"{flags} {count}".strip()
    visible = [gpu for gpu in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if gpu]
    if len(visible) > device_count:
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(visible[:device_count])


def choose_devices(device_count: int, virtual_devices: str) -> tuple[list[Any], bool]:
    """The devices to use, and whether they are virtual.

    Exits with what to do where there are not enough.
    """
    import jax

    seen = jax.devices()
    is_cpu = seen[0].platform == "cpu"
    if virtual_devices != "always" and not is_cpu and len(seen) >= device_count:
        return seen[:device_count], False
    if virtual_devices == "never" and not (is_cpu and device_count == 1):
        kind = f"{len(seen)} x {seen[0].device_kind}" if not is_cpu else "no GPU or TPU"
        sys.exit(f"{device_count} device(s) needed, JAX sees {kind}; see --virtual-devices")
    cpus = seen if is_cpu else jax.devices("cpu")
    if len(cpus) < device_count:
        sys.exit(
            f"{device_count} virtual CPU devices needed, JAX has {len(cpus)}: "
            f"XLA_FLAGS is {os.environ.get('XLA_FLAGS')!r}"
        )
    return cpus[:device_count], device_count > 1 or not is_cpu


def run_folder(output: Path, device_count: int) -> Path:
    """Makes `<output>/<n>gpu_<YYYYMMDD_HHMMSS>`, with a number where that is taken."""
    base = output / f"{device_count}gpu_{time.strftime('%Y%m%d_%H%M%S')}"
    for attempt in range(1, 1000):
        folder = base if attempt == 1 else base.with_name(f"{base.name}_{attempt}")
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            continue
    sys.exit(f"no free name for a run folder: {base}")


def place_problem(qubits: int, time_steps: int, devices: list[Any]) -> tuple[Any, ...]:
    """The chain, the pulses, the basis states and the target; columns are shared by devices."""
    import jax
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    import unitary

    mesh = Mesh(np.array(devices), ("columns",))
    everywhere = NamedSharding(mesh, PartitionSpec())
    shared = NamedSharding(mesh, PartitionSpec("columns"))
    system = unitary.chain(qubits, time_steps)
    pulses = np.random.default_rng(42).normal(scale=0.5, size=(time_steps, qubits))
    pulses = pulses.astype(np.float32)
    states, target = (
        np.stack(np.split(matrix, len(devices), axis=1))  # [devices, 2^qubits, columns of each]
        for matrix in (np.eye(2**qubits, dtype=np.complex64), unitary.target_gate(qubits))
    )
    system = system._replace(half_phases=jax.device_put(system.half_phases, everywhere))
    pulses = jax.device_put(pulses, everywhere)
    return system, pulses, jax.device_put(states, shared), jax.device_put(target, shared)


def benchmark_methods(arguments: argparse.Namespace, devices: list[Any], folder: Path) -> dict:
    """Times and traces every method; a method that fails is recorded and the others go on."""
    import jax

    import unitary
    from stepscope import BenchmarkResult, benchmark_function

    system, pulses, states, target = place_problem(arguments.qubits, arguments.time_steps, devices)
    results: dict[str, Any] = {}
    gradients = {}
    for key, method in METHODS.items():
        print(f"\n{key} ({METHOD_WORDS[method]})", flush=True)

        def loss(pulses, states, target, method=method):
            return unitary.infidelity(method, system, pulses, states, target)

        try:
            gradient = jax.jit(jax.value_and_grad(loss)).lower(pulses, states, target).compile()
            result = benchmark_function(
                gradient,
                pulses,
                states,
                target,
                num_iterations=arguments.iterations,
                warmup=arguments.warmup,
                name=key,
                trace_dir=folder / f"{method}_trace",
            )
            memory = gradient.memory_analysis()
            result["temporary_bytes_per_device"] = getattr(memory, "temp_size_in_bytes", None)
            value, gradients[method] = jax.device_get(gradient(pulses, states, target))
            result["infidelity"] = float(value)
        except Exception as error:  # the other method still has its say
            result = BenchmarkResult.failed(key, error)
            print(result.summary(), file=sys.stderr)
        results[key] = result
    results["gradient_difference_ratio"] = _difference(gradients)
    return results


def _difference(gradients: dict[str, Any]) -> float | None:
    """The largest difference of the two gradients, as a share of the largest slope."""
    if len(gradients) < 2:
        return None
    lcam, tad = gradients["lcam"], gradients["tad"]
    return float(abs(lcam - tad).max() / abs(tad).max())


def main(device_count: int) -> int:
    """Runs the benchmark and writes its JSON; the exit status is 1 where a method failed."""
    arguments = parse_arguments(device_count)
    if 2**arguments.qubits < device_count:
        sys.exit(f"{arguments.qubits} qubits have fewer states than {device_count} devices")
    prepare_environment(device_count)
    devices, are_virtual = choose_devices(device_count, arguments.virtual_devices)
    kind = devices[0].device_kind
    print(f"{device_count} device(s): {kind} ({devices[0].platform})")
    if are_virtual:
        print(
            f"these are virtual CPU devices, which share {os.cpu_count()} processor core(s): "
            "times do not show how real devices scale"
        )
    folder = run_folder(arguments.output, device_count)
    results = benchmark_methods(arguments, devices, folder)
    results["environment"] = {
        "schema_version": SCHEMA_VERSION,
        "device_count": device_count,
        "platform": devices[0].platform,
        "device_kind": kind,
        "virtual_devices": are_virtual,
        "processor_cores": os.cpu_count(),
        "qubits": arguments.qubits,
        "time_steps": arguments.time_steps,
        "directory": str(folder),
    }
    path = arguments.json or folder / "results.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print_summary(results, path, folder)
    return 0 if all(results[key]["success"] for key in METHODS) else 1


def print_summary(results: dict[str, Any], path: Path, folder: Path) -> None:
    """What came out, where it lies and how to look at it."""
    print("\nsummary")
    for key in METHODS:
        result = results[key]
        if result["success"]:
            print(f"  {key:20s} {result['execution_time']:10.2f} ms  {result['tensorboard_trace']}")
        else:
            print(f"  {key:20s} failed: {result['error']}")
    difference = results["gradient_difference_ratio"]
    if difference is not None:
        print(f"  gradients differ by {difference:.1e} of the largest slope")
    print(f"  results: {path}")
    print(f"  to look at both traces: stepscope view {folder}")
    print(f"  or: tensorboard --logdir={folder}")
