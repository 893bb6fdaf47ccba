//! Which works of the devices of one host belong to the same inferred step.
//!
//! ```text
//! recording      |
//! CPU:0  ...run 7|  [run 8   ][run 9   ]      its first run is the second of the other device
//! CPU:1  ... [run| 7][run 8   ][run 9   ]
//! ```
//!
//! The host started to record once it had the result of one device; others were still in that run. Run IDs
//! tell runs of one call, and launches of one call are close together. Chips of a TPU may count their runs
//! on their own, so neither is believed unless the runs are closer in time then.

use rustc_hash::FxHashMap;

use crate::ids::{HostId, ProgramId};
use crate::session::ProgramRun;
use crate::units::Picos;

/// By so many steps may the first works of two devices differ.
const MOST_APART: i64 = 2;
/// Numbers differ only if runs, or launches, are this much closer then.
const CLOSER: f64 = 0.5;

/// The numbers of the steps of one host, by what identifies them on all of its devices.
#[derive(Default)]
pub(super) struct Numbers {
    host: Option<HostId>,
    by_run: FxHashMap<(ProgramId, i64), i64>,
    /// When the works of its first device began, and when they were launched.
    began: Moments,
    launched: Moments,
}

/// Of works by their numbers.
type Moments = FxHashMap<i64, Picos>;

impl Numbers {
    /// By how much the numbers of a device's steps are larger than the positions of their first runs, so
    /// that they agree with those of the first device of its host. `None` if it is the first, or if nothing tells.
    pub(super) fn shift(
        &mut self,
        host: HostId,
        first_runs: &[Option<&ProgramRun>],
    ) -> Option<i64> {
        if self.host != Some(host) {
            *self = Self {
                host: Some(host),
                ..Self::default()
            };
        }
        let firsts = (0..).zip(first_runs);
        let firsts = firsts.filter_map(|(number, run)| Some((number, (*run)?)));
        let firsts: Vec<(i64, &ProgramRun)> = firsts.collect();
        let began: Moments = firsts
            .iter()
            .map(|(at, run)| (*at, run.span.start))
            .collect();
        let launched = firsts.iter();
        let launched = launched.filter_map(|(at, run)| Some((*at, run.launched?)));
        let launched: Moments = launched.collect();
        let mut known = firsts.iter();
        let by_run = known.find_map(|(at, run)| Some(self.by_run.get(&key(run)?)? - at));
        let shift = by_run.or_else(|| closest(&self.launched, &launched));
        let shift = shift.filter(|&shift| is_closer(&self.began, &began, shift));
        for &(at, run) in &firsts {
            if let Some(key) = key(run) {
                let number = at + shift.unwrap_or(0);
                self.by_run.entry(key).or_insert(number);
            }
        }
        if self.began.is_empty() {
            (self.began, self.launched) = (began, launched);
        }
        shift
    }
}

/// The shift with which moments of one number are closest together.
fn closest(known: &Moments, own: &Moments) -> Option<i64> {
    let shifts = (1..=MOST_APART).flat_map(|shift| [shift, -shift]);
    let apart = shifts.filter_map(|shift| Some((apart_ps(known, own, shift)?, shift)));
    let (_, shift) = apart.min_by(|a, b| a.0.total_cmp(&b.0))?;
    is_closer(known, own, shift).then_some(shift)
}

/// Whether moments are closer together with this shift than without.
fn is_closer(known: &Moments, own: &Moments, shift: i64) -> bool {
    let with = apart_ps(known, own, shift).zip(apart_ps(known, own, 0));
    with.is_some_and(|(shifted, usual)| shift != 0 && shifted < CLOSER * usual)
}

/// The mean distance of moments of one number, if at least half of them have a counterpart.
fn apart_ps(known: &Moments, own: &Moments, shift: i64) -> Option<f64> {
    let pairs = own.iter().filter_map(|(number, at)| {
        let other = known.get(&(number + shift))?;
        Some((at.0 - other.0).abs() as f64)
    });
    let pairs: Vec<f64> = pairs.collect();
    let is_enough = !pairs.is_empty() && pairs.len() * 2 >= own.len().min(known.len());
    is_enough.then(|| pairs.iter().sum::<f64>() / pairs.len() as f64)
}

fn key(run: &ProgramRun) -> Option<(ProgramId, i64)> {
    Some((run.program, run.run_id?))
}
