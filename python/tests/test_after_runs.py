"""jax's hook after each run is shared with its own check for NaNs, whoever sets it anew."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jax._src import api as _api

from stepscope import _after_runs

api: Any = _api


class Runs:
    def __init__(self) -> None:
        self.count = 0
        self.add = jax.jit(lambda x: x + 1)
        self.ones = jnp.ones(3)
        self.add(self.ones)
        self.remove: Callable[[], None] | None = _after_runs.add(self._ran)

    def _ran(self, program: Any, arguments: Any, keywords: Any, outputs: Any) -> None:
        self.count += 1

    def seen(self) -> int:
        """How many of three runs were seen."""
        before = self.count
        for _ in range(3):
            self.add(self.ones)
        return self.count - before


@pytest.fixture
def runs() -> Iterator[Runs]:
    runs = Runs()
    yield runs
    if runs.remove is not None:
        runs.remove()


def check_nans_for_a_while() -> None:
    """As `jax.nn.relu` and many functions of `jax.numpy` do while they are traced."""
    with jax.debug_nans(False):
        pass


def test_a_check_that_was_turned_on_for_a_while_does_not_end_it(runs: Runs) -> None:
    assert runs.seen() == 3
    check_nans_for_a_while()
    assert runs.seen() == 3


def test_it_is_seen_in_threads_too(runs: Runs) -> None:
    seen: list[int] = []

    def work() -> None:
        check_nans_for_a_while()
        seen.append(runs.seen())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [3]


def test_a_thread_that_turned_the_check_off_before_is_seen() -> None:
    check_nans_for_a_while()
    runs = Runs()
    try:
        assert runs.seen() == 3
    finally:
        assert runs.remove is not None
        runs.remove()


def test_the_check_goes_on(runs: Runs) -> None:
    divide = jax.jit(lambda x: x / 0.0)
    nothing = jnp.zeros(3)
    with jax.debug_nans(True):
        divide(jnp.ones(3))
        with pytest.raises(FloatingPointError):
            divide(nothing)
        if hasattr(api, "_post_hook_state"):  # older versions replace the hook
            assert runs.seen() == 3
    divide(nothing)
    assert runs.seen() == 3


def test_what_is_added_twice_is_removed_one_by_one(runs: Runs) -> None:
    other = Runs()
    assert (other.seen(), runs.remove is not None) == (3, True)
    assert other.remove is not None
    other.remove()
    assert other.seen() == 0
    assert runs.seen() == 3


def test_nothing_is_left_behind() -> None:
    before = getattr(api, "_post_hook_state", None)
    runs = Runs()
    check_nans_for_a_while()
    assert runs.remove is not None
    runs.remove()
    assert runs.seen() == 0
    assert getattr(api, "_post_hook_state", None) is before
