//! Rows for hosts, steps, cells, and blame.

use std::collections::BTreeMap;

use stepscope_model::{DeviceId, HostId, SaturatingSum as _, Session, WarningKind};

use super::blame::StepBlame;
use super::places::{Lateness, Place};
use super::report::{BlameRow, HostCell, HostRow, HostStepRow};
use super::stragglers::Stragglers;
use crate::measuring::busy;
use crate::measuring::selection::Selected;
use crate::measuring::steps::PartKind;
use crate::measuring::steps::parts::position;
use crate::measuring::steps::{StepParts, median};
use crate::views::collectives::Evidence;

/// Maximum number of cells sent; `--steps` selects the others.
const MAX_CELLS: usize = 30_000;
/// Minimum spread between hosts: 0.1 ms.
const MIN_MAD_PS: f64 = 1e8;
/// Scales a median absolute deviation to a standard deviation.
const MAD_SCALE: f64 = 0.6745;

/// Every selected host.
pub(super) fn hosts(
    session: &Session,
    selected: &Selected<'_>,
    rows: &[StepParts],
    lateness: &Lateness,
    stragglers: &Stragglers,
) -> Vec<HostRow> {
    let of_hosts: Vec<Option<f64>> = selected
        .hosts
        .iter()
        .map(|&host| lateness.median_ps(devices_of(session, selected, host)))
        .collect();
    let scores = scores(&of_hosts);
    let observed = busy::observed(session, selected);
    let has_worked = |device: &DeviceId| observed.binary_search(device).is_ok();
    let mut by_host: BTreeMap<HostId, Vec<&StepParts>> = BTreeMap::new();
    for row in rows {
        by_host.entry(row.host).or_default().push(row);
    }
    let row = |(number, &host): (usize, &HostId)| {
        let own = by_host.get(&host).map_or(&[][..], Vec::as_slice);
        let mut steps: Vec<usize> = own.iter().map(|row| row.step).collect();
        steps.sort_unstable();
        steps.dedup();
        let mean = |of: &dyn Fn(&StepParts) -> i64| {
            let sum: f64 = own.iter().map(|row| of(row) as f64).sum();
            (!own.is_empty()).then(|| sum / own.len() as f64)
        };
        let part = |kind: PartKind| mean(&|row: &StepParts| row.lengths.parts_ps[position(kind)]);
        let devices: Vec<DeviceId> = devices_of(session, selected, host).collect();
        let working = devices.iter().filter(|device| has_worked(device));
        let wait_ps: i64 = devices
            .iter()
            .map(|id| lateness.wait_ps[id.index()])
            .saturating_sum();
        let working_count = working.count();
        HostRow {
            host: session.host(host).name.clone(),
            device_count: devices.len(),
            working_count,
            step_count: steps.len(),
            step_ps: mean(&|row| row.span.duration().0),
            busy_ps: mean(&|row| row.lengths.busy_ps),
            device_compute_ps: part(PartKind::DeviceCompute),
            collectives_ps: part(PartKind::Collectives),
            copies_ps: mean(&copies_ps),
            python_callbacks_ps: part(PartKind::PythonCallbacks),
            input_wait_ps: part(PartKind::InputWait),
            compilation_ps: part(PartKind::Compilation),
            host_overhead_ps: part(PartKind::HostOverhead),
            idle_ps: part(PartKind::Idle),
            lateness_ps: of_hosts[number],
            lateness_score: scores[number],
            last_count: devices
                .iter()
                .map(|id| lateness.last_count[id.index()])
                .sum(),
            caused_ps: lateness.caused_ps[host.index()],
            wait_ps: wait_ps / i64::try_from(working_count.max(1)).unwrap_or(1),
            is_straggler: stragglers.is_host(host.index()),
            problem: problem(session, host, own),
        }
    };
    selected.hosts.iter().enumerate().map(row).collect()
}

/// Time of a step in which only copies ran, in any direction.
fn copies_ps(row: &StepParts) -> i64 {
    let directions = [
        PartKind::HostToDevice,
        PartKind::DeviceToHost,
        PartKind::DeviceToDevice,
    ];
    let parts = directions.map(|kind| row.lengths.parts_ps[position(kind)]);
    parts.iter().saturating_sum()
}

fn devices_of(
    session: &Session,
    selected: &Selected<'_>,
    host: HostId,
) -> impl Iterator<Item = DeviceId> {
    let all = selected.main_devices.iter().copied();
    all.filter(move |&device| session.device(device).host == host)
}

fn problem(session: &Session, host: HostId, own: &[&StepParts]) -> String {
    let of = session.host(host);
    let grave = session.warnings.iter().find(|warning| {
        warning.host == of.name
            && matches!(
                warning.kind,
                WarningKind::Unread | WarningKind::Damaged | WarningKind::Truncated
            )
    });
    match grave {
        Some(warning) => warning.message.clone(),
        None if of.event_count == 0 => "Nothing was recorded.".to_owned(),
        None if own.is_empty() && !session.steps.is_empty() => {
            "The host took part in none of the steps.".to_owned()
        }
        None => String::new(),
    }
}

/// Robust scores; none with fewer than three values.
fn scores(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let known: Vec<f64> = values.iter().copied().flatten().collect();
    if known.len() < 3 {
        return vec![None; values.len()];
    }
    let center = median(&known);
    let deviations: Vec<f64> = known.iter().map(|value| (value - center).abs()).collect();
    let mad = median(&deviations).max(MIN_MAD_PS);
    let score = |value: &Option<f64>| value.map(|value| MAD_SCALE * (value - center) / mad);
    values.iter().map(score).collect()
}

/// Every selected step that ran somewhere.
pub(super) fn steps(
    session: &Session,
    evidence: &Evidence<'_>,
    rows: &[StepParts],
    blamed: &[StepBlame],
) -> Vec<HostStepRow> {
    let by_step: BTreeMap<usize, &StepBlame> = blamed.iter().map(|of| (of.step, of)).collect();
    rows.chunk_by(|a, b| a.step == b.step)
        .map(|of_step| {
            let blame = by_step.get(&of_step[0].step).copied();
            step(session, evidence, of_step, blame)
        })
        .collect()
}

fn step(
    session: &Session,
    evidence: &Evidence<'_>,
    rows: &[StepParts],
    blame: Option<&StepBlame>,
) -> HostStepRow {
    let durations: Vec<i64> = rows.iter().map(|row| row.span.duration().0).collect();
    let busy: Vec<i64> = rows.iter().map(|row| row.lengths.busy_ps).collect();
    let mean = |values: &[i64]| {
        let sum: f64 = values.iter().map(|&value| value as f64).sum();
        sum / values.len().max(1) as f64
    };
    let start_ps = rows.iter().map(|row| row.span.start.0).min().unwrap_or(0);
    let end_ps = rows.iter().map(|row| row.span.end.0).max().unwrap_or(0);
    let most_busy = busy.iter().copied().max().unwrap_or(0) as f64;
    let op = blame.map(|of| &evidence.survey.ops[of.op]);
    let program = op
        .and_then(|op| op.program)
        .map(|id| session.program(id).id);
    HostStepRow {
        step: session.steps[rows[0].step].number,
        start_ps,
        duration_ps: end_ps - start_ps,
        place_count: rows.len(),
        min_ps: durations.iter().copied().min().unwrap_or(0),
        mean_ps: mean(&durations),
        max_ps: durations.iter().copied().max().unwrap_or(0),
        busy_balance: Some(mean(&busy))
            .filter(|&mean| mean > 0.0)
            .map(|mean| most_busy / mean),
        last_device: blame
            .map(|of| session.device(of.device).name.clone())
            .unwrap_or_default(),
        last_host: blame
            .map(|of| session.host(session.device(of.device).host).name.clone())
            .unwrap_or_default(),
        collective: op.map(|op| op.name.clone()).unwrap_or_default(),
        program_id: program.map(|id| id.to_string()).unwrap_or_default(),
        lateness_ps: blame.map(|of| of.lateness_ps),
        caused_ps: blame.map(|of| of.caused_ps),
        activity: blame.map(|of| of.activity.text.clone()).unwrap_or_default(),
        activity_ps: blame
            .filter(|of| !of.activity.text.is_empty())
            .map(|of| of.activity.duration_ps),
        from_ps: blame.map(|of| of.before.start.0),
        until_ps: blame.map(|of| of.before.end.0),
    }
}

/// Each step on each place, and how many there are.
pub(super) fn cells(
    rows: &[StepParts],
    places: &[Place],
    lateness: &Lateness,
) -> (Vec<HostCell>, usize) {
    let mut cells = Vec::new();
    let steps = rows.chunk_by(|a, b| a.step == b.step);
    for (number, of_step) in steps.enumerate() {
        if cells.len() + of_step.len() > MAX_CELLS {
            break;
        }
        for row in of_step {
            let Ok(place) = places.binary_search(&(row.host, row.device)) else {
                continue;
            };
            let part = |kind: PartKind| row.lengths.parts_ps[position(kind)];
            cells.push(HostCell {
                step: number,
                place,
                start_ps: row.span.start.0,
                duration_ps: row.span.duration().0,
                lateness_ps: lateness.in_step(row.step, row.device),
                device_compute_ps: part(PartKind::DeviceCompute),
                collectives_ps: part(PartKind::Collectives),
                copies_ps: copies_ps(row),
                python_callbacks_ps: part(PartKind::PythonCallbacks),
                input_wait_ps: part(PartKind::InputWait),
                compilation_ps: part(PartKind::Compilation),
                host_overhead_ps: part(PartKind::HostOverhead),
                idle_ps: part(PartKind::Idle),
            });
        }
    }
    (cells, rows.len())
}

/// Who was late and what it did, over steps, most waiting caused first. With several hosts, the
/// devices of each host are combined.
pub(super) fn blame(session: &Session, blamed: &[StepBlame]) -> Vec<BlameRow> {
    let are_hosts = session.hosts.len() > 1;
    let mut groups: BTreeMap<(HostId, Option<DeviceId>, &str), Vec<&StepBlame>> = BTreeMap::new();
    for of in blamed {
        let host = session.device(of.device).host;
        let device = (!are_hosts).then_some(of.device);
        let key = (host, device, of.activity.text.as_str());
        groups.entry(key).or_default().push(of);
    }
    let row = |((host, _, activity), own): ((HostId, Option<DeviceId>, &str), Vec<&StepBlame>)| {
        let count = own.len() as f64;
        let mut devices: Vec<DeviceId> = own.iter().map(|of| of.device).collect();
        devices.sort_unstable();
        devices.dedup();
        let names: Vec<&str> = devices
            .iter()
            .map(|&id| session.device(id).name.as_str())
            .collect();
        let worst = own.iter().max_by_key(|of| of.caused_ps)?;
        Some(BlameRow {
            host: session.host(host).name.clone(),
            device: names.join(", "),
            activity: activity.to_owned(),
            activity_on: match (activity, worst.activity.is_device) {
                ("", _) => "",
                (_, true) => "device",
                (_, false) => "host",
            }
            .to_owned(),
            step_count: own.len(),
            step_ratio: count / blamed.len() as f64,
            caused_ps: own.iter().map(|of| of.caused_ps).saturating_sum(),
            lateness_ps: own.iter().map(|of| of.lateness_ps as f64).sum::<f64>() / count,
            activity_ps: own
                .iter()
                .map(|of| of.activity.duration_ps as f64)
                .sum::<f64>()
                / count,
            step: session.steps[worst.step].number,
            from_ps: worst.before.start.0,
            until_ps: worst.before.end.0,
            track: worst.activity.track.map(|track| track.0),
        })
    };
    let mut rows: Vec<BlameRow> = groups.into_iter().filter_map(row).collect();
    rows.sort_by(|a, b| {
        (b.caused_ps.cmp(&a.caused_ps))
            .then_with(|| (&a.host, &a.device, &a.activity).cmp(&(&b.host, &b.device, &b.activity)))
    });
    rows
}
