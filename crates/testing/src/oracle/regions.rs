//! Time by region of host threads: every event of a `/host:` plane that is neither an op of XLA:CPU
//! nor a marker.

use std::collections::BTreeMap;

use super::{Event, by_line, device_of, events};
use crate::space::XSpace;

/// What identifies a region: its name and, for a Python function, its location.
pub type RegionKey = (String, String);

/// The sums over the slices of a region, in picoseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegionTime {
    /// Sum of durations of the slices that are not inside another slice of the region on their
    /// line.
    pub total_ps: i128,
    /// Sum of durations less those of slices directly within that are regions.
    pub self_ps: i128,
    /// The duration of every slice.
    pub durations_ps: Vec<i128>,
    /// Start of the first slice.
    pub first_ps: i128,
}

/// Time by region over the events selected by name; other events are ignored.
pub fn regions(space: &XSpace, wanted: impl Fn(&str) -> bool) -> BTreeMap<RegionKey, RegionTime> {
    let is_marker =
        |name: &str| name.starts_with("end: ") || name.starts_with("ThreadpoolListener::");
    let slices: Vec<Event> = events(space)
        .into_iter()
        .map(|mut event| {
            if !event.display_name.is_empty() {
                event.name = event.display_name.clone();
            }
            event
        })
        .filter(|event| {
            event.plane.starts_with("/host:")
                && event.plane != "/host:metadata"
                && !event.line_name.starts_with("_counters_")
                && event.occurrences.is_none()
                && device_of(event).is_none()
                && !is_marker(&event.name)
                && wanted(&event.name)
        })
        .collect();
    let mut regions: BTreeMap<RegionKey, RegionTime> = BTreeMap::new();
    for line in by_line(slices) {
        let parents = parents(&line);
        for (index, slice) in line.iter().enumerate() {
            let key = key_of(&slice.name);
            let region = regions.entry(key.clone()).or_default();
            let is_first = region.durations_ps.is_empty();
            if is_first || slice.start_ps < region.first_ps {
                region.first_ps = slice.start_ps;
            }
            region.durations_ps.push(slice.duration_ps);
            region.self_ps += slice.duration_ps;
            let mut around = parents[index];
            let mut is_nested = false;
            while let Some(outer) = around {
                is_nested |= key_of(&line[outer].name) == key;
                around = parents[outer];
            }
            if !is_nested {
                region.total_ps += slice.duration_ps;
            }
            if let Some(parent) = parents[index] {
                let outer = regions.entry(key_of(&line[parent].name)).or_default();
                outer.self_ps -= slice.duration_ps;
            }
        }
    }
    regions
}

/// For each slice of a line, in the order of [`by_line`], the closest before it that contains it.
fn parents(line: &[Event]) -> Vec<Option<usize>> {
    let parent = |index: usize| {
        let child = &line[index];
        let contains = |&parent: &usize| line[parent].end_ps() >= child.end_ps();
        (0..index).rev().find(contains)
    };
    // If no slice so far reaches the child's end, there is no parent to find.
    let mut latest_end = i128::MIN;
    let mut parents = Vec::with_capacity(line.len());
    for (index, slice) in line.iter().enumerate() {
        let reached = latest_end >= slice.end_ps();
        parents.push(reached.then(|| parent(index)).flatten());
        latest_end = latest_end.max(slice.end_ps());
    }
    parents
}

/// `$train.py:31 main` is `main` of `train.py:31`; `load#batch=3#` is `load`.
fn key_of(name: &str) -> RegionKey {
    if let Some(frame) = name.strip_prefix('$') {
        let words: Vec<&str> = frame.split(' ').collect();
        if let [source @ .., function] = words.as_slice()
            && !source.is_empty()
            && !function.is_empty()
        {
            let source = source.join(" ");
            let source = if source == "<unknown>" {
                String::new()
            } else {
                source
            };
            return ((*function).to_owned(), source);
        }
        return (frame.to_owned(), String::new());
    }
    let pieces: Vec<&str> = name.split('#').collect();
    if let [head @ .., arguments, ""] = pieces.as_slice()
        && arguments.contains('=')
        && !head.join("#").is_empty()
    {
        return (head.join("#"), String::new());
    }
    (name.to_owned(), String::new())
}
