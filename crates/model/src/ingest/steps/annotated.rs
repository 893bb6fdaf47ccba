//! Steps of the training loop's annotation, with the work that each one launched on every device.
//!
//! If a loop waits for its devices in every step, what it launches within its annotations also runs
//! within them: these are the steps, and whatever is launched between them, such as an evaluation or
//! steps that are not annotated, is between steps. A loop that runs ahead annotates how long it takes
//! to dispatch a step, which is not the step time: there a step lasts on a device from where it begins
//! (see [`super::begins`]) to where the next one does.
//!
//! ```text
//! host     [step 0][step 1][step 2]......[wait]
//! device       [   work 0   ] [   work 1   ] [   work 2   ]
//! steps    |---- step 0 -----|-- step 1 ----|-- cut: its end is unknown
//! ```
//!
//! The end of the last step is known where its annotation ends after its work.

use std::collections::BTreeMap;

use super::begins::{self, Works};
use super::evidence::{Evidence, HostStep, Occurrences, StepKey, Steps, period};
use super::launched::{Annotations, DeviceWorks, Pieces, device_works};
use super::waited;
use crate::ids::{HostId, StringId};
use crate::step::StepSpan;
use crate::units::{Picos, Span};

/// The annotated steps; `None` if it is unknown which work belongs to which annotation.
pub(super) fn steps(evidence: &Evidence<'_>) -> Option<Steps> {
    let mut by_host: BTreeMap<HostId, Vec<HostStep>> = BTreeMap::new();
    for &step in &evidence.annotations {
        by_host.entry(step.host).or_default().push(step);
    }
    let mut steps = Steps::new();
    let mut seen = Occurrences::default();
    let pieces = Pieces::of(evidence);
    for (host, mut annotations) in by_host {
        annotations.sort_unstable();
        let by_loop = Annotations::of(evidence, &pieces, host, &annotations);
        let works = device_works(evidence, &pieces, host, &by_loop)?;
        for positions in by_loop.by_loop() {
            let own = positions.iter().map(|&at| annotations[at]).collect();
            let works = works.iter().map(|on| on.of_annotations(&positions));
            let host_steps = HostSteps::of(evidence, host, own, works.collect());
            for position in 0..host_steps.annotations.len() {
                let step = host_steps.annotations[position];
                let key = seen.next(host, None, Some(step.series), step.number);
                host_steps.add(position, key, &mut steps);
            }
        }
    }
    Some(steps)
}

/// The annotations of one host, or of one of its loops, and what they launched.
struct HostSteps {
    host: HostId,
    annotations: Vec<HostStep>,
    works: Vec<DeviceWorks>,
    /// For each annotation: whether the loop waited for the devices within those of its series.
    is_synchronous: Vec<bool>,
    /// The times of the steps, if the loop waited for each in the annotation that follows it.
    waited: Option<Vec<Span>>,
    /// For each annotation: whether it is the first or last one, and alone in having no work.
    is_without_work: Vec<bool>,
    /// For each annotation: whether it called something whose run was not recorded.
    is_without_run: Vec<bool>,
    /// For each device, when the step of each annotation begins there, if the host runs ahead.
    begins: Vec<Vec<Option<Picos>>>,
}

fn of_devices(works: &[DeviceWorks]) -> Vec<Works<'_>> {
    let of_devices = works.iter().map(|on| Works {
        works: &on.works,
        free_from: &on.free_from,
    });
    of_devices.collect()
}

impl HostSteps {
    fn of(
        evidence: &Evidence<'_>,
        host: HostId,
        annotations: Vec<HostStep>,
        works: Vec<DeviceWorks>,
    ) -> Self {
        let is_synchronous = is_synchronous(&annotations, &works);
        let is_any_synchronous = is_synchronous.contains(&true);
        Self {
            host,
            waited: (!is_any_synchronous)
                .then(|| waited::spans(&annotations, &works))
                .flatten(),
            is_without_work: edges_without_work(&annotations, &works),
            is_synchronous,
            is_without_run: without_run(evidence, host, &annotations),
            begins: begins::begins(
                &of_devices(&works),
                &begins::on_host(evidence, &annotations),
            ),
            annotations,
            works,
        }
    }

    fn add(&self, position: usize, key: StepKey, steps: &mut Steps) {
        let found = steps.entry(key).or_default();
        found.threads.push(self.annotations[position].track);
        let host = self.host;
        let waited = self.waited.as_ref().map(|spans| spans[position]);
        let recorded = self.annotations[position].span;
        let annotation = waited.unwrap_or(recorded);
        let is_synchronous = self.is_synchronous[position];
        let launched_nothing = self.works.iter().all(|on| on.works[position].is_none());
        found.is_cut |= self.is_without_run[position] || self.is_without_work[position];
        // Among steps with known work, an annotation without work is not a step.
        found.is_cut |= launched_nothing && !is_synchronous;
        if is_synchronous || launched_nothing {
            found.spans.push(StepSpan {
                host,
                device: None,
                span: annotation,
                work: None,
            });
        }
        let is_only = self.annotations.len() == 1;
        for (on, begins) in self.works.iter().zip(&self.begins) {
            let DeviceWorks {
                device,
                works,
                within,
                ..
            } = on;
            let work = if is_synchronous && within[position].is_some() {
                within[position]
            } else {
                works[position]
            };
            let span = match (is_synchronous, period(begins, works, position)) {
                // It ends on the device, as in a loop that runs ahead; the annotation ended before.
                (false, own) if waited.is_some() => own.and(waited),
                (true, _) => Some(annotation),
                // From its call to the end of its work: there is no other evidence.
                (false, Some((own, _))) if is_only => Some(annotation.hull(own)),
                // The last one, if its annotation waited for its work, ends with it: whatever came
                // after the work, such as an evaluation, is a part of it as it is of others.
                (false, Some((own, true))) if recorded.end >= own.end => {
                    Some(Span::new(own.start, recorded.end))
                }
                (false, Some((own, is_last))) => {
                    found.is_cut |= is_last;
                    Some(own)
                }
                (false, None) => None,
            };
            found.spans.extend(span.map(|span| StepSpan {
                host,
                device: Some(*device),
                span,
                work,
            }));
        }
    }
}

/// For each annotation: whether nine in ten of its series contain the work that was launched within
/// them, on every device. Where nothing was, such as in annotations of loading alone, what was launched
/// after them counts.
fn is_synchronous(annotations: &[HostStep], works: &[DeviceWorks]) -> Vec<bool> {
    let judged = |series| {
        let is_own = |(_, step): &(&Option<Span>, &HostStep)| step.series == series;
        let launches_within = works.iter().any(|on| {
            let mut own = on.within.iter().zip(annotations).filter(is_own);
            own.any(|(work, _)| work.is_some())
        });
        works.iter().all(|on| {
            let works = if launches_within {
                &on.within
            } else {
                &on.works
            };
            let own = works.iter().zip(annotations).filter(is_own);
            let (mut inside, mut all) = (0usize, 0usize);
            for (work, step) in own.filter_map(|(work, step)| Some(((*work)?, step))) {
                all += 1;
                inside += usize::from(step.span.contains(work));
            }
            inside * 10 >= all * 9
        })
    };
    let mut known = BTreeMap::new();
    annotations
        .iter()
        .map(|step| {
            *known
                .entry(step.series)
                .or_insert_with(|| judged(step.series))
        })
        .collect()
}

/// For each annotation: whether it is the first or last of its series and has no work, while nine in
/// ten of the others have: the recording began or ended within this step.
fn edges_without_work(annotations: &[HostStep], works: &[DeviceWorks]) -> Vec<bool> {
    let mut series: BTreeMap<StringId, Vec<usize>> = BTreeMap::new();
    for (position, step) in annotations.iter().enumerate() {
        series.entry(step.series).or_default().push(position);
    }
    let has_work = |position: usize| works.iter().any(|on| on.works[position].is_some());
    let mut without = vec![false; annotations.len()];
    for positions in series.into_values() {
        let [first, inner @ .., last] = positions.as_slice() else {
            continue;
        };
        let with_work = inner.iter().filter(|&&at| has_work(at)).count();
        if inner.is_empty() || with_work * 10 < inner.len() * 9 {
            continue;
        }
        for &edge in [first, last] {
            without[edge] = !has_work(edge);
        }
    }
    without
}

fn without_run(evidence: &Evidence<'_>, host: HostId, annotations: &[HostStep]) -> Vec<bool> {
    let mut without = vec![false; annotations.len()];
    for &(_, start) in evidence
        .calls_without_run
        .iter()
        .filter(|(of, _)| *of == host)
    {
        let after = annotations.partition_point(|step| step.span.start <= start);
        let Some(step) = after.checked_sub(1) else {
            continue;
        };
        if annotations[step].span.contains_instant(start) {
            without[step] = true;
        }
    }
    without
}
