//! Clocks of hosts, aligned by collectives: all participants leave a collective together, so if they
//! seem not to, their clocks differ. Those of pairs (permutes, sends) say nothing: each device leaves once it
//! has sent and received.
//!
//! For two hosts with common collectives, the offset is the median difference of their ends. A drift is
//! fitted (median of slopes, Theil and Sen) and kept if it explains the differences clearly better than
//! a constant offset.

use stepscope_model::{DeviceId, HostId, Picos, Session};

use super::instance::Instance;
use super::survey::Survey;
use crate::measuring::steps::median;

/// Minimum number of common collectives from which a drift is fitted.
const MIN_FOR_DRIFT: usize = 16;
/// A drift is kept if it leaves less than this share of the residual.
const DRIFT_RESIDUAL_RATIO: f64 = 0.7;
/// Maximum number of collectives that are used; if there are more, a sample of them.
const MAX_COMPARED: usize = 4096;
/// Maximum number of points between which slopes are computed.
const SLOPE_POINTS: usize = 64;

/// The clock of every host relative to a reference host.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clocks {
    /// One clock per host, by position.
    pub(crate) hosts: Vec<HostClock>,
}

/// One host's clock.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct HostClock {
    /// Host it is relative to, directly or via others; none without common collectives.
    pub(crate) reference: Option<HostId>,
    /// Offset to subtract from its times, at `at_ps`.
    pub(crate) offset_ps: f64,
    /// Growth of the offset per unit of time; 0 if no drift was found.
    pub(crate) drift: f64,
    /// Time to which the offset refers.
    pub(crate) at_ps: f64,
    /// Median absolute residual of the fit.
    pub(crate) residual_ps: f64,
    /// Largest absolute residual of the fit.
    pub(crate) max_residual_ps: f64,
    /// Number of collectives compared.
    pub(crate) matched_count: usize,
}

impl Clocks {
    /// Aligns the clocks by matched collectives.
    pub(crate) fn of(session: &Session, survey: &Survey, instances: &[Instance]) -> Self {
        let mut hosts = vec![HostClock::default(); session.hosts.len()];
        let every = instances.len().div_ceil(MAX_COMPARED).max(1);
        let ends: Vec<Vec<(HostId, f64)>> = instances
            .iter()
            .filter(|instance| !survey.ops[instance.op].is_between_pairs())
            .step_by(every)
            .map(|instance| host_ends(session, survey, instance))
            .filter(|ends| ends.len() > 1)
            .collect();
        let mut is_known = vec![false; hosts.len()];
        // In each connected set of hosts, the first host is the reference.
        for first in 0..hosts.len() {
            if is_known[first] {
                continue;
            }
            is_known[first] = true;
            let reference = HostId::from_index(first);
            let mut queue = vec![first];
            let mut next = 0;
            while let Some(&from) = queue.get(next) {
                next += 1;
                for to in 0..hosts.len() {
                    if is_known[to] {
                        continue;
                    }
                    let Some(fit) = fit(&differences(&ends, from, to)) else {
                        continue;
                    };
                    is_known[to] = true;
                    let base = hosts[from];
                    let at_base = base.offset_ps + base.drift * (fit.at_ps - base.at_ps);
                    hosts[from].reference = Some(reference);
                    hosts[to] = HostClock {
                        reference: Some(reference),
                        offset_ps: at_base + fit.offset_ps,
                        drift: base.drift + fit.drift,
                        ..fit
                    };
                    queue.push(to);
                }
            }
            hosts[first].matched_count = queue
                .iter()
                .map(|&host| hosts[host].matched_count)
                .max()
                .unwrap_or(0);
        }
        Self { hosts }
    }

    /// A time of a host on the common clock.
    pub(crate) fn aligned(&self, host: HostId, time: Picos) -> Picos {
        let Some(clock) = self.hosts.get(host.index()) else {
            return time;
        };
        let offset = clock.offset_ps + clock.drift * (time.0 as f64 - clock.at_ps);
        Picos(time.0.saturating_sub(whole(offset)))
    }

    /// Whether any host was aligned with another.
    pub(crate) fn has_any(&self) -> bool {
        self.hosts.iter().any(|clock| clock.reference.is_some())
    }
}

/// The median end on every host that took part, by host.
fn host_ends(session: &Session, survey: &Survey, instance: &Instance) -> Vec<(HostId, f64)> {
    let host = |device: DeviceId| session.device(device).host;
    let mut ends: Vec<(HostId, f64)> = instance
        .members
        .iter()
        .map(|&member| {
            let occurrence = &survey.occurrences[member];
            (host(occurrence.device), occurrence.span.end.0 as f64)
        })
        .collect();
    ends.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    ends.chunk_by(|a, b| a.0 == b.0)
        .map(|of_host| {
            let ends: Vec<f64> = of_host.iter().map(|&(_, end)| end).collect();
            (of_host[0].0, median(&ends))
        })
        .collect()
}

/// Time on the first host, and how much later the end on the other host was.
fn differences(ends: &[Vec<(HostId, f64)>], from: usize, to: usize) -> Vec<(f64, f64)> {
    let end = |of: &[(HostId, f64)], host: usize| {
        let found = of.binary_search_by_key(&host, |(id, _)| id.index());
        found.ok().map(|place| of[place].1)
    };
    ends.iter()
        .filter_map(|of| Some((end(of, from)?, end(of, to)?)))
        .map(|(from, to)| (from, to - from))
        .collect()
}

fn fit(points: &[(f64, f64)]) -> Option<HostClock> {
    if points.is_empty() {
        return None;
    }
    let values: Vec<f64> = points.iter().map(|&(_, difference)| difference).collect();
    let times: Vec<f64> = points.iter().map(|&(time, _)| time).collect();
    let constant = HostClock {
        offset_ps: median(&values),
        at_ps: median(&times),
        matched_count: points.len(),
        ..HostClock::default()
    };
    let constant = with_residuals(constant, points);
    let drifting = slope(points).map(|drift| {
        let level: Vec<f64> = points
            .iter()
            .map(|&(time, difference)| difference - drift * (time - constant.at_ps))
            .collect();
        let fit = HostClock {
            offset_ps: median(&level),
            drift,
            ..constant
        };
        with_residuals(fit, points)
    });
    let is_better = |fit: &HostClock| fit.residual_ps < DRIFT_RESIDUAL_RATIO * constant.residual_ps;
    Some(drifting.filter(is_better).unwrap_or(constant))
}

fn with_residuals(fit: HostClock, points: &[(f64, f64)]) -> HostClock {
    let residuals: Vec<f64> = points
        .iter()
        .map(|&(time, difference)| {
            let expected = fit.offset_ps + fit.drift * (time - fit.at_ps);
            (difference - expected).abs()
        })
        .collect();
    HostClock {
        residual_ps: median(&residuals),
        max_residual_ps: residuals.iter().copied().fold(0.0, f64::max),
        ..fit
    }
}

/// The median of the slopes between points of the first and of the last half.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    if points.len() < MIN_FOR_DRIFT {
        return None;
    }
    let every = points.len().div_ceil(SLOPE_POINTS);
    let sample: Vec<(f64, f64)> = points.iter().step_by(every).copied().collect();
    let half = sample.len() / 2;
    let mut slopes = Vec::new();
    for &(early, before) in &sample[..half] {
        for &(late, after) in &sample[half..] {
            if late > early {
                slopes.push((after - before) / (late - early));
            }
        }
    }
    (!slopes.is_empty()).then(|| median(&slopes))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounded; offsets are far below 2^63 ps, and others saturate"
)]
fn whole(value: f64) -> i64 {
    value.round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_offset_survives_outliers() {
        let points: Vec<(f64, f64)> = (0..20)
            .map(|k| (f64::from(k) * 1e6, if k == 7 { 9e9 } else { 5e3 }))
            .collect();
        let clock = fit(&points).expect("points");
        assert!((clock.offset_ps - 5e3).abs() < 1e-6 && clock.drift.abs() < 1e-12);
        assert!(clock.residual_ps.abs() < 1e-6);
        assert!((clock.max_residual_ps - (9e9 - 5e3)).abs() < 1.0);
    }

    #[test]
    fn a_drift_is_found_where_there_is_one() {
        // 20 ppm; 10,000 ps at the middle.
        let points: Vec<(f64, f64)> = (0..40)
            .map(|k| {
                (
                    f64::from(k) * 1e9,
                    1e4 + (f64::from(k) - 19.5) * 1e9 * 20e-6,
                )
            })
            .collect();
        let clock = fit(&points).expect("points");
        assert!((clock.drift - 20e-6).abs() < 1e-9, "{clock:?}");
        assert!(clock.residual_ps < 1.0);
        let few = fit(&points[..8]).expect("points");
        assert!(few.drift.abs() < 1e-15, "too few for a drift");
    }
}
