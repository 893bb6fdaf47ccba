"""What `stepscope run` asks for, as its hook reads it from the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from . import uploads
from .errors import SettingsError
from .goals import GOALS, Goal
from .rules import check_without_metrics

VARIABLE = "STEPSCOPE_RUN"
"""A JSON object with the fields of `RunRequest`, written by `stepscope run`."""
FIRST_STEP = 20
"""The first captured step if nothing else is planned: compilation and warm-up are over."""
STEPS = 5
"""Steps per capture, unless the goal says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """A plan of captures for a program that does not know of them.

    `steps` is a half-open window. `at_seconds` and `every_seconds` count from the first work with
    jax; `seconds` is how long a capture is where steps cannot be told.
    """

    log_dir: str = "./profiles"
    steps: tuple[int, int] | None = None
    at_seconds: float | None = None
    every_seconds: float | None = None
    seconds: float = 2.0
    goal: str | None = None
    record: bool = False
    rules: tuple[str, ...] = ()
    steps_in_ring: int | None = None
    quiet: bool = False

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> RunRequest | None:
        """The request in `STEPSCOPE_RUN`, or None.

        Raises:
            SettingsError: the variable is damaged, or of another version.
        """
        text = (os.environ if environ is None else environ).get(VARIABLE)
        if not text:
            return None
        try:
            found: dict[str, Any] = json.loads(text)
            known = {one.name for one in fields(cls)}
            if not found.keys() <= known:
                raise ValueError(f"unknown: {', '.join(sorted(found.keys() - known))}")
            if found.get("steps") is not None:
                first, end = found["steps"]
                found["steps"] = (int(first), int(end))
            found["rules"] = tuple(found.get("rules", ()))
            request = cls(**found)
            if request.goal is not None and request.goal not in GOALS:
                raise ValueError(f"goal {request.goal!r}")
        except (ValueError, TypeError, AttributeError) as error:
            raise SettingsError(
                f"{VARIABLE} is not valid: {error}",
                "use the `stepscope` command of the same version as the Python package",
            ) from error
        return request

    def check(self) -> None:
        """Finds mistakes that would leave the program unrecorded.

        Raises:
            SettingsError: a rule is invalid, or the recorder cannot write to the log directory.
        """
        for text in self.rules:
            check_without_metrics(text)
        if self.record:
            uploads.refuse_for_recorder(self.log_dir)

    @property
    def plan(self) -> Goal | None:
        """The goal, or None."""
        return None if self.goal is None else GOALS[self.goal]

    @property
    def num_steps(self) -> int:
        """Steps per capture."""
        if self.steps is not None:
            return self.steps[1] - self.steps[0]
        return STEPS if self.plan is None else self.plan.num_steps

    @property
    def start_step(self) -> int:
        """The first step of the planned window, or -1."""
        if self.steps is not None:
            return self.steps[0]
        is_planned = self.at_seconds is not None or self.every_seconds is not None or self.record
        return -1 if is_planned else FIRST_STEP
