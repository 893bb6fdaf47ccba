//! The state while building: the space, the current plane and line, and the interned names.

use std::collections::BTreeMap;
use std::io::Write;

use super::problem::Checked;
use super::text::{self, Event, Group, Value, When};
use crate::space::{
    EventData, StatValue, XEvent, XEventMetadata, XLine, XPlane, XSpace, XStat, XStatMetadata,
};

const PICOS_PER_NANO: i128 = 1000;

/// The first ID given to a line whose name does not determine it.
const FIRST_FREE_LINE_ID: i64 = 1000;

/// Lines whose id is fixed by convention, on TPU planes.
const TPU_LINE_IDS: [(&str, i64); 7] = [
    ("Steps", 1),
    ("XLA Modules", 2),
    ("XLA Ops", 3),
    ("Async XLA Ops", 4),
    ("XLA TraceMe", 6),
    ("Overlay", 7),
    ("TC Overlay", 7),
];

/// Stats that are unsigned integers in recorded files; all others are signed.
const UNSIGNED_STATS: [&str; 12] = [
    "all_reduce_unique_id",
    "correlation_id",
    "cuda_graph_id",
    "device_duration_ps",
    "device_id",
    "device_offset_ps",
    "flow",
    "memory_bandwidth",
    "memory_size",
    "profile_start_time",
    "profile_stop_time",
    "symbol_id",
];

#[derive(Default)]
pub(super) struct Canvas {
    pub(super) space: XSpace,
    /// The current plane and line; indices into `space`.
    plane: Option<usize>,
    line: Option<usize>,
    /// The parts of each plane that `split` has closed: earlier planes, or earlier lines of a
    /// plane.
    closed_planes: usize,
    closed_lines: BTreeMap<usize, usize>,
    origin_ns: i64,
    /// Stats of every further event of the line.
    defaults: Vec<Group>,
    /// Event metadata by plane and name: the latest.
    latest_metadata: BTreeMap<(usize, String), i64>,
    /// All of them, in the order of their ids.
    metadata_by_name: BTreeMap<(usize, String), Vec<i64>>,
}

impl Canvas {
    pub(super) fn split(&mut self) {
        self.closed_planes = self.space.planes.len();
        let lines = self
            .space
            .planes
            .iter()
            .map(|plane| plane.lines.len())
            .enumerate();
        self.closed_lines = lines.collect();
        (self.plane, self.line) = (None, None);
    }

    pub(super) fn set_origin(&mut self, time: &str) -> Checked<()> {
        if self
            .space
            .planes
            .iter()
            .any(|plane| !plane.lines.is_empty())
        {
            return Err("`origin` has to stand before the first line".into());
        }
        self.origin_ns = whole_nanos(text::parse_time(time, None)?)?;
        Ok(())
    }

    pub(super) fn open_host_plane(&mut self) {
        self.open_plane("/host:CPU", 0);
    }

    /// Continues the plane with this name, or starts one.
    pub(super) fn open_plane(&mut self, name: &str, id: i64) {
        let open = self.space.planes.iter().skip(self.closed_planes);
        let found = open.enumerate().find(|(_, plane)| plane.name == name);
        let found = found.map(|(index, _)| index + self.closed_planes);
        self.line = None;
        self.plane = Some(found.unwrap_or_else(|| {
            self.space.planes.push(XPlane {
                id,
                name: name.into(),
                ..XPlane::default()
            });
            self.space.planes.len() - 1
        }));
    }

    /// Continues the line with this name (with this ID, if given), or starts one.
    pub(super) fn open_line(
        &mut self,
        name: &str,
        id: Option<i64>,
        groups: Vec<Group>,
    ) -> Checked<()> {
        let plane_index = self
            .plane
            .ok_or("a line needs a plane, device or thread before it")?;
        let (mut id, mut at_ns) = (id, 0);
        for (key, value) in groups.into_iter().flat_map(|group| group.stats) {
            match (key.as_str(), value) {
                ("id", Value::Signed(number)) => id = Some(number),
                ("at", Value::Text(time)) => {
                    at_ns = whole_nanos(text::parse_time(&time, None)?)?;
                }
                _ => {
                    return Err(format!(
                        "a line has no `{key}` of that kind; it has id and at"
                    ));
                }
            }
        }
        let closed = self.closed_lines.get(&plane_index).copied().unwrap_or(0);
        let origin_ns = self.origin_ns;
        let plane = &mut self.space.planes[plane_index];
        let found = plane.lines.iter().skip(closed).position(|line| match id {
            Some(id) => line.id == id,
            None => line.name == name,
        });
        self.line = Some(found.map_or(plane.lines.len(), |position| position + closed));
        if found.is_none() {
            let timestamp_ns = origin_ns
                .checked_add(at_ns)
                .ok_or("the base is out of range")?;
            let id = id.unwrap_or_else(|| line_id(plane, name));
            let name = name.into();
            plane.lines.push(XLine {
                id,
                name,
                timestamp_ns,
                ..XLine::default()
            });
        }
        self.defaults.clear();
        Ok(())
    }

    pub(super) fn set_defaults(&mut self, groups: Vec<Group>) {
        self.defaults = groups;
    }

    /// Adds stats to the current plane; existing stats are overridden.
    pub(super) fn add_plane_stats(&mut self, groups: Vec<Group>) -> Checked<()> {
        let index = self.plane.ok_or("stats need a plane before them")?;
        let plane = &mut self.space.planes[index];
        for (key, value) in groups.into_iter().flat_map(|group| group.stats) {
            let stat = stat(plane, &key, &value, "", TextPlace::InPlace)?;
            plane
                .stats
                .retain(|other| other.metadata_id != stat.metadata_id);
            plane.stats.push(stat);
        }
        Ok(())
    }

    pub(super) fn add_event(&mut self, event: &Event, shift_ps: i128) -> Checked<()> {
        let at_hand = self.plane.zip(self.line);
        let (plane_index, line_index) =
            at_hand.ok_or("an event needs a line, stream or thread before it")?;
        if event.name.is_empty() {
            return Err("an event needs a name".into());
        }
        let line_name = self.space.planes[plane_index].lines[line_index]
            .name
            .clone();
        let metadata_id = self.metadata_of(plane_index, &line_name, event)?;
        let event_stats = with_defaults(&self.defaults, &event.groups, false);
        let plane = &mut self.space.planes[plane_index];
        let stats = event_stats
            .iter()
            .map(|(key, value)| stat(plane, key, value, &event.name, TextPlace::Interned))
            .collect::<Checked<Vec<XStat>>>()?;
        let line = &mut plane.lines[line_index];
        let base_ps = i128::from(line.timestamp_ns - self.origin_ns) * PICOS_PER_NANO;
        let (data, duration_ps) = match event.when {
            When::At {
                start_ps,
                duration_ps,
            } => (
                EventData::OffsetPs(picos(start_ps + shift_ps - base_ps)?),
                duration_ps,
            ),
            When::Aggregated {
                occurrences,
                total_ps,
            } => (EventData::NumOccurrences(occurrences), total_ps),
        };
        let duration_ps = picos(duration_ps)?;
        line.events.push(XEvent {
            metadata_id,
            data: Some(data),
            duration_ps,
            stats,
        });
        Ok(())
    }

    /// `hbm_gbps 0us=1.5 10us=2.5`
    pub(super) fn add_counter(&mut self, arguments: &str, shift_ps: i128) -> Checked<()> {
        let (name, samples) = text::split_word(arguments);
        if samples.is_empty() {
            return Err("a counter reads like `counter name 0us=1.5 10us=2`".into());
        }
        self.open_line("_counters_", None, Vec::new())?;
        for sample in samples.split_whitespace() {
            let (time, value) = sample
                .split_once('=')
                .ok_or_else(|| format!("`{sample}` has no value"))?;
            let text = format!("{time} \"{name}\" [counter_value={value}]");
            self.add_event(&text::parse_event(&text)?, shift_ps)?;
        }
        Ok(())
    }

    pub(super) fn add_program(&mut self, name: &str, id: u64, hlo_proto: Vec<u8>) {
        self.open_plane("/host:metadata", 0);
        let Some(plane) = self
            .plane
            .and_then(|index| self.space.planes.get_mut(index))
        else {
            return;
        };
        let hlo = stat_id(plane, "Hlo Proto");
        let program_id = stat_id(plane, "program_id");
        // XProf keys the entry by the program ID, as i64, since IDs are fingerprints.
        let key = id.cast_signed();
        let stats = vec![
            XStat {
                metadata_id: hlo,
                value: Some(StatValue::Bytes(hlo_proto)),
            },
            XStat {
                metadata_id: program_id,
                value: Some(StatValue::Uint64(id)),
            },
        ];
        let name = format!("{name}({id})");
        let metadata = XEventMetadata {
            id: key,
            name,
            stats,
            ..XEventMetadata::default()
        };
        plane.event_metadata.insert(key, metadata);
    }

    /// The metadata id of the event: the latest of that name, or a new one where there is
    /// none or where the event states other stats for it.
    fn metadata_of(&mut self, plane_index: usize, line: &str, event: &Event) -> Checked<i64> {
        let stated = event.groups.iter().any(|group| group.of_metadata);
        let key = (plane_index, event.name.clone());
        let known = self.latest_metadata.get(&key).copied();
        if let Some(id) = known.filter(|_| !stated) {
            return Ok(id);
        }
        let plane = &mut self.space.planes[plane_index];
        let stats = with_defaults(&self.defaults, &event.groups, true)
            .iter()
            .map(|(key, value)| stat(plane, key, value, &event.name, TextPlace::InPlace))
            .collect::<Checked<Vec<XStat>>>()?;
        let same =
            |metadata: &&XEventMetadata| metadata.name == event.name && metadata.stats == stats;
        let known = self
            .metadata_by_name
            .entry((plane_index, event.name.clone()));
        let known = known.or_default();
        let mut of_name = known.iter().filter_map(|id| plane.event_metadata.get(id));
        let id = of_name.find(same).map(|metadata| metadata.id);
        let id = id.unwrap_or_else(|| {
            let id = next_id(&plane.event_metadata);
            let (name, display_name) = (event.name.clone(), display_name(line, &event.name));
            let metadata = XEventMetadata {
                id,
                name,
                display_name,
                stats,
                ..Default::default()
            };
            plane.event_metadata.insert(id, metadata);
            known.push(id);
            id
        });
        self.latest_metadata.insert(key, id);
        Ok(id)
    }
}

/// Where text goes by default.
#[derive(Clone, Copy)]
enum TextPlace {
    InPlace,
    Interned,
}

fn stat(
    plane: &mut XPlane,
    key: &str,
    value: &Value,
    event_name: &str,
    text_place: TextPlace,
) -> Checked<XStat> {
    let mut interned = |text: &str| StatValue::Ref(stat_id(plane, text).unsigned_abs());
    let value = match (value, text_place) {
        (Value::Signed(number), _) => integer(key, *number, text_place),
        (Value::Unsigned(number), _) => StatValue::Uint64(*number),
        (Value::Double(number), _) => StatValue::Double(*number),
        (Value::Bytes(bytes), _) => StatValue::Bytes(bytes.clone()),
        (Value::Gzip(text), _) => StatValue::CompressedStr(gzip(text)?),
        (Value::InPlace(text), _) | (Value::Text(text), TextPlace::InPlace) => {
            StatValue::Str(text.clone())
        }
        (Value::Reference(text), _) | (Value::Text(text), TextPlace::Interned) => interned(text),
        (Value::EventName, TextPlace::InPlace) => StatValue::Str(event_name.into()),
        (Value::EventName, TextPlace::Interned) => interned(event_name),
    };
    Ok(XStat {
        metadata_id: stat_id(plane, key),
        value: Some(value),
    })
}

/// An integer with the sign it has in a recorded file: a program ID is unsigned in metadata.
fn integer(key: &str, number: i64, text_place: TextPlace) -> StatValue {
    let on_metadata = matches!(text_place, TextPlace::InPlace);
    let is_unsigned = UNSIGNED_STATS.contains(&key) || (key == "program_id" && on_metadata);
    match u64::try_from(number) {
        Ok(number) if is_unsigned => StatValue::Uint64(number),
        _ => StatValue::Int64(number),
    }
}

/// The ID of a stat name or interned text; IDs start at 1.
fn stat_id(plane: &mut XPlane, name: &str) -> i64 {
    let known = plane
        .stat_metadata
        .values()
        .find(|metadata| metadata.name == name);
    if let Some(metadata) = known {
        return metadata.id;
    }
    let id = next_id(&plane.stat_metadata);
    let metadata = XStatMetadata {
        id,
        name: name.into(),
        ..XStatMetadata::default()
    };
    plane.stat_metadata.insert(id, metadata);
    id
}

fn next_id<T>(entries: &BTreeMap<i64, T>) -> i64 {
    entries
        .last_key_value()
        .map_or(1, |(&last, _)| last.max(0) + 1)
}

/// The defaults of the line, then the event's own, which win.
fn with_defaults(defaults: &[Group], own: &[Group], of_metadata: bool) -> Vec<(String, Value)> {
    let mut stats: Vec<(String, Value)> = Vec::new();
    for group in defaults
        .iter()
        .chain(own)
        .filter(|group| group.of_metadata == of_metadata)
    {
        for (key, value) in &group.stats {
            match stats.iter_mut().find(|(other, _)| other == key) {
                Some((_, old)) => *old = value.clone(),
                None => stats.push((key.clone(), value.clone())),
            }
        }
    }
    stats
}

/// `tf_XLAEigen/42` has id 42, `XLA Ops` of a TPU has id 3, others are counted up.
fn line_id(plane: &XPlane, name: &str) -> i64 {
    let after_slash = name
        .rsplit_once('/')
        .and_then(|(_, number)| number.parse().ok());
    let fixed = TPU_LINE_IDS
        .iter()
        .find(|(line, _)| *line == name)
        .map(|&(_, id)| id);
    let fixed = fixed.filter(|_| plane.name.starts_with("/device:TPU:"));
    let next = plane
        .lines
        .iter()
        .map(|line| line.id.saturating_add(1))
        .max();
    after_slash
        .or(fixed)
        .unwrap_or_else(|| next.unwrap_or(0).max(FIRST_FREE_LINE_ID))
}

/// TPU ops are named by their HLO text and displayed by the instruction's name.
fn display_name(line: &str, name: &str) -> String {
    if !matches!(line, "XLA Ops" | "Async XLA Ops") {
        return String::new();
    }
    let instruction = name
        .split_once(" = ")
        .map_or(name, |(instruction, _)| instruction);
    instruction.trim_start_matches('%').into()
}

fn gzip(text: &str) -> Checked<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder
        .write_all(text.as_bytes())
        .map_err(|error| error.to_string())?;
    encoder.finish().map_err(|error| error.to_string())
}

fn picos(time_ps: i128) -> Checked<i64> {
    i64::try_from(time_ps).map_err(|_| "the time is out of range".into())
}

fn whole_nanos(time_ps: i128) -> Checked<i64> {
    if time_ps % PICOS_PER_NANO != 0 {
        return Err("a base is in whole nanoseconds".into());
    }
    i64::try_from(time_ps / PICOS_PER_NANO).map_err(|_| "the time is out of range".into())
}
