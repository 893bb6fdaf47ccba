//! Steps: iterations of a training or serving loop, with their times on hosts and devices.

use crate::ids::{DeviceId, HostId, StringId, TrackId};
use crate::units::Span;

/// One step: one iteration of the training or serving loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Number as recorded, or the position for inferred steps.
    pub number: i64,
    /// The name of its annotation without the number, such as `train` or `eval`; none for steps
    /// that were not annotated. Steps with the same name form a series.
    pub series: Option<StringId>,
    /// Its work was not completely recorded, or its end is unknown: statistics exclude it.
    pub is_cut: bool,
    /// Its time on every participating host and device: by host, the annotation first, then by
    /// device.
    pub spans: Vec<StepSpan>,
    /// The threads that annotated it, on whatever host; none for steps that were not annotated.
    pub threads: Vec<TrackId>,
}

impl Step {
    /// Its times on a host and its devices; the host's annotation, if there is one, is the first.
    pub fn on_host(&self, host: HostId) -> &[StepSpan] {
        let rest = &self.spans[self.spans.partition_point(|on| on.host < host)..];
        &rest[..rest.partition_point(|on| on.host == host)]
    }

    /// Its times on a host as recorded there, or else on its devices.
    pub fn times_on(&self, host: HostId) -> &[StepSpan] {
        let own = self.on_host(host);
        match own.partition_point(|on| on.device.is_none()) {
            0 => own,
            annotated => &own[..annotated],
        }
    }

    /// Its annotation on a host.
    pub fn annotation(&self, host: HostId) -> Option<&StepSpan> {
        self.on_host(host).first().filter(|on| on.device.is_none())
    }

    /// Its time as seen from a device, or from a host without one: the device's own, or else the
    /// host's annotation.
    pub fn seen_from(&self, host: HostId, device: Option<DeviceId>) -> Option<&StepSpan> {
        let mut own = self.on_host(host).iter();
        own.find(|on| device.is_some() && on.device == device)
            .or_else(|| self.annotation(host))
    }
}

/// A step's time on one host or device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepSpan {
    /// Host.
    pub host: HostId,
    /// Device; none for the host's own annotation.
    pub device: Option<DeviceId>,
    /// The time that counts as the step there. Device spans of consecutive steps do not overlap.
    pub span: Span,
    /// From the first to the last work of the device that belongs to the step.
    pub work: Option<Span>,
}

/// How steps were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepOrigin {
    /// A recorded `Steps` line.
    StepLine,
    /// `StepTraceAnnotation`.
    Annotation,
    /// There are annotations, but the work they launched is unknown: the device's own cadence,
    /// which is the period of the dominant program.
    Cadence,
    /// Inferred from runs of the dominant program.
    ProgramRuns,
}

impl StepOrigin {
    /// Whether runs of a program, not annotations or the device, say where steps begin.
    pub const fn is_inferred(self) -> bool {
        matches!(self, Self::Cadence | Self::ProgramRuns)
    }
}
