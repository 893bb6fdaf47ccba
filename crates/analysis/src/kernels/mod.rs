//! `kernels`: GPU kernels with their launch geometry, and copies by direction.
//!
//! A row is one kernel function, launch geometry and op; occurrences are launches. Other devices
//! run ops, not kernels: see `ops`.

mod collect;
mod report;
mod tables;

use clap::Args;
pub use report::{KernelRow, KernelsReport, TransferRow};
use stepscope_model::{DeviceKind, Session, SliceKind};

use crate::format;
use crate::group::Group;
use crate::note::Note;
use crate::order;
use crate::registry::{Analysis, AnalysisError};
use crate::selection::Selection;
use crate::totals::{WorkTotals, work_totals};

/// The `kernels` analysis.
pub struct Kernels;

/// Options of [`Kernels`].
#[derive(Debug, Clone, Default, Args)]
pub struct KernelsOptions {
    /// Which part of the session.
    #[command(flatten)]
    pub selection: Selection,
}

impl Analysis for Kernels {
    const NAME: &'static str = "kernels";
    const ALIASES: &'static [&'static str] = &["kernel_stats"];
    const SUMMARY: &'static str =
        "GPU kernels: launches, durations, grid, block, registers, occupancy; copies by direction";
    const GROUP: Group = Group::Compute;
    const EXAMPLES: &'static str = "\
# The kernels with the largest total
stepscope kernels ./logs
# Kernels launched most often
stepscope kernels ./logs --sort occurrences --limit 20
# Low occupancy first, of one device
stepscope kernels ./logs --device GPU:0 --sort -occupancy";
    type Options = KernelsOptions;
    type Report = KernelsReport;

    fn run(session: &Session, options: &KernelsOptions) -> Result<KernelsReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let totals = work_totals(session, &selected);
        let mut rows = collect::kernels(session, &totals);
        let total_ps: i64 = rows.iter().map(|row| row.total_ps).sum();
        let attributed_ps = attributed_ps(session, &totals);
        let attributed_ratio = (total_ps > 0).then(|| attributed_ps as f64 / total_ps as f64);
        let transfers = collect::transfers(session, &totals);
        let notes = notes(session, &rows, attributed_ratio);
        let row_count = order::arrange(&mut rows, &options.selection, tables::SORT_COLUMNS)?;
        Ok(KernelsReport {
            rows,
            row_count,
            total_ps,
            transfers,
            attributed_ratio,
            notes,
        })
    }
}

fn attributed_ps(session: &Session, totals: &[WorkTotals]) -> i64 {
    let all = totals.iter().flat_map(|totals| &totals.labels);
    let attributed = all.filter(|(id, _)| {
        let label = session.label(*id);
        label.kind == SliceKind::Kernel && label.op.is_some()
    });
    attributed.map(|(_, totals)| totals.total_ps).sum()
}

fn notes(session: &Session, rows: &[KernelRow], attributed_ratio: Option<f64>) -> Vec<Note> {
    let mut notes = Vec::new();
    let has_gpu = session.devices.iter().any(|device| device.kind.is_gpu());
    if rows.is_empty() {
        let mut kinds: Vec<_> = session.devices.iter().map(|device| device.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let kinds: Vec<&str> = kinds.into_iter().map(DeviceKind::name).collect();
        let note = match (has_gpu, kinds.as_slice()) {
            (true, _) => Note::warning("No kernel was recorded in this selection."),
            (false, []) => Note::info("The profile has no device, so there are no kernels."),
            (false, kinds) => Note::info(format!(
                "Kernels exist on GPUs only; {} records the execution of HLO ops instead.",
                kinds.join(" and ")
            )),
        };
        notes.push(if has_gpu {
            note
        } else {
            note.with_hint("stepscope ops")
        });
    }
    if let Some(ratio) = attributed_ratio.filter(|&ratio| ratio < 0.9995) {
        let share = format::percent(ratio);
        notes.push(
            Note::info(format!(
                "{share} of kernel time carries an HLO op; kernels of CUDA graphs and of libraries \
                 may carry none."
            ))
            .with_hint(
                "XLA_FLAGS=--xla_gpu_enable_command_buffer= turns CUDA graphs off while profiling.",
            ),
        );
    }
    if !rows.is_empty() && rows.iter().all(|row| row.occupancy.is_none()) {
        notes.push(Note::info(
            "The recorder did not write the occupancy of kernels.",
        ));
    }
    notes
}
