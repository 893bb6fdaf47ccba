//! Which frames read results: NumPy copies an array of JAX by itself, in a call that has the same name
//! for any other array. It reads a result if the runtime waits for a buffer within it, or if a program
//! ends shortly before it does, which is what it waited for: the runtime does not record every wait.

use std::sync::Arc;

use stepscope_model::host_names::is_buffer_wait;
use stepscope_model::{
    Activity, Direction, HostId, InputStage, LabelId, Picos, Session, SliceKind, Span, Track,
};

use super::host_tracks;
use super::lookups::Lookups;
use super::nexts::bare_nexts;
use super::queues::{gets_of_batches, gets_of_servers};
use super::syncs::other_syncs;
use crate::measuring::interval::Intervals;

/// What NumPy's own functions are called that make an array of anything.
const CONVERSIONS: [&str; 5] = [
    "$numpy array",
    "$numpy asarray",
    "$numpy asanyarray",
    "$numpy ascontiguousarray",
    "$numpy copyto",
];
/// Labels are shared by all threads, so that a few threads show what a conversion does.
const MOST_THREADS: usize = 8;

/// Whether a frame is one of NumPy's functions that make an array of anything.
pub(crate) fn is_conversion(name: &str) -> bool {
    CONVERSIONS.contains(&name)
}

/// The activity of each label: as its name says, of conversions by what happens within them, of queues by
/// who waits in them and what fills them, of `next` by who calls it, and of `fsync` by what is written.
pub(crate) struct Activities(Vec<Activity>);

impl Activities {
    /// Computes or reuses the activities of the session.
    pub(crate) fn of(session: &Session) -> Arc<Self> {
        session.memo.get_or_compute(|| {
            let labels = session.labels.iter();
            let mut all: Vec<Activity> = labels.map(|label| label.activity).collect();
            for label in reads(session) {
                all[label.index()] = Activity::Transfer(Direction::DeviceToHost);
            }
            for label in gets_of_batches(session) {
                all[label.index()] = Activity::Input(InputStage::Wait);
            }
            for label in gets_of_servers(session) {
                all[label.index()] = Activity::Blocked;
            }
            for label in bare_nexts(session).into_iter().chain(other_syncs(session)) {
                all[label.index()] = Activity::Python;
            }
            for label in Lookups::of(session).labels() {
                all[label.index()] = Activity::Python;
            }
            Self(all)
        })
    }

    /// The activity of slices with this label.
    pub(crate) fn label(&self, label: LabelId) -> Activity {
        self.0[label.index()]
    }
}

/// Conversions that for most of their time contain a wait for a buffer.
fn reads(session: &Session) -> Vec<LabelId> {
    let labels_with = |test: &dyn Fn(SliceKind, &str) -> bool| -> Vec<LabelId> {
        let ids = (0..session.labels.len()).map(LabelId::from_index);
        ids.filter(|&id| test(session.label(id).kind, session.label_name(id)))
            .collect()
    };
    let conversions = labels_with(&|kind, name| kind == SliceKind::Python && is_conversion(name));
    let awaits = labels_with(&|kind, name| kind == SliceKind::Host && is_buffer_wait(name));
    if conversions.is_empty() {
        return Vec::new();
    }
    let ends = ends(session);
    let hosts = (0..session.hosts.len()).map(HostId::from_index);
    let tracks = hosts.flat_map(|host| host_tracks(session, host));
    let has = |track: &Track, wanted: &[LabelId]| track.may_have(|label| wanted.contains(&label));
    let threads = tracks.filter(|&id| has(session.track(id), &conversions));
    // By conversion: all of its time, and what waited.
    let mut times = vec![(0i64, 0i64); conversions.len()];
    for id in threads.take(MOST_THREADS) {
        let track = &*session.track_in_passing(id);
        let waits = Intervals::union_of(spans_of(track, |label| awaits.contains(&label)));
        let ends = &ends[track.host.index()];
        for ((all, reading), &own) in times.iter_mut().zip(&conversions) {
            for span in spans_of(track, |label| label == own) {
                let length = span.duration().0;
                *all = all.saturating_add(length);
                let after = waits.spans();
                let first = after.partition_point(|wait| wait.start < span.start);
                let awaits = after.get(first).is_some_and(|wait| span.contains(*wait));
                if awaits || ends_late(ends, span) {
                    *reading = reading.saturating_add(length);
                }
            }
        }
    }
    let found = conversions.into_iter().zip(times);
    found
        .filter(|(_, (all, reading))| *reading > 0 && reading.saturating_mul(2) >= *all)
        .map(|(label, _)| label)
        .collect()
}

/// By host, when programs ended on its devices, sorted.
fn ends(session: &Session) -> Vec<Vec<Picos>> {
    let mut ends = vec![Vec::new(); session.hosts.len()];
    for run in &session.program_runs {
        ends[session.device(run.device).host.index()].push(run.span.end);
    }
    for own in &mut ends {
        own.sort_unstable();
    }
    ends
}

/// Whether a program ends in the last quarter of a span. That of a host that converts something else
/// meanwhile may end at any time.
fn ends_late(ends: &[Picos], span: Span) -> bool {
    let late = span.end - Picos(span.duration().0 / 4);
    let first = ends.partition_point(|&end| end < late);
    ends.get(first).is_some_and(|&end| end <= span.end)
}

fn spans_of(track: &Track, is_wanted: impl Fn(LabelId) -> bool) -> Vec<Span> {
    let lanes = track.lanes.iter();
    let spans = lanes.flat_map(|lane| {
        let labels = lane.labels().iter().enumerate();
        let wanted = labels.filter(|(_, label)| is_wanted(**label));
        wanted
            .map(|(index, _)| lane.span(index))
            .collect::<Vec<_>>()
    });
    spans.collect()
}
