//! `heap`: what was alive in device memory when a snapshot was taken, and who allocated it.
//!
//! A snapshot is a memory profile (`jax.profiler.save_device_memory_profile`): live buffers and
//! executables with the Python stack that made them. A session may have several. Comparing two of
//! them shows which stacks grew, which is how to find a leak.

mod amount;
mod columns;
mod fold;
pub(crate) mod growth;
mod notes;
mod options;
mod report;
mod select;
mod tables;
mod tally;
mod tree;

pub use amount::HeapBy;
pub use options::HeapOptions;
pub use report::{
    HeapChange, HeapFrameRow, HeapFunctionRow, HeapGroup, HeapReport, HeapSnapshotRow, HeapStackRow,
};
use stepscope_model::{Heap as Snapshots, Session, Taken};

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::{Analysis, AnalysisError};
use amount::Amount;
use select::Wanted;
use tally::{Rows, Tally};
use tree::Tree;

/// The `heap` analysis.
pub struct Heap;

impl Analysis for Heap {
    const NAME: &'static str = "heap";
    const ALIASES: &'static [&'static str] = &[];
    const SUMMARY: &'static str = "Device memory snapshots: who allocated what, as stacks and a flame graph; growth between two";
    const GROUP: Group = Group::Memory;
    const EXAMPLES: &'static str = "\
# Who holds the memory
stepscope heap memory.prof
# What grew between two snapshots: a leak
stepscope heap after.prof --against before.prof
# A folder of snapshots: the last against the first
stepscope heap ./snapshots --against first --limit 10
# Buffers of one device by number of arrays, JAX's own frames included
stepscope heap memory.prof --device 0 --kind buffer --by allocations --internal";
    const NEEDS_EVENTS: bool = false;
    type Options = HeapOptions;
    type Report = HeapReport;

    fn run(session: &Session, options: &HeapOptions) -> Result<HeapReport, AnalysisError> {
        let heap = &session.heap;
        if heap.snapshots.is_empty() {
            return Ok(without_snapshots(session, options));
        }
        let Sums {
            wanted,
            is_internal,
            tally,
            rows,
        } = Sums::of(session, options)?;
        let selection = &options.selection;
        let mut stacks = rows.stacks(&tally);
        let row_count = order::arrange(&mut stacks, selection, columns::ROWS)?;
        rows.spell_stacks(&mut stacks);
        let mut functions = rows.functions(&tally);
        let function_count = functions.len();
        functions.truncate(selection.limit.filter(|&n| n > 0).unwrap_or(usize::MAX));
        let (tree, tree_count) = Tree::of(&rows, &tally, &is_internal).rows(&rows);
        let (change_bytes, change_allocations) = rows.change(tally.total);
        let mut report = HeapReport {
            snapshot: heap.snapshots[wanted.snapshot].name.clone(),
            against: wanted
                .against
                .map(|index| heap.snapshots[index].name.clone()),
            by: options.by.name().to_owned(),
            has_internal: options.internal,
            total_bytes: tally.total.now.bytes,
            total_allocations: tally.total.now.allocations,
            change_bytes,
            change_allocations,
            rows: stacks,
            row_count,
            functions,
            function_count,
            devices: rows.groups(&tally.devices),
            kinds: rows.groups(&tally.kinds),
            tree,
            tree_count,
            snapshots: snapshots(heap, &wanted),
            folded_frame_count: tally.folded_frames.len(),
            notes: Vec::new(),
        };
        report.notes = notes::notes(session, options, &wanted, &tally, &report);
        Ok(report)
    }
}

/// Totals of what is alive in the requested snapshots.
struct Sums<'a> {
    wanted: Wanted,
    /// Whether each frame is internal (JAX, a library, or Python), by position.
    is_internal: Vec<bool>,
    tally: Tally,
    rows: Rows<'a>,
}

impl<'a> Sums<'a> {
    fn of(session: &'a Session, options: &HeapOptions) -> Result<Self, AnalysisError> {
        let heap = &session.heap;
        let wanted = Wanted::of(session, options)?;
        let is_internal = fold::internal_frames(heap);
        let folding = (!options.internal).then_some(is_internal.as_slice());
        let tally = Tally::of(heap, &wanted, folding);
        let rows = Rows {
            heap,
            by: options.by,
            is_comparison: wanted.against.is_some(),
            total: tally.total,
        };
        Ok(Self {
            wanted,
            is_internal,
            tally,
            rows,
        })
    }
}

/// The totals of every snapshot, with the change from one to the next.
fn snapshots(heap: &Snapshots, wanted: &Wanted) -> Vec<HeapSnapshotRow> {
    let mut before: Option<Amount> = None;
    let snapshots = heap.snapshots.iter().map(|snapshot| {
        let mut total = Amount::default();
        for sample in &snapshot.samples {
            if wanted.takes(heap, sample) {
                total += Amount {
                    bytes: sample.bytes,
                    allocations: sample.allocations,
                };
            }
        }
        let change = before.replace(total).map(|before| total.minus(before));
        HeapSnapshotRow {
            name: snapshot.name.clone(),
            epoch_ns: snapshot.taken.map(|taken| taken.epoch_ns().to_string()),
            time_source: match snapshot.taken {
                Some(Taken::Recorded(_)) => "recorded",
                Some(Taken::Written(_)) => "written",
                None => "",
            }
            .to_owned(),
            bytes: total.bytes,
            allocations: total.allocations,
            change_bytes: change.map(|change| change.bytes),
            change_allocations: change.map(|change| change.allocations),
        }
    });
    snapshots.collect()
}

fn without_snapshots(session: &Session, options: &HeapOptions) -> HeapReport {
    HeapReport {
        snapshot: String::new(),
        against: None,
        by: options.by.name().to_owned(),
        has_internal: options.internal,
        total_bytes: 0,
        total_allocations: 0,
        change_bytes: None,
        change_allocations: None,
        rows: Vec::new(),
        row_count: 0,
        functions: Vec::new(),
        function_count: 0,
        devices: Vec::new(),
        kinds: Vec::new(),
        tree: Vec::new(),
        tree_count: 0,
        snapshots: Vec::new(),
        folded_frame_count: 0,
        notes: vec![notes::no_snapshot(session)],
    }
}
