//! Which span of a step applies to a row of the timeline.

use stepscope_model::{StepSpan, Track};

/// The span of a step on a row: the device's span, or else the host's annotation.
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
