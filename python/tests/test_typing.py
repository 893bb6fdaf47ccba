"""The types of the package, as seen by a program checked with `mypy --strict`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import stepscope
from stepscope import reports

pytest.importorskip("mypy")

PACKAGE = Path(stepscope.__file__).parent

RIGHT = """
import os
from typing import assert_type

import stepscope
from stepscope import reports, slices
from stepscope.engine_errors import OptionsError, UnknownOptionError

with stepscope.open("logs", session=1) as session:
    assert_type(session, stepscope.Session)
    ops = session.ops(steps=range(3, 8), match="dot", device=[0, "GPU:1"], by="device", limit=3)
    assert_type(ops, reports.OpsReport)
    assert_type(ops.rows[0].self_ps, int)
    ops.to_pandas(units="ms"), ops.to_polars(), ops.to_arrow(units="us"), len(ops), list(ops)
    ops.table("rows").to_pandas(units="s")
    for one in session.slices(kind=["op", "kernel"], class_="matmul", columns=["name"], track=3):
        assert_type(one, slices.Slice)
        assert_type(one.step, int | None)
    session.events.to_polars(units="ns")
    session.export(html="r.html", redact=True, redact_key="key", steps=range(3), max_bytes=10)
    link: str = session.perfetto(device=0, open_browser=False, timeout=1.5)
    session.compare("base", steps="3..").differences[0].conclusion
    (session.manifest or {}).get("versions")
    assert_type(session.is_closed, bool)
stepscope.open(b"bytes"), stepscope.open(bytearray()), stepscope.open(memoryview(b""))
version: str = stepscope.__version__
report = stepscope.assert_no_regression("logs", budgets={"step_time": "+2%"}, run_noise=0.01)
assert_type(report, reports.CheckReport)
stepscope.check("main", "logs", budget=["step_time=+2%"], allow_unknown=True)
stepscope.history("logs", metric="step_time").changes
stepscope.scaling("logs", weak=True).methods
stepscope.sessions("logs", quick=True).sessions[0].name
with stepscope.profile_trace("logs", name="train") as trace:
    trace.block(1)
if trace.result is not None:
    path: str = os.fspath(trace.result)
    stepscope.open(trace.result).overview()
stepscope.compare("a", "b", confidence=0.9)
"""

WRONG = {
    "session.ops(stesp=3)": "call-arg",
    "session.ops(limit='many')": "arg-type",
    "session.ops(match=['a', 'b'])": "arg-type",
    "session.ops().to_pandas(units='hours')": "arg-type",
    "session.slices(kind='kernels')": "arg-type",
    "session.export(html='r.html', redcat=True)": "call-arg",
    "session.export(html='r.html', redact='yes')": "arg-type",
    "session.perfetto(devices=0)": "call-arg",
    "session.compare('base', stesp=3)": "call-arg",
    "stepscope.open('logs', sesion='a')": "call-arg",
    "stepscope.open(3)": "arg-type",
    "stepscope.check('logs', budgets='step_time=+2%')": "call-arg",
    "stepscope.assert_no_regression('logs', baselines='main')": "call-arg",
    "session.overwiew()": "attr-defined",
}


def mypy(tmp_path: Path, code: str) -> str:
    file = tmp_path / "program.py"
    file.write_text(code)
    # As for an installed package, whose own lines are not checked.
    flags = ["--strict", "--follow-imports=silent", "--no-error-summary", "--cache-dir=/dev/null"]
    line = [sys.executable, "-m", "mypy", *flags, str(file)]
    # If it is not installed, it is found next to these tests.
    is_installed = PACKAGE.parent.name in ("site-packages", "dist-packages")
    environment = {"PATH": ""} | ({} if is_installed else {"MYPYPATH": str(PACKAGE.parent)})
    run = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
    assert not run.stderr, run.stderr
    return run.stdout


def test_a_program_with_right_and_wrong_lines(tmp_path: Path) -> None:
    names = sorted({*stepscope.__all__, "open"})
    uses = "".join(f"{name}_used = stepscope.{name}\n" for name in names)
    answers = [name for name in vars(reports) if name.endswith("Report") and name != "Report"]
    kinds = "".join(f"kind_{name}: type[reports.{name}]\n" for name in answers)
    right = f"{RIGHT}\n{uses}{kinds}".splitlines()
    told = mypy(tmp_path, "\n".join([*right, *WRONG]))
    expected = []
    for number, (line, code) in enumerate(WRONG.items(), len(right) + 1):
        assert f"program.py:{number}: error:" in told, (line, told)
        expected.append(f"[{code}]")
    errors = [line for line in told.splitlines() if "program.py" in line and ": error:" in line]
    assert [line.rpartition(" ")[2] for line in errors] == expected, told
