//! Declarations of columns: a figure's name, unit and meaning, how it adds up and compares, and how it
//! is read from a row. Terminal, CSV, Arrow, the pages and the docs all follow from them.

use documented::DocumentedFields;

use super::cell::Cell;

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// The JSON key, with its unit suffix.
    pub key: &'static str,
    /// Title in words, without the unit.
    pub header: &'static str,
    /// Unit of the numbers.
    pub unit: Unit,
    /// What it means. Empty if the row has a field with this key, whose documentation is used.
    pub meaning: &'static str,
    /// Formula, if it needs one.
    pub formula: &'static str,
    /// How it adds up.
    pub adds: Adds,
    /// Whether less or more is better.
    pub better: Better,
    /// Whether narrow terminals show it; they hide the other columns first.
    pub is_essential: bool,
    /// How it helps to find the same row in another session.
    pub identity: Identity,
    /// Whether its figures have fractions although their unit is usually whole, such as a mean of
    /// picoseconds. Determines the column's type in typed formats.
    pub is_fractional: bool,
}

/// What the numbers of a column measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Text.
    Text,
    /// A plain count or an identifier.
    Count,
    /// Picoseconds.
    Picos,
    /// Bytes.
    Bytes,
    /// 0..1.
    Ratio,
    /// Floating-point operations.
    Flops,
    /// Floating-point operations per second.
    FlopRate,
    /// Bytes per second.
    ByteRate,
    /// Yes or no.
    Flag,
}

/// How a figure adds up. A comparison scales figures that add up over steps to the other session's
/// number of steps, and treats figures that add up as 0 if a row is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adds {
    /// Over the selected steps: twice as many steps give twice the figure.
    OverSteps,
    /// Over rows only, such as bytes held at one moment.
    OverRows,
    /// Not at all: a figure per step, a mean, a rate, or a property.
    No,
}

/// Whether less or more of a figure is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Less is better.
    Less,
    /// More is better.
    More,
    /// It depends.
    Neither,
    /// A position or an identifying number: differences are meaningless.
    Incomparable,
}

/// How a column helps to find a row of one session in another. Rows whose identifying columns agree
/// are paired in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// Not used; other columns identify the row.
    None,
    /// By equal values.
    Same,
    /// By values that are equal except for a number at the end, such as a line number or a suffix from
    /// the compiler: `train.py:12`, `fusion.3`, `jit_step(8)`.
    Unnumbered,
    /// By the op with this name in the row's program `program_id`, matched as in comparisons.
    Op,
    /// By step number, or by the order of steps if the numbers differ.
    Step,
    /// By the order of rows, because names differ between sessions, such as those of machines.
    Order,
}

/// A column of rows of type `R`. Some columns also need `C`, the context of the row.
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
    /// The cell of this column in a row.
    pub fn cell(&self, row: &R, within: &C) -> Cell {
        match self.read {
            Read::Row(read) => read(row),
            Read::Within(read) => read(row, within),
        }
    }

    /// How to read the column from the row alone; none if it also needs the context.
    pub(crate) fn sort_key(&self) -> Option<fn(&R) -> Cell> {
        match self.read {
            Read::Row(read) => Some(read),
            Read::Within(_) => None,
        }
    }
}

/// The declaration of a table: its key within the report, and its columns.
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
    /// What it means, as plain text without markup.
    pub meaning: String,
}

impl Declared {
    /// Declares a table whose rows document their fields.
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
    /// An essential column. Less time and higher rates are better; text and flags are not comparable;
    /// other units have no preference.
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

    /// A column that narrow terminals hide.
    pub const fn wide(key: &'static str, header: &'static str, unit: Unit) -> Self {
        Self {
            is_essential: false,
            ..Self::new(key, header, unit)
        }
    }

    /// The column as a field that is read from the row alone.
    pub const fn of<R, C: ?Sized>(self, read: fn(&R) -> Cell) -> Field<R, C> {
        Field {
            column: self,
            read: Read::Row(read),
        }
    }

    /// The column as a field that is read from the row and its context.
    pub const fn within<R, C: ?Sized>(self, read: fn(&R, &C) -> Cell) -> Field<R, C> {
        Field {
            column: self,
            read: Read::Within(read),
        }
    }

    /// The column, with fractional figures.
    #[must_use]
    pub const fn fractional(self) -> Self {
        Self {
            is_fractional: true,
            ..self
        }
    }

    /// The column, with how it identifies a row in another session.
    #[must_use]
    pub const fn identifies(self, identity: Identity) -> Self {
        Self { identity, ..self }
    }

    /// The column with its meaning, for columns without a field of the same key in the row.
    #[must_use]
    pub const fn means(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }

    /// The column with its formula.
    #[must_use]
    pub const fn formula(self, formula: &'static str) -> Self {
        Self { formula, ..self }
    }

    /// The column, with figures that add up over the selected steps.
    #[must_use]
    pub const fn sums(self) -> Self {
        Self {
            adds: Adds::OverSteps,
            ..self
        }
    }

    /// The column, with figures that add up over rows, regardless of the number of steps.
    #[must_use]
    pub const fn adds_over_rows(self) -> Self {
        Self {
            adds: Adds::OverRows,
            ..self
        }
    }

    /// The column, with less being better.
    #[must_use]
    pub const fn less_is_better(self) -> Self {
        self.better(Better::Less)
    }

    /// The column, with more being better.
    #[must_use]
    pub const fn more_is_better(self) -> Self {
        self.better(Better::More)
    }

    /// The column, with neither less nor more being better.
    #[must_use]
    pub const fn neutral(self) -> Self {
        self.better(Better::Neither)
    }

    /// The column, with figures that are positions or identifying numbers.
    #[must_use]
    pub const fn position(self) -> Self {
        self.better(Better::Incomparable)
    }

    const fn better(self, better: Better) -> Self {
        Self { better, ..self }
    }
}
