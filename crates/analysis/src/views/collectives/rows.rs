//! Rows of collectives and of their single occurrences.
//!
//! Why exposed time was not hidden, per occurrence:
//!
//! | Reason | Exposed time attributed to it |
//! |---|---|
//! | `late_participant` | the part spent waiting for the last participant |
//! | `synchronous` | the rest, if the op is neither split into start and done nor on a separate stream |
//! | `nothing_scheduled` | the rest, if computation covers less than 5 % of the occurrence |
//! | `compute_shorter` | the rest, if there is computation, but not enough |
//!
//! The reason of a row is the one with the most time.

use stepscope_model::{DeviceId, DeviceKind, Peak, Picos, SaturatingSum as _, SliceId, Span};

use super::bandwidth::{bus_factor, payload_bytes, rate};
use super::matching::Wait;
use super::report::{CollectiveInstanceRow, CollectiveRow};
use super::step_index::StepIndex;
use super::survey::{CollectiveOp, Occurrence};
use super::theory::{self, Expected, Independent};
use super::{Evidence, Exchanges, mesh};
use crate::measuring::communication::AllCommunication;
use crate::measuring::selection::Selected;

/// Computation that covers less than this share of an occurrence counts as none.
const NO_COMPUTE_RATIO: f64 = 0.05;

/// Collectives for which independent compute is looked for.
const MOST_SEARCHED: usize = 200;

const REASONS: [&str; 4] = [
    "late_participant",
    "synchronous",
    "nothing_scheduled",
    "compute_shorter",
];

/// Sums over the occurrences of one row.
#[derive(Clone, Default)]
struct Sums {
    occurrences: i64,
    total_ps: i64,
    own_ps: i64,
    min_ps: i64,
    exposed_ps: i64,
    matched: i64,
    wait_ps: i64,
    transfer_ps: i64,
    reasons_ps: [i64; REASONS.len()],
    devices: Vec<DeviceId>,
    longest: Option<(Span, SliceId)>,
}

/// For each matched occurrence: how long it waited for the last participant, and how long the rest took.
pub(super) fn waits(evidence: &Evidence<'_>, instance_of: &[Option<usize>]) -> Vec<Option<Wait>> {
    let session = evidence.session;
    let Exchanges {
        survey,
        matched,
        clocks,
    } = &**evidence;
    let arrivals: Vec<i64> = matched
        .instances
        .iter()
        .map(|instance| instance.arrivals(session, survey, clocks).last_ps)
        .collect();
    let wait = |(occurrence, instance): (&Occurrence, &Option<usize>)| {
        let last_ps = arrivals[(*instance)?];
        Some(Wait::of(session, clocks, occurrence, last_ps))
    };
    survey
        .occurrences
        .iter()
        .zip(instance_of)
        .map(wait)
        .collect()
}

/// One row per collective that passes `--program` and `--match`, most exposed first, and the peak of the
/// links that all of them use.
pub(super) fn rows(
    evidence: &Evidence<'_>,
    selected: &Selected<'_>,
    communication: &AllCommunication,
    waits: &[Option<Wait>],
    meshes: &mesh::Meshes,
) -> (Vec<CollectiveRow>, Option<Peak>) {
    let survey = &evidence.survey;
    let mut sums = vec![Sums::default(); survey.ops.len()];
    let counted: Vec<_> = evidence.occurrences().collect();
    let spans = counted.iter().map(|(_, own)| (own.device, own.span));
    let hidden_ps = communication.computed_ps(evidence.session, &spans.collect::<Vec<_>>());
    for ((number, occurrence), hidden_ps) in counted.into_iter().zip(hidden_ps) {
        sums[occurrence.op].add(occurrence, hidden_ps, waits[number]);
    }
    let link = link(evidence);
    let mut independent = Independent::of(evidence.session, selected, &survey.ops);
    let rows = survey.ops.iter().zip(sums).enumerate();
    let mut rows: Vec<(usize, CollectiveRow)> = rows
        .filter(|(_, (op, sums))| sums.occurrences > 0 && is_selected(evidence, selected, op))
        .map(|(number, (op, sums))| {
            let row = row(evidence, number, op, sums, link.as_ref(), meshes);
            (number, row)
        })
        .collect();
    // A graph search each, so only for those that cost the most.
    rows.sort_unstable_by_key(|(_, row)| std::cmp::Reverse(row.exposed_ps));
    for (number, row) in rows.iter_mut().take(MOST_SEARCHED) {
        row.set_independent(independent.time_ps(&survey.ops[*number]));
    }
    let mut rows: Vec<CollectiveRow> = rows.into_iter().map(|(_, row)| row).collect();
    rows.sort_by(|a, b| {
        (b.exposed_ps.cmp(&a.exposed_ps))
            .then_with(|| b.total_ps.cmp(&a.total_ps))
            .then_with(|| (&a.program, &a.name).cmp(&(&b.program, &b.name)))
    });
    (rows, link)
}

/// Whether an op passes `--program` and `--match` (by name, kind, scope or source).
pub(super) fn is_selected(
    evidence: &Evidence<'_>,
    selected: &Selected<'_>,
    op: &CollectiveOp,
) -> bool {
    let (scope, source) = scope_and_source(evidence, op);
    let kind = op.kind.map_or("", |kind| kind.name());
    selected.has_program(op.program) && selected.matches(&[&op.name, kind, scope, source])
}

fn scope_and_source<'a>(evidence: &Evidence<'a>, op: &CollectiveOp) -> (&'a str, &'a str) {
    let session = evidence.session;
    op.op.map_or(("", ""), |id| {
        let op = session.op(id);
        (session.text(op.scope), session.text(op.source))
    })
}

impl Sums {
    fn add(&mut self, occurrence: &Occurrence, hidden_ps: i64, wait: Option<Wait>) {
        let duration_ps = occurrence.span.duration().0;
        let exposed_ps = duration_ps - hidden_ps;
        self.min_ps = if self.occurrences == 0 {
            duration_ps
        } else {
            self.min_ps.min(duration_ps)
        };
        self.occurrences += 1;
        self.total_ps = self.total_ps.saturating_add(duration_ps);
        self.own_ps = self.own_ps.saturating_add(occurrence.own_ps);
        self.exposed_ps = self.exposed_ps.saturating_add(exposed_ps);
        let mut late_ps = 0;
        if let Some(wait) = wait {
            self.matched += 1;
            self.wait_ps = self.wait_ps.saturating_add(wait.wait_ps);
            self.transfer_ps = self.transfer_ps.saturating_add(wait.transfer_ps);
            late_ps = wait.wait_ps.min(exposed_ps);
        }
        let reason = if !occurrence.can_overlap {
            1
        } else if (hidden_ps as f64) < NO_COMPUTE_RATIO * duration_ps as f64 {
            2
        } else {
            3
        };
        self.reasons_ps[0] = self.reasons_ps[0].saturating_add(late_ps);
        self.reasons_ps[reason] = self.reasons_ps[reason].saturating_add(exposed_ps - late_ps);
        if self.devices.last() != Some(&occurrence.device) {
            self.devices.push(occurrence.device);
        }
        let is_longest = self
            .longest
            .is_none_or(|(span, _)| span.duration() < occurrence.span.duration());
        if is_longest {
            self.longest = Some((occurrence.span, occurrence.slice));
        }
    }

    /// The reason with the most time; the first one if equal.
    fn reason(&self) -> &'static str {
        let mut best = 0;
        for (place, &sum_ps) in self.reasons_ps.iter().enumerate() {
            if sum_ps > self.reasons_ps[best] {
                best = place;
            }
        }
        if self.reasons_ps[best] > 0 {
            REASONS[best]
        } else {
            ""
        }
    }
}

fn row(
    evidence: &Evidence<'_>,
    number: usize,
    op: &CollectiveOp,
    mut sums: Sums,
    link: Option<&Peak>,
    meshes: &mesh::Meshes,
) -> CollectiveRow {
    let session = evidence.session;
    let (scope, source) = scope_and_source(evidence, op);
    let program = op.program.map(|id| session.program(id));
    let mean_ps = sums.total_ps as f64 / sums.occurrences.max(1) as f64;
    let bytes = payload_bytes(op).filter(|&bytes| bytes > 0);
    let factor = op.kind.and_then(|kind| bus_factor(kind, op.group_size));
    let algorithm_bandwidth = bytes.and_then(|bytes| rate(bytes, mean_ps));
    let bus_bandwidth = algorithm_bandwidth
        .zip(factor)
        .map(|(rate, factor)| rate * factor);
    let transfer_ps = sums.transfer_ps as f64 / sums.matched.max(1) as f64;
    let transfer_bandwidth = bytes
        .filter(|_| sums.matched > 0)
        .and_then(|bytes| rate(bytes, transfer_ps))
        .zip(factor)
        .map(|(rate, factor)| rate * factor);
    let (mesh_axes, is_mesh_guessed) = meshes.axes(number);
    sums.devices.sort_unstable();
    sums.devices.dedup();
    let expected = sums
        .devices
        .first()
        .map_or_else(Expected::default, |&device| {
            theory::expected(session, op, device, mean_ps)
        });
    let mut cores: Vec<&str> = sums
        .devices
        .iter()
        .map(|&device| core(session.device(device).kind))
        .collect();
    cores.dedup();
    let names: Vec<String> = sums
        .devices
        .iter()
        .map(|&id| session.device_title(id))
        .collect();
    let nothing = Span {
        start: Picos::ZERO,
        end: Picos::ZERO,
    };
    let (longest, slice) = sums.longest.unwrap_or((nothing, NO_SLICE));
    CollectiveRow {
        name: op.name.clone(),
        program: program
            .map(stepscope_model::Program::title)
            .unwrap_or_default(),
        program_id: program
            .map(|program| program.id.to_string())
            .unwrap_or_default(),
        kind: op.kind.map_or("", |kind| kind.name()).to_owned(),
        is_async: op.is_async,
        algorithm: op.algorithm.clone(),
        scope: scope.to_owned(),
        source: source.to_owned(),
        occurrences: sums.occurrences,
        bytes: bytes.map(signed),
        group_size: op.group_size.map(signed),
        groups: op.groups.clone(),
        mesh_axes,
        is_mesh_guessed,
        total_ps: sums.total_ps,
        mean_ps,
        min_ps: sums.min_ps,
        max_ps: longest.duration().0,
        own_ps: sums.own_ps,
        exposed_ps: sums.exposed_ps,
        hidden_ps: sums.total_ps - sums.exposed_ps,
        reason: sums.reason().to_owned(),
        matched: sums.matched,
        wait_ps: (sums.matched > 0).then_some(sums.wait_ps),
        transfer_ps: (sums.matched > 0).then_some(sums.transfer_ps),
        algorithm_bandwidth,
        bus_bandwidth,
        transfer_bandwidth,
        link_ratio: bus_bandwidth
            .zip(link)
            .map(|(rate, link)| rate / link.per_second),
        expected_ps: expected.each_ps,
        times_expected: expected
            .each_ps
            .filter(|&each| each > 0.0)
            .map(|each| mean_ps / each),
        expectation: expected.sentence,
        independent_ps: None,
        overlap_ps: None,
        core: cores.join(", "),
        device: names.join(", "),
        start_ps: longest.start.0,
        slice: slice.into(),
    }
}

impl CollectiveRow {
    /// Fills in what could run meanwhile, from the time of all occurrences.
    fn set_independent(&mut self, all_ps: Option<f64>) {
        let count = self.occurrences.max(1) as f64;
        self.independent_ps = all_ps.map(|all| all / count);
        let (exposed_ps, hidden_ps) = (
            self.exposed_ps as f64 / count,
            self.hidden_ps as f64 / count,
        );
        self.overlap_ps = self
            .independent_ps
            .map(|independent| (independent - hidden_ps).clamp(0.0, exposed_ps.max(0.0)));
    }
}

/// The kind of core, for people.
fn core(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Tpu => "TensorCore",
        DeviceKind::SparseCore => "SparseCore",
        DeviceKind::Cpu => "CPU",
        kind if kind.is_gpu() => "GPU",
        _ => "other",
    }
}

const NO_SLICE: SliceId = SliceId {
    track: stepscope_model::TrackId(0),
    lane: 0,
    index: 0,
};

pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The peak of one link, if it is the same for all devices that communicate.
fn link(evidence: &Evidence<'_>) -> Option<Peak> {
    let mut devices: Vec<DeviceId> = evidence
        .occurrences()
        .map(|(_, occurrence)| occurrence.device)
        .collect();
    devices.dedup();
    let link = |&device: &DeviceId| evidence.session.device(device).chip.link_bandwidth();
    let first = link(devices.first()?)?;
    devices
        .iter()
        .all(|device| link(device).as_ref() == Some(&first))
        .then_some(first)
}

/// Single occurrences over all participants, those with the most waiting and transfer first.
pub(super) fn instances(
    evidence: &Evidence<'_>,
    selected: &Selected<'_>,
    limit: usize,
) -> (Vec<CollectiveInstanceRow>, usize) {
    let session = evidence.session;
    let Exchanges { survey, clocks, .. } = &**evidence;
    let selected_ops: Vec<bool> = survey
        .ops
        .iter()
        .map(|op| is_selected(evidence, selected, op))
        .collect();
    let mut found: Vec<(i64, usize)> = Vec::new();
    for (number, instance) in evidence.instances() {
        if selected_ops[instance.op] {
            let arrivals = instance.arrivals(session, survey, clocks);
            found.push((arrivals.end_ps - arrivals.first_ps, number));
        }
    }
    found.sort_by_key(|&(cost, number)| (std::cmp::Reverse(cost), number));
    let count = found.len();
    if limit > 0 {
        found.truncate(limit);
    }
    let steps = StepIndex::of(session);
    let row = |(_, number): (i64, usize)| instance_row(evidence, &steps, number);
    (found.into_iter().map(row).collect(), count)
}

fn instance_row(
    evidence: &Evidence<'_>,
    steps: &StepIndex,
    number: usize,
) -> CollectiveInstanceRow {
    let session = evidence.session;
    let Exchanges {
        survey,
        matched,
        clocks,
    } = &**evidence;
    let instance = &matched.instances[number];
    let arrivals = instance.arrivals(session, survey, clocks);
    let last = &survey.occurrences[arrivals.last];
    let op = &survey.ops[last.op];
    let program = op.program.map(|id| session.program(id));
    let wait_ps = instance.members.iter().map(|&member| {
        let occurrence = &survey.occurrences[member];
        Wait::of(session, clocks, occurrence, arrivals.last_ps).wait_ps
    });
    CollectiveInstanceRow {
        name: op.name.clone(),
        program: program
            .map(stepscope_model::Program::title)
            .unwrap_or_default(),
        program_id: program
            .map(|program| program.id.to_string())
            .unwrap_or_default(),
        kind: op.kind.map_or("", |kind| kind.name()).to_owned(),
        step: steps
            .at(last.device, last.span.start)
            .map(|step| session.steps[step].number),
        participants: signed(instance.members.len() as u64),
        last_device: session.device_title(last.device),
        skew_ps: arrivals.last_ps - arrivals.first_ps,
        wait_ps: wait_ps.saturating_sum(),
        transfer_ps: (arrivals.end_ps - arrivals.last_ps).max(0),
        start_ps: arrivals.first_ps,
        duration_ps: (arrivals.end_ps - arrivals.first_ps).max(0),
        slice: last.slice.into(),
    }
}
