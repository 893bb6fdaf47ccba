"""Trains with each update rule in turn, profiles each, and compares them.

    python examples/scripts/profile_optimizers.py --epochs 1 --profile_dir profiles

Each rule gets a process and a directory of its own; `comparison.json` holds all of it.
Flags that are not listed by --help go to examples/main.py as they are.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import _path
from training.optimizers import UPDATE_RULES


def run_update(update: str, profile_dir: Path, flags: list[str]) -> dict | None:
    """Runs one training; its wall-clock report with its directory, or None if it failed."""
    print(f"\n=== profiling {update} ===", flush=True)
    before = set(profile_dir.glob("*/wall_clock.json"))
    stamps = {path: path.stat().st_mtime_ns for path in before}
    command = [sys.executable, str(_path.EXAMPLES / "main.py"), "--profile", *flags]
    command += [f"--update={update}", f"--profile_dir={profile_dir}"]
    if subprocess.run(command, check=False).returncode != 0:
        return None
    written = [
        path
        for path in profile_dir.glob(f"{update}_lr*/wall_clock.json")
        if path.stat().st_mtime_ns != stamps.get(path)
    ]
    report = json.loads(written[0].read_text(encoding="utf-8"))
    return report | {"directory": str(written[0].parent)}


def main() -> int:
    """Exit status 1 where a training failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--updates", nargs="+", choices=UPDATE_RULES, default=list(UPDATE_RULES))
    parser.add_argument("--profile_dir", type=Path, default=Path("profiles"))
    arguments, flags = parser.parse_known_args()
    reports = {
        update: run_update(update, arguments.profile_dir, flags) for update in arguments.updates
    }
    print(f"\n{'update':24s}{'training (s)':>14s}{'loss':>10s}{'accuracy':>10s}  directory")
    for update, report in reports.items():
        if report is None:
            print(f"{update:24s}  failed")
            continue
        result = report["evaluations"][0]["results"]
        print(
            f"{update:24s}{report['training_seconds']:14.2f}{result['loss']:10.4f}"
            f"{result['accuracy']:10.3f}  {report['directory']}"
        )
    arguments.profile_dir.mkdir(parents=True, exist_ok=True)
    path = arguments.profile_dir / "comparison.json"
    path.write_text(json.dumps(reports, indent=2) + "\n", encoding="utf-8")
    print(f"\ncomparison: {path}")
    print(f"to look at all of them: stepscope view {arguments.profile_dir}")
    print(f"or: tensorboard --logdir={arguments.profile_dir}")
    return 0 if all(reports.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
