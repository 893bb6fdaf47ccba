//! Cells: values of a table, independent of how they are printed.

/// A value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Text.
    Text(String),
    /// A whole number, in the column's unit.
    Int(i64),
    /// A number, in the column's unit.
    Float(f64),
    /// Yes or no.
    Flag(bool),
    /// Unknown.
    Missing,
}

/// A cell that borrows its text, for writing millions of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CellRef<'a> {
    /// Text.
    Text(&'a str),
    /// A whole number, in the column's unit.
    Int(i64),
    /// A number, in the column's unit.
    Float(f64),
    /// Yes or no.
    Flag(bool),
    /// Unknown.
    Missing,
}

impl Cell {
    /// The cell with its text borrowed.
    pub fn borrowed(&self) -> CellRef<'_> {
        match self {
            Self::Text(text) => CellRef::Text(text),
            Self::Int(value) => CellRef::Int(*value),
            Self::Float(value) => CellRef::Float(*value),
            Self::Flag(value) => CellRef::Flag(*value),
            Self::Missing => CellRef::Missing,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::Int(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        if value.is_finite() {
            Self::Float(value)
        } else {
            Self::Missing
        }
    }
}

impl From<bool> for Cell {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

/// A name in a tree, indented by its depth.
pub(crate) fn indented(depth: u32, name: &str) -> String {
    format!("{}{name}", "  ".repeat(depth as usize))
}
