"""Runs the gradient benchmark on 1, 2, 4 and 8 devices and says how it scales.

Each count runs in a process of its own, so that JAX starts afresh with the devices it is to use.
Writes `scaling_<YYYYMMDD_HHMMSS>.json`; its keys are explained in examples/README.md. The file
has the name that users know; it is a program, not a test.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from gradient_benchmark import METHODS, SCHEMA_VERSION, add_benchmark_flags

HERE = Path(__file__).resolve().parent
COUNTS = (1, 2, 4, 8)


def run_count(count: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """Runs one benchmark; its results, or both methods as failed with the last line it printed."""
    json_path = arguments.output / f"results_{count}gpu.json"
    json_path.unlink(missing_ok=True)  # of an earlier run
    command = [
        *(sys.executable, str(HERE / f"profile_{count}gpu.py"), f"--json={json_path}"),
        *(f"--qubits={arguments.qubits}", f"--time-steps={arguments.time_steps}"),
        *(f"--iterations={arguments.iterations}", f"--warmup={arguments.warmup}"),
        *(f"--output={arguments.output}", f"--virtual-devices={arguments.virtual_devices}"),
    ]
    print(f"\n=== {count} device(s) ===", flush=True)
    finished = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    sys.stderr.write(finished.stderr)
    if json_path.exists():
        return json.loads(json_path.read_text(encoding="utf-8"))
    lines = finished.stderr.strip().splitlines() or [f"exit status {finished.returncode}"]
    failed = {"execution_time": None, "success": False, "tensorboard_trace": None}
    return {key: failed | {"error": lines[-1]} for key in METHODS}


def scaling_rows(runs: dict[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per method and count: time, speedup over the least count, and efficiency.

    speedup = time on the base count / time; efficiency = speedup * base count / count.
    """
    rows = []
    for key in METHODS:
        times = {count: run[key]["execution_time"] for count, run in runs.items()}
        measured = [count for count in sorted(times) if times[count] is not None]
        for count in sorted(times):
            row = {
                "method": key,
                "device_count": count,
                "execution_time": times[count],
                "execution_time_unit": "ms",
                "base_device_count": measured[0] if measured else None,
                "speedup_ratio": None,
                "efficiency_ratio": None,
            }
            if times[count] is not None:
                speedup = times[measured[0]] / times[count]
                row["speedup_ratio"] = speedup
                row["efficiency_ratio"] = speedup * measured[0] / count
            rows.append(row)
    return rows


def print_table(rows: list[dict[str, Any]], runs: dict[int, dict[str, Any]]) -> None:
    """The scaling as a table, and what it is worth."""
    print(f"\n{'method':20s}{'devices':>9s}{'time (ms)':>12s}{'speedup':>10s}{'efficiency':>12s}")
    for row in rows:
        head = f"{row['method']:20s}{row['device_count']:9d}"
        if row["execution_time"] is None:
            print(f"{head}  failed: {runs[row['device_count']][row['method']]['error']}")
        else:
            print(
                f"{head}{row['execution_time']:12.2f}{row['speedup_ratio']:9.2f}x"
                f"{row['efficiency_ratio']:11.0%}"
            )
    if any(run.get("environment", {}).get("virtual_devices") for run in runs.values()):
        print(
            "Some counts ran on virtual CPU devices, which share the cores of this machine: "
            "read what is communicated, not the speedup."
        )


def main() -> int:
    """Exit status 1 where anything failed."""
    parser = argparse.ArgumentParser(description="Gradient benchmark on 1, 2, 4 and 8 devices")
    add_benchmark_flags(parser)
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS, choices=COUNTS)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    runs = {count: run_count(count, arguments) for count in sorted(set(arguments.counts))}
    rows = scaling_rows(runs)
    report = {
        "schema_version": SCHEMA_VERSION,
        "device_counts": sorted(runs),
        "scaling": rows,
        "runs": {str(count): run for count, run in runs.items()},
    }
    path = arguments.output / f"scaling_{time.strftime('%Y%m%d_%H%M%S')}.json"
    path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print_table(rows, runs)
    print(f"\nscaling: {path}")
    print(f"to look at all traces: stepscope view {arguments.output}")
    print(f"or: tensorboard --logdir={arguments.output}")
    return 0 if all(run[key]["success"] for run in runs.values() for key in METHODS) else 1


if __name__ == "__main__":
    sys.exit(main())
