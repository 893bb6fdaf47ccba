//! The host waits for a step before it launches the next, so the device has no work in between.

use super::host_causes::{Causes, answering, longest_gaps, place_of, why_of};
use super::late_threads::{self, Late};
use super::{
    CPU_ONLY, NO_WORK, Outcome, Rule, WAITING, finding, gravity, is_in_few_steps, no_steps,
};
use crate::judging::advice::facts::{Facts, OfPlace, part_ps};
use crate::judging::advice::report::AdviceFinding;
use crate::judging::verdict::Severity;
use crate::measuring::activity::Cause;
use crate::measuring::steps::{PartKind, StepParts};
use crate::measuring::work::AllWork;
use crate::telling::format;
use crate::views::what_if::change::NO_WAITS;

pub(super) static RULE: Rule = Rule {
    id: "step_waits",
    title: "The host waits for every step",
    parts: WAITING,
    check,
};

/// From this share of the idle time on, what happens at the end of steps causes it.
const MOSTLY: f64 = 0.5;

/// What the waits cost.
struct Waits {
    severity: Severity,
    /// Idle time on the device where it has the largest share of a step.
    idle: OfPlace,
    /// The part of it before the first and after the last work of a step.
    ends_ps: f64,
    gain_ps: f64,
}

/// How long the device of a step does nothing before its first and after its last work in it, without
/// input and compilation.
fn ends_ps(facts: &Facts<'_>, row: &StepParts) -> f64 {
    let Some(device) = row.device else {
        return 0.0;
    };
    let work = AllWork::of(facts.session).within(facts.session, device, &[row.span]);
    let (first, last) = (work.spans().first(), work.spans().last());
    let idle = first
        .zip(last)
        .map_or(row.span.duration(), |(first, last)| {
            (first.start - row.span.start) + (row.span.end - last.end)
        });
    let other = [PartKind::InputWait, PartKind::Compilation];
    let other: i64 = other.iter().map(|&part| part_ps(row, part)).sum();
    (idle.0 - other).max(0) as f64
}

fn is_at_end(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::Blocked | Cause::Unknown | Cause::Dispatch | Cause::Transfer
    )
}

/// The waits, or why there is no finding.
fn waits(facts: &Facts<'_>) -> Result<Waits, Outcome> {
    let skipped = |why: &str| Err(Outcome::Skipped(why.to_owned()));
    if facts.is_cpu_only() {
        return skipped(CPU_ONLY);
    }
    if facts.step_ps.is_none() {
        return Err(Outcome::Skipped(no_steps(facts)));
    }
    let Some(ahead_ps) = facts.ahead_ps() else {
        return skipped("The steps were not replayed; `stepscope what_if` says why.");
    };
    let idle = |row: &StepParts| {
        let parts = WAITING.iter();
        parts.map(|&part| part_ps(row, part) as f64).sum::<f64>() - row.lengths.paused_ps as f64
    };
    let Some(idle) = facts.worst(idle) else {
        return skipped(NO_WORK);
    };
    // Launching ahead also hides loading behind work, and within a step, silence may be no wait.
    let ends = facts.by_place(|row| {
        let is_asked = (row.host, row.device) == idle.place;
        if is_asked { ends_ps(facts, row) } else { 0.0 }
    });
    let ends = ends.iter().find(|ends| ends.place == idle.place);
    let ends_ps = ends.map_or(0.0, |ends| ends.mean).min(idle.mean);
    let gain_ps = ahead_ps.min(ends_ps);
    let ratio = gain_ps / idle.step_ps;
    let Some(severity) = gravity(&facts.threshold("step_waits_ratio"), ratio) else {
        let share = format::percent(ratio.max(0.0));
        let text = format!("Launching ahead of the devices saves {share} of the mean step.");
        return Err(Outcome::Passed(text));
    };
    let causes = Causes::of_place(facts, idle.place, is_at_end);
    if is_in_few_steps(&idle) {
        return Err(Outcome::Passed("Few steps are waited for.".to_owned()));
    }
    if causes.is_reading() || causes.sum_ps() < MOSTLY * idle.mean {
        // The host reads results or does other work between steps, which other findings are about.
        return Err(Outcome::Found(Vec::new()));
    }
    Ok(Waits {
        severity,
        idle,
        ends_ps,
        gain_ps,
    })
}

/// Idle time per step that is left when the host launches ahead; none if that is no finding.
pub(super) fn left_ps(facts: &Facts<'_>) -> Option<f64> {
    facts.left_ps(|| {
        let waits = waits(facts).ok()?;
        Some((waits.idle.mean - waits.gain_ps).max(0.0))
    })
}

fn check(facts: &Facts<'_>) -> Outcome {
    let waits = match waits(facts) {
        Ok(waits) => waits,
        Err(outcome) => return outcome,
    };
    let idle = waits.idle;
    let causes = Causes::of_place(facts, idle.place, is_at_end);
    let late = Late::of(facts, idle.place, |gap| gap.cause == Cause::Blocked);
    let finding = finding(
        &RULE,
        waits.severity,
        format!(
            "At the end of a step, {} has no work until its host, which waits for that end{}, has \
             launched the next one: for {} of its mean step ({}). In all its idle time, its host is: {}.{}",
            facts.place_name(idle.place),
            place_of(facts, Cause::Blocked),
            format::duration_ps(waits.ends_ps),
            format::percent(waits.ends_ps / idle.step_ps),
            causes.told(facts),
            late.as_ref().map_or_else(String::new, Late::told),
        ),
    )
    .gain(
        Some(waits.ends_ps),
        "idle time of the device before the first and after the last work of a step",
    )
    .of_step(idle.step_ps)
    .without(NO_WAITS)
    .seen(longest_gaps(facts, idle.place, is_at_end));
    let finding = launch_ahead(facts, finding);
    if late.is_none() {
        return finding.found();
    }
    let (why, fix) = (
        format!("{} {}", finding.why, late_threads::WHY),
        format!("{} {}", finding.fix, late_threads::FIX),
    );
    finding.why(why).fix(fix).found()
}

/// What to do about a host that waits for its device. Results that are what the program is for have to be
/// read.
pub(super) fn launch_ahead(facts: &Facts<'_>, finding: AdviceFinding) -> AdviceFinding {
    if !facts.trains() {
        return finding.why(why_of(Cause::Blocked)).fix(answering(facts));
    }
    finding
        .why(why_of(Cause::Blocked))
        .fix(
            "Launch the next step before reading the results of the last one; wait \
             (block_until_ready, float(loss), np.asarray) only once every many steps.",
        )
        .fix_elsewhere(
            "Launch the next step before reading the results of the last one; wait for results only \
             once every many steps.",
        )
        .code("state, loss = train_step(state, batch)\nif step % 100 == 0:\n    print(float(loss))        # waits here only")
}
