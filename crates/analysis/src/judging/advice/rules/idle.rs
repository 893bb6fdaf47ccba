//! The device is idle while its host does no recorded work (guides: device idle gaps).

use stepscope_model::{SaturatingSum as _, SliceKind};

use super::donation;
use super::full_queue::{FullQueue, blocked_at};
use super::host_causes::{BUSY_CORES, Causes, longest_gaps, title_of, why_of};
use super::late_threads::Late;
use super::load_imbalance;
use super::pauses_between::pauses_between_ps;
use super::rival::{Rival, rival};
use super::step_waits::{self, launch_ahead};
use super::{
    Outcome, Rule, finding, gravity, is_in_few_steps, judged_in_recording, length_of, part,
};
use crate::judging::advice::facts::{Facts, OfPlace, Place};
use crate::judging::advice::report::{AdviceFinding, Confidence};
use crate::judging::advice::steps_of_runs::StepsOfRuns;
use crate::judging::verdict::Severity;
use crate::measuring::activity::{Cause, QueueEnd};
use crate::measuring::pauses::Pauses;
use crate::measuring::steps::{PartKind, StepParts};
use crate::telling::{format, recording};
use crate::views::idle::GapRow;

pub(super) static RULE: Rule = Rule {
    id: "idle",
    title: "Device idle while host is idle or blocked",
    parts: &[PartKind::Idle],
    check,
};

/// Why a GPU does nothing although its next program was launched.
const LATE_LAUNCH: &str = "The call that launched it had returned, so the host does not cause the delay: \
    the launch took long to arrive, the GPU waited for a copy or another GPU, or it did something that \
    was not recorded.";
const GRAPHS: &str = "Look at the gaps on the timeline. A CUDA or HIP graph is uploaded before its first runs, \
    which takes longer while a profiler records its kernels: look at later steps, or capture once with \
    `XLA_FLAGS=--xla_gpu_enable_command_buffer=`, which turns graphs off.";

/// Why one of several virtual devices does nothing although it has work.
const TURNS: &str = "Virtual devices of XLA:CPU take turns on the cores of their host, so while one works, \
    others wait for a core, or for what it computes.";
/// The title where a device waits until others have done their parts of a run.
pub(super) const UNEQUAL: &str = "Devices are done at different times";
const WHOLE_RUN: &str = "The device is done with its part of a run, and another one of its host is not. The host waits \
                         for the whole run before it launches the next one.";

const ONE_BATCH: &str = "The devices work on one batch, each on what the one before it computed, and the host waits for the \
                         last one before it launches the next batch.";
const MORE_BATCHES: &str = "Split each batch into parts and launch those one after another, so that the devices work on several \
                            at once (a pipeline), or launch the next batch before reading the result of the last one. If \
                            the parameters fit, let every device compute a part of the batch instead.";

/// What to do about a device that waits for the cores of its host.
const FREE_CORES: &str = "Measure while nothing else runs on the machine, and look at the ops around the gaps on the \
                          timeline: what ran between them may be of another program, or was not recorded.";
const ON_ACCELERATORS: &str = "Look for such gaps on accelerators, where each device has its own cores; the \
    length of these says little about them.";

/// Whether the host waits for something other than the device in most of its longest blocked gaps, by
/// time.
fn waits_for_others(facts: &Facts<'_>) -> bool {
    const CALLS: [&str; 8] = [
        "acquire",
        "wait",
        "join",
        "poll",
        "select",
        "accept",
        "recv",
        "recv_into",
    ];
    let is_for_others = |gap: &&GapRow| {
        let call = gap.what.rsplit(' ').next().unwrap_or_default();
        CALLS.contains(&call) && !gap.what.contains("::")
    };
    is_mostly(facts, is_for_others)
}

/// Threads that wait for what to launch.
struct Queued {
    /// Whether they are those of a server: several, workers of a pool, or an event loop that does not
    /// train.
    is_server: bool,
    /// Whether an event loop (asyncio) waits, and no queue of threads.
    in_event_loop: bool,
}

/// The time per step in which devices of a server are idle because it waits for requests; none of other
/// programs.
pub(super) fn serving_ps(facts: &Facts<'_>, place: Place) -> Option<f64> {
    let queued = Queued::of(facts, place)?;
    let idle = facts.by_place(|row| row.lengths.quiet_ps() as f64);
    let own = idle.iter().find(|own| own.place == place)?;
    queued.is_server.then_some(own.mean)
}

impl Queued {
    /// Those of a place, if in most of its longest blocked gaps, by time, one waits.
    fn of(facts: &Facts<'_>, place: Place) -> Option<Self> {
        if waits_in_event_loop(facts, place) {
            return Some(Self {
                is_server: !facts.trains(),
                in_event_loop: true,
            });
        }
        let waits = blocked_at(facts, place, QueueEnd::Get)?;
        Some(Self {
            is_server: waits.threads > 1 || waits.are_pooled,
            in_event_loop: false,
        })
    }

    fn doing(&self) -> &'static str {
        if self.in_event_loop {
            "the event loop that launches its programs has nothing to run: it waits for a socket, a timer \
             or another thread"
        } else if self.is_server {
            "the threads that launch its programs wait in a queue for work"
        } else {
            "the thread that launches its programs waits in a queue for work"
        }
    }

    /// The spare capacity of a server is no gain.
    fn told(&self, finding: AdviceFinding) -> AdviceFinding {
        let finding = finding.titled("The host waits for work".to_owned());
        let finding = if self.in_event_loop {
            finding
                .why(
                    "What there is to do, requests or batches, comes to the loop from outside. If it is \
                     requests, the time is spare capacity.",
                )
                .fix(
                    "If it is requests, nothing is wrong: the device has time for more of them. If it is \
                     batches, look at what the loop awaits, and start it earlier.",
                )
        } else {
            finding
                .why(
                    "What there is to do, requests or batches, comes from other threads or processes \
                     through the queue. If it is requests, the time is spare capacity.",
                )
                .fix(
                    "If it is requests, nothing is wrong: the device has time for more of them. If it is \
                     batches, look at what fills the queue, and fill it earlier.",
                )
        };
        if self.is_server {
            AdviceFinding {
                severity: Severity::Info,
                ..finding.gain(None, "")
            }
        } else {
            finding
        }
    }
}

/// Whether an event loop waits in most of the longest blocked gaps of a place, by time: the calls with
/// which asyncio waits for anything.
fn waits_in_event_loop(facts: &Facts<'_>, (_, device): Place) -> bool {
    const CALLS: [&str; 4] = ["poll", "select", "control", "kqueue"];
    let session = facts.session;
    let mut labels = session.labels.iter();
    let is_loop = |name: &str| name.contains("base_events.py:") && name.ends_with(" _run_once");
    if !labels.any(|label| is_loop(session.text(label.name))) {
        return false;
    }
    let gaps = facts.gaps().longest.iter().filter(|gap| {
        let is_own = device.is_none_or(|device| device.0 == gap.device_index);
        is_own && gap.cause == Cause::Blocked
    });
    let (waits, rest): (Vec<&GapRow>, Vec<&GapRow>) =
        gaps.partition(|gap| CALLS.contains(&gap.what.rsplit(' ').next().unwrap_or_default()));
    let time = |gaps: Vec<&GapRow>| gaps.iter().map(|gap| gap.duration_ps).saturating_sum();
    time(waits) > time(rest)
}

/// Whether the host waits until each device has taken over its part of a launch.
fn waits_for_launches(facts: &Facts<'_>) -> bool {
    is_mostly(facts, |gap| gap.what.contains("LaunchOnDevice"))
}

/// Whether most of the longest blocked gaps, by time, are like this.
fn is_mostly(facts: &Facts<'_>, is_so: impl Fn(&&GapRow) -> bool) -> bool {
    let gaps = facts.gaps().longest.iter();
    let (own, rest): (Vec<&GapRow>, Vec<&GapRow>) = gaps
        .filter(|gap| gap.cause == Cause::Blocked)
        .partition(is_so);
    let time = |gaps: Vec<&GapRow>| gaps.iter().map(|gap| gap.duration_ps).saturating_sum();
    time(own) > time(rest)
}

/// How the gain was estimated.
const ESTIMATE: &str =
    "mean over steps of this idle time on the device that is idle for most of its steps";

/// A rest below this share of the idle time is not mentioned.
const MIN_REST: f64 = 0.05;

/// Idle time of a device: what it pauses for although it has work, or what its host keeps it waiting.
struct Half {
    is_pause: bool,
    time: OfPlace,
}

impl Half {
    /// Together with the rest the idle time is a finding; by itself it may be below the threshold.
    fn severity(&self, facts: &Facts<'_>) -> Severity {
        let own = gravity(&facts.threshold("idle_ratio"), self.time.share());
        own.unwrap_or(Severity::Warning)
    }

    /// ` It is idle for another 1.234 ms although it has work.`
    fn as_rest(&self, named: &Self) -> String {
        let time = self.time.mean;
        if time < MIN_REST * (time + named.time.mean) {
            return String::new();
        }
        let doing = if self.is_pause {
            "although it has work"
        } else {
            "while its host waits or recorded nothing"
        };
        let time = format::duration_ps(time);
        format!(" It is idle for another {time} {doing}.")
    }
}

/// How long the device of a step pauses although it has work, or else waits for its host.
fn half_ps(row: &StepParts, is_pause: bool) -> f64 {
    (if is_pause {
        row.lengths.paused_ps
    } else {
        row.lengths.quiet_ps()
    }) as f64
}

/// The idle time of the steps of a place in two: the longer half, whose cause is named, and the rest.
/// The host does not cause pauses, so they have another remedy.
fn halves(facts: &Facts<'_>, place: Place) -> (Half, Half) {
    let half = |is_pause: bool| {
        let mut places = facts.by_place(|row| half_ps(row, is_pause)).into_iter();
        let time = places.find(|own| own.place == place);
        Half {
            is_pause,
            time: time.unwrap_or(OfPlace::none(place)),
        }
    };
    let (pause, wait) = (half(true), half(false));
    if pause.time.mean > wait.time.mean {
        (pause, wait)
    } else {
        (wait, pause)
    }
}

/// What happens while the device is idle.
fn doing(
    facts: &Facts<'_>,
    causes: &Causes,
    (is_pause, other): (bool, Option<Other>),
    on_gpus: bool,
) -> String {
    if let Some(other) = other {
        other.doing().to_owned()
    } else if is_pause && on_gpus {
        "its next program is launched already".to_owned()
    } else if is_pause {
        "it has work: between ops of a program, before the program was complete, or before one that \
         was already launched"
            .to_owned()
    } else if causes.main() == Some(Cause::Unknown) || causes.is_empty() {
        "its host waits or recorded nothing".to_owned()
    } else {
        format!("its host does no work: {}", causes.told(facts))
    }
}

fn check(facts: &Facts<'_>) -> Outcome {
    if let Some(outcome) = judged_in_recording(facts) {
        return outcome;
    }
    let found = match part(facts, "idle_ratio", RULE.parts) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let (named, rest) = halves(facts, found.place);
    let is_pause = named.is_pause;
    let waits = |cause: Cause| match cause {
        Cause::Device => is_pause,
        Cause::Blocked | Cause::Unknown => !is_pause,
        _ => false,
    };
    let causes = Causes::of_place(facts, found.place, waits);
    let is_blocked = causes.main() == Some(Cause::Blocked);
    let on_gpus = facts.session.devices.iter().all(|one| one.kind.is_gpu());
    let other = Other::of(facts, found.place).filter(|_| is_pause);
    let doing = doing(facts, &causes, (is_pause, other), on_gpus);
    let time = named.time.mean;
    let comma = if is_in_few_steps(&named.time) {
        ","
    } else {
        ""
    };
    let finding = finding(
        &RULE,
        named.severity(facts),
        format!(
            "{} is idle for {}{comma} while {doing}.{}",
            facts.place_name(found.place),
            length_of(facts, &named.time),
            rest.as_rest(&named)
        ),
    )
    .gain(Some(time), ESTIMATE)
    .within(
        facts
            .rows()
            .iter()
            .map(|row| half_ps(row, is_pause))
            .collect(),
    )
    .of_step(found.step_ps)
    .sure(Confidence::Medium)
    .seen(facts.longest(found.place, PartKind::Idle))
    .seen(longest_gaps(facts, found.place, waits));
    if is_pause {
        return pauses(facts, finding, (found.place, time), (other, on_gpus));
    }
    let (finding, is_told) = if is_blocked {
        let rest = rest.as_rest(&named);
        blocked(facts, found.place, finding, (&named.time, &rest))
    } else {
        (finding, false)
    };
    if is_told {
        return finding.found();
    }
    if step_waits::left_ps(facts).is_some() {
        // It is part of waiting for every step, which is a finding, so nothing has passed.
        return Outcome::Found(Vec::new());
    }
    if is_blocked {
        return launch_ahead(facts, finding).found();
    }
    not_recorded(facts, found.place, finding)
}

/// The finding with what a host waits for that is not its device, and whether there is such a thing. The
/// rest of the idle time is a sentence.
fn blocked(
    facts: &Facts<'_>,
    place: Place,
    finding: AdviceFinding,
    (time, rest): (&OfPlace, &str),
) -> (AdviceFinding, bool) {
    if let Some(queued) = Queued::of(facts, place) {
        let place = facts.place_name(place);
        let length = length_of(facts, time);
        let comma = if is_in_few_steps(time) { "," } else { "" };
        let what = format!(
            "{place} is idle for {length}{comma} while {}.{rest}",
            queued.doing()
        );
        return (queued.told(AdviceFinding { what, ..finding }), true);
    }
    if let Some(queue) = FullQueue::of(facts, place) {
        let what = format!("{}{}", finding.what, queue.taken_by());
        return (queue.told(AdviceFinding { what, ..finding }), true);
    }
    if let Some(late) = Late::of(facts, place, |gap| gap.cause == Cause::Blocked) {
        let what = format!("{}{}", finding.what, late.told());
        return (
            Late::explains(facts, AdviceFinding { what, ..finding }),
            true,
        );
    }
    if waits_for_others(facts) {
        let finding = finding
            .why(
                "The thread that launches the next step waits for a lock, a socket, or another thread \
                 or process, not for the device.",
            )
            .fix(
                "Check what blocks it: look at the other threads of the process during the longest \
                 gaps. Do not wait for them on the thread that launches steps.",
            );
        return (finding, true);
    }
    if waits_for_launches(facts) {
        let finding = finding
            .why(
                "The call that launches a program on all devices waits until a thread of each has taken \
                 over its part.",
            )
            .fix(
                "On XLA:CPU, give each device a core of its own, or more work per step. Elsewhere, look \
                 at the threads that launch in the longest gaps.",
            );
        return (finding, true);
    }
    (finding, false)
}

/// What a device that pauses waits for, most of the time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Other {
    /// Another device that still works on the same run.
    Run,
    /// Another device that works on what the host waits for.
    Relay,
}

impl Other {
    fn of(facts: &Facts<'_>, (_, device): Place) -> Option<Self> {
        let device = device?;
        let pauses = Pauses::of(facts.session);
        let own = facts.rows().iter().filter(|row| row.device == Some(device));
        let (mut tails_ps, mut relays_ps, mut all_ps) = (0.0, 0.0, 0.0);
        for row in own {
            tails_ps += pauses.tails_of(device).duration_within(row.span).0 as f64;
            relays_ps += pauses.relays_of(device).duration_within(row.span).0 as f64;
            all_ps += row.lengths.paused_ps as f64;
        }
        if 2.0 * tails_ps > all_ps {
            Some(Self::Run)
        } else if 2.0 * relays_ps > all_ps {
            Some(Self::Relay)
        } else {
            None
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Run => UNEQUAL,
            Self::Relay => "Devices work one after another",
        }
    }

    const fn doing(self) -> &'static str {
        match self {
            Self::Run => "another device of its host still works on the same run",
            Self::Relay => "another device of its host works on the result that the host waits for",
        }
    }

    const fn advice(self) -> (&'static str, &'static str) {
        match self {
            Self::Run => (WHOLE_RUN, load_imbalance::FIX),
            Self::Relay => (ONE_BATCH, MORE_BATCHES),
        }
    }
}

/// Of a device that has work, or waits for others. Of virtual devices that take turns, the time is no gain.
fn pauses(
    facts: &Facts<'_>,
    finding: AdviceFinding,
    (place, paused_ps): (Place, f64),
    (other, on_gpus): (Option<Other>, bool),
) -> Outcome {
    let title = other.map_or(title_of(Cause::Device), Other::title);
    let finding = finding.titled(title.to_owned()).sure(Confidence::Low);
    if facts.has_virtual_devices_only() && facts.working().count() > 1 {
        let finding = AdviceFinding {
            severity: Severity::Info,
            ..finding.gain(None, "")
        };
        return finding.why(TURNS).fix(ON_ACCELERATORS).found();
    }
    let (why, fix) = if let Some(other) = other {
        other.advice()
    } else if on_gpus {
        (LATE_LAUNCH, GRAPHS)
    } else if facts.is_cpu_only() {
        // What takes the cores of the machine is no fault of a program on them.
        let severity = finding.severity.max(Severity::Warning);
        let finding = AdviceFinding {
            severity,
            ..finding
        };
        return on_cores(facts, finding, place, paused_ps).found();
    } else {
        let framework = facts.session.framework();
        (why_of(Cause::Device), Cause::Device.remedy(framework))
    };
    finding.why(why).fix(fix).found()
}

/// Share of the pauses from which on they are between programs.
const MOSTLY_BETWEEN: f64 = 0.5;
/// With fewer runs per step, there is little to put together.
const MANY_RUNS: f64 = 4.0;

/// Of a device that computes on the cores of its host.
fn on_cores(
    facts: &Facts<'_>,
    finding: AdviceFinding,
    (_, device): Place,
    paused_ps: f64,
) -> AdviceFinding {
    let mut why = BUSY_CORES.to_owned();
    let mut fix = FREE_CORES.to_owned();
    let takes_memory = donation::copies(facts).is_some();
    if takes_memory {
        why.push_str(NEW_MEMORY);
    }
    let between = device.map(|device| (device, pauses_between_ps(facts, device, |_| true)));
    let between = between.filter(|&(_, between)| between >= MOSTLY_BETWEEN * paused_ps);
    let Some((device, between)) = between else {
        let finding = finding.why(why).fix(fix);
        return if takes_memory {
            finding
        } else {
            finding.by_chance()
        };
    };
    let runs = (facts.session.program_runs.iter()).filter(|run| run.device == device);
    let steps = StepsOfRuns::of(facts);
    let runs = runs.filter(|run| steps.step(run).is_some()).count();
    let runs = runs as f64 / facts.step_count();
    let length = format::duration_ps(between);
    let what = if runs < MANY_RUNS {
        format!(
            "{} For {length} of that, no program runs: the last one is not complete, or the next one \
             was launched and has not begun.",
            finding.what
        )
    } else {
        fix = format!("{FEWER} {fix}");
        format!(
            "{} For {length} of that, it is between programs, of which a step has about {runs:.0}.",
            finding.what
        )
    };
    AdviceFinding { what, ..finding }.why(why).fix(fix)
}

const NEW_MEMORY: &str = " Arguments that are not donated take new memory in every run, and the runtime may free that of \
                          earlier ones before the next run begins: see arguments not donated.";
const FEWER: &str = "Each program waits for a thread: put several into one jitted function, so that there are fewer.";

/// Of a host of which nothing is known meanwhile.
fn not_recorded(facts: &Facts<'_>, place: Place, finding: AdviceFinding) -> Outcome {
    let rival = rival(facts, place, |cause| cause == Cause::Unknown);
    if let Some(rival) = rival {
        let what = format!("{}{}", finding.what, rival.told());
        return AdviceFinding { what, ..finding }
            .titled("Another thread runs Python".to_owned())
            .why(Rival::WHY)
            .fix(Rival::FIX)
            .found();
    }
    let has_python = (facts.session.labels.iter()).any(|label| label.kind == SliceKind::Python);
    if has_python {
        return finding
            .why(
                "Python was recorded, but none of its calls covers these gaps: they fall between calls \
                 or in runtime threads, or the host waits for another process.",
            )
            .fix("Look at the gaps in the timeline, together with runtime threads and other hosts.")
            .found();
    }
    let record = recording::missing_tracers(facts.session)
        .map_or_else(String::new, |options| format!("set {options}, and "));
    finding
        .why(
            "Between launches, the host waits for another process or does something that was not \
             annotated.",
        )
        .fix(format!(
            "Look at the gaps in the timeline, and record what the host does: {record}put \
             jax.profiler.TraceAnnotation around parts of the loop.",
        ))
        .fix_elsewhere(
            "Look at the gaps in the timeline, and record what the host does: record Python, and \
             annotate the parts of the loop.",
        )
        .code("with jax.profiler.TraceAnnotation(\"load batch\"):\n    batch = next(loader)")
        .found()
}
