//! What grew between the first and the last snapshot of a session: a leak, by who allocated it.

use std::cmp::Reverse;

use stepscope_model::Session;

use super::{HeapOptions, Sums};
use crate::telling::format;

/// Growth below this is too small to be worth tracking down, bytes.
const MIN_BYTES: i64 = 1 << 20;
/// Number of stacks that are reported.
const TOLD: usize = 3;

/// Memory alive in the first and in the last snapshot.
pub(crate) struct Growth {
    snapshot_count: usize,
    before_bytes: i64,
    after_bytes: i64,
    /// The allocation sites that grew the most, and by how many bytes.
    grown: Vec<(String, i64)>,
}

/// None with fewer than two snapshots, or if they cannot be compared.
pub(crate) fn growth(session: &Session) -> Option<Growth> {
    let snapshot_count = session.heap.snapshots.len();
    if snapshot_count < 2 {
        return None;
    }
    let options = HeapOptions {
        against: Some("first".to_owned()),
        ..HeapOptions::default()
    };
    let Sums { tally, rows, .. } = Sums::of(session, &options).ok()?;
    let change = rows.change(tally.total).0.unwrap_or(0);
    let after_bytes = tally.total.now.bytes;
    let mut stacks = rows.stacks(&tally);
    stacks.retain(|row| row.change_bytes.is_some_and(|bytes| bytes > 0));
    let stacks = stacks.into_iter();
    let mut grown: Vec<(String, i64)> = stacks
        .filter_map(|row| Some((row.site, row.change_bytes?)))
        .collect();
    grown.sort_by_key(|(site, bytes)| (Reverse(*bytes), site.clone()));
    grown.truncate(TOLD);
    Some(Growth {
        snapshot_count,
        before_bytes: after_bytes.saturating_sub(change),
        after_bytes,
        grown,
    })
}

impl Growth {
    /// Growth ÷ bytes alive in the first snapshot; 0 if the growth is too small to matter.
    pub(crate) fn ratio(&self) -> f64 {
        let change = self.after_bytes.saturating_sub(self.before_bytes);
        if change < MIN_BYTES {
            return 0.0;
        }
        change as f64 / self.before_bytes.max(1) as f64
    }

    /// `6.578 MiB alive in the first of 2 snapshots, 8.453 MiB in the last: 1.875 MiB more.`
    pub(crate) fn totals(&self) -> String {
        format!(
            "{} alive in the first of {} snapshots, {} in the last: {} more.",
            format::bytes(self.before_bytes as f64),
            self.snapshot_count,
            format::bytes(self.after_bytes as f64),
            format::bytes((self.after_bytes.saturating_sub(self.before_bytes)) as f64)
        )
    }

    /// `Largest growth: main (train.py:60) +6.078 MiB.`
    pub(crate) fn largest(&self) -> String {
        let grown = self.grown.iter();
        let words: Vec<String> = grown
            .map(|(site, bytes)| format!("{site} +{}", format::bytes(*bytes as f64)))
            .collect();
        format!("Largest growth: {}.", words.join("; "))
    }
}

/// The usual reason why memory grows.
pub(crate) const WHY: &str = "Something is allocated in every step and never freed: a list of losses \
                              or metrics that are still arrays, a cache, or leaked tracers.";
