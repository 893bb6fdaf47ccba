//! `verdict`: what a capture contains and what is wrong with it, for use right after it was taken.
//!
//! Every figure comes from `overview`, `steps` or `ops`. The findings come from [`rules`], one file
//! each; their thresholds are in [`limits`].

mod columns;
mod evidence;
mod layers;
pub mod limits;
mod lines;
mod report;
pub mod rules;
mod tables;

use clap::Args;
pub use report::{Finding, Severity, VerdictDevices, VerdictLayer, VerdictOp, VerdictReport};
use stepscope_model::{Session, StepOrigin};

use crate::asking::group::Group;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::selection::main_series;
use evidence::Evidence;

/// The `verdict` analysis.
pub struct Verdict;

/// Options of [`Verdict`]: none, because a verdict covers the whole capture.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct VerdictOptions {}

impl Analysis for Verdict {
    const NAME: &'static str = "verdict";
    const ALIASES: &'static [&'static str] = &["inspect_capture"];
    const SUMMARY: &'static str =
        "What a capture contains, what is wrong with it, and how to fix it";
    const GROUP: Group = Group::Summary;
    const EXAMPLES: &'static str = "\
# Right after a capture: is it worth looking at?
stepscope verdict ./logs
# For programs: findings with id, severity, what, why and fix
stepscope verdict ./logs --json";
    const NEEDS_EVENTS: bool = false;
    type Options = VerdictOptions;
    type Report = VerdictReport;

    fn run(session: &Session, _options: &VerdictOptions) -> Result<VerdictReport, AnalysisError> {
        let evidence = Evidence::of(session)?;
        let findings = rules::findings(&evidence);
        let mut report = VerdictReport {
            session: session.name.clone(),
            lines: Vec::new(),
            findings,
            host_count: session.hosts.len(),
            memory_profile_count: session.heap.snapshots.len(),
            devices: evidence.chips(),
            layers: layers::layers(session),
            annotated_step_count: annotated_steps(session),
            step_time_ps: evidence.overview.step_time.clone(),
            step_parts: evidence.overview.step_parts(),
            duration_ps: evidence.duration_ps,
            device_busy_ratio: evidence.overview.busy_ratio,
            mfu_ratio: evidence.utilization.mfu,
            hfu_ratio: evidence.utilization.hfu,
            flops_known_ratio: evidence.utilization.known_ratio,
            attribution: evidence.attribution.clone(),
            top_ops: evidence.top_ops(),
            size_bytes: evidence.size_bytes,
            event_count: evidence.event_count,
        };
        let program_count = session.is_program_only().then_some(session.programs.len());
        report.lines = lines::lines(&report, program_count);
        Ok(report)
    }
}

/// Annotated steps of the main series.
fn annotated_steps(session: &Session) -> usize {
    let is_annotated = matches!(
        session.step_origin,
        Some(StepOrigin::Annotation | StepOrigin::Cadence)
    );
    let main = main_series(session);
    let steps = session.steps.iter();
    steps
        .filter(|step| is_annotated && step.series == main)
        .count()
}

/// What is wrong with the capture, most severe first.
pub(crate) fn findings(session: &Session) -> Result<Vec<Finding>, AnalysisError> {
    Ok(rules::findings(&Evidence::of(session)?))
}
