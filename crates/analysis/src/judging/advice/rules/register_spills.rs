//! Kernels that run out of vector registers (spill and fill counters sampled by TPUs).

use super::{Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::counters::sampled;

pub(super) static RULE: Rule = Rule {
    id: "register_spills",
    title: "Register spills",
    parts: &[PartKind::DeviceCompute],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let counters = sampled(
        facts.session,
        &facts.selected,
        &["spill", "spills", "fill", "fills"],
    );
    let Some(most) = counters
        .iter()
        .max_by(|a, b| a.ratio().total_cmp(&b.ratio()))
    else {
        return Outcome::Skipped("No spill or fill counters were recorded.".to_owned());
    };
    let share = format::percent(most.ratio());
    let text = format!(
        "{} of {} samples of {} are nonzero ({share}), at most {}.",
        most.above_zero, most.count, most.name, most.max
    );
    let Some(severity) = gravity(&facts.threshold("spilled_samples_ratio"), most.ratio()) else {
        return Outcome::Passed(text);
    };
    finding(&RULE, severity, text)
        .why(
            "Values that do not fit into registers are written to on-chip memory and read back, which \
             delays the kernel's actual work.",
        )
        .fix(
            "In the kernels that run at that time, use smaller blocks or tiles, keep fewer values alive \
             at the same time, and unroll loops less.",
        )
        .sure(Confidence::Low)
        .seen([in_view("counters", format!("{} on {}", most.name, most.device))])
        .found()
}
