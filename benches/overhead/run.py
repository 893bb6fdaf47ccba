"""The overhead bench: what the capture API costs while off, while on, and at the end.

    python benches/overhead/run.py                     all of it, some minutes
    python benches/overhead/run.py --json result.json
    python benches/overhead/run.py --quick             does it run at all?

Method and results: docs/overhead.md. The exit status is 4 where a target is missed.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.append(str(HERE.parent.parent / "python"))  # where the package is not installed

import disabled  # noqa: E402
import enabled  # noqa: E402

STEP_RATIO_LIMIT = 1.01
STOP_RATIO_LIMIT = 0.5


def machine() -> dict[str, Any]:
    """Where the figures come from."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        pass
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "load_at_start": round(os.getloadavg()[0], 2),
        "system": platform.system(),
        "python": platform.python_version(),
        "jax": metadata.version("jax"),
        "jaxlib": metadata.version("jaxlib"),
    }


def figure(description: dict[str, Any], factor: float = 1.0, digits: int = 2) -> str:
    """A median with its quartiles."""
    low, high = (value * factor for value in description["quartiles"])
    return f"{description['median'] * factor:.{digits}f} [{low:.{digits}f}-{high:.{digits}f}]"


def verdict(is_met: bool | None) -> str:
    """How a target fared, for a table."""
    return "" if is_met is None else "met" if is_met else "missed"


def print_disabled(rows: dict[str, dict]) -> list[bool]:
    """The table of what is off; one truth per target."""
    print("\n**Nothing is captured**, ns per use, median [quartiles]\n")
    print("| use | ns | least | ratio to the raw call of JAX | limit | |")
    print("|---|---|---|---|---|---|")
    for name, row in rows.items():
        ratio = f"{figure(row['ratio'])} x {row['held_against']}" if row["ratio"] else ""
        limit = f"{row['limit_nanoseconds']:.0f}" if row["limit_nanoseconds"] else ""
        print(
            f"| {name} | {figure(row['nanoseconds'], digits=0)} | {row['least_nanoseconds']:.0f} "
            f"| {ratio} | {limit} | {verdict(row['meets_limit'])} |"
        )
    return [row["meets_limit"] for row in rows.values() if row["meets_limit"] is not None]


def print_enabled(rows: dict[str, dict]) -> list[bool]:
    """The tables of what is on; one truth per target."""
    targets = []
    print("\n**While capturing**, step time, median [quartiles]\n")
    print("| model | without, to jax.profiler | without, to stepscope | stepscope / jax.profiler "
          "(95 % of the median) | at most 1.01 |")
    print("|---|---|---|---|---|")
    for name, row in rows.items():
        slowdown, ratio = row["slowdown_ratio"], row["step_ratio"]
        low, high = ratio["median_interval"]
        targets.append(ratio["median"] <= STEP_RATIO_LIMIT)
        print(
            f"| {name} | x {figure(slowdown['jax.profiler'])} | x {figure(slowdown['stepscope'])} "
            f"| {figure(ratio, digits=3)} ({low:.3f}-{high:.3f}) | {verdict(targets[-1])} |"
        )
    print("\n**At the end**, the program stands still, ms, median [quartiles]\n")
    print("| model | steps | jax.profiler | stepscope | ratio | at most 0.5 |")
    print("|---|---|---|---|---|---|")
    for name, row in rows.items():
        stop, ratio = row["stop_seconds"], row["stop_ratio"]
        targets.append(ratio["median"] <= STOP_RATIO_LIMIT)
        print(
            f"| {name} | {row['steps_per_session']} | {figure(stop['jax.profiler'], 1e3, 0)} "
            f"| {figure(stop['stepscope'], 1e3, 0)} | {figure(ratio)} | {verdict(targets[-1])} |"
        )
    return targets


def main() -> int:
    """Measures, prints, writes; 0 where every target is met, 4 otherwise."""
    parser = argparse.ArgumentParser(description="What the capture API costs, in ratios")
    parser.add_argument("--rounds", type=int, default=15, help="pairs of sessions (15)")
    parser.add_argument("--json", type=Path, help="write every figure here")
    parser.add_argument("--quick", action="store_true", help="few steps and rounds; no verdict")
    arguments = parser.parse_args()
    rounds = 3 if arguments.quick else arguments.rounds
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    with tempfile.TemporaryDirectory() as folder:
        off = disabled.measure(folder, rounds)
    targets = print_disabled(off)
    on = enabled.measure(rounds, shrink=20 if arguments.quick else 1)
    targets += print_enabled(on)
    if arguments.json:
        report = {"machine": about, "rounds": rounds, "disabled": off, "enabled": on}
        arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(f"\n{sum(targets)} of {len(targets)} targets met")
    return 0 if arguments.quick or all(targets) else 4


if __name__ == "__main__":
    sys.exit(main())
