//! Communication by mesh axis, source line, scope, kind or core.

use std::collections::BTreeMap;

use stepscope_model::hlo::name_stack::merged;

use super::options::CollectivesBy;
use super::report::{CollectiveGroupRow, CollectiveRow};

/// Sums over the collectives of a group.
#[derive(Default)]
struct Sums {
    collectives: i64,
    occurrences: i64,
    exposed_ps: i64,
    total_ps: i64,
    wait_ps: Option<i64>,
    bytes: Option<i64>,
    /// Of collectives whose bus bandwidth is known: bytes over the bus, and their time.
    moved: Moved,
    /// Of those whose expected time is known, too.
    expected: Moved,
    expected_ps: f64,
    overlap_ps: Option<f64>,
}

#[derive(Default)]
struct Moved {
    bytes: f64,
    time_ps: f64,
}

/// One row per group, most exposed time first.
pub(super) fn groups(rows: &[CollectiveRow], by: CollectivesBy) -> Vec<CollectiveGroupRow> {
    let mut sums: BTreeMap<String, Sums> = BTreeMap::new();
    for row in rows {
        sums.entry(key(row, by)).or_default().add(row);
    }
    let exposed_ps: i64 = rows
        .iter()
        .fold(0, |sum, row| row.exposed_ps.saturating_add(sum));
    let row = |(name, sums): (String, Sums)| sums.row(name, exposed_ps);
    let mut groups: Vec<CollectiveGroupRow> = sums.into_iter().map(row).collect();
    groups.sort_by_key(|group| std::cmp::Reverse((group.exposed_ps, group.total_ps)));
    groups
}

fn key(row: &CollectiveRow, by: CollectivesBy) -> String {
    match by {
        CollectivesBy::Axis => row.mesh_axes.clone(),
        CollectivesBy::Source => row.source.clone(),
        CollectivesBy::Scope => scope(&row.scope),
        CollectivesBy::Kind => row.kind.clone(),
        CollectivesBy::Core => row.core.clone(),
    }
}

/// The place in the tree of `scopes`, where all passes of a layer are one, and a combined op is below
/// what its paths share.
fn scope(stack: &str) -> String {
    let merged = merged(stack);
    let label = merged.label();
    let mut parts: Vec<&str> = merged.common.clone();
    parts.extend(label.as_deref());
    parts.join("/")
}

impl Sums {
    fn add(&mut self, row: &CollectiveRow) {
        let count = row.occurrences as f64;
        self.collectives += 1;
        self.occurrences = self.occurrences.saturating_add(row.occurrences);
        self.exposed_ps = self.exposed_ps.saturating_add(row.exposed_ps);
        self.total_ps = self.total_ps.saturating_add(row.total_ps);
        if let Some(wait_ps) = row.wait_ps {
            self.wait_ps = Some(self.wait_ps.unwrap_or(0).saturating_add(wait_ps));
        }
        if let Some(bytes) = row.bytes {
            let all = bytes.saturating_mul(row.occurrences);
            self.bytes = Some(self.bytes.unwrap_or(0).saturating_add(all));
        }
        if let Some(overlap_ps) = row.overlap_ps {
            *self.overlap_ps.get_or_insert(0.0) += overlap_ps * count;
        }
        let time_ps = row.total_ps as f64;
        let moved = row
            .bus_bandwidth
            .map(|rate| rate * row.mean_ps * 1e-12 * count);
        if let Some(bytes) = moved {
            self.moved.add(bytes, time_ps);
        }
        if let Some(expected_ps) = row.expected_ps {
            self.expected_ps += expected_ps * count;
            self.expected.add(moved.unwrap_or(0.0), time_ps);
        }
    }

    fn row(self, name: String, all_exposed_ps: i64) -> CollectiveGroupRow {
        let expected_ps = Some(self.expected_ps).filter(|&expected| expected > 0.0);
        CollectiveGroupRow {
            name,
            collectives: self.collectives,
            occurrences: self.occurrences,
            exposed_ps: self.exposed_ps,
            exposed_ratio: (all_exposed_ps > 0)
                .then(|| self.exposed_ps as f64 / all_exposed_ps as f64),
            hidden_ps: self.total_ps - self.exposed_ps,
            total_ps: self.total_ps,
            wait_ps: self.wait_ps,
            bytes: self.bytes,
            bus_bandwidth: self.moved.rate(self.moved.time_ps),
            peak_bandwidth: self.expected.rate(self.expected_ps),
            expected_ps,
            times_expected: expected_ps.map(|expected| self.expected.time_ps / expected),
            overlap_ps: self.overlap_ps,
        }
    }
}

impl Moved {
    fn add(&mut self, bytes: f64, time_ps: f64) {
        self.bytes += bytes;
        self.time_ps += time_ps;
    }

    /// Bytes per second over another time; none without either.
    fn rate(&self, time_ps: f64) -> Option<f64> {
        (self.bytes > 0.0 && time_ps > 0.0).then(|| self.bytes / (time_ps * 1e-12))
    }
}
