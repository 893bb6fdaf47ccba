//! The rules, one file each: what the rule checks, its threshold, its messages and what to do.

mod async_done;
mod barrier_cores;
mod between_steps;
mod bound_by;
mod buffer_padding;
mod capture_quality;
mod compilation;
mod compilation_time;
mod cpu_fallback;
mod data_shuffle;
mod debug_print;
mod dense_groups;
mod device_copies;
mod dominating_op;
mod donation;
mod eager_ops;
mod exposed_communication;
mod float32_matmul;
mod float64_work;
mod fragmentation;
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
mod metric_programs;
mod over_peak;
mod own_python;
mod pad_ops;
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
mod unrolled_loop;
mod variants;

pub(super) use rule::Outcome;
pub use rule::Rule;
use rule::{
    CPU_ONLY, LITTLE_WORK, NO_HLO, NO_WORK, PART_ESTIMATE, SHARE_OF_WORK, WAITING, Waiting,
    each_ps, finding, fullest, gravity, is_control, is_in_few_steps, judged_in_recording,
    length_of, matters, no_memory, no_steps, ops_seen, part, share, share_of_calls, waiting,
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
    &variants::RULE,
    &metric_programs::RULE,
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

/// What happens, and the rules that say why.
pub(super) struct Explained {
    pub(super) effect: &'static str,
    /// The title of findings that name no cause themselves; none if all of them are explained.
    pub(super) title: Option<&'static str>,
    pub(super) causes: &'static [&'static str],
}

/// What explains something and is explained itself stands after what it explains, so that the deepest
/// cause ends up in front.
pub(super) const EXPLAINED: &[Explained] = &[
    Explained {
        effect: compilation::RULE.id,
        title: None,
        causes: &[recompilation::RULE.id],
    },
    Explained {
        effect: exposed_communication::RULE.id,
        title: None,
        causes: &[straggler::RULE.id, load_imbalance::RULE.id],
    },
    Explained {
        effect: straggler::RULE.id,
        title: None,
        causes: &[load_imbalance::RULE.id, input_wait::RULE.id],
    },
    Explained {
        effect: idle::RULE.id,
        title: Some(idle::RULE.title),
        causes: LAUNCHING,
    },
    Explained {
        effect: host_bound::RULE.id,
        title: Some(host_bound::RULE.title),
        causes: LAUNCHING,
    },
    Explained {
        effect: program_runs::RULE.id,
        title: None,
        causes: &[host_syncs::RULE.id],
    },
];

/// What makes the host launch more than the device waits for.
const LAUNCHING: &[&str] = &[
    host_syncs::RULE.id,
    program_runs::RULE.id,
    tiny_kernels::RULE.id,
];

/// The ids of all rules.
pub fn ids() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.id)
}
