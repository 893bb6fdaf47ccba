//! The device is idle while the host does other work: dispatch, Python (guides: host overhead).
//!
//! The finding is named after what the host does most of that time. Copies to the device are input.

use super::host_causes::{
    Causes, MAX_SHORT, answering, has_no_gap, is_between_calls, is_file_call, longest_gaps,
    mostly_in, of_cause_ps, title_of, why_of,
};
use super::idle::serving_ps;
use super::late_threads::Late;
use super::one_launch::OneLaunch;
use super::paced::Paced;
use super::rival::{Rival, needs_interpreter, rival, rival_of_reads, silent_rival};
use super::step_waits;
use super::{
    Outcome, PART_ESTIMATE, Rule, finding, gravity, is_in_few_steps, judged_in_recording, part,
};
use crate::judging::advice::facts::{Facts, Place, part_ps};
use crate::judging::advice::report::{AdviceFinding, Confidence};
use crate::judging::verdict::Severity;
use crate::measuring::activity::{Cause, QueueCalls};
use crate::measuring::steps::{PartKind, StepParts};
use crate::telling::format;
use crate::views::idle::GapRow;
use crate::views::what_if::change::is_removable;
use stepscope_model::host_names::is_nnx_split;
use stepscope_model::{Activity, Framework};

pub(super) static RULE: Rule = Rule {
    id: "host_bound",
    title: "The host cannot keep up",
    parts: &[PartKind::HostOverhead],
    check,
};

/// The title where the host reads results.
pub(super) const READS_RESULTS: &str = "Reading results delays the devices";

/// What a server does between requests does not limit it if it waits for them far longer.
const LITTLE: f64 = 0.25;

/// Least share of the steps for which a service takes a request.
const EACH: f64 = 0.8;
/// From this share of a step on, what fills a queue waits until there is room in it.
const WAITING: f64 = 0.1;

fn is_work(cause: Cause) -> bool {
    !cause.is_input()
        && !matches!(
            cause,
            Cause::Compilation | Cause::Callback | Cause::Device | Cause::Blocked | Cause::Unknown
        )
}

fn check(facts: &Facts<'_>) -> Outcome {
    if let Some(outcome) = judged_in_recording(facts) {
        return outcome;
    }
    let found = match part(facts, "host_bound_ratio", RULE.parts) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let threshold = facts.threshold("host_bound_ratio");
    let time = found.time;
    let share = format::percent(time / found.step_ps);
    if serving_ps(facts, found.place).is_some_and(|waiting| time < LITTLE * waiting) {
        return Outcome::Passed(format!(
            "{share} of the mean step, and mostly the host waits for work."
        ));
    }
    let causes = Causes::of_place(facts, found.place, is_work);
    let main = causes.main();
    let usual = match as_usual(facts, (found.place, main)) {
        Ok(usual) => usual,
        Err(outcome) => return outcome,
    };
    let is_one_thing = main.is_some_and(|cause| cause != Cause::Dispatch);
    let left_ps = step_waits::left_ps(facts).filter(|_| !is_one_thing);
    let left = left_ps.map(|left_ps| left_ps / found.step_ps);
    if left.is_some_and(|left| gravity(&threshold, left).is_none()) {
        // That the host waits for every step is a finding, so nothing has passed.
        return Outcome::Found(Vec::new());
    }
    let doing = if causes.is_empty() {
        "Python, dispatch, bookkeeping".to_owned()
    } else {
        causes.told(facts)
    };
    let named = Named::of(facts, &causes);
    let advice = |general: &str| {
        if named.is_whole {
            named.remedy.to_owned()
        } else {
            format!("{} {general}", named.remedy).trim().to_owned()
        }
    };
    // Two threads that both run Python take turns.
    let rival = main
        .filter(|&cause| cause == Cause::Python)
        .and_then(|main| rival(facts, found.place, |cause| cause == main));
    let silent = silent(facts, found.place, &causes).filter(|_| rival.is_none());
    // Gaps too short to have a cause may have this one.
    let is_told = facts.gaps().short_ratio <= MAX_SHORT;
    let named_ps = causes.main_ps().filter(|_| is_one_thing && is_told);
    let bound_ps = time.min(named_ps.unwrap_or(f64::INFINITY));
    let bound_ps = bound_ps.min(usual.median_ps.unwrap_or(f64::INFINITY));
    let held = (causes.is_reading())
        .then(|| rival_of_reads(facts, found.place))
        .flatten();
    let late = (causes.is_reading() && held.is_none())
        .then(|| Late::of(facts, found.place, |gap| gap.cause == Cause::Transfer))
        .flatten();
    let finding = finding(
        &RULE,
        (found.severity.max(usual.severity)).max(most_severe(facts, &causes, found.place)),
        format!(
            "{} is idle for {} of its mean step ({share}) while its host does work other \
             than input and compilation: {doing}.{}{}{}",
            facts.place_name(found.place),
            format::duration_ps(time),
            usual.told(),
            rival.as_ref().map_or_else(String::new, Rival::told),
            late.as_ref().map_or_else(String::new, Late::told)
        ),
    )
    .titled(named.title.to_owned())
    .why(match rival {
        Some(_) => format!("{} {}", named.why, Rival::WHY),
        None => named.why.to_owned(),
    })
    .fix(advice(FIX))
    .fix_elsewhere(advice(FIX_ELSEWHERE))
    .gain(
        Some(bound_ps.min(left_ps.unwrap_or(f64::INFINITY))),
        PART_ESTIMATE,
    )
    .of_step(found.step_ps)
    .seen(facts.longest(found.place, PartKind::HostOverhead))
    .seen(longest_gaps(facts, found.place, is_work));
    if let Some(held) = held {
        return held.delays_reads(finding).found();
    }
    if late.is_some() {
        return Late::explains(facts, finding).found();
    }
    if let Some(silent) = silent {
        return silent.explains(finding).found();
    }
    let main = main.filter(|_| is_one_thing);
    let finding = match &usual.launch {
        Some(launch) if !named.is_whole => launch.told(finding),
        _ => finding,
    };
    ended(facts, (main, is_told), &named, finding).found()
}

/// A thread that may hold the interpreter while the loop runs Python or launches, if it does so for most of
/// the time.
fn silent(facts: &Facts<'_>, place: Place, causes: &Causes) -> Option<Rival> {
    let own = Causes::of_place(facts, place, needs_interpreter);
    if 2.0 * own.sum_ps() < causes.sum_ps() {
        return None;
    }
    silent_rival(facts, place)
}

/// What is known of the usual step of a place.
struct Usual {
    /// The only call that its steps make, if their time is that of launches.
    launch: Option<OneLaunch>,
    /// The time of the rule in the median step, where a few steps contain most of it.
    median_ps: Option<f64>,
    /// How severe that is at most.
    severity: Severity,
}

impl Usual {
    /// ` In the median step it is 1.234 ms.`
    fn told(&self) -> String {
        self.median_ps.map_or_else(String::new, |median_ps| {
            let time = format::duration_ps(median_ps);
            format!(" In the median step it is {time}.")
        })
    }
}

/// The usual step of a place with a main cause; the outcome if nothing is wrong with it: the loop keeps a
/// pace, or its only launch takes long in a few steps, in which the host had no core.
fn as_usual(facts: &Facts<'_>, (place, main): (Place, Option<Cause>)) -> Result<Usual, Outcome> {
    if main == Some(Cause::Sleep)
        && let Some(paced) = Paced::of(facts, place.0)
    {
        return Err(paced.told(&RULE, facts, place).found());
    }
    let is_launching = main.is_none_or(|main| main == Cause::Dispatch);
    let launch = is_launching
        .then(|| OneLaunch::of(facts, place.0))
        .flatten();
    let own = |figure: &dyn Fn(&StepParts) -> f64| {
        let mut places = facts.by_place(figure).into_iter();
        places.find(|own| own.place == place)
    };
    let overhead = own(&|row| part_ps(row, PartKind::HostOverhead) as f64);
    let step = own(&|row| row.span.duration().0 as f64);
    let few = overhead.filter(|own| launch.is_some() && is_in_few_steps(own));
    let Some((few, step)) = few.zip(step) else {
        return Ok(Usual {
            launch,
            median_ps: None,
            severity: Severity::Bad,
        });
    };
    let ratio = few.median / step.median.max(1.0);
    match gravity(&facts.threshold("host_bound_ratio"), ratio) {
        Some(severity) => Ok(Usual {
            launch,
            median_ps: Some(few.median),
            severity,
        }),
        None => Err(Outcome::Passed(format!(
            "{} of the median step; its only launch takes longer in a few steps.",
            format::percent(ratio)
        ))),
    }
}

/// The finding with what its gain is about: its main cause, if that is one thing and all gaps have causes.
fn ended(
    facts: &Facts<'_>,
    (main, is_told): (Option<Cause>, bool),
    named: &Named,
    finding: AdviceFinding,
) -> AdviceFinding {
    // What else the host does in other steps is another matter.
    let finding = match main.filter(|_| is_told) {
        Some(main) => finding.within(of_cause_ps(facts, main)),
        None => finding,
    };
    if named.is_guess {
        // What has no name may be a wait for something that takes as long: the gain is at most this.
        return finding.sure(Confidence::Medium);
    }
    match main {
        Some(main) if is_removable(main) => finding.without(format!("no-host:{}", main.name())),
        Some(_) => finding,
        None if named.is_whole => finding,
        None => finding.code(CODE),
    }
}

/// Whether the host mostly reads results that are what the program is for, such as answers to requests.
fn answers(facts: &Facts<'_>, causes: &Causes) -> bool {
    causes.is_reading() && !facts.trains()
}

/// How severe the finding may be at most: whoever answers requests has to read each result.
fn most_severe(facts: &Facts<'_>, causes: &Causes, place: Place) -> Severity {
    if !answers(facts, causes) {
        Severity::Bad
    } else if takes_requests(facts, place) {
        Severity::Info
    } else {
        Severity::Warning
    }
}

/// Whether a host takes something from a queue for each step, and nothing waits to put something into
/// one for long, as what loads batches ahead would.
fn takes_requests(facts: &Facts<'_>, (host, _): Place) -> bool {
    let windows = facts.selected.host_windows(host);
    let calls = QueueCalls::within(facts.session, (host, facts.selected.loops()), &windows);
    let steps = facts.step_count();
    let waits_ps = calls.puts_ps as f64 / steps;
    calls.gets as f64 >= EACH * steps && waits_ps < WAITING * facts.step_ps.unwrap_or(0.0)
}

/// What a finding is called after what the host does most.
struct Named {
    title: &'static str,
    why: &'static str,
    remedy: &'static str,
    /// Whether the remedy is all there is to do.
    is_whole: bool,
    /// Whether what the host does was not recorded.
    is_guess: bool,
}

impl Named {
    fn of(facts: &Facts<'_>, causes: &Causes) -> Self {
        let main = causes.main();
        let framework = facts.session.framework();
        let launches = main.is_none_or(|main| main == Cause::Dispatch);
        if causes.is_reading() {
            let remedy = if answers(facts, causes) {
                answering(facts)
            } else {
                reading_remedy(framework)
            };
            return Self {
                title: READS_RESULTS,
                why: READING,
                remedy,
                is_whole: true,
                is_guess: false,
            };
        }
        if launches && mostly_in(facts, Cause::Dispatch, launches_loop) {
            return Self {
                title: "The host launches a loop op by op",
                why: LOOP,
                remedy: UNROLL,
                is_whole: true,
                is_guess: false,
            };
        }
        if main == Some(Cause::Python) && is_between_calls(facts) {
            return Self {
                title: "Time between recorded calls delays the devices",
                why: BETWEEN_CALLS,
                remedy: find_out_remedy(framework),
                is_whole: true,
                is_guess: true,
            };
        }
        if main == Some(Cause::Python) && has_no_gap(facts, Cause::Python) {
            return Self {
                title: title_of(Cause::Python),
                why: NOT_KNOWN,
                remedy: find_out_remedy(framework),
                is_whole: true,
                is_guess: true,
            };
        }
        if main == Some(Cause::Python) && mostly_in(facts, Cause::Python, is_file_call) {
            return Self {
                title: "Reading and writing files delays the devices",
                why: DISK,
                remedy: SYNC_LESS,
                is_whole: true,
                is_guess: false,
            };
        }
        if main == Some(Cause::Checkpoint)
            && !facts.trains()
            && !mostly_in(facts, Cause::Checkpoint, is_called_checkpoint)
        {
            return Self {
                title: "Writing files delays the devices",
                why: why_of(Cause::Checkpoint),
                remedy: WRITE_BESIDE,
                is_whole: true,
                is_guess: false,
            };
        }
        if main == Some(Cause::Python) && mostly_in(facts, Cause::Python, is_nnx) {
            return Self {
                title: "Flax NNX takes modules apart in each call",
                why: NNX,
                remedy: SPLIT_ONCE,
                is_whole: true,
                is_guess: false,
            };
        }
        if main == Some(Cause::GarbageCollection) && only_frees(facts) {
            return Self {
                title: "Freeing arrays delays the devices",
                why: FREEING,
                remedy: KEEP,
                is_whole: true,
                is_guess: false,
            };
        }
        Self {
            title: main.map_or(RULE.title, title_of),
            why: why_of(main.unwrap_or(Cause::Dispatch)),
            remedy: main.map_or("", |main| main.remedy(framework)),
            is_whole: !launches,
            is_guess: false,
        }
    }
}

fn is_called_checkpoint(gap: &GapRow) -> bool {
    let names = [&gap.python, &gap.what, &gap.annotation];
    let mut names = names.iter().map(|name| name.to_ascii_lowercase());
    names.any(|name| name.contains("checkpoint") || name.contains("orbax"))
}

fn is_nnx(gap: &GapRow) -> bool {
    is_nnx_split(&gap.python) || is_nnx_split(&gap.what)
}

/// XLA names the work of a `while` op on the host after the op.
fn launches_loop(gap: &GapRow) -> bool {
    let number = gap.annotation.strip_prefix("while");
    let number = number.map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether all garbage collection is JAX's, of references that other threads left to it.
fn only_frees(facts: &Facts<'_>) -> bool {
    let labels = facts.session.labels.iter();
    let mut collecting = labels.filter(|label| label.activity == Activity::GarbageCollection);
    collecting.all(|label| facts.session.text(label.name).contains("PythonRefManager"))
}

const FIX: &str = "Put the whole step into one jitted function, or several steps with jax.lax.scan; do not read \
                   results (float(loss), block_until_ready, print) in every step; keep logging and checkpoints \
                   out of the loop.";
const FIX_ELSEWHERE: &str = "Put the whole step into one compiled function, or several steps into one call; do not read \
                             results in every step; keep logging and checkpoints out of the loop.";
const LOOP: &str = "The loop is within the program: each op of its body is launched anew in every \
                    iteration, and if the number of iterations depends on data, the host reads the \
                    condition from the device each time.";
const UNROLL: &str = "Do more per iteration (jax.lax.scan(..., unroll=8)), or all iterations in one op; \
                      let the number of iterations be fixed (scan, fori_loop) rather than depend on data \
                      (while_loop), so that CUDA or HIP graphs can hold the loop.";
const BETWEEN_CALLS: &str = "The thread that launches the next step is in Python's own code, such as operators \
                             on NumPy arrays, or in a native call that Python's tracer does not record, \
                             such as a lock: it records calls of functions only.";
const NOT_KNOWN: &str = "The thread that launches the next step is in Python's own code, or in what its tracer does not \
                         record, such as the release of a large array. None of the longest gaps is mostly that, so \
                         it is unknown which.";
const DISK: &str = "The thread that launches the next step waits for files in a system call. `fsync` returns only when \
                    all is on the disk.";
const SYNC_LESS: &str = "Write and sync once for many records, at the end, or on another thread.";
const NNX: &str = "`nnx.jit`, `nnx.grad` and the like flatten every module, optimizer and variable that they get, \
                   and put them together again, in Python and in each call.";
const SPLIT_ONCE: &str = "Split once, outside the loop: `graphdef, state = nnx.split((model, optimizer))`, and pass `state` \
                          to a function under `jax.jit` that merges, updates, and returns `nnx.state((model, optimizer))`. \
                          Or bind the arguments once: `nnx.cached_partial(train_step, model, optimizer)`.";
const WRITE_BESIDE: &str = "Write on another thread, in larger pieces, or after the loop. `np.savez_compressed` spends most of its \
                            time compressing: `np.save` does not.";
const FREEING: &str = "Other threads left arrays to JAX to be freed, which it does on the thread that \
                       launches the next step.";
const KEEP: &str =
    "Drop large arrays where they were made, or keep them and write into them again.";

const READING: &str = "The loop waits for a result and copies it to the host before it launches the next \
                       step, so the device has nothing to do meanwhile.";

/// What to do about time in which no call was recorded.
const fn find_out_remedy(framework: Framework) -> &'static str {
    match framework {
        Framework::Jax => {
            "Put jax.profiler.TraceAnnotation around parts of the loop to see which it is. Move work out \
             of the loop, or launch the next step before it; share no lock with threads that hold it for \
             long."
        }
        _ => {
            "Annotate parts of the loop to see which it is. Move work out of the loop, or launch the next \
             step before it; share no lock with threads that hold it for long."
        }
    }
}

/// What to do about results that are read in every step.
const fn reading_remedy(framework: Framework) -> &'static str {
    match framework {
        Framework::Jax => {
            "Do not read results (float(loss), np.asarray, print) in every step: collect them as arrays \
             and read them once every many steps, or launch the next step before reading those of the \
             last one."
        }
        _ => {
            "Do not read results in every step: read them once every many steps, or launch the next step \
             before reading those of the last one."
        }
    }
}

const CODE: &str = "@jax.jit\ndef many_steps(state, batches):\n    return jax.lax.scan(train_step, state, batches)";
