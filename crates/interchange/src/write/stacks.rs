//! Stacks of host threads, for tools that draw flame graphs: one walk over each thread, frames named
//! as `regions` names them.

use std::io;

use rustc_hash::FxHashMap;
use stepscope_model::host_names::region;
use stepscope_model::walk::{Moment, walk};
use stepscope_model::{LabelId, Session, Track, TrackId, TrackRole};

use super::{Wanted, contains};

/// One frame of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    /// The annotation without its arguments, the function, or the runtime's event.
    pub(super) name: String,
    /// Of a function its file or module; else empty.
    pub(super) file: String,
    /// Of a function its line, where recorded.
    pub(super) line: Option<u32>,
}

/// All frames of a session, each once.
pub(super) struct Frames {
    pub(super) all: Vec<Frame>,
    of_label: Vec<Option<u32>>,
}

impl Frames {
    pub(super) fn of(session: &Session) -> Self {
        let mut frames = Self {
            all: Vec::new(),
            of_label: Vec::with_capacity(session.labels.len()),
        };
        let mut known: FxHashMap<Frame, u32> = FxHashMap::default();
        for label in &session.labels {
            let found = region(session.text(label.name), label.kind, label.activity);
            let number = found.map(|found| {
                let (file, line) = place(found.source);
                let frame = Frame {
                    name: found.name.to_owned(),
                    file: file.to_owned(),
                    line,
                };
                let next = u32::try_from(frames.all.len()).unwrap_or(u32::MAX);
                *known.entry(frame).or_insert_with_key(|frame| {
                    frames.all.push(frame.clone());
                    next
                })
            });
            frames.of_label.push(number);
        }
        frames
    }

    /// The frame of a label; none for markers.
    pub(super) fn frame(&self, label: LabelId) -> Option<u32> {
        self.of_label.get(label.index()).copied().flatten()
    }
}

/// `train.py:31` is line 31 of `train.py`.
fn place(source: &str) -> (&str, Option<u32>) {
    let split = source.rsplit_once(':');
    match split.and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => (file, Some(line)),
        None => (source, None),
    }
}

/// The threads of the wanted hosts, with their titles, in the order of the timeline: the host's name
/// before the thread's where there are several, the line's number behind it where a host has several
/// threads of the name.
pub(super) fn threads(session: &Session, wanted: &Wanted) -> Vec<(TrackId, String)> {
    let tracks = session.track_ids().filter(|&id| {
        let track = session.track(id);
        let is_thread = matches!(track.role, TrackRole::HostThread | TrackRole::Python);
        is_thread && track.device.is_none() && wanted.windows(track).is_some()
    });
    let tracks: Vec<TrackId> = tracks.collect();
    let mut counts: FxHashMap<_, usize> = FxHashMap::default();
    let key = |id: TrackId| (session.track(id).host, session.track(id).name);
    for &id in &tracks {
        *counts.entry(key(id)).or_default() += 1;
    }
    let title = |id: TrackId| {
        let track = session.track(id);
        let host = match session.hosts.len() {
            1 => String::new(),
            _ => format!("{} / ", session.host(track.host).name),
        };
        let number = match counts[&key(id)] {
            1 => String::new(),
            _ => format!(" {}", track.thread_number()),
        };
        format!("{host}{}{number}", session.text(track.name))
    };
    tracks.into_iter().map(|id| (id, title(id))).collect()
}

/// What happens next on a thread.
pub(super) enum Event {
    /// A frame begins at a time.
    Open(u32, i64),
    /// The frame that began last and has not ended ends then.
    Close(u32, i64),
}

/// Walks the wanted slices of one nest of a thread.
pub(super) fn events(
    wanted: &Wanted,
    frames: &Frames,
    track: &Track,
    nest: &std::ops::Range<u32>,
    mut visit: impl FnMut(Event) -> io::Result<()>,
) -> io::Result<()> {
    let windows = wanted.windows(track).unwrap_or_default();
    let frame = |lane: u32, index: usize| {
        let lane = &track.lanes[lane as usize];
        let label = lane.labels()[index];
        let is_wanted = wanted.has_label(label) && contains(windows, lane.starts()[index]);
        frames.frame(label).filter(|_| is_wanted)
    };
    let mut open: Vec<u32> = Vec::new();
    let is_wanted = |lane, index| frame(lane, index).is_some();
    walk(track, nest, is_wanted, |moment| match moment {
        Moment::Begin(lane, index) => {
            let number = frame(lane, index).unwrap_or_default();
            open.push(number);
            visit(Event::Open(
                number,
                track.lanes[lane as usize].starts()[index],
            ))
        }
        Moment::End(end) => match open.pop() {
            Some(number) => visit(Event::Close(number, end)),
            None => Ok(()),
        },
    })
}
