//! pprof's `profile.proto` by `prost` derive: a second opinion on our own reader, synthetic
//! profiles for tests, and the simplest way to read one.

use std::collections::BTreeMap;
use std::path::Path;

use prost::Message;

use crate::corpus::{ReadError, read_bytes};

/// A profile: everything refers to texts by their number in the string table.
#[derive(Clone, PartialEq, Message)]
pub struct Profile {
    /// In the order of the values.
    #[prost(message, repeated, tag = "1")]
    pub sample_type: Vec<ValueType>,
    /// Stacks.
    #[prost(message, repeated, tag = "2")]
    pub sample: Vec<Sample>,
    /// Mapped files.
    #[prost(message, repeated, tag = "3")]
    pub mapping: Vec<Mapping>,
    /// Locations.
    #[prost(message, repeated, tag = "4")]
    pub location: Vec<Location>,
    /// Functions.
    #[prost(message, repeated, tag = "5")]
    pub function: Vec<Function>,
    /// Texts; the first is empty.
    #[prost(string, repeated, tag = "6")]
    pub string_table: Vec<String>,
    /// Pattern, by number.
    #[prost(int64, tag = "7")]
    pub drop_frames: i64,
    /// Pattern, by number.
    #[prost(int64, tag = "8")]
    pub keep_frames: i64,
    /// Since the Unix epoch.
    #[prost(int64, tag = "9")]
    pub time_nanos: i64,
    /// Of the profile.
    #[prost(int64, tag = "10")]
    pub duration_nanos: i64,
    /// Kind of period between samples.
    #[prost(message, optional, tag = "11")]
    pub period_type: Option<ValueType>,
    /// How much of it.
    #[prost(int64, tag = "12")]
    pub period: i64,
    /// Texts, by number.
    #[prost(int64, repeated, tag = "13")]
    pub comment: Vec<i64>,
    /// By number.
    #[prost(int64, tag = "14")]
    pub default_sample_type: i64,
}

/// What one value of each sample measures.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct ValueType {
    /// Name, by number.
    #[prost(int64, tag = "1")]
    pub r#type: i64,
    /// Unit, by number.
    #[prost(int64, tag = "2")]
    pub unit: i64,
}

/// A stack with its values and labels.
#[derive(Clone, PartialEq, Message)]
pub struct Sample {
    /// Leaf first.
    #[prost(uint64, repeated, tag = "1")]
    pub location_id: Vec<u64>,
    /// One per sample type.
    #[prost(int64, repeated, tag = "2")]
    pub value: Vec<i64>,
    /// Labels.
    #[prost(message, repeated, tag = "3")]
    pub label: Vec<Label>,
}

/// A label: text, or a number with a unit.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Label {
    /// Name, by number.
    #[prost(int64, tag = "1")]
    pub key: i64,
    /// Text value, by number.
    #[prost(int64, tag = "2")]
    pub str: i64,
    /// Number value.
    #[prost(int64, tag = "3")]
    pub num: i64,
    /// By number.
    #[prost(int64, tag = "4")]
    pub num_unit: i64,
}

/// A file that was mapped into the process.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Mapping {
    /// From 1 on.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// First address.
    #[prost(uint64, tag = "2")]
    pub memory_start: u64,
    /// Behind the last.
    #[prost(uint64, tag = "3")]
    pub memory_limit: u64,
    /// Of the first address.
    #[prost(uint64, tag = "4")]
    pub file_offset: u64,
    /// By number.
    #[prost(int64, tag = "5")]
    pub filename: i64,
    /// By number.
    #[prost(int64, tag = "6")]
    pub build_id: i64,
    /// Whether functions are known.
    #[prost(bool, tag = "7")]
    pub has_functions: bool,
}

/// A location in the program.
#[derive(Clone, PartialEq, Message)]
pub struct Location {
    /// From 1 on.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// 0 for none.
    #[prost(uint64, tag = "2")]
    pub mapping_id: u64,
    /// 0 for none.
    #[prost(uint64, tag = "3")]
    pub address: u64,
    /// Innermost first; or the number.
    #[prost(message, repeated, tag = "4")]
    pub line: Vec<Line>,
}

/// A line of a function.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Line {
    /// Its function.
    #[prost(uint64, tag = "1")]
    pub function_id: u64,
    /// Innermost first; or the number.
    #[prost(int64, tag = "2")]
    pub line: i64,
}

/// A function.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Function {
    /// From 1 on.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// By number.
    #[prost(int64, tag = "2")]
    pub name: i64,
    /// By number.
    #[prost(int64, tag = "3")]
    pub system_name: i64,
    /// By number.
    #[prost(int64, tag = "4")]
    pub filename: i64,
    /// Line on which it starts.
    #[prost(int64, tag = "5")]
    pub start_line: i64,
}

/// A sample with everything resolved, as a person would write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlatSample {
    /// Function, file and line, innermost first.
    pub stack: Vec<(String, String, i64)>,
    /// Text labels.
    pub labels: BTreeMap<String, String>,
    /// One value per sample type.
    pub values: Vec<i64>,
}

/// The profile in a file, gzipped or not.
pub fn read(path: &Path) -> Result<Profile, ReadError> {
    let bytes = read_bytes(path)?;
    Profile::decode(bytes.as_slice()).map_err(|source| ReadError::Decode {
        path: path.to_path_buf(),
        source,
    })
}

impl Profile {
    /// The bytes of the profile, not compressed.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.encode_to_vec()
    }

    /// The text of a number.
    ///
    /// # Panics
    ///
    /// Panics if the table has no such number.
    pub fn text(&self, number: i64) -> &str {
        &self.string_table[usize::try_from(number).expect("a number of the table")]
    }

    /// All samples with everything resolved, by linear search.
    ///
    /// # Panics
    ///
    /// Panics if something is missing.
    pub fn flat(&self) -> Vec<FlatSample> {
        let samples = self.sample.iter();
        samples
            .map(|sample| FlatSample {
                stack: self.stack(sample),
                labels: sample
                    .label
                    .iter()
                    .map(|label| {
                        let text = |number| self.text(number).to_owned();
                        (text(label.key), text(label.str))
                    })
                    .collect(),
                values: sample.value.clone(),
            })
            .collect()
    }

    fn stack(&self, sample: &Sample) -> Vec<(String, String, i64)> {
        let mut frames = Vec::new();
        for id in &sample.location_id {
            let mut locations = self.location.iter();
            let location = locations.find(|location| location.id == *id);
            for line in &location.expect("its location").line {
                let mut functions = self.function.iter();
                let function = functions.find(|function| function.id == line.function_id);
                let function = function.expect("its function");
                let text = |number| self.text(number).to_owned();
                frames.push((text(function.name), text(function.filename), line.line));
            }
        }
        frames
    }

    /// A profile like JAX's: each sample is its stack, innermost first, as `function file:line`,
    /// its kind, its device (may be empty), allocations, and bytes.
    pub fn drawn(samples: &[(&[&str], &str, &str, i64, i64)]) -> Self {
        let mut profile = Self::default();
        profile.number("");
        let (allocations, count) = (profile.number("allocations"), profile.number("count"));
        let (space, bytes) = (profile.number("space"), profile.number("bytes"));
        let value_type = |r#type, unit| ValueType { r#type, unit };
        profile.sample_type = vec![value_type(allocations, count), value_type(space, bytes)];
        for (stack, kind, device, allocations, bytes) in samples {
            let location_id = stack.iter().map(|frame| profile.place(frame)).collect();
            let mut label = Vec::new();
            for (key, text) in [("kind", kind), ("device", device)] {
                if !text.is_empty() {
                    let (key, str) = (profile.number(key), profile.number(text));
                    label.push(Label {
                        key,
                        str,
                        ..Label::default()
                    });
                }
            }
            profile.sample.push(Sample {
                location_id,
                value: vec![*allocations, *bytes],
                label,
            });
        }
        profile
    }

    /// The number of a text, which is added if new.
    fn number(&mut self, text: &str) -> i64 {
        let known = self.string_table.iter().position(|known| known == text);
        let index = known.unwrap_or_else(|| {
            self.string_table.push(text.to_owned());
            self.string_table.len() - 1
        });
        i64::try_from(index).expect("few texts")
    }

    /// A separate location for `function file:line`.
    fn place(&mut self, frame: &str) -> u64 {
        let (name, source) = frame.split_once(' ').unwrap_or((frame, ""));
        let (file, line) = source.rsplit_once(':').unwrap_or((source, "0"));
        let function_id = self.function.len() as u64 + 1;
        let (name, filename) = (self.number(name), self.number(file));
        self.function.push(Function {
            id: function_id,
            name,
            system_name: name,
            filename,
            start_line: 0,
        });
        let id = self.location.len() as u64 + 1;
        let line = line.parse().expect("a line number");
        self.location.push(Location {
            id,
            line: vec![Line { function_id, line }],
            ..Location::default()
        });
        id
    }
}
