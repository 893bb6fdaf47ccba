//! From bytes to a [`Profile`], and telling a profile by its first bytes.

use stepscope_wire::{Cursor, Field, Value, WireError};

use crate::profile::{
    Function, Label, Line, Location, Mapping, Problem, ProblemKind, Profile, Sample, StringIndex,
    ValueType,
};

/// Problems kept with their place; the rest is counted.
const PROBLEMS_KEPT: usize = 16;

impl<'a> Profile<'a> {
    /// Decodes what can be decoded. A record that is damaged is left out and its neighbors are
    /// read; where the input ends early, what came before is there. See [`Profile::problems`].
    pub fn decode(bytes: &'a [u8]) -> Self {
        let mut profile = Self::default();
        let mut cursor = Cursor::new(bytes);
        loop {
            let offset = cursor.position();
            match cursor.whole_field() {
                Ok(Some(field)) => {
                    if let Err((kind, part)) = profile.read(field) {
                        profile.problem(offset, kind, part);
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    profile.problem(offset, error.into(), "profile");
                    break;
                }
            }
        }
        profile.locations_by_id = by_id(profile.locations.iter().map(|location| location.id));
        profile.functions_by_id = by_id(profile.functions.iter().map(|function| function.id));
        profile.mappings_by_id = by_id(profile.mappings.iter().map(|mapping| mapping.id));
        profile
    }

    /// Whether these bytes, the first of a decompressed file, begin a profile: it opens with its
    /// sample types, each a pair of small numbers, which no other message of JAX or XLA does.
    pub fn is_begun_by(head: &[u8]) -> bool {
        let mut cursor = Cursor::new(head);
        let mut has_type = false;
        loop {
            match cursor.whole_field() {
                Ok(Some(Field {
                    number: 1,
                    value: Value::Bytes(message),
                })) => match value_type(message) {
                    Ok(ValueType { kind, unit }) if kind.0 > 0 && unit.0 > 0 => has_type = true,
                    _ => return false,
                },
                // A second field that cannot be read is the end of what was looked at.
                Ok(Some(Field { number: 2..=15, .. }) | None) | Err(WireError::Truncated) => {
                    return has_type;
                }
                _ => return false,
            }
        }
    }

    fn problem(&mut self, offset: usize, kind: ProblemKind, part: &'static str) {
        self.problem_count += 1;
        if self.problems.len() < PROBLEMS_KEPT {
            self.problems.push(Problem { offset, kind, part });
        }
    }

    fn read(&mut self, field: Field<'a>) -> Result<(), (ProblemKind, &'static str)> {
        let part = part(field.number);
        let at = |kind| (kind, part);
        match (field.number, field.value) {
            (1, Value::Bytes(message)) => {
                self.sample_types.push(value_type(message).map_err(at)?);
            }
            (2, Value::Bytes(message)) => {
                let sample = self.sample(message).map_err(at)?;
                self.samples.push(sample);
            }
            (3, Value::Bytes(message)) => self.mappings.push(mapping(message).map_err(at)?),
            (4, Value::Bytes(message)) => {
                let location = self.location_message(message).map_err(at)?;
                self.locations.push(location);
            }
            (5, Value::Bytes(message)) => self.functions.push(function(message).map_err(at)?),
            (6, Value::Bytes(text)) => self.strings.push(text),
            (7, Value::Varint(value)) => self.drop_frames = string(value),
            (8, Value::Varint(value)) => self.keep_frames = string(value),
            (9, Value::Varint(value)) => self.time_nanos = value.cast_signed(),
            (10, Value::Varint(value)) => self.duration_nanos = value.cast_signed(),
            (11, Value::Bytes(message)) => self.period_type = value_type(message).map_err(at)?,
            (12, Value::Varint(value)) => self.period = value.cast_signed(),
            (13, value) => {
                let comments = &mut self.comments;
                numbers(value, |value| comments.push(string(value))).map_err(at)?;
            }
            (14, Value::Varint(value)) => self.default_sample_type = string(value),
            (1..=14, _) => return Err((ProblemKind::Mistyped, part)),
            _ => {}
        }
        Ok(())
    }

    /// Reads a sample; what a damaged one had put into the columns is taken back.
    fn sample(&mut self, message: &'a [u8]) -> Result<Sample, ProblemKind> {
        let (locations, values, labels) = (
            self.location_ids.len(),
            self.values.len(),
            self.labels.len(),
        );
        if let Err(kind) = self.sample_fields(message) {
            self.location_ids.truncate(locations);
            self.values.truncate(values);
            self.labels.truncate(labels);
            return Err(kind);
        }
        Ok(Sample {
            locations: locations..self.location_ids.len(),
            values: values..self.values.len(),
            labels: labels..self.labels.len(),
        })
    }

    fn sample_fields(&mut self, message: &'a [u8]) -> Result<(), ProblemKind> {
        let mut cursor = Cursor::new(message);
        while let Some(field) = cursor.whole_field()? {
            match (field.number, field.value) {
                (1, value) => numbers(value, |id| self.location_ids.push(id))?,
                (2, value) => numbers(value, |value| self.values.push(value.cast_signed()))?,
                (3, Value::Bytes(message)) => self.labels.push(label(message)?),
                (3, _) => return Err(ProblemKind::Mistyped),
                _ => {}
            }
        }
        Ok(())
    }

    fn location_message(&mut self, message: &'a [u8]) -> Result<Location, ProblemKind> {
        let first = self.lines.len();
        let mut location = Location::default();
        let mut cursor = Cursor::new(message);
        let read = loop {
            match cursor.whole_field() {
                Ok(None) => break Ok(()),
                Ok(Some(field)) => match (field.number, field.value) {
                    (1, Value::Varint(value)) => location.id = value,
                    (2, Value::Varint(value)) => location.mapping_id = value,
                    (3, Value::Varint(value)) => location.address = value,
                    (4, Value::Bytes(message)) => match line(message) {
                        Ok(line) => self.lines.push(line),
                        Err(kind) => break Err(kind),
                    },
                    (1..=4, _) => break Err(ProblemKind::Mistyped),
                    _ => {}
                },
                Err(error) => break Err(error.into()),
            }
        };
        if let Err(kind) = read {
            self.lines.truncate(first);
            return Err(kind);
        }
        location.lines = first..self.lines.len();
        Ok(location)
    }
}

const fn part(number: u32) -> &'static str {
    match number {
        1 => "sample type",
        2 => "sample",
        3 => "mapping",
        4 => "location",
        5 => "function",
        6 => "string",
        11 => "period type",
        13 => "comment",
        _ => "header",
    }
}

/// Of several records with one id the first counts.
fn by_id(ids: impl Iterator<Item = u64>) -> Vec<(u64, u32)> {
    let mut positions: Vec<(u64, u32)> = ids.zip(0..).collect();
    positions.sort_unstable();
    positions.dedup_by_key(|entry| entry.0);
    positions
}

const fn string(value: u64) -> StringIndex {
    StringIndex(value.cast_signed())
}

/// A repeated number: one by one, or packed.
fn numbers(value: Value<'_>, mut push: impl FnMut(u64)) -> Result<(), ProblemKind> {
    match value {
        Value::Varint(_) | Value::Bytes(_) => {
            for number in value.numbers() {
                push(number?);
            }
            Ok(())
        }
        _ => Err(ProblemKind::Mistyped),
    }
}

/// Hands the number fields of a message to `set` and checks that those up to `last` are numbers.
fn number_fields(
    message: &[u8],
    last: u32,
    mut set: impl FnMut(u32, u64),
) -> Result<(), ProblemKind> {
    let mut cursor = Cursor::new(message);
    while let Some(field) = cursor.whole_field()? {
        match field.value {
            Value::Varint(value) => set(field.number, value),
            _ if field.number <= last => return Err(ProblemKind::Mistyped),
            _ => {}
        }
    }
    Ok(())
}

fn value_type(message: &[u8]) -> Result<ValueType, ProblemKind> {
    let mut found = ValueType::default();
    number_fields(message, 2, |number, value| match number {
        1 => found.kind = string(value),
        2 => found.unit = string(value),
        _ => {}
    })?;
    Ok(found)
}

fn label(message: &[u8]) -> Result<Label, ProblemKind> {
    let mut found = Label::default();
    number_fields(message, 4, |number, value| match number {
        1 => found.key = string(value),
        2 => found.text = string(value),
        3 => found.number = value.cast_signed(),
        4 => found.number_unit = string(value),
        _ => {}
    })?;
    Ok(found)
}

fn line(message: &[u8]) -> Result<Line, ProblemKind> {
    let mut found = Line::default();
    number_fields(message, 2, |number, value| match number {
        1 => found.function_id = value,
        2 => found.line = value.cast_signed(),
        _ => {}
    })?;
    Ok(found)
}

fn mapping(message: &[u8]) -> Result<Mapping, ProblemKind> {
    let mut found = Mapping::default();
    number_fields(message, 10, |number, value| match number {
        1 => found.id = value,
        2 => found.memory_start = value,
        3 => found.memory_limit = value,
        4 => found.file_offset = value,
        5 => found.file = string(value),
        6 => found.build_id = string(value),
        _ => {}
    })?;
    Ok(found)
}

fn function(message: &[u8]) -> Result<Function, ProblemKind> {
    let mut found = Function::default();
    number_fields(message, 5, |number, value| match number {
        1 => found.id = value,
        2 => found.name = string(value),
        3 => found.system_name = string(value),
        4 => found.file = string(value),
        5 => found.start_line = value.cast_signed(),
        _ => {}
    })?;
    Ok(found)
}
