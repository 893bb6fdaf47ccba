//! The rules, one file each: what it checks, with which threshold, what it says and what to do.

mod async_done;
mod barrier_cores;
mod bound_by;
mod buffer_padding;
mod capture_quality;
mod compilation;
mod compilation_time;
mod cpu_fallback;
mod data_shuffle;
mod debug_print;
mod device_copies;
mod dominating_op;
mod donation;
mod exposed_communication;
mod float32_matmul;
mod fragmentation;
mod gradient_methods;
mod heap_growth;
mod host_bound;
mod host_causes;
mod host_syncs;
mod host_transfers;
mod idle;
mod idle_recording;
mod input_wait;
mod interpreted_kernels;
mod kernel_input_wait;
mod launch_overhead;
mod load_imbalance;
mod long_ops;
mod low_occupancy;
mod matrix_units;
mod memory_growth;
mod memory_headroom;
mod memory_rounding;
mod memory_spikes;
mod over_peak;
mod pad_ops;
mod program_runs;
mod python_callback;
mod recompilation;
mod register_spills;
mod rematerialisation;
mod request_padding;
mod request_queue;
mod small_allocations;
mod small_loop;
mod sparse_core;
mod step_outliers;
mod straggler;
mod tile_padding;
mod tiny_kernels;
mod unfused_attention;
mod unfused_ops;
mod unrolled_loop;

use super::evidence::of_op;
use super::facts::{Facts, Place, part_ps};
use super::report::{AdviceEvidence, AdviceFinding, Confidence, Elsewhere};
use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::telling::recording;
use crate::telling::thresholds::Threshold;
use crate::telling::thresholds::VerdictKind;
use crate::views::memory::AllocatorRow;
use crate::views::ops::OpRow;

/// A rule.
pub struct Rule {
    /// Stable name of its findings.
    pub id: &'static str,
    /// What it checks, in a few words.
    pub title: &'static str,
    /// Parts of a step that its gain is of: rules with a part in common may gain the same time.
    pub(super) parts: &'static [PartKind],
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
    &idle_recording::RULE,
    &input_wait::RULE,
    &host_bound::RULE,
    &idle::RULE,
    &host_syncs::RULE,
    &program_runs::RULE,
    &launch_overhead::RULE,
    &tiny_kernels::RULE,
    &step_outliers::RULE,
    &compilation::RULE,
    &recompilation::RULE,
    &compilation_time::RULE,
    &exposed_communication::RULE,
    &straggler::RULE,
    &load_imbalance::RULE,
    &host_transfers::RULE,
    &device_copies::RULE,
    &data_shuffle::RULE,
    &pad_ops::RULE,
    &dominating_op::RULE,
    &long_ops::RULE,
    &bound_by::RULE,
    &over_peak::RULE,
    &tile_padding::RULE,
    &matrix_units::RULE,
    &float32_matmul::RULE,
    &low_occupancy::RULE,
    &kernel_input_wait::RULE,
    &register_spills::RULE,
    &unfused_attention::RULE,
    &unfused_ops::RULE,
    &unrolled_loop::RULE,
    &small_loop::RULE,
    &gradient_methods::RULE,
    &rematerialisation::RULE,
    &debug_print::RULE,
    &python_callback::RULE,
    &interpreted_kernels::RULE,
    &barrier_cores::RULE,
    &async_done::RULE,
    &sparse_core::RULE,
    &cpu_fallback::RULE,
    &memory_headroom::RULE,
    &memory_growth::RULE,
    &heap_growth::RULE,
    &memory_spikes::RULE,
    &fragmentation::RULE,
    &small_allocations::RULE,
    &memory_rounding::RULE,
    &buffer_padding::RULE,
    &donation::RULE,
    &request_queue::RULE,
    &request_padding::RULE,
    &capture_quality::RULE,
];

/// Rules about parts of a step in which devices wait: without steps, `idle_recording` judges all idle
/// time by its cause.
fn judged_in_recording(facts: &Facts<'_>) -> Option<Outcome> {
    (facts.step_ps.is_none() && facts.has_enough_work()).then(|| Outcome::Found(Vec::new()))
}

/// Why a rule about steps cannot be checked.
fn no_steps(facts: &Facts<'_>) -> String {
    recording::needs_steps(facts.session)
}
/// Why a rule about work cannot be checked.
const NO_WORK: &str = "No device recorded work.";
/// Why a rule about shares of work says nothing.
const LITTLE_WORK: &str =
    "Devices recorded too little work (below 20 executions of ops) to judge by.";
/// Why a rule about HLO cannot be checked.
const NO_HLO: &str = "The profile carries no HLO of a program that the devices spend time in.";
/// Why a rule about accelerators says nothing.
const CPU_ONLY: &str = "Only XLA:CPU worked.";

/// How a share of the work becomes time.
const SHARE_OF_WORK: &str = "share of these ops in the work × busy time of a step";

/// Ops that take too large a share of the work.
struct Share {
    severity: Severity,
    /// `12.3 %`
    text: String,
    /// Time of a step.
    per_step: Option<f64>,
}

/// The share of ops that pass, held against a threshold; the outcome where there is nothing to say.
fn share(facts: &Facts<'_>, key: &str, passes: impl Fn(&OpRow) -> bool) -> Result<Share, Outcome> {
    if !facts.has_work() {
        return Err(Outcome::Skipped(NO_WORK.to_owned()));
    }
    let (total, per_step) = facts.ops_per_step(passes);
    let ratio = total as f64 / facts.total_self_ps() as f64;
    let text = format::percent(ratio);
    match gravity(&facts.threshold(key), ratio) {
        None => Err(Outcome::Passed(format!("{text} of the work."))),
        Some(severity) => Ok(Share {
            severity,
            text,
            per_step,
        }),
    }
}

/// Parts of a step that take too long somewhere.
struct Part {
    severity: Severity,
    place: Place,
    /// Mean over the steps of the place on which they have the largest share.
    time: f64,
    /// The mean step of that place.
    step_ps: f64,
    /// `1.234 ms of its mean step (12.3 %)`, `1.234 ms of the recording (12.3 %)`
    text: String,
}

/// How a part of a step was estimated.
const PART_ESTIMATE: &str =
    "the mean over steps of this part on the device where it has the largest share";

/// A median below this share of the mean says that few steps have most of a part.
const FEW_STEPS: f64 = 0.5;

/// The place on which some parts have the largest share of its mean step, held against a threshold.
/// No share of `overview`, which is the mean over places, is larger.
fn part(facts: &Facts<'_>, key: &str, parts: &[PartKind]) -> Result<Part, Outcome> {
    let of_row = |row: &_| parts.iter().map(|&part| part_ps(row, part) as f64).sum();
    let Some(worst) = facts.worst(of_row) else {
        return Err(Outcome::Skipped(no_steps(facts)));
    };
    if facts.step_ps.is_none() && !facts.has_enough_work() {
        return Err(Outcome::Skipped(LITTLE_WORK.to_owned()));
    }
    let whose = if facts.step_ps.is_some() {
        "its mean step"
    } else {
        "the recording"
    };
    let share = format::percent(worst.share());
    let few = if worst.median < FEW_STEPS * worst.mean {
        let median = format::duration_ps(worst.median);
        format!(", most of it in few steps: the median step has {median},")
    } else {
        String::new()
    };
    let text = format!(
        "{} of {whose} ({share}){few}",
        format::duration_ps(worst.mean)
    );
    match gravity(&facts.threshold(key), worst.share()) {
        None => Err(Outcome::Passed(format!(
            "At most {share} of {} of a device.",
            facts.period()
        ))),
        Some(severity) => Ok(Part {
            severity,
            place: worst.place,
            time: worst.mean,
            step_ps: worst.step_ps,
            text,
        }),
    }
}

/// The share of the mean step, or of a recording without steps, in which devices wait for their host,
/// and its time: host overhead and idle time, without input and compilation.
fn waiting(facts: &Facts<'_>) -> Option<(f64, f64)> {
    let waits =
        |row: &_| (part_ps(row, PartKind::Idle) + part_ps(row, PartKind::HostOverhead)) as f64;
    let (time, period) = facts.mean(waits).zip(facts.period_ps())?;
    Some((time / period, time))
}

/// The parts that [`waiting`] is of.
const WAITING: &[PartKind] = &[PartKind::HostOverhead, PartKind::Idle];

/// The allocator of a device with most of a figure.
fn fullest<'a>(
    facts: &'a Facts<'_>,
    figure: impl Fn(&AllocatorRow) -> Option<f64>,
) -> Result<(&'a AllocatorRow, f64), Outcome> {
    let rows = facts.memory().allocators.iter();
    let known = rows.filter_map(|row| Some((row, figure(row)?)));
    known
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .ok_or_else(|| no_memory(facts))
}

/// Bytes of a program's plan are worth a word from this share of the device's memory on.
const MIN_OF_MEMORY: f64 = 0.01;
/// The same where nobody knows how large that is.
const MIN_BYTES: f64 = 256.0 * 1024.0 * 1024.0;

/// So many bytes matter on the devices that work.
fn matters(facts: &Facts<'_>, bytes: i64) -> bool {
    let chips = facts.working().map(|id| &facts.session.device(id).chip);
    let memory = chips.filter_map(|chip| chip.memory_bytes).min();
    bytes as f64 >= memory.map_or(MIN_BYTES, |memory| MIN_OF_MEMORY * memory as f64)
}

/// Why there is nothing to say of memory.
fn no_memory(facts: &Facts<'_>) -> Outcome {
    let why = facts.memory().notes.first();
    Outcome::Skipped(why.map_or_else(
        || "No allocator event of a device was recorded.".to_owned(),
        |note| note.text.clone(),
    ))
}

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
        step_ps: None,
        gain_ratio: None,
        overlaps: Vec::new(),
        estimate: String::new(),
        confidence: Confidence::High,
        evidence: Vec::new(),
        parts: rule.parts.to_vec(),
        elsewhere: Elsewhere::default(),
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

    /// What to change where the program is not of JAX.
    fn fix_elsewhere(mut self, fix: impl Into<String>) -> Self {
        self.elsewhere.fix = fix.into();
        self
    }

    /// Why it is so where the program is not of JAX.
    fn why_elsewhere(mut self, why: impl Into<String>) -> Self {
        self.elsewhere.why = why.into();
        self
    }

    fn code(mut self, code: &str) -> Self {
        code.clone_into(&mut self.code);
        self
    }

    fn titled(mut self, title: String) -> Self {
        self.title = title;
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

    /// The gain is of the steps of one place, which are so long on average.
    fn of_step(mut self, step_ps: f64) -> Self {
        self.step_ps = Some(step_ps);
        self
    }

    /// The gain is of other parts than the rule's usual ones.
    fn of_parts(mut self, parts: &[PartKind]) -> Self {
        self.parts = parts.to_vec();
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

/// Ops as evidence, told by a sentence of each.
fn ops_seen<'a>(
    rows: impl Iterator<Item = &'a OpRow>,
    most: usize,
    text: impl Fn(&OpRow) -> String,
) -> Vec<AdviceEvidence> {
    rows.take(most)
        .map(|row| {
            let name = format::shortened(&row.name);
            of_op(row, format!("{name}: {}", text(row)))
        })
        .collect()
}

/// Mean time of an execution.
fn each_ps(row: &OpRow) -> f64 {
    row.self_ps as f64 / row.executions.max(1) as f64
}

/// The ids of all rules.
pub fn ids() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.id)
}
