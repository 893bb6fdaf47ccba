//! Slices as columns: what they share is converted once per label and track, and taken from there.

use std::ops::Deref;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::take::take;
use stepscope_model::{Session, Span, StringId, TrackId};

use super::{COLUMNS, LabelCells, LaneAddress, Piece, Position, Slices, step_at};
use crate::arrow::TextType;

/// Where the values of a column come from.
enum Source {
    /// A value per track.
    Track(ArrayRef),
    /// A value per label.
    Label(ArrayRef),
    /// A number of the slices themselves, with those since the last batch.
    Own(Own, Vec<i64>),
    /// The step of the slices, where they are in one.
    Step(Vec<Option<i64>>),
}

/// Numbers that each slice has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Own {
    Lane,
    Depth,
    Index,
    Start,
    Duration,
    SelfTime,
}

/// Slices that become a batch.
pub(super) struct Columns {
    schema: SchemaRef,
    sources: Vec<Source>,
    tracks: Vec<u32>,
    labels: Vec<u32>,
    rows: usize,
}

impl Columns {
    /// The columns at these positions of [`COLUMNS`].
    pub(super) fn new<S: Deref<Target = Session>>(
        slices: &Slices<S>,
        columns: &[usize],
        schema: SchemaRef,
        text: TextType,
    ) -> Self {
        let sources = columns.iter();
        let sources = sources.map(|&column| slices.source(COLUMNS[column].key, text));
        Self {
            schema,
            sources: sources.collect(),
            tracks: Vec::new(),
            labels: Vec::new(),
            rows: 0,
        }
    }

    /// Slices since the last batch.
    pub(super) const fn rows(&self) -> usize {
        self.rows
    }

    /// Adds the selected slices of a piece.
    pub(super) fn push<S: Deref<Target = Session>>(
        &mut self,
        slices: &Slices<S>,
        position: &Position,
        piece: &Piece,
    ) {
        let LaneAddress { track, lane, depth } = piece.address;
        let Some(own) = slices.lane(position, piece.address) else {
            return;
        };
        let labels = own.labels();
        let needs_self = |source: &Source| matches!(source, Source::Own(Own::SelfTime, _));
        let mut chosen: Vec<usize> = Vec::new();
        let mut self_times: Vec<i64> = Vec::new();
        let range = piece.range.clone();
        if self.sources.iter().any(needs_self) {
            let nested = slices.track(position, track);
            nested.for_each_self_time(lane as usize, range, |index, self_ps| {
                if slices.has_label(labels[index]) {
                    chosen.push(index);
                    self_times.push(self_ps);
                }
            });
        } else {
            chosen.extend(range.filter(|&index| slices.has_label(labels[index])));
        }
        self.rows += chosen.len();
        self.tracks.resize(self.rows, track.0);
        self.labels
            .extend(chosen.iter().map(|&index| labels[index].0));
        let (starts, durations) = (own.starts(), own.durations());
        let repeat = |number: u32| std::iter::repeat_n(i64::from(number), chosen.len());
        for source in &mut self.sources {
            match source {
                Source::Track(_) | Source::Label(_) => {}
                Source::Own(Own::Lane, numbers) => numbers.extend(repeat(lane)),
                Source::Own(Own::Depth, numbers) => numbers.extend(repeat(depth)),
                Source::Own(Own::SelfTime, numbers) => numbers.append(&mut self_times),
                Source::Own(Own::Start, numbers) => {
                    numbers.extend(chosen.iter().map(|&at| starts[at]));
                }
                Source::Own(Own::Duration, numbers) => {
                    numbers.extend(chosen.iter().map(|&at| durations[at]));
                }
                Source::Own(Own::Index, numbers) => {
                    let number = |&at: &usize| i64::try_from(at).unwrap_or(i64::MAX);
                    numbers.extend(chosen.iter().map(number));
                }
                Source::Step(steps) => {
                    let of_track = slices.steps_of(track);
                    steps.extend(chosen.iter().map(|&at| step_at(of_track, starts[at])));
                }
            }
        }
    }

    /// The slices so far as a batch; there are none then.
    pub(super) fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        let tracks = UInt32Array::from(std::mem::take(&mut self.tracks));
        let labels = UInt32Array::from(std::mem::take(&mut self.labels));
        let columns = self.sources.iter_mut().map(|source| match source {
            Source::Track(values) => take(values, &tracks, None),
            Source::Label(values) => take(values, &labels, None),
            Source::Own(_, numbers) => {
                let numbers = Int64Array::from(std::mem::take(numbers));
                Ok(Arc::new(numbers) as ArrayRef)
            }
            Source::Step(steps) => {
                let steps = Int64Array::from(std::mem::take(steps));
                Ok(Arc::new(steps) as ArrayRef)
            }
        });
        let columns: Vec<ArrayRef> = columns.collect::<Result<_, _>>()?;
        let options =
            RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.rows)));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
    }
}

impl<S: Deref<Target = Session>> Slices<S> {
    /// The columns at these positions of [`COLUMNS`], for every label, whether it is selected or not:
    /// `name`, `kind`, `class`, `op`, `category`, `program`, `program_id`, `scope`, `source`. Others
    /// are left out.
    pub fn of_labels(&self, columns: &[usize], text: TextType) -> Vec<(usize, ArrayRef)> {
        self.known_of(columns, text, |source| match source {
            Source::Label(values) => Some(values),
            _ => None,
        })
    }

    /// The same for every track: `host`, `device`, `track`, `track_index`, `line_id`, `role`.
    pub fn of_tracks(&self, columns: &[usize], text: TextType) -> Vec<(usize, ArrayRef)> {
        self.known_of(columns, text, |source| match source {
            Source::Track(values) => Some(values),
            _ => None,
        })
    }

    fn known_of(
        &self,
        columns: &[usize],
        text: TextType,
        values: impl Fn(Source) -> Option<ArrayRef>,
    ) -> Vec<(usize, ArrayRef)> {
        let known = columns.iter().filter_map(|&column| {
            let source = self.source(COLUMNS.get(column)?.key, text);
            Some((column, values(source)?))
        });
        known.collect()
    }

    fn source(&self, key: &str, text: TextType) -> Source {
        let own = |own: Own| Source::Own(own, Vec::new());
        let of_labels = |read: &dyn Fn(&LabelCells) -> Option<StringId>| {
            let texts = self.labels.iter().map(read);
            Source::Label(text.array(texts.map(|id| id.map(|id| self.session.text(id)))))
        };
        let words = |read: fn(&LabelCells) -> &'static str| {
            Source::Label(text.array(self.labels.iter().map(|label| Some(read(label)))))
        };
        let of_programs = |read: fn(&(String, String)) -> &String| {
            let programs = self
                .labels
                .iter()
                .map(|label| Some(&self.programs[label.program?]));
            Source::Label(text.array(programs.map(|program| program.map(|one| read(one).as_str()))))
        };
        match key {
            "lane" => own(Own::Lane),
            "depth" => own(Own::Depth),
            "index" => own(Own::Index),
            "start_ps" => own(Own::Start),
            "duration_ps" => own(Own::Duration),
            "self_ps" => own(Own::SelfTime),
            "step" => Source::Step(Vec::new()),
            "name" => of_labels(&|label| Some(label.name)),
            "op" => of_labels(&|label| label.op),
            "category" => of_labels(&|label| label.category),
            "scope" => of_labels(&|label| label.scope),
            "source" => of_labels(&|label| label.source),
            "kind" => words(|label| label.kind),
            "class" => words(|label| label.class),
            "program" => of_programs(|(title, _)| title),
            "program_id" => of_programs(|(_, id)| id),
            _ => Source::Track(self.of_every_track(key, text)),
        }
    }

    /// A property of every track.
    fn of_every_track(&self, key: &str, text: TextType) -> ArrayRef {
        let session: &Session = &self.session;
        let tracks = || session.tracks.iter();
        match key {
            "host" => {
                text.array(tracks().map(|track| Some(session.host(track.host).name.as_str())))
            }
            "device" => text.array(tracks().map(|track| {
                let device = track.device?;
                Some(self.device_titles[device.index()].as_str())
            })),
            "track" => text.array(tracks().map(|track| Some(session.text(track.name)))),
            "role" => text.array(tracks().map(|track| Some(track.role.name()))),
            "line_id" => Arc::new(Int64Array::from_iter_values(
                tracks().map(|track| track.line_id),
            )),
            _ => Arc::new(Int64Array::from_iter_values(
                session.track_ids().map(|id| session.track_number(id)),
            )),
        }
    }

    /// Steps as a track sees them, by start.
    pub(super) fn steps_of(&self, track: TrackId) -> &[(Span, i64)] {
        let track = self.session.track(track);
        match track.device {
            Some(device) => &self.device_steps[device.index()],
            None => &self.host_steps[track.host.index()],
        }
    }
}
