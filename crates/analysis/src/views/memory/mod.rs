//! `memory`: how much memory was in use, when it peaked, and what was alive at the peak or at any
//! other moment.
//!
//! | Figure | Definition |
//! |---|---|
//! | taken | bytes allocated + bytes reserved for programs, after each allocator event |
//! | peak | largest number of bytes taken in the window; the last one on a tie |
//! | recorded peak | the allocator's own `peak_bytes_in_use`, since the process started |
//! | capacity | largest taken + free |
//! | alive at a moment | replay by address from the first event of the recording to the moment |
//! | before the window | bytes allocated at the moment − Σ recorded allocations alive then |
//! | spike | a step whose peak is an upward outlier by the rule in `steps` |
//! | growth | Theil–Sen slope of the lowest value in each step; confidence by the Mann–Kendall test |
//!
//! The steps are those of the allocator's host, where memory is allocated.

mod alive;
mod collect;
mod columns;
mod notes;
mod replay;
mod report;
mod tables;
mod timeline;
mod trend;

use std::collections::BTreeMap;

use clap::Args;
use rayon::prelude::*;
pub use report::{
    AliveRow, AllocatorRow, MemoryReport, MemorySnapshotRow, MemoryTimeline, StepMemoryRow,
};
use stepscope_model::{Allocator, AllocatorLog, HostId, Picos, Session};

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::selection::{Selected, parse_moment};
use crate::telling::Note;
use collect::{Figures, figures};

/// The `memory` analysis.
pub struct Memory;

/// Options of [`Memory`].
#[derive(Debug, Clone, Default, Args)]
pub struct MemoryOptions {
    /// Which part of the session. `--match`, `--sort` and `--limit` apply to what was alive.
    #[command(flatten)]
    pub selection: Selection,
    /// Allocators by name (part of it, any case), comma separated
    #[arg(long, value_name = "NAME")]
    pub allocator: Option<String>,
    /// Moment at which to list what was alive, such as 1.2s; by default, the peak of each allocator
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
}

impl Analysis for Memory {
    const NAME: &'static str = "memory";
    const ALIASES: &'static [&'static str] = &["memory_profile"];
    const SUMMARY: &'static str =
        "Memory in use over time, its peak and what was alive then; spikes and growth over steps";
    const EXAMPLES: &'static str = "\
# How full memory gets, when, and what is alive then
stepscope memory ./logs
# One device, the ten largest
stepscope memory ./logs --device GPU:0 --limit 10
# What was alive 1.2 seconds into the session
stepscope memory ./logs --at 1.2s
# Growth of the lowest memory use per step
stepscope memory ./logs --json | jq '.allocators[].growth_bytes_per_step'";
    const GROUP: Group = Group::Memory;
    const NEEDS_EVENTS: bool = false;
    type Options = MemoryOptions;
    type Report = MemoryReport;

    fn run(session: &Session, options: &MemoryOptions) -> Result<MemoryReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let log = session.allocator_log();
        let wanted = wanted(session, &selected, options, &log)?;
        let found = all_figures(session, &selected, wanted);
        let at = options.at.as_deref().map(parse_moment).transpose()?;
        let mut rows = all_alive(session, &log, &found, at);
        rows.retain(|row| {
            selected.matches(&[&row.op, &row.caller, &row.source, &row.region, &row.shape])
        });
        let row_count = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
        let mut notes = notes::notes(session, &selected, &log, &found);
        notes.extend(at.and_then(|at| notes::before_events(at, &found)));
        let mut report = MemoryReport {
            allocators: Vec::new(),
            at_ps: at.map(|moment| moment.0),
            rows,
            row_count,
            timelines: Vec::new(),
            steps: Vec::new(),
            snapshots: snapshots(session),
            notes,
        };
        for figures in found {
            report.allocators.push(figures.row);
            report.timelines.push(figures.timeline);
            report.steps.extend(figures.steps);
        }
        Ok(report)
    }
}

fn all_figures<'a>(
    session: &'a Session,
    selected: &Selected<'_>,
    wanted: Vec<&'a Allocator>,
) -> Vec<Figures<'a>> {
    wanted
        .into_par_iter()
        .filter_map(|allocator| figures(session, selected, allocator))
        .collect()
}

/// What was alive on each allocator at a moment, by default at its peak. Nothing is known before the
/// first event of an allocator.
fn all_alive(
    session: &Session,
    log: &AllocatorLog,
    found: &[Figures<'_>],
    at: Option<Picos>,
) -> Vec<AliveRow> {
    let event_of = |figures: &Figures<'_>| match at {
        None => Some(figures.peak),
        Some(at) => replay::last_until(&figures.allocator.events, at),
    };
    let rows_of = |figures| {
        let event = event_of(figures)?;
        Some(alive::rows(session, log, figures, event))
    };
    found
        .par_iter()
        .filter_map(rows_of)
        .flatten_iter()
        .collect()
}

/// Memory of the selected devices.
pub(crate) struct DeviceMemory {
    /// One row per allocator of a device.
    pub(crate) allocators: Vec<AllocatorRow>,
    /// What was alive at the peak of each.
    pub(crate) alive: Vec<AliveRow>,
    /// Every step on every allocator.
    pub(crate) steps: Vec<StepMemoryRow>,
    /// How the figures were obtained, or why there are none.
    pub(crate) notes: Vec<Note>,
}

impl DeviceMemory {
    /// Computes it for a selection.
    pub(crate) fn of(session: &Session, selected: &Selected<'_>) -> Self {
        let log = session.allocator_log();
        let of_devices = |allocator: &&Allocator| {
            let mut device = allocator.device.into_iter();
            device.any(|device| selected.has_device(device))
        };
        let wanted = log.allocators.iter().filter(of_devices).collect();
        let found = all_figures(session, selected, wanted);
        let alive = all_alive(session, &log, &found, None);
        let notes = notes::notes(session, selected, &log, &found);
        let (mut allocators, mut steps) = (Vec::new(), Vec::new());
        for figures in found {
            allocators.push(figures.row);
            steps.extend(figures.steps);
        }
        Self {
            allocators,
            alive,
            steps,
            notes,
        }
    }
}

/// The selected allocators. Those of host memory are selected with their host, unless a device is
/// selected.
fn wanted<'a>(
    session: &Session,
    selected: &Selected<'_>,
    options: &MemoryOptions,
    log: &'a AllocatorLog,
) -> Result<Vec<&'a Allocator>, AnalysisError> {
    let is_selected = |allocator: &&Allocator| match allocator.device {
        Some(device) => selected.has_device(device),
        None => options.selection.device.is_none() && selected.hosts.contains(&allocator.host),
    };
    let all: Vec<&Allocator> = log.allocators.iter().filter(is_selected).collect();
    let Some(name) = &options.allocator else {
        return Ok(all);
    };
    let has_name = |allocator: &&Allocator| {
        let own = allocator.name.to_lowercase();
        let mut parts = name.split(',').map(str::trim);
        parts.any(|part| !part.is_empty() && own.contains(&part.to_lowercase()))
    };
    let named: Vec<&Allocator> = all.iter().copied().filter(has_name).collect();
    if named.is_empty() {
        let mut known: Vec<&str> = all.iter().map(|found| found.name.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        let available = if known.is_empty() && session.hosts.is_empty() {
            "none: memory snapshots have no allocators".to_owned()
        } else if known.is_empty() {
            "none".to_owned()
        } else {
            known.join(", ")
        };
        return Err(AnalysisError::NothingSelected {
            what: format!("--allocator {name}"),
            available,
        });
    }
    Ok(named)
}

/// Bytes alive in each snapshot, by device.
fn snapshots(session: &Session) -> Vec<MemorySnapshotRow> {
    let heap = &session.heap;
    let mut rows = Vec::new();
    for snapshot in &heap.snapshots {
        let mut devices: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
        for sample in &snapshot.samples {
            let sum = devices.entry(heap.text(sample.device)).or_default();
            sum.0 = sum.0.saturating_add(sample.allocations);
            sum.1 = sum.1.saturating_add(sample.bytes);
        }
        rows.extend(
            devices
                .into_iter()
                .map(|(device, (allocations, bytes))| MemorySnapshotRow {
                    snapshot: snapshot.name.clone(),
                    device: device.to_owned(),
                    allocations,
                    bytes,
                }),
        );
    }
    rows
}

/// Hosts whose allocator events are held at a time.
const HOSTS_AT_A_TIME: usize = 32;

/// The allocator row of the device with the fullest memory. None if no device has allocator events.
pub(crate) fn fullest(session: &Session, selected: &Selected<'_>) -> Option<AllocatorRow> {
    let hosts: Vec<HostId> = (0..session.hosts.len()).map(HostId::from_index).collect();
    let of_hosts = hosts.chunks(HOSTS_AT_A_TIME).flat_map(|hosts| {
        let log = session.allocator_log_of(hosts);
        let of_devices = log.allocators.par_iter().filter(|allocator| {
            allocator
                .device
                .is_some_and(|device| selected.has_device(device))
        });
        let rows: Vec<AllocatorRow> = of_devices
            .filter_map(|allocator| Some(figures(session, selected, allocator)?.row))
            .filter(|row| row.peak_ratio.is_some())
            .collect();
        rows
    });
    of_hosts.reduce(|fullest, row| {
        if row.peak_ratio > fullest.peak_ratio {
            row
        } else {
            fullest
        }
    })
}
