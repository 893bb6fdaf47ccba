//! Which calls of Python's `next` take an element of something that loads: the tracer names all of them
//! alike, also those with which libraries walk through their own lists.
//!
//! ```text
//! loader     [next                ]          the program waits for the next batch
//! library    _bind (inspect.py)
//!              [next][next][next]            names of arguments, each over at once
//! ```

use stepscope_model::host_names::is_next;
use stepscope_model::{LabelId, Session, SliceKind, Track};

use super::named_calls::{NamedCall, not_meant};

/// An element that is there is taken in less.
const LEAST_WAIT_PS: i64 = 10_000_000;
const MOST_CALLS: usize = 2000;

/// The labels of `next` if for most of its time libraries call it, or what it takes is there.
pub(super) fn bare_nexts(session: &Session) -> Vec<LabelId> {
    not_meant(session, is_next, MOST_CALLS, |track, _, call| {
        call.span.duration().0 >= LEAST_WAIT_PS && !is_called_by_library(session, track, call)
    })
}

/// Whether the innermost frame around a call is that of a library.
fn is_called_by_library(session: &Session, track: &Track, call: NamedCall) -> bool {
    let around = track.ancestors(call.lane, call.index);
    let labels = around.map(|(lane, index)| track.lanes[lane as usize].labels()[index as usize]);
    let mut labels = labels.map(|label| session.label(label));
    let frame = labels.find(|label| label.kind == SliceKind::Python);
    frame.is_some_and(|label| session.is_library_frame(session.text(label.name)))
}
