//! Every slice as a row: where it stands, what it is, when it was.

use std::io;

use stepscope_analysis::selection::{Parts, wanted_times};
use stepscope_analysis::{AnalysisError, CellRef, Column, Unit};
use stepscope_model::{DeviceId, HostId, LabelId, Session, Span, Step, Track, TrackId};

use super::selection;
use crate::Pairs;

/// Name of the table.
pub(super) const NAME: &str = "slices";
pub(super) const TITLE: &str = "Slices of all tracks";

/// Columns of `slices`, in order.
pub const COLUMNS: &[Column] = &[
    Column::new("host", "Host", Unit::Text),
    Column::new("device", "Device", Unit::Text),
    Column::new("track", "Track", Unit::Text),
    Column::new("track_index", "Number of the track", Unit::Count),
    Column::new("role", "What the track is", Unit::Text),
    Column::new("lane", "Lane in the track", Unit::Count),
    Column::new("depth", "Slices around it", Unit::Count),
    Column::new("index", "Position in the lane", Unit::Count),
    Column::new("name", "Name", Unit::Text),
    Column::new("class", "Class", Unit::Text),
    Column::new("start_ps", "Start", Unit::Picos),
    Column::new("duration_ps", "Duration", Unit::Picos),
    Column::new("self_ps", "Self", Unit::Picos),
    Column::new("step", "Step", Unit::Count),
    Column::new("op", "HLO instruction", Unit::Text),
    Column::new("category", "Category", Unit::Text),
    Column::new("program", "Program", Unit::Text),
    Column::new("program_id", "Program id", Unit::Text),
    Column::new("scope", "Scope", Unit::Text),
    Column::new("source", "Source", Unit::Text),
];

/// The rows, still in the session.
pub(super) struct Slices<'a> {
    session: &'a Session,
    parts: Parts,
    labels: Vec<LabelCells<'a>>,
    device_titles: Vec<String>,
}

/// What the slices of a label have in common.
struct LabelCells<'a> {
    name: &'a str,
    class: &'static str,
    op: CellRef<'a>,
    category: CellRef<'a>,
    scope: CellRef<'a>,
    source: CellRef<'a>,
    program: Option<(String, String)>,
}

/// A row's cells before its own times.
type Receiver<'r> = dyn FnMut(&[CellRef<'_>]) -> io::Result<()> + 'r;

impl<'a> Slices<'a> {
    pub(super) fn new(session: &'a Session, options: &Pairs) -> Result<Self, AnalysisError> {
        let parts = wanted_times(session, &selection(options))?;
        let labels = (0..session.labels.len()).map(|index| LabelCells::of(session, index));
        Ok(Self {
            session,
            parts,
            labels: labels.collect(),
            device_titles: session
                .device_ids()
                .map(|id| session.device_title(id))
                .collect(),
        })
    }

    /// Hands every selected slice to `receive`, track by track, lane by lane, in the order of time.
    /// Gives how many there were.
    pub(super) fn for_each(&self, receive: &mut Receiver<'_>) -> io::Result<u64> {
        let mut count = 0;
        for id in self.session.track_ids() {
            let track = self.session.track(id);
            let windows = match track.device {
                Some(device) => self.parts.devices.get(device.index()),
                None => self.parts.hosts.get(track.host.index()),
            };
            if let Some(Some(windows)) = windows {
                count += self.track(id, track, windows, receive)?;
            }
        }
        Ok(count)
    }

    fn track(
        &self,
        id: TrackId,
        track: &Track,
        windows: &[Span],
        receive: &mut Receiver<'_>,
    ) -> io::Result<u64> {
        let session = self.session;
        let steps = steps_on(session, track.host, track.device);
        let host = CellRef::Text(&session.host(track.host).name);
        let device = track
            .device
            .and_then(|id| self.device_titles.get(id.index()));
        let device = device.map_or(CellRef::Missing, |title| CellRef::Text(title));
        let name = CellRef::Text(session.text(track.name));
        let (mut count, mut failed) = (0, None);
        for nest in &track.nests {
            for number in nest.clone() {
                let Some(lane) = track.lanes.get(number as usize) else {
                    continue;
                };
                let (starts, durations) = (lane.starts(), lane.durations());
                let labels = lane.labels();
                for range in windows.iter().map(|&window| lane.starting_in(window)) {
                    track.for_each_self_time(number as usize, range, |index, self_ps| {
                        if failed.is_some() || !self.has_label(labels[index]) {
                            return;
                        }
                        let label = &self.labels[labels[index].index()];
                        let program = label.program.as_ref();
                        let row = [
                            host,
                            device,
                            name,
                            CellRef::Int(i64::from(id.0)),
                            CellRef::Text(track.role.name()),
                            CellRef::Int(i64::from(number)),
                            CellRef::Int(i64::from(number - nest.start)),
                            CellRef::Int(i64::try_from(index).unwrap_or(i64::MAX)),
                            CellRef::Text(label.name),
                            CellRef::Text(label.class),
                            CellRef::Int(starts[index]),
                            CellRef::Int(durations[index]),
                            CellRef::Int(self_ps),
                            step_at(&steps, starts[index]),
                            label.op,
                            label.category,
                            program.map_or(CellRef::Missing, |(title, _)| CellRef::Text(title)),
                            program.map_or(CellRef::Missing, |(_, id)| CellRef::Text(id)),
                            label.scope,
                            label.source,
                        ];
                        count += 1;
                        failed = receive(&row).err();
                    });
                    if let Some(error) = failed {
                        return Err(error);
                    }
                }
            }
        }
        Ok(count)
    }

    fn has_label(&self, label: LabelId) -> bool {
        let labels = self.parts.labels.as_ref();
        labels.is_none_or(|labels| labels.get(label.index()).copied().unwrap_or(false))
    }
}

impl<'a> LabelCells<'a> {
    fn of(session: &'a Session, index: usize) -> Self {
        let label = session.label(LabelId::from_index(index));
        let op = label.op.map(|id| session.op(id));
        let text = |id| match session.text(id) {
            "" => CellRef::Missing,
            text => CellRef::Text(text),
        };
        let scope = op.map(|op| op.scope).or(label.framework_op);
        Self {
            name: session.text(label.name),
            class: label.class.name(),
            op: op.map_or(CellRef::Missing, |op| text(op.name)),
            category: op.map_or(CellRef::Missing, |op| text(op.category)),
            scope: scope.map_or(CellRef::Missing, text),
            source: op.map_or(CellRef::Missing, |op| text(op.source)),
            program: label.program.map(|id| {
                let program = session.program(id);
                (program.title(), program.id.to_string())
            }),
        }
    }
}

/// Spans of steps as a track sees them, by start: its device's, else its host's.
fn steps_on(session: &Session, host: HostId, device: Option<DeviceId>) -> Vec<(Span, i64)> {
    let of = |step: &Step| {
        let own = step
            .spans
            .iter()
            .find(|on| device.is_some() && on.device == device);
        let hosts = || {
            let mut spans = step.spans.iter();
            spans.find(|on| on.device.is_none() && on.host == host)
        };
        own.or_else(hosts).map(|on| (on.span, step.number))
    };
    let mut steps: Vec<(Span, i64)> = session.steps.iter().filter_map(of).collect();
    steps.sort_unstable();
    steps
}

/// The step in which an instant lies.
fn step_at(steps: &[(Span, i64)], instant: i64) -> CellRef<'static> {
    let after = steps.partition_point(|(span, _)| span.start.0 <= instant);
    match after.checked_sub(1).map(|last| steps[last]) {
        Some((span, number)) if instant < span.end.0 => CellRef::Int(number),
        _ => CellRef::Missing,
    }
}
