//! Loops that sleep until their next step is due: services in real time, robots, environments with a
//! limited rate.
//!
//! ```text
//! paced    [work][   sleep   ][work  ][  sleep  ][wo][    sleep    ]      periods are alike, sleeps are not
//! polling  [work][sleep][work  ][sleep][wo][sleep]                        sleeps are alike, periods are not
//! ```

use stepscope_model::{Activity, HostId, LabelId, Span};

use super::{Rule, finding};
use crate::judging::advice::facts::{Facts, Place};
use crate::judging::advice::report::AdviceFinding;
use crate::judging::verdict::Severity;
use crate::measuring::activity::{Activities, driving_threads, outermost};
use crate::measuring::interval::Intervals;
use crate::measuring::steps::median;
use crate::telling::format;

/// Fewer periods say little.
const LEAST: usize = 5;
/// A sleep of a smaller share of a step is not what it waits for.
const LONG: f64 = 0.05;
/// Periods differ from the usual one by at most this share of it.
const ALIKE: f64 = 0.02;
/// Periods differ at most by this share of what sleeps differ by.
const STEADIER: f64 = 0.5;

/// Such a loop.
pub(super) struct Paced {
    /// From the end of a sleep to that of the next, as a median.
    period_ps: f64,
}

impl Paced {
    /// That of a host.
    pub(super) fn of(facts: &Facts<'_>, host: HostId) -> Option<Self> {
        let step_ps = facts.step_ps?;
        let windows = facts.selected.host_windows(host);
        // Sleeps may lie between annotated steps.
        let hull = windows.spans().iter().copied().reduce(Span::hull)?;
        let windows = Intervals::union_of(vec![hull]);
        let activities = Activities::of(facts.session);
        let is_sleep = |label: LabelId| activities.label(label) == Activity::Sleep;
        let threads = driving_threads(facts.session, &[host], facts.selected.loops()).concat();
        threads.into_iter().find_map(|id| {
            let track = facts.session.track_having(id, is_sleep)?;
            let mut sleeps: Vec<Span> = outermost(&track, &windows, is_sleep)
                .into_iter()
                .map(|(span, _)| span)
                .filter(|span| span.duration().0 as f64 >= LONG * step_ps)
                .collect();
            sleeps.sort_unstable();
            Self::by(&sleeps)
        })
    }

    /// By the sleeps of a thread, in order.
    fn by(sleeps: &[Span]) -> Option<Self> {
        let pairs = sleeps.windows(2);
        let (periods, lengths): (Vec<f64>, Vec<f64>) = pairs
            .map(|pair| {
                let period = pair[1].end.0 - pair[0].end.0;
                (period as f64, pair[1].duration().0 as f64)
            })
            .unzip();
        let period_ps = median(&periods);
        let differs_by = spread(&periods);
        let is_paced = periods.len() >= LEAST
            && differs_by <= ALIKE * period_ps
            && differs_by < STEADIER * spread(&lengths);
        is_paced.then_some(Self { period_ps })
    }

    /// A note of a rule about a place whose devices are idle meanwhile.
    pub(super) fn told(&self, rule: &Rule, facts: &Facts<'_>, place: Place) -> AdviceFinding {
        let idle = facts.by_place(|row| {
            let lengths = &row.lengths;
            row.span.duration().0.saturating_sub(lengths.worked_ps()) as f64
        });
        let own = idle.into_iter().find(|own| own.place == place);
        let share = own.map_or(0.0, |own| own.share());
        let what = format!(
            "The loop sleeps until its next step is due, every {}, whatever a step takes: it paces itself. \
             {} is idle for {} of its mean step by design.",
            format::duration_ps(self.period_ps),
            facts.place_name(place),
            format::percent(share)
        );
        finding(rule, Severity::Info, what)
            .titled("The program paces itself".to_owned())
            .why(
                "From the end of one sleep to the end of the next, the time is the same in all steps, \
                 while the sleeps differ: they last as long as is left of the period.",
            )
            .fix(
                "Nothing, if this is the rate at which steps are needed: the rest is spare time. \
                 Otherwise shorten the period.",
            )
    }
}

/// By how much values differ from their median, as a median.
fn spread(values: &[f64]) -> f64 {
    let usual = median(values);
    let differences: Vec<f64> = values.iter().map(|value| (value - usual).abs()).collect();
    median(&differences)
}
