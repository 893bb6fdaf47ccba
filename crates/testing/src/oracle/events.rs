//! Every event of a space as a flat list, with names and stats looked up.

use std::collections::BTreeMap;
use std::io::Read;

use crate::space::{EventData, StatValue, XEvent, XPlane, XSpace, XStat};

/// One event with everything it refers to.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Name of its plane.
    pub plane: String,
    /// Id of its line.
    pub line_id: i64,
    /// Name of its line.
    pub line_name: String,
    /// Name of its metadata; empty if the file has none.
    pub name: String,
    /// Display name of its metadata.
    pub display_name: String,
    /// Start, in picoseconds as in the file; 0 for an aggregated event.
    pub start_ps: i128,
    /// Duration; for an aggregated event the sum.
    pub duration_ps: i128,
    /// For an aggregated event only: the number of occurrences.
    pub occurrences: Option<i64>,
    /// Its stats, and those of its metadata where it has none of that name itself.
    pub stats: Stats,
}

/// Stats by name, references followed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stats(BTreeMap<String, Option<StatValue>>);

/// The events of all planes and lines in file order.
pub fn events(space: &XSpace) -> Vec<Event> {
    let mut events = Vec::new();
    for plane in &space.planes {
        for line in &plane.lines {
            for event in &line.events {
                let (start_ps, occurrences) = match event.data {
                    Some(EventData::NumOccurrences(occurrences)) => (0, Some(occurrences)),
                    Some(EventData::OffsetPs(offset_ps)) => (
                        i128::from(line.timestamp_ns) * 1000 + i128::from(offset_ps),
                        None,
                    ),
                    None => (i128::from(line.timestamp_ns) * 1000, None),
                };
                let metadata = plane.metadata(event);
                events.push(Event {
                    plane: plane.name.clone(),
                    line_id: line.id,
                    line_name: line.name.clone(),
                    name: metadata
                        .map(|metadata| metadata.name.clone())
                        .unwrap_or_default(),
                    display_name: metadata
                        .map(|metadata| metadata.display_name.clone())
                        .unwrap_or_default(),
                    start_ps,
                    duration_ps: i128::from(event.duration_ps),
                    occurrences,
                    stats: stats_of(plane, event),
                });
            }
        }
    }
    events
}

impl Event {
    /// `start_ps + duration_ps`
    pub fn end_ps(&self) -> i128 {
        self.start_ps + self.duration_ps
    }

    /// The HLO instruction a TPU event executes: its display name, or its HLO text up to the
    /// equals sign.
    pub fn instruction_name(&self) -> String {
        if !self.display_name.is_empty() {
            return self.display_name.clone();
        }
        let text = self.name.split(" = ").next().unwrap_or_default();
        text.trim_start_matches('%').into()
    }
}

impl Stats {
    /// Whether there is a stat with this name.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The value; `None` if the stat is absent or has no value.
    pub fn value(&self, name: &str) -> Option<&StatValue> {
        self.0.get(name)?.as_ref()
    }

    /// The value as an integer: signed as it is, unsigned by its bits, text if it is one.
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.value(name)? {
            StatValue::Int64(number) => Some(*number),
            StatValue::Uint64(number) => Some(number.cast_signed()),
            StatValue::Str(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The value as a number.
    pub fn double(&self, name: &str) -> Option<f64> {
        match self.value(name)? {
            StatValue::Double(number) => Some(*number),
            StatValue::Int64(number) => Some(*number as f64),
            StatValue::Uint64(number) => Some(*number as f64),
            StatValue::Str(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The value as text, even if it was interned or compressed.
    pub fn text(&self, name: &str) -> Option<String> {
        match self.value(name)? {
            StatValue::Str(text) => Some(text.clone()),
            _ => None,
        }
    }
}

/// The event's own stats win over those of its metadata; of equal names, the first wins.
fn stats_of(plane: &XPlane, event: &XEvent) -> Stats {
    let of_metadata = plane.metadata(event).map(|metadata| &metadata.stats[..]);
    let mut stats = BTreeMap::new();
    for stat in event.stats.iter().chain(of_metadata.unwrap_or_default()) {
        let name = plane.stat_name(stat).to_owned();
        stats.entry(name).or_insert_with(|| resolved(plane, stat));
    }
    Stats(stats)
}

fn resolved(plane: &XPlane, stat: &XStat) -> Option<StatValue> {
    match stat.value.as_ref()? {
        StatValue::Ref(id) => {
            let metadata = plane.stat_metadata.get(&id.cast_signed());
            Some(StatValue::Str(
                metadata
                    .map(|metadata| metadata.name.clone())
                    .unwrap_or_default(),
            ))
        }
        StatValue::CompressedStr(bytes) => {
            let mut text = String::new();
            flate2::read::GzDecoder::new(&bytes[..])
                .read_to_string(&mut text)
                .ok()?;
            Some(StatValue::Str(text))
        }
        value => Some(value.clone()),
    }
}
