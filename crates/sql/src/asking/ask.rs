//! What a query wants of a table.

use std::sync::Arc;

use arrow_array::{Array as _, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, Schema};
use stepscope_analysis::{Cell, Column, Table};
use stepscope_export::arrow::batch;

use super::filter::Filter;

/// What is asked of the rows of one session.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    /// The columns that are wanted, without `session`, in their order.
    pub(crate) columns: Vec<Column>,
    /// Filters; the table applies those on columns that are known early, and may apply others.
    pub(crate) filters: Arc<Vec<Filter>>,
    /// Which one of how many readers of a session this is, where several share it.
    pub(crate) share: (usize, usize),
}

impl Ask {
    /// The filters that need only these columns.
    pub(crate) fn filters_on(&self, columns: &[&str]) -> Vec<&Filter> {
        let filters = self.filters.iter();
        filters
            .filter(|filter| filter.needs_only(columns))
            .collect()
    }

    /// Which rows the filters that need only `columns` keep; `None` for all, without asking for
    /// `rows`. These get a test for the columns that are needed, and must have at least those.
    pub(crate) fn kept(
        &self,
        columns: &[&str],
        rows: impl FnOnce(&dyn Fn(&str) -> bool) -> Result<RecordBatch, ArrowError>,
    ) -> Result<Option<Vec<bool>>, ArrowError> {
        let filters = self.filters_on(columns);
        if filters.is_empty() {
            return Ok(None);
        }
        let rows = rows(&|column| filters.iter().any(|filter| filter.names(column)))?;
        let mut kept = vec![true; rows.num_rows()];
        for filter in filters {
            let own = filter.evaluate(&rows)?;
            let own = own.as_any().downcast_ref::<BooleanArray>();
            let own =
                own.ok_or_else(|| ArrowError::CastError("a filter is no condition".to_owned()))?;
            for (kept, own) in kept.iter_mut().zip(own) {
                // What is unknown is not kept.
                *kept &= own == Some(true);
            }
        }
        Ok(Some(kept))
    }

    /// Whether rows and filters need nothing but these columns.
    pub(crate) fn needs_only(&self, columns: &[&str]) -> bool {
        let wanted = |column: &Column| columns.contains(&column.key);
        let mut filters = self.filters.iter();
        self.columns.iter().all(wanted) && filters.all(|filter| filter.needs_only(columns))
    }

    /// The values of a column that the filters allow, as an inclusive range; `None` for all.
    pub(crate) fn range(&self, column: &str) -> Option<(i64, i64)> {
        let filters = self
            .filters
            .iter()
            .filter(|filter| filter.needs_only(&[column]));
        let all = (i64::MIN, i64::MAX);
        let range = filters.fold(all, |(from, to), filter| {
            let own = filter.range(column);
            (from.max(own.0), to.min(own.1))
        });
        (range != all).then_some(range)
    }

    /// Rows of the columns that were asked for; only their number where there is none.
    pub(crate) fn batch(&self, rows: Vec<Vec<Cell>>) -> Result<RecordBatch, ArrowError> {
        if !self.columns.is_empty() {
            return batch(&Table::new("rows", "", &self.columns, rows));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options)
    }
}
