//! `op_tree`: device time as a tree of programs, categories and ops, or of scopes, and how much time
//! better utilization of the chip would save.
//!
//! | Figure | Definition |
//! |---|---|
//! | node | a program, category, scope, or op; duplicate ops are one node, see [`duplicates`] |
//! | self | Σ self time of the ops at or below; children sum to their parent |
//! | total | Σ duration of the ops at or below; nested ops count again in the op around them |
//! | work | Σ flops and bytes of all executions, as in [`ops`](crate::views::ops) |
//! | ratios | work ÷ self time ÷ peak, for compute and every memory; for a single op, as in `ops` |
//! | wasted | self × (1 − min(best ratio, 1)); for a node, the sum over its ops |
//! | idle | Σ over devices of elapsed time, as in [`roofline`](crate::views::roofline), − busy time |
//! | instruction | part of a fusion: work from the HLO × executions, without a separate time |
//!
//! An asynchronous op moves its bytes between its start and its done, so neither half has a ratio.
//! Time in the halves is waiting, and all of it counts as wasted. Ops whose work or peak is unknown
//! have neither a ratio nor wasted time.

mod build;
mod columns;
mod duplicates;
mod fused;
mod idle;
mod notes;
mod options;
mod report;
mod rows;
mod tables;

pub use options::{OpTreeOptions, TreeBy};
pub use report::{OpTreeLevel, OpTreeReport, OpTreeRow, OpTreeWaste};
use stepscope_model::{Reads, SaturatingSum as _, Session};

use crate::asking::group::Group;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::totals::work_totals;
use crate::views::ops::{GroupBy, common_peaks, measured, unknown_flops_ratio};
use crate::views::roofline::Choice;

/// The `op_tree` analysis.
pub struct OpTree;

impl Analysis for OpTree {
    const NAME: &'static str = "op_tree";
    const ALIASES: &'static [&'static str] = &["op_profile", "hlo_op_profile"];
    const SUMMARY: &'static str =
        "Device time by program, category and op, or by scope: utilization and wasted time";
    const GROUP: Group = Group::Compute;
    const READS: Reads = Reads::Devices;
    const EXAMPLES: &'static str = "\
# Programs, their categories, their ops
stepscope op_tree ./logs
# Categories over all programs, without idle time, two levels
stepscope op_tree ./logs --by category --idle exclude --depth 2
# Ops with the most wasted time
stepscope op_tree ./logs --sort wasted_ps";
    type Options = OpTreeOptions;
    type Report = OpTreeReport;

    fn run(session: &Session, options: &OpTreeOptions) -> Result<OpTreeReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let totals = work_totals(session, &selected);
        let ops = measured(session, &selected, &totals, GroupBy::Op);
        let self_ps: i64 = ops.iter().map(|op| op.row.self_ps).saturating_sum();
        let idle_ps = match options.idle {
            Choice::Include => idle::idle_ps(session, &selected),
            Choice::Exclude => None,
        };
        let peaks = common_peaks(session, &selected.main_devices);
        let tree = build::Tree::new(session, &ops, options.by, &peaks, idle_ps);
        let (rows, row_count) = rows::rows(&tree, options)?;
        Ok(OpTreeReport {
            wasted: rows::wasted(&tree),
            wasted_ps: tree.wasted_ps(),
            rows,
            row_count,
            self_ps,
            idle_ps,
            flops_unknown_ratio: unknown_flops_ratio(session, ops.iter()),
            notes: notes::notes(session, &selected, options, &ops),
        })
    }
}
