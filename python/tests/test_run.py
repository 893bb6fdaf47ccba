"""`stepscope run`: programs that know nothing of profiling are captured by the hook."""

from __future__ import annotations

import json
import signal
import socket
import sys
import time
from pathlib import Path

import captures
import pytest
import unmodified
from unmodified import LOOP, PROGRAM

from stepscope import _jax, attach, goals
from stepscope.capture_cost import CaptureCost
from stepscope.capture_result import CaptureResult
from stepscope.errors import SettingsError
from stepscope.run_request import RunRequest


@pytest.mark.oldest
def test_steps_are_runs_of_the_program_with_the_largest_results(tmp_path: Path) -> None:
    printed, told = unmodified.run(tmp_path, LOOP, {"steps": [30, 33]})
    assert printed == "done True\n"
    assert "steps are runs of train_step" in told
    profile = captures.only_profile(tmp_path)
    manifest = captures.manifest_of(profile)
    assert [step["step"] for step in manifest["steps"]] == [30, 31, 32]
    assert f"open it: stepscope view {profile.parent}" in told
    names = captures.event_names(profile)
    assert (names["runs of train_step"], names["train"]) == (3, 0)


@pytest.mark.oldest
def test_annotated_steps_are_captured_by_their_numbers(tmp_path: Path) -> None:
    loop = PROGRAM + (
        "for step in range(1000, 1012):\n"
        "    with jax.profiler.StepTraceAnnotation('mine', step_num=step):\n"
        "        w, loss = train_step(w, x)\n"
    )
    _, told = unmodified.run(tmp_path, loop, {"steps": [1005, 1007]})
    assert "steps are annotations" in told
    profile = captures.only_profile(tmp_path)
    assert [step["step"] for step in captures.manifest_of(profile)["steps"]] == [1005, 1006]
    names = captures.event_names(profile)
    assert (names["mine"], sum("runs of" in name for name in names)) == (2, 0)


OWN_PROFILE = PROGRAM + """
for step in range(40):
    if step == BEGIN:
        jax.profiler.start_trace("own")
    if step == END:
        w.block_until_ready()
        jax.profiler.stop_trace()
    w, loss = train_step(w, x)
print("done", float(loss) == float(loss))
"""


@pytest.mark.oldest
@pytest.mark.parametrize(
    ("begin", "end", "captured", "told_of_it"),
    [
        (31, 35, [30, 31], "Capture ended early by the program's own profile"),
        (28, 33, [34, 35, 36], "The program's own profile is running at step 30"),
    ],
)
def test_the_profile_of_the_program_itself_comes_first(
    tmp_path: Path, begin: int, end: int, captured: list[int], told_of_it: str
) -> None:
    program = OWN_PROFILE.replace("BEGIN", str(begin)).replace("END", str(end))
    printed, told = unmodified.run(tmp_path, program, {"steps": [30, 33]})
    assert printed == "done True\n"
    assert told_of_it in told
    assert len(list((tmp_path / "own").rglob("*.xplane.pb"))) == 1
    profile = captures.only_profile(tmp_path / "profiles")
    steps = [step["step"] for step in captures.manifest_of(profile)["steps"]]
    assert set(steps) <= set(captured)
    assert len(steps) >= len(captured) - 1


MAPPED = """
import jax, jax.numpy as jnp
def train_step(w, x):
    gradient = jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w)))(w)
    return w - 0.01 * jax.lax.pmean(gradient, "devices")
mapped = jax.pmap(train_step, axis_name="devices")
w = x = jnp.ones((2, 32, 32))
for step in range(40):
    w = mapped(w, x)
"""


@pytest.mark.oldest
def test_a_mapped_program_has_the_name_of_its_function(tmp_path: Path) -> None:
    two = "--xla_force_host_platform_device_count=2"
    _, told = unmodified.run(tmp_path, MAPPED, {"steps": [30, 33]}, XLA_FLAGS=two)
    assert "steps are runs of train_step; steps 30..32 will be captured" in told


ACCUMULATE = """
import jax, jax.numpy as jnp
gradient = jax.jit(jax.grad(lambda w, x: jnp.sum(jnp.tanh(x @ w))))
add = jax.jit(lambda a, b: a + b)
@jax.jit
def apply(w, m, g):
    m = 0.9 * m + g
    return w - 0.01 * m, m
w = m = x = jnp.ones((32, 32))
for step in range(40):
    g = gradient(w, x)
    for _ in range(MICRO_BATCHES - 1):
        g = add(g, gradient(w, x))
    w, m = apply(w, m, g)
"""


@pytest.mark.parametrize("micro_batches", [4, 8])
def test_micro_batches_are_not_steps(tmp_path: Path, micro_batches: int) -> None:
    program = ACCUMULATE.replace("MICRO_BATCHES", str(micro_batches))
    _, told = unmodified.run(tmp_path, program, {"steps": [10, 18]})
    assert "runs of apply; steps 10..17 will be captured" in told
    profile = captures.only_profile(tmp_path)
    manifest = captures.manifest_of(profile)
    assert [step["step"] for step in manifest["steps"]] == list(range(10, 18))
    assert captures.event_names(profile)["PjitFunction(<lambda>)"] >= 8 * (micro_batches - 2)


def test_more_micro_batches_than_steps_before_a_capture_are_captured_again(tmp_path: Path) -> None:
    """The first step alone has enough of them; then the update ran three times and is larger."""
    program = ACCUMULATE.replace("MICRO_BATCHES", "30")
    _, told = unmodified.run(tmp_path, program, {"steps": [20, 22]})
    assert "steps are runs of " in told
    assert "steps are now runs of apply; steps 20..21 will be captured" in told
    _, newest = captures.profiles(tmp_path)
    assert captures.event_names(newest)["PjitFunction(apply)"] >= 1
    assert captures.event_names(newest)["runs of apply"] == 2


def test_the_plan_names_the_steps_that_are_left(tmp_path: Path) -> None:
    """Steps are known from the third run on."""
    _, told = unmodified.run(tmp_path, LOOP, {"steps": [2, 6]})
    assert "steps 3..5 will be captured" in told
    manifest = captures.manifest_of(captures.only_profile(tmp_path))
    assert [step["step"] for step in manifest["steps"]] == [3, 4, 5]


def test_without_steps_captures_are_by_time(tmp_path: Path) -> None:
    program = PROGRAM + (
        "import glob, time\n"
        "while not glob.glob('profiles/plugins/profile/*/*.xplane.pb'):\n"
        "    jnp.sin(w) + 1\n"
        "    time.sleep(0.01)\n"
    )
    _, told = unmodified.run(tmp_path, program, {"at_seconds": 0.1, "seconds": 0.2})
    assert "Steps cannot be told here" in told
    assert captures.manifest_of(captures.only_profile(tmp_path))["trigger"] == "--at"


def test_every_makes_several_captures(tmp_path: Path) -> None:
    program = PROGRAM + (
        "import glob, time\n"
        "while len(glob.glob('profiles/plugins/profile/*/*.xplane.pb')) < 2:\n"
        "    w, loss = train_step(w, x)\n"
        "    time.sleep(0.001)\n"
    )
    unmodified.run(tmp_path, program, {"every_seconds": 0.3})
    # By steps or, where none was found in time, by time.
    triggers = {captures.manifest_of(one)["trigger"] for one in captures.profiles(tmp_path)[:2]}
    assert triggers <= {"capture_async", "--every"}


@pytest.mark.parametrize(
    ("launcher", "when"),
    [("torchrun", "at_seconds"), ("kubernetes", "at_seconds"), ("torchrun", "every_seconds")],
)
def test_ranks_capture_the_same_steps_at_a_time(tmp_path: Path, launcher: str, when: str) -> None:
    """The second rank starts later, so at any time it does another step."""
    program = PROGRAM + (
        "import glob, os, time\n"
        "for _ in range(10): w, loss = train_step(w, x)\n"
        "open(f'ready_{sys.argv[1]}', 'w').close()\n"
        "ends = time.monotonic() + 60\n"
        "while time.monotonic() < ends:\n"
        "    w, loss = train_step(w, x)\n"
        "    time.sleep(0.01)\n"
        "    runs = [one.rpartition('/')[0] for one in glob.glob('profiles/*/*/*/*.xplane.pb')]\n"
        "    if len(runs) > len(set(runs)): break\n"
    )
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK") if launcher == "torchrun" else ("JOB_COMPLETION_INDEX",)
    processes = []
    try:
        for rank in (0, 1):
            variables = dict(zip(names, (str(rank), "2", str(rank)), strict=False))
            request = {when: 8.0}  # steps are known by then
            processes.append(
                unmodified.start(tmp_path, program, request, arguments=[str(rank)], **variables)
            )
            while not (tmp_path / f"ready_{rank}").exists():
                assert processes[rank].poll() is None
                time.sleep(0.01)
            time.sleep(0.5)
        told = [process.communicate(timeout=90)[1] for process in processes]
    finally:
        for process in processes:
            process.kill()
    runs = [captures.profiles(run) for run in captures.run_directories(tmp_path / "profiles")]
    both = [run for run in runs if len(run) == 2]
    assert both, told
    assert when == "every_seconds" or len(runs) == 1
    manifests = [captures.manifest_of(profile) for profile in both[0]]
    steps = [[one["step"] for one in manifest["steps"]] for manifest in manifests]
    assert steps[0] == steps[1]
    assert len(steps[0]) == 5
    trigger = "--at" if when == "at_seconds" else "--every"
    assert {manifest["trigger"] for manifest in manifests} == {trigger}


def test_what_was_not_found_is_said_at_the_end(tmp_path: Path) -> None:
    _, told = unmodified.run(tmp_path, PROGRAM + "train_step(w, x); train_step(w, x)", {})
    assert "no steps were found" in told
    _, told = unmodified.run(tmp_path, LOOP, {"steps": [100, 102]})
    assert "Steps 100..101 were not captured: the program ended in step " in told
    assert not (tmp_path / "profiles").exists()


def test_a_program_that_ends_without_its_exit_handlers_keeps_its_capture(tmp_path: Path) -> None:
    program = PROGRAM + (
        "import os\n"
        "for step in range(40):\n"
        "    w, loss = train_step(w, x)\n"
        "    if step == 35 and hasattr(os, 'fork') and os.fork() == 0:\n"
        "        os._exit(0)  # a worker of the program ends nothing\n"
        "    if step == 38:\n"
        "        os._exit(3)\n"
    )
    process = unmodified.start(tmp_path, program, {"steps": [30, 50]})
    _, told = process.communicate(timeout=120)
    assert process.returncode == 3
    manifest = captures.manifest_of(captures.only_profile(tmp_path))
    assert [step["step"] for step in manifest["steps"]][:8] == list(range(30, 38))
    assert "open it: stepscope view" in told


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="there is no such signal")
def test_the_signal_starts_and_ends_a_capture(tmp_path: Path) -> None:
    program = PROGRAM + (
        "import glob, time\n"
        "for _ in range(5): w, loss = train_step(w, x)\n"
        "print('ready', flush=True)\n"
        "while not glob.glob('profiles/plugins/profile/*/*.xplane.pb'):\n"
        "    w, loss = train_step(w, x)\n"
        "    time.sleep(0.001)\n"
    )
    process = unmodified.start(tmp_path, program, {"steps": [10**9, 10**9 + 1]})
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGUSR1)
        while not list(tmp_path.glob("profiles/plugins/profile/*/*.stepscope.json")):
            time.sleep(0.01)
        time.sleep(0.2)
        process.send_signal(signal.SIGUSR1)
        _, told = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "until the next SIGUSR1" in told
    manifest = captures.manifest_of(captures.only_profile(tmp_path))
    assert (manifest["trigger"], manifest["stopped_by"]) == ("SIGUSR1", None)


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="there is no such signal")
@pytest.mark.parametrize("is_before", [True, False])
def test_a_signal_of_the_program_is_not_offered(tmp_path: Path, is_before: bool) -> None:
    own = "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: print('own'))\n"
    sends = "import os\nos.kill(os.getpid(), signal.SIGUSR1)\n"
    program = (own + LOOP if is_before else LOOP.replace("for step", own + "for step")) + sends
    printed, told = unmodified.run(tmp_path, program, {"steps": [30, 32]})
    assert printed == "done True\nown\n"
    assert "steps are runs of train_step; steps 30..31 will be captured\n" in told
    assert "USR1" not in told
    _, told = unmodified.run(tmp_path, LOOP, {"steps": [30, 32]})
    assert "; kill -USR1 " in told


@pytest.mark.parametrize(
    ("launcher", "names"),
    [
        ("torchrun", ("RANK", "WORLD_SIZE", "LOCAL_RANK")),
        ("srun", ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID")),
        ("mpirun", ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK")),
        ("kubernetes", ("JOB_COMPLETION_INDEX", "", "")),
    ],
)
def test_all_ranks_write_one_session(
    tmp_path: Path, launcher: str, names: tuple[str, str, str]
) -> None:
    def variables(rank: int) -> dict[str, str]:
        values = zip(names, (str(rank), "2", str(rank)), strict=True)
        return {name: value for name, value in values if name}

    processes = [
        unmodified.start(tmp_path, LOOP, {"steps": [30, 32]}, **variables(rank)) for rank in (0, 1)
    ]
    told = []
    try:
        told = [process.communicate(timeout=90)[1] for process in processes]
    finally:
        for process in processes:
            process.kill()
    (run,) = captures.run_directories(tmp_path / "profiles")
    assert len(captures.profiles(run)) == 2, told
    if launcher != "kubernetes":  # it does not say how many there are
        assert "open it" in told[0]
        assert told[1] == ""


def test_the_programs_own_sitecustomize_runs_and_workers_are_left_alone(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("print('own')")
    program = LOOP + (
        "import os, subprocess\n"
        "if not os.environ.get('WORKER'):\n"
        "    subprocess.run([sys.executable, __file__], env=os.environ | {'WORKER': '1'}, check=True)\n"
        "print([place for place in sys.path if place.endswith('hook')])\n"
    )
    path = unmodified.environment(None)["PYTHONPATH"]
    printed, _ = unmodified.run(tmp_path, program, {"steps": [30, 32]}, PYTHONPATH=f"{path}:{own}")
    assert printed.startswith("own\ndone True\n")
    assert printed.count("own") == 2
    assert printed.endswith("[]\n")
    assert len(captures.profiles(tmp_path)) == 1


def test_a_python_without_the_package_says_so_in_one_line(tmp_path: Path) -> None:
    # The folder of the hook alone, and a stepscope that cannot be imported.
    (tmp_path / "stepscope.py").write_text("raise ImportError('none here')")
    hook = unmodified.environment(None)["PYTHONPATH"].split(":")[0]
    printed, told = unmodified.run(tmp_path, LOOP, {}, PYTHONPATH=f"{hook}:{tmp_path}")
    assert printed == "done True\n"
    (line,) = told.splitlines()
    assert line.startswith(f"stepscope: no capture, because {sys.executable} cannot import stepscope")
    assert "-m pip install stepscope" in line


@pytest.mark.oldest
@pytest.mark.parametrize("name", ["small", "memory"])
def test_a_goal_is_refused_or_its_verdict_is_told(tmp_path: Path, name: str) -> None:
    printed, told = unmodified.run(tmp_path, LOOP, {"goal": name})
    assert printed == "done True\n"
    if _jax.version() < (0, 6, 1):
        assert f"no capture: --goal {name} needs profiler options" in told
        assert not captures.profiles(tmp_path)
        return
    assert f"goal {name}: met, " in told
    options = captures.manifest_of(captures.only_profile(tmp_path))["options"]
    assert options["python_tracer_level"] == 0
    assert options["host_tracer_level"] == goals.GOALS[name].host_tracer_level


def test_a_goal_needs_a_jax_that_knows_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_jax, "version", lambda: (0, 7, 2))
    assert goals.GOALS["small"].options("cpu")["host_tracer_level"] == 1
    with pytest.raises(SettingsError, match="gpu_num_chips_to_profile_per_task"):
        goals.GOALS["small"].options("gpu")


def test_verdicts_of_goals_follow_the_figures(tmp_path: Path) -> None:
    result = CaptureResult(
        "id", None, "vm", 0, 1, tmp_path, tmp_path, tmp_path / "vm.xplane.pb", 30_000_000, 1.0, 0.1
    )
    assert goals.verdict(goals.GOALS["small"], result) == (
        "goal small: not met, 30 MB (at most 20 MB)"
    )
    faithful = goals.GOALS["faithful"]
    assert goals.verdict(faithful, result).startswith("goal faithful: unknown, the slowdown")
    result.cost = CaptureCost(step_ns=120, step_before_ns=100, steps_before=9)
    assert goals.verdict(faithful, result).startswith("goal faithful: not met, captured steps took")
    result.cost = CaptureCost(step_ns=101, step_before_ns=100, steps_before=9)
    assert goals.verdict(faithful, result).startswith("goal faithful: met")
    assert goals.verdict(goals.GOALS["kernel"], result).startswith("goal kernel: unknown, ")


def test_a_damaged_request_is_refused() -> None:
    assert RunRequest.from_environment({}) is None
    for text in ("{", '{"stepz": 1}', '{"goal": "fast"}', '{"steps": [1]}'):
        with pytest.raises(SettingsError, match="STEPSCOPE_RUN is not valid"):
            RunRequest.from_environment({"STEPSCOPE_RUN": text})


def test_attach_captures_the_next_steps(tmp_path: Path) -> None:
    program = PROGRAM + (
        "import os, time\n"
        "for _ in range(5): w, loss = train_step(w, x)\n"
        "print('ready', flush=True)\n"
        "while not os.path.exists('end'):\n"
        "    w, loss = train_step(w, x)\n"
        "    time.sleep(0.001)\n"
    )
    process = unmodified.start(tmp_path, program, {"steps": [10**9, 10**9 + 1]})
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        answer = _ask(process.pid, b'{"steps": 3}\n')
        assert _ask(process.pid, b'{"steps": 0}\n')["error"].startswith("invalid request")
        assert _ask(process.pid, b"nonsense\n")["error"].startswith("invalid request")
        (tmp_path / "end").touch()
        process.communicate(timeout=60)
    finally:
        process.kill()
    profile = captures.only_profile(tmp_path)
    assert answer["captured"] == str(profile.parent)
    manifest = captures.manifest_of(profile)
    assert (manifest["trigger"], len(manifest["steps"])) == ("capture_async", 3)
    assert not (attach.folder() / f"{process.pid}.sock").exists()


def test_sockets_are_in_a_folder_that_nobody_else_may_enter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attach, "_PARENT", tmp_path)
    folder = attach.folder()
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    with pytest.raises(PermissionError):
        attach.folder()


def _ask(pid: int, request: bytes) -> dict[str, str]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(attach.folder() / f"{pid}.sock"))
        connection.sendall(request)
        answer: dict[str, str] = json.loads(connection.makefile().readline())
    return answer


def test_the_check_of_nans_goes_on(tmp_path: Path) -> None:
    program = PROGRAM + (
        "for step in range(40): w, loss = train_step(w, x)\n"
        "try:\n"
        "    for step in range(4): train_step(w * jnp.nan, x)\n"
        "except FloatingPointError: print('found')\n"
    )
    printed, _ = unmodified.run(tmp_path, program, {"steps": [30, 32]}, JAX_DEBUG_NANS="1")
    assert printed.endswith("found\n")
    assert len(captures.manifest_of(captures.only_profile(tmp_path))["steps"]) == 2


SHARDED = """
import jax, jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
import numpy as np
mesh = Mesh(np.array(jax.devices()), ("d",))
x = jax.device_put(jnp.ones((16, 64)), NamedSharding(mesh, P("d")))
w = jax.device_put(jnp.ones((64, 64)), NamedSharding(mesh, P()))
@jax.jit
def train_step(w, x):
    value, gradient = jax.value_and_grad(lambda w: jnp.mean((x @ w) ** 2))(w)
    return w - 0.01 * gradient, value
for step in range(40):
    w, loss = train_step(w, x)
    float(loss)
"""


def test_the_goal_of_communication_is_met_whatever_ops_are_called(tmp_path: Path) -> None:
    """JAX names the all-reduce of a sharded mean after the sum."""
    pytest.importorskip("stepscope._stepscope")
    devices = "--xla_force_host_platform_device_count=2"
    request = {"steps": [30, 33], "goal": "communication"}
    _, told = unmodified.run(tmp_path, SHARDED, request, XLA_FLAGS=devices)
    assert "goal communication: met, recorded: all-reduce" in told


def test_sockets_of_killed_processes_are_removed() -> None:
    stale = attach.folder() / "999999999.sock"
    stale.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left_behind:
        left_behind.bind(str(stale))
        left_behind.listen(1)
        attach._sweep(attach.folder())
        assert stale.exists(), "somebody answers"
    attach._sweep(attach.folder())
    assert not stale.exists()
