//! The step of a row of the timeline.

use stepscope_model::{StepSpan, Track};

/// A step's span as one row shows it: the device's own, else the host's annotation.
pub(super) fn span_on<'a>(spans: &'a [StepSpan], track: &Track) -> Option<&'a StepSpan> {
    let own = spans
        .iter()
        .find(|span| track.device.is_some() && span.device == track.device);
    own.or_else(|| {
        spans
            .iter()
            .find(|span| span.device.is_none() && span.host == track.host)
    })
}
