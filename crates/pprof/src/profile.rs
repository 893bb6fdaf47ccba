//! What a profile holds. Names are numbers of the string table, as in the file.

use std::borrow::Cow;
use std::ops::Range;

use stepscope_wire::WireError;

/// A text: its number in the profile's string table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct StringIndex(pub i64);

/// What one value of every sample measures, such as `space` in `bytes`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ValueType {
    /// Name of the quantity.
    pub kind: StringIndex,
    /// Its unit.
    pub unit: StringIndex,
}

/// One sample: a stack, its values and its labels. The parts are in [`Profile`]'s columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sample {
    pub(crate) locations: Range<usize>,
    pub(crate) values: Range<usize>,
    pub(crate) labels: Range<usize>,
}

/// A label of a sample: text or number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Label {
    /// Name.
    pub key: StringIndex,
    /// Text value; 0 where the value is a number.
    pub text: StringIndex,
    /// Number value.
    pub number: i64,
    /// Unit of the number.
    pub number_unit: StringIndex,
}

/// A binary or library that was mapped into the process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mapping {
    /// Number by which locations name it, from 1 on.
    pub id: u64,
    /// First address.
    pub memory_start: u64,
    /// Address behind the last.
    pub memory_limit: u64,
    /// Offset in the file of the first address.
    pub file_offset: u64,
    /// File.
    pub file: StringIndex,
    /// Build id.
    pub build_id: StringIndex,
}

/// A place in the program. Several lines where functions were inlined into one another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// Number by which samples name it, from 1 on.
    pub id: u64,
    /// Its mapping; 0 for none.
    pub mapping_id: u64,
    /// Address; 0 where there is none, as for Python.
    pub address: u64,
    pub(crate) lines: Range<usize>,
}

/// A line of a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Line {
    /// Its function.
    pub function_id: u64,
    /// Line number; 0 where unknown.
    pub line: i64,
}

/// A function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Function {
    /// Number by which lines name it, from 1 on.
    pub id: u64,
    /// Name as people read it.
    pub name: StringIndex,
    /// Name as the system has it, perhaps mangled.
    pub system_name: StringIndex,
    /// Source file.
    pub file: StringIndex,
    /// Line it begins at.
    pub start_line: i64,
}

/// Something that could not be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// Byte offset in the decompressed profile.
    pub offset: usize,
    /// What is wrong there.
    pub kind: ProblemKind,
    /// Which part of the profile, such as `sample`.
    pub part: &'static str,
}

/// What is wrong with a part of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// The input ends within it.
    Truncated,
    /// No protobuf: a varint of more than ten bytes, a field number or a wire type that cannot be.
    Malformed,
    /// A field has another type than it must have.
    Mistyped,
}

impl From<WireError> for ProblemKind {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Truncated => Self::Truncated,
            WireError::Malformed => Self::Malformed,
        }
    }
}

impl ProblemKind {
    /// The words for a sentence that begins with the part: "the sample ends early".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Truncated => "ends early",
            Self::Malformed => "is not valid protobuf",
            Self::Mistyped => "has a field of the wrong type",
        }
    }
}

/// A decoded profile. Everything is as the file has it; numbers that lead nowhere give nothing.
#[derive(Debug, Clone, Default)]
pub struct Profile<'a> {
    /// What the values of a sample are, in order.
    pub sample_types: Vec<ValueType>,
    /// Samples, in order.
    pub samples: Vec<Sample>,
    /// Mappings, in order.
    pub mappings: Vec<Mapping>,
    /// Locations, in order.
    pub locations: Vec<Location>,
    /// Functions, in order.
    pub functions: Vec<Function>,
    /// Frames that were to be dropped, as a regular expression; JAX sets none.
    pub drop_frames: StringIndex,
    /// Frames that were to be kept all the same.
    pub keep_frames: StringIndex,
    /// When it was taken, nanoseconds since the Unix epoch; 0 where not recorded, as by JAX.
    pub time_nanos: i64,
    /// Over which time, in nanoseconds; 0 where not recorded.
    pub duration_nanos: i64,
    /// What lies between two samples.
    pub period_type: ValueType,
    /// How much of it.
    pub period: i64,
    /// Remarks.
    pub comments: Vec<StringIndex>,
    /// The sample type to show first; 0 for the last.
    pub default_sample_type: StringIndex,
    /// What could not be decoded, the first few; what they concern is left out.
    pub problems: Vec<Problem>,
    /// How many problems there were.
    pub problem_count: usize,
    pub(crate) strings: Vec<&'a [u8]>,
    pub(crate) location_ids: Vec<u64>,
    pub(crate) values: Vec<i64>,
    pub(crate) labels: Vec<Label>,
    pub(crate) lines: Vec<Line>,
    /// Positions by id, sorted.
    pub(crate) locations_by_id: Vec<(u64, u32)>,
    pub(crate) functions_by_id: Vec<(u64, u32)>,
    pub(crate) mappings_by_id: Vec<(u64, u32)>,
}

impl<'a> Profile<'a> {
    /// The text of this number; bytes that are no UTF-8 are replaced. Empty for a number that the
    /// table does not have.
    pub fn text(&self, index: StringIndex) -> Cow<'a, str> {
        let bytes = usize::try_from(index.0)
            .ok()
            .and_then(|index| self.strings.get(index));
        bytes.map_or(Cow::Borrowed(""), |bytes| String::from_utf8_lossy(bytes))
    }

    /// Whether the string table has this number.
    pub fn has_text(&self, index: StringIndex) -> bool {
        usize::try_from(index.0).is_ok_and(|index| index < self.strings.len())
    }

    /// Texts in the table.
    pub fn string_count(&self) -> usize {
        self.strings.len()
    }

    /// Ids of a sample's locations, leaf first.
    pub fn location_ids(&self, sample: &Sample) -> &[u64] {
        self.location_ids
            .get(sample.locations.clone())
            .unwrap_or_default()
    }

    /// A sample's values, in the order of the sample types.
    pub fn values(&self, sample: &Sample) -> &[i64] {
        self.values.get(sample.values.clone()).unwrap_or_default()
    }

    /// A sample's labels.
    pub fn labels(&self, sample: &Sample) -> &[Label] {
        self.labels.get(sample.labels.clone()).unwrap_or_default()
    }

    /// A location's lines, innermost function first.
    pub fn lines(&self, location: &Location) -> &[Line] {
        self.lines.get(location.lines.clone()).unwrap_or_default()
    }

    /// The location of this id.
    pub fn location(&self, id: u64) -> Option<&Location> {
        self.locations.get(position(&self.locations_by_id, id)?)
    }

    /// The function of this id.
    pub fn function(&self, id: u64) -> Option<&Function> {
        self.functions.get(position(&self.functions_by_id, id)?)
    }

    /// The mapping of this id.
    pub fn mapping(&self, id: u64) -> Option<&Mapping> {
        self.mappings.get(position(&self.mappings_by_id, id)?)
    }
}

fn position(by_id: &[(u64, u32)], id: u64) -> Option<usize> {
    let found = by_id.binary_search_by_key(&id, |entry| entry.0).ok()?;
    Some(by_id[found].1 as usize)
}
