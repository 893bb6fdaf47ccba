"""Where the steps of an unmodified program begin and end: its annotations, or runs of its programs.

A program that marks steps with `StepTraceAnnotation` is followed by these. In any other, a step is
a run of the compiled program with the largest results among those that ran at least three times:
that of a training step returns the parameters and the state of the optimizer. jax calls a hook
after each run of a compiled program, except the first one, which compiles it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from . import _jax

RUNS_MIN = 3
"""A program that ran less often is not the program of the steps."""
_PROGRAMS_MAX = 64
_LIBRARY = ("jax.", "jax._src.")


class Listener(Protocol):
    """What is called at the edges of steps, on the thread of the loop. Must not raise."""

    def began(self, step: int) -> None:
        """A step begins."""

    def ended(self, outputs: Any) -> None:
        """The step that began last has ended, with its results if known."""


class ProgramSteps:
    """Calls a listener at each step of the program, once `start` was called."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._runs = _Runs(listener)
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
        hook = _jax.set_run_hook(self._runs.ran)
        if hook is not None:
            self._undo.append(hook)

    def close(self) -> None:
        """Ends watching."""
        while self._undo:
            self._undo.pop()()

    def _watch_annotations(self) -> None:
        kind = _jax.profiler().StepTraceAnnotation
        initialise, enter, leave = kind.__init__, kind.__enter__, kind.__exit__
        watch = self

        # An annotation that is made before a capture is not in it, so the step begins here.
        def init(self: Any, *arguments: Any, **keywords: Any) -> None:
            watch._annotation_made(self, keywords.get("step_num"))
            initialise(self, *arguments, **keywords)

        def enter_step(self: Any) -> Any:
            watch._annotation_entered(self)
            return enter(self)

        def leave_step(self: Any, *error: Any) -> Any:
            result = leave(self, *error)
            watch._annotation_ended(self)
            return result

        kind.__init__, kind.__enter__, kind.__exit__ = init, enter_step, leave_step

        def undo() -> None:
            kind.__init__, kind.__enter__, kind.__exit__ = initialise, enter, leave

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


class _Runs:
    """Counts runs of compiled programs and chooses the one that makes a step."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self.program: Any = None
        self.name = ""
        self.has_run = False
        self._thread = 0
        self._bytes = -1
        self._step = 0
        self._is_inside = False
        self._is_stopped = False
        self._seen: dict[int, list[Any]] = {}

    def ran(self, program: Any, arguments: Any, keywords: Any, outputs: Any) -> None:
        """Called by jax after each run of a compiled program but its first."""
        if program is self.program:
            if self._thread == threading.get_ident() and not self._is_inside:
                self._step_ran(outputs)
        elif not self._is_stopped and not self._is_inside:
            self._other_ran(program, outputs)

    def stop(self) -> None:
        """The program marks its steps itself."""
        self._is_stopped = True
        self.program = None
        self._seen.clear()

    def _step_ran(self, outputs: Any) -> None:
        self._is_inside = True  # a capture that starts here runs programs too
        try:
            self._listener.ended(outputs)
            self._step += 1
            self._listener.began(self._step)
        finally:
            self._is_inside = False

    def _other_ran(self, program: Any, outputs: Any) -> None:
        self.has_run = True
        seen = self._seen.get(id(program))
        if seen is None:
            is_library = (getattr(program, "__module__", None) or "").startswith(_LIBRARY)
            is_mapped = getattr(program, "__module__", None) == "jax._src.pmap"
            if (is_library and not is_mapped) or len(self._seen) >= _PROGRAMS_MAX:
                return
            # The program is kept, so that no other one gets its number.
            seen = self._seen[id(program)] = [1, program]  # its first run, which compiled it
        seen[0] += 1
        if seen[0] != RUNS_MIN:
            return
        size_bytes = _bytes_of(outputs)
        if size_bytes > self._bytes:
            if self.program is not None:
                self._listener.ended(None)
            self.program, self._bytes = program, size_bytes
            self.name = getattr(program, "__name__", None) or "a compiled program"
            self._thread, self._step = threading.get_ident(), seen[0] - 1
            self._step_ran(outputs)


def _bytes_of(outputs: Any) -> int:
    leaves = _jax.module().tree_util.tree_leaves(outputs)
    return sum(int(getattr(leaf, "nbytes", 0) or 0) for leaf in leaves)
