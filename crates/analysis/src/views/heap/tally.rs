//! Sums of samples by stack, function, device and kind.

use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::{Heap, HeapFrame, HeapSample, StringId};

use super::amount::{Amount, HeapBy, Pair};
use super::fold;
use super::report::{HeapFunctionRow, HeapGroup, HeapStackRow};
use super::select::{Wanted, device_order};
use crate::telling::places::file_name;

/// The selected samples of both snapshots, by shown stack and kind.
pub(super) struct Tally {
    pub(super) total: Pair,
    pub(super) stacks: BTreeMap<(Vec<u32>, StringId), Stack>,
    pub(super) devices: BTreeMap<StringId, Pair>,
    pub(super) kinds: BTreeMap<StringId, Pair>,
    /// Distinct frames that are folded away, and the number of stacks without a user frame.
    pub(super) folded_frames: BTreeSet<u32>,
    pub(super) foreign_stacks: usize,
}

/// What one stack holds.
#[derive(Default)]
pub(super) struct Stack {
    pub(super) amount: Pair,
    devices: BTreeSet<StringId>,
}

impl Tally {
    /// Sums the selected samples. Without `is_internal`, nothing is folded.
    pub(super) fn of(heap: &Heap, wanted: &Wanted, is_internal: Option<&[bool]>) -> Self {
        let mut tally = Self {
            total: Pair::default(),
            stacks: BTreeMap::new(),
            devices: BTreeMap::new(),
            kinds: BTreeMap::new(),
            folded_frames: BTreeSet::new(),
            foreign_stacks: 0,
        };
        let mut shown: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let sides = [(Some(wanted.snapshot), true), (wanted.against, false)];
        for (index, is_now) in sides {
            let snapshot = index.and_then(|index| heap.snapshots.get(index));
            let samples = snapshot.map_or(&[][..], |found| &found.samples);
            for sample in samples.iter().filter(|sample| wanted.takes(heap, sample)) {
                let frames = shown.entry(sample.stack.0).or_insert_with(|| {
                    let Some(is_internal) = is_internal else {
                        return heap.stack(sample.stack).to_vec();
                    };
                    let frames = fold::shown(heap, sample.stack, is_internal);
                    tally.note_folded(heap.stack(sample.stack), &frames, is_internal);
                    frames
                });
                tally.add(sample, frames.clone(), is_now);
            }
        }
        tally
    }

    fn note_folded(&mut self, all: &[u32], shown: &[u32], is_internal: &[bool]) {
        if shown.len() < all.len() {
            let folded = all.iter().filter(|&&frame| is_internal[frame as usize]);
            self.folded_frames.extend(folded);
        } else if !all.is_empty() && is_internal[all[0] as usize] {
            self.foreign_stacks += 1;
        }
    }

    fn add(&mut self, sample: &HeapSample, frames: Vec<u32>, is_now: bool) {
        let amount = Amount {
            bytes: sample.bytes,
            allocations: sample.allocations,
        };
        let nothing = Amount::default();
        let (now, then) = if is_now {
            (amount, nothing)
        } else {
            (nothing, amount)
        };
        let pair = Pair { now, then };
        self.total += pair;
        *self.devices.entry(sample.device).or_default() += pair;
        *self.kinds.entry(sample.kind).or_default() += pair;
        let stack = self.stacks.entry((frames, sample.kind)).or_default();
        stack.amount += pair;
        stack.devices.insert(sample.device);
    }
}

/// What rows are made from: their measure, and whether snapshots are compared.
pub(super) struct Rows<'a> {
    pub(super) heap: &'a Heap,
    pub(super) by: HeapBy,
    pub(super) is_comparison: bool,
    pub(super) total: Pair,
}

impl Rows<'_> {
    /// Share of the total now.
    pub(super) fn ratio(&self, amount: Amount) -> Option<f64> {
        let total = self.total.now.by(self.by);
        (total != 0).then(|| amount.by(self.by) as f64 / total as f64)
    }

    pub(super) fn change(&self, pair: Pair) -> (Option<i64>, Option<i64>) {
        let change = self.is_comparison.then(|| pair.change());
        (
            change.map(|change| change.bytes),
            change.map(|change| change.allocations),
        )
    }

    /// Sort key, largest first: the change in a comparison, otherwise the amount.
    fn rank(&self, pair: Pair) -> (i64, i64) {
        let amount = pair.now.by(self.by);
        if self.is_comparison {
            (pair.change().by(self.by), amount)
        } else {
            (amount, 0)
        }
    }

    /// One row per stack and kind, in the report's order.
    pub(super) fn stacks(&self, tally: &Tally) -> Vec<HeapStackRow> {
        let mut ranked: Vec<((i64, i64), HeapStackRow)> = tally
            .stacks
            .iter()
            .map(|((frames, kind), stack)| {
                (self.rank(stack.amount), self.stack(frames, *kind, stack))
            })
            .collect();
        ranked.sort_by(|(a, left), (b, right)| {
            let texts = |row: &HeapStackRow| {
                let frames: Vec<_> = row.frames.iter().map(|&frame| self.texts(frame)).collect();
                (frames, row.kind.clone())
            };
            b.cmp(a).then_with(|| texts(left).cmp(&texts(right)))
        });
        ranked.into_iter().map(|(_, row)| row).collect()
    }

    /// Sort key of a frame that does not depend on its number, which depends on the order of files.
    fn texts(&self, frame: u32) -> (&str, &str, i64) {
        let frame = self.heap.frames[frame as usize];
        (
            self.heap.text(frame.function),
            self.heap.text(frame.file),
            frame.line,
        )
    }

    fn stack(&self, frames: &[u32], kind: StringId, stack: &Stack) -> HeapStackRow {
        let heap = self.heap;
        let site = frames.last().map(|&frame| heap.frames[frame as usize]);
        let (change_bytes, change_allocations) = self.change(stack.amount);
        let mut devices: Vec<&str> = stack.devices.iter().map(|&id| heap.text(id)).collect();
        devices.retain(|name| !name.is_empty());
        devices.sort_by_key(|name| device_order(name));
        HeapStackRow {
            site: site.map_or_else(|| UNKNOWN.to_owned(), |frame| title(heap, frame)),
            source: site.map(|frame| source(heap, frame)).unwrap_or_default(),
            kind: heap.text(kind).to_owned(),
            devices: devices.join(", "),
            bytes: stack.amount.now.bytes,
            allocations: stack.amount.now.allocations,
            ratio: self.ratio(stack.amount.now),
            change_bytes,
            change_allocations,
            change: self.is_comparison.then(|| stack.amount.state(self.by)),
            stack: Vec::new(),
            frames: frames.to_vec(),
        }
    }

    /// Fills in the text of the stacks of the rows that are shown.
    pub(super) fn spell_stacks(&self, rows: &mut [HeapStackRow]) {
        for row in rows {
            let frames = row.frames.iter();
            let frames = frames.map(|&frame| title(self.heap, self.heap.frames[frame as usize]));
            row.stack = frames.collect();
        }
    }

    /// One row per function, largest cumulative figure (or growth) first.
    pub(super) fn functions(&self, tally: &Tally) -> Vec<HeapFunctionRow> {
        let heap = self.heap;
        let mut functions: BTreeMap<(StringId, StringId), (Pair, Pair)> = BTreeMap::new();
        for ((frames, _), stack) in &tally.stacks {
            let mut keys = frames.iter().map(|&frame| {
                let frame = heap.frames[frame as usize];
                (frame.function, frame.file)
            });
            for key in keys.clone().collect::<BTreeSet<_>>() {
                functions.entry(key).or_default().0 += stack.amount;
            }
            if let Some(leaf) = keys.next_back() {
                functions.entry(leaf).or_default().1 += stack.amount;
            }
        }
        let mut ranked: Vec<((i64, i64), HeapFunctionRow)> = functions
            .into_iter()
            .map(|((function, file), (total, own))| {
                let (change_bytes, change_allocations) = self.change(total);
                let row = HeapFunctionRow {
                    name: name_or_unknown(heap.text(function)),
                    source: heap.text(file).to_owned(),
                    self_bytes: own.now.bytes,
                    total_bytes: total.now.bytes,
                    self_allocations: own.now.allocations,
                    total_allocations: total.now.allocations,
                    ratio: self.ratio(total.now),
                    change_bytes,
                    change_allocations,
                };
                (self.rank(total), row)
            })
            .collect();
        ranked.sort_by(|(a, left), (b, right)| {
            let texts = || (&left.name, &left.source).cmp(&(&right.name, &right.source));
            b.cmp(a).then_with(texts)
        });
        ranked.into_iter().map(|(_, row)| row).collect()
    }

    /// Devices or kinds.
    pub(super) fn groups(&self, groups: &BTreeMap<StringId, Pair>) -> Vec<HeapGroup> {
        let mut rows: Vec<HeapGroup> = groups
            .iter()
            .map(|(&id, &pair)| {
                let (change_bytes, change_allocations) = self.change(pair);
                HeapGroup {
                    name: self.heap.text(id).to_owned(),
                    bytes: pair.now.bytes,
                    allocations: pair.now.allocations,
                    ratio: self.ratio(pair.now),
                    change_bytes,
                    change_allocations,
                }
            })
            .collect();
        rows.sort_by_key(|row| device_order(&row.name));
        rows
    }
}

/// Name of a frame without a recorded name.
const UNKNOWN: &str = "(unknown)";

pub(super) fn name_or_unknown(name: &str) -> String {
    if name.is_empty() { UNKNOWN } else { name }.to_owned()
}

/// `function (file.py:12)`.
pub(super) fn title(heap: &Heap, frame: HeapFrame) -> String {
    let name = name_or_unknown(heap.text(frame.function));
    let file = file_name(heap.text(frame.file));
    match (file.is_empty(), frame.line) {
        (true, _) => name,
        (false, 0) => format!("{name} ({file})"),
        (false, line) => format!("{name} ({file}:{line})"),
    }
}

/// `/path/to/file.py:12`.
fn source(heap: &Heap, frame: HeapFrame) -> String {
    match (heap.text(frame.file), frame.line) {
        ("", _) => String::new(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    }
}
