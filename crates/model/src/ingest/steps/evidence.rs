//! What steps are found from, and steps while their spans are collected.

use std::collections::BTreeMap;

use crate::ids::{DeviceId, HostId, StringId, TrackId};
use crate::ingest::calls::CallWithoutRun;
use crate::ingest::runs::ForeignWork;
use crate::label::Label;
use crate::program::Program;
use crate::session::{Device, ProgramRun};
use crate::step::StepSpan;
use crate::strings::Strings;
use crate::track::Track;
use crate::units::{Picos, Span};

/// A `StepTraceAnnotation` of one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::ingest) struct HostStep {
    pub(in crate::ingest) host: HostId,
    pub(in crate::ingest) span: Span,
    pub(in crate::ingest) number: i64,
    pub(in crate::ingest) series: StringId,
    pub(in crate::ingest) track: TrackId,
    /// It ended before the call that launched its work returned.
    pub(in crate::ingest) ends_in_call: bool,
}

/// The inputs for steps.
pub(in crate::ingest) struct Evidence<'a> {
    pub(in crate::ingest) tracks: &'a [Track],
    /// Whether slices that are still in the file are not to be kept.
    pub(in crate::ingest) has_rounds: bool,
    pub(in crate::ingest) labels: &'a [Label],
    pub(in crate::ingest) strings: &'a Strings,
    pub(in crate::ingest) devices: &'a [Device],
    pub(in crate::ingest) programs: &'a [Program],
    pub(in crate::ingest) runs: &'a [ProgramRun],
    /// Work of devices that ran no known program.
    pub(in crate::ingest) foreign: &'a [ForeignWork],
    /// Calls whose run was not recorded.
    pub(in crate::ingest) calls_without_run: &'a [CallWithoutRun],
    pub(in crate::ingest) annotations: Vec<HostStep>,
}

/// A step's identity: its series, its number, and how often the number occurred before on the host.
pub(super) type StepKey = (Option<StringId>, i64, usize);

/// A step while its spans are collected.
#[derive(Default)]
pub(super) struct Found {
    pub(super) spans: Vec<StepSpan>,
    /// The threads that annotated it.
    pub(super) threads: Vec<TrackId>,
    pub(super) is_cut: bool,
}

pub(super) type Steps = BTreeMap<StepKey, Found>;

/// Equal numbers on one host or device are distinguished by their order.
#[derive(Default)]
pub(super) struct Occurrences(BTreeMap<(HostId, Option<DeviceId>, Option<StringId>, i64), usize>);

impl Occurrences {
    pub(super) fn next(
        &mut self,
        host: HostId,
        device: Option<DeviceId>,
        series: Option<StringId>,
        number: i64,
    ) -> StepKey {
        let count = self.0.entry((host, device, series, number)).or_default();
        *count += 1;
        (series, number, *count - 1)
    }
}

/// A step lasts on a device until the next one begins; without a next step, until the end of its own
/// work, which is then uncertain.
pub(super) fn period(
    begins: &[Option<Picos>],
    works: &[Option<Span>],
    position: usize,
) -> Option<(Span, bool)> {
    let (begin, own) = begins[position].zip(works[position])?;
    let next = begins[position + 1..].iter().flatten().next();
    let end = next.map_or(own.end, |&next| next);
    Some((Span::new(begin, end), next.is_none()))
}
