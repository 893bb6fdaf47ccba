//! Times in readable units: columns in picoseconds become fractions of a unit, with its name.

use std::sync::Arc;

use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

/// The suffix of columns in picoseconds, also before a `per`: `gain_ps_per_step`.
const PICOS: &str = "_ps";

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeUnit {
    /// Its name, used as the suffix of columns.
    pub name: &'static str,
    /// Its number of picoseconds.
    picos: f64,
}

impl TimeUnit {
    /// All units, the smallest first.
    pub const ALL: [Self; 5] = [
        Self::of("ps", 1.0),
        Self::of("ns", 1e3),
        Self::of("us", 1e6),
        Self::of("ms", 1e9),
        Self::of("s", 1e12),
    ];

    const fn of(name: &'static str, picos: f64) -> Self {
        Self { name, picos }
    }

    /// The unit with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name == name)
    }

    /// Whether times stay as recorded: integer picoseconds.
    fn is_picos(self) -> bool {
        self.name == "ps"
    }

    /// A schema whose times are in this unit: `self_ps` becomes `self_ms`, a double.
    pub fn schema(self, schema: SchemaRef) -> SchemaRef {
        if self.is_picos() {
            return schema;
        }
        let fields = schema
            .fields()
            .iter()
            .map(|field| match around_unit(field) {
                Some((before, after)) => {
                    let name = format!("{before}_{}{after}", self.name);
                    let field = field.as_ref().clone().with_name(name);
                    Arc::new(field.with_data_type(DataType::Float64))
                }
                None => Arc::clone(field),
            });
        let fields: Vec<Arc<Field>> = fields.collect();
        Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
    }

    /// Rows with times in this unit.
    ///
    /// # Errors
    ///
    /// None that our own batches could cause.
    pub fn batch(self, batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
        if self.is_picos() {
            return Ok(batch);
        }
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        let columns = columns.map(|(field, column)| match around_unit(field) {
            Some(_) => self.column(column),
            None => Arc::clone(column),
        });
        let columns: Vec<ArrayRef> = columns.collect();
        RecordBatch::try_new(self.schema(schema), columns)
    }

    fn column(self, column: &ArrayRef) -> ArrayRef {
        if let Some(whole) = column.as_any().downcast_ref::<Int64Array>() {
            return Arc::new(whole.unary::<_, Float64Type>(|picos| picos as f64 / self.picos));
        }
        if let Some(means) = column.as_any().downcast_ref::<Float64Array>() {
            return Arc::new(means.unary::<_, Float64Type>(|picos| picos / self.picos));
        }
        Arc::clone(column)
    }
}

/// The parts before and after the unit in the name of a time column.
fn around_unit(field: &Field) -> Option<(&str, &str)> {
    if !matches!(field.data_type(), DataType::Int64 | DataType::Float64) {
        return None;
    }
    let (before, after) = field.name().rsplit_once(PICOS)?;
    (after.is_empty() || after.starts_with("_per_")).then_some((before, after))
}

#[cfg(test)]
mod tests {
    use stepscope_analysis::{Cell, Column, Table, Unit};

    use super::*;

    #[test]
    fn times_become_fractions_and_change_their_names() {
        let columns = [
            Column::new("name", "Name", Unit::Text),
            Column::new("self_ps", "Self", Unit::Picos),
            Column::new("mean_ps", "Mean", Unit::Picos).fractional(),
            Column::new("bytes", "Bytes", Unit::Bytes),
            Column::new("gain_ps_per_step", "Gain", Unit::Picos),
        ];
        let row = |self_ps: Cell| {
            vec![
                "dot_ps".into(),
                self_ps,
                0.5e9.into(),
                7i64.into(),
                2i64.into(),
            ]
        };
        let rows = [row(1_500_000_000i64.into()), row(Cell::Missing)];
        let table = Table::new("rows", "Ops", &columns, rows);
        let batch = crate::arrow::batch(&table).expect("cells are of their kinds");
        let ms = TimeUnit::named("ms").expect("a unit");
        let converted = ms.batch(batch.clone()).expect("one column for another");
        let schema = converted.schema();
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        assert_eq!(
            names,
            ["name", "self_ms", "mean_ms", "bytes", "gain_ms_per_step"]
        );
        assert_eq!(schema.metadata()["stepscope.table"], "rows");
        let values = converted.column(1).as_any().downcast_ref::<Float64Array>();
        let values = values.expect("a column of doubles");
        assert_eq!((values.value(0), values.null_count()), (1.5, 1));
        assert_eq!(converted.column(3), batch.column(3));
        let picos = TimeUnit::named("ps").expect("a unit");
        assert_eq!(picos.batch(batch.clone()).expect("itself"), batch);
        assert_eq!(TimeUnit::named("hours"), None);
    }
}
