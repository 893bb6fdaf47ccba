//! The rules, one file each: what it checks, with which threshold, what it says and what to do.

use super::facts::Facts;
use super::report::{AdviceEvidence, AdviceFinding, Confidence};
use crate::overview::VerdictKind;
use crate::overview::thresholds::Threshold;
use crate::verdict::Severity;

mod async_done;
mod barrier_cores;
mod bound_by;
mod capture_quality;
mod compilation;
mod cpu_fallback;
mod data_shuffle;
mod debug_print;
mod device_copies;
mod dominating_op;
mod exposed_communication;
mod float32_matmul;
mod fragmentation;
mod host_bound;
mod host_transfers;
mod idle;
mod input_wait;
mod load_imbalance;
mod long_ops;
mod low_occupancy;
mod memory_growth;
mod memory_headroom;
mod memory_rounding;
mod memory_spikes;
mod rematerialisation;
mod sparse_core;
mod step_outliers;
mod straggler;
mod tiny_kernels;

/// A rule.
pub struct Rule {
    /// Stable name of its findings.
    pub id: &'static str,
    /// What it checks, in a few words.
    pub title: &'static str,
    pub(super) check: fn(&Facts<'_>) -> Outcome,
}

/// What a rule found.
pub(super) enum Outcome {
    /// Things to change.
    Found(Vec<AdviceFinding>),
    /// Nothing to change: the figure that says so.
    Passed(String),
    /// It could not be checked: why.
    Skipped(String),
}

/// All rules, in the order in which checks are listed.
pub static RULES: &[&Rule] = &[
    &input_wait::RULE,
    &host_bound::RULE,
    &idle::RULE,
    &step_outliers::RULE,
    &compilation::RULE,
    &exposed_communication::RULE,
    &straggler::RULE,
    &load_imbalance::RULE,
    &host_transfers::RULE,
    &device_copies::RULE,
    &data_shuffle::RULE,
    &dominating_op::RULE,
    &long_ops::RULE,
    &bound_by::RULE,
    &tiny_kernels::RULE,
    &low_occupancy::RULE,
    &float32_matmul::RULE,
    &rematerialisation::RULE,
    &debug_print::RULE,
    &barrier_cores::RULE,
    &async_done::RULE,
    &sparse_core::RULE,
    &cpu_fallback::RULE,
    &memory_headroom::RULE,
    &memory_growth::RULE,
    &memory_spikes::RULE,
    &fragmentation::RULE,
    &memory_rounding::RULE,
    &capture_quality::RULE,
];

/// Why a rule about steps cannot be checked.
const NO_STEPS: &str =
    "Needs steps: with jax.profiler.StepTraceAnnotation(\"train\", step_num=step):";
/// Why a rule about work cannot be checked.
const NO_WORK: &str = "No device recorded work.";
/// Why a rule about shares of work says nothing.
const LITTLE_WORK: &str =
    "Devices recorded too little work (below 20 executions of ops) to judge by.";

/// A finding of a rule whose threshold says how grave it is.
fn finding(rule: &Rule, severity: Severity, what: String) -> AdviceFinding {
    AdviceFinding {
        id: rule.id.to_owned(),
        severity,
        title: rule.title.to_owned(),
        what,
        why: String::new(),
        fix: String::new(),
        code: String::new(),
        gain_ps_per_step: None,
        gain_ratio: None,
        estimate: String::new(),
        confidence: Confidence::High,
        evidence: Vec::new(),
    }
}

/// How grave a figure is; none where the check passes. An exact boundary of `good` passes: nothing
/// is wrong with a figure of 0 where 0 is the threshold.
fn gravity(threshold: &Threshold, value: f64) -> Option<Severity> {
    if (value - threshold.good).abs() < f64::EPSILON {
        return None;
    }
    match threshold.judge(value) {
        VerdictKind::Good | VerdictKind::Unknown => None,
        VerdictKind::Warning => Some(Severity::Warning),
        VerdictKind::Bad => Some(Severity::Bad),
    }
}

impl AdviceFinding {
    fn why(mut self, why: impl Into<String>) -> Self {
        self.why = why.into();
        self
    }

    fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = fix.into();
        self
    }

    fn code(mut self, code: &str) -> Self {
        code.clone_into(&mut self.code);
        self
    }

    fn gain(mut self, gain_ps_per_step: Option<f64>, estimate: impl Into<String>) -> Self {
        let gain = gain_ps_per_step.filter(|&gain| gain > 0.0);
        if gain.is_some() {
            self.estimate = estimate.into();
        }
        self.gain_ps_per_step = gain;
        self
    }

    fn sure(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    fn seen(mut self, evidence: impl IntoIterator<Item = AdviceEvidence>) -> Self {
        self.evidence.extend(evidence);
        self
    }

    fn found(self) -> Outcome {
        Outcome::Found(vec![self])
    }
}

/// The ids of all rules.
pub fn ids() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.id)
}
