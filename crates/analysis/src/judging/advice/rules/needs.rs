//! What a check has to have seen before it passes: a rule that looks for something in the HLO finds nothing
//! where there is no HLO, and one about TPUs finds nothing on GPUs. Findings stay findings.

use stepscope_model::{DeviceKind, Framework};

use super::rule::{NO_HLO, Outcome, Rule};
use super::{
    async_done, barrier_cores, batched_loop, compilation, compilation_time, data_shuffle,
    debug_print, debug_switches, dense_groups, donation, eager_ops, float32_matmul, float64_work,
    interpreted_kernels, kernel_input_wait, launch_overhead, low_occupancy, matrix_units,
    one_hot_products, pad_ops, python_callback, recompilation, register_spills, rematerialization,
    replicated_work, small_loop, sparse_core, tile_padding, tiny_kernels, unfused_attention,
    unfused_ops, unrolled_loop,
};
use crate::judging::advice::facts::Facts;
use crate::telling::format;
use crate::views::compile::COMPILATION_UNKNOWN;
use crate::views::ops::OpRow;

/// With a larger share of work without HLO, a small share of ops of one kind says nothing about how many there
/// are.
const MOST_WITHOUT_HLO: f64 = 0.2;

/// Rules about what only TPUs have.
const OF_TPUS: &[&Rule] = &[
    &barrier_cores::RULE,
    &kernel_input_wait::RULE,
    &sparse_core::RULE,
];
const NO_TPU: &str = "Only TPUs have these, and none recorded work.";

/// Rules about kernels, which only GPUs run.
const OF_GPUS: &[&Rule] = &[
    &launch_overhead::RULE,
    &low_occupancy::RULE,
    &matrix_units::RULE,
    &register_spills::RULE,
    &tiny_kernels::RULE,
];
const NO_GPU: &str = "Only GPUs run kernels.";

/// Rules about calls of JAX.
const OF_JAX: &[&Rule] = &[
    &debug_print::RULE,
    &debug_switches::RULE,
    &interpreted_kernels::RULE,
    &python_callback::RULE,
];

/// Rules about compiled functions.
const OF_COMPILERS: &[&Rule] = &[
    &compilation::RULE,
    &compilation_time::RULE,
    &recompilation::RULE,
];

/// Rules about instructions, their categories or their name stacks.
const OF_HLO: &[&Rule] = &[
    &async_done::RULE,
    &barrier_cores::RULE,
    &batched_loop::RULE,
    &data_shuffle::RULE,
    &debug_print::RULE,
    &dense_groups::RULE,
    &donation::RULE,
    &eager_ops::RULE,
    &float32_matmul::RULE,
    &float64_work::RULE,
    &interpreted_kernels::RULE,
    &one_hot_products::RULE,
    &pad_ops::RULE,
    &python_callback::RULE,
    &rematerialization::RULE,
    &replicated_work::RULE,
    &small_loop::RULE,
    &tile_padding::RULE,
    &unfused_attention::RULE,
    &unfused_ops::RULE,
    &unrolled_loop::RULE,
];

/// What was recorded, as far as rules need it.
pub(in crate::judging::advice) struct Seen {
    /// Kinds of the devices that recorded work.
    kinds: Vec<DeviceKind>,
    framework: Framework,
    /// Whether it is known what is compiled.
    has_compiler: bool,
    /// Why HLO says little; none where there is enough.
    no_hlo: Option<String>,
}

impl Seen {
    pub(in crate::judging::advice) fn of(facts: &Facts<'_>) -> Self {
        let session = facts.session;
        let kinds: Vec<DeviceKind> = facts.kinds().collect();
        let without: i64 = facts
            .rows_of_ops()
            .filter(|row| lacks_hlo(row))
            .fold(0, |sum, row| sum.saturating_add(row.self_ps));
        let without = without as f64 / facts.total_self_ps().max(1) as f64;
        let no_hlo = (without > MOST_WITHOUT_HLO).then(|| match facts.programs() {
            [] => NO_HLO.to_owned(),
            _ => format!(
                "The profile has no HLO for {} of the work.",
                format::percent(without)
            ),
        });
        Self {
            kinds,
            framework: session.framework(),
            has_compiler: !session.programs.is_empty() || !facts.compilations().is_empty(),
            no_hlo,
        }
    }

    /// The outcome of a rule. One that found nothing has passed only if it would have seen something.
    pub(in crate::judging::advice) fn judged(&self, rule: &Rule, outcome: Outcome) -> Outcome {
        let why = match &outcome {
            Outcome::Found(_) => None,
            Outcome::Passed(_) => self.is_elsewhere(rule).or_else(|| self.unseen(rule)),
            Outcome::Skipped(_) => self.is_elsewhere(rule),
        };
        why.map_or(outcome, Outcome::Skipped)
    }

    /// Why a rule is not about the chips or the framework of the session.
    fn is_elsewhere(&self, rule: &Rule) -> Option<String> {
        // SparseCores are companions of TPUs, and may be all that recorded work.
        let is_tpu = |kind: &DeviceKind| matches!(kind, DeviceKind::Tpu | DeviceKind::SparseCore);
        let lacks =
            |is: &dyn Fn(&DeviceKind) -> bool| !self.kinds.is_empty() && !self.kinds.iter().any(is);
        if is_one_of(OF_TPUS, rule) && lacks(&is_tpu) {
            return Some(NO_TPU.to_owned());
        }
        if is_one_of(OF_GPUS, rule) && lacks(&|kind| kind.is_gpu()) {
            return Some(NO_GPU.to_owned());
        }
        let name = match self.framework {
            Framework::Jax => return None,
            Framework::TensorFlow => "TensorFlow",
            Framework::PyTorch => "PyTorch",
            Framework::Other => "this framework",
        };
        is_one_of(OF_JAX, rule).then(|| format!("How {name} records these is not known."))
    }

    /// What the session lacks of what a rule looks at.
    fn unseen(&self, rule: &Rule) -> Option<String> {
        if !self.has_compiler && is_one_of(OF_COMPILERS, rule) {
            return Some(COMPILATION_UNKNOWN.to_owned());
        }
        let is_of_hlo = is_one_of(OF_HLO, rule);
        self.no_hlo.as_ref().filter(|_| is_of_hlo).cloned()
    }
}

fn is_one_of(rules: &[&Rule], rule: &Rule) -> bool {
    rules.iter().any(|one| one.id == rule.id)
}

/// Whether nothing but the name of an op is known. Copies and collectives are known by the recorder.
fn lacks_hlo(row: &OpRow) -> bool {
    let is_known = matches!(row.category_source.as_str(), "hlo" | "recorded");
    !is_known && !matches!(row.class.as_str(), "copy" | "collective")
}
