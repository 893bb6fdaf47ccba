"""Runs programs under the hook of `stepscope run`, as the command starts them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import stepscope

PACKAGE_FOLDER = Path(stepscope.__file__).parent

PROGRAM = """
import sys
import jax, jax.numpy as jnp
@jax.jit
def train_step(w, x):
    def loss(w):
        return jnp.sum(jax.nn.relu(x @ w))  # it is traced with jax's check of NaNs turned off
    value, gradient = jax.value_and_grad(loss)(w)
    return w - 0.01 * gradient, value
@jax.jit
def evaluate(w):
    return jnp.sum(w)
w = x = jnp.ones((32, 32))
"""
"""A training program without its loop."""
LOOP = PROGRAM + """
for step in range(40):
    w, loss = train_step(w, x)
    if step % 5 == 0:
        evaluate(w)
print("done", float(loss) == float(loss))
"""


def environment(request: dict[str, Any] | None, **variables: str) -> dict[str, str]:
    """The environment in which `stepscope run` starts a program."""
    folder = str(PACKAGE_FOLDER / "hook")
    found = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": os.pathsep.join([folder, str(PACKAGE_FOLDER.parent)]),
    }
    if request is not None:
        found["STEPSCOPE_RUN"] = json.dumps(request)
    return found | variables


def start(
    tmp_path: Path,
    program: str,
    request: dict[str, Any] | None,
    arguments: Sequence[str] = (),
    **variables: str,
) -> subprocess.Popen[str]:
    """Starts `program` with its captures in `tmp_path/profiles`."""
    script = tmp_path / "train.py"
    script.write_text(program, encoding="utf-8")
    if request is not None:
        request = {"log_dir": str(tmp_path / "profiles")} | request
    return subprocess.Popen(
        [sys.executable, str(script), *arguments],
        env=environment(request, **variables),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(
    tmp_path: Path, program: str, request: dict[str, Any] | None, **variables: str
) -> tuple[str, str]:
    """Runs `program` to its end; returns what it printed, on standard output and error."""
    process = start(tmp_path, program, request, **variables)
    try:
        printed, told = process.communicate(timeout=90)
    finally:
        process.kill()
    assert process.returncode == 0, told
    return printed, told
