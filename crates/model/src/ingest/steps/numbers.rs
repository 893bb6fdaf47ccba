//! Which works of the devices of one host belong to the same inferred step.
//!
//! ```text
//! recording      |
//! CPU:0  ...run 7|  [run 8   ][run 9   ]      its first run is the second of the other device
//! CPU:1  ... [run| 7][run 8   ][run 9   ]
//! ```
//!
//! The host started to record once it had the result of one device; others were still in that run. Run IDs
//! tell runs of one call; where there are none, launches of one call are close together.

use rustc_hash::FxHashMap;

use crate::ids::{HostId, ProgramId};
use crate::session::ProgramRun;
use crate::units::{Picos, Span};

/// By so many steps may the first works of two devices differ.
const MOST_APART: i64 = 2;
/// Launches tell that numbers differ if they are this much closer then.
const CLOSER: f64 = 0.25;

/// The numbers of the steps of one host, by what identifies them on all of its devices.
#[derive(Default)]
pub(super) struct Numbers {
    host: Option<HostId>,
    by_run: FxHashMap<(ProgramId, i64), i64>,
    /// When the works of its first device were launched.
    launched: FxHashMap<i64, Picos>,
}

impl Numbers {
    /// By how much the numbers of a device's steps are larger than the positions of its works, so that they
    /// agree with those of the first device of its host. `None` if it is the first, or if nothing tells.
    pub(super) fn shift(
        &mut self,
        host: HostId,
        works: &[Option<Span>],
        runs: &[&ProgramRun],
    ) -> Option<i64> {
        if self.host != Some(host) {
            *self = Self {
                host: Some(host),
                ..Self::default()
            };
        }
        let first_run = |work: Span| {
            let first = runs.partition_point(|run| run.span.start < work.start);
            runs.get(first).copied()
        };
        let firsts = (0..).zip(works);
        let firsts = firsts.filter_map(|(number, work)| Some((number, first_run((*work)?)?)));
        let firsts: Vec<(i64, &ProgramRun)> = firsts.collect();
        let mut known = firsts.iter();
        let by_run = known.find_map(|(number, run)| Some(self.by_run.get(&key(run)?)? - number));
        let shift = by_run.or_else(|| self.by_launch(&firsts));
        let of_host = |number: i64| number + shift.unwrap_or(0);
        for &(number, run) in &firsts {
            if let Some(key) = key(run) {
                self.by_run.entry(key).or_insert(of_host(number));
            }
        }
        if self.launched.is_empty() {
            let launched = firsts.iter();
            let launched = launched.filter_map(|(number, run)| Some((*number, run.launched?)));
            self.launched = launched.collect();
        }
        shift
    }

    /// The shift with which works of one number were launched closest together.
    fn by_launch(&self, firsts: &[(i64, &ProgramRun)]) -> Option<i64> {
        let own = firsts.iter();
        let own = own.filter_map(|(number, run)| Some((*number, run.launched?)));
        let own: Vec<(i64, Picos)> = own.collect();
        let apart_ps = |shift: i64| -> Option<f64> {
            let pairs = own.iter().filter_map(|(number, at)| {
                let other = self.launched.get(&(number + shift))?;
                Some((at.0 - other.0).abs() as f64)
            });
            let pairs: Vec<f64> = pairs.collect();
            let is_enough = pairs.len() * 2 >= own.len().min(self.launched.len());
            (is_enough && !pairs.is_empty()).then(|| pairs.iter().sum::<f64>() / pairs.len() as f64)
        };
        let usual = apart_ps(0)?;
        let shifts = (1..=MOST_APART).flat_map(|shift| [shift, -shift]);
        let apart = shifts.filter_map(|shift| Some((apart_ps(shift)?, shift)));
        let (least, shift) = apart.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (least < CLOSER * usual).then_some(shift)
    }
}

fn key(run: &ProgramRun) -> Option<(ProgramId, i64)> {
    Some((run.program, run.run_id?))
}
