//! Columns as they are declared: what a figure is called, what it measures, how it behaves, and how it
//! is read from its row. Terminal, CSV, Arrow, the page and the docs all follow from it.

use documented::DocumentedFields;

use super::cell::Cell;

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// The JSON key, with its unit suffix.
    pub key: &'static str,
    /// Title in words, without unit.
    pub header: &'static str,
    /// Unit of the numbers.
    pub unit: Unit,
    /// What it means. Empty where the row has a field of that key: its documentation says it.
    pub meaning: &'static str,
    /// How it is computed, where that takes a formula.
    pub formula: &'static str,
    /// How it adds up.
    pub adds: Adds,
    /// Which way it gets better.
    pub better: Better,
    /// Shown in the terminal even when it is narrow; other columns go first.
    pub is_essential: bool,
    /// What it says of whether a row is the same in another session.
    pub identity: Identity,
    /// Its figures have fractions although their unit is counted in wholes, such as a mean of
    /// picoseconds. Says which type the column has in formats that have types.
    pub is_fractional: bool,
}

/// What the numbers of a column measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Text.
    Text,
    /// A plain count or identity.
    Count,
    /// Picoseconds.
    Picos,
    /// Bytes.
    Bytes,
    /// 0..1.
    Ratio,
    /// Floating point operations.
    Flops,
    /// Floating point operations per second.
    FlopRate,
    /// Bytes per second.
    ByteRate,
    /// Yes or no.
    Flag,
}

/// How a figure adds up. A comparison scales what adds up over steps to as many steps as the other
/// session has, and takes what adds up for 0 where a row is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adds {
    /// Over the selected steps: twice the steps, twice the figure.
    OverSteps,
    /// Over rows alone, as bytes held at one moment.
    OverRows,
    /// Not at all: a figure per step, a mean, a rate, a property.
    No,
}

/// Which way a figure gets better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Less is better.
    Less,
    /// More is better.
    More,
    /// It depends.
    Neither,
    /// A position or a number of something: its difference says nothing.
    Incomparable,
}

/// How the row of one session is found in another: by the columns of its table that say so. Rows for
/// which these columns agree pair in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// By other columns.
    None,
    /// By equal values.
    Same,
    /// By values that are equal except for the number at the end, such as that of a line or a suffix of
    /// the compiler: `train.py:12`, `fusion.3`, `jit_step(8)`.
    Unnumbered,
    /// By the op with this name in the program `program_id` of the row, as a comparison matches ops.
    Op,
    /// By the number of the step, or the order of steps where numbers differ.
    Step,
    /// By the order of rows: the names differ between sessions, as those of machines do.
    Order,
}

/// A column of rows of type `R`, some cells of which also need `C`: what the row stands in.
#[derive(Debug)]
pub struct Field<R, C: ?Sized = ()> {
    /// The column.
    pub column: Column,
    read: Read<R, C>,
}

#[derive(Debug)]
enum Read<R, C: ?Sized> {
    Row(fn(&R) -> Cell),
    Within(fn(&R, &C) -> Cell),
}

impl<R, C: ?Sized> Field<R, C> {
    /// What the column shows of a row.
    pub fn cell(&self, row: &R, within: &C) -> Cell {
        match self.read {
            Read::Row(read) => read(row),
            Read::Within(read) => read(row, within),
        }
    }

    /// How the column is read from the row alone; none where that is not enough.
    pub(crate) fn sort_key(&self) -> Option<fn(&R) -> Cell> {
        match self.read {
            Read::Row(read) => Some(read),
            Read::Within(_) => None,
        }
    }
}

/// A table as it is declared: its key within the report, and its columns.
pub struct Declared {
    /// Key of the table.
    pub key: &'static str,
    /// Its columns.
    pub columns: Vec<DeclaredColumn>,
}

/// A column with its meaning.
pub struct DeclaredColumn {
    /// The column.
    pub column: Column,
    /// What it means, in sentences without markup.
    pub meaning: String,
}

impl Declared {
    /// A table of rows that document their fields.
    pub fn of<R: DocumentedFields, C: ?Sized>(key: &'static str, fields: &[Field<R, C>]) -> Self {
        let columns = fields
            .iter()
            .map(|field| DeclaredColumn::of::<R>(field.column));
        Self {
            key,
            columns: columns.collect(),
        }
    }
}

impl DeclaredColumn {
    /// Figures of a report next to its tables; its fields document them.
    pub fn figures<R: DocumentedFields>(figures: &[Column]) -> Vec<Self> {
        figures.iter().copied().map(Self::of::<R>).collect()
    }

    fn of<R: DocumentedFields>(column: Column) -> Self {
        let meaning = match column.meaning {
            "" => R::get_field_docs(column.key).unwrap_or_default(),
            meaning => meaning,
        };
        Self {
            column,
            meaning: meaning.replace('\n', " ").replace('`', ""),
        }
    }
}

impl Column {
    /// An essential column. Less time is better and higher rates are; of all else nothing is said.
    pub const fn new(key: &'static str, header: &'static str, unit: Unit) -> Self {
        Self {
            key,
            header,
            unit,
            meaning: "",
            formula: "",
            adds: Adds::No,
            better: match unit {
                Unit::Picos => Better::Less,
                Unit::FlopRate | Unit::ByteRate => Better::More,
                Unit::Text | Unit::Flag => Better::Incomparable,
                Unit::Count | Unit::Bytes | Unit::Ratio | Unit::Flops => Better::Neither,
            },
            is_essential: true,
            identity: Identity::None,
            is_fractional: matches!(unit, Unit::Ratio | Unit::FlopRate | Unit::ByteRate),
        }
    }

    /// A column that yields to narrow terminals.
    pub const fn wide(key: &'static str, header: &'static str, unit: Unit) -> Self {
        Self {
            is_essential: false,
            ..Self::new(key, header, unit)
        }
    }

    /// The column as a field: how it is read from a row.
    pub const fn of<R, C: ?Sized>(self, read: fn(&R) -> Cell) -> Field<R, C> {
        Field {
            column: self,
            read: Read::Row(read),
        }
    }

    /// The same where the row alone does not tell.
    pub const fn within<R, C: ?Sized>(self, read: fn(&R, &C) -> Cell) -> Field<R, C> {
        Field {
            column: self,
            read: Read::Within(read),
        }
    }

    /// The column, its figures having fractions.
    #[must_use]
    pub const fn fractional(self) -> Self {
        Self {
            is_fractional: true,
            ..self
        }
    }

    /// The column, by which a row is found in another session.
    #[must_use]
    pub const fn identifies(self, identity: Identity) -> Self {
        Self { identity, ..self }
    }

    /// The column with its meaning, where no field of the row has its key.
    #[must_use]
    pub const fn means(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }

    /// The column with its formula.
    #[must_use]
    pub const fn formula(self, formula: &'static str) -> Self {
        Self { formula, ..self }
    }

    /// The column, its figures adding up over the selected steps.
    #[must_use]
    pub const fn sums(self) -> Self {
        Self {
            adds: Adds::OverSteps,
            ..self
        }
    }

    /// The column, its figures adding up over rows, whatever the number of steps.
    #[must_use]
    pub const fn adds_over_rows(self) -> Self {
        Self {
            adds: Adds::OverRows,
            ..self
        }
    }

    /// The column, less of it being better.
    #[must_use]
    pub const fn less_is_better(self) -> Self {
        self.better(Better::Less)
    }

    /// The column, more of it being better.
    #[must_use]
    pub const fn more_is_better(self) -> Self {
        self.better(Better::More)
    }

    /// The column, neither less nor more of it being better.
    #[must_use]
    pub const fn neutral(self) -> Self {
        self.better(Better::Neither)
    }

    /// The column, its figures being positions or numbers of something.
    #[must_use]
    pub const fn position(self) -> Self {
        self.better(Better::Incomparable)
    }

    const fn better(self, better: Better) -> Self {
        Self { better, ..self }
    }
}
