//! A host, or a device of one host, that the others wait for in collectives. The figure is that of
//! `hosts`: the time that the others wait for it, on aligned clocks.

use super::more_ops::MoreOps;
use super::{Outcome, Rule, finding, gravity, no_steps};
use crate::judging::advice::evidence::{between, in_view};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::{AdviceEvidence, Confidence};
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::telling::recording;
use crate::views::hosts::{Late, Often};

pub(super) static RULE: Rule = Rule {
    id: "straggler",
    title: "Straggler",
    parts: &[PartKind::Collectives],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(step) = facts.step_ps else {
        return Outcome::Skipped(no_steps(facts));
    };
    if facts.working().count() < 2 {
        return Outcome::Skipped("Requires at least two devices with work.".to_owned());
    }
    if facts.late().steps.is_empty() {
        return Outcome::Skipped(
            "No collective within steps was matched across these devices, so it is unknown who arrives last."
                .to_owned(),
        );
    }
    let are_virtual = facts.has_virtual_devices_only();
    if are_virtual && MoreOps::of(facts).is_none() {
        return Outcome::Skipped(
            "Virtual devices of XLA:CPU take turns on the same cores, so one of them is always last, \
             and none runs more ops than most others."
                .to_owned(),
        );
    }
    let Some(worst) = facts.late().stragglers.first() else {
        return Outcome::Passed(facts.late().often.as_ref().map_or_else(
            || {
                "No host or device is last at collectives more often than chance explains."
                    .to_owned()
            },
            unclear,
        ));
    };
    let more = MoreOps::of_device(facts, &worst.name);
    if are_virtual && more.is_none() {
        return Outcome::Skipped(format!(
            "{} is last at collectives most often, but virtual devices of XLA:CPU take turns on the same \
             cores, so one of them is always last, and it runs no more ops than most others.",
            worst.name
        ));
    }
    let share = format::percent(worst.cost_ps / step);
    let text = format!(
        "{} arrives last in {}, and the others wait {} per step for it ({share} of the mean step).",
        worst.name,
        in_steps(worst),
        format::duration_ps(worst.cost_ps)
    );
    let Some(severity) = gravity(&facts.threshold("straggler_ratio"), worst.cost_ps / step) else {
        return Outcome::Passed(text);
    };
    let (doing, fix) = doing(facts, worst);
    // A replay drops the additional work of a device, which the others have to do instead.
    let (saved, estimate, change) = match &more {
        Some(more) => (1.0 - more.kept, MOVED, ""),
        None => (1.0, "", "align"),
    };
    let confidence = match (more.is_some(), are_virtual) {
        (false, _) => Confidence::High,
        (true, false) => Confidence::Medium,
        (true, true) => Confidence::Low,
    };
    finding(&RULE, severity, format!("{text}{doing}"))
        .titled(format!("{} is late", worst.name))
        .why("All participants meet in the collectives of every step, so the slowest one sets the pace.")
        .fix(fix)
        .gain(
            Some(worst.cost_ps * saved),
            format!("what `hosts` shows: mean over steps of the time that the others wait for it{estimate}"),
        )
        .without(change)
        .sure(confidence)
        .of_parts(if worst.blame.activity_on == "device" {
            &[PartKind::Collectives, PartKind::DeviceCompute]
        } else {
            // Removing what makes it late also removes its own wait.
            &[
                PartKind::Collectives,
                PartKind::InputWait,
                PartKind::Compilation,
                PartKind::HostOverhead,
            ]
        })
        .seen([seen(worst), in_view("hosts", "lateness by step".to_owned())])
        .found()
}

/// What a device has more of than the others, these have to do instead.
const MOVED: &str = ", less the share of its additional work that it would keep";

/// `9 of 10 steps`, or `9 of 10 steps (in 2 more, clocks do not tell who does)`.
fn in_steps(late: &Late) -> String {
    let steps = format::counted(late.clear_count, "step");
    let unclear = match late.step_count - late.clear_count {
        0 => String::new(),
        unclear => format!(" (in {unclear} more, clocks do not tell who does)"),
    };
    format!("{} of {steps}{unclear}", late.last_count)
}

/// Of a place that is last in most steps.
fn unclear(often: &Often) -> String {
    format!(
        "{} is last at collectives in {} of {}. Only {} of these {} by more than clocks may be wrong, which \
         chance may explain, or the others wait less than 1 % of a step for it.",
        often.name,
        often.last_count,
        format::counted(often.step_count, "step"),
        often.clear_last_count,
        if often.clear_last_count == 1 {
            "is"
        } else {
            "are"
        },
    )
}

/// What made it late and what to change, or what to record if no activity explains it.
fn doing(facts: &Facts<'_>, late: &Late) -> (String, String) {
    let blame = &late.blame;
    if blame.activity.is_empty() {
        let lines = [
            recording::host_threads(facts.session),
            recording::python_frames(facts.session),
        ];
        let lines: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        let record = if lines.is_empty() {
            String::new()
        } else {
            format!(" Record what its host does: {}.", lines.join(", "))
        };
        let text = " The cause was not recorded: nothing on its device or host takes that much longer \
                    than elsewhere.";
        let fix = format!(
            "Compare it with another one in the same step in the timeline. Check its load, its clock \
             and other processes.{record}"
        );
        return (text.to_owned(), fix);
    }
    let name = format::shortened(&blame.activity);
    let time = format::duration_ps(blame.activity_ps);
    let steps = if blame.step_count < late.last_count {
        format!(" in {} of these steps", blame.step_count)
    } else {
        String::new()
    };
    if blame.activity_on == "device" {
        if runs_alone(facts, late) {
            let text = format!(
                " Before it arrives, it computes {name} for {time}{steps}, which no other device runs."
            );
            let fix = "Find the branch that only this device takes (jax.lax.cond on jax.lax.axis_index), \
                       and divide its work over all of them, or do it less often.";
            return (text, fix.to_owned());
        }
        let text = format!(
            " Before it arrives, it computes {name} for {time}{steps}, longer than the others."
        );
        let fix = "Give it less work, or find out why the same work takes longer there: its clock, its \
                   temperature, or what else runs on it.";
        return (text, fix.to_owned());
    }
    let text = format!(" Before it arrives, its host is in {name} for {time}{steps}.");
    let fix = format!(
        "Make {name} faster on {}, or move it off the critical path: run it ahead of the step in the \
         background.",
        late.name
    );
    (text, fix)
}

/// Whether what the device that is late computes runs on no other one.
fn runs_alone(facts: &Facts<'_>, late: &Late) -> bool {
    let session = facts.session;
    let mut runs = [false; 2];
    for totals in facts.totals.iter() {
        let is_late = session.device_title(totals.device) == late.name;
        let mut labels = totals.labels.iter();
        let has = labels.any(|(label, _)| session.label_name(*label) == late.blame.activity);
        runs[usize::from(is_late)] |= has;
    }
    runs == [false, true]
}

fn seen(late: &Late) -> AdviceEvidence {
    let blame = &late.blame;
    let text = format!("before the collective of step {}", blame.step);
    AdviceEvidence {
        step: Some(blame.step),
        ..between(blame.from_ps, blame.until_ps.max(blame.from_ps + 1), text)
    }
}
