"""The overhead bench: what the capture API costs while off, while on, and at the end.

    python benches/overhead/run.py                     all of it, some minutes
    python benches/overhead/run.py --json result.json
    python benches/overhead/run.py --quick             only checks that it runs

Method and results: docs/guides/overhead.md. The exit status is 4 if a target is missed.
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
sys.path.append(str(HERE.parent.parent / "python"))  # if the package is not installed

import disabled  # noqa: E402
import enabled  # noqa: E402

ADDED_RATIO_LIMIT = 0.01
STOP_RATIO_LIMIT = 0.5


def machine() -> dict[str, Any]:
    """The machine the figures come from."""
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
    """The outcome of a target, for a table."""
    return {True: "met", False: "missed", None: "undecided"}[is_met]


def at_most(description: dict[str, Any], limit: float) -> bool | None:
    """Whether a ratio is within its limit; None if its interval contains the limit."""
    low, high = description["median_interval"]
    if high <= limit:
        return True
    return False if low > limit else None


def print_disabled(rows: dict[str, dict]) -> list[bool | None]:
    """The table of disabled paths; returns the outcome of each target."""
    targets: list[bool | None] = []
    print("\n**Nothing is captured**, ns per use, median [quartiles]\n")
    print("| use | ns | min | vs. raw JAX call | limit (min) | |")
    print("|---|---|---|---|---|---|")
    for name, row in rows.items():
        ratio = f"{figure(row['ratio'])} x {row['held_against']}" if row["ratio"] else ""
        limit, outcome = "", ""
        if row["limit_nanoseconds"]:
            targets.append(row["meets_limit"])
            limit, outcome = f"{row['limit_nanoseconds']:.0f}", verdict(row["meets_limit"])
        print(
            f"| {name} | {figure(row['nanoseconds'], digits=0)} | {row['least_nanoseconds']:.0f} "
            f"| {ratio} | {limit} | {outcome} |"
        )
    return targets


def print_calls(rows: dict[str, dict]) -> None:
    """The table of what our calls add to a captured step."""
    print("\n**The calls around a captured step**, processor time, us, median [quartiles]\n")
    print("| | jax.profiler | stepscope | added (min) | is 1 % of a step of |")
    print("|---|---|---|---|---|")
    for name, row in rows.items():
        print(
            f"| {name} | {figure(row['jax.profiler'], digits=1)} "
            f"| {figure(row['stepscope'], digits=1)} "
            f"| {row['added_microseconds']:.1f} "
            f"| {row['one_percent_of_milliseconds']:.2f} ms |"
        )


def print_enabled(rows: dict[str, dict], calls: dict[str, dict]) -> list[bool | None]:
    """The tables of active captures; returns the outcome of each target."""
    targets: list[bool | None] = []
    print("\n**While capturing**, step time, median [quartiles]\n")
    print(
        "| model | step, ms | jax.profiler / none | stepscope / none "
        "| stepscope / jax.profiler (95 % of the median) | our calls / step, at most 1 % | |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, row in rows.items():
        slowdown, ratio = row["slowdown_ratio"], row["step_ratio"]
        low, high = ratio["median_interval"]
        step_us = row["plain_step_seconds"]["median"] * 1e6
        row["added_ratio"] = calls[row["tracer"]]["added_microseconds"] / step_us
        targets.append(row["added_ratio"] <= ADDED_RATIO_LIMIT)
        print(
            f"| {name} | {step_us / 1e3:.2f} | {figure(slowdown['jax.profiler'])} "
            f"| {figure(slowdown['stepscope'])} "
            f"| {figure(ratio, digits=3)} ({low:.3f}-{high:.3f}) "
            f"| {row['added_ratio']:.2%} | {verdict(targets[-1])} |"
        )
    print("\n**At the end**, program paused, ms, median [quartiles]\n")
    print("| model | steps | jax.profiler | stepscope | ratio | at most 0.5 |")
    print("|---|---|---|---|---|---|")
    for name, row in rows.items():
        stop, ratio = row["stop_seconds"], row["stop_ratio"]
        targets.append(at_most(ratio, STOP_RATIO_LIMIT))
        print(
            f"| {name} | {row['steps_per_session']} | {figure(stop['jax.profiler'], 1e3, 0)} "
            f"| {figure(stop['stepscope'], 1e3, 0)} | {figure(ratio)} | {verdict(targets[-1])} |"
        )
    return targets


def main() -> int:
    """Measures, prints, writes; returns 4 if a target is missed, otherwise 0."""
    parser = argparse.ArgumentParser(description="What the capture API costs, in ratios")
    parser.add_argument("--rounds", type=int, default=15, help="pairs of long sessions (15)")
    parser.add_argument("--json", type=Path, help="write every figure here")
    parser.add_argument("--quick", action="store_true", help="few steps and rounds; no verdict")
    arguments = parser.parse_args()
    rounds = 3 if arguments.quick else arguments.rounds
    uses = 500 if arguments.quick else 20_000
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    with tempfile.TemporaryDirectory() as folder:
        off = disabled.measure(folder, rounds, uses)
    targets = print_disabled(off)
    calls = {
        words: enabled.calls_alone(levels, rounds, max(100, uses // 20))
        for words, levels in enabled.LEVELS.items()
    }
    print_calls(calls)
    on = {}
    for name, row in enabled.measure(rounds, shrink=20 if arguments.quick else 1):
        print(f"measured: {name}", file=sys.stderr, flush=True)
        on[name] = row
    targets += print_enabled(on, calls)
    about["load_at_end"] = round(os.getloadavg()[0], 2)
    if arguments.json:
        report = {"machine": about, "rounds": rounds}
        report |= {"disabled": off, "calls": calls, "enabled": on}
        arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    met, missed = targets.count(True), targets.count(False)
    undecided = targets.count(None)
    print(f"\nload at the end {about['load_at_end']}; targets: ", end="")
    print(f"{met} met, {missed} missed, {undecided} undecided")
    return 4 if missed and not arguments.quick else 0


if __name__ == "__main__":
    sys.exit(main())
