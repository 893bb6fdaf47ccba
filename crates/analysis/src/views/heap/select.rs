//! Which snapshots and which samples: `--snapshot`, `--against`, `--device`, `--kind`, `--match`.

use std::collections::BTreeSet;

use regex::Regex;
use stepscope_model::{Heap, HeapSample, Session};

use super::HeapOptions;
use crate::asking::AnalysisError;
use crate::measuring::selection::compile_pattern;

/// The words that name a snapshot by its position.
const WORDS: &str = "first, previous, last";

/// The requested snapshots, as positions, and the samples that count.
pub(super) struct Wanted {
    pub(super) snapshot: usize,
    pub(super) against: Option<usize>,
    devices: Option<BTreeSet<String>>,
    kind: Option<String>,
    /// For each frame, whether `--match` matches it.
    matching_frames: Option<Vec<bool>>,
}

impl Wanted {
    /// `session` has at least one snapshot.
    pub(super) fn of(session: &Session, options: &HeapOptions) -> Result<Self, AnalysisError> {
        let heap = &session.heap;
        let (snapshot, against) = snapshots(heap, options)?;
        let selection = &options.selection;
        let pattern = selection.pattern.as_deref().map(compile_pattern);
        Ok(Self {
            snapshot,
            against,
            devices: match selection.device.as_deref() {
                None => None,
                Some(wanted) => Some(devices(session, wanted)?),
            },
            kind: match &options.kind {
                None => None,
                Some(wanted) => Some(kind(heap, wanted)?),
            },
            matching_frames: pattern
                .transpose()?
                .map(|pattern| matching_frames(heap, &pattern)),
        })
    }

    /// Whether a sample counts.
    pub(super) fn takes(&self, heap: &Heap, sample: &HeapSample) -> bool {
        let devices = self.devices.as_ref();
        let kind = self.kind.as_ref();
        devices.is_none_or(|names| names.contains(heap.text(sample.device)))
            && kind.is_none_or(|kind| kind == heap.text(sample.kind))
            && self.matching_frames.as_ref().is_none_or(|is_matching| {
                let mut frames = heap.stack(sample.stack).iter();
                frames.any(|&frame| is_matching.get(frame as usize).copied().unwrap_or(false))
            })
    }
}

/// The snapshot shown, and the one it is compared with. By default the last one is shown, or the
/// second to last if the last is the one to compare with.
fn snapshots(heap: &Heap, options: &HeapOptions) -> Result<(usize, Option<usize>), AnalysisError> {
    let last = heap.snapshots.len().saturating_sub(1);
    let asked = match &options.snapshot {
        None => None,
        Some(text) => Some(snapshot(heap, "--snapshot", text, last)?),
    };
    let Some(text) = &options.against else {
        return Ok((asked.unwrap_or(last), None));
    };
    if last == 0 {
        return Err(AnalysisError::Options(format!(
            "--against {text} requires a second snapshot, but the session has only one: {}",
            names(heap)
        )));
    }
    let against = snapshot(heap, "--against", text, asked.unwrap_or(last))?;
    let shown = asked.unwrap_or(if against == last { last - 1 } else { last });
    if against == shown {
        let name = &heap.snapshots[shown].name;
        return Err(AnalysisError::Options(format!(
            "--against {text} is {name}, the snapshot shown; choose another one: {}",
            names(heap)
        )));
    }
    Ok((shown, Some(against)))
}

/// A snapshot by name, number, word, or an unambiguous part of its name.
fn snapshot(heap: &Heap, option: &str, text: &str, shown: usize) -> Result<usize, AnalysisError> {
    let snapshots = || heap.snapshots.iter().enumerate();
    let named = snapshots().find(|(_, snapshot)| snapshot.name == text);
    let word = || match text {
        "first" => Some(0),
        "previous" => shown.checked_sub(1),
        "last" => heap.snapshots.len().checked_sub(1),
        number => number
            .parse()
            .ok()
            .filter(|&number: &usize| number < heap.snapshots.len()),
    };
    let part = || {
        let mut matching = snapshots().filter(|(_, snapshot)| snapshot.name.contains(text));
        let first = matching.next()?.0;
        matching.next().is_none().then_some(first)
    };
    let found = named.map(|(index, _)| index).or_else(word).or_else(part);
    found.ok_or_else(|| AnalysisError::NothingSelected {
        what: format!("{option} {text}"),
        available: format!("{}; or {WORDS}", names(heap)),
    })
}

fn names(heap: &Heap) -> String {
    let names = heap.snapshots.iter().enumerate();
    let names: Vec<String> = names
        .map(|(number, snapshot)| format!("{number} {}", snapshot.name))
        .collect();
    names.join(", ")
}

/// All devices of the heap, sorted by name and number.
pub(super) fn device_names(heap: &Heap) -> Vec<String> {
    let samples = heap.snapshots.iter().flat_map(|found| &found.samples);
    let ids: BTreeSet<_> = samples.map(|sample| sample.device).collect();
    let mut names: Vec<String> = ids
        .into_iter()
        .map(|id| heap.text(id).to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    names.sort_by_key(|name| device_order(name));
    names
}

/// `cpu:10` comes after `cpu:9`; the empty name (no device) comes last.
pub(super) fn device_order(name: &str) -> (bool, String, u64, String) {
    let (kind, number) = match name.rsplit_once(':') {
        Some((kind, number)) => (kind, number.parse().unwrap_or(u64::MAX)),
        None => (name, 0),
    };
    (name.is_empty(), kind.to_owned(), number, name.to_owned())
}

fn devices(session: &Session, wanted: &str) -> Result<BTreeSet<String>, AnalysisError> {
    let names = device_names(&session.heap);
    let mut found = BTreeSet::new();
    for part in wanted.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        let lower = part.to_lowercase();
        if let Ok(number) = part.parse::<usize>() {
            // A number means the same device here as in the other analyses of the session.
            let device = session.devices.get(number);
            let same = device.map(|device| device.name.to_lowercase());
            let by_name = names
                .iter()
                .find(|name| same.as_ref() == Some(&name.to_lowercase()));
            found.extend(by_name.or_else(|| names.get(number)).cloned());
        } else {
            let names = names.iter();
            let matching = names.filter(|name| name.to_lowercase().contains(&lower));
            found.extend(matching.cloned());
        }
    }
    if found.is_empty() {
        let names: Vec<String> = names
            .iter()
            .enumerate()
            .map(|(number, name)| format!("{number} {name}"))
            .collect();
        return Err(AnalysisError::NothingSelected {
            what: format!("--device {wanted}"),
            available: if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            },
        });
    }
    Ok(found)
}

fn kind(heap: &Heap, wanted: &str) -> Result<String, AnalysisError> {
    let samples = heap.snapshots.iter().flat_map(|found| &found.samples);
    let ids: BTreeSet<_> = samples.map(|sample| sample.kind).collect();
    let names: BTreeSet<&str> = ids.into_iter().map(|id| heap.text(id)).collect();
    let lower = wanted.to_lowercase();
    let singular = lower.strip_suffix('s').unwrap_or(&lower);
    let found = names
        .iter()
        .find(|name| [lower.as_str(), singular].contains(&name.to_lowercase().as_str()));
    let Some(found) = found else {
        let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        return Err(AnalysisError::NothingSelected {
            what: format!("--kind {wanted}"),
            available: names.join(", "),
        });
    };
    Ok((*found).to_owned())
}

fn matching_frames(heap: &Heap, pattern: &Regex) -> Vec<bool> {
    let frames = heap.frames.iter();
    frames
        .map(|frame| {
            pattern.is_match(heap.text(frame.function)) || pattern.is_match(heap.text(frame.file))
        })
        .collect()
}
