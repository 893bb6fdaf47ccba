"""Records runs of one unchanged program: some in one process, others in separate processes.
`measure.py` runs `stepscope compare` on pairs of them.

usage: python record.py OUT_DIR [PROCESSES] [RUNS_PER_PROCESS]
"""

import subprocess
import sys
from pathlib import Path

STEPS = 20


def one_process(folder: Path, runs: int) -> None:
    """Trains a small MLP and captures some windows of steps, each a separate run."""
    import jax
    import jax.numpy as jnp

    @jax.jit
    def train_step(params: list, x: jax.Array) -> list:
        def loss(params: list) -> jax.Array:
            y = x
            for index, weight in enumerate(params):
                with jax.named_scope(f"layer_{index}"):
                    y = jnp.tanh(y @ weight)
            return (y**2).mean()

        gradients = jax.grad(loss)(params)
        return [weight - 0.01 * g for weight, g in zip(params, gradients, strict=True)]

    keys = jax.random.split(jax.random.PRNGKey(0), 4)
    params = [jax.random.normal(key, (256, 256)) * 0.05 for key in keys]
    x = jax.random.normal(jax.random.PRNGKey(1), (256, 256))
    for _ in range(5):
        params = jax.block_until_ready(train_step(params, x))
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    for run in range(runs):
        out = folder / f"run_{run}"
        with jax.profiler.trace(str(out), profiler_options=options):
            for step in range(STEPS):
                with jax.profiler.StepTraceAnnotation("train", step_num=step):
                    params = jax.block_until_ready(train_step(params, x))


def main() -> None:
    out = Path(sys.argv[1])
    if len(sys.argv) > 4 and sys.argv[4] == "--one":
        one_process(out, int(sys.argv[3]))
        return
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    for process in range(processes):
        folder = out / f"process_{process:02}"
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, __file__, str(folder), "1", str(runs), "--one"]
        subprocess.run(command, check=True)
        print(f"{process + 1} of {processes} processes", flush=True)


if __name__ == "__main__":
    main()
