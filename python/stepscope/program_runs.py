"""Which compiled program makes a step of a program without annotations, and when it ran.

It is the one with the largest results among those that ran at least three times: a training step
returns the parameters and the state of the optimizer. jax calls a hook after each run of a compiled
program, except the first one, which compiles it. So a program that runs once per step is seen late:
gradients of eight micro-batches ran 24 times when the update after them has run three times. Until
then nothing must be captured, so a choice is settled only

- if the program receives its own results again, as a training step does, or
- if it ran three times as often as it had when something was compiled for the last time: the loop
  then began anew twice, so whatever else it runs has been seen.
"""

from __future__ import annotations

import inspect
import threading
import weakref
from dataclasses import dataclass, field
from typing import Any, Protocol

from . import _compilations, _jax

RUNS_MIN = 3
"""A program that ran less often is not the program of the steps."""
RUNS_WATCHED = 64
"""After so many runs of the chosen program the choice is settled in any case."""
_PROGRAMS_MAX = 64
_RESULTS_MAX = 64
_LIBRARY = ("jax.", "jax._src.")
_PMAP = "jax._src.pmap"


class Listener(Protocol):
    """What is called at the edges of steps, on the thread of the loop. Must not raise."""

    @property
    def is_recording(self) -> bool:
        """Whether steps are being captured: they must not change their meaning now."""

    def began(self, step: int) -> None:
        """A step begins."""

    def ended(self, outputs: Any) -> None:
        """The step that began last has ended, with its results if known."""

    def changed(self) -> None:
        """From now on steps are those of another program, counted anew."""


@dataclass(slots=True, eq=False)
class _Seen:
    """A program that ran."""

    program: Any  # kept, so that no other one gets its number
    runs: int = 1  # the first one compiled it
    runs_at_compilation: int = 0
    """How often it had run when anything was compiled for the last time."""
    size_bytes: int = 0
    results: dict[int, weakref.ref[Any]] = field(default_factory=dict)
    """The results of its last run, by their number."""
    carries_state: bool | None = None
    """Whether each run received results of the one before; None before the third."""

    @property
    def is_settled(self) -> bool:
        return bool(self.carries_state) or self.runs > RUNS_MIN * self.runs_at_compilation

    def look_at(self, arguments: Any, keywords: Any, outputs: Any) -> None:
        """Compares the arguments of a run with the results of the last one."""
        if self.results:
            leaves = _leaves((arguments, keywords))
            receives = any(self._is_result(leaf) for leaf in leaves)
            self.carries_state = receives and self.carries_state is not False
        self.results = {}
        for leaf in _leaves(outputs)[:_RESULTS_MAX]:
            try:
                self.results[id(leaf)] = weakref.ref(leaf)
            except TypeError:  # a number
                continue

    def _is_result(self, leaf: Any) -> bool:
        result = self.results.get(id(leaf))
        return result is not None and result() is leaf


class ProgramRuns:
    """Counts runs of compiled programs and chooses the one that makes a step."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self.program: Any = None
        self.name = ""
        self.has_run = False
        self._thread = 0
        self._chosen: _Seen | None = None
        self._next: _Seen | None = None  # waits for the end of a capture
        self._is_watched = True  # whether the choice may turn out to be wrong
        self._has_begun = False
        self._is_inside = False
        self._is_stopped = False
        self._compilations = 0
        self._seen: dict[int, _Seen] = {}

    def ran(self, program: Any, arguments: Any, keywords: Any, outputs: Any) -> None:
        """Called by jax after each run of a compiled program but its first."""
        if program is self.program:
            if self._thread == threading.get_ident() and not self._is_inside:
                self._step_ran(arguments, keywords, outputs)
        elif not self._is_stopped and not self._is_inside:
            self._other_ran(program, arguments, keywords, outputs)

    def stop(self) -> None:
        """The program marks its steps itself."""
        self._is_stopped = True
        self.program = self._chosen = self._next = None
        self._seen.clear()

    def _step_ran(self, arguments: Any, keywords: Any, outputs: Any) -> None:
        chosen = self._chosen
        if chosen is None:
            return
        self._is_inside = True  # a capture that starts here runs programs too
        try:
            if self._is_watched:
                self._watch(chosen, arguments, keywords, outputs)
            chosen.runs += 1
            self._next_step(chosen, outputs)
        finally:
            self._is_inside = False

    def _next_step(self, chosen: _Seen, outputs: Any) -> None:
        if self._has_begun:
            self._has_begun = False
            self._listener.ended(outputs)
        if not self._is_watched or chosen.is_settled:
            self._has_begun = True
            self._listener.began(chosen.runs)

    def _watch(self, chosen: _Seen, arguments: Any, keywords: Any, outputs: Any) -> None:
        """Whether the choice was right. A capture must not be interrupted by doubts about it."""
        if self._listener.is_recording or chosen.runs >= RUNS_WATCHED:
            self._is_watched = False
            for seen in self._seen.values():
                seen.results = {}
        else:
            self._note_compilations()
            chosen.look_at(arguments, keywords, outputs)

    def _note_compilations(self) -> None:
        count = _compilations.count()
        if count != self._compilations:
            self._compilations = count
            for seen in self._seen.values():
                seen.runs_at_compilation = seen.runs

    def _other_ran(self, program: Any, arguments: Any, keywords: Any, outputs: Any) -> None:
        self.has_run = True
        self._note_compilations()
        seen = self._seen.get(id(program))
        if seen is None:
            is_library = (getattr(program, "__module__", None) or "").startswith(_LIBRARY)
            is_mapped = getattr(program, "__module__", None) == _PMAP
            if (is_library and not is_mapped) or len(self._seen) >= _PROGRAMS_MAX:
                return
            seen = self._seen[id(program)] = _Seen(program)
        seen.runs += 1
        if seen.runs <= RUNS_MIN:
            seen.look_at(arguments, keywords, outputs)
        if seen.runs == RUNS_MIN:
            seen.size_bytes = _bytes_of(outputs)
            if self._is_better(seen):
                self._next = seen
        if seen is self._next and not self._listener.is_recording:
            self._choose(seen, outputs)

    def _is_better(self, seen: _Seen) -> bool:
        """Larger than what was chosen. What carries state does not give way to what does not."""
        best = self._next or self._chosen
        if best is None:
            return True
        is_larger = seen.size_bytes > best.size_bytes
        return is_larger and (bool(seen.carries_state) or not best.carries_state)

    def _choose(self, seen: _Seen, outputs: Any) -> None:
        self._is_inside = True
        try:
            if self._has_begun:
                self._has_begun = False
                self._listener.ended(None)
            is_change = self._chosen is not None
            self._chosen, self._next, self.program = seen, None, seen.program
            self.name = _name_of(seen.program)
            self._thread = threading.get_ident()
            if is_change:
                self._listener.changed()
            self._next_step(seen, outputs)
        finally:
            self._is_inside = False


def _name_of(program: Any) -> str:
    """The name of the function that was compiled; of `pmap`, that of what it maps."""
    if getattr(program, "__module__", None) == _PMAP:
        # All programs of pmap are called `_fun`, which has the function of the user in its closure.
        closure = getattr(inspect.unwrap(program), "__closure__", None) or ()
        mapped = (getattr(cell.cell_contents, "f", None) for cell in closure)
        program = next((function for function in mapped if callable(function)), program)
    return getattr(program, "__name__", None) or "a compiled program"


def _leaves(tree: Any) -> list[Any]:
    leaves: list[Any] = _jax.module().tree_util.tree_leaves(tree)
    return leaves


def _bytes_of(outputs: Any) -> int:
    return sum(int(getattr(leaf, "nbytes", 0) or 0) for leaf in _leaves(outputs))
