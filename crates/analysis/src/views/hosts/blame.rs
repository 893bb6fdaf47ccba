//! Which device the others waited for in each step, and what it did before it arrived.
//!
//! ```text
//! collective before ┤                                    ├ collective
//! device     ██████ │    ██ ████████████                 │ arrives last
//! gaps              ├────┤ ├┤           ├───────────────┤
//! host                    data_loading ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
//! ```
//!
//! At every matched collective, the participants wait for the last one to arrive. In each step, the
//! device that caused the most waiting is blamed, at the collective where it caused the most. Between
//! leaving the previous collective and arriving, it computed, or was idle while its host did
//! something. If its computation exceeds that of the other participants by at least half of its
//! lateness, the activity is the op with the largest excess. Otherwise, it is what the driving
//! threads did longest in the gaps: the outermost slice, then inward as long as one slice covers most
//! of the time.
//!
//! An activity must explain the lateness: the time it takes beyond what the others spend in the same
//! activity before the same collective must be at least a third of the lateness. If none does, no
//! activity is reported.

use std::collections::BTreeMap;
use std::sync::Arc;

use stepscope_model::{Class, DeviceId, LabelId, Picos, Session, SliceKind, Span, Track, TrackId};

use crate::measuring::activity::{Loops, driving_threads};
use crate::measuring::interval::Intervals;
use crate::measuring::steps::median;
use crate::measuring::work::{AllWork, lengths_within};
use crate::views::collectives::matching::Arrivals;
use crate::views::collectives::step_index::StepIndex;
use crate::views::collectives::{Evidence, Exchanges};

use super::waits::WaitsAt;

/// Slices nested deeper than this are not searched.
const MAX_DEPTH: usize = 200;
/// Number of slices named in a path.
const PATH_LENGTH: usize = 3;
/// A slice that covers less than this share of the enclosing slice is not the cause.
const SHARE: f64 = 0.5;

/// Minimum share of the lateness that its cause must explain.
const MIN_EXPLAINED: f64 = 1.0 / 3.0;
/// Maximum number of other hosts on which the same activity is measured for comparison.
const MAX_COMPARED: usize = 8;

/// What happened in one step.
#[derive(Debug, Clone)]
pub(super) struct StepBlame {
    /// Position in `Session::steps`.
    pub(super) step: usize,
    /// Device that caused the most waiting.
    pub(super) device: DeviceId,
    /// Position of the collective among the survey's ops.
    pub(super) op: usize,
    /// Instance at which it caused the most waiting.
    pub(super) instance: usize,
    /// Last arrival − median arrival at that instance.
    pub(super) lateness_ps: i64,
    /// Whether that is more than the clocks of hosts leave open, at a collective that all leave together.
    pub(super) is_clear: bool,
    /// Σ over the step's collectives of the mean time the others waited.
    pub(super) caused_ps: i64,
    /// From leaving the previous collective to arriving, as recorded.
    pub(super) before: Span,
    pub(super) activity: Activity,
}

/// What a device or its host did longest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Activity {
    pub(super) text: String,
    pub(super) duration_ps: i64,
    /// Whether it is computation on the device.
    pub(super) is_device: bool,
    pub(super) track: Option<TrackId>,
}

/// Per device in a step: Σ waiting caused, the most waiting at one instance, that instance, and its
/// arrivals.
type Caused = BTreeMap<DeviceId, (i64, i64, usize, Arrivals)>;

/// The blame for each step with a matched collective, ordered by step.
pub(super) fn blame(
    evidence: &Evidence<'_>,
    waits: &[WaitsAt],
    steps: &StepIndex,
) -> Vec<StepBlame> {
    let session = evidence.session;
    let Exchanges { survey, .. } = &**evidence;
    let mut by_step: BTreeMap<usize, Caused> = BTreeMap::new();
    for at in waits {
        let (number, arrivals) = (at.instance, at.arrivals);
        let last = &survey.occurrences[arrivals.last];
        let Some(step) = steps.at(last.device, last.span.start) else {
            continue;
        };
        let caused_ps = at.caused_ps();
        let caused = by_step.entry(step).or_default();
        let of_device = caused
            .entry(last.device)
            .or_insert((0, -1, number, arrivals));
        of_device.0 = of_device.0.saturating_add(caused_ps);
        if caused_ps > of_device.1 {
            (of_device.1, of_device.2, of_device.3) = (caused_ps, number, arrivals);
        }
    }
    let hosts: Vec<_> = (0..session.hosts.len())
        .map(stepscope_model::HostId::from_index)
        .collect();
    let threads = driving_threads(session, &hosts, Loops::All);
    let before = Before::of(evidence);
    let most = |(step, caused): (usize, Caused)| {
        let (device, found) = caused
            .into_iter()
            .max_by_key(|(device, (caused_ps, ..))| (*caused_ps, std::cmp::Reverse(*device)))?;
        Some((step, device, found))
    };
    let by_step: Vec<_> = by_step.into_iter().filter_map(most).collect();
    let members = |instance: usize| evidence.matched.instances[instance].members.iter();
    let of_steps = by_step
        .iter()
        .flat_map(|&(.., (_, _, instance, _))| members(instance));
    let mut busy_ps = before.busy_ps(evidence, of_steps.copied()).into_iter();
    let of_step =
        |(step, device, (caused_ps, _, instance, arrivals)): (_, _, (_, _, _, Arrivals))| {
            let members = members(instance).copied();
            let members: Vec<(usize, i64)> = members.zip(busy_ps.by_ref()).collect();
            let lateness_ps = arrivals.last_ps - arrivals.median_ps;
            let last = arrivals.last;
            StepBlame {
                step,
                device,
                op: survey.occurrences[last].op,
                instance,
                lateness_ps,
                is_clear: !survey.ops[survey.occurrences[last].op].is_between_pairs()
                    && lateness_ps > clock_error_ps(evidence, instance, last),
                caused_ps,
                before: before.span(evidence, last),
                activity: activity(evidence, &before, &threads, (&members, last), lateness_ps),
            }
        };
    by_step.into_iter().map(of_step).collect()
}

/// The error of a host's clock compared with the others' is seldom this many times its median one.
const SELDOM: f64 = 3.0;

/// How far the aligned clocks of the last host and of the others may be apart at an instance: participants
/// leave together, so what their ends differ by is error, and so is what ends usually differ by.
fn clock_error_ps(evidence: &Evidence<'_>, instance: usize, last: usize) -> i64 {
    let session = evidence.session;
    let Exchanges {
        survey,
        matched,
        clocks,
    } = &**evidence;
    let host_of = |member: usize| session.device(survey.occurrences[member].device).host;
    let end = |member: usize| {
        let end = survey.occurrences[member].span.end;
        clocks.aligned(host_of(member), end).0 as f64
    };
    let members = matched.instances[instance].members.iter().copied();
    let is_own = |member: &usize| host_of(*member) == host_of(last);
    let (own, others): (Vec<usize>, Vec<usize>) = members.partition(is_own);
    if others.is_empty() {
        return 0;
    }
    let ends = |members: &[usize]| median(&members.iter().map(|&one| end(one)).collect::<Vec<_>>());
    let residual = |member: &usize| clocks.hosts[host_of(*member).index()].residual_ps;
    let residuals: Vec<f64> = others.iter().map(residual).collect();
    let usual = residual(&last).max(median(&residuals));
    whole((ends(&own) - ends(&others)).abs().max(SELDOM * usual))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounded; errors are far below 2^63 ps, and others saturate"
)]
fn whole(value: f64) -> i64 {
    value.round() as i64
}

/// For each occurrence: when its device left the previous matched collective.
struct Before {
    left: Vec<Option<Picos>>,
    all_work: Arc<AllWork>,
}

impl Before {
    fn of(evidence: &Evidence<'_>) -> Self {
        let survey = &evidence.survey;
        let mut by_device: BTreeMap<DeviceId, Vec<usize>> = BTreeMap::new();
        for instance in &evidence.matched.instances {
            for &member in &instance.members {
                let device = survey.occurrences[member].device;
                by_device.entry(device).or_default().push(member);
            }
        }
        let mut left = vec![None; survey.occurrences.len()];
        for members in by_device.values_mut() {
            members.sort_by_key(|&member| survey.occurrences[member].span);
            let mut end: Option<Picos> = None;
            for &member in members.iter() {
                let span = survey.occurrences[member].span;
                left[member] = end.map(|end| end.min(span.start));
                end = Some(end.map_or(span.end, |end| end.max(span.end)));
            }
        }
        Self {
            left,
            all_work: AllWork::of(evidence.session),
        }
    }

    /// From leaving the previous collective, or the start of the step, to the arrival.
    fn span(&self, evidence: &Evidence<'_>, occurrence: usize) -> Span {
        let own = &evidence.survey.occurrences[occurrence];
        let until = own.span.start;
        let left = self.left[occurrence].or_else(|| {
            let host = evidence.session.device(own.device).host;
            let steps = evidence.session.steps.iter();
            let started = steps
                .flat_map(|step| step.on_host(host))
                .filter(|span| span.span.start <= until)
                .map(|span| span.span.start);
            started.max()
        });
        Span {
            start: left.unwrap_or(until).min(until),
            end: until,
        }
    }

    fn work(&self, evidence: &Evidence<'_>, occurrence: usize) -> Intervals {
        let device = evidence.survey.occurrences[occurrence].device;
        let span = self.span(evidence, occurrence);
        self.all_work.within(evidence.session, device, &[span])
    }

    /// How long the devices of occurrences were busy before them, in their order.
    fn busy_ps(
        &self,
        evidence: &Evidence<'_>,
        occurrences: impl Iterator<Item = usize>,
    ) -> Vec<i64> {
        let place = |occurrence: usize| {
            let device = evidence.survey.occurrences[occurrence].device;
            (device, self.span(evidence, occurrence))
        };
        let spans: Vec<(DeviceId, Span)> = occurrences.map(place).collect();
        lengths_within(&spans, |device| {
            self.all_work.of_device(evidence.session, device)
        })
    }
}

fn activity(
    evidence: &Evidence<'_>,
    before: &Before,
    threads: &[Vec<TrackId>],
    (members, last): (&[(usize, i64)], usize),
    lateness_ps: i64,
) -> Activity {
    let span = before.span(evidence, last);
    let (own, others): (Vec<_>, Vec<_>) = members.iter().partition(|(one, _)| *one == last);
    let busy: Vec<f64> = others.iter().map(|(_, busy_ps)| *busy_ps as f64).collect();
    let others: Vec<usize> = others.iter().map(|(member, _)| *member).collect();
    let own_ps = own.first().map_or(0, |(_, busy_ps)| *busy_ps);
    let excess_ps = own_ps as f64 - median(&busy);
    let found = if excess_ps * 2.0 >= lateness_ps.max(1) as f64 {
        of_device(evidence, before, last, span, &others)
    } else {
        of_host(evidence, before, threads, last, &others)
    };
    let explains = |(_, excess_ps): &(Activity, f64)| {
        *excess_ps >= MIN_EXPLAINED * lateness_ps as f64 && *excess_ps > 0.0
    };
    found
        .filter(explains)
        .map(|(activity, _)| activity)
        .unwrap_or_default()
}

/// The op whose time most exceeds that on the other devices, and by how much.
fn of_device(
    evidence: &Evidence<'_>,
    before: &Before,
    last: usize,
    span: Span,
    others: &[usize],
) -> Option<(Activity, f64)> {
    let session = evidence.session;
    let times = |occurrence: usize, span: Span| {
        on_device(
            session,
            evidence.survey.occurrences[occurrence].device,
            span,
        )
    };
    let elsewhere: Vec<_> = others
        .iter()
        .take(MAX_COMPARED)
        .map(|&other| times(other, before.span(evidence, other)))
        .collect();
    let own = times(last, span)
        .into_iter()
        .map(|(name, (time_ps, track))| {
            let of_others = elsewhere
                .iter()
                .map(|times| times.get(name).map_or(0.0, |(time_ps, _)| *time_ps as f64));
            let excess_ps = time_ps as f64 - median(&of_others.collect::<Vec<f64>>());
            let activity = Activity {
                text: name.to_owned(),
                duration_ps: time_ps,
                is_device: true,
                track: Some(track),
            };
            (activity, excess_ps)
        });
    own.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// What the device's host did longest in its gaps, and how much longer that took than on other hosts.
fn of_host(
    evidence: &Evidence<'_>,
    before: &Before,
    threads: &[Vec<TrackId>],
    last: usize,
    others: &[usize],
) -> Option<(Activity, f64)> {
    let session = evidence.session;
    let host_of = |occurrence: usize| {
        let device = evidence.survey.occurrences[occurrence].device;
        session.device(device).host.index()
    };
    let found = |occurrence: usize| {
        let span = before.span(evidence, occurrence);
        let work = before.work(evidence, occurrence);
        let gaps = Intervals::union_of(vec![span]).subtract(&work);
        on_host(session, &threads[host_of(occurrence)], &gaps)
    };
    let own = found(last)?;
    let mut hosts: Vec<usize> = vec![host_of(last)];
    let mut elsewhere: Vec<f64> = Vec::new();
    for &other in others {
        let host = host_of(other);
        if !hosts.contains(&host) && elsewhere.len() < MAX_COMPARED {
            hosts.push(host);
            let same = found(other).filter(|activity| activity.text == own.text);
            elsewhere.push(same.map_or(0.0, |activity| activity.duration_ps as f64));
        }
    }
    let excess_ps = own.duration_ps as f64 - median(&elsewhere);
    Some((own, excess_ps))
}

/// Time of each op or kernel within a span, by name, and the track it ran on.
fn on_device(session: &Session, device: DeviceId, span: Span) -> BTreeMap<&str, (i64, TrackId)> {
    let mut sums: BTreeMap<LabelId, (i64, TrackId)> = BTreeMap::new();
    for (id, track) in session.work_tracks(device) {
        for lane in &track.lanes {
            for index in lane.overlapping(span) {
                let label = lane.labels()[index];
                let of = session.label(label);
                let is_control = of.op.is_some_and(|op| session.op(op).is_control);
                if let Some(common) = lane.span(index).intersection(span).filter(|_| !is_control) {
                    let sum = &mut sums.entry(label).or_insert((0, id)).0;
                    *sum = sum.saturating_add(common.duration().0);
                }
            }
        }
    }
    let mut by_name = BTreeMap::new();
    for (label, (time_ps, track)) in sums {
        let name = session.label_name(label);
        let sum: &mut i64 = &mut by_name.entry(name).or_insert((0, track)).0;
        *sum = sum.saturating_add(time_ps);
    }
    by_name
}

/// What the driving threads did longest in the gaps.
fn on_host(session: &Session, driving: &[TrackId], gaps: &Intervals) -> Option<Activity> {
    let found = driving
        .iter()
        .filter_map(|&id| on_thread(session, id, gaps));
    found.max_by_key(|activity| activity.duration_ps)
}

fn on_thread(session: &Session, id: TrackId, gaps: &Intervals) -> Option<Activity> {
    let track = session.track_in_passing(id);
    let nests = track.nests.iter().filter_map(|nest| {
        let lanes = nest.start as usize..nest.end as usize;
        descend(session, &track, lanes, gaps)
    });
    let (path, duration_ps) = nests.max_by_key(|(_, duration_ps)| *duration_ps)?;
    let first = path.len().saturating_sub(PATH_LENGTH);
    Some(Activity {
        text: path[first..].join(" › "),
        duration_ps,
        is_device: false,
        track: Some(id),
    })
}

/// From the outermost lane inward: the label with the most time, then the same within its slices.
/// Steps and markers are skipped.
fn descend(
    session: &Session,
    track: &Track,
    lanes: std::ops::Range<usize>,
    gaps: &Intervals,
) -> Option<(Vec<String>, i64)> {
    let mut within = gaps.clone();
    let mut path: Vec<String> = Vec::new();
    let mut found_ps = 0;
    for number in lanes.take(MAX_DEPTH) {
        let lane = &track.lanes[number];
        let mut by_label: BTreeMap<LabelId, Vec<Span>> = BTreeMap::new();
        for &gap in within.spans() {
            for index in lane.overlapping(gap) {
                if let Some(common) = lane.span(index).intersection(gap) {
                    let label = lane.labels()[index];
                    by_label.entry(label).or_default().push(common);
                }
            }
        }
        let unions = by_label
            .into_iter()
            .map(|(label, spans)| (label, Intervals::union_of(spans)));
        // Nothing lies within: the innermost slice was found.
        let Some((label, spans)) = unions.max_by_key(|(_, spans)| spans.duration()) else {
            break;
        };
        let duration_ps = spans.duration().0;
        let is_seen_through = {
            let label = session.label(label);
            matches!(label.class, Class::Step | Class::Marker) || label.kind == SliceKind::Marker
        };
        if is_seen_through {
            within = spans;
            continue;
        }
        if duration_ps == 0
            || (!path.is_empty() && (duration_ps as f64) < SHARE * within.duration().0 as f64)
        {
            break;
        }
        path.push(plain(session.label_name(label)).to_owned());
        found_ps = duration_ps;
        within = spans;
    }
    (!path.is_empty()).then_some((path, found_ps))
}

/// Python frames are recorded with a `$` in front.
fn plain(name: &str) -> &str {
    name.strip_prefix('$').unwrap_or(name)
}
