//! The rules, one file each. A rule looks at the evidence and at earlier findings, so that each cause
//! is reported only once.

mod aggregates;
mod capture_cost;
mod clocks;
mod compilation;
mod cupti;
mod cut_steps;
mod damage;
mod device_ends_early;
mod device_tracing_off;
mod graph_kernels;
mod heap_growth;
mod host_tracing_off;
mod idle_devices;
mod kernel_regions;
mod large_capture;
mod missing_hlo;
mod missing_hosts;
mod no_device_work;
mod no_events;
mod program_failed;
mod python_tracer;
mod recorder;
mod rule;
mod steps;
mod work_on_cpu;

use rule::{EXPLAIN_SILENCE, Rule, annotate, has};

use super::evidence::Evidence;
use super::report::Finding;

/// All rules. Findings of equal severity are reported in this order.
pub static RULES: &[Rule] = &[
    damage::RULE,
    host_tracing_off::RULE,
    no_events::RULE,
    cupti::RULE,
    device_tracing_off::RULE,
    no_device_work::RULE,
    work_on_cpu::RULE,
    recorder::RULE,
    program_failed::RULE,
    device_ends_early::RULE,
    missing_hosts::RULE,
    clocks::RULE,
    compilation::RULE,
    steps::RULE,
    cut_steps::RULE,
    missing_hlo::RULE,
    graph_kernels::RULE,
    kernel_regions::RULE,
    capture_cost::RULE,
    python_tracer::RULE,
    heap_growth::RULE,
    large_capture::RULE,
    aggregates::RULE,
    idle_devices::RULE,
];

/// The findings of all rules, most severe first.
pub(super) fn findings(evidence: &Evidence<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    // Memory profiles and programs have no events for the other rules to check.
    if evidence.session.is_memory_only() {
        return (heap_growth::RULE.look)(evidence, &found);
    }
    if evidence.session.is_program_only() {
        return found;
    }
    for rule in RULES {
        let new = (rule.look)(evidence, &found);
        debug_assert!(
            new.iter()
                .all(|finding| rule.ids.contains(&finding.id.as_str()))
        );
        found.extend(new);
    }
    found.sort_by_key(|finding| finding.severity);
    found
}
