//! Garbage collections that Python starts by itself: JAX is called when one begins and when it ends, and
//! only these two calls are recorded.
//!
//! ```text
//! loop      [ append ][ append ]                                [ append ]
//! JAX                           [_xla_gc_callback] … [_xla_gc_callback]
//!                               └───────── a collection ────────────┘
//! ```
//!
//! Collections may follow one another without a call in between. If the calls in a row are odd in number,
//! it is unknown which of them begin one, and none is counted: what frees objects may be called, too.

use stepscope_model::{LabelId, Session, SliceKind, Span, Track};

use crate::measuring::interval::Intervals;

/// How JAX's function is called that the interpreter calls.
const CALLBACK: &str = " _xla_gc_callback";

/// Which labels are of JAX's function.
pub(super) struct Collections {
    is_callback: Vec<bool>,
    is_there: bool,
}

impl Collections {
    pub(super) fn of(session: &Session) -> Self {
        let ids = (0..session.labels.len()).map(LabelId::from_index);
        let is_callback: Vec<bool> = ids
            .map(|id| {
                let is_python = session.label(id).kind == SliceKind::Python;
                is_python && session.label_name(id).ends_with(CALLBACK)
            })
            .collect();
        Self {
            is_there: is_callback.contains(&true),
            is_callback,
        }
    }

    /// The collections on a thread within `windows`, which are sorted and do not overlap.
    pub(super) fn within(&self, track: &Track, windows: &[Span]) -> Intervals {
        if !self.is_there || !track.may_have(|label| self.is_callback[label.index()]) {
            return Intervals::default();
        }
        let all = (0u32..).zip(&track.lanes).flat_map(|(number, lane)| {
            let labels = lane.labels();
            let calls = (0u32..).zip(labels);
            let calls = calls.filter(|(_, label)| self.is_callback[label.index()]);
            let calls: Vec<u32> = calls.map(|(index, _)| index).collect();
            let rows = calls.chunk_by(|&a, &b| {
                a + 1 == b && track.parent(number, a) == track.parent(number, b)
            });
            let pairs = rows.filter(|row| row.len() % 2 == 0);
            let pairs = pairs.flat_map(|row| row.chunks_exact(2));
            let spans = pairs.map(|pair| {
                let [begin, end] = [pair[0], pair[1]].map(|index| lane.span(index as usize));
                begin.hull(end)
            });
            spans.collect::<Vec<Span>>()
        });
        let all = Intervals::union_of(all.collect());
        let clipped = windows.iter().map(|&window| all.clip(window).into_spans());
        Intervals::union_of_sorted(clipped.collect())
    }
}
