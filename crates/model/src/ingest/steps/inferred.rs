//! Steps if none are known: the period of the main function.

use std::collections::{BTreeMap, BTreeSet};

use super::begins::{self, Threads, Works, free_from};
use super::evidence::{Evidence, Found, Steps, period};
use super::main_function::{Main, main_function};
use super::numbers::Numbers;
use crate::ids::{DeviceId, HostId};
use crate::ingest::runs::runs_by_device;
use crate::session::ProgramRun;
use crate::step::StepSpan;
use crate::units::{Picos, SaturatingSum as _, Span};

/// Share of the time of a device with steps that another one of its host has to work to have them too,
/// unless it runs a function of the same name in most of them: a stage of a pipeline may be short.
const MIN_OF_OTHER: f64 = 0.25;

/// The k-th run, on every device, of the main function's programs is step k, or the k-th round of several
/// functions; on hosts whose captures began at different times, the run at the same time. Step k lasts
/// until the next one begins: with its run, or with its call if that compiled. The last one has no next:
/// the end of its step is unknown, so it is cut.
pub(super) fn steps(evidence: &Evidence<'_>) -> Steps {
    let Some(main) = main_function(evidence) else {
        return Steps::new();
    };
    let mut steps = Steps::new();
    let runs_of = runs_by_device(evidence.runs, evidence.devices.len());
    // The first host with steps, and its periods on its first device.
    let mut first: Option<(HostId, Vec<Span>)> = None;
    let mut numbers = Numbers::default();
    for (position, device) in evidence.devices.iter().enumerate() {
        let id = DeviceId::from_index(position);
        let mut runs: Vec<&ProgramRun> = runs_of[position].iter().collect();
        runs.sort_by_key(|run| (run.span, run.program));
        let works = main.works(&runs);
        let is_first_cut = began_before(&works, &runs);
        let first_runs = first_runs(&works, &runs);
        let begins = begins(evidence, &works, &runs, &first_runs);
        let periods: Vec<Option<(Span, bool)>> = (0..works.len())
            .map(|position| period(&begins, &works, position))
            .collect();
        let spans: Vec<Span> = periods.iter().flatten().map(|one| one.0).collect();
        let shift = match &first {
            Some((host, reference)) if *host != device.host => shift(reference, &spans),
            Some(_) => 0,
            None => {
                first = (!spans.is_empty()).then_some((device.host, spans));
                0
            }
        };
        let shift = numbers.shift(device.host, &first_runs).unwrap_or(shift);
        for (position, found) in periods.into_iter().enumerate() {
            let Some((span, is_last)) = found else {
                continue;
            };
            let number = i64::try_from(position).unwrap_or(i64::MAX) + shift;
            let found: &mut Found = steps.entry((None, number, 0)).or_default();
            found.is_cut |= is_last || (is_first_cut && position == 0);
            found.spans.push(StepSpan {
                host: device.host,
                device: Some(id),
                span,
                work: works[position],
            });
        }
    }
    cut_first(&mut steps);
    add_other_devices(evidence, &main, &runs_of, &mut steps);
    from_zero(steps)
}

/// The first run of each work.
fn first_runs<'a>(works: &[Option<Span>], runs: &[&'a ProgramRun]) -> Vec<Option<&'a ProgramRun>> {
    let first_run = |work: &Option<Span>| {
        let start = (*work)?.start;
        let position = runs.partition_point(|run| run.span.start < start);
        runs.get(position).copied()
    };
    works.iter().map(first_run).collect()
}

/// When the steps of these works begin on a device with these runs: with their work, unless the host
/// compiled what it called for it. That is known to belong to the step; of what else the host did before
/// the call, nothing tells of which step it is.
fn begins(
    evidence: &Evidence<'_>,
    works: &[Option<Span>],
    runs: &[&ProgramRun],
    first_runs: &[Option<&ProgramRun>],
) -> Vec<Option<Picos>> {
    let mut threads = Threads::new(evidence, begins::is_compiling);
    let called = |(position, run): (usize, Option<&ProgramRun>)| {
        let run = run?;
        let (launched, thread) = run.launched.zip(run.launched_on)?;
        // Where the host runs ahead, it made more calls before the run began.
        let next = first_runs.get(position + 1).copied().flatten();
        let next = next.and_then(|next| next.launched);
        let end = next.map_or(run.span.start, |next| next.min(run.span.start));
        let begun = threads.begun_in(thread, Span::new(launched, end));
        let mut begun = begun.into_iter();
        begun
            .any(|(_, activity)| begins::is_compiling(activity))
            .then_some(launched)
    };
    let numbered = first_runs.iter().copied().enumerate();
    let called: Vec<Option<Picos>> = numbered.map(called).collect();
    let free_from = free_from(works, runs.iter().map(|run| run.span));
    let device = Works {
        works,
        free_from: &free_from,
    };
    begins::begins(&[device], &called)
        .into_iter()
        .flatten()
        .collect()
}

/// Share of their time that steps of two hosts have in common where they are the same steps.
const SAME: f64 = 0.75;
/// Share below which they are not.
const DIFFERENT: f64 = 0.25;
/// Maximum number of steps by which the capture of one host begins later.
const MOST_LATE: i64 = 64;

/// By how much the numbers of another host's steps are larger, because its capture began later or
/// earlier: 0 unless the k-th steps are at different times and others at the same. Hosts whose first
/// steps begin together are in step, though one may wait in the next while the other is still in this.
fn shift(reference: &[Span], own: &[Span]) -> i64 {
    if let (Some(first), Some(other)) = (reference.first(), own.first()) {
        let apart_ps = (first.start.0 - other.start.0).abs();
        let shortest = first.duration().min(other.duration());
        if apart_ps < shortest.0 / 2 {
            return 0;
        }
    }
    let shared = |shift: i64| -> f64 {
        let (mut common, mut all) = (0.0, 0.0);
        for (position, span) in (0i64..).zip(own) {
            let other = usize::try_from(position + shift).ok();
            let Some(other) = other.and_then(|other| reference.get(other)) else {
                continue;
            };
            let both = span
                .intersection(*other)
                .map_or(0, |both| both.duration().0);
            common += both as f64;
            all += span.duration().0.max(other.duration().0) as f64;
        }
        if all > 0.0 { common / all } else { 0.0 }
    };
    if shared(0) >= DIFFERENT {
        return 0;
    }
    let shifts = (1..=MOST_LATE).flat_map(|shift| [shift, -shift]);
    let best = shifts.map(|shift| (shared(shift), shift));
    // Of equally good ones the smallest.
    let best = best.fold(
        (0.0, 0),
        |best, one| if one.0 > best.0 { one } else { best },
    );
    if best.0 >= SAME { best.1 } else { 0 }
}

/// Numbers from 0 on, where a host began before the first one.
fn from_zero(steps: Steps) -> Steps {
    let least = steps.keys().map(|key| key.1).min().unwrap_or(0).min(0);
    let renumbered = |((series, number, nth), found)| ((series, number - least, nth), found);
    steps.into_iter().map(renumbered).collect()
}

/// Cuts the first steps of a host that only some of its devices have: the recording began within them.
fn cut_first(steps: &mut Steps) {
    let mut first: BTreeMap<(HostId, Option<DeviceId>), i64> = BTreeMap::new();
    for ((_, number, _), found) in &*steps {
        for on in &found.spans {
            first.entry((on.host, on.device)).or_insert(*number);
        }
    }
    let mut complete: BTreeMap<HostId, i64> = BTreeMap::new();
    for ((host, _), number) in first {
        let from = complete.entry(host).or_insert(number);
        *from = number.max(*from);
    }
    for ((_, number, _), found) in steps {
        let mut hosts = found.spans.iter().map(|on| on.host);
        found.is_cut |= hosts.any(|host| *number < complete[&host]);
    }
}

/// Devices that run other programs than the main one, such as another stage of a pipeline, have the
/// steps of the first device of their host that has any, if they work for a considerable time or run what
/// is called like the main function.
fn add_other_devices(
    evidence: &Evidence<'_>,
    main: &Main,
    runs_of: &[Vec<ProgramRun>],
    steps: &mut Steps,
) {
    let time_ps = |device: DeviceId| {
        let runs = runs_of[device.index()].iter();
        runs.map(|run| run.span.duration().0).saturating_sum() as f64
    };
    let spans = steps.values().flat_map(|step| &step.spans);
    let with_steps: BTreeSet<DeviceId> = spans.filter_map(|on| on.device).collect();
    let name = |run: &ProgramRun| evidence.programs[run.program.index()].name.as_str();
    let of_main = evidence.runs.iter().filter(|run| main.has(run.program));
    let names: BTreeSet<&str> = of_main.map(name).collect();
    for (position, device) in evidence.devices.iter().enumerate() {
        let id = DeviceId::from_index(position);
        let of_host = |other: &&DeviceId| evidence.devices[other.index()].host == device.host;
        let Some(&like) = with_steps.iter().find(of_host) else {
            continue;
        };
        let works = || {
            let alike = runs_of[position].iter();
            let alike = alike.filter(|run| names.contains(name(run))).count();
            time_ps(id) >= MIN_OF_OTHER * time_ps(like) || alike * 2 >= steps.len()
        };
        if with_steps.contains(&id) || !works() {
            continue;
        }
        for step in steps.values_mut() {
            let own = step.spans.iter().find(|on| on.device == Some(like));
            let own = own.map(|on| StepSpan {
                device: Some(id),
                work: None,
                ..*on
            });
            step.spans.extend(own);
        }
    }
}

/// Whether the first work began before the recording, so that an unknown part of it is missing: its call
/// was not recorded, though calls were.
fn began_before(works: &[Option<Span>], runs: &[&ProgramRun]) -> bool {
    let first = works.iter().flatten().next();
    let Some(first) = first.and_then(|work| runs.iter().find(|run| run.span.start == work.start))
    else {
        return false;
    };
    first.launched.is_none() && runs.iter().any(|run| run.launched.is_some())
}

#[cfg(test)]
mod tests {
    use super::shift;
    use crate::units::{Picos, Span};

    /// Steps from each of these times to the next.
    fn steps(starts: &[i64]) -> Vec<Span> {
        let pairs = starts.windows(2);
        pairs
            .map(|pair| Span::new(Picos(pair[0]), Picos(pair[1])))
            .collect()
    }

    #[test]
    fn a_capture_that_began_a_step_later_has_larger_numbers() {
        let first = steps(&[0, 100, 200, 300, 400]);
        assert_eq!(shift(&first, &steps(&[101, 201, 301, 401])), 1);
        assert_eq!(shift(&steps(&[101, 201, 301, 401]), &first), -1);
        assert_eq!(shift(&first, &steps(&[40, 140, 240, 340])), 0);
    }

    /// The second host collects garbage after each step; the first waits for it in the next.
    #[test]
    fn hosts_that_begin_together_are_in_step_though_one_waits_in_the_next() {
        let waits = steps(&[2, 22, 225, 400, 584, 808]);
        let late = steps(&[3, 197, 384, 572, 800, 977]);
        assert_eq!(shift(&waits, &late), 0);
        assert_eq!(shift(&late, &waits), 0);
    }
}
