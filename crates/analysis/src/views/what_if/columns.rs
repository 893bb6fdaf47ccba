//! Columns of the tables of `what_if`. The meaning of each is documented at the field of its row.

use super::report::{WhatIfKindRow, WhatIfLane, WhatIfRow, WhatIfStepRow};
use crate::telling::{Column, Declared, Field, Identity, Unit};

pub(super) const ROWS: &[Field<WhatIfRow>] = &[
    Column::new("change", "Change", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.change.as_str().into()),
    Column::new("gain_ps", "Gain per step", Unit::Picos)
        .fractional()
        .more_is_better()
        .formula("recorded time per step − time per step with the change")
        .of(|row| row.gain_ps.into()),
    Column::new("gain_ratio", "Gain", Unit::Ratio)
        .more_is_better()
        .formula("gain ÷ recorded time per step")
        .of(|row| row.gain_ratio.into()),
    Column::new("low_gain_ps", "At least", Unit::Picos)
        .fractional()
        .more_is_better()
        .of(|row| row.low_gain_ps.into()),
    Column::new("high_gain_ps", "At most", Unit::Picos)
        .fractional()
        .more_is_better()
        .of(|row| row.high_gain_ps.into()),
    Column::new("half_gain_ps", "If halved", Unit::Picos)
        .fractional()
        .more_is_better()
        .of(|row| row.half_gain_ps.into()),
    Column::new("after_ps", "Time per step", Unit::Picos)
        .fractional()
        .of(|row| row.after_ps.into()),
];

pub(super) const STEPS: &[Field<WhatIfStepRow>] = &[
    Column::new("step", "Step", Unit::Count)
        .position()
        .identifies(Identity::Step)
        .of(|row| row.step.into()),
    Column::new("duration_ps", "Recorded", Unit::Picos)
        .fractional()
        .of(|row| row.duration_ps.into()),
    Column::new("after_ps", "Changed", Unit::Picos)
        .fractional()
        .of(|row| row.after_ps.into()),
    Column::new("gain_ps", "Gain", Unit::Picos)
        .fractional()
        .more_is_better()
        .of(|row| row.gain_ps.into()),
    Column::new("low_ps", "Changed, at least", Unit::Picos)
        .fractional()
        .of(|row| row.low_ps.into()),
    Column::new("high_ps", "Changed, at most", Unit::Picos)
        .fractional()
        .of(|row| row.high_ps.into()),
];

pub(super) const LANES: &[Field<WhatIfLane>] = &[
    Column::new("device", "Device", Unit::Text).of(|lane| lane.device.as_str().into()),
    Column::new("is_communication", "Communication", Unit::Flag)
        .of(|lane| lane.is_communication.into()),
    Column::new("before_busy_ps", "Busy, recorded", Unit::Picos)
        .of(|lane| lane.before_busy_ps.into()),
    Column::new("after_busy_ps", "Busy, changed", Unit::Picos).of(|lane| lane.after_busy_ps.into()),
    Column::new("before_end_ps", "End, recorded", Unit::Picos).of(|lane| lane.before_end_ps.into()),
    Column::new("after_end_ps", "End, changed", Unit::Picos).of(|lane| lane.after_end_ps.into()),
    Column::new("removed", "Removed", Unit::Count).of(|lane| lane.removed.into()),
    Column::new("shorter", "Shorter", Unit::Count).of(|lane| lane.shorter.into()),
    Column::new("longer", "Longer", Unit::Count).of(|lane| lane.longer.into()),
];

pub(super) const KINDS: &[Field<WhatIfKindRow>] = &[
    Column::new("kind", "Kind", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.kind.name().into()),
    Column::new("before_ps", "Before", Unit::Picos)
        .fractional()
        .of(|row| row.before_ps.into()),
    Column::new("after_ps", "After", Unit::Picos)
        .fractional()
        .of(|row| row.after_ps.into()),
    Column::new("what", "Mostly, after", Unit::Text).of(|row| row.what.as_str().into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("steps", STEPS),
        Declared::of("kinds", KINDS),
        Declared::of("lanes", LANES),
    ]
}

/// Figures next to the tables.
pub(super) const FIGURES: &[Column] = &[
    Column::new("step_ps", "Step", Unit::Picos).fractional(),
    Column::new("changed_step_ps", "Changed step", Unit::Picos).fractional(),
    Column::new("before_ps", "Time per step", Unit::Picos).fractional(),
    Column::new("after_ps", "Changed time per step", Unit::Picos).fractional(),
    Column::new("error_ratio", "Replay error", Unit::Ratio).less_is_better(),
];
