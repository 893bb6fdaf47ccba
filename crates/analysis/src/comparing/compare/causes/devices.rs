//! A device that does more or less than before while the others do what they did: they wait for it.

use stepscope_model::DeviceKind;

use super::super::cause::{cause, is_most_of, more_or_less};
use super::super::host_time::{Steps, rows};
use super::super::pair::Both;
use super::super::ranges::{are_other_counts, number};
use super::super::report::{ComparedCause, Evidence, TimeDifference};
use super::super::side::Side;
use crate::measuring::levels::{device_levels, part_of_level};
use crate::measuring::steps::{PartKind, StepParts, mean, part_position};
use crate::measuring::totals::totals_within;
use crate::telling::format;
use crate::telling::format::duration_ps;

/// A device of which the others' computation changed by less than this share of its change stands out.
const ALONE: f64 = 0.25;
/// Devices whose counts, or changes of counts, differ by at most this share are alike.
const ALIKE: f64 = 0.05;
/// A change of a device's computation below this share of it is not told.
const LEAST: f64 = 0.1;

/// A device in the typical steps.
struct Work {
    title: String,
    kind: DeviceKind,
    /// Pieces of computation in each step.
    counts: Vec<f64>,
    /// Computation in each step.
    compute_ps: Vec<f64>,
    /// Mean time in which it does not work, or only communicates.
    waiting_ps: f64,
}

/// A device on both sides.
type Pair<'a> = (&'a Work, &'a Work);

/// The devices whose work changed, if those of the others did not.
pub(super) fn of_devices(both: &Both<'_, '_>, step: &TimeDifference) -> Option<ComparedCause> {
    let count = |side: &Side<'_>| side.selected.main_devices.len();
    let counts = both.sides.map(count);
    let are_many = both.sides.iter().any(|side| side.session.has_many_hosts());
    if counts[0] != counts[1] || counts[0] < 2 || are_many {
        return None;
    }
    let work = both.sides.map(work);
    if work[0].len() != work[1].len() || work[0].len() < 2 {
        return None;
    }
    let pairs: Vec<Pair<'_>> = work[0].iter().zip(&work[1]).collect();
    by_counts(&pairs, step).or_else(|| by_times(both, &pairs, step))
}

/// Devices that run more or fewer ops in every step, relative to the others: all may run another program.
fn by_counts(pairs: &[Pair<'_>], step: &TimeDifference) -> Option<ComparedCause> {
    let change = |pair: &Pair<'_>| {
        let [before, after] = mean_counts(pair);
        after / before
    };
    let mut changes: Vec<f64> = pairs.iter().map(change).collect();
    changes.sort_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs()));
    let usual = *changes.get((changes.len() - 1) / 2)?;
    let (odd, others): (Vec<&Pair<'_>>, Vec<&Pair<'_>>) = pairs.iter().partition(|(a, b)| {
        let expected: Vec<f64> = a.counts.iter().map(|count| count * usual).collect();
        are_other_counts(&expected, &b.counts)
    });
    let mut of_others = others.iter().map(|pair| change(pair) / usual);
    let are_same = of_others.all(|change| (change - 1.0).abs() <= ALIKE);
    if odd.is_empty() || odd.len() > others.len() || !are_same {
        return None;
    }
    let counts = others.iter().map(|pair| mean_counts(pair));
    let sums = counts.fold([0.0, 0.0], |sums, counts| {
        [sums[0] + counts[0], sums[1] + counts[1]]
    });
    let means = sums.map(|sum| sum / others.len() as f64);
    let named = odd.iter().map(|pair| {
        let [before, after] = mean_counts(pair);
        format!(
            "{} runs {} instead of {} ops per step, {} as {} (before: {})",
            pair.1.title,
            number(after),
            number(before),
            times(after / means[1]),
            titles(&others),
            times(before / means[0])
        )
    });
    let named: Vec<String> = named.collect();
    Some(told(&named.join("; "), &others, step))
}

/// `3.07 times as many`
fn times(ratio: f64) -> String {
    if (ratio - 1.0).abs() <= ALIKE {
        "as many".to_owned()
    } else {
        format!("{} times as many", number(ratio))
    }
}

fn titles(others: &[&Pair<'_>]) -> String {
    match others {
        [(_, one)] => one.title.clone(),
        others => format!("the other {}", format::counted(others.len(), "device")),
    }
}

/// Devices that compute longer or shorter. Virtual devices take turns on the same cores, so their times
/// do not tell.
fn by_times(
    both: &Both<'_, '_>,
    pairs: &[Pair<'_>],
    step: &TimeDifference,
) -> Option<ComparedCause> {
    if pairs.iter().any(|(_, work)| work.kind == DeviceKind::Cpu) {
        return None;
    }
    let found: Vec<TimeDifference> = pairs
        .iter()
        .map(|(a, b)| both.computation(&a.compute_ps, &b.compute_ps))
        .collect();
    let largest = found
        .iter()
        .map(|one| one.difference_ps.abs())
        .fold(0.0, f64::max);
    let is_other = |at: usize| {
        let one = &found[at];
        one.evidence == Evidence::BeyondNoise
            && one.ratio.is_none_or(|ratio| ratio.abs() >= LEAST)
            && one.difference_ps.abs() > ALONE * largest
    };
    let (changed, others): (Vec<usize>, Vec<usize>) =
        (0..pairs.len()).partition(|&at| is_other(at));
    let is_same = |&at: &usize| found[at].difference_ps.abs() <= ALONE * largest;
    if changed.is_empty() || changed.len() > others.len() || !others.iter().all(is_same) {
        return None;
    }
    let named: Vec<String> = changed
        .iter()
        .map(|&at| {
            format!(
                "{} computes for {} instead of {} per step",
                pairs[at].1.title,
                duration_ps(found[at].mean_ps),
                duration_ps(found[at].baseline_ps)
            )
        })
        .collect();
    let others: Vec<&Pair<'_>> = others.iter().map(|&at| &pairs[at]).collect();
    let named = format!(
        "{}, {} as long as before",
        named.join(", "),
        titles(&others)
    );
    Some(told(&named, &others, step))
}

/// A sentence, and how much longer the others wait if that is most of the difference.
fn told(changed: &str, others: &[&Pair<'_>], step: &TimeDifference) -> ComparedCause {
    let waits = others.iter().map(|(a, b)| b.waiting_ps - a.waiting_ps);
    let waits = mean(waits).unwrap_or(0.0);
    let text = if is_most_of(waits, step.difference_ps) {
        let verb = if others.len() == 1 {
            "it waits"
        } else {
            "these wait"
        };
        format!(
            "{changed}; {verb} {} {} per step",
            duration_ps(waits.abs()),
            more_or_less(waits)
        )
    } else {
        changed.to_owned()
    };
    cause("device", text, None)
}

/// What each device did, by device.
fn work(side: &Side<'_>) -> Vec<Work> {
    let rows = rows(side, Steps::Typical);
    let rows: Vec<&StepParts> = rows.iter().flatten().collect();
    let mut places: Vec<_> = rows.iter().filter_map(|row| row.device).collect();
    places.sort_unstable();
    places.dedup();
    let windows: Vec<_> = rows
        .iter()
        .filter_map(|row| Some((row.device?, row.span)))
        .collect();
    let levels = device_levels(side.session);
    let mut counts = vec![0.0; windows.len()];
    for totals in totals_within(side.session, &side.selected, &windows) {
        let of_compute = totals.labels.iter().filter(|(label, _)| {
            part_of_level(levels[label.index()]) == Some(PartKind::DeviceCompute)
        });
        counts[totals.row] = of_compute.map(|(_, own)| own.occurrences as f64).sum();
    }
    let on_devices: Vec<&&StepParts> = rows.iter().filter(|row| row.device.is_some()).collect();
    let of_device = |&device: &_| {
        let own = on_devices.iter().enumerate();
        let own: Vec<(usize, &StepParts)> = own
            .filter(|(_, row)| row.device == Some(device))
            .map(|(at, row)| (at, **row))
            .collect();
        let waiting = own.iter().map(|(_, row)| {
            let exposed = row.lengths.parts_ps[part_position(PartKind::Collectives)];
            let worked = row.lengths.busy_ps - exposed;
            (row.span.duration().0 - worked) as f64
        });
        let compute = part_position(PartKind::DeviceCompute);
        Work {
            title: side.session.device_title(device),
            kind: side.session.device(device).kind,
            counts: own.iter().map(|(at, _)| counts[*at]).collect(),
            compute_ps: own
                .iter()
                .map(|(_, row)| row.lengths.parts_ps[compute] as f64)
                .collect(),
            waiting_ps: mean(waiting).unwrap_or(0.0),
        }
    };
    places.iter().map(of_device).collect()
}

/// Mean number of pieces of computation per step, before and after.
fn mean_counts((a, b): &Pair<'_>) -> [f64; 2] {
    [a, b].map(|work| mean(work.counts.iter().copied()).unwrap_or(0.0))
}
