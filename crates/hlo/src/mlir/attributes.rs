//! Attributes and types of a module, decoded on request.

use super::bytes::Bytes;
use super::tables::{Entry, EntryForm, Tables};

/// Bytes of entries and strings that are decoded for one attribute or type, since entries may contain
/// each other many times.
const MAX_BYTES: usize = 1 << 18;
/// What an entry counts at least.
const PART_BYTES: usize = 64;
/// Levels of attributes within attributes.
const MAX_DEPTH: u32 = 32;

/// An attribute, as far as it is understood.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Attribute {
    /// Text.
    Text(String),
    /// The name of a function.
    Symbol(String),
    /// An integer.
    Integer(i64),
    /// A dense array of integers.
    Integers(Vec<i64>),
    /// A list.
    List(Vec<Self>),
    /// Names and values.
    Dictionary(Vec<(String, Self)>),
    /// A type.
    Type(Type),
    /// What only its assembly shows, such as `#tpu.dimension_semantics<parallel>`.
    Assembly(String),
    /// Anything else.
    Unknown,
}

/// A type, as far as it is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    /// `i32`, `bf16`, `!tpu.dma_semaphore`.
    Scalar(String),
    /// A memref, tensor or vector.
    Array {
        /// Sizes; none where not static.
        shape: Vec<Option<u64>>,
        /// Type of an element.
        element: String,
        /// The memory it is in, as assembly. Empty if not stated.
        space: String,
    },
    /// A function.
    Function(Vec<Self>),
    /// Anything else.
    Unknown,
}

impl Attribute {
    /// A value of a dictionary.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Self::Dictionary(entries) = self else {
            return None;
        };
        let entry = entries.iter().find(|(known, _)| known == name);
        entry.map(|(_, value)| value)
    }
}

impl Tables<'_> {
    /// An entry of a dictionary of attributes.
    pub(super) fn named(&self, dictionary: u32, name: &str) -> Option<Attribute> {
        let entry = self.attributes.get(dictionary as usize)?;
        let mut bytes = Bytes::new(entry.bytes);
        let is_dictionary = entry.form == EntryForm::Builtin && bytes.number()? == DICTIONARY;
        let entries =
            is_dictionary.then(|| bytes.list(|bytes| Some((bytes.index()?, bytes.index()?))))??;
        let mut decoder = Decoder::new(self);
        let is_wanted = |&(key, _): &(u32, u32)| self.is_text(key, name);
        let (_, value) = entries.into_iter().find(is_wanted)?;
        Some(decoder.attribute(value, 0))
    }

    pub(super) fn type_of(&self, number: u32) -> Type {
        Decoder::new(self).type_of(number, 0)
    }

    /// Whether an attribute is this text.
    fn is_text(&self, number: u32, wanted: &str) -> bool {
        let text = || {
            let entry = self.attributes.get(number as usize)?;
            let mut bytes = Bytes::new(entry.bytes);
            let is_text = entry.form == EntryForm::Builtin && bytes.number()? == TEXT;
            let string = self.strings.get(bytes.index()? as usize)?;
            Some(is_text && *string == wanted.as_bytes())
        };
        text().unwrap_or(false)
    }
}

/// Codes of the builtin dialect's attributes, from `BuiltinDialectBytecode.td`.
const LIST: u64 = 0;
const DICTIONARY: u64 = 1;
const TEXT: u64 = 2;
const TYPED_TEXT: u64 = 3;
const SYMBOL: u64 = 4;
const TYPE: u64 = 6;
const INTEGER: u64 = 8;
const DENSE_ARRAY: u64 = 17;

/// Decodes with a limit on the parts, since entries refer to each other.
struct Decoder<'a, 'b> {
    tables: &'b Tables<'a>,
    bytes_left: usize,
}

impl<'a, 'b> Decoder<'a, 'b> {
    const fn new(tables: &'b Tables<'a>) -> Self {
        Self {
            tables,
            bytes_left: MAX_BYTES,
        }
    }

    /// Counts an entry; none past the limits.
    fn enter(&mut self, entry: Entry<'_>, depth: u32) -> Option<u32> {
        self.count(entry.bytes.len())?;
        (depth < MAX_DEPTH).then_some(depth + 1)
    }

    fn count(&mut self, bytes: usize) -> Option<()> {
        self.bytes_left = self
            .bytes_left
            .checked_sub(bytes.saturating_add(PART_BYTES))?;
        Some(())
    }

    fn attribute(&mut self, number: u32, depth: u32) -> Attribute {
        let found = self.read_attribute(number, depth);
        found.unwrap_or(Attribute::Unknown)
    }

    fn read_attribute(&mut self, number: u32, depth: u32) -> Option<Attribute> {
        let entry = *self.tables.attributes.get(number as usize)?;
        let depth = self.enter(entry, depth)?;
        let mut bytes = Bytes::new(entry.bytes);
        match entry.form {
            EntryForm::Other => return None,
            EntryForm::Assembly => return Some(Attribute::Assembly(text(bytes.text()?))),
            EntryForm::Builtin => {}
        }
        Some(match bytes.number()? {
            LIST => {
                let numbers = bytes.list(Bytes::index)?;
                let values = numbers.into_iter().map(|one| self.attribute(one, depth));
                Attribute::List(values.collect())
            }
            DICTIONARY => {
                let entries = bytes.list(|bytes| Some((bytes.index()?, bytes.index()?)))?;
                let mut values = Vec::new();
                for (key, value) in entries {
                    if let Attribute::Text(key) = self.attribute(key, depth) {
                        values.push((key, self.attribute(value, depth)));
                    }
                }
                Attribute::Dictionary(values)
            }
            TEXT | TYPED_TEXT => Attribute::Text(self.string(bytes.index()?)?),
            SYMBOL => match self.attribute(bytes.index()?, depth) {
                Attribute::Text(name) => Attribute::Symbol(name),
                _ => return None,
            },
            TYPE => Attribute::Type(self.type_of(bytes.index()?, depth)),
            INTEGER => {
                let width = self.width(bytes.index()?, depth)?;
                Attribute::Integer(match width {
                    0..=8 => i64::from(bytes.byte()?.cast_signed()),
                    9..=64 => bytes.signed()?,
                    _ => return None,
                })
            }
            DENSE_ARRAY => {
                let width = self.width(bytes.index()?, depth)?;
                let count = bytes.number()?;
                let length = usize::try_from(bytes.number()?).ok()?;
                let data = bytes.take(length)?;
                Attribute::Integers(integers(width, data, count)?)
            }
            _ => return None,
        })
    }

    fn string(&mut self, number: u32) -> Option<String> {
        let bytes = *self.tables.strings.get(number as usize)?;
        self.count(bytes.len())?;
        Some(text(bytes))
    }

    /// Bits of an integer type.
    fn width(&mut self, number: u32, depth: u32) -> Option<u64> {
        let Type::Scalar(name) = self.type_of(number, depth) else {
            return None;
        };
        if name == "index" {
            return Some(64);
        }
        name.trim_start_matches(['s', 'u'])
            .strip_prefix('i')?
            .parse()
            .ok()
    }

    fn type_of(&mut self, number: u32, depth: u32) -> Type {
        self.read_type(number, depth).unwrap_or(Type::Unknown)
    }

    fn read_type(&mut self, number: u32, depth: u32) -> Option<Type> {
        let entry = *self.tables.types.get(number as usize)?;
        let depth = self.enter(entry, depth)?;
        let mut bytes = Bytes::new(entry.bytes);
        match entry.form {
            EntryForm::Other => return None,
            EntryForm::Assembly => return Some(Type::Scalar(text(bytes.text()?))),
            EntryForm::Builtin => {}
        }
        // Codes of the builtin dialect's types, from `BuiltinDialectBytecode.td`.
        let name = match bytes.number()? {
            0 => {
                let encoding = bytes.number()?;
                let sign = ["", "s", "u"].get(usize::try_from(encoding & 3).ok()?)?;
                format!("{sign}i{}", encoding >> 2)
            }
            1 => "index".to_owned(),
            2 => {
                let inputs = bytes.list(Bytes::index)?;
                let inputs = inputs.into_iter().map(|one| self.type_of(one, depth));
                return Some(Type::Function(inputs.collect()));
            }
            3 => "bf16".to_owned(),
            4 => "f16".to_owned(),
            5 => "f32".to_owned(),
            6 => "f64".to_owned(),
            // memref, tensor, vector
            10 | 13 | 19 => return self.array(&mut bytes, String::new(), depth),
            11 => {
                let space = match self.attribute(bytes.index()?, depth) {
                    Attribute::Assembly(space) => space,
                    Attribute::Integer(number) => number.to_string(),
                    _ => "unknown".to_owned(),
                };
                return self.array(&mut bytes, space, depth);
            }
            _ => return None,
        };
        Some(Type::Scalar(name))
    }

    fn array(&mut self, bytes: &mut Bytes<'_>, space: String, depth: u32) -> Option<Type> {
        let shape = bytes.list(|bytes| Some(u64::try_from(bytes.signed()?).ok()))?;
        let element = match self.type_of(bytes.index()?, depth) {
            Type::Scalar(name) => name,
            _ => "unknown".to_owned(),
        };
        Some(Type::Array {
            shape,
            element,
            space,
        })
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The integers of a dense array; a byte each for truth values.
fn integers(width: u64, data: &[u8], count: u64) -> Option<Vec<i64>> {
    let size = usize::try_from(width.div_ceil(8)).ok()?;
    if !matches!(size, 1 | 2 | 4 | 8) || (data.len() / size) as u64 != count {
        return None;
    }
    let value = |bytes: &[u8]| {
        let is_negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
        let mut wide = [if is_negative { 0xff } else { 0 }; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        i64::from_le_bytes(wide)
    };
    Some(data.chunks_exact(size).map(value).collect())
}
