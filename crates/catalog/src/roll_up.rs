//! A roll-up: one file per session with what every analysis answered.
//!
//! ```text
//! SSROLL1\n                         eight bytes
//! Parquet │ Parquet │ Parquet …     one per table that has rows
//! footer                            JSON: engine, address, summary, answers, measurements, where
//!                                   each table is
//! length of the footer              eight bytes, little endian
//! digest of footer and length       32 letters
//! SSROLL1\n
//! ```
//!
//! The footer is read without the tables, and each table without the others; both have digests.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Mutex;

use arrow_array::ArrayRef;
use arrow_schema::ArrowError;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use stepscope_analysis::Column;
use stepscope_export::tables::unpack;
use stepscope_storage::{Reserved, open_regular};

use crate::digest::digest;
use crate::engine::engine;
use crate::locked::lock;
use crate::summary::Summary;

const MAGIC: &[u8; 8] = b"SSROLL1\n";
/// What follows the footer: its length, a digest, and the magic bytes.
const TAIL_BYTES: usize = 8 + DIGEST_LETTERS + MAGIC.len();
const DIGEST_LETTERS: usize = 32;
/// A table is read up to this size: roll-ups in buckets are as a whole.
const MAX_TABLE_BYTES: u64 = 128 << 20;
/// A footer is read up to this size.
const MAX_FOOTER_BYTES: u64 = 64 << 20;

/// What an analysis answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// Its name.
    pub analysis: String,
    /// Why it has no answer; empty if it has one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Texts of its notes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Its tables that have rows.
    pub tables: Vec<StoredTable>,
    /// Keys of tables that have more rows than a roll-up holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// Where a table is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredTable {
    /// Its key.
    pub key: String,
    /// Its rows.
    pub rows: usize,
    start: u64,
    bytes: u64,
    digest: String,
}

/// What is at the end of a roll-up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Footer {
    engine: String,
    address: String,
    summary: Summary,
    answers: Vec<Answered>,
    /// What comparisons measured, by their names.
    measured: BTreeMap<String, String>,
}

/// Why a roll-up cannot be used: it is made anew.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
    #[error("another engine made it")]
    OtherEngine,
}

/// An open roll-up.
#[derive(Debug)]
pub struct RollUp {
    file: Mutex<Box<dyn Source>>,
    footer: Footer,
}

/// A file, or bytes in memory.
trait Source: Read + Seek + Send + std::fmt::Debug {}

impl<T: Read + Seek + Send + std::fmt::Debug> Source for T {}

impl RollUp {
    /// Opens the roll-up of a capture; reads and checks its footer.
    pub(crate) fn open(path: &Path, address: &str) -> Result<Self, Unusable> {
        let file = open_regular(path)?;
        let length = file.metadata()?.len();
        Self::read(Box::new(file), length, address)
    }

    /// The roll-up of a capture in these bytes, of which every table is checked.
    pub(crate) fn of_bytes(bytes: Bytes, address: &str) -> Result<Self, Unusable> {
        let length = bytes.len() as u64;
        let roll_up = Self::read(Box::new(Cursor::new(bytes)), length, address)?;
        if !roll_up.is_whole() {
            return Err(Unusable::Damaged("a table is not what was written"));
        }
        Ok(roll_up)
    }

    fn read(mut file: Box<dyn Source>, length: u64, address: &str) -> Result<Self, Unusable> {
        let tail_bytes = TAIL_BYTES as u64;
        let Some(tail_at) = length.checked_sub(tail_bytes) else {
            return Err(Unusable::Damaged("it is too short"));
        };
        file.seek(SeekFrom::Start(tail_at))?;
        let mut tail = [0; TAIL_BYTES];
        file.read_exact(&mut tail)?;
        let (size, rest) = tail.split_at(8);
        let (seen, magic) = rest.split_at(DIGEST_LETTERS);
        if magic != MAGIC {
            return Err(Unusable::Damaged("its end is missing"));
        }
        let size = u64::from_le_bytes(size.try_into().unwrap_or_default());
        let start = tail_at.checked_sub(size);
        let Some(start) = start.filter(|_| size <= MAX_FOOTER_BYTES) else {
            return Err(Unusable::Damaged("its footer is too long"));
        };
        file.seek(SeekFrom::Start(start))?;
        let mut text = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        (&mut file).take(size).read_to_end(&mut text)?;
        if seen != digest(&text).as_bytes() {
            return Err(Unusable::Damaged("its footer is not what was written"));
        }
        let footer: Footer = serde_json::from_slice(&text)
            .map_err(|_| Unusable::Damaged("its footer cannot be read"))?;
        if footer.engine != engine() {
            return Err(Unusable::OtherEngine);
        }
        if footer.address != address {
            return Err(Unusable::Damaged("it is of another capture"));
        }
        Ok(Self {
            file: Mutex::new(file),
            footer,
        })
    }

    /// The summary.
    pub fn summary(&self) -> &Summary {
        &self.footer.summary
    }

    /// What an analysis answered.
    pub fn answer(&self, analysis: &str) -> Option<&Answered> {
        let mut answers = self.footer.answers.iter();
        answers.find(|answer| answer.analysis == analysis)
    }

    /// What all analyses answered.
    pub fn answers(&self) -> &[Answered] {
        &self.footer.answers
    }

    /// What a comparison [measured](stepscope_analysis::ComparisonEntry::measured) of the session.
    pub fn measured(&self, comparison: &str) -> Option<&str> {
        self.footer.measured.get(comparison).map(String::as_str)
    }

    /// Columns of a table, in the order given, and its number of rows; `None` for a column that it
    /// does not have.
    ///
    /// # Errors
    ///
    /// The table is damaged.
    pub fn columns(
        &self,
        table: &StoredTable,
        columns: &[Column],
    ) -> Result<(usize, Vec<Option<ArrayRef>>), ArrowError> {
        let (bytes, _reserved) = self.bytes(table)?;
        unpack(bytes, columns)
    }

    /// The checked bytes of a table, and the memory that they take.
    fn bytes(&self, table: &StoredTable) -> Result<(Bytes, Reserved), io::Error> {
        let mut reserved = Reserved::default();
        if table.bytes > MAX_TABLE_BYTES || reserved.grow_to(table.bytes).is_err() {
            let text = format!("the stored table {} does not fit into memory", table.key);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        let mut file = lock(&self.file);
        file.seek(SeekFrom::Start(table.start))?;
        let mut bytes = Vec::new();
        (&mut *file).take(table.bytes).read_to_end(&mut bytes)?;
        if digest(&bytes) != table.digest {
            let text = format!("the stored table {} is damaged", table.key);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok((bytes.into(), reserved))
    }

    /// Whether every table is what was written.
    pub(crate) fn is_whole(&self) -> bool {
        let mut tables = self.footer.answers.iter().flat_map(|answer| &answer.tables);
        tables.all(|table| self.bytes(table).is_ok())
    }
}

/// A roll-up while it is made: tables first, the footer last.
pub(crate) struct Writer<W> {
    out: W,
    at: u64,
    answers: Vec<Answered>,
    measured: BTreeMap<String, String>,
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(mut out: W) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        Ok(Self {
            out,
            at: MAGIC.len() as u64,
            answers: Vec::new(),
            measured: BTreeMap::new(),
        })
    }

    /// Adds a table, packed.
    pub(crate) fn table(
        &mut self,
        key: &str,
        rows: usize,
        packed: &[u8],
    ) -> io::Result<StoredTable> {
        self.out.write_all(packed)?;
        let table = StoredTable {
            key: key.to_owned(),
            rows,
            start: self.at,
            bytes: packed.len() as u64,
            digest: digest(packed),
        };
        self.at += table.bytes;
        Ok(table)
    }

    /// Adds an answer whose tables were added.
    pub(crate) fn answer(&mut self, answered: Answered) {
        self.answers.push(answered);
    }

    /// Adds what a comparison measured.
    pub(crate) fn measured(&mut self, comparison: &str, measured: String) {
        self.measured.insert(comparison.to_owned(), measured);
    }

    /// Writes the footer.
    pub(crate) fn finish(mut self, address: &str, summary: &Summary) -> io::Result<W> {
        let footer = Footer {
            engine: engine().to_owned(),
            address: address.to_owned(),
            summary: summary.clone(),
            answers: self.answers,
            measured: self.measured,
        };
        let text = serde_json::to_vec(&footer)?;
        self.out.write_all(&text)?;
        self.out.write_all(&(text.len() as u64).to_le_bytes())?;
        self.out.write_all(digest(&text).as_bytes())?;
        self.out.write_all(MAGIC)?;
        Ok(self.out)
    }
}

/// What was written of a roll-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) bytes: u64,
    /// As in [`Entry`](crate::summaries::Entry).
    pub(crate) version: String,
}
