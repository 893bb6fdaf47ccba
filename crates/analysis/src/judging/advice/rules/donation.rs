//! Arguments that could be donated but are not (from the memory plan, as in `buffers`): the program
//! copies them before it updates them, or old and new are both in memory.

use super::buffer_padding::NO_PLAN;
use super::copy_calls::copies as copies_only;
use super::rule::Share;
use super::{Outcome, Rule, SHARE_OF_WORK, finding, gravity, is_control, matters, share};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::{AdviceEvidence, AdviceFinding, Confidence};
use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::buffers::{BufferSaving, plan_figures};
use crate::views::ops::OpRow;
use stepscope_model::SaturatingSum as _;

pub(super) static RULE: Rule = Rule {
    id: "donation",
    title: "Arguments not donated",
    parts: &[],
    check,
};

/// Donation does not matter if less than this share of memory is used at the peak.
const SCARCE: f64 = 0.7;

/// The C library returns larger blocks to the operating system when they are freed, however it is tuned
/// (`M_MMAP_THRESHOLD`).
const RETURNED_BYTES: i64 = 32 << 20;

/// How the gain of copies is estimated where other ops run beside them.
const ALONE: &str = "time per step in which only these ops run";

/// Number of arguments that a finding names.
const NAMED: usize = 4;

/// The share of the work that copies arguments which could be donated, if it is worth a finding.
pub(super) fn copies(facts: &Facts<'_>) -> Option<Share> {
    if facts.copied_arguments().is_empty() {
        return None;
    }
    share(facts, "donation_ratio", |row| is_copy(facts, row)).ok()
}

/// Whether an op copies an argument that could be donated.
pub(super) fn is_copy(facts: &Facts<'_>, row: &OpRow) -> bool {
    facts.copied_arguments().has(&row.program_id, &row.name)
}

fn check(facts: &Facts<'_>) -> Outcome {
    if let Some(share) = copies(facts) {
        return copied(facts, &share);
    }
    in_memory(facts)
}

/// The time that copies take.
fn copied(facts: &Facts<'_>, share: &Share) -> Outcome {
    let arguments = &facts.copied_arguments().arguments;
    let mut names: Vec<&str> = arguments.iter().take(NAMED).map(String::as_str).collect();
    let more = arguments.len() - names.len();
    let more = format!("{more} more");
    if arguments.len() > names.len() {
        names.push(&more);
    }
    let first = arguments.first().map_or("state", String::as_str);
    let text = format!(
        "{} of the devices' work copies arguments that their program returns updated: {}.",
        share.text,
        names.join(", ")
    );
    let number = first.strip_prefix("args[");
    let donated = match number.and_then(|rest| rest.strip_suffix(']')) {
        Some(number) => format!("donate_argnums={number}"),
        None => format!("donate_argnames=(\"{first}\",)"),
    };
    let code = format!("step = jax.jit(train_step, {donated})");
    // Where other ops run meanwhile, the step is not shorter without the copies.
    let alone = facts.alone_per_step(|row| is_copy(facts, row), is_control);
    let (gain, estimate) = match share.per_step.zip(alone) {
        Some((share, alone)) if alone < share => (Some(alone), ALONE),
        _ => (share.per_step, SHARE_OF_WORK),
    };
    remedies(finding(&RULE, share.severity, text))
        .why(
            "What is not donated keeps its value, so the program copies all of it before it updates a \
             part.",
        )
        .code(&code)
        .gain(gain, estimate)
        .of_parts(&[PartKind::DeviceCompute, PartKind::DeviceToDevice])
        .seen(facts.largest_ops(|row| is_copy(facts, row)))
        .found()
}

fn remedies(finding: AdviceFinding) -> AdviceFinding {
    finding
        .fix("Donate arguments that are not needed after the call, such as the state of a training step.")
        .fix_elsewhere(
            "Update arguments in place if they are not needed after the call, such as the state \
             of a training step.",
        )
}

/// The memory that old and new values take.
fn in_memory(facts: &Facts<'_>) -> Outcome {
    // What only copies an array, as `jnp.asarray` does, is there to keep the other one.
    let mut programs = facts.programs().iter();
    let program = programs.find(|program| !copies_only(program.hlo));
    let plan =
        program.and_then(|program| Some((program, plan_figures(facts.session, program.id)?)));
    let Some((program, plan)) = plan.filter(|(_, plan)| plan.peak_bytes > 0) else {
        return Outcome::Skipped(NO_PLAN.to_owned());
    };
    let is_donation = |saving: &&BufferSaving| saving.remedy == "donate";
    let savings: Vec<&BufferSaving> = plan.savings.iter().filter(is_donation).collect();
    let bytes: i64 = savings.iter().map(|saving| saving.bytes).saturating_sum();
    let ratio = bytes as f64 / plan.peak_bytes as f64;
    let text = format!(
        "{} of the {} that {} holds at its peak ({}) are results with the same shapes as arguments \
         that are also kept.",
        format::bytes(bytes as f64),
        format::bytes(plan.peak_bytes as f64),
        program.title,
        format::percent(ratio)
    );
    let gravity = gravity(&facts.threshold("donation_ratio"), ratio);
    let id = facts.session.program(program.id).id.to_string();
    let evidence = savings.iter().take(NAMED).map(|saving| {
        let text = format!(
            "{}: {}",
            format::shortened(&saving.group),
            format::bytes(saving.bytes as f64)
        );
        AdviceEvidence {
            program_id: id.clone(),
            source: saving.source.clone(),
            ..in_view("buffers", text)
        }
    });
    let told = |severity: Severity, text: String, why: &str| {
        remedies(finding(&RULE, severity, text))
            .why(why)
            .code("step = jax.jit(train_step, donate_argnames=(\"state\",))")
            .sure(Confidence::Medium)
            .seen(evidence)
            .found()
    };
    if facts.is_cpu_only() {
        // Memory of a host is not scarce, but new memory takes time.
        let count: usize = savings.iter().map(|saving| saving.count).sum();
        let each = bytes / i64::try_from(count.max(1)).unwrap_or(i64::MAX);
        return match gravity.filter(|_| each > RETURNED_BYTES) {
            Some(_) => told(Severity::Warning, text, FRESH),
            None => Outcome::Passed(text),
        };
    }
    let full = super::fullest(facts, |row| row.peak_ratio).ok();
    if let Some((_, full)) = full.filter(|&(_, full)| full < SCARCE) {
        let full = format::percent(full);
        return Outcome::Passed(format!("{text} Memory is {full} full at its peak."));
    }
    match gravity.filter(|_| matters(facts, bytes)) {
        Some(severity) => told(severity, text, BOTH),
        None => Outcome::Passed(text),
    }
}

const BOTH: &str = "The old and the new state are both in memory, and arrays that could be updated in place are \
                    copied.";
const FRESH: &str = "Each run writes these results into memory that is new from the operating system, which \
                     clears it page by page: that can take longer than computing them, and how long was not \
                     recorded.";
