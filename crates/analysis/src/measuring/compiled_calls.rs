//! Calls that compile before they launch: until they are done, their device has no work yet.
//!
//! ```text
//! host      [call    [trace][lower][compile]  ]     launched at the start of the call,
//! device      [ run 1 ]                      [ run 2 ]   handed over after the compilation
//! ```

use std::sync::Arc;

use stepscope_model::host_names::dispatched_function;
use stepscope_model::{Activity, Lane, Picos, ProgramRun, Session, Track, TrackRole};

/// Calls that compile, by thread: found once per session and kept.
pub(crate) struct CompiledCalls {
    /// By track: start of each such call, and end of the last compilation within it; by start.
    of_track: Vec<Vec<(Picos, Picos)>>,
}

impl CompiledCalls {
    /// All of the session.
    pub(crate) fn of(session: &Session) -> Arc<Self> {
        session.memo.get_or_compute(|| Self::find(session))
    }

    fn find(session: &Session) -> Self {
        let mut of_track = vec![Vec::new(); session.tracks.len()];
        let known = Known::of(session);
        if known.is_compilation.contains(&true) && known.is_call.contains(&true) {
            for id in session.track_ids() {
                let track = session.track(id);
                let is_thread = matches!(track.role, TrackRole::HostThread | TrackRole::Python);
                let is_own = track.device.is_none() && track.process.is_none();
                if is_thread && is_own && known.may_be_on(track) {
                    of_track[id.index()] = known.on(&session.track_in_passing(id));
                }
            }
        }
        Self { of_track }
    }

    /// When the program of a run had been handed over to the device: when it was launched, or when
    /// the launching call had compiled.
    pub(crate) fn handed_over(&self, run: &ProgramRun) -> Option<Picos> {
        let launched = run.launched?;
        let calls = run
            .launched_on
            .and_then(|track| self.of_track.get(track.index()));
        let found = calls.and_then(|calls| {
            let at = calls.binary_search_by_key(&launched, |&(start, _)| start);
            at.ok().map(|at| calls[at].1)
        });
        Some(found.map_or(launched, |compiled| compiled.max(launched)))
    }
}

/// What the labels of the session stand for.
struct Known {
    is_call: Vec<bool>,
    is_compilation: Vec<bool>,
}

impl Known {
    fn of(session: &Session) -> Self {
        let labels = session.labels.iter();
        let is_compilation = |activity| matches!(activity, Activity::Compile(_));
        Self {
            is_call: labels
                .clone()
                .map(|label| dispatched_function(session.text(label.name)).is_some())
                .collect(),
            is_compilation: labels.map(|label| is_compilation(label.activity)).collect(),
        }
    }

    fn may_be_on(&self, track: &Track) -> bool {
        track.may_have(|label| self.is_call[label.index()])
            && track.may_have(|label| self.is_compilation[label.index()])
    }

    /// The calls on a thread that compile, by start.
    fn on(&self, track: &Track) -> Vec<(Picos, Picos)> {
        let compiled = spans(track, &self.is_compilation);
        let calls = spans(track, &self.is_call).into_iter();
        let mut found: Vec<(Picos, Picos)> = calls
            .filter_map(|(start, end)| {
                let first = compiled.partition_point(|&(begin, _)| begin < start);
                let within = compiled[first..].iter();
                let within = within.take_while(|&&(begin, _)| begin < end);
                let last = within.map(|&(_, until)| until).max()?;
                Some((start, last.min(end)))
            })
            .collect();
        // A call is recorded twice, one nested in the other: the later end counts.
        found.sort_unstable_by_key(|&(start, end)| (start, std::cmp::Reverse(end)));
        found.dedup_by_key(|&mut (start, _)| start);
        found
    }
}

/// Starts and ends of the slices with these labels, by start.
fn spans(track: &Track, counts: &[bool]) -> Vec<(Picos, Picos)> {
    let on_lane = |lane: &Lane| -> Vec<(Picos, Picos)> {
        let all = lane.labels().iter().enumerate();
        let counted = all.filter(|(_, label)| counts[label.index()]);
        counted
            .map(|(index, _)| lane.span(index))
            .map(|span| (span.start, span.end))
            .collect()
    };
    let mut found: Vec<_> = track.lanes.iter().flat_map(on_lane).collect();
    found.sort_unstable();
    found
}
