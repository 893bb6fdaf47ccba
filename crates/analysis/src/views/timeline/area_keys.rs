//! Which row of an area's statistics a slice belongs to.

use rustc_hash::FxHashMap;
use stepscope_model::{Class, LabelId, ProgramId, Session, StringId, TrackId};

use crate::telling::places::{group_title, track_title};

/// What the rows of an area represent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AreaKey {
    /// One row per name.
    #[default]
    Name,
    /// One row per class.
    Class,
    /// One row per JAX scope.
    Scope,
    /// One row per track.
    Track,
    /// One row per device, and per host for its threads.
    Device,
    /// One row per program.
    Program,
    /// One row per step: the one in which a slice starts on its device or host.
    Step,
}

impl AreaKey {
    /// All keys by their wire names.
    pub const ALL: [(&'static str, Self); 7] = [
        ("name", Self::Name),
        ("class", Self::Class),
        ("scope", Self::Scope),
        ("track", Self::Track),
        ("device", Self::Device),
        ("program", Self::Program),
        ("step", Self::Step),
    ];

    /// Parses the wire name.
    pub fn from_name(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|&(_, key)| key)
    }
}

/// The row of slices without a scope.
const NO_SCOPE: &str = "(no scope)";
/// The row of slices that belong to no program.
const NO_PROGRAM: &str = "(no program)";
/// The row of slices that start outside of all steps.
const NO_STEP: &str = "(no step)";

/// The rows, and which of them each slice belongs to.
pub(super) struct Keys {
    pub(super) names: Vec<String>,
    of: Of,
}

/// What decides on the row of a slice.
enum Of {
    Label(Vec<usize>),
    Track(Vec<usize>),
    /// For each track, its steps by start: start, end, row. The first row is that of no step.
    Time(Vec<Vec<(i64, i64, usize)>>),
}

impl Keys {
    pub(super) fn new(session: &Session, by: AreaKey) -> Self {
        match by {
            AreaKey::Track => Self::of_tracks(session, |id| track_title(session, id)),
            AreaKey::Device => {
                Self::of_tracks(session, |id| group_title(session, session.track(id)))
            }
            AreaKey::Step => Self::of_steps(session),
            AreaKey::Name | AreaKey::Class | AreaKey::Scope | AreaKey::Program => {
                Self::of_labels(session, by)
            }
        }
    }

    /// How many rows there may be by any key, and the bytes of their names.
    pub(super) fn most(session: &Session) -> (usize, usize) {
        let (labels, tracks) = (session.labels.len(), session.tracks.len());
        let rows = labels.max(tracks).max(session.steps.len()) + 1;
        let names = (0..labels).map(|label| {
            let label = session.label(LabelId::from_index(label));
            session.text(label.name).len()
        });
        (rows, rows * size_of::<String>() + names.sum::<usize>())
    }

    /// The row of a slice with this label that starts at `start_ps`.
    pub(super) fn key(&self, track: TrackId, label: LabelId, start_ps: i64) -> usize {
        match &self.of {
            Of::Label(rows) => rows[label.index()],
            Of::Track(rows) => rows[track.index()],
            Of::Time(steps) => {
                let steps = &steps[track.index()];
                let behind = steps.partition_point(|&(start, ..)| start <= start_ps);
                let found = behind.checked_sub(1).map(|at| steps[at]);
                found.map_or(0, |(_, end, row)| if start_ps < end { row } else { 0 })
            }
        }
    }

    fn of_tracks(session: &Session, title: impl Fn(TrackId) -> String) -> Self {
        let mut rows = Rows::default();
        let of = session.track_ids().map(|id| rows.row(title(id)));
        let of = Of::Track(of.collect());
        Self {
            names: rows.names,
            of,
        }
    }

    fn of_steps(session: &Session) -> Self {
        let mut rows = Rows::default();
        rows.row(NO_STEP.to_owned());
        let numbers = session.steps.iter().map(|step| step.number);
        let of_step: Vec<usize> = numbers
            .map(|number| rows.row(format!("step {number}")))
            .collect();
        let tracks = session.tracks.iter().map(|track| {
            let steps = session.steps.iter().zip(&of_step);
            let spans = steps.filter_map(|(step, &row)| {
                let on = step.seen_from(track.host, track.device)?;
                Some((on.span.start.0, on.span.end.0, row))
            });
            let mut spans: Vec<_> = spans.collect();
            spans.sort_unstable();
            spans
        });
        let of = Of::Time(tracks.collect());
        Self {
            names: rows.names,
            of,
        }
    }

    fn of_labels(session: &Session, by: AreaKey) -> Self {
        let mut names = Vec::new();
        let mut known: FxHashMap<Word, usize> = FxHashMap::default();
        let of = (0..session.labels.len()).map(|label| {
            let word = Word::of(session, LabelId::from_index(label), by);
            *known.entry(word).or_insert_with(|| {
                names.push(word.text(session));
                names.len() - 1
            })
        });
        let of = Of::Label(of.collect());
        Self { names, of }
    }
}

/// Rows by name, in the order in which they were first named.
#[derive(Default)]
struct Rows {
    names: Vec<String>,
    known: FxHashMap<String, usize>,
}

impl Rows {
    fn row(&mut self, name: String) -> usize {
        if let Some(&row) = self.known.get(&name) {
            return row;
        }
        self.names.push(name.clone());
        self.known.insert(name, self.names.len() - 1);
        self.names.len() - 1
    }
}

/// A key before it is converted to text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Word {
    Text(StringId),
    Class(Class),
    Program(ProgramId),
    NoScope,
    NoProgram,
}

impl Word {
    fn of(session: &Session, id: LabelId, by: AreaKey) -> Self {
        let label = session.label(id);
        let op = label.op.map(|op| session.op(op));
        match by {
            AreaKey::Class => Self::Class(label.class),
            AreaKey::Scope => {
                let scope = op.map(|op| op.scope).or(label.framework_op);
                scope
                    .filter(|&id| !session.text(id).is_empty())
                    .map_or(Self::NoScope, Self::Text)
            }
            AreaKey::Program => {
                let program = label.program.or_else(|| op.map(|op| op.program));
                program.map_or(Self::NoProgram, Self::Program)
            }
            AreaKey::Name | AreaKey::Track | AreaKey::Device | AreaKey::Step => {
                Self::Text(label.name)
            }
        }
    }

    fn text(self, session: &Session) -> String {
        match self {
            Self::Text(id) => session.text(id).to_owned(),
            Self::Class(class) => class.name().to_owned(),
            Self::Program(id) => session.program(id).title(),
            Self::NoScope => NO_SCOPE.to_owned(),
            Self::NoProgram => NO_PROGRAM.to_owned(),
        }
    }
}
