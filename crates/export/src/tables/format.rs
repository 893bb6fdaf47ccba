//! The formats of tables, and where they are written.

use std::io::Write;

/// The destination of a file's bytes.
pub(super) type Out<'a> = &'a mut (dyn Write + Send);

/// How tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// RFC 4180: keys in the first line, figures in the units of their keys.
    Csv,
    /// Apache Parquet, compressed with Snappy.
    Parquet,
}

impl Format {
    /// The file extension.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}
