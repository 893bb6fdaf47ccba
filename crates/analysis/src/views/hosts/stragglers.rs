//! Who is late more often than chance explains.
//!
//! If no host were slow, each of n hosts would be last in one of n steps. A host is a straggler if
//! it was last in at least half of the steps, if the probability of that by chance is below 1 %
//! (binomial tail), and if the others waited at least 1 % of a step for it on average. This needs no
//! spread between hosts, so it works with two hosts. With one host, its devices are compared. Only steps that
//! are clear are evidence: those in which the last one is later than clocks may be wrong, and not late at a
//! permute (stages of a pipeline arrive one after another). The others neither speak for a straggler nor
//! against it, but it has to be last in half of all steps, too.
//!
//! With two hosts, the chance that one of them is last in all of five steps is 6 %, so with few steps
//! the size of the lateness must count too: a host that was last in every one of at least five steps
//! is also a straggler if the others waited in each of them at least 0.6 times as long as in the
//! median one, and 5 % of a step on average. Random differences are as often near zero as far from it
//! ([`tests`] generates some).

use stepscope_model::{DeviceId, Session};

use super::blame::StepBlame;
use crate::measuring::steps::median;
use crate::measuring::work::has_worked;
use crate::telling::format;

/// Minimum share of steps in which a straggler is last.
const MIN_SHARE: f64 = 0.5;
/// Probability by chance below which a host is a straggler.
const MAX_CHANCE: f64 = 0.01;
/// Minimum share of a step that the others must wait.
const MIN_COST: f64 = 0.01;

/// Minimum number of steps for the rule of being last in all of them.
const MIN_STEADY_STEPS: usize = 5;
/// For that rule: minimum wait in each step, as a share of the median wait.
const MIN_STEADY_SHARE: f64 = 0.6;
/// For that rule: minimum share of a step that the others must wait on average.
const MIN_STEADY_COST: f64 = 0.05;

/// A host or device that is late.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Straggler {
    /// Position of the host, or of the device if there is only one host.
    pub(super) place: usize,
    /// Clear steps in which it was last, and all that are clear.
    pub(super) last_count: usize,
    pub(super) clear_count: usize,
    pub(super) step_count: usize,
    /// Mean time per step that it made the others wait in clear steps, over all steps.
    pub(super) cost_ps: f64,
    pub(super) activity: String,
}

/// All stragglers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Stragglers {
    pub(super) found: Vec<Straggler>,
    /// Where nobody is one: who was last in most steps, which chance explains, or which costs little.
    pub(super) often: Option<LastOften>,
    pub(super) are_hosts: bool,
}

/// A host or device that is last in most steps.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LastOften {
    pub(super) place: usize,
    pub(super) last_count: usize,
    pub(super) step_count: usize,
    pub(super) clear_last_count: usize,
}

pub(super) fn stragglers(
    session: &Session,
    blamed: &[StepBlame],
    step_ps: Option<f64>,
) -> Stragglers {
    let are_hosts = session.hosts.len() > 1;
    let place_of = |device| place_of(session, device);
    let mut places: Vec<usize> = Vec::new();
    for id in session.device_ids() {
        if has_worked(session, id) {
            places.push(place_of(id));
        }
    }
    places.sort_unstable();
    places.dedup();
    let Some(step_ps) = step_ps.filter(|_| places.len() > 1 && !blamed.is_empty()) else {
        return Stragglers {
            are_hosts,
            ..Stragglers::default()
        };
    };
    let clear: Vec<&StepBlame> = blamed.iter().filter(|of| of.is_clear).collect();
    let last_count = |place: usize| {
        let own = blamed.iter().filter(|of| place_of(of.device) == place);
        own.count()
    };
    let of_clear = |place: usize| -> Vec<&StepBlame> {
        let own = clear.iter().filter(|of| place_of(of.device) == place);
        own.copied().collect()
    };
    let is_half = |count: usize, of: usize| count as f64 >= MIN_SHARE * of as f64;
    let straggler = |&place: &usize| {
        let own = of_clear(place);
        let caused: f64 = own.iter().map(|of| of.caused_ps as f64).sum();
        let cost_ps = caused / blamed.len() as f64;
        let is_often = is_half(own.len(), clear.len()) && is_half(last_count(place), blamed.len());
        let chance = tail(clear.len(), own.len(), 1.0 / places.len() as f64);
        let is_rare = is_often && chance < MAX_CHANCE && cost_ps >= MIN_COST * step_ps;
        let waits: Vec<f64> = own.iter().map(|of| of.caused_ps as f64).collect();
        let is_last_in_all = own.len() == blamed.len();
        let is_late = is_rare || is_last_in_all && is_steady(&waits, step_ps);
        is_late.then(|| Straggler {
            place,
            last_count: own.len(),
            clear_count: clear.len(),
            step_count: blamed.len(),
            cost_ps,
            activity: common_activity(&own),
        })
    };
    let found: Vec<Straggler> = places.iter().filter_map(straggler).collect();
    let mut most = places.iter().copied();
    let often = most.find(|&place| 2 * last_count(place) > blamed.len());
    let often = often.filter(|_| found.is_empty()).map(|place| LastOften {
        place,
        last_count: last_count(place),
        step_count: blamed.len(),
        clear_last_count: of_clear(place).len(),
    });
    Stragglers {
        found,
        often,
        are_hosts,
    }
}

/// Position of the host of a device, or of the device if there is only one host.
fn place_of(session: &Session, device: DeviceId) -> usize {
    if session.hosts.len() > 1 {
        session.device(device).host.index()
    } else {
        device.index()
    }
}

/// Whether the waits are too long and too regular to be due to chance.
fn is_steady(waits: &[f64], step_ps: f64) -> bool {
    let mean = waits.iter().sum::<f64>() / waits.len().max(1) as f64;
    let least = MIN_STEADY_SHARE * median(waits);
    waits.len() >= MIN_STEADY_STEPS
        && mean >= MIN_STEADY_COST * step_ps
        && waits.iter().all(|&wait| wait >= least)
}

/// The activity that caused the most waiting.
fn common_activity(own: &[&StepBlame]) -> String {
    let mut sums: std::collections::BTreeMap<&str, i64> = std::collections::BTreeMap::new();
    for of in own {
        let sum: &mut i64 = sums.entry(&of.activity.text).or_default();
        *sum = sum.saturating_add(of.caused_ps);
    }
    let most = sums.into_iter().max_by_key(|&(_, sum)| sum);
    most.map_or_else(String::new, |(text, _)| text.to_owned())
}

/// Probability of at least `successes` in `trials`, each with probability `p`.
fn tail(trials: usize, successes: usize, p: f64) -> f64 {
    // Logarithms, since the factors of many trials would overflow.
    let mut log_choose = 0.0;
    let mut sum = 0.0;
    for k in 0..=trials {
        if k > 0 {
            log_choose += ((trials - k + 1) as f64).ln() - (k as f64).ln();
        }
        if k >= successes {
            let log = log_choose + k as f64 * p.ln() + (trials - k) as f64 * (1.0 - p).ln();
            sum += log.exp();
        }
    }
    sum
}

impl Stragglers {
    pub(super) fn is_host(&self, host: usize) -> bool {
        self.are_hosts && self.found.iter().any(|straggler| straggler.place == host)
    }

    /// Name of the host or device.
    pub(super) fn name<'a>(&self, session: &'a Session, one: &Straggler) -> &'a str {
        self.name_at(session, one.place)
    }

    /// Name of the host of a device, or of the device if there is only one host.
    pub(super) fn name_of<'a>(&self, session: &'a Session, device: DeviceId) -> &'a str {
        self.name_at(session, place_of(session, device))
    }

    pub(super) fn name_at<'a>(&self, session: &'a Session, place: usize) -> &'a str {
        if self.are_hosts {
            &session.hosts[place].name
        } else {
            &session.devices[place].name
        }
    }

    /// A sentence on the worst straggler; none if there is no straggler.
    pub(super) fn sentence(&self, session: &Session) -> Option<String> {
        let worst = self
            .found
            .iter()
            .max_by(|a, b| a.cost_ps.total_cmp(&b.cost_ps))?;
        let name = self.name(session, worst);
        let doing = match worst.activity.as_str() {
            "" => "; the cause was not recorded".to_owned(),
            activity => format!("; before it arrives, it is in {activity}"),
        };
        let of = match worst.step_count - worst.clear_count {
            0 => String::new(),
            unclear => format!(" ({unclear} more leave open who was last)"),
        };
        Some(format!(
            "{name} arrives last in {} of {}{of} and makes the others wait {} per step{doing}.",
            worst.last_count,
            format::counted(worst.clear_count, "step"),
            format::duration_ps(worst.cost_ps),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_coins() {
        assert!((tail(10, 10, 0.5) - 1.0 / 1024.0).abs() < 1e-12);
        assert!((tail(4, 3, 0.5) - 5.0 / 16.0).abs() < 1e-12);
        assert!((tail(7, 0, 0.25) - 1.0).abs() < 1e-12);
        assert!(tail(5000, 5000, 0.25) < 1e-300);
    }

    #[test]
    fn five_of_five_steps_do_where_the_lateness_is_large_and_even() {
        assert!(is_steady(&[28.0, 31.0, 30.0, 25.0, 33.0], 100.0));
        assert!(!is_steady(&[28.0, 31.0, 30.0, 25.0], 100.0), "four steps");
        assert!(
            !is_steady(&[2.8, 3.1, 3.0, 2.5, 3.3], 100.0),
            "3 % of a step"
        );
        assert!(
            !is_steady(&[1.0, 31.0, 30.0, 25.0, 33.0], 100.0),
            "one short wait"
        );
    }

    /// Two hosts whose arrivals differ by chance alone, whatever its size: the normal distribution.
    #[test]
    fn chance_is_rarely_steady() {
        let mut state = 11u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        };
        let mut normal = || {
            let radius = (-2.0 * f64::ln(uniform())).sqrt();
            radius * (std::f64::consts::TAU * uniform()).cos()
        };
        let mut found = 0;
        for _ in 0..20_000 {
            let lateness: Vec<f64> = (0..5).map(|_| normal()).collect();
            let is_one_sided =
                lateness.iter().all(|one| *one > 0.0) || lateness.iter().all(|one| *one < 0.0);
            let waits: Vec<f64> = lateness.iter().map(|one| one.abs()).collect();
            found += usize::from(is_one_sided && is_steady(&waits, 1.0));
        }
        assert!(found < 200, "{found} of 20,000");
    }
}
