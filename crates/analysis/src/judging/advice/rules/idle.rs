//! The device is idle while its host does no recorded work (guides: device idle gaps).

use stepscope_model::SliceKind;

use super::host_causes::{Causes, longest_gaps, title_of, why_of};
use super::{Outcome, PART_ESTIMATE, Rule, finding, judged_in_recording, part};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::measuring::activity::Cause;
use crate::measuring::steps::PartKind;

pub(super) static RULE: Rule = Rule {
    id: "idle",
    title: "Device idle while host is idle or blocked",
    parts: &[PartKind::Idle],
    check,
};

/// Whether the host waits for something other than the device in its longest blocked gap.
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
    let mut gaps = facts.gaps().longest.iter();
    let longest = gaps.find(|gap| gap.cause == Cause::Blocked);
    longest.is_some_and(|gap| {
        let call = gap.what.rsplit(' ').next().unwrap_or_default();
        CALLS.contains(&call) && !gap.what.contains("::")
    })
}

fn check(facts: &Facts<'_>) -> Outcome {
    if let Some(outcome) = judged_in_recording(facts) {
        return outcome;
    }
    let found = match part(facts, "idle_ratio", RULE.parts) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let is_idle = |cause: Cause| matches!(cause, Cause::Device | Cause::Blocked | Cause::Unknown);
    let all = Causes::of_place(facts, found.place, is_idle);
    let is_pause = all.main() == Some(Cause::Device);
    // Device pauses are reported only if they are most of it: the host does not cause them.
    let waits = |cause: Cause| is_idle(cause) && (cause == Cause::Device) == is_pause;
    let causes = Causes::of_place(facts, found.place, waits);
    let is_blocked = causes.main() == Some(Cause::Blocked);
    let doing = if is_pause {
        "it has work: between ops of a program, or before a program that was already launched"
            .to_owned()
    } else if causes.main() == Some(Cause::Unknown) || causes.is_empty() {
        "its host waits or recorded nothing".to_owned()
    } else {
        format!("its host does no work: {}", causes.told(facts))
    };
    let finding = finding(
        &RULE,
        found.severity,
        format!(
            "{} is idle for {} while {doing}.",
            facts.place_name(found.place),
            found.text
        ),
    )
    .gain(Some(found.time), PART_ESTIMATE)
    .of_step(found.step_ps)
    .sure(Confidence::Medium)
    .seen(facts.longest(found.place, PartKind::Idle))
    .seen(longest_gaps(facts, found.place, waits));
    if is_pause {
        return finding
            .titled(title_of(Cause::Device).to_owned())
            .why(why_of(Cause::Device))
            .fix(Cause::Device.remedy(facts.session.framework()))
            .sure(Confidence::Low)
            .found();
    }
    if is_blocked && waits_for_others(facts) {
        return finding
            .why(
                "The thread that launches the next step waits for a lock, a socket, or another thread \
                 or process, not for the device.",
            )
            .fix(
                "Check what blocks it: look at the other threads of the process during the longest \
                 gaps. Do not wait for them on the thread that launches steps.",
            )
            .found();
    }
    if is_blocked {
        return finding
            .why(why_of(Cause::Blocked))
            .fix(
                "Launch the next step before reading the results of the last one; wait \
                 (block_until_ready, float(loss), np.asarray) only once every many steps.",
            )
            .fix_elsewhere(
                "Launch the next step before reading the results of the last one; wait for results \
                 only once every many steps.",
            )
            .code("state, loss = train_step(state, batch)\nif step % 100 == 0:\n    print(float(loss))        # waits here only")
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
    finding
        .why(
            "Between launches, the host waits for another process or does something that was not \
             annotated.",
        )
        .fix(
            "Look at the gaps in the timeline, and record what the host does: set host_tracer_level=2 \
             and python_tracer_level=1, and put jax.profiler.TraceAnnotation around parts of the loop.",
        )
        .fix_elsewhere(
            "Look at the gaps in the timeline, and record what the host does: record Python, and \
             annotate the parts of the loop.",
        )
        .code("with jax.profiler.TraceAnnotation(\"load batch\"):\n    batch = next(loader)")
        .found()
}
