//! Columns of the tables of `critical_path`. The meaning of each is documented at the field of its
//! row.

use super::report::{PathKindRow, PathOpRow, PathRow, PathScopeRow, PathStepRow, WaitRow};
use crate::telling::{Column, Declared, Field, Identity, Unit};

pub(super) const ROWS: &[Field<PathRow>] = &[
    Column::new("offset_ps", "From", Unit::Picos)
        .position()
        .of(|row| row.offset_ps.into()),
    Column::new("duration_ps", "Time", Unit::Picos).of(|row| row.duration_ps.into()),
    Column::new("ratio", "Of step", Unit::Ratio)
        .formula("duration ÷ length of the step")
        .of(|row| row.ratio.into()),
    Column::new("kind", "Kind", Unit::Text).of(|row| row.kind.name().into()),
    Column::new("what", "What", Unit::Text).of(|row| row.what.as_str().into()),
    Column::new("count", "Pieces", Unit::Count).of(|row| row.count.into()),
    Column::new("place", "Where", Unit::Text).of(|row| row.place.as_str().into()),
    Column::wide("step", "Step", Unit::Count)
        .position()
        .of(|row| row.step.into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::wide("is_scattered", "Scattered", Unit::Flag).of(|row| row.is_scattered.into()),
];

pub(super) const WAITS: &[Field<WaitRow>] = &[
    Column::new("reason", "Waits for", Unit::Text).of(|row| row.reason.as_str().into()),
    Column::new("what", "What", Unit::Text).of(|row| row.what.as_str().into()),
    Column::new("place", "Where", Unit::Text).of(|row| row.place.as_str().into()),
    Column::new("before_ps", "Over before", Unit::Picos)
        .formula("start of the slice − end of what it waited for")
        .of(|row| row.before_ps.into()),
    Column::new("lag_ps", "Latency", Unit::Picos).of(|row| row.lag_ps.into()),
    Column::new("is_last", "Last", Unit::Flag).of(|row| row.is_last.into()),
];

pub(super) const KINDS: &[Field<PathKindRow>] = &[
    Column::new("kind", "Kind", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.kind.name().into()),
    Column::new("mean_ps", "Per step", Unit::Picos)
        .fractional()
        .of(|row| row.mean_ps.into()),
    Column::new("ratio", "Of path", Unit::Ratio)
        .formula("Σ time of the kind ÷ Σ length of the paths")
        .of(|row| row.ratio.into()),
    Column::new("meaning", "The step waits because", Unit::Text)
        .of(|row| row.meaning.as_str().into()),
];

pub(super) const OPS: &[Field<PathOpRow>] = &[
    Column::new("name", "Op", Unit::Text)
        .identifies(Identity::Unnumbered)
        .of(|row| row.name.as_str().into()),
    Column::new("kind", "Kind", Unit::Text).of(|row| row.kind.name().into()),
    Column::new("mean_ps", "Per step", Unit::Picos)
        .fractional()
        .of(|row| row.mean_ps.into()),
    Column::new("ratio", "Of path", Unit::Ratio)
        .formula("Σ time of the op on the paths ÷ Σ length of the paths")
        .of(|row| row.ratio.into()),
    Column::new("min_slack_ps", "Least slack", Unit::Picos)
        .neutral()
        .of(|row| row.min_slack_ps.into()),
    Column::wide("mean_slack_ps", "Mean slack", Unit::Picos)
        .neutral()
        .fractional()
        .of(|row| row.mean_slack_ps.into()),
    Column::new("occurrences", "Runs", Unit::Count)
        .sums()
        .of(|row| row.occurrences.into()),
    Column::wide("program", "Program", Unit::Text)
        .identifies(Identity::Unnumbered)
        .of(|row| row.program.as_str().into()),
    Column::wide("scope", "Scope", Unit::Text).of(|row| row.scope.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|row| row.source.as_str().into()),
];

pub(super) const SCOPES: &[Field<PathScopeRow>] = &[
    Column::new("scope", "Scope", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.scope.as_str().into()),
    Column::new("mean_ps", "Per step", Unit::Picos)
        .fractional()
        .of(|row| row.mean_ps.into()),
    Column::new("ratio", "Of path", Unit::Ratio)
        .formula("Σ time of the scope on the paths ÷ Σ length of the paths")
        .of(|row| row.ratio.into()),
];

pub(super) const STEPS: &[Field<PathStepRow>] = &[
    Column::new("step", "Step", Unit::Count)
        .position()
        .identifies(Identity::Step)
        .of(|row| row.step.into()),
    Column::new("device", "Ends on", Unit::Text).of(|row| row.device.as_str().into()),
    Column::new("duration_ps", "Duration", Unit::Picos).of(|row| row.duration_ps.into()),
    Column::new("replayed_ps", "Replayed", Unit::Picos).of(|row| row.replayed_ps.into()),
    Column::new("compute_ps", "Compute", Unit::Picos).of(|row| row.compute_ps.into()),
    Column::new("collective_ps", "Collective", Unit::Picos).of(|row| row.collective_ps.into()),
    Column::new("copy_ps", "Copy", Unit::Picos).of(|row| row.copy_ps.into()),
    Column::new("host_ps", "Host", Unit::Picos).of(|row| row.host_ps.into()),
    Column::new("launch_ps", "Launch", Unit::Picos).of(|row| row.launch_ps.into()),
    Column::new("idle_ps", "Idle", Unit::Picos).of(|row| row.idle_ps.into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("kinds", KINDS),
        Declared::of("waits", WAITS),
        Declared::of("rows", ROWS),
        Declared::of("ops", OPS),
        Declared::of("scopes", SCOPES),
        Declared::of("steps", STEPS),
    ]
}

/// Figures next to the tables.
pub(super) const FIGURES: &[Column] = &[
    Column::new("path_ps", "Mean path", Unit::Picos).fractional(),
    Column::new("error_ratio", "Replay error", Unit::Ratio).less_is_better(),
];
