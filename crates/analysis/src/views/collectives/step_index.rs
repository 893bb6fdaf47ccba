//! Finds the step of a device that contains an instant.

use stepscope_model::{DeviceId, Picos, Session, Span};

use crate::measuring::selection::device_span;

/// The steps of every device, sorted by start.
pub(crate) struct StepIndex(Vec<Vec<(Span, usize)>>);

impl StepIndex {
    pub(crate) fn of(session: &Session) -> Self {
        let of_device = |device: DeviceId| {
            let steps = session.steps.iter().enumerate();
            let spans = steps
                .filter_map(|(number, step)| Some((device_span(step, session, device)?, number)));
            let mut spans: Vec<(Span, usize)> = spans.collect();
            spans.sort_unstable();
            spans
        };
        Self(session.device_ids().map(of_device).collect())
    }

    /// Position in `Session::steps` of the step that contains an instant.
    pub(crate) fn at(&self, device: DeviceId, instant: Picos) -> Option<usize> {
        let steps = &self.0[device.index()];
        let after = steps.partition_point(|(span, _)| span.start <= instant);
        let (span, number) = steps.get(after.checked_sub(1)?)?;
        (instant < span.end).then_some(*number)
    }
}
