"""`profile_trace`, `ProfileContext`, `start_trace`: layout, ids, waiting, errors, nesting."""

from __future__ import annotations

import dataclasses
import gzip
import itertools
import json
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import captures
import jax
import jax.numpy as jnp
import pytest

import stepscope
from stepscope import _jax, profile_options
from stepscope.capture_history import history

Work = Callable[[], Any]
pytestmark = pytest.mark.oldest
HAS_OPTIONS = hasattr(jax.profiler, "ProfileOptions")


def test_layout_and_id(tmp_path: Path, work: Work) -> None:
    with stepscope.profile_trace(tmp_path / "profiles", name="train step") as trace:
        trace.block(work())
    profile = captures.only_profile(tmp_path / "profiles")
    run = profile.parent
    assert run.parent == tmp_path / "profiles" / "plugins" / "profile"
    assert re.fullmatch(r"\d{4}(_\d\d){5}_\d{3}_train_step", run.name)
    assert sorted(path.name for path in run.iterdir()) == [
        profile.name.replace("xplane.pb", "stepscope.json"),
        profile.name,
    ]
    assert trace.result is not None
    assert trace.result.path == profile
    assert trace.result.size_bytes == profile.stat().st_size > 1000
    assert captures.event_names(profile)


def test_the_folder_alone_is_enough(tmp_path: Path, work: Work) -> None:
    with stepscope.profile_trace("./profiles"):
        work()
    assert captures.only_profile(tmp_path / "profiles")


@pytest.mark.parametrize(
    ("context", "folder"),
    [(stepscope.profile_trace, "profiles"), (stepscope.ProfileContext, "traces")],
)
def test_default_folders(tmp_path: Path, work: Work, context: Any, folder: str) -> None:
    with context():
        work()
    assert captures.only_profile(tmp_path / folder)


def test_variable_below_argument(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROFILE_DIR", str(tmp_path / "variable"))
    with stepscope.profile_trace():
        work()
    with stepscope.profile_trace("argument"):
        work()
    assert captures.only_profile(tmp_path / "variable")
    assert captures.only_profile(tmp_path / "argument")


def test_disabled_by_variable_or_argument(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stepscope.profile_trace("profiles", enabled=False) as trace, trace.step(1):
        trace.block(work())
    monkeypatch.setenv("PROFILE_ENABLED", "0")
    with stepscope.profile_trace("profiles"):
        work()
    assert list(tmp_path.iterdir()) == []


def test_three_captures_within_one_second(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = time.time_ns() // 1_000_000_000
    clock = itertools.count(second * 1_000_000_000, 1000)
    monkeypatch.setattr(time, "time_ns", lambda: next(clock))
    for number in range(3):
        with stepscope.profile_trace("profiles"), stepscope.profile_scope(f"mark_{number}"):
            work()
    assert next(clock) // 1_000_000_000 == second
    found = captures.profiles(tmp_path)
    assert len(found) == 3
    for number, profile in enumerate(found):
        marks = [name for name in captures.event_names(profile) if name.startswith("mark_")]
        assert marks == [f"mark_{number}"]


def test_ids_in_the_same_millisecond_differ(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: frozen)
    for _ in range(3):
        with stepscope.profile_trace("profiles"):
            work()
    assert len(captures.run_directories(tmp_path / "profiles")) == 3


def test_a_hundred_captures_in_a_row(tmp_path: Path, work: Work) -> None:
    threads_before = threading.active_count()
    for _ in range(100):
        with stepscope.profile_trace("profiles", quiet=True) as trace:
            trace.block(work())
    found = captures.profiles(tmp_path)
    assert len(found) == 100
    assert all(profile.stat().st_size > 1000 for profile in found)
    assert threading.active_count() == threads_before


def test_captures_in_quick_succession_are_remarked_on_once(
    work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    history.last_stop_seconds = -1e9
    for _ in range(12):
        with stepscope.profile_trace("profiles"):
            work()
    assert capsys.readouterr().err.count("captures within seconds") == 1


def test_the_next_capture_needs_room_for_one_like_the_last(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "largest_size_bytes", 10**18)
    with pytest.raises(stepscope.PreflightError, match="are free on the disk"):
        with stepscope.profile_trace("profiles"):
            pytest.fail("the block must not run")


def test_blocks_of_many_threads(tmp_path: Path, work: Work) -> None:
    barrier = threading.Barrier(4)
    failures: list[BaseException] = []

    def loop() -> None:
        try:
            barrier.wait()
            for _ in range(10):
                with stepscope.profile_trace("profiles", quiet=True):
                    work()
        except BaseException as error:  # noqa: BLE001 - handed to the test
            failures.append(error)

    threads = [threading.Thread(target=loop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert 1 <= len(captures.profiles(tmp_path)) <= 40


def test_a_chosen_session_id_is_never_reused(tmp_path: Path, work: Work) -> None:
    for _ in range(3):
        with stepscope.profile_trace("profiles", session_id="mine"):
            work()
    names = [run.name for run in captures.run_directories(tmp_path / "profiles")]
    assert names == ["mine", "mine_2", "mine_3"]


def test_subdirectory_template(tmp_path: Path, work: Work) -> None:
    template = "{optimizer}_lr{lr}_epochs{epochs}_seed{seed}"
    fields = {"optimizer": "adam", "lr": 0.1, "epochs": 2, "seed": 42}
    with stepscope.profile_trace("profiles", subdirectory=template, fields=fields):
        work()
    assert captures.only_profile(tmp_path / "profiles" / "adam_lr0.1_epochs2_seed42")
    with pytest.raises(stepscope.SettingsError, match="lr"):
        stepscope.format_directory("{lr}", optimizer="adam")
    assert stepscope.step_directory(100) == "step_00000100"
    assert re.fullmatch(r"4gpu_\d{8}_\d{6}", stepscope.format_directory("{n}gpu_{ts}", n=4))


def test_periodic_captures(tmp_path: Path, work: Work) -> None:
    for step in range(0, 3001, 500):
        if step > 0 and step % 1000 == 0:
            with stepscope.profile_trace("profiles", subdirectory="step_{step}", step=step):
                work()
    assert sorted(path.name for path in (tmp_path / "profiles").iterdir()) == [
        "step_1000",
        "step_2000",
        "step_3000",
    ]


def test_results_are_waited_for(tmp_path: Path) -> None:
    waited = []

    class Pending:
        def __init__(self, name: str) -> None:
            self.name = name

        def block_until_ready(self) -> Pending:
            waited.append(self.name)
            return self

    @dataclasses.dataclass
    class State:
        weights: Any
        nothing: None = None

    with stepscope.profile_trace("profiles") as trace:
        given = {"loss": Pending("loss"), "state": State(weights=[Pending("weights")])}
        assert trace.block(given) is given
    assert sorted(waited) == ["loss", "weights"]


def test_without_outputs_everything_alive_is_waited_for(tmp_path: Path) -> None:
    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 60, lambda _, y: jnp.tanh(y @ y), x))
    argument = jnp.eye(400)
    slow(argument).block_until_ready()
    with stepscope.profile_trace("profiles"):
        result = slow(argument)
    is_ready = getattr(result, "is_ready", None)
    assert is_ready is None or is_ready()


def test_donated_arrays_are_passed_over(tmp_path: Path) -> None:
    array = jnp.ones(8)
    array.delete()
    with stepscope.profile_trace("profiles") as trace:
        trace.block({"gone": array, "kept": jnp.ones(3)})
    assert captures.only_profile(tmp_path)


def test_tags_are_in_the_manifest(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROFILE_TAGS", "nightly")
    for folder, tags in (("given", ["baseline", "bf16"]), ("variable", None)):
        with stepscope.profile_trace(tmp_path / folder, tags=tags):
            work().block_until_ready()
    found = [
        captures.manifest_of(captures.only_profile(tmp_path / folder))["tags"]
        for folder in ("given", "variable")
    ]
    assert found == [["baseline", "bf16"], ["nightly"]]


def test_the_exception_of_the_block_passes_and_the_capture_is_kept(
    tmp_path: Path, work: Work
) -> None:
    error = ValueError("loss is nan")
    with pytest.raises(ValueError, match="loss is nan") as caught:
        with stepscope.profile_trace("profiles") as trace:
            work().block_until_ready()
            raise error
    assert caught.value is error
    assert trace.result is not None
    assert trace.result.success is False
    manifest = captures.manifest_of(captures.only_profile(tmp_path))
    assert manifest["success"] is False
    assert manifest["error"] == "ValueError: loss is nan"
    with stepscope.profile_trace("profiles"):
        work()


def test_the_exception_is_not_masked_when_the_stop_fails_too(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        with stepscope.profile_trace("profiles"):
            work()
            (run,) = captures.run_directories(tmp_path / "profiles")
            shutil.rmtree(run)
            run.touch()
            raise KeyboardInterrupt
    assert "the capture was lost as well" in "".join(getattr(caught.value, "__notes__", []))
    assert "Cannot write" in capsys.readouterr().err
    with stepscope.profile_trace("others"):
        work()
    assert captures.only_profile(tmp_path / "others")


def test_a_capture_that_cannot_be_written_is_kept_elsewhere(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    with pytest.raises(stepscope.CaptureError) as caught:
        with stepscope.profile_trace("profiles"), stepscope.profile_scope("region"):
            work()
            (run,) = captures.run_directories(tmp_path / "profiles")
            shutil.rmtree(run)
            run.touch()
    if _jax.has_fast_stop():
        assert "Cannot write the capture" in caught.value.message
        assert f"saved in {elsewhere}" in str(caught.value)
        assert captures.event_names(captures.only_profile(elsewhere))["region"] == 1
    with stepscope.profile_trace("others"):
        work()
    assert captures.only_profile(tmp_path / "others")


def test_an_error_of_the_computation_is_the_programs_error(tmp_path: Path) -> None:
    class Broken:
        def block_until_ready(self) -> None:
            raise FloatingPointError("division by zero on the device")

    with pytest.raises(FloatingPointError, match="on the device"):
        with stepscope.profile_trace("profiles") as trace:
            trace.block([Broken()])
    assert captures.manifest_of(captures.only_profile(tmp_path))["success"] is False


def test_nested_use_becomes_a_mark(tmp_path: Path, work: Work) -> None:
    with stepscope.profile_trace("outer", name="outer"):
        with stepscope.profile_trace("inner", name="inner_part") as inner:
            assert inner.is_nested
            inner.block(work())
        with stepscope.ProfileContext("inner", "other_part"):
            work()
    assert inner.result is None
    assert not (tmp_path / "inner").exists()
    names = captures.event_names(captures.only_profile(tmp_path / "outer"))
    assert names["inner_part"] == 1
    assert names["other_part"] == 1


def test_nested_use_from_another_thread(tmp_path: Path, work: Work) -> None:
    def inner() -> None:
        with stepscope.profile_trace("inner", name="from_thread"):
            work()

    with stepscope.profile_trace("outer"):
        thread = threading.Thread(target=inner)
        thread.start()
        thread.join()
    assert captures.event_names(captures.only_profile(tmp_path))["from_thread"] == 1


def test_steps_are_marked_and_recorded(tmp_path: Path, work: Work) -> None:
    with stepscope.profile_trace("profiles") as trace:
        for step in range(7, 10):
            with trace.step(step):
                trace.block(work()).block_until_ready()
    assert trace.result is not None
    assert (trace.result.step_first, trace.result.step_end) == (7, 10)
    profile = captures.only_profile(tmp_path)
    assert captures.event_names(profile)["train"] == 3
    steps = captures.manifest_of(profile)["steps"]
    assert [record["step"] for record in steps] == [7, 8, 9]
    assert all(record["duration_ns"] > 0 for record in steps)


def test_a_step_waits_for_its_results(tmp_path: Path) -> None:
    waited: list[int] = []

    class Pending:
        def block_until_ready(self) -> Pending:
            waited.append(1)
            return self

    with stepscope.profile_trace("profiles", wait="step") as trace:
        with trace.step(0):
            trace.block(Pending())
            assert not waited
        assert len(waited) == 1
    assert trace.result is not None
    assert trace.result.mean_step_ns == trace.result.steps[0].duration_ns


def test_steps_that_do_not_wait_have_no_step_time(tmp_path: Path) -> None:
    """The block's work after its last step is not part of a step, so the mean is unknown."""
    with stepscope.profile_trace("profiles") as trace:
        for step in range(3):
            with trace.step(step):
                trace.block(jnp.ones(8) + step)
    assert trace.result is not None
    assert trace.result.mean_step_ns is None
    assert captures.manifest_of(trace.result.path)["mean_step_ns"] is None


def test_work_of_before_is_not_in_the_capture(tmp_path: Path) -> None:
    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 60, lambda _, y: jnp.tanh(y @ y), x))
    argument = jnp.eye(400)
    slow(argument).block_until_ready()
    before = slow(argument)
    with stepscope.profile_trace("profiles"):
        is_ready = getattr(before, "is_ready", None)
        assert is_ready is None or is_ready()


@pytest.mark.parametrize(
    ("mode", "extra"),
    [
        ("tensorboard", set()),
        ("perfetto", {"perfetto_trace.json.gz"}),
        ("both", {"perfetto_trace.json.gz", ".trace.json.gz"}),
    ],
)
def test_modes(tmp_path: Path, work: Work, mode: str, extra: set[str]) -> None:
    with stepscope.profile_trace("profiles", mode=mode):
        work()
    profile = captures.only_profile(tmp_path)
    host = profile.name.removesuffix(".xplane.pb")
    assert {path.name.removeprefix(host) for path in profile.parent.iterdir()} == {
        ".xplane.pb",
        ".stepscope.json",
    } | extra


def test_perfetto_trace_is_one_that_perfetto_reads(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    with stepscope.profile_trace("profiles", create_perfetto_trace=True) as block:
        with stepscope.profile_scope("seen in perfetto"):
            work()
    (path,) = tmp_path.rglob("perfetto_trace.json.gz")
    assert block.result is not None
    assert block.result.perfetto_path == path
    assert f"or drag {path} into https://ui.perfetto.dev" in capsys.readouterr().err
    trace = json.loads(gzip.decompress(path.read_bytes()))
    assert "metadata" not in trace
    assert all(trace["traceEvents"])
    assert any(event.get("name") == "seen in perfetto" for event in trace["traceEvents"])


@captures.only_where(HAS_OPTIONS)
def test_raw_options_reach_the_profiler(tmp_path: Path, work: Work) -> None:
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    options.host_tracer_level = 0
    with stepscope.profile_trace("object", profiler_options=options):
        work()
    with stepscope.profile_trace("mapping", profiler_options={"python_tracer_level": 0}):
        work()
    with stepscope.profile_trace("setting", python_tracer_level=0):
        work()
    assert not captures.event_names(captures.only_profile(tmp_path / "object"))
    for folder in ("mapping", "setting"):
        names = captures.event_names(captures.only_profile(tmp_path / folder))
        assert names
        assert not any(name.startswith("$") for name in names)
        manifest = captures.manifest_of(captures.only_profile(tmp_path / folder))
        assert manifest["options"]["python_tracer_level"] == 0


@captures.only_where(HAS_OPTIONS)
def test_unknown_options_are_said(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    options = jax.profiler.ProfileOptions()
    try:
        options.pyton_tracer_level = 0
    except AttributeError:  # jax 0.12 and newer say so themselves
        options = {"pyton_tracer_level": 0}
    for given, said in [
        (options, "did you mean python_tracer_level"),
        ({"host_trace_level": 1}, "did you mean host_tracer_level"),
        ({"duration_ms": 5}, "duration_ms has no effect"),
        (
            {"advanced_configuration": {"gpu_enable_nvtx_trackin": True}},
            "did you mean gpu_enable_nvtx_tracking",
        ),
        ({"advanced_configuration": {"gpu_pm_sample_counters": ["a"]}}, "which jax treats as text"),
    ]:
        with stepscope.profile_trace("profiles", profiler_options=given):
            assert said in capsys.readouterr().err, "it is said before the block runs"
            work()
    assert len(captures.profiles(tmp_path)) == 5


@captures.only_where(HAS_OPTIONS)
@pytest.mark.parametrize("name", profile_options.FIELDS)
def test_every_option_is_taken_or_named(
    work: Work, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """No version of jax has them all, and none is dropped silently."""
    is_known = hasattr(jax.profiler.ProfileOptions, name)
    given = {name: getattr(jax.profiler.ProfileOptions(), name, 0)} if is_known else {name: 1}
    with stepscope.profile_trace("profiles", profiler_options=given):
        said = capsys.readouterr().err
        work()
    assert (f"has no profiler option {name!r}" in said) == (not is_known)


@captures.only_where(HAS_OPTIONS)
def test_a_value_that_jax_refuses_is_refused_before_the_block(tmp_path: Path) -> None:
    with pytest.raises(stepscope.SettingsError, match="host_tracer_level cannot be -1"):
        with stepscope.profile_trace("profiles", profiler_options={"host_tracer_level": -1}):
            pytest.fail("the block must not run")
    assert captures.profiles(tmp_path) == []


@captures.only_where(not HAS_OPTIONS)
def test_options_are_left_out_where_jax_has_none(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    with stepscope.profile_trace("profiles", python_tracer_level=0):
        work()
    assert "no profiler options" in capsys.readouterr().err
    assert captures.only_profile(tmp_path)


def test_a_step_that_raises_is_listed_without_an_end(tmp_path: Path, work: Work) -> None:
    with pytest.raises(RuntimeError), stepscope.profile_trace(tmp_path) as trace:
        with trace.step(3):
            trace.block(work())
        with trace.step(4):
            raise RuntimeError("nan")
    assert trace.result is not None
    assert trace.result.steps_text == "steps 3..4"
    steps = captures.manifest_of(captures.only_profile(tmp_path))["steps"]
    assert [(step["step"], step["duration_ns"] is None) for step in steps] == [
        (3, False),
        (4, True),
    ]


@captures.only_where(_jax.has_fast_stop())
def test_a_folder_that_is_removed_meanwhile_is_made_again(tmp_path: Path, work: Work) -> None:
    with stepscope.profile_trace(tmp_path / "logs") as trace:
        work()
        shutil.rmtree(tmp_path / "logs")
    assert trace.result is not None
    assert captures.only_profile(tmp_path / "logs") == trace.result.path
    assert captures.manifest_of(trace.result.path)["success"] is True


@captures.only_where(_jax.has_fast_stop())
def test_options_of_another_kind_are_refused(tmp_path: Path, work: Work) -> None:
    with pytest.raises(stepscope.SettingsError, match="profiler_options has an invalid value: 5"):
        with stepscope.profile_trace(tmp_path, profiler_options=5):
            work()
    assert captures.profiles(tmp_path) == []
    with stepscope.profile_trace(tmp_path):
        work()
