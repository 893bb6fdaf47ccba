"""The flight recorder: four real processes, causes planted one after the other; training goes on."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import captures
import pytest
import unmodified
from ports import free_port

import stepscope
from stepscope import goals, incidents, ranks, ring
from stepscope.errors import SettingsError, TriggerError
from stepscope.rules import IncidentRule, Known

RANKS = 4

# Synchronous training: no rank begins a step before all have ended the one before. Rank 0 says what
# goes wrong next, once the incident before it is reported.
JOB = """
import glob, os, sys, time
import jax, jax.numpy as jnp
import stepscope

rank = int(os.environ["RANK"])
SLOW, NAN, STALL, KILLED, END = 1, 2, 3, 4, 5
train_step = jax.jit(lambda w: (w * 0.999, jnp.sum(w)))
w = jnp.ones((16, 16))
files = [open(f"at_{rank}", "a+b") for rank in range(4)]
done = set()

def read(rank):
    text = os.pread(files[rank].fileno(), 20, 0)
    return (int(text[:10]), int(text[10:])) if len(text) == 20 else (-1, 0)

def load_batch(phase):
    if phase in done:
        return 1.0
    done.add(phase)
    if (rank, phase) == (2, SLOW):
        time.sleep(2.5)
    elif (rank, phase) == (2, STALL):
        while len(glob.glob("profiles/record/*/incidents/*stall*/*.stacks.txt")) < 4:
            time.sleep(0.02)
    elif (rank, phase) == (3, KILLED):
        os.kill(os.getpid(), 9)
    return float("nan") if (rank, phase) == (1, NAN) else 1.0

def all_reduce(step, phase):
    with open(f"at_{rank}", "r+b") as file:
        file.write(b"%10d%10d" % (step, phase))
    while any(read(other)[0] < step for other in range(3 if read(0)[1] >= KILLED else 4)):
        if read(0)[1] == END:
            break
        time.sleep(0.002)

rules = ["step_time > 1.5s", "idle > 4s", "loss is nan"]
with stepscope.recorder("profiles", rules=rules, min_interval_seconds=600) as recorder:
    step = phase = 0
    while phase < END:
        if rank:
            phase = read(0)[1]
        elif step > 30:
            phase = 1 + len(glob.glob("profiles/record/*/incidents/*/report.txt"))
        w, loss = train_step(w)
        value = load_batch(phase)
        all_reduce(step, phase)
        recorder.end_step(step, loss=loss * value)
        time.sleep(0.005)
        step += 1
print("went on")
"""


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which four processes have run, with the incidents of all causes."""
    folder = tmp_path_factory.mktemp("job")
    (folder / "job.py").write_text(JOB)
    environment = unmodified.environment(None) | {"WORLD_SIZE": str(RANKS)}
    processes = [
        subprocess.Popen(
            [sys.executable, "job.py"],
            env=environment | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(RANKS)
    ]
    try:
        printed = [process.communicate(timeout=150) for process in processes]
    finally:
        for process in processes:
            process.kill()
    ends = [process.returncode for process in processes]
    assert ends == [0, 0, 0, -signal.SIGKILL], printed
    assert [out for out, _ in printed] == ["went on\n"] * 3 + [""]
    (folder / "pid_of_rank_3").write_text(str(processes[3].pid))
    return folder


def incident_of(job: Path, kind: str, alive: int = RANKS) -> dict[str, Any]:
    """The only incident of a kind, after checking that all living ranks are in it."""
    (path,) = job.glob(f"profiles/record/*/incidents/*_{kind}_rank_*/incident.json")
    incident: dict[str, Any] = json.loads(path.read_text())
    stacks = sorted(one.name for one in path.parent.glob("*.stacks.txt"))
    assert stacks == [f"rank_{rank}.stacks.txt" for rank in range(alive)]
    assert [answer["rank"] for answer in incident["ranks"]] == list(range(alive))
    # All of them captured the agreed step, into one session.
    run = job / "profiles" / "plugins" / "profile" / incident["id"]
    assert incident["captures"] == [str(run)]
    profiles = captures.profiles(run)
    firsts = [captures.manifest_of(profile)["step_first"] for profile in profiles]
    assert firsts == [incident["capture_step"]] * alive
    report = (path.parent / "report.txt").read_text()
    assert report == "\n".join(incidents.report(incident)) + "\n"
    assert f"open it: stepscope view {run}" in report
    return incident


def test_a_slow_step(job: Path) -> None:
    incident = incident_of(job, "step")
    step = incident["step"]
    assert incident["cause"].startswith(f"step {step} was slow on all 4 ranks (")
    assert "; rank 2 was in load_batch (" in incident["cause"]
    assert ", the others in all_reduce (" in incident["cause"]


@pytest.mark.parametrize(
    ("places", "cause"),
    [
        # Whoever waits may be polling in any function below.
        (
            {
                0: ["all_reduce (t.py:34)", "main (t.py:9)"],
                1: ["read (t.py:14)", "all_reduce (t.py:34)", "main (t.py:9)"],
                2: ["load_batch (t.py:22)", "main (t.py:8)"],
                3: ["read (t.py:15)", "all_reduce (t.py:35)", "main (t.py:9)"],
            },
            "; rank 2 was in load_batch (t.py:22), the others in all_reduce (t.py)",
        ),
        (
            {
                0: ["wait (t.py:3)", "main (t.py:9)"],
                1: ["load (t.py:5)", "main (t.py:8)"],
                2: ["wait (t.py:3)", "main (t.py:9)"],
            },
            "; rank 1 was in load (t.py:5), the others in wait (t.py:3)",
        ),
        # Two ranks in two places: nobody stands out, so that nobody is named alone.
        (
            {
                0: ["wait (t.py:3)", "main (t.py:9)"],
                1: ["load (t.py:5)", "main (t.py:8)"],
            },
            "; rank 0 was in wait (t.py:3); rank 1 was in load (t.py:5)",
        ),
    ],
)
def test_who_stands_out_is_where_stacks_part(
    tmp_path: Path, places: dict[int, list[str]], cause: str
) -> None:
    folder = tmp_path / "run" / "incidents" / "one"
    folder.mkdir(parents=True)
    request = {"kind": "stall", "what": "", "rule": "", "rank": 0, "step": 7}
    (folder / ranks.REQUEST).write_text(json.dumps(request))
    for rank, frames in places.items():
        answer = {"rank": rank, "step": 7, "where": frames[0], "frames": frames}
        (folder / f"rank_{rank}.json").write_text(json.dumps(answer))
    found = incidents.describe(folder)["cause"]
    assert found == f"all {len(places)} ranks stopped after step 7{cause}"


def test_who_waits_is_a_step_ahead(tmp_path: Path) -> None:
    """A collective lets nobody end a step before all began it: those that wait are in the next one."""
    folder = tmp_path / "run" / "incidents" / "one"
    folder.mkdir(parents=True)
    rings = [
        ring.Ring(folder.parent.parent / f"rank_{rank}.ring", {"rank": rank}, 64)
        for rank in range(4)
    ]
    for step in range(8):
        time.sleep(0.01)
        for rank, own in enumerate(rings):
            if rank == 2 and step == 6:
                continue
            if step == 7 and rank == 0:
                time.sleep(0.3)
                rings[2].append(6)
            own.append(step)
    waiting = ring.read(folder.parent.parent / "rank_0.ring", None).records[-1]
    request = {
        "kind": "step",
        "what": "",
        "rule": "",
        "rank": 0,
        "step": 7,
        "from_unix_ns": waiting.ended_unix_ns - waiting.step_ns,
        "to_unix_ns": waiting.ended_unix_ns,
    }
    (folder / ranks.REQUEST).write_text(json.dumps(request))
    cause = incidents.describe(folder)["cause"]
    assert cause.startswith("step 7 was slow on all 4 ranks (3"), cause
    assert "; the others waited for rank 2, which was still in step 6; " in cause


def test_a_nan(job: Path) -> None:
    incident = incident_of(job, "metric")
    step = incident["step"]
    assert incident["rank"] == 1
    assert incident["cause"].startswith(f"loss was nan at step {step} on rank 1 (")
    assert incident["cause"].endswith(f" at step {step - 1})")


def test_a_stall(job: Path) -> None:
    incident = incident_of(job, "stall")
    assert incident["cause"].startswith("all 4 ranks stopped after step ")
    assert "; rank 2 was in load_batch (" in incident["cause"]
    assert ", the others in all_reduce (" in incident["cause"]
    (stack,) = job.glob("profiles/record/*/incidents/*_stall_*/rank_2.stacks.txt")
    assert "in load_batch" in stack.read_text()


def test_a_killed_rank(job: Path) -> None:
    incident = incident_of(job, "lost", alive=3)
    pid = (job / "pid_of_rank_3").read_text()
    assert (incident["lost_rank"], incident["missing_ranks"]) == (3, [3])
    assert f"rank 3 on {incident['host']} (process {pid}) stopped" in incident["cause"]
    (run,) = job.glob("profiles/record/*")
    of_rank_3 = ranks.rings(run, None)[3]
    # Its ring has every step up to the one after which it was killed.
    steps = [record.step for record in of_rank_3.records]
    assert steps == list(range(len(steps)))
    assert f"after step {steps[-1]}:" in incident["cause"]
    assert not of_rank_3.is_ended
    assert [one.is_ended for one in ranks.rings(run)] == [True, True, True, False]


def test_the_ring_keeps_the_newest_steps_and_their_metrics(tmp_path: Path) -> None:
    path = tmp_path / "rank_0.ring"
    writer = ring.Ring(path, {"rank": 7}, capacity=8)
    for step in range(20):
        writer.append(step)
        if step % 2:
            writer.set_metric(writer.count, "loss", math.nan if step == 19 else step / 2)
    writer.set_metric(3, "loss", 99.0)  # overwritten long ago
    contents = ring.read(path)
    assert (contents.rank, contents.is_ended) == (7, False)
    assert [record.step for record in contents.records] == list(range(12, 20))
    assert [record.metrics.get("loss") for record in contents.records[:7]] == [
        None, 6.5, None, 7.5, None, 8.5, None,
    ]  # fmt: skip
    assert math.isnan(contents.records[7].metrics["loss"])
    assert all(record.step_ns > 0 for record in contents.records)
    writer.close()
    assert ring.read(path, 2).is_ended
    with pytest.raises(FileExistsError):
        ring.Ring(path, {}, capacity=8)


@pytest.mark.parametrize("steps", [5, 500, 1003, 2600])
def test_the_newest_records_are_read_without_the_others(tmp_path: Path, steps: int) -> None:
    writer = ring.Ring(tmp_path / "rank_0.ring", {"rank": 0}, capacity=1000)
    for step in range(steps):
        writer.append(step)
        if step == steps - 3:
            writer.beat()  # some records are newer than it
    newest = [record.step for record in ring.read(writer.path, 32).records]
    assert newest == list(range(max(0, steps - 32), steps))


def test_damaged_rings_and_cut_records_are_recognized(tmp_path: Path) -> None:
    path = tmp_path / "rank_0.ring"
    writer = ring.Ring(path, {"rank": 0}, capacity=8)
    for step in range(3):
        writer.append(step)
    data = bytearray(path.read_bytes())
    data[ring.HEADER_BYTES + ring.RECORD_BYTES] ^= 0xFF  # one of the two numbers of a record
    path.write_bytes(data)
    assert [record.step for record in ring.read(path).records] == [0, 2]
    path.write_bytes(data[: ring.HEADER_BYTES + ring.RECORD_BYTES + 5])
    assert [record.step for record in ring.read(path).records] == [0]
    for content in (b"", b"x" * 5000):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="not a ring"):
            ring.read(path)


def test_rules_name_times_moments_and_metrics() -> None:
    known = Known()
    for _ in range(10):
        known.add(0.010)
    known.step_time = 0.031
    slow = IncidentRule("3x")
    assert slow.kind == "step"
    assert slow.fires(known)
    assert not slow.fires(known)  # it is still true
    assert IncidentRule("idle > 2s").kind == "moment"
    nan = IncidentRule("loss is nan or grad_norm > 10 * usual")
    assert (nan.kind, nan.metrics) == ("metric", {"loss", "grad_norm", "usual"})
    assert not nan.fires(known)  # nothing is known of them
    known.metrics = {"loss": 1.0, "grad_norm": 1.0, "usual": 1.0}
    assert not nan.fires(known)
    known.metrics["loss"] = math.nan
    assert nan.fires(known)
    assert not IncidentRule("memory > 0.9").fires(known)  # unknown here
    for text in ("1 > 0", "loss is odd", "idle > 3", "__import__('os')", "loss.real > 1", "3"):
        with pytest.raises(TriggerError):
            IncidentRule(text)


def test_the_command_says_what_the_rings_hold(job: Path) -> None:
    line = [sys.executable, "-m", "stepscope", "incidents", str(job / "profiles"), "--json"]
    printed = subprocess.run(line, capture_output=True, text=True, check=True)
    report = json.loads(printed.stdout)
    (run,) = report["runs"]
    longest: dict[int, int] = {}
    for path in job.glob("profiles/record/*/rank_*.ring"):
        for record in ring.read(path).records:
            if record.number > 1:
                longest[record.step] = max(longest.get(record.step, 0), record.step_ns)
    assert run["step_count"] == len(longest)
    for point in run["points"]:  # several steps to a point if there are many
        own = {
            step: step_ns
            for step, step_ns in longest.items()
            if point["step_first"] <= step <= point["step_last"]
        }
        assert point["longest_ps"] == 1000 * max(own.values()) == 1000 * own[point["longest_step"]]
    found = [(one["id"], one["cause"]) for one in report["incidents"]]
    paths = job.glob("profiles/record/*/incidents/*/incident.json")
    files = [json.loads(path.read_text()) for path in paths]
    assert found == sorted((one["id"], one["cause"]) for one in files)


def test_incidents_are_bounded(tmp_path: Path) -> None:
    with stepscope.recorder(
        "profiles", rules=["a > 1", "b > 1", "c > 1"], max_incidents=2, quiet=True
    ) as recorder:
        for step in range(20):
            recorder.end_step(step, a=step % 2 * 2, b=step % 2 * 2, c=step % 2 * 2)
    found = list(recorder.directory.glob("incidents/*/incident.json"))
    assert len(found) == 2
    assert {json.loads(path.read_text())["rule"] for path in found} == {"a > 1", "b > 1"}


@pytest.mark.parametrize(
    "rule", ["step_time > 250ms and loss > 0.5", "loss is nan or step_time > 250ms"]
)
def test_a_rule_of_times_and_metrics_is_about_one_step(tmp_path: Path, rule: str) -> None:
    """More steps follow before the recorder looks: the slow one is not the newest."""
    with stepscope.recorder("profiles", rules=[rule], quiet=True) as recorder:
        for step in range(60):
            time.sleep(0.4 if step == 30 else 0.002)
            recorder.end_step(step, loss=1.0)
    (path,) = recorder.directory.glob("incidents/*/incident.json")
    incident = json.loads(path.read_text())
    assert incident["step"] == 30
    assert incident["what"].startswith("loss is 1, step time 4"), incident["what"]


def test_what_is_no_incident_of_its_own_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with stepscope.recorder("profiles", rules=["loss > 1"]) as recorder:
        for step in range(30):
            recorder.end_step(step, loss=2.0 if step in (5, 6, 20, 25) else 0.0)
    told = capsys.readouterr().err
    assert "Noticed 2 more times, without a report: a rule has one incident in 60 s" in told
    assert "The last: loss is 2 at step 25" in told


@pytest.mark.parametrize(("goal", "steps"), [(None, 3), ("small", 2)])
def test_a_program_is_recorded_unmodified(tmp_path: Path, goal: str | None, steps: int) -> None:
    program = unmodified.PROGRAM + (
        "import glob, time\n"
        "for step in range(20): w, loss = train_step(w, x)\n"
        "time.sleep(1.0)\n"
        "while not glob.glob('profiles/record/*/incidents/*/report.txt'):\n"
        "    w, loss = train_step(w, x)\n"
        "    time.sleep(0.01)\n"
    )
    request = {"record": True, "rules": ["step_time > 0.8s"], "goal": goal}
    _, told = unmodified.run(tmp_path, program, request)
    assert "Recording every step in " in told
    (path,) = tmp_path.glob("profiles/record/*/incidents/*/incident.json")
    incident = json.loads(path.read_text())
    assert incident["cause"].startswith("step 20 was slow on rank 0 (1")
    assert "rank 0 was in <module> (" in incident["cause"]
    manifest = captures.manifest_of(captures.only_profile(tmp_path))
    assert len(manifest["steps"]) == steps
    assert manifest["options"]["max_megabytes"] == 100
    if goal is not None:
        assert manifest["options"]["host_tracer_level"] == goals.GOALS[goal].host_tracer_level
    contents = ring.read(path.parents[2] / "rank_0.ring")
    assert contents.is_ended


@pytest.mark.parametrize(
    ("request_", "mistake"),
    [
        ({"rules": ["3x", "step_time >> 3"]}, "is invalid at '> 3': expected a number or a name"),
        ({"rules": ["loss is nan"]}, "uses loss, which an unmodified program does not give"),
        ({"rules": ["step_tme > 3 * median"]}, "did you mean step_time?"),
        ({"log_dir": "gs://bucket/logs"}, "The recorder cannot write to gs://bucket/logs: "),
    ],
)
def test_a_mistake_ends_the_program_before_it_begins(
    tmp_path: Path, request_: dict[str, Any], mistake: str
) -> None:
    program = "print('began', flush=True)\nimport jax\n"
    process = unmodified.start(tmp_path, program, {"record": True} | request_)
    printed, told = process.communicate(timeout=60)
    assert (process.returncode, printed) == (2, "")
    assert mistake in told
    assert "Traceback" not in told


def test_a_bucket_is_refused_with_a_hint() -> None:
    with pytest.raises(SettingsError, match="gs://bucket") as refused:
        stepscope.recorder("gs://bucket")
    assert "copy it afterwards" in str(refused.value)
    assert not Path("gs:").exists()


def test_a_metric_that_never_comes_is_missed_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rules = ["los is nan", "grad_norm > 10", "3x"]
    with stepscope.recorder(tmp_path, rules=rules, quiet=True) as recorder:
        for step in range(500):
            recorder.end_step(step, loss=1.0, grad_norm=1.0)
            time.sleep(0.002)
    ours = [record for record in caplog.records if record.name == "stepscope"]
    warnings = [record.getMessage() for record in ours if record.levelname == "WARNING"]
    assert warnings == [
        "the rule 'los is nan' cannot become true: 100 steps gave no metric los; did you mean loss?"
    ]


# Two hosts without a shared folder, as far as they know.
DISTRIBUTED = """
import glob, sys, time
import jax, jax.numpy as jnp
rank, port = int(sys.argv[1]), sys.argv[2]
jax.distributed.initialize(f"127.0.0.1:{port}", num_processes=2, process_id=rank)
import stepscope
w = jnp.ones(4)
pattern = "host_%d/record/*/incidents/*/rank_%d.json"
with stepscope.recorder(f"host_{rank}", rules=["loss is nan"], quiet=True) as recorder:
    step = 0
    def has_captured(rank):
        return any('"captured_steps"' in open(path).read() for path in glob.glob(pattern % (rank, rank)))
    while not (has_captured(0) and has_captured(1)):
        w = w * 0.999
        recorder.end_step(step, loss=float("nan") if (rank, step) == (1, 40) else 1.0)
        time.sleep(0.01)
        step += 1
"""


def test_the_coordination_service_tells_hosts_without_a_shared_folder(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(DISTRIBUTED)
    processes = [
        subprocess.Popen(
            [sys.executable, "job.py", str(rank), str(port)],
            env=unmodified.environment(None),
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
        )
        for port in [free_port()]
        for rank in (0, 1)
    ]
    try:
        told = [process.communicate(timeout=120)[1] for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0, 0], told
    answers = [
        json.loads(next(tmp_path.glob(f"host_{rank}/record/*/incidents/*/rank_{rank}.json")).read_text())
        for rank in (0, 1)
    ]
    sessions = {Path(answer["captured"]).name for answer in answers}
    assert len(sessions) == 1
    assert sessions.pop().endswith("_metric_rank_1")
