//! The mean step on the host and on the devices, and why devices are idle within it.
//!
//! Busy time, input wait and compilation come from `steps`, kernel launches from `idle`. All other
//! idle time is *all others*, so the causes sum to the idle time.

use stepscope_model::{DeviceId, Session};

use super::report::{IdleKind, IdleShare, StepBalance};
use crate::measuring::activity::{CAUSES, Cause};
use crate::measuring::selection::Selected;
use crate::measuring::steps::PartKind;
use crate::measuring::steps::{StepParts, host_step_ps, part_position};
use crate::views::glance::Glance;
use crate::views::idle::{StepCauses, step_causes};

/// Idle shares in display order.
const KINDS: [IdleKind; 4] = [
    IdleKind::Input,
    IdleKind::Compilation,
    IdleKind::KernelLaunch,
    IdleKind::AllOthers,
];

/// One step on one device, or the mean of several: duration, idle time by [`KINDS`], and the time of
/// *all others* by cause.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_field_names, reason = "every name ends in its unit")]
struct Times {
    duration_ps: f64,
    idle_ps: [f64; KINDS.len()],
    others_ps: [f64; CAUSES.len()],
}

/// The balance of the mean step; none if no device recorded work in a step.
pub(super) fn balance(
    session: &Session,
    selected: &Selected<'_>,
    glance: &Glance,
) -> Option<StepBalance> {
    let rows = glance.steps.rows.iter();
    let rows: Vec<&StepParts> = rows.filter(|row| row.device.is_some()).collect();
    if rows.is_empty() {
        return None;
    }
    let causes = step_causes(session, selected);
    let of_steps = rows.chunk_by(|a, b| a.step == b.step);
    let times = Times::mean(of_steps.map(|rows| of_step(rows, &causes)));
    let device_idle_ps: f64 = times.idle_ps.iter().sum();
    let ratio = |time_ps: f64| {
        if times.duration_ps > 0.0 {
            time_ps / times.duration_ps
        } else {
            0.0
        }
    };
    let shares = KINDS.into_iter().zip(times.idle_ps);
    Some(StepBalance {
        host_step_ps: host_step_ps(session, selected),
        device_step_ps: times.duration_ps,
        device_busy_ps: times.duration_ps - device_idle_ps,
        device_idle_ps,
        device_idle_ratio: ratio(device_idle_ps),
        idle: shares
            .map(|(kind, mean_ps)| IdleShare {
                kind,
                mean_ps,
                ratio: ratio(mean_ps),
                mostly: match kind {
                    IdleKind::AllOthers => times.mostly(mean_ps),
                    _ => String::new(),
                },
            })
            .collect(),
    })
}

/// A step: the mean over hosts of the mean over the host's devices, as in other analyses.
/// Rows of a host stand together.
fn of_step(rows: &[&StepParts], causes: &[StepCauses]) -> Times {
    let hosts = rows.chunk_by(|a, b| a.host == b.host);
    Times::mean(hosts.map(|rows| Times::mean(rows.iter().map(|row| Times::of(row, causes)))))
}

impl Times {
    fn of(row: &StepParts, causes: &[StepCauses]) -> Self {
        let part = |part| row.lengths.parts_ps[part_position(part)];
        let duration_ps = row.span.duration().0;
        let idle_ps = duration_ps - row.lengths.busy_ps;
        let (input, compilation) = (part(PartKind::InputWait), part(PartKind::Compilation));
        let rest = (idle_ps - input - compilation).max(0);
        let place = |device: DeviceId| {
            let key = (row.step, device);
            let at = causes.binary_search_by_key(&key, |of| (of.step, of.device));
            at.ok().map(|at| &causes[at])
        };
        let of_gaps = row.device.and_then(place);
        let within = |cause: Cause| of_gaps.map_or(0, |gaps| gaps.causes_ps[cause.position()]);
        let launch = within(Cause::Dispatch).min(rest);
        let is_other = |cause: &Cause| {
            !cause.is_input() && !matches!(cause, Cause::Compilation | Cause::Dispatch)
        };
        let mut times = Self {
            duration_ps: duration_ps as f64,
            idle_ps: [input, compilation, launch, rest - launch].map(|time| time as f64),
            others_ps: [0.0; CAUSES.len()],
        };
        for cause in CAUSES.into_iter().filter(is_other) {
            times.others_ps[cause.position()] = within(cause) as f64;
        }
        times
    }

    fn mean(all: impl Iterator<Item = Self>) -> Self {
        let mut sum = Self::default();
        let mut count = 0usize;
        for one in all {
            count += 1;
            sum.duration_ps += one.duration_ps;
            add(&mut sum.idle_ps, one.idle_ps);
            add(&mut sum.others_ps, one.others_ps);
        }
        let count = count.max(1) as f64;
        Self {
            duration_ps: sum.duration_ps / count,
            idle_ps: sum.idle_ps.map(|time| time / count),
            others_ps: sum.others_ps.map(|time| time / count),
        }
    }

    /// The cause with the most time of *all others*, as text. Gaps too short to have a cause count as a
    /// cause.
    fn mostly(&self, others_ps: f64) -> String {
        let by_cause = CAUSES.into_iter().zip(self.others_ps);
        let most = by_cause.fold((None, 0.0), |most, (cause, time)| {
            if time > most.1 {
                (Some(cause), time)
            } else {
                most
            }
        });
        let explained: f64 = self.others_ps.iter().sum();
        match most {
            _ if others_ps <= 0.0 => String::new(),
            (Some(cause), time) if time >= others_ps - explained => cause.meaning().to_owned(),
            _ => "gaps too short to have a cause".to_owned(),
        }
    }
}

fn add<const N: usize>(sums: &mut [f64; N], times: [f64; N]) {
    for (sum, time) in sums.iter_mut().zip(times) {
        *sum += time;
    }
}
