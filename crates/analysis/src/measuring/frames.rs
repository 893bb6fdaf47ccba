//! Which code of the program asked for something: Python frames around it, from the outermost inwards.
//!
//! ```text
//! main (train.py:31)            the program's own file
//!   load (data.py:12)           the program's own file: the innermost one is who asks
//!     __getitem__ (numpy)       what it calls: the outermost frame of a library within it
//!       read_array (numpy)      how the library does it
//! ```
//!
//! A function that was running when the recording began has no frame: then the outermost frame of a
//! library is what the loop's own code calls.

use stepscope_model::{LabelId, Session, SliceKind, Span, Track};

/// Files whose frames are around every call of a thread, or of a decorated function.
const SCAFFOLDS: [&str; 8] = [
    "threading.py:",
    "thread.py:",
    "process.py:",
    "runpy.py:",
    "contextlib.py:",
    "functools.py:",
    "traceback_util.py:",
    "profiler.py:",
];

/// The frames that enclose something.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Frames {
    /// The innermost frame of the program's own files.
    own: Option<LabelId>,
    /// The outermost frame of a library within it.
    called: Option<LabelId>,
    /// The innermost frame that is around every call, within both.
    scaffold: Option<LabelId>,
}

impl Frames {
    /// Those of one thread that enclose a slice, and the slice itself. `lane` is that of the slice.
    pub(crate) fn around(session: &Session, track: &Track, lane: usize, slice: Span) -> Self {
        let mut frames = Self::default();
        let nest = track.nests.iter().find(|nest| {
            let lanes = nest.start as usize..nest.end as usize;
            lanes.contains(&lane)
        });
        let first = nest.map_or(lane, |nest| nest.start as usize);
        for lane in &track.lanes[first..=lane] {
            for index in lane.overlapping(slice) {
                if lane.span(index).contains(slice) {
                    frames.enter(session, lane.labels()[index]);
                }
            }
        }
        frames
    }

    /// The next frame inwards; whatever is no frame with a line counts for nothing.
    pub(crate) fn enter(&mut self, session: &Session, label: LabelId) {
        let name = session.label_name(label);
        if session.label(label).kind != SliceKind::Python || !has_line(name) {
            return;
        }
        if !session.is_library_frame(name) {
            *self = Self {
                own: Some(label),
                ..Self::default()
            };
        } else if is_scaffold(name) {
            self.scaffold = Some(label);
        } else if self.called.is_none() {
            self.called = Some(label);
        }
    }

    /// The innermost frame of the program's own files.
    pub(crate) fn own(&self) -> Option<LabelId> {
        self.own
    }

    /// What the program calls: the outermost frame of a library within its own innermost one.
    pub(crate) fn called(&self) -> Option<LabelId> {
        self.called
    }

    /// The one that says most about what the program does: its own, else what it calls.
    pub(crate) fn told(&self) -> Option<LabelId> {
        self.own.or(self.called).or(self.scaffold)
    }
}

/// Whether a frame is around every call of a thread, or of a decorated function.
pub(crate) fn is_scaffold(name: &str) -> bool {
    let name = name.trim_start_matches('$');
    SCAFFOLDS.iter().any(|file| name.starts_with(file))
}

/// `$train.py:31 main`, not `$time sleep` or `$<string>:1 f`.
fn has_line(name: &str) -> bool {
    let file = name.trim_start_matches('$').split_once(".py:");
    file.is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
}
