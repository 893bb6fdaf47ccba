"""`@profile_function`, `profile_scope` and `save_memory_profile`."""

from __future__ import annotations

import asyncio
import gzip
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import captures
import jax
import jax.numpy as jnp
import pytest

import stepscope

Work = Callable[[], Any]
pytestmark = pytest.mark.oldest


def test_one_call_after_the_warm_up(tmp_path: Path, work: Work) -> None:
    calls = []

    @stepscope.profile_function("profiles", warmup_steps=2)
    def train_step(number: int, *, scale: int = 1) -> tuple[Any, dict[str, int]]:
        """Its words."""
        calls.append(number)
        with stepscope.profile_scope(f"call_{number}"):
            return work(), {"loss": number * scale}

    for number in range(6):
        state, metrics = train_step(number, scale=2)
        assert metrics == {"loss": 2 * number}
        assert isinstance(state, jax.Array)
    assert calls == list(range(6))
    assert train_step.__name__ == "train_step"
    assert train_step.__doc__ == "Its words."
    profile = captures.only_profile(tmp_path / "profiles")
    names = captures.event_names(profile)
    assert [name for name in names if name.startswith("call_")] == ["call_2"]
    assert profile.parent.name.endswith("train_step")
    assert captures.manifest_of(profile)["step_first"] == 2


def test_five_calls_warm_up_by_default(tmp_path: Path, work: Work) -> None:
    step = stepscope.profile_function("profiles")(work)
    for _ in range(5):
        step()
    assert not captures.profiles(tmp_path)
    step()
    assert captures.only_profile(tmp_path)


def test_the_return_value_is_waited_for(tmp_path: Path) -> None:
    waited = []

    class Pending:
        def block_until_ready(self) -> Pending:
            waited.append(1)
            return self

    step = stepscope.profile_function("profiles", warmup_steps=1)(lambda: {"a": [Pending()]})
    step()
    assert not waited
    step()
    assert waited


def test_several_calls_are_several_captures(tmp_path: Path, work: Work) -> None:
    step = stepscope.profile_function("profiles", warmup_steps=0, num_calls=3, name="op")(work)
    for _ in range(5):
        step()
    assert len(captures.profiles(tmp_path)) == 3


def test_a_call_that_raises(tmp_path: Path, work: Work) -> None:
    @stepscope.profile_function("profiles", warmup_steps=0)
    def step() -> None:
        work()
        raise ValueError("of the function")

    with pytest.raises(ValueError, match="of the function"):
        step()
    assert captures.manifest_of(captures.only_profile(tmp_path))["success"] is False


def test_a_busy_profiler_delays_the_capture(
    tmp_path: Path, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    step = stepscope.profile_function("ours", warmup_steps=0)(work)
    with jax.profiler.trace(str(tmp_path / "jax")):
        step()
    assert not (tmp_path / "ours").exists()
    with stepscope.profile_trace("outer"):
        step()
    assert not (tmp_path / "ours").exists()
    step()
    assert captures.only_profile(tmp_path / "ours")


def test_coroutines(tmp_path: Path, work: Work) -> None:
    @stepscope.profile_function("profiles", warmup_steps=1)
    async def step() -> Any:
        await asyncio.sleep(0)
        return work()

    async def loop() -> None:
        for _ in range(3):
            assert isinstance(await step(), jax.Array)

    asyncio.run(loop())
    assert captures.only_profile(tmp_path)


def test_calls_from_many_threads_make_one_capture(tmp_path: Path, work: Work) -> None:
    step = stepscope.profile_function("profiles", warmup_steps=5, quiet=True)(work)
    threads = [threading.Thread(target=lambda: [step() for _ in range(10)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert captures.only_profile(tmp_path)


def test_without_parentheses_it_says_how() -> None:
    with pytest.raises(TypeError, match="parentheses"):

        @stepscope.profile_function  # type: ignore[arg-type]
        def step() -> None: ...


def test_scopes_nest_and_loop(tmp_path: Path, work: Work) -> None:
    with stepscope.profile_trace("profiles"):
        with stepscope.profile_scope("forward_pass", batch=3):
            for layer in range(4):
                with stepscope.profile_scope(f"layer_{layer}"):
                    work()
        scope = stepscope.profile_scope("again")
        with scope, scope:
            work()
    names = captures.event_names(captures.only_profile(tmp_path))
    assert names["forward_pass"] == 1
    assert all(names[f"layer_{layer}"] == 1 for layer in range(4))
    assert names["again"] == 2


def test_scopes_as_decorators(tmp_path: Path, work: Work) -> None:
    @stepscope.profile_scope("decorated")
    def compute(count: int) -> int:
        work()
        return count

    with stepscope.profile_trace("profiles"):
        assert compute(3) == 3
    assert captures.event_names(captures.only_profile(tmp_path))["decorated"] == 1


def test_scopes_name_the_ops_of_jitted_functions() -> None:
    def loss(x: Any) -> Any:
        with stepscope.profile_scope("my_layer"):
            return jnp.sin(x) * 2

    text = jax.jit(loss).lower(jnp.ones(3)).compile().as_text()
    assert "my_layer" in text


def test_scopes_pass_exceptions_and_close(tmp_path: Path, work: Work) -> None:
    with stepscope.profile_trace("profiles"):
        with pytest.raises(ValueError, match="inside"):
            with stepscope.profile_scope("broken"):
                raise ValueError("inside")
        work()
    assert captures.event_names(captures.only_profile(tmp_path))["broken"] == 1


def test_a_scope_that_a_capture_cuts(tmp_path: Path, work: Work) -> None:
    with stepscope.profile_scope("begun before"):
        stepscope.start_trace("profiles")
        work()
    with stepscope.profile_scope("open at the end"):
        stepscope.stop_trace()
    with stepscope.profile_scope("outside"):
        pass
    names = captures.event_names(captures.only_profile(tmp_path))
    assert not {"begun before", "outside"} & set(names)


def test_memory_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    array = jnp.ones((200, 1000), dtype=jnp.float32)
    path = stepscope.save_memory_profile(tmp_path / "new" / "memory_profile.prof", outputs=array)
    assert path == tmp_path / "new" / "memory_profile.prof"
    content = path.read_bytes()
    assert content[:2] == b"\x1f\x8b"
    raw = gzip.decompress(content)
    assert b"buffer" in raw
    assert b"\x80\xea\x30" in raw  # 800000 bytes as a varint
    assert "Memory profile saved" in capsys.readouterr().err


def test_memory_profiles_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROFILE_DIR", str(tmp_path / "from_variable"))
    first = stepscope.save_memory_profile()
    assert first.parent == tmp_path / "from_variable"
    second = stepscope.save_device_memory_profile(tmp_path / "oom.prof", timestamp=True, quiet=True)
    third = stepscope.save_device_memory_profile(tmp_path)
    assert second.name.startswith("oom_")
    assert third.parent == tmp_path
    assert len({first, second, third}) == 3


def test_memory_profile_errors(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(stepscope.CaptureError, match="Cannot create the folder"):
        stepscope.save_memory_profile(tmp_path / "file" / "memory.prof")
    with pytest.raises(stepscope.CaptureError, match="Cannot take the memory profile"):
        stepscope.save_memory_profile(tmp_path / "memory.prof", backend="no_such_backend")
