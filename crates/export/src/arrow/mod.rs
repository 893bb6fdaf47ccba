//! Tables as Arrow: the single definition of which column has which type, for Parquet and for
//! Python.

mod read;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray, StringViewArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
pub use read::{table_of, table_of_stream};
use stepscope_analysis::{Cell, CellRef, Column, Table, Unit};

/// The schema of a table. It depends only on the columns, so that every answer of an analysis has
/// the same one.
pub fn schema(table: &Table) -> SchemaRef {
    schema_of(table.key, &table.title, &table.columns, TextType::Plain)
}

/// How texts are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextType {
    /// One after another (`Utf8`), as every program reads them.
    Plain,
    /// As references (`Utf8View`): the same text in many rows stands once.
    View,
}

impl TextType {
    const fn data_type(self) -> DataType {
        match self {
            Self::Plain => DataType::Utf8,
            Self::View => DataType::Utf8View,
        }
    }

    /// Texts as an array.
    pub(crate) fn array<'a>(self, texts: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
        match self {
            Self::Plain => Arc::new(texts.collect::<StringArray>()),
            Self::View => Arc::new(texts.collect::<StringViewArray>()),
        }
    }
}

/// The schema of columns; `key` and `title` are those of their table.
pub fn schema_of(key: &str, title: &str, columns: &[Column], text: TextType) -> SchemaRef {
    let fields = columns.iter().map(|column| match data_type(column) {
        DataType::Utf8 => field(column, text.data_type()),
        other => field(column, other),
    });
    let fields: Vec<Field> = fields.collect();
    let metadata = [("stepscope.table", key), ("title", title)];
    let metadata: HashMap<String, String> = metadata
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    Arc::new(Schema::new_with_metadata(fields, metadata))
}

/// The type of a column's values.
pub fn data_type(column: &Column) -> DataType {
    match column.unit {
        Unit::Text => DataType::Utf8,
        Unit::Flag => DataType::Boolean,
        _ if column.is_fractional => DataType::Float64,
        _ => DataType::Int64,
    }
}

fn field(column: &Column, kind: DataType) -> Field {
    let header = [("header".to_owned(), column.header.to_owned())];
    Field::new(column.key, kind, true).with_metadata(header.into())
}

/// The rows of a table.
///
/// # Errors
///
/// Fails if a cell has a different type than its column: nothing is rounded or dropped.
pub fn batch(table: &Table) -> Result<RecordBatch, ArrowError> {
    let mut builder = BatchBuilder::new(schema(table), table.rows.len());
    for row in &table.rows {
        builder.push(row.iter().map(Cell::borrowed))?;
    }
    builder.finish()
}

/// Rows to be converted to a batch.
struct BatchBuilder {
    schema: SchemaRef,
    columns: Vec<ColumnBuilder>,
}

enum ColumnBuilder {
    Text(StringBuilder),
    Flag(BooleanBuilder),
    Float(Float64Builder),
    Int(Int64Builder),
}

impl BatchBuilder {
    fn new(schema: SchemaRef, capacity: usize) -> Self {
        let kinds = schema.fields().iter().map(|field| field.data_type());
        let columns = kinds.map(|kind| match kind {
            DataType::Utf8 => ColumnBuilder::Text(StringBuilder::new()),
            DataType::Boolean => ColumnBuilder::Flag(BooleanBuilder::with_capacity(capacity)),
            DataType::Float64 => ColumnBuilder::Float(Float64Builder::with_capacity(capacity)),
            _ => ColumnBuilder::Int(Int64Builder::with_capacity(capacity)),
        });
        Self {
            columns: columns.collect(),
            schema,
        }
    }

    /// Adds a row; missing cells at its end are null.
    fn push<'a>(&mut self, mut cells: impl Iterator<Item = CellRef<'a>>) -> Result<(), ArrowError> {
        for (column, field) in self.columns.iter_mut().zip(self.schema.fields()) {
            let cell = cells.next().unwrap_or(CellRef::Missing);
            if !column.push(cell) {
                let (name, kind) = (field.name(), field.data_type());
                return Err(ArrowError::CastError(format!(
                    "{name} is declared {kind} and holds {cell:?}"
                )));
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let columns = self.columns.iter_mut().map(ColumnBuilder::finish).collect();
        RecordBatch::try_new(self.schema, columns)
    }
}

impl ColumnBuilder {
    /// Whether the cell has the column's type.
    fn push(&mut self, cell: CellRef<'_>) -> bool {
        match (self, cell) {
            (Self::Text(builder), CellRef::Text(text)) => builder.append_value(text),
            (Self::Text(builder), CellRef::Missing) => builder.append_null(),
            (Self::Flag(builder), CellRef::Flag(value)) => builder.append_value(value),
            (Self::Flag(builder), CellRef::Missing) => builder.append_null(),
            (Self::Float(builder), CellRef::Float(value)) => builder.append_value(value),
            (Self::Float(builder), CellRef::Missing) => builder.append_null(),
            (Self::Int(builder), CellRef::Int(value)) => builder.append_value(value),
            (Self::Int(builder), CellRef::Missing) => builder.append_null(),
            _ => return false,
        }
        true
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Flag(builder) => Arc::new(builder.finish()),
            Self::Float(builder) => Arc::new(builder.finish()),
            Self::Int(builder) => Arc::new(builder.finish()),
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;

    use super::*;

    #[test]
    fn a_cell_of_another_kind_is_refused() {
        let columns = [Column::new("total_ps", "Total", Unit::Picos)];
        let fine = Table::new(
            "rows",
            "",
            &columns,
            [vec![7i64.into()], vec![Cell::Missing]],
        );
        let batch = batch(&fine).expect("whole numbers");
        assert_eq!((batch.num_rows(), batch.column(0).null_count()), (2, 1));
        let wrong = Table::new("rows", "", &columns, [vec![0.5.into()]]);
        let error = super::batch(&wrong).expect_err("a fraction among whole numbers");
        assert!(error.to_string().contains("total_ps is declared Int64"));
    }
}
