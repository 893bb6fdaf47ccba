"""Where the steps of an unmodified program begin and end: its annotations, or runs of its programs.

A program that marks steps with `StepTraceAnnotation` is followed by these. In any other, a step is
a run of one compiled program, which `program_runs` chooses.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from . import _after_runs, _compilations, _jax
from .program_runs import Listener, ProgramRuns


class ProgramSteps:
    """Calls a listener at each step of the program, once `start` was called."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._runs = ProgramRuns(listener)
        self._annotated_thread: int | None = None
        self._open_annotation: Any = None
        self._is_in_annotation = False
        self._count = 0
        self._undo: list[Callable[[], None]] = []

    @property
    def source(self) -> str | None:
        """How steps are found: `annotations`, `runs of <program>`, or None if there are none yet."""
        if self._annotated_thread is not None:
            return "annotations"
        return None if self._runs.program is None else f"runs of {self._runs.name}"

    @property
    def is_annotated(self) -> bool:
        """Whether the program marks its steps."""
        return self._annotated_thread is not None

    @property
    def has_run(self) -> bool:
        """Whether the program ran anything yet, as far as known."""
        return self._runs.has_run or self.is_annotated

    def start(self) -> None:
        """Begins to watch."""
        self._watch_annotations()
        _compilations.is_counting()
        hook = _after_runs.add(self._runs.ran)
        if hook is not None:
            self._undo.append(hook)

    def close(self) -> None:
        """Ends watching."""
        while self._undo:
            self._undo.pop()()

    def _watch_annotations(self) -> None:
        kind = _jax.profiler().StepTraceAnnotation
        initialize, enter, leave = kind.__init__, kind.__enter__, kind.__exit__
        watch = self

        # An annotation that is made before a capture is not in it, so the step begins here.
        def init(self: Any, *arguments: Any, **keywords: Any) -> None:
            watch._annotation_made(self, keywords.get("step_num"))
            initialize(self, *arguments, **keywords)

        def enter_step(self: Any) -> Any:
            watch._annotation_entered(self)
            return enter(self)

        def leave_step(self: Any, *error: Any) -> Any:
            result = leave(self, *error)
            watch._annotation_ended(self)
            return result

        kind.__init__, kind.__enter__, kind.__exit__ = init, enter_step, leave_step

        def undo() -> None:
            kind.__init__, kind.__enter__, kind.__exit__ = initialize, enter, leave

        self._undo.append(undo)

    def _annotation_made(self, annotation: Any, step: int | None) -> None:
        if self._is_in_annotation:
            return
        thread = threading.get_ident()
        if self._annotated_thread is None:
            self._annotated_thread = thread
            self._runs.stop()
        if thread == self._annotated_thread:
            self._open_annotation = annotation
            self._count = self._count + 1 if step is None else int(step)
            self._listener.began(self._count)

    def _annotation_entered(self, annotation: Any) -> None:
        if annotation is self._open_annotation:
            self._is_in_annotation = True

    def _annotation_ended(self, annotation: Any) -> None:
        if annotation is self._open_annotation:
            self._open_annotation, self._is_in_annotation = None, False
            self._listener.ended(None)
