//! What a query wants of a table.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, Schema};
use stepscope_analysis::Column;

use super::filter::Filter;

/// What is asked of the rows of one session.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    /// The columns that are wanted, without `session`, in their order.
    pub(crate) columns: Vec<Column>,
    /// Filters; the table applies those on columns that are known early, and may apply others.
    pub(super) filters: Arc<Vec<Filter>>,
    /// Which one of how many readers of a session this is; see
    /// [`is_divisible`](crate::tables::Rows::is_divisible).
    pub(crate) share: (usize, usize),
}

impl Ask {
    /// The filters that need only these columns.
    pub(crate) fn filters_on(&self, columns: &[&str]) -> Vec<&Filter> {
        let filters = self.filters.iter();
        filters.filter(|filter| filter.needs_only(columns)).collect()
    }

    /// The values of a column that the filters allow, as an inclusive range; `None` for all.
    pub(crate) fn range(&self, column: &str) -> Option<(i64, i64)> {
        let filters = self.filters.iter().filter(|filter| filter.needs_only(&[column]));
        let all = (i64::MIN, i64::MAX);
        let range = filters.fold(all, |(from, to), filter| {
            let own = filter.range(column);
            (from.max(own.0), to.min(own.1))
        });
        (range != all).then_some(range)
    }

    /// A batch with this number of rows, also where no column was asked for.
    pub(crate) fn with_rows(
        &self,
        batch: RecordBatch,
        rows: usize,
    ) -> Result<RecordBatch, ArrowError> {
        if !self.columns.is_empty() {
            return Ok(batch);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options)
    }
}
