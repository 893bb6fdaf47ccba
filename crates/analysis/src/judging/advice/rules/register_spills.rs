//! Kernels that run out of vector registers (counters of spills and fills that a TPU samples).

use super::{Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::counters::sampled;

pub(super) static RULE: Rule = Rule {
    id: "register_spills",
    title: "Registers are spilled",
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
        return Outcome::Skipped("No counter of spills or fills was recorded.".to_owned());
    };
    let share = format::percent(most.ratio());
    let text = format!(
        "{} of {} samples of {} are not zero ({share}), {} at most.",
        most.above_zero, most.count, most.name, most.max
    );
    let Some(severity) = gravity(&facts.threshold("spilled_samples_ratio"), most.ratio()) else {
        return Outcome::Passed(text);
    };
    finding(&RULE, severity, text)
        .why(
            "What does not fit into registers is written to memory on the chip and read back, between \
             the operations that the kernel is there for.",
        )
        .fix(
            "Smaller blocks or tiles in the kernels of that time; fewer values alive at once; loops \
             that are unrolled less.",
        )
        .sure(Confidence::Low)
        .seen([in_view("counters", format!("{} on {}", most.name, most.device))])
        .found()
}
