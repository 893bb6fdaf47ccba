//! A profile in the making: events of another format arrive in any order, and become the bytes of an
//! XSpace at the end.
//!
//! Events are serialized as they come, line by line, so that a trace takes the memory of its profile
//! and no more. At the end each line is copied once into its place: that is when lines are sorted,
//! times are moved to the trace's first instant, and arrows find the events they lead to.

mod arrows;
mod indices;
mod line;
mod tables;

use std::collections::BTreeMap;

use stepscope_model::Picos;
use stepscope_wire::{push_bytes, push_varint};

pub(crate) use arrows::{Arrows, End, EndKind, Target};
pub(crate) use indices::{LineIndex, PlaneIndex};
pub(crate) use line::{EventStats, Line, written_stats};
pub(crate) use tables::{Tables, Value};

/// Text of a profile's warnings that its conversion wrote, not a profiler. The model knows it.
pub(crate) const REMARK: &str = "converted: ";

/// The category of slices that our own traces hold beside what was recorded: steps and program runs,
/// which the model finds again.
pub(crate) const DERIVED: &[u8] = b"stepscope.derived";

/// Whether a time in picoseconds is one that a session may have.
pub(crate) fn is_plausible(time: i64) -> bool {
    Picos(time).within_reach() == Picos(time)
}

/// A plane in the making.
#[derive(Default)]
pub(crate) struct Plane {
    pub(crate) name: String,
    pub(crate) tables: Tables,
    /// Facts about it.
    pub(crate) stats: Vec<(String, Owned)>,
}

/// A value of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Owned {
    Int(i64),
    Uint(u64),
    Text(String),
}

impl Owned {
    pub(crate) fn as_value(&self) -> Value<'_> {
        match self {
            Self::Int(value) => Value::Int(*value),
            Self::Uint(value) => Value::Uint(*value),
            Self::Text(text) => Value::Text(text.as_bytes()),
        }
    }
}

/// The profile of one host in the making.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) planes: Vec<Plane>,
    pub(crate) lines: Vec<Line>,
    pub(crate) arrows: Arrows,
    /// Sentences about what the conversion left out or assumed.
    pub(crate) remarks: Vec<String>,
    /// Nanoseconds since the Unix epoch at the drafts's time 0, where the trace tells.
    pub(crate) epoch_ns: Option<i64>,
    /// Facts about the environment.
    pub(crate) facts: BTreeMap<String, Owned>,
}

impl Draft {
    pub(crate) fn add_plane(&mut self, name: impl Into<String>) -> PlaneIndex {
        self.planes.push(Plane {
            name: name.into(),
            ..Plane::default()
        });
        PlaneIndex(self.planes.len() - 1)
    }

    pub(crate) fn add_line(&mut self, plane: PlaneIndex, id: i64, name: &str) -> LineIndex {
        self.lines.push(Line::new(plane, id, name));
        LineIndex(u32::try_from(self.lines.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn plane(&mut self, index: PlaneIndex) -> &mut Plane {
        &mut self.planes[index.0]
    }

    pub(crate) fn line(&mut self, index: LineIndex) -> &mut Line {
        &mut self.lines[index.0 as usize]
    }

    /// A line and the tables of its plane.
    #[inline]
    pub(crate) fn line_and_tables(&mut self, index: LineIndex) -> (&mut Line, &mut Tables) {
        let line = &mut self.lines[index.0 as usize];
        let tables = &mut self.planes[line.plane.0].tables;
        (line, tables)
    }

    /// The earliest start of any event.
    pub(crate) fn first_start(&self) -> Option<i64> {
        let lines = self.lines.iter().filter(|line| line.count > 0);
        lines.map(|line| line.first_start).min()
    }

    /// The latest end of any event.
    pub(crate) fn last_end(&self) -> i64 {
        let ends = self.lines.iter().map(|line| line.last_end);
        ends.max().unwrap_or(0)
    }

    /// The bytes of the profile. Times are moved so that `zero_ps` becomes 0.
    pub(crate) fn into_bytes(mut self, zero_ps: i64) -> Vec<u8> {
        self.add_environment(zero_ps);
        let mut arrows = std::mem::take(&mut self.arrows).bind(&self.lines);
        let mut lines: Vec<Vec<Line>> = Vec::new();
        lines.resize_with(self.planes.len(), Vec::new);
        for (index, line) in self.lines.into_iter().enumerate() {
            if line.count > 0 {
                let mut line = line;
                line.arrows = arrows.remove(&index).unwrap_or_default();
                lines[line.plane.0].push(line);
            }
        }
        let mut out = Vec::new();
        for (mut plane, lines) in self.planes.into_iter().zip(lines) {
            if !lines.is_empty() || !plane.stats.is_empty() {
                write_plane(&mut out, &mut plane, lines, zero_ps);
            }
        }
        for remark in self.remarks {
            push_bytes(&mut out, 3, format!("{REMARK}{remark}").as_bytes());
        }
        out
    }

    fn add_environment(&mut self, zero_ps: i64) {
        let epoch = self
            .epoch_ns
            .and_then(|epoch| epoch.checked_add(zero_ps / 1000));
        let end_ns = self.last_end().saturating_sub(zero_ps).max(0) / 1000;
        let mut stats: Vec<(String, Owned)> = Vec::new();
        if let Some(start) = epoch.filter(|&start| start > 0) {
            let stop = start.saturating_add(end_ns);
            stats.push((
                "profile_start_time".to_owned(),
                Owned::Uint(start.cast_unsigned()),
            ));
            stats.push((
                "profile_stop_time".to_owned(),
                Owned::Uint(stop.cast_unsigned()),
            ));
        }
        stats.extend(std::mem::take(&mut self.facts));
        if !stats.is_empty() {
            let plane = self.add_plane("Task Environment");
            self.planes[plane.0].stats = stats;
        }
    }
}

/// Tag of a plane in its profile.
const PLANE_TAG: u8 = 0x0a;

fn write_plane(out: &mut Vec<u8>, plane: &mut Plane, lines: Vec<Line>, zero_ps: i64) {
    let mut parts: Vec<Vec<u8>> = Vec::with_capacity(lines.len() + 4);
    let mut head = Vec::new();
    push_bytes(&mut head, 2, plane.name.as_bytes());
    let mut tables = std::mem::take(&mut plane.tables);
    for line in lines {
        parts.push(line.into_message(&mut tables, zero_ps));
    }
    let mut stats = Vec::new();
    for (name, value) in &plane.stats {
        let id = tables.stat(name.as_bytes());
        tables.write_stat(&mut stats, 6, id, value.as_value());
    }
    parts.extend(tables.into_parts());
    parts.push(stats);
    let length = head.len() + parts.iter().map(Vec::len).sum::<usize>();
    out.reserve(length + 16);
    out.push(PLANE_TAG);
    push_varint(out, length as u64);
    out.extend_from_slice(&head);
    // Each part is freed as soon as it is copied.
    for part in parts {
        out.extend_from_slice(&part);
    }
}
