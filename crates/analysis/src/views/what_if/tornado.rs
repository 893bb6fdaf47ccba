//! The largest single causes: candidates from the critical paths, each replayed on its own.

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use stepscope_model::{Op, Session};

use super::change::{Change, NO_WAITS, WITHIN, effects, is_removable};
use super::measure::{Bounded, Pace, bounded};
use super::report::WhatIfRow;
use crate::asking::AnalysisError;
use crate::measuring::activity::CAUSES;
use crate::views::critical_path::PathOpRow;
use crate::views::critical_path::collect::Paths;
use crate::views::replay::Replay;
use crate::views::replay::effects::Reading;
use crate::views::replay::path::{Kinds, WaitKind};
use crate::views::replay::steps::StepOn;

/// Causes that are listed.
const MOST_CAUSES: usize = 20;
/// Ops that are tried.
const MOST_OPS: usize = 24;

/// A cause that gains a smaller share of the time per step is not listed: replays of the same work differ
/// by rounding.
const LEAST_GAIN: f64 = 1e-5;

/// A candidate, and the same cause with half its time.
type Candidate = (String, Option<String>);

/// The causes with the largest gains, most first.
pub(super) fn tornado(
    session: &Session,
    replay: &Replay,
    steps: &[StepOn],
    paths: &Paths<'_>,
    kinds: &Kinds,
) -> Result<Vec<WhatIfRow>, AnalysisError> {
    let pace = Pace::of(session, replay, steps);
    let before = pace.in_replay(&replay.unchanged);
    let candidates = candidates(session, replay, steps, paths);
    let rows: Vec<Result<Option<WhatIfRow>, AnalysisError>> = candidates
        .par_iter()
        .map(|(change, half)| {
            let row = row(session, replay, kinds, &pace, before, change)?;
            let Some(row) =
                row.filter(|row| row.gain_ps.max(row.high_gain_ps) > LEAST_GAIN * before)
            else {
                return Ok(None);
            };
            let half_gain_ps = half
                .as_deref()
                .map(|half| likely_gain(session, replay, kinds, &pace, before, half))
                .transpose()?;
            Ok(Some(WhatIfRow {
                half_gain_ps: half_gain_ps.flatten(),
                ..row
            }))
        })
        .collect();
    let rows: Vec<Option<WhatIfRow>> = rows.into_iter().collect::<Result<_, _>>()?;
    let mut rows: Vec<WhatIfRow> = rows.into_iter().flatten().collect();
    rows.sort_by(|a, b| {
        (b.gain_ps.total_cmp(&a.gain_ps))
            .then(b.high_gain_ps.total_cmp(&a.high_gain_ps))
            .then_with(|| a.change.cmp(&b.change))
    });
    rows.truncate(MOST_CAUSES);
    Ok(rows)
}

/// One change on its own, under every reading.
fn row(
    session: &Session,
    replay: &Replay,
    kinds: &Kinds,
    pace: &Pace<'_>,
    before: f64,
    text: &str,
) -> Result<Option<WhatIfRow>, AnalysisError> {
    let changes = Change::parse_all(&[text.to_owned()])?;
    let changes: Vec<&Change> = changes.iter().collect();
    let Ok(effects) = effects(session, replay, kinds, &changes) else {
        return Ok(None);
    };
    let row = of_change(text, bounded(replay, &effects, pace), before);
    // What is taken away delays nothing: a replay that is later only shows what its reading leaves open.
    let gain_ps = row.gain_ps.max(0.0);
    Ok(Some(WhatIfRow {
        after_ps: before - gain_ps,
        gain_ps,
        gain_ratio: gain_ps / before.max(1.0),
        low_gain_ps: row.low_gain_ps.max(0.0),
        ..row
    }))
}

/// The row of a change.
pub(super) fn of_change(text: &str, after: Bounded, before: f64) -> WhatIfRow {
    WhatIfRow {
        change: text.to_owned(),
        after_ps: after.likely,
        gain_ps: before - after.likely,
        gain_ratio: (before - after.likely) / before.max(1.0),
        low_gain_ps: before - after.high,
        high_gain_ps: before - after.low,
        half_gain_ps: None,
    }
}

/// The likely gain of a change, in picoseconds per step; none if it concerns nothing.
pub(super) fn likely_gain(
    session: &Session,
    replay: &Replay,
    kinds: &Kinds,
    pace: &Pace<'_>,
    before: f64,
    text: &str,
) -> Result<Option<f64>, AnalysisError> {
    let changes = Change::parse_all(&[text.to_owned()])?;
    let changes: Vec<&Change> = changes.iter().collect();
    let Ok(effects) = effects(session, replay, kinds, &changes) else {
        return Ok(None);
    };
    let times = replay.with(&effects, Reading::Likely);
    Ok(Some(before - pace.in_replay(&times)))
}

/// What patterns are compared with besides names: categories, scopes and sources, in lower case.
fn words(session: &Session) -> FxHashSet<String> {
    let of_op = |op: &Op| [op.category, op.scope, op.source];
    let mut texts: Vec<_> = session.ops.iter().flat_map(of_op).collect();
    texts.sort_unstable();
    texts.dedup();
    let words = texts
        .into_iter()
        .map(|text| session.text(text).to_lowercase());
    words.collect()
}

/// The function that the program of an op was compiled from: its title without the number.
fn function(row: &PathOpRow) -> &str {
    let program = row.program.as_str();
    program.rsplit_once('(').map_or(program, |(name, _)| name)
}

/// What is on the paths, and what concerns all of a kind.
fn candidates(
    session: &Session,
    replay: &Replay,
    steps: &[StepOn],
    paths: &Paths<'_>,
) -> Vec<Candidate> {
    let ops = paths.ops(steps);
    let on_path = ops.iter().filter(|row| row.mean_ps > 0.0).take(MOST_OPS);
    let words = words(session);
    let mut found: Vec<Candidate> = Vec::new();
    for row in on_path {
        let is_of_many = ops
            .iter()
            .any(|other| other.name == row.name && function(other) != function(row));
        // An op may be called like its category: `all-reduce` alone would mean all of them.
        let is_word = words.contains(&row.name.to_lowercase());
        let name = regex::escape(&row.name);
        let name = if (is_of_many || is_word) && !row.program.is_empty() {
            // Each process may have a number of its own for the program that all of them run.
            format!("{}\\(\\d+\\){WITHIN}{name}", regex::escape(function(row)))
        } else {
            name
        };
        // `;` separates changes.
        let pattern = format!("^{name}$").replace(';', ".");
        let candidate = (
            format!("remove:{pattern}"),
            Some(format!("scale:{pattern}:0.5")),
        );
        if !found.contains(&candidate) {
            found.push(candidate);
        }
    }
    if ops.iter().any(|row| row.kind == WaitKind::Collective) {
        found.push(("hide:collectives".to_owned(), Some("network:2".to_owned())));
    }
    if ops.iter().any(|row| row.kind == WaitKind::Copy) {
        let half = "scale:copies:0.5".to_owned();
        found.push(("remove:copies".to_owned(), Some(half)));
    }
    if replay.graph.meetings > replay.graph.early_leaves {
        found.push(("align".to_owned(), None));
    }
    if session.devices.iter().any(|device| device.kind.is_gpu()) {
        found.push(("no-launch-gaps".to_owned(), None));
    }
    found.push((NO_WAITS.to_owned(), None));
    // Also those of gaps between steps, which no path contains.
    let mut causes = [false; CAUSES.len()];
    for one in &replay.graph.causes {
        causes[usize::from(one.cause)] = true;
    }
    for cause in CAUSES.into_iter().filter(|cause| causes[cause.position()]) {
        let change = match cause {
            cause if cause.is_input() => "no-input-wait".to_owned(),
            cause if is_removable(cause) => format!("no-host:{}", cause.name()),
            _ => continue,
        };
        // Loading and copies to the device are one change.
        if !found.iter().any(|(known, _)| *known == change) {
            found.push((change, None));
        }
    }
    found
}
