//! `scopes`: device time by JAX name stack, or by source file and line.
//!
//! Every op's self time is counted at one leaf: the last component of its name stack (the primitive),
//! or its source line. Transformations are not nodes: `transpose(jvp(layer_0))` and `jvp(layer_0)`
//! are both `layer_0`; the columns forward, backward and rematerialized distinguish them (see
//! [`name_stack`](stepscope_model::hlo::name_stack)). Work without a name stack is listed under the
//! root `(no scope)`, and its pass is unknown. Scopes that siblings repeat under other numbers are layers
//! ([`layers`]), and so are the iterations of loops ([`iterations`]).

mod columns;
mod combined;
mod iterations;
mod layers;
mod options;
mod pieces;
mod report;
mod sums;
mod tables;
mod tree;

use combined::Combined;
pub use options::{ScopeBy, ScopesOptions};
pub use report::{FoldedRow, LayerRow, ScopeRow, ScopesReport};
use stepscope_model::{Reads, SaturatingSum as _, Session};

use crate::asking::group::Group;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::selection::Selected;
use crate::measuring::totals::work_totals;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::no_device_work;
use crate::telling::recording;
use crate::views::ops::{AllOps, OpRow, all_ops};

/// The `scopes` analysis.
pub struct Scopes;

impl Analysis for Scopes {
    const NAME: &'static str = "scopes";
    const ALIASES: &'static [&'static str] = &["framework_op_stats", "tensorflow_stats"];
    const SUMMARY: &'static str =
        "Device time by JAX name stack or source line: forward, backward, recomputed";
    const GROUP: Group = Group::Compute;
    const READS: Reads = Reads::Devices;
    const EXAMPLES: &'static str = "\
# The model's tree, two levels deep
stepscope scopes ./logs --depth 2
# Layer by layer, and all layers folded into one
stepscope scopes ./logs --csv --table layers
stepscope scopes ./logs --csv --table folded
# By source file and line
stepscope scopes ./logs --by source
# A combined gradient all-reduce divided over the layers whose gradients it reduces
stepscope scopes ./logs --split-combined
# What the backward pass of the attention costs
stepscope scopes ./logs --match attn --sort backward_ps";
    type Options = ScopesOptions;
    type Report = ScopesReport;

    fn run(session: &Session, options: &ScopesOptions) -> Result<ScopesReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let totals = work_totals(session, &selected);
        let all = all_ops(session, &selected, &totals);
        let by_scope = options.by == ScopeBy::Scope;
        let combined = if options.split_combined && by_scope {
            Combined::Divided
        } else {
            Combined::Together
        };
        let tree = tree::Tree::new(session, &all.ops, options.by, combined);
        let (rows, row_count) = tree.rows(&options.selection, options.depth)?;
        let (iterations, (layers, folded)) = if by_scope {
            let loops = iterations::iterations(session, &selected, &all);
            let trees = std::iter::once(&tree).chain(&loops.trees);
            let layers = layers::layers(trees, all.total_self_ps);
            (loops.notes, layers)
        } else {
            Default::default()
        };
        let attributed_ps: i64 = all
            .rows()
            .filter(|row| !key(row, options.by).is_empty())
            .map(|row| row.self_ps)
            .saturating_sum();
        let total_self_ps = all.total_self_ps;
        let attributed_ratio =
            (total_self_ps > 0).then(|| attributed_ps as f64 / total_self_ps as f64);
        let mut notes = notes(session, &selected, options.by, &all, attributed_ratio);
        if by_scope {
            notes.extend(combined::note(session, &all, combined));
            notes.extend(layers::note(&layers));
            notes.extend(iterations);
        }
        Ok(ScopesReport {
            rows,
            row_count,
            layers,
            folded,
            total_self_ps,
            attributed_ratio,
            notes,
        })
    }
}

/// Share of the time with names from which no hint on naming is given.
const NAMED_RATIO: f64 = 0.9;

/// The text that determines a row's place in the tree.
fn key(row: &OpRow, by: ScopeBy) -> &str {
    match by {
        ScopeBy::Scope => &row.scope,
        ScopeBy::Source => &row.source,
    }
}

fn notes(
    session: &Session,
    selected: &Selected<'_>,
    by: ScopeBy,
    all: &AllOps,
    attributed_ratio: Option<f64>,
) -> Vec<Note> {
    let Some(ratio) = attributed_ratio else {
        return vec![no_device_work(selected, "")];
    };
    let (what, hint) = match by {
        ScopeBy::Scope => ("a name stack", recording::scope(session)),
        ScopeBy::Source => ("a source line", recording::source_lines(session)),
    };
    let mut notes = Vec::new();
    if ratio < 0.9995 {
        let is_compiled = all.rows().any(|row| !row.program.is_empty());
        let why = match (is_compiled, by) {
            (true, _) => "was generated by the compiler, or the profile has no HLO for it",
            (false, ScopeBy::Scope) => "was launched by calls that do not name one",
            (false, ScopeBy::Source) => "belongs to no compiled program, whose HLO would tell it",
        };
        let text = if ratio > 0.0 {
            format!(
                "{} of device time has {what}; the rest {why}.",
                format::percent(ratio)
            )
        } else {
            format!("No device time has {what}: it {why}.")
        };
        let note = Note::info("scope-coverage", text);
        // If most of the time is named, adding names does not help.
        notes.push(if ratio < NAMED_RATIO {
            note.with_code(hint)
        } else {
            note
        });
    }
    if all.rows().any(|row| row.is_rematerialized) {
        notes.push(Note::info(
            "rematerialized-once",
            "Rematerialized time is counted once, not as backward.",
        ));
    }
    notes
}
