//! What the rules look at: figures of other analyses, each computed once and only when a rule asks.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use stepscope_model::{DeviceId, DeviceKind, HostId, Session};

use crate::collectives::{CollectiveRow, exposure};
use crate::compile::{CompilationRow, compilations};
use crate::hosts::{Late, late};
use crate::idle::{Gaps, gaps};
use crate::input::Waits;
use crate::kernels::{Launching, launching};
use crate::memory::DeviceMemory;
use crate::ops::OpRow;
use crate::overview::thresholds::{Threshold, Thresholds};
use crate::overview::{Glance, PartKind};
use crate::registry::AnalysisError;
use crate::requests::{RequestsReport, requests};
use crate::selection::{Selected, Selection};
use crate::steps::parts::position;
use crate::steps::{StepParts, median};

/// Gaps that are explained: findings name the first few.
const GAPS: usize = 12;

/// What the rules look at.
pub(super) struct Facts<'a> {
    pub(super) session: &'a Session,
    pub(super) selected: Selected<'a>,
    thresholds: &'a Thresholds,
    glance: Arc<Glance>,
    /// Median over steps of their duration.
    pub(super) step_ps: Option<f64>,
    /// Mean over steps of their duration, for what only some steps have.
    pub(super) mean_step_ps: Option<f64>,
    lazy: Lazy<'a>,
}

/// Figures that not every rule needs.
#[derive(Default)]
struct Lazy<'a> {
    collectives: OnceCell<Vec<CollectiveRow>>,
    compilations: OnceCell<Vec<CompilationRow>>,
    gaps: OnceCell<Gaps>,
    kernels: OnceCell<Launching>,
    late: OnceCell<Vec<Late>>,
    memory: OnceCell<DeviceMemory>,
    programs: OnceCell<Vec<super::programs::BusyProgram<'a>>>,
    requests: OnceCell<RequestsReport>,
    waits: OnceCell<Waits>,
}

/// A device, or a host without devices.
pub(super) type Place = (HostId, Option<DeviceId>);

impl Deref for Facts<'_> {
    type Target = Glance;

    fn deref(&self) -> &Glance {
        &self.glance
    }
}

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
        let glance = Glance::of(session, &selected);
        let known = |time: f64| Some(time).filter(|&time| time > 0.0);
        let time = glance.step_time.as_ref();
        Ok(Self {
            session,
            thresholds,
            step_ps: time.and_then(|time| known(time.median)),
            mean_step_ps: time.and_then(|time| known(time.mean)),
            selected,
            glance,
            lazy: Lazy::default(),
        })
    }

    /// Every op, largest self time first.
    pub(super) fn rows_of_ops(&self) -> impl Iterator<Item = &OpRow> + Clone {
        self.ops.ops.iter().map(|op| &op.row)
    }

    /// Σ of the self times of all ops.
    pub(super) fn total_self_ps(&self) -> i64 {
        self.ops.total_self_ps
    }

    /// Every collective, most exposed first, as `collectives` has them.
    pub(super) fn collectives(&self) -> &[CollectiveRow] {
        let rows = || exposure(self.session, &self.selected).rows;
        self.lazy.collectives.get_or_init(rows)
    }

    /// Stragglers, as `hosts` has them.
    pub(super) fn late(&self) -> &[Late] {
        self.lazy
            .late
            .get_or_init(|| late(self.session, &self.selected))
    }

    /// Waiting for data, as `input` has it.
    pub(super) fn waits(&self) -> &Waits {
        self.lazy
            .waits
            .get_or_init(|| Waits::of(self.session, &self.selected))
    }

    /// What hosts did in gaps of their devices, as `idle` has it.
    pub(super) fn gaps(&self) -> &Gaps {
        self.lazy
            .gaps
            .get_or_init(|| gaps(self.session, &self.selected, GAPS))
    }

    /// Compilations, in order of time, as `compile` has them.
    pub(super) fn compilations(&self) -> &[CompilationRow] {
        self.lazy
            .compilations
            .get_or_init(|| compilations(self.session, &self.selected))
    }

    /// Kernels and launches, as `kernels` has them; none without GPUs that ran any.
    pub(super) fn kernels(&self) -> Option<&Launching> {
        let mut devices = self.session.devices.iter();
        if !devices.any(|device| device.kind.is_gpu()) {
            return None;
        }
        let found = self
            .lazy
            .kernels
            .get_or_init(|| launching(self.session, &self.selected, &self.totals));
        (!found.rows.is_empty()).then_some(found)
    }

    /// Memory of the devices, as `memory` has it.
    pub(super) fn memory(&self) -> &DeviceMemory {
        self.lazy
            .memory
            .get_or_init(|| DeviceMemory::of(self.session, &self.selected))
    }

    /// Requests and batches, as `requests` has them.
    pub(super) fn requests(&self) -> &RequestsReport {
        self.lazy
            .requests
            .get_or_init(|| requests(self.session, &self.selected))
    }

    /// Programs with HLO that the devices spend time in, most first.
    pub(super) fn programs(&self) -> &[super::programs::BusyProgram<'a>] {
        self.lazy
            .programs
            .get_or_init(|| super::programs::busy_programs(self.session, &self.glance.ops))
    }

    /// Every selected step on every place.
    pub(super) fn rows(&self) -> &[StepParts] {
        &self.steps.rows
    }

    /// Number of steps that the selected work is of, at least one.
    pub(super) fn step_count(&self) -> f64 {
        self.selected.worked_steps().max(1) as f64
    }

    /// Enough slices of work that a share of them says something.
    pub(super) fn has_enough_work(&self) -> bool {
        let slices: i64 = self.rows_of_ops().map(|row| row.occurrences).sum();
        self.has_work() && slices >= 20
    }

    /// Some device recorded work.
    pub(super) fn has_work(&self) -> bool {
        self.total_self_ps() > 0
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

    /// Σ self time of ops of a device, busy time in its window.
    pub(super) fn work_of(&self, device: DeviceId) -> (i64, i64) {
        let of_device = self.totals.iter().filter(|totals| totals.device == device);
        let labels = of_device.flat_map(|totals| &totals.labels);
        let self_ps = labels.map(|(_, totals)| totals.self_ps).sum();
        let mut busy = self.devices.iter();
        let busy = busy.find(|busy| busy.device_index == device.0);
        (self_ps, busy.map_or(0, |busy| busy.busy_ps))
    }

    /// Devices that recorded work.
    pub(super) fn working(&self) -> impl Iterator<Item = DeviceId> {
        let devices = self.session.device_ids();
        devices.filter(|&device| self.work_of(device).0 > 0)
    }

    /// Time per step and device of ops that pass, and their Σ.
    pub(super) fn ops_per_step(&self, passes: impl Fn(&OpRow) -> bool) -> (i64, Option<f64>) {
        let rows = self.rows_of_ops().filter(|row| passes(row));
        let total_ps: i64 = rows.map(|row| row.self_ps).sum();
        (total_ps, self.per_step(total_ps as f64))
    }

    /// A sum over all devices and the whole capture as time of one step on one device: the share of
    /// all work, of the busy part of a step.
    pub(super) fn per_step(&self, total_ps: f64) -> Option<f64> {
        let busy_ps = self.mean(|row| row.lengths.busy_ps as f64)?;
        let share = total_ps / (self.total_self_ps().max(1)) as f64;
        Some((share * busy_ps).min(busy_ps))
    }

    /// An entry of the thresholds in force.
    pub(super) fn threshold(&self, key: &str) -> Threshold {
        super::thresholds::threshold(self.thresholds, key)
    }

    /// Only virtual devices of XLA:CPU worked.
    pub(super) fn is_cpu_only(&self) -> bool {
        let mut working = self.working().peekable();
        working.peek().is_some()
            && working.all(|id| self.session.device(id).kind == DeviceKind::Cpu)
    }
}

/// A part of a row.
pub(super) fn part_ps(row: &StepParts, part: PartKind) -> i64 {
    row.lengths.parts_ps[position(part)]
}
