//! What the rules look at: each analysis is asked once, and its answer shared by all rules.

use std::collections::BTreeMap;
use std::sync::Arc;

use stepscope_model::{DeviceId, DeviceKind, HostId, Session, Span};

use super::report::AdviceEvidence;
use crate::kernels::{Kernels, KernelsOptions, KernelsReport};
use crate::memory::{Memory, MemoryOptions, MemoryReport};
use crate::ops::{GroupBy, OpRow, Ops, OpsOptions, OpsReport};
use crate::overview::thresholds::{Threshold, Thresholds};
use crate::overview::{Overview, OverviewOptions, OverviewReport, PartKind};
use crate::registry::{Analysis, AnalysisError};
use crate::selection::Selection;
use crate::steps::parts::position;
use crate::steps::{DividedSteps, StepParts, divide_steps, median};
use crate::verdict::{Finding, Verdict, VerdictOptions};

/// What the rules look at.
pub(super) struct Facts<'a> {
    pub(super) session: &'a Session,
    pub(super) thresholds: &'a Thresholds,
    pub(super) overview: OverviewReport,
    pub(super) ops: OpsReport,
    pub(super) kernels: Option<KernelsReport>,
    pub(super) memory: MemoryReport,
    /// Findings of `verdict` on the capture.
    pub(super) capture: Vec<Finding>,
    steps: Arc<DividedSteps>,
    /// Median over steps of their duration.
    pub(super) step_ps: Option<f64>,
}

/// A device, or a host without devices.
pub(super) type Place = (HostId, Option<DeviceId>);

impl<'a> Facts<'a> {
    pub(super) fn of(
        session: &'a Session,
        selection: &Selection,
        thresholds: &'a Thresholds,
    ) -> Result<Self, AnalysisError> {
        let selection = Selection {
            sort: None,
            limit: None,
            ..selection.clone()
        };
        let selected = selection.resolve(session)?;
        let options = || selection.clone();
        let overview = Overview::run(
            session,
            &OverviewOptions {
                selection: options(),
                thresholds: None,
            },
        )?;
        let ops = Ops::run(
            session,
            &OpsOptions {
                selection: options(),
                by: GroupBy::Op,
            },
        )?;
        let has_gpu = session.devices.iter().any(|device| device.kind.is_gpu());
        let selection = options();
        let kernels = if has_gpu {
            Some(Kernels::run(session, &KernelsOptions { selection })?)
        } else {
            None
        };
        let selection = options();
        let memory = MemoryOptions {
            selection,
            allocator: None,
        };
        let steps = divide_steps(session, &selected);
        let step_ps = overview.step_time_ps.as_ref().map(|time| time.median);
        Ok(Self {
            session,
            thresholds,
            overview,
            ops,
            kernels,
            memory: Memory::run(session, &memory)?,
            capture: Verdict::run(session, &VerdictOptions::default())?.findings,
            steps,
            step_ps: step_ps.filter(|&step| step > 0.0),
        })
    }

    /// Every selected step on every place.
    pub(super) fn rows(&self) -> &[StepParts] {
        &self.steps.rows
    }

    /// Enough slices of work that a share of them says something.
    pub(super) fn has_enough_work(&self) -> bool {
        let slices: i64 = self.ops.rows.iter().map(|row| row.occurrences).sum();
        self.has_work() && slices >= 20
    }

    /// Some device recorded work.
    pub(super) fn has_work(&self) -> bool {
        self.ops.total_self_ps > 0
    }

    /// For each place the median over steps of a figure, in the order of places.
    pub(super) fn typical(&self, figure: impl Fn(&StepParts) -> f64) -> Vec<(Place, f64)> {
        let mut places: BTreeMap<Place, Vec<f64>> = BTreeMap::new();
        for row in self.rows() {
            let values = places.entry((row.host, row.device)).or_default();
            values.push(figure(row));
        }
        let typical = places
            .into_iter()
            .map(|(place, values)| (place, median(&values)));
        typical.collect()
    }

    /// The place with the largest typical figure.
    pub(super) fn worst(&self, figure: impl Fn(&StepParts) -> f64) -> Option<(Place, f64)> {
        let typical = self.typical(figure).into_iter();
        typical.reduce(|worst, next| if next.1 > worst.1 { next } else { worst })
    }

    /// The mean over places of a typical figure.
    pub(super) fn mean(&self, figure: impl Fn(&StepParts) -> f64) -> Option<f64> {
        let typical = self.typical(figure);
        let sum: f64 = typical.iter().map(|(_, value)| value).sum();
        (!typical.is_empty()).then(|| sum / typical.len() as f64)
    }

    /// `host-2` or `host-2/GPU:0`; with one host the device alone.
    pub(super) fn place_name(&self, place: Place) -> String {
        match place {
            (_, Some(device)) => self.session.device_title(device),
            (host, None) => self.session.host(host).name.clone(),
        }
    }

    /// Devices that recorded work, at least one.
    pub(super) fn working_devices(&self) -> f64 {
        let working = self.ops.devices.iter().filter(|device| device.self_ps > 0);
        working.count().max(1) as f64
    }

    /// Time per step and device of ops that pass.
    pub(super) fn ops_per_step(&self, passes: impl Fn(&OpRow) -> bool) -> (i64, Option<f64>) {
        let rows = self.ops.rows.iter().filter(|row| passes(row));
        let total_ps: i64 = rows.map(|row| row.self_ps).sum();
        (total_ps, self.per_step(total_ps as f64))
    }

    /// A sum over all devices and the whole capture as time of one step on one device: the share of
    /// all work, of the busy part of a step.
    pub(super) fn per_step(&self, total_ps: f64) -> Option<f64> {
        let busy_ps = self.mean(|row| row.lengths.busy_ps as f64)?;
        let share = total_ps / (self.ops.total_self_ps.max(1)) as f64;
        Some((share * busy_ps).min(busy_ps))
    }

    /// An entry of the thresholds in force.
    pub(super) fn threshold(&self, key: &str) -> Threshold {
        super::thresholds::threshold(self.thresholds, key)
    }

    /// Only virtual devices of XLA:CPU worked.
    pub(super) fn is_cpu_only(&self) -> bool {
        let devices = &self.session.devices;
        !devices.is_empty() && devices.iter().all(|device| device.kind == DeviceKind::Cpu)
    }

    /// Evidence in the timeline: the step of a row.
    pub(super) fn at_row(&self, row: &StepParts, text: String) -> AdviceEvidence {
        AdviceEvidence {
            text,
            view: "timeline".to_owned(),
            start_ps: Some(row.span.start.0),
            end_ps: Some(row.span.end.0),
            step: Some(self.session.steps[row.step].number),
            device: row
                .device
                .map(|device| self.session.device_title(device))
                .unwrap_or_default(),
            ..AdviceEvidence::default()
        }
    }

    /// Evidence in the timeline: the step of a place in which a part is longest.
    pub(super) fn longest(&self, place: Place, part: PartKind) -> Option<AdviceEvidence> {
        let own = self
            .rows()
            .iter()
            .filter(|row| (row.host, row.device) == place);
        let row = own.max_by_key(|row| part_ps(row, part))?;
        let length = crate::format::duration_ps(part_ps(row, part) as f64);
        let number = self.session.steps[row.step].number;
        Some(self.at_row(
            row,
            format!("step {number} on {}: {length}", self.place_name(place)),
        ))
    }
}

/// A part of a row.
pub(super) fn part_ps(row: &StepParts, part: PartKind) -> i64 {
    row.lengths.parts_ps[position(part)]
}

/// Evidence in `ops`.
pub(super) fn of_op(row: &OpRow, text: String) -> AdviceEvidence {
    AdviceEvidence {
        text,
        view: "ops".to_owned(),
        program_id: row.program_id.clone(),
        op: row.name.clone(),
        source: row.source.clone(),
        ..AdviceEvidence::default()
    }
}

/// Evidence in another view.
pub(super) fn in_view(view: &str, text: String) -> AdviceEvidence {
    AdviceEvidence {
        text,
        view: view.to_owned(),
        ..AdviceEvidence::default()
    }
}

/// The largest ops that pass, as evidence.
pub(super) fn largest_ops(
    facts: &Facts<'_>,
    passes: impl Fn(&OpRow) -> bool,
) -> Vec<AdviceEvidence> {
    const SHOWN: usize = 4;
    let mut rows: Vec<&OpRow> = facts.ops.rows.iter().filter(|row| passes(row)).collect();
    rows.sort_by(|a, b| b.self_ps.cmp(&a.self_ps).then_with(|| a.name.cmp(&b.name)));
    let shown = rows.into_iter().take(SHOWN).map(|row| {
        let share = crate::format::percent(row.self_ratio);
        of_op(row, format!("{}: {share} of the work", row.name))
    });
    shown.collect()
}

/// Time at which a host compiled or loaded data within a span: its longest slices, by name.
pub(super) fn longest_slice(
    session: &Session,
    host: HostId,
    class: stepscope_model::Class,
    within: Span,
) -> Option<(String, Span)> {
    let mut longest: Option<(String, Span)> = None;
    let tracks = session
        .tracks
        .iter()
        .filter(|track| track.host == host && track.device.is_none());
    for lane in tracks.flat_map(|track| &track.lanes) {
        for index in lane.overlapping(within) {
            let label = lane.labels()[index];
            if session.label(label).class != class {
                continue;
            }
            let span = lane.span(index);
            if longest
                .as_ref()
                .is_none_or(|(_, found)| span.duration() > found.duration())
            {
                longest = Some((session.label_name(label).to_owned(), span));
            }
        }
    }
    longest
}
