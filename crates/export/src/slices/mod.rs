//! Every slice as a row: where it is, what it is, when it was.
//!
//! Rows are created piece by piece from the columns of the session, so that memory use does not
//! grow with it: [`Slices::for_each`] for writing them all, [`Slices::read`] for
//! reading the next rows on demand, [`SliceBatches`] for reading them as columns.

mod batches;
mod columns;
mod query;
mod times;

use std::borrow::Cow;
use std::io;
use std::ops::{Deref, Range};

use stepscope_analysis::measuring::selection::Parts;
use stepscope_analysis::{AnalysisError, CellRef, Column, Unit};
use stepscope_model::{
    DeviceId, HostId, LabelId, Lane, Picos, ProgramId, Session, Span, StringId, Track, TrackId,
};
use times::{may_start_in, step_at, steps_on};

pub use batches::{SLICE_BATCH_ROWS, SliceBatches};
pub use query::SliceQuery;

/// Name of the table.
pub const NAME: &str = "slices";
/// Title of the table.
pub const TITLE: &str = "Slices of all tracks";

/// Columns of `slices`, in order.
pub const COLUMNS: &[Column] = &[
    Column::new("host", "Host", Unit::Text),
    Column::new("device", "Device", Unit::Text),
    Column::new("track", "Track", Unit::Text),
    Column::new("track_index", "Number of the track", Unit::Count),
    Column::new("line_id", "Thread or stream", Unit::Count),
    Column::new("role", "What the track is", Unit::Text),
    Column::new("lane", "Lane in the track", Unit::Count),
    Column::new("depth", "Slices around it", Unit::Count),
    Column::new("index", "Position in the lane", Unit::Count),
    Column::new("name", "Name", Unit::Text),
    Column::new("kind", "Kind", Unit::Text),
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
pub struct Slices<S> {
    session: S,
    parts: Parts,
    labels: Vec<LabelCells>,
    /// Title and ID of each program.
    programs: Vec<(String, String)>,
    device_titles: Vec<String>,
    /// Steps as each device sees them, and as each host does.
    device_steps: Vec<Vec<(Span, i64)>>,
    host_steps: Vec<Vec<(Span, i64)>>,
    /// Lanes that may contain selected slices, in row order.
    lanes: Vec<LaneAddress>,
}

/// What the slices of a label have in common.
struct LabelCells {
    name: StringId,
    kind: &'static str,
    class: &'static str,
    op: Option<StringId>,
    category: Option<StringId>,
    scope: Option<StringId>,
    source: Option<StringId>,
    program: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct LaneAddress {
    track: TrackId,
    lane: u32,
    depth: u32,
}

/// Consecutive slices in a lane.
struct Piece {
    address: LaneAddress,
    range: Range<usize>,
}

/// The read position; initially the start.
#[derive(Default)]
pub struct Position {
    lane: usize,
    window: usize,
    /// The next slice of the current window, if started.
    slice: Option<usize>,
    /// The current track with its slices, where the session does not keep them: that of one host's
    /// thread at a time, however many hosts there are.
    passing: Option<(TrackId, Track)>,
}

/// Receives the cells of a row.
pub type Receiver<'r, E> = dyn FnMut(&[CellRef<'_>]) -> Result<(), E> + 'r;

impl<S: Deref<Target = Session>> Slices<S> {
    /// The slices that a query selects.
    ///
    /// # Errors
    ///
    /// A part of the query that is invalid or selects nothing.
    pub fn new(session: S, query: &SliceQuery) -> Result<Self, AnalysisError> {
        let wanted = query.resolve(&session)?;
        Ok(Self::of(session, wanted))
    }

    /// All slices that start in a time; `None` for all times.
    pub fn starting_in(session: S, time: Option<Span>) -> Self {
        let times = vec![time.unwrap_or(Span::new(Picos(i64::MIN), Picos::MAX))];
        let wanted = query::Wanted {
            parts: Parts {
                devices: vec![Some(times.clone()); session.devices.len()],
                hosts: vec![Some(times); session.hosts.len()],
                labels: None,
                steps: Vec::new(),
            },
            tracks: vec![true; session.tracks.len()],
        };
        Self::of(session, wanted)
    }

    /// Only those on these tracks with these labels; `None` for all labels.
    #[must_use]
    pub fn only(mut self, tracks: &[bool], labels: Option<Vec<bool>>) -> Self {
        self.parts.labels = labels;
        self.lanes = lanes(&self.session, &self.parts, tracks);
        self
    }

    fn of(session: S, wanted: query::Wanted) -> Self {
        let labels = (0..session.labels.len()).map(|index| LabelCells::of(&session, index));
        let programs = session.programs.iter();
        let hosts = (0..session.hosts.len()).map(HostId::from_index);
        let device_steps = |id: DeviceId| steps_on(&session, session.device(id).host, Some(id));
        Self {
            labels: labels.collect(),
            programs: programs
                .map(|program| (program.title(), program.id.to_string()))
                .collect(),
            device_titles: session
                .device_ids()
                .map(|id| session.device_title(id))
                .collect(),
            device_steps: session.device_ids().map(device_steps).collect(),
            host_steps: hosts.map(|id| steps_on(&session, id, None)).collect(),
            lanes: lanes(&session, &wanted.parts, &wanted.tracks),
            parts: wanted.parts,
            session,
        }
    }

    /// Only those in steps that `is_kept` passes, by number; it is asked about `None` for slices in no
    /// step. Lanes without such times are not read. To be called before [`Slices::only`].
    #[must_use]
    pub fn in_steps(mut self, is_kept: &dyn Fn(Option<i64>) -> bool) -> Self {
        let narrowed = |windows: &mut Option<Vec<Span>>, steps: &[(Span, i64)]| {
            if let Some(windows) = windows {
                *windows = times::common(windows, &times::in_steps(steps, is_kept));
            }
        };
        for (windows, steps) in self.parts.devices.iter_mut().zip(&self.device_steps) {
            narrowed(windows, steps);
        }
        for (windows, steps) in self.parts.hosts.iter_mut().zip(&self.host_steps) {
            narrowed(windows, steps);
        }
        self.lanes = lanes(
            &self.session,
            &self.parts,
            &vec![true; self.session.tracks.len()],
        );
        self
    }

    /// The numbers of all steps that slices may be in, ascending.
    pub fn step_numbers(&self) -> Vec<i64> {
        let all = self.device_steps.iter().chain(&self.host_steps).flatten();
        let mut numbers: Vec<i64> = all.map(|&(_, number)| number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The number of slices in the lanes that are read to find the selected ones.
    pub fn read_count(&self) -> usize {
        let lanes = self.lanes.iter();
        let lane = |at: &LaneAddress| &self.session.track(at.track).lanes[at.lane as usize];
        lanes.map(|at| lane(at).len()).sum()
    }

    /// Tracks that may have selected slices, in display order.
    pub fn track_ids(&self) -> Vec<TrackId> {
        let mut ids: Vec<TrackId> = self.lanes.iter().map(|at| at.track).collect();
        ids.dedup();
        ids
    }

    /// Times in which the selected slices of a track start, ascending.
    pub fn windows(&self, track: TrackId) -> &[Span] {
        windows(&self.session, &self.parts, track)
    }

    /// Whether slices with this label are selected.
    pub fn has_label(&self, label: LabelId) -> bool {
        is_selected(&self.parts, label)
    }

    /// The number of slices. If labels are selected, this reads the labels of all slices.
    pub fn count(&self) -> u64 {
        let mut position = Position::default();
        let mut count = 0;
        while let Some(piece) = self.next_piece(&mut position, usize::MAX) {
            count += match &self.parts.labels {
                None => piece.range.len(),
                Some(_) => self
                    .lane(&position, piece.address)
                    .map_or(0, |lane| self.selected(lane, piece.range)),
            } as u64;
        }
        count
    }

    fn selected(&self, lane: &Lane, range: Range<usize>) -> usize {
        let labels = lane.labels()[range].iter();
        labels.filter(|&&label| self.has_label(label)).count()
    }

    /// Passes every selected slice to `receive`, track by track, lane by lane, in time order.
    /// Returns their number.
    ///
    /// # Errors
    ///
    /// The receiver's.
    pub fn for_each(&self, receive: &mut Receiver<'_, io::Error>) -> io::Result<u64> {
        let mut position = Position::default();
        let mut count = 0;
        while let Some(piece) = self.next_piece(&mut position, usize::MAX) {
            count += self.rows(&position, piece, receive)?;
        }
        Ok(count)
    }

    /// Passes the next rows to `receive`, at most this many and perhaps none. Returns whether there
    /// may be more.
    ///
    /// # Errors
    ///
    /// The receiver's.
    pub fn read<E>(
        &self,
        position: &mut Position,
        most: usize,
        receive: &mut Receiver<'_, E>,
    ) -> Result<bool, E> {
        let Some(piece) = self.next_piece(position, most) else {
            return Ok(false);
        };
        self.rows(position, piece, receive).map(|_| true)
    }

    /// The next slices of one window of one lane, at most this many.
    fn next_piece(&self, position: &mut Position, most: usize) -> Option<Piece> {
        loop {
            let address = *self.lanes.get(position.lane)?;
            let window = self.windows(address.track).get(position.window).copied();
            self.enter(position, address.track);
            let whole = window.and_then(|window| {
                let lane = self.lane(position, address)?;
                Some(lane.starting_in(window))
            });
            let Some(whole) = whole else {
                (position.lane, position.window, position.slice) = (position.lane + 1, 0, None);
                continue;
            };
            let start = position.slice.unwrap_or(whole.start);
            let end = whole.end.min(start.saturating_add(most));
            if start >= end {
                position.window += 1;
                position.slice = None;
                continue;
            }
            position.slice = Some(end);
            return Some(Piece {
                address,
                range: start..end,
            });
        }
    }

    /// Has the slices of a track at hand.
    fn enter(&self, position: &mut Position, id: TrackId) {
        if position
            .passing
            .as_ref()
            .is_none_or(|passing| passing.0 != id)
        {
            position.passing = match self.session.track_in_passing(id) {
                Cow::Owned(track) => Some((id, track)),
                Cow::Borrowed(_) => None,
            };
        }
    }

    fn track<'a>(&'a self, position: &'a Position, id: TrackId) -> &'a Track {
        match &position.passing {
            Some((passing, track)) if *passing == id => track,
            _ => self.session.track(id),
        }
    }

    fn lane<'a>(&'a self, position: &'a Position, address: LaneAddress) -> Option<&'a Lane> {
        let track = self.track(position, address.track);
        track.lanes.get(address.lane as usize)
    }

    fn rows<E>(
        &self,
        position: &Position,
        piece: Piece,
        receive: &mut Receiver<'_, E>,
    ) -> Result<u64, E> {
        let LaneAddress { track, lane, depth } = piece.address;
        let (id, track, number) = (track, self.track(position, track), lane);
        let Some(lane) = track.lanes.get(number as usize) else {
            return Ok(0);
        };
        let text = |id: StringId| CellRef::Text(self.session.text(id));
        let known = |id: Option<StringId>| id.map_or(CellRef::Missing, text);
        let host = CellRef::Text(&self.session.host(track.host).name);
        let device = track
            .device
            .map(|id| self.device_titles[id.index()].as_str());
        let device = device.map_or(CellRef::Missing, CellRef::Text);
        let steps = self.steps_of(id);
        let (starts, durations, labels) = (lane.starts(), lane.durations(), lane.labels());
        let (mut count, mut failed) = (0, None);
        track.for_each_self_time(number as usize, piece.range, |index, self_ps| {
            if failed.is_some() || !self.has_label(labels[index]) {
                return;
            }
            let label = &self.labels[labels[index].index()];
            let program = label.program.map(|program| &self.programs[program]);
            let row = [
                host,
                device,
                text(track.name),
                CellRef::Int(self.session.track_number(id)),
                CellRef::Int(track.line_id),
                CellRef::Text(track.role.name()),
                CellRef::Int(i64::from(number)),
                CellRef::Int(i64::from(depth)),
                CellRef::Int(i64::try_from(index).unwrap_or(i64::MAX)),
                text(label.name),
                CellRef::Text(label.kind),
                CellRef::Text(label.class),
                CellRef::Int(starts[index]),
                CellRef::Int(durations[index]),
                CellRef::Int(self_ps),
                step_at(steps, starts[index]).map_or(CellRef::Missing, CellRef::Int),
                known(label.op),
                known(label.category),
                program.map_or(CellRef::Missing, |(title, _)| CellRef::Text(title)),
                program.map_or(CellRef::Missing, |(_, id)| CellRef::Text(id)),
                known(label.scope),
                known(label.source),
            ];
            count += 1;
            failed = receive(&row).err();
        });
        failed.map_or(Ok(count), Err)
    }
}

impl LabelCells {
    fn of(session: &Session, index: usize) -> Self {
        let label = session.label(LabelId::from_index(index));
        let op = label.op.map(|id| session.op(id));
        let known = |id: StringId| (!session.text(id).is_empty()).then_some(id);
        let scope = op.map(|op| op.scope).or(label.framework_op);
        Self {
            name: label.name,
            kind: label.kind.name(),
            class: label.class.name(),
            op: op.and_then(|op| known(op.name)),
            category: op.and_then(|op| known(op.category)),
            scope: scope.and_then(known),
            source: op.and_then(|op| known(op.source)),
            program: label.program.map(ProgramId::index),
        }
    }
}

fn is_selected(parts: &Parts, label: LabelId) -> bool {
    let labels = parts.labels.as_ref();
    labels.is_none_or(|labels| labels.get(label.index()).copied().unwrap_or(false))
}

/// Times whose slices are selected on a track.
fn windows<'p>(session: &Session, parts: &'p Parts, track: TrackId) -> &'p [Span] {
    let track = session.track(track);
    let windows = match track.device {
        Some(device) => parts.devices.get(device.index()),
        None => parts.hosts.get(track.host.index()),
    };
    windows.and_then(Option::as_deref).unwrap_or_default()
}

/// Lanes of the selected tracks that reach into their times. A track without such a lane or without
/// any selected label is not read, so that its slices may stay in the file.
fn lanes(session: &Session, parts: &Parts, wanted: &[bool]) -> Vec<LaneAddress> {
    let tracks = session.track_ids().filter(|&id| {
        wanted[id.index()]
            && (parts.labels.is_none()
                || session
                    .track(id)
                    .may_have(|label| is_selected(parts, label)))
    });
    tracks
        .flat_map(|track| {
            let windows = windows(session, parts, track);
            let (all, nests) = (&session.track(track).lanes, &session.track(track).nests);
            let lanes = nests.iter().flat_map(move |nest| {
                let lanes = nest.clone();
                lanes.map(move |lane| LaneAddress {
                    track,
                    lane,
                    depth: lane - nest.start,
                })
            });
            lanes.filter(move |at| may_start_in(&all[at.lane as usize], windows))
        })
        .collect()
}
