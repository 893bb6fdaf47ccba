"""`stepscope.recorder(...)`: always on. A record per step, rules, and captures of incidents.

The loop pays for one record in a memory-mapped ring (`ring`). A thread looks at the ring a few
times a second: it evaluates the rules, watches the other ranks, and opens and joins incidents.
"""

from __future__ import annotations

import atexit
import math
import os
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from . import (
    agreed_captures,
    console,
    incident_captures,
    incidents,
    ranks,
    ring,
    run_directory,
    session_ids,
    stacks,
    uploads,
)
from .capture_result import CaptureResult
from .incident_captures import IncidentCaptures
from .lives import Life
from .rules import DEFAULT_RULES, IncidentRule, Known, suggestion
from .settings import PROFILER_DEFAULTS, Settings
from .signatures import suggests_keywords
from .step_parts import StepParts

LOOK_SECONDS = 0.1
OTHERS_SECONDS = 0.5
"""How often the other ranks and their incidents are looked at."""
LOST_SECONDS = 15.0
"""A process that shows no sign of life for this long is lost. Of one on this machine the system knows
whether it exists: if not, it is lost at once; if it does, it is silent."""
MAX_INCIDENTS = 20
MIN_INTERVAL_SECONDS = 60.0
NUM_STEPS = 3
MAX_MEGABYTES = 100.0
STEPS_IN_RING = 65_536
_RECENT = 100
_OVERDUE_RATIO = 2.0
_OVERDUE_SECONDS = 0.15
_SAME_STEPS = 2
"""What ranks notice within so many steps of each other is one incident."""
_FRAMES = 200
"""Frames of the loop that an answer has: where the stacks of ranks part, seen from the outside."""
_METRICS_MISSED_AFTER = 100
"""Steps after which a metric of a rule that was never given is called missing."""
_METRICS_WAITING_MAX = 1000
"""A metric that is still being computed after this many further steps is left out."""


class Recorder:
    """Records each step of this process and captures what the rules call an incident.

    ```python
    with stepscope.recorder("./profiles", rules=["3x", "loss is nan"]) as recorder:
        for step in range(1000):
            state, loss = train_step(state, next(batches))
            recorder.end_step(step, loss=loss)
    ```

    Made by `stepscope.recorder`, which describes the arguments.
    """

    def __init__(
        self,
        settings: Settings,
        rules: Sequence[str],
        *,
        max_incidents: int,
        min_interval_seconds: float,
        steps_in_ring: int,
        options: Any = None,
        annotate_steps: bool = True,
    ) -> None:
        self.settings = settings
        self.rules = [IncidentRule(text) for text in rules]
        self._run = ranks.Run(Path(run_directory.fixed(settings.log_dir)), steps_in_ring)
        self._ring = self._run.ring
        self._known = Known()
        self._max_incidents = max_incidents
        self._min_interval_seconds = min_interval_seconds
        self._captures = IncidentCaptures(
            settings, self._run.rank, self._answer, options=options, annotate_steps=annotate_steps
        )
        self._disturbed: set[int] = set()  # records of steps that a capture of ours made longer
        self._unjudged: deque[int] = deque(maxlen=_METRICS_WAITING_MAX)  # of these, the newest
        self._append = self._ring.append
        self._metrics: deque[tuple[int, int, Mapping[str, Any]]] = deque()
        self._given: set[str] = set()  # names of metrics
        self._is_checked = not any(rule.metrics for rule in self.rules)
        self._seen = 0  # records that the rules have seen
        self._began_ns: int | None = None
        self._parts = StepParts()
        self._loop_thread = threading.get_ident()
        self._overdue: tuple[int, list[str]] | None = None  # frames in the middle of a long step
        self._stacks_of: dict[int, list[str]] = {}
        self._lost: set[int] = set()  # ranks
        self._silent: set[int] = set()
        self._opened = 0
        self._step_of: dict[str, int] = {}  # of the newest incident of each rule
        self._left_out = 0  # how often something was noticed besides that is no incident
        self._last_left_out = ""
        self._unfinished: dict[Path, float] = {}
        self._answers: dict[str, dict[str, Any]] = {}
        self._told: set[Path] = set()  # incidents whose cause was told before their captures were there
        self._others_at = 0.0
        self._is_over = threading.Event()
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._watch, name="stepscope-recorder", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    @property
    def directory(self) -> Path:
        """The folder of this run: `stepscope incidents` takes it, or the log directory."""
        return self._run.folder

    def end_step(self, step: int, **metrics: Any) -> None:
        """Call this after the work of `step`, with metrics as numbers or arrays of one number.

        An array is not waited for: its value is read once it is there.
        """
        number = self._append(step, self._began_ns)
        if metrics:
            self._metrics.append((number, step, metrics))
        if self._captures.is_wanted:
            self._disturbed.add(number + 1)
            self._captures.step_ended(step)

    def name_steps(self, name: str) -> None:
        """What steps are annotated as in captures of incidents, instead of `train`."""
        self._captures.step_name = name

    def begin_step(self) -> None:
        """A program that marks where its steps begin is there: what came before is between steps."""
        self._began_ns = time.perf_counter_ns()

    def close(self) -> None:
        """Ends the recording; an incident that is still being captured is finished as it is."""
        if self._is_over.is_set() or os.getpid() != self._process:
            return
        self._is_over.set()
        self._thread.join(10.0)
        self._captures.close()
        for folder in list(self._unfinished):
            self._finish(folder)
        self._say_what_was_left_out()
        self._ring.close()
        self._parts.close()
        atexit.unregister(self.close)

    def _say_what_was_left_out(self) -> None:
        count = self._left_out
        if count:
            least = console.seconds_text(self._min_interval_seconds)
            console.say(
                f"Noticed {count} more time{'s' if count > 1 else ''}, without a report: a rule has one "
                f"incident in {least}, and a run {self._max_incidents}. The last: {self._last_left_out}",
                quiet=self.settings.quiet,
            )

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _watch(self) -> None:
        while not self._is_over.wait(LOOK_SECONDS):
            self._look()
        self._look()

    def _look(self) -> None:
        try:
            self._parts.sample()
            self._see_steps()
            self._see_metrics()
            if not self._is_checked and self._seen >= _METRICS_MISSED_AFTER:
                self._is_checked = True
                self._warn_of_missing_metrics()
            self._see_moment()
            if time.monotonic() >= self._others_at:
                self._others_at = time.monotonic() + OTHERS_SECONDS
                self._ring.beat()
                self._see_others()
        except Exception as error:  # noqa: BLE001 - the recorder never harms the program
            console.warn(f"the recorder: {type(error).__name__}: {error}")

    def _see_steps(self) -> None:
        count, known = self._ring.count, self._known
        first = max(self._seen, count - self._ring.capacity)
        for number in range(first + 1, count + 1):
            step, ended_ns, step_ns = self._ring.step(number)
            self._seen = number
            parts = self._parts.of(ended_ns - step_ns, ended_ns)
            if parts:
                self._ring.set_parts(number, parts)
            if number == 1 or number in self._disturbed:
                self._disturbed.discard(number)
                self._unjudged.append(number)
                continue  # the first one's time is since the recorder was made
            known.last, known.step_time = known.step_time, step_ns * 1e-9
            for rule in self.rules:
                if rule.kind == "step" and rule.fires(known):
                    frames = self._stacks_of.get(number, [])
                    what = (
                        f"step {step} took {console.seconds_text(known.step_time)}, "
                        f"median {console.seconds_text(known.quantile(0.5))}"
                    )
                    ended = self._ring.unix_ns_at_zero + ended_ns
                    times = {"from_unix_ns": ended - step_ns, "to_unix_ns": ended}
                    self._open(rule.text, "step", what, step, where=stacks.place(frames), **times)
            known.add(known.step_time)
            self._stacks_of.pop(number - 100, None)

    def _see_metrics(self) -> None:
        waiting: list[tuple[int, int, Mapping[str, Any]]] = []
        while self._metrics:
            number, step, metrics = self._metrics.popleft()
            if not all(_is_ready(value) for value in metrics.values()):
                waiting.append((number, step, metrics))
                if len(waiting) > _METRICS_WAITING_MAX:
                    waiting.pop(0)
                continue
            self._given.update(metrics)
            for name, value in metrics.items():
                number_of = _as_number(value)
                if number_of is not None:
                    self._known.metrics[name] = number_of
                    self._ring.set_metric(number, name, number_of)
            self._judge_metrics(number, step)
        self._metrics.extendleft(reversed(waiting))

    def _judge_metrics(self, number: int, step: int) -> None:
        """Rules with metrics are about the step that gave them, and its time."""
        known = self._known
        newest = known.step_time, known.last
        known.step_time, known.last = self._seconds_of(number), self._seconds_of(number - 1)
        for rule in self.rules:
            if rule.kind == "metric" and rule.fires(known):
                self._open_for_metric(rule, step)
        known.step_time, known.last = newest

    def _seconds_of(self, number: int) -> float:
        """The time of a step; NaN if it is not judged."""
        is_there = 0 < number <= self._ring.count and self._ring.count - number < self._ring.capacity
        if not is_there or number in self._unjudged:
            return math.nan
        return self._ring.step(number)[2] * 1e-9

    def _warn_of_missing_metrics(self) -> None:
        for rule in self.rules:
            for name in sorted(rule.metrics - self._given):
                console.warn(
                    f"the rule {rule.text!r} cannot become true: {_METRICS_MISSED_AFTER} steps gave "
                    f"no metric {name}{suggestion(name, self._given)}"
                )

    def _open_for_metric(self, rule: IncidentRule, step: int) -> None:
        values = {name: self._known.metrics[name] for name in sorted(rule.metrics)}
        what = ", ".join(f"{name} is {value:.6g}" for name, value in values.items())
        if rule.uses_times:
            what += f", step time {console.seconds_text(self._known.step_time)},"
        texts = {name: repr(value) for name, value in values.items()}
        self._open(
            rule.text, "metric", f"{what} at step {step}", step, metrics=sorted(values), values=texts
        )

    def _see_moment(self) -> None:
        known, count = self._known, self._ring.count
        if count == 0:
            return
        known.idle = (time.perf_counter_ns() - self._ring.last_ns) * 1e-9
        usual = known.quantile(0.5) if len(known) else math.inf
        if known.idle > max(_OVERDUE_SECONDS, _OVERDUE_RATIO * usual):
            if self._overdue is None or self._overdue[0] != count + 1:
                self._overdue = (count + 1, stacks.of_thread(self._loop_thread))
                self._stacks_of[count + 1] = self._overdue[1]
        if count + 1 in self._disturbed:
            known.idle = 0.0
        for rule in self.rules:
            if rule.is_of_moments and rule.fires(known):
                self._open_for_moment(rule)

    def _open_for_moment(self, rule: IncidentRule) -> None:
        known = self._known
        step, _, _ = self._ring.step(self._ring.count)
        if "memory" in rule.text:
            self._open(rule.text, "memory", f"memory is {known.memory:.0%} full", step)
            return
        what = f"no step ended for {console.seconds_text(known.idle)} on rank {self._run.rank}"
        if "late" in rule.text:
            what = f"rank {self._run.rank} is late by {console.seconds_text(known.late)}"
        self._open(rule.text, "stall", what, step)

    def _see_others(self) -> None:
        self._known.memory = incident_captures.memory_share()
        others = self._run.watched()
        self._known.late = self._late_seconds(others)
        for other in others:
            self._see_life(other)
        for folder, request in self._run.new_requests():
            self._opened += 1
            self._join(folder, request)
        self._captures.give_up_late()
        for folder, ends in list(self._unfinished.items()):
            expected = self._run.count - len(self._lost | self._silent)
            answers = incidents.answers_of(folder).values()
            if sum(map(incidents.is_final, answers)) >= expected or time.monotonic() > ends:
                self._finish(folder)
            elif len(answers) >= expected and folder not in self._told:
                # The job may not live until its captures are there, or hang.
                self._told.add(folder)
                self._tell(incidents.write(folder, is_final=False))

    def _see_life(self, other: ring.Contents) -> None:
        """Opens an incident if another process stopped, or shows no sign of life."""
        life, rank = self._run.life(other, LOST_SECONDS), other.rank
        last = other.records[-1].step if other.records else -1
        if life is Life.GOES_ON:
            self._silent.discard(rank)
        elif life is Life.LOST and rank not in self._lost:
            self._lost.add(rank)
            what = f"rank {rank} stopped without ending"
            self._open(f"lost rank {rank}", "lost", what, last, lost_rank=rank)
        elif life is Life.SILENT and rank not in self._silent:
            self._silent.add(rank)
            silent = console.seconds_text(LOST_SECONDS)
            what = f"rank {rank} shows no sign of life for {silent}, but its process exists"
            self._open(f"silent rank {rank}", "silent", what, last, silent_rank=rank)

    def _late_seconds(self, others: list[ring.Contents]) -> float:
        """For how long the foremost other rank has been past the step that this one does."""
        if self._ring.count == 0:
            return 0.0
        step = self._ring.step(self._ring.count)[0]
        ended = [
            self._run.ended_unix_ns(one, record)
            for one in others
            for record in one.records
            if record.step > step
        ]
        return max(0.0, (time.time_ns() - min(ended)) * 1e-9) if ended else 0.0

    def _open(self, rule: str, kind: str, what: str, step: int, **details: Any) -> None:
        """Opens an incident, unless there were enough of its kind, or of all."""
        if self._opened >= self._max_incidents or not self._run.may_open(
            rule, self._min_interval_seconds
        ):
            # Others see the same, about a step apart.
            if abs(step - self._step_of.get(rule, -_SAME_STEPS - 1)) > _SAME_STEPS:
                self._left_out += 1
                self._last_left_out = what
            return
        self._opened += 1
        mine = self._ring.count and self._ring.step(self._ring.count)[0]
        tails = [one.records[-1].step for one in self._run.watched() if one.records]
        ahead = agreed_captures.steps_ahead(self._recent_step_seconds(), OTHERS_SECONDS)
        request = {
            "id": session_ids.new_id(f"{kind}_rank_{self._run.rank}"),
            "rule": rule,
            "kind": kind,
            "what": what,
            "rank": self._run.rank,
            "host": self._run.host,
            "step": step,
            "unix_ns": time.time_ns(),
            "capture_step": max([mine, *tails]) + (ahead if self._run.count > 1 else 1),
        } | details
        folder = self._run.open(request)
        console.say(f"Incident: {what}", quiet=self.settings.quiet and self._run.rank != 0)
        self._unfinished[folder] = time.monotonic() + 2 * incident_captures.WAIT_SECONDS
        self._join(folder, request)

    def _recent_step_seconds(self) -> float:
        """How fast steps come now: their mean, for they may come in bursts, without the longest one, which
        may be the incident."""
        count = self._ring.count
        times = [self._ring.step(one)[2] for one in range(max(1, count - _RECENT) + 1, count + 1)]
        if len(times) < 2:
            return times[0] * 1e-9 if times else 1.0
        return (sum(times) - max(times)) * 1e-9 / (len(times) - 1)

    def _join(self, folder: Path, request: dict[str, Any]) -> None:
        """Leaves what this rank knows in the incident, and captures with the others."""
        self._step_of[str(request["rule"])] = int(request["step"])
        count = self._ring.count
        frames = self._stacks_of.get(count + 1, [])
        if request["kind"] == "step":
            frames = self._frames_during(request)
        elif not frames:
            frames = stacks.of_thread(self._loop_thread)
        step = self._ring.step(count)[0] if count else -1
        # After the step was read: others may wait for the file, and then the loop goes on.
        stacks.write_all(folder / f"rank_{self._run.rank}.stacks.txt")
        self._answers[folder.name] = {
            "rank": self._run.rank,
            "host": self._run.host,
            "pid": os.getpid(),
            "step": step,
            "where": stacks.place(frames),
            "frames": frames[:_FRAMES],
            "memory_share": None if math.isnan(self._known.memory) else self._known.memory,
            "captured": None,
        }
        self._write_answer(folder, self._answers[folder.name])
        self._captures.plan(folder, int(request["capture_step"]))

    def _frames_during(self, request: dict[str, Any]) -> list[str]:
        """Where the loop was while the step of the incident was slow, if it was seen: in the step that
        is still open, or the longest that overlaps with it."""
        count, zero = self._ring.count, self._ring.unix_ns_at_zero
        if (count + 1) in self._stacks_of:
            return self._stacks_of[count + 1]
        longest, found = 0, None
        for number in range(count, max(0, count - self._ring.capacity, count - 1000), -1):
            step, ended_ns, step_ns = self._ring.step(number)
            is_then = incidents.was_then(request, step, zero + ended_ns, step_ns)
            if is_then and step_ns > longest:
                longest, found = step_ns, number
        return self._stacks_of.get(found, []) if found else []

    def _answer(self, folder: Path, captured: CaptureResult | None, why_not: str | None) -> None:
        """This rank's capture is there, or will not be."""
        answer = self._answers.pop(folder.name, None)
        if answer is None:
            return
        answer["captured"] = None if captured is None else str(captured.directory)
        answer["captured_steps"] = None if captured is None else captured.steps_text
        answer["not_captured"] = why_not
        self._write_answer(folder, answer)

    def _write_answer(self, folder: Path, answer: dict[str, Any]) -> None:
        incident_captures.write_answer(folder / f"rank_{self._run.rank}.json", answer)

    def _finish(self, folder: Path) -> None:
        self._unfinished.pop(folder, None)
        incident = incidents.write(folder)
        if folder not in self._told:
            self._tell(incident)
        elif incident["captures"]:
            lines = [f"Captured: {incident['what']}", *incidents.captures_told(incident)]
            console.say("\n".join(lines), quiet=self.settings.quiet and self._run.rank != 0)

    def _tell(self, incident: dict[str, Any]) -> None:
        lines = "\n".join(incidents.report(incident))
        console.say(lines, quiet=self.settings.quiet and self._run.rank != 0)


@suggests_keywords
def recorder(
    log_dir: str | os.PathLike[str] | None = None,
    rules: Sequence[str] | None = None,
    *,
    max_incidents: int = MAX_INCIDENTS,
    min_interval_seconds: float = MIN_INTERVAL_SECONDS,
    num_steps: int = NUM_STEPS,
    max_megabytes: float = MAX_MEGABYTES,
    steps_in_ring: int = STEPS_IN_RING,
    quiet: bool | None = None,
) -> Recorder:
    """Records every step of this process, and captures incidents with the other ranks of its job.

    Args:
        log_dir: the log directory, which the ranks share; default PROFILE_DIR, or `./profiles`.
        rules: what an incident is, such as `"step_time > 3 * median"`, `"idle > 60s"`,
            `"late > 30s"`, `"memory > 0.95"`, `"loss is nan"`; default: the first four. A process
            that stops without ending is always one.
        max_incidents: how many incidents a run may have.
        min_interval_seconds: seconds between incidents of one rule.
        num_steps: steps that are captured of an incident.
        max_megabytes: a capture ends when its file would be about this large.
        steps_in_ring: newest steps that are kept, 128 bytes each.
        quiet: print nothing but warnings.

    Raises:
        TriggerError: a rule is invalid.
        SettingsError: the log directory is an address, such as `gs://bucket`.
        CaptureError: the folder cannot be written.
    """
    return Recorder(
        settings_of(log_dir, num_steps=num_steps, max_megabytes=max_megabytes, quiet=quiet),
        DEFAULT_RULES if rules is None else rules,
        max_incidents=max_incidents,
        min_interval_seconds=min_interval_seconds,
        steps_in_ring=steps_in_ring,
    )


def settings_of(
    log_dir: str | os.PathLike[str] | None = None,
    *,
    num_steps: int = NUM_STEPS,
    max_megabytes: float = MAX_MEGABYTES,
    quiet: bool | None = None,
) -> Settings:
    """The settings of a recorder and of the captures that it makes.

    Raises:
        SettingsError: the log directory is an address.
    """
    settings = Settings.resolve(
        PROFILER_DEFAULTS | {"log_dir": "./profiles"},
        log_dir=log_dir,
        start_step=-1,
        num_steps=num_steps,
        max_megabytes=max_megabytes,
        quiet=quiet,
    )
    uploads.refuse_for_recorder(settings.log_dir)
    return settings


def _is_ready(value: Any) -> bool:
    is_ready = getattr(value, "is_ready", None)
    try:
        return is_ready is None or bool(is_ready())
    except Exception:  # noqa: BLE001 - deleted, or failed: the program gets this error itself
        return True


def _as_number(value: Any) -> float | None:
    try:
        return float(value)
    except Exception:  # noqa: BLE001 - not one number, deleted, or failed
        return None
