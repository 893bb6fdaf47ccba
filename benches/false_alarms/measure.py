"""Counts false alarms: runs `stepscope compare` on 200 pairs of runs without changes.

usage: python measure.py RUNS_DIR STEPSCOPE [RUNS_JSON]

RUNS_DIR is the output of `record.py`. Half of the pairs are runs of one process, half are runs of
consecutive processes. With RUNS_JSON, the durations of the typical steps of every run are written
there, for the test that generates pairs from them.
"""

import json
import subprocess
import sys
from pathlib import Path


def ask(stepscope: str, *arguments: str) -> dict:
    answer = subprocess.run([stepscope, *arguments, "--json"], capture_output=True, check=True)
    return json.loads(answer.stdout)


def pairs(root: Path) -> dict[str, list[tuple[Path, Path]]]:
    processes = [sorted(folder.iterdir()) for folder in sorted(root.iterdir())]
    within = [(runs[a], runs[b]) for runs in processes for a, b in ((0, 1), (1, 2), (0, 2))]
    between = [
        (one[run], next_one[run])
        for one, next_one in zip(processes, processes[1:])
        for run in range(len(one))
    ]
    return {"one process": within[:100], "two processes": between[:100]}


def main() -> None:
    root, stepscope = Path(sys.argv[1]), sys.argv[2]
    print("| pairs | of | step claimed | ops tested | ops claimed | pairs with a claimed op |")
    print("|---|---|---|---|---|---|")
    for name, some in pairs(root).items():
        steps = tested = claimed = any_op = 0
        for before, after in some:
            report = ask(stepscope, "compare", str(before), str(after))
            steps += report["differences"][0]["step"]["evidence"] == "beyond_noise"
            step_ps = report["sessions"][0]["step_ps"]
            large = [op for op in report["ops"] if op["time"]["baseline_ps"] >= 0.001 * step_ps]
            found = sum(op["time"]["evidence"] == "beyond_noise" for op in report["ops"])
            tested, claimed, any_op = tested + len(large), claimed + found, any_op + (found > 0)
        print(f"| {len(some)} | {name} | {steps} | {tested} | {claimed} | {any_op} |", flush=True)
    if len(sys.argv) > 3:
        runs = []
        for folder in sorted(root.glob("process_*/run_*")):
            rows = ask(stepscope, "steps", str(folder))["rows"]
            runs.append([round(row["duration_ps"] / 1e6) for row in rows])
        Path(sys.argv[3]).write_text(json.dumps(runs).replace("], ", "],\n"), encoding="utf-8")


if __name__ == "__main__":
    main()
