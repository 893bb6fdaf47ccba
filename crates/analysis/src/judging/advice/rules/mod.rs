//! The rules, one file each: what the rule checks, its threshold, its messages and what to do.

mod async_done;
mod barrier_cores;
mod batched_loop;
mod beside_training;
mod between_steps;
mod bound_by;
mod buffer_padding;
mod call_copies;
mod callers;
mod capture_quality;
mod compilation;
mod compilation_time;
mod copy_calls;
mod cpu_fallback;
mod data_shuffle;
mod debug_print;
mod debug_switches;
mod dense_groups;
mod device_copies;
mod dominating_op;
mod donation;
mod eager_ops;
mod exposed_communication;
mod float32_matmul;
mod float64_work;
mod fragmentation;
mod full_queue;
mod growing;
mod heap_growth;
mod host_bound;
mod host_causes;
mod host_syncs;
mod host_transfers;
mod host_updates;
mod idle;
mod idle_recording;
mod input_wait;
mod interpreted_kernels;
mod kernel_input_wait;
mod known_ops;
mod late_threads;
mod launch_overhead;
mod load_imbalance;
mod long_ops;
mod low_occupancy;
mod many_copies;
mod masked_experts;
mod matrix_units;
mod memory_growth;
mod memory_headroom;
mod memory_rounding;
mod memory_spikes;
mod metric_programs;
mod more_ops;
mod moves;
mod needs;
mod one_hot;
mod one_hot_products;
mod one_launch;
mod op_dispatch;
mod over_peak;
mod own_python;
mod paced;
mod pad_ops;
mod pauses_between;
mod program_runs;
mod python_callback;
mod python_ops;
mod queue;
mod recompilation;
mod register_spills;
mod rematerialization;
mod replicated_work;
mod request_padding;
mod request_queue;
mod rival;
mod round_trips;
mod rule;
mod sliced_argument;
mod slow_links;
mod small_allocations;
mod small_loop;
mod softmax;
mod sparse_core;
mod step_outliers;
mod step_waits;
mod straggler;
mod tile_padding;
mod tiny_kernels;
mod unfused_attention;
mod unfused_ops;
mod units;
mod unrolled_loop;
mod uses;
mod variants;

use super::report::AdviceFinding;
use crate::measuring::activity::Cause;
use crate::views::overview::LEAST_OF_STEP;
pub(super) use needs::Seen;
pub(super) use rule::Outcome;
pub use rule::Rule;
use rule::{
    CPU_ONLY, FEW_STEPS, LITTLE_WORK, NO_HLO, NO_WORK, PART_ESTIMATE, SHARE_OF_WORK, WAITING,
    Waiting, each_ps, finding, fullest, gravity, is_control, is_in_few_steps, judged_in_recording,
    length_of, matters, no_memory, no_steps, ops_seen, part, share, share_of_calls, waiting,
    who_spends,
};

/// All rules, in the order in which checks are listed.
pub static RULES: &[&Rule] = &[
    &idle_recording::RULE,
    &input_wait::RULE,
    &host_bound::RULE,
    &idle::RULE,
    &step_waits::RULE,
    &between_steps::RULE,
    &host_syncs::RULE,
    &program_runs::RULE,
    &eager_ops::RULE,
    &debug_switches::RULE,
    &launch_overhead::RULE,
    &tiny_kernels::RULE,
    &step_outliers::RULE,
    &compilation::RULE,
    &recompilation::RULE,
    &compilation_time::RULE,
    &exposed_communication::RULE,
    &straggler::RULE,
    &load_imbalance::RULE,
    &replicated_work::RULE,
    &host_transfers::RULE,
    &device_copies::RULE,
    &one_hot_products::RULE,
    &dense_groups::RULE,
    &data_shuffle::RULE,
    &pad_ops::RULE,
    &dominating_op::RULE,
    &long_ops::RULE,
    &bound_by::RULE,
    &over_peak::RULE,
    &tile_padding::RULE,
    &matrix_units::RULE,
    &float32_matmul::RULE,
    &float64_work::RULE,
    &low_occupancy::RULE,
    &kernel_input_wait::RULE,
    &register_spills::RULE,
    &unfused_attention::RULE,
    &unfused_ops::RULE,
    &unrolled_loop::RULE,
    &small_loop::RULE,
    &batched_loop::RULE,
    &variants::RULE,
    &metric_programs::RULE,
    &beside_training::RULE,
    &rematerialization::RULE,
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

/// The rule about time that no step contains.
pub(super) const BETWEEN_STEPS: &str = between_steps::RULE.id;

/// The rule about steps that take much longer than others.
pub(super) const STEP_OUTLIERS: &str = step_outliers::RULE.id;
pub(super) const IDLE: &str = idle::RULE.id;

/// A cause is about so much of the time of what it explains.
pub(super) const MOSTLY: f64 = 0.8;

/// What happens, and the rules that say why.
pub(super) struct Explained {
    effect: Named,
    causes: &'static [Named],
    /// If both are about the same time, so that they have one gain: the share of the time of the effect that
    /// a cause is about, at least.
    pub(super) same: Option<f64>,
}

impl Explained {
    pub(super) fn is_effect(&self, finding: &AdviceFinding) -> bool {
        self.effect.is(finding)
    }

    pub(super) fn is_cause(&self, finding: &AdviceFinding) -> bool {
        self.causes.iter().any(|cause| cause.is(finding))
    }
}

/// Findings of a rule: those with a title, or all of them.
struct Named {
    id: &'static str,
    title: Option<&'static str>,
}

impl Named {
    const fn all(rule: &Rule) -> Self {
        Self {
            id: rule.id,
            title: None,
        }
    }

    const fn titled(rule: &Rule, title: &'static str) -> Self {
        Self {
            id: rule.id,
            title: Some(title),
        }
    }

    fn is(&self, finding: &AdviceFinding) -> bool {
        self.id == finding.id && self.title.is_none_or(|title| title == finding.title)
    }
}

const READING: Named = Named::titled(&host_bound::RULE, host_bound::READS_RESULTS);
const REPEATED: Named = Named::titled(&program_runs::RULE, program_runs::REPEATED);

/// What explains something and is explained itself stands after what it explains, so that the deepest
/// cause ends up in front.
pub(super) const EXPLAINED: &[Explained] = &[
    Explained {
        effect: Named::all(&compilation::RULE),
        causes: &[Named::all(&recompilation::RULE)],
        same: Some(MOSTLY),
    },
    Explained {
        effect: Named::all(&exposed_communication::RULE),
        causes: &[
            Named::all(&straggler::RULE),
            Named::all(&load_imbalance::RULE),
        ],
        same: None,
    },
    Explained {
        effect: Named::all(&straggler::RULE),
        causes: &[
            Named::all(&load_imbalance::RULE),
            Named::all(&input_wait::RULE),
        ],
        same: None,
    },
    Explained {
        effect: Named::titled(&idle::RULE, idle::UNEQUAL),
        causes: &[
            Named::all(&straggler::RULE),
            Named::all(&load_imbalance::RULE),
        ],
        same: Some(MOSTLY),
    },
    Explained {
        effect: Named::titled(&host_transfers::RULE, host_transfers::OF_CALLBACKS),
        causes: &[
            Named::all(&python_callback::RULE),
            Named::all(&debug_print::RULE),
        ],
        same: None,
    },
    Explained {
        effect: Named::titled(&idle::RULE, idle::RULE.title),
        causes: LAUNCHING,
        same: Some(MOSTLY),
    },
    Explained {
        effect: Named::titled(&host_bound::RULE, host_bound::RULE.title),
        causes: LAUNCHING,
        same: Some(MOSTLY),
    },
    Explained {
        effect: Named::titled(&host_bound::RULE, host_causes::title_of(Cause::Runtime)),
        causes: &[Named::all(&tiny_kernels::RULE)],
        same: Some(MOSTLY),
    },
    Explained {
        effect: Named::titled(&program_runs::RULE, program_runs::RULE.title),
        causes: &[Named::all(&host_syncs::RULE), READING],
        same: Some(MOSTLY),
    },
    Explained {
        effect: Named::all(&host_syncs::RULE),
        causes: &[READING, REPEATED],
        same: Some(MOSTLY),
    },
    Explained {
        effect: READING,
        causes: &[REPEATED],
        same: Some(MOSTLY),
    },
    because_of_switches(&host_syncs::RULE),
    because_of_switches(&program_runs::RULE),
    because_of_switches(&host_bound::RULE),
    because_of_switches(&idle::RULE),
    because_of_switches(&step_waits::RULE),
];

const SWITCHES: &[Named] = &[Named::all(&debug_switches::RULE)];

/// Whatever a rule finds, a switch for debugging may be why. It also makes what it does not check slower, such as
/// launches, and has to go whatever else there is.
const fn because_of_switches(effect: &Rule) -> Explained {
    Explained {
        effect: Named::all(effect),
        causes: SWITCHES,
        same: Some(0.5),
    }
}

/// What makes the host launch more than the device waits for.
const LAUNCHING: &[Named] = &[
    Named::all(&host_syncs::RULE),
    Named::all(&program_runs::RULE),
    Named::all(&tiny_kernels::RULE),
    Named::all(&launch_overhead::RULE),
];

/// The ids of all rules.
pub fn ids() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.id)
}
