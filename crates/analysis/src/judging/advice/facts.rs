//! The facts for the rules: figures of other analyses, each computed once and only when a rule needs it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

use stepscope_model::{DeviceId, DeviceKind, HostId, SaturatingSum as _, Session};

use super::programs::{BusyProgram, busy_programs};
use super::scenarios::scenarios;
use crate::asking::AnalysisError;
use crate::asking::selection::Selection;
use crate::measuring::callbacks::Callbacks;
use crate::measuring::selection::Selected;
use crate::measuring::steps::parts::position;
use crate::measuring::steps::{PartKind, StepParts, divide_recording, mean, median};
use crate::measuring::totals::work_totals;
use crate::measuring::work::MIN_OPS;
use crate::measuring::workload::partition_count;
use crate::telling::Note;
use crate::telling::thresholds::{Threshold, Thresholds};
use crate::views::buffers::CopiedArguments;
use crate::views::collectives::{CollectiveRow, exposure};
use crate::views::compile::{CompilationRow, compilations};
use crate::views::glance::Glance;
use crate::views::hosts::{WhoWasLate, who_was_late};
use crate::views::idle::{Gaps, gaps};
use crate::views::input::Waits;
use crate::views::kernels::{Launching, launching};
use crate::views::memory::DeviceMemory;
use crate::views::ops::{AllOps, Measured, OpRow, all_ops};
use crate::views::requests::{RequestsReport, requests};
use crate::views::what_if::Scenarios;
use crate::views::what_if::change::NO_WAITS;

/// Number of gaps to explain, longest first. Findings name a few of them, and what the host did in most
/// of their time.
const GAPS: usize = 200;

/// The facts for the rules.
pub(super) struct Facts<'a> {
    pub(super) session: &'a Session,
    pub(super) selected: Selected<'a>,
    thresholds: &'a Thresholds,
    selection: Selection,
    glance: Arc<Glance>,
    /// The mean step that `overview` divides into parts: mean over steps of the mean over hosts of the
    /// mean over each host's devices.
    pub(super) step_ps: Option<f64>,
    lazy: Lazy<'a>,
}

/// Figures that not every rule needs.
#[derive(Default)]
struct Lazy<'a> {
    ahead: OnceCell<Option<f64>>,
    collectives: OnceCell<Vec<CollectiveRow>>,
    compilations: OnceCell<Vec<CompilationRow>>,
    copied: OnceCell<CopiedArguments>,
    gaps: OnceCell<Gaps>,
    in_steps: OnceCell<Arc<AllOps>>,
    kernels: OnceCell<Launching>,
    late: OnceCell<WhoWasLate>,
    memory: OnceCell<DeviceMemory>,
    programs: OnceCell<Vec<BusyProgram<'a>>>,
    recording: OnceCell<Vec<StepParts>>,
    left: OnceCell<Option<f64>>,
    trains: OnceCell<bool>,
    requests: OnceCell<RequestsReport>,
    scenarios: OnceCell<Result<Scenarios<'a>, Note>>,
    waits: OnceCell<Waits>,
}

/// A device, or a host without devices.
pub(super) type Place = (HostId, Option<DeviceId>);

/// A figure of the steps of one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfPlace {
    pub(super) place: Place,
    /// Mean over its steps.
    pub(super) mean: f64,
    /// Median over its steps.
    pub(super) median: f64,
    /// Mean duration of its steps.
    pub(super) step_ps: f64,
}

impl OfPlace {
    /// Of a place without steps.
    pub(super) const fn none(place: Place) -> Self {
        Self {
            place,
            mean: 0.0,
            median: 0.0,
            step_ps: 0.0,
        }
    }

    /// The figure as a share of the place's own mean step.
    pub(super) fn share(&self) -> f64 {
        if self.step_ps > 0.0 {
            self.mean / self.step_ps
        } else {
            0.0
        }
    }
}

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
        let durations = glance.bars.iter().map(|bar| bar.duration_ps);
        let mean = durations.sum::<f64>() / glance.bars.len().max(1) as f64;
        // Without a step time, the durations of steps are not those of their work.
        let is_timed = glance.step_time.is_some() && mean > 0.0;
        Ok(Self {
            session,
            thresholds,
            selection,
            step_ps: is_timed.then_some(mean),
            selected,
            glance,
            lazy: Lazy::default(),
        })
    }

    /// Every op, largest self time first.
    pub(super) fn rows_of_ops(&self) -> impl Iterator<Item = &OpRow> + Clone {
        self.ops.ops.iter().map(|op| &op.row)
    }

    /// Sum of the self times of all ops.
    pub(super) fn total_self_ps(&self) -> i64 {
        self.ops.total_self_ps
    }

    /// What launching ahead gives per step; none where the steps are not replayed.
    pub(super) fn ahead_ps(&self) -> Option<f64> {
        let ahead = || {
            let scenarios = self.scenarios()?.as_ref().ok()?;
            let (gain, _) = scenarios.gain_of_steps(&[NO_WAITS])?;
            Some(gain.likely)
        };
        *self.lazy.ahead.get_or_init(ahead)
    }

    /// What is left of idle time if hosts launch ahead; several rules ask, and `compute` answers once.
    pub(super) fn left_ps(&self, compute: impl FnOnce() -> Option<f64>) -> Option<f64> {
        *self.lazy.left.get_or_init(compute)
    }

    /// The replay of the session, or why it is not replayed; none without steps.
    pub(super) fn scenarios(&self) -> Option<&Result<Scenarios<'a>, Note>> {
        if self.session.steps.is_empty() {
            return None;
        }
        let replay = || scenarios(self.session, &self.selected);
        Some(self.lazy.scenarios.get_or_init(replay))
    }

    /// Every collective, most exposed first, as in `collectives`.
    pub(super) fn collectives(&self) -> &[CollectiveRow] {
        let rows = || exposure(self.session, &self.selected).rows;
        self.lazy.collectives.get_or_init(rows)
    }

    /// Who was late, as in `hosts`.
    pub(super) fn late(&self) -> &WhoWasLate {
        self.lazy
            .late
            .get_or_init(|| who_was_late(self.session, &self.selected))
    }

    /// Waiting for data, as in `input`.
    pub(super) fn waits(&self) -> &Waits {
        self.lazy
            .waits
            .get_or_init(|| Waits::of(self.session, &self.selected))
    }

    /// What hosts did during the gaps of their devices, as in `idle`.
    pub(super) fn gaps(&self) -> &Gaps {
        self.lazy
            .gaps
            .get_or_init(|| gaps(self.session, &self.selected, GAPS))
    }

    /// Compilations in order of time, as in `compile`.
    pub(super) fn compilations(&self) -> &[CompilationRow] {
        self.lazy
            .compilations
            .get_or_init(|| compilations(self.session, &self.selected))
    }

    /// Kernels and launches, as in `kernels`; none unless a GPU ran kernels.
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

    /// Memory of the devices, as in `memory`.
    pub(super) fn memory(&self) -> &DeviceMemory {
        self.lazy
            .memory
            .get_or_init(|| DeviceMemory::of(self.session, &self.selected))
    }

    /// Requests and batches, as in `requests`.
    pub(super) fn requests(&self) -> &RequestsReport {
        self.lazy
            .requests
            .get_or_init(|| requests(self.session, &self.selected))
    }

    /// Whether a program that takes part of the work updates arrays, as training does: its results are its
    /// next arguments, and what the host reads of them is beside that. True where no HLO tells.
    pub(super) fn trains(&self) -> bool {
        let programs = self.programs();
        let trains = || programs.is_empty() || programs.iter().any(BusyProgram::trains);
        *self.lazy.trains.get_or_init(trains)
    }

    /// The host with a name.
    pub(super) fn host_named(&self, name: &str) -> Option<HostId> {
        let mut hosts = self.session.hosts.iter();
        hosts
            .position(|one| one.name == name)
            .map(HostId::from_index)
    }

    /// Programs with HLO that devices spend time in, most time first.
    pub(super) fn programs(&self) -> &[BusyProgram<'a>] {
        self.lazy
            .programs
            .get_or_init(|| busy_programs(self.session, &self.glance.ops))
    }

    /// The arguments that these programs copy because they are not donated.
    pub(super) fn copied_arguments(&self) -> &CopiedArguments {
        let ids = || self.programs().iter().map(|program| program.id);
        self.lazy
            .copied
            .get_or_init(|| CopiedArguments::of(self.session, ids()))
    }

    /// Every selected step on every place.
    pub(super) fn rows(&self) -> &[StepParts] {
        &self.steps.rows
    }

    /// The periods that shares of time refer to: every selected step on every place, or without steps
    /// the observed time of every device that worked.
    fn periods(&self) -> &[StepParts] {
        if self.step_ps.is_some() {
            return self.rows();
        }
        let recording = || divide_recording(self.session, &self.selected);
        self.lazy.recording.get_or_init(recording)
    }

    /// The mean step, or without steps the mean observed time per device; none if nothing ran.
    pub(super) fn period_ps(&self) -> Option<f64> {
        let whole = || self.mean(|row| row.span.duration().0 as f64);
        self.step_ps.or_else(whole).filter(|&period| period > 0.0)
    }

    /// What [`Facts::period_ps`] is, in words: `the mean step` or `the recording`.
    pub(super) fn period(&self) -> &'static str {
        if self.step_ps.is_some() {
            "the mean step"
        } else {
            "the recording"
        }
    }

    /// Number of steps that the selected work belongs to, at least one.
    pub(super) fn step_count(&self) -> f64 {
        self.selected.worked_steps().max(1) as f64
    }

    /// Whether there is enough work for shares to be meaningful: a step repeats, or many ops ran.
    pub(super) fn has_enough_work(&self) -> bool {
        let slices: i64 = self
            .rows_of_ops()
            .map(|row| row.occurrences)
            .saturating_sum();
        self.has_work() && (slices >= MIN_OPS || self.selected.worked_steps() > 1)
    }

    /// Whether any device recorded work.
    pub(super) fn has_work(&self) -> bool {
        self.total_self_ps() > 0
    }

    /// A figure over the steps of each place, or over the recording without steps; sorted by place.
    pub(super) fn by_place(&self, figure: impl Fn(&StepParts) -> f64) -> Vec<OfPlace> {
        let mut places: BTreeMap<Place, (Vec<f64>, f64)> = BTreeMap::new();
        for row in self.periods() {
            let values = places.entry((row.host, row.device)).or_default();
            values.0.push(figure(row));
            values.1 += row.span.duration().0 as f64;
        }
        let of_place = |(place, (values, duration_ps)): (Place, (Vec<f64>, f64))| {
            let count = values.len().max(1) as f64;
            OfPlace {
                place,
                mean: values.iter().sum::<f64>() / count,
                median: median(&values),
                step_ps: duration_ps / count,
            }
        };
        places.into_iter().map(of_place).collect()
    }

    /// The place where a figure has the largest share of the place's steps.
    pub(super) fn worst(&self, figure: impl Fn(&StepParts) -> f64) -> Option<OfPlace> {
        largest_share(self.by_place(figure).into_iter())
    }

    /// Mean of a figure: mean over steps of the mean over hosts of the mean over each host's devices.
    /// Without steps, the recording counts as one step.
    pub(super) fn mean(&self, figure: impl Fn(&StepParts) -> f64) -> Option<f64> {
        let steps = self.periods().chunk_by(|a, b| a.step == b.step);
        let means = steps.filter_map(|rows| {
            let mut hosts: BTreeMap<HostId, Vec<f64>> = BTreeMap::new();
            for row in rows {
                hosts.entry(row.host).or_default().push(figure(row));
            }
            mean(
                hosts
                    .values()
                    .filter_map(|values| mean(values.iter().copied())),
            )
        });
        mean(means)
    }

    /// `host-2` or `host-2/GPU:0`; for a single host only the device.
    pub(super) fn place_name(&self, place: Place) -> String {
        match place {
            (_, Some(device)) => self.session.device_title(device),
            (host, None) => self.session.host(host).name.clone(),
        }
    }

    /// Total self time of a device's ops, and its busy time in its window.
    pub(super) fn work_of(&self, device: DeviceId) -> (i64, i64) {
        let of_device = self.totals.iter().filter(|totals| totals.device == device);
        let labels = of_device.flat_map(|totals| &totals.labels);
        let self_ps = labels.map(|(_, totals)| totals.self_ps).saturating_sum();
        let mut busy = self.devices.iter();
        let busy = busy.find(|busy| busy.device_index == device.0);
        (self_ps, busy.map_or(0, |busy| busy.busy_ps))
    }

    /// Devices that recorded work, without the companions of others.
    pub(super) fn working(&self) -> impl Iterator<Item = DeviceId> {
        let is_companion = |id: DeviceId| self.session.device(id).kind.is_companion();
        let devices = self.session.device_ids();
        let worked: Vec<DeviceId> = devices.filter(|&id| self.work_of(id).0 > 0).collect();
        let has_main = worked.iter().any(|&id| !is_companion(id));
        let counts = move |&id: &DeviceId| !has_main || !is_companion(id);
        worked.into_iter().filter(counts)
    }

    /// Total self time of the ops that `passes` accepts, and their time per step and device.
    pub(super) fn ops_per_step(&self, passes: impl Fn(&OpRow) -> bool) -> (i64, Option<f64>) {
        let rows = self.rows_of_ops().filter(|row| passes(row));
        let total_ps: i64 = rows.map(|row| row.self_ps).saturating_sum();
        (
            total_ps,
            self.weighted_per_step(|row| f64::from(passes(row))),
        )
    }

    /// The same of a part of the time of each op: its share of all work in the steps × the mean time
    /// per step in which ops ran. What ran outside of steps, such as a warm-up, dilutes nothing.
    pub(super) fn weighted_per_step(&self, weight: impl Fn(&OpRow) -> f64) -> Option<f64> {
        let worked_ps = self.worked_per_step()?;
        let all = self.lazy.in_steps.get_or_init(|| self.ops_in_steps());
        let time = |op: &Measured| op.row.self_ps as f64 * weight(&op.row);
        let time_ps: f64 = all.ops.iter().map(time).sum();
        let share = time_ps / all.total_self_ps.max(1) as f64;
        Some((share * worked_ps).min(worked_ps))
    }

    /// Time per step and device that ops take beyond their rooflines: their time in the steps × (1 − their
    /// roofline ratio). None if the roofline of one of them is unknown.
    pub(super) fn above_roofline(&self, ops: &[&OpRow]) -> Option<f64> {
        if ops.iter().any(|op| op.roofline_ratio.is_none()) {
            return None;
        }
        self.weighted_per_step(|row| {
            let is_one = |op: &&OpRow| op.name == row.name && op.program_id == row.program_id;
            let ratio = row.roofline_ratio.filter(|_| ops.iter().any(is_one));
            ratio.map_or(0.0, |ratio| (1.0 - ratio).max(0.0))
        })
    }

    /// Every op within the steps; the selected ops where steps or times were selected, or without steps.
    fn ops_in_steps(&self) -> Arc<AllOps> {
        let is_chosen = self.selection.steps.is_some() || self.selection.time.is_some();
        let positions = self.selected.step_positions();
        let numbers = positions.iter().map(|&at| self.session.steps[at].number);
        let range = numbers.clone().min().zip(numbers.max());
        let (Some((first, last)), false) = (range, is_chosen) else {
            return Arc::clone(&self.glance.ops);
        };
        let selection = Selection {
            steps: Some(format!("{first}..={last}")),
            ..self.selection.clone()
        };
        let Ok(selected) = selection.resolve(self.session) else {
            return Arc::clone(&self.glance.ops);
        };
        all_ops(
            self.session,
            &selected,
            &work_totals(self.session, &selected),
        )
    }

    /// Converts a sum over all devices and the whole capture to time per step and device: its share of
    /// all work × the mean time per step in which ops ran.
    pub(super) fn per_step(&self, total_ps: f64) -> Option<f64> {
        let worked_ps = self.worked_per_step()?;
        let share = total_ps / (self.total_self_ps().max(1)) as f64;
        Some((share * worked_ps).min(worked_ps))
    }

    /// Mean time per step and device in which ops ran.
    pub(super) fn worked_per_step(&self) -> Option<f64> {
        // The ops of a GPU do not include the time it waits for callbacks.
        let is_gpu = self.is_gpu();
        self.mean(|row| {
            let lengths = &row.lengths;
            let worked_ps = if is_gpu {
                lengths.busy_ps
            } else {
                lengths.worked_ps()
            };
            worked_ps as f64
        })
    }

    /// Time per step and device that GPUs wait for the ops that `passes` accepts, which call Python.
    /// Zero for other devices, which record it as time of these ops.
    pub(super) fn waited_for(&self, passes: impl Fn(&OpRow) -> bool) -> f64 {
        let rows = self.rows_of_ops().filter(|row| passes(row));
        let names: BTreeSet<&str> = rows.map(|row| row.name.as_str()).collect();
        let calls = Callbacks::of(self.session).named(self.session, |name| names.contains(name));
        let waited = self.mean(|row| {
            let within = |device| calls.unrecorded(self.session, device, &[row.span]);
            row.device
                .map_or(0.0, |device| within(device).duration().0 as f64)
        });
        waited.unwrap_or(0.0)
    }

    /// Whether a device that worked is a GPU.
    fn is_gpu(&self) -> bool {
        let mut working = self.working();
        working.any(|id| self.session.device(id).kind.is_gpu())
    }

    /// An entry of the thresholds in use.
    pub(super) fn threshold(&self, key: &str) -> Threshold {
        self.thresholds.of_rule(key)
    }

    /// Whether devices worked, and all that did are XLA:CPU devices.
    pub(super) fn is_cpu_only(&self) -> bool {
        let mut kinds = self.kinds().peekable();
        kinds.peek().is_some() && kinds.all(|kind| kind == DeviceKind::Cpu)
    }

    /// Kinds of the devices that worked.
    pub(super) fn kinds(&self) -> impl Iterator<Item = DeviceKind> {
        self.working().map(|id| self.session.device(id).kind)
    }

    /// Whether the work is divided over devices: a program is partitioned, or several devices worked.
    pub(super) fn is_divided(&self) -> bool {
        self.working().count() > 1 || partition_count(self.session) > 1
    }

    /// An example for the program at hand: without a sharding where nothing is divided over devices.
    pub(super) fn example(&self, code: &str) -> String {
        if self.is_divided() {
            code.to_owned()
        } else {
            code.replace(", sharding)", ")")
        }
    }

    /// Whether all devices that worked share the cores of one host.
    pub(super) fn has_virtual_devices_only(&self) -> bool {
        self.is_cpu_only() && self.session.hosts.len() == 1
    }

    /// Whether some devices are virtual ones of one XLA:CPU process, which take turns on its cores.
    pub(super) fn share_cores(&self) -> bool {
        let working: Vec<DeviceId> = self.working().collect();
        let hosts: BTreeSet<HostId> =
            (working.iter().map(|&id| self.session.device(id).host)).collect();
        self.is_cpu_only() && hosts.len() < working.len()
    }
}

/// The place where a figure has the largest share of the place's steps; the first one on a tie.
pub(super) fn largest_share(places: impl Iterator<Item = OfPlace>) -> Option<OfPlace> {
    places.reduce(|worst, next| {
        if next.share() > worst.share() {
            next
        } else {
            worst
        }
    })
}

/// The length of a part in a row.
pub(super) fn part_ps(row: &StepParts, part: PartKind) -> i64 {
    row.lengths.parts_ps[position(part)]
}
