//! Slices as Arrow, in batches of rows.

use std::ops::Deref;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use stepscope_analysis::{AnalysisError, Column};
use stepscope_model::Session;

use super::columns::Columns;
use super::{COLUMNS, NAME, Position, Slices, TITLE};
use crate::arrow::{TextType, schema_of};

/// Rows per batch: some megabytes.
pub const SLICE_BATCH_ROWS: usize = 1 << 14;

/// Reads slices batch by batch. It holds one batch, however many slices there are.
pub struct SliceBatches<S> {
    slices: Arc<Slices<S>>,
    position: Position,
    columns: Columns,
    schema: SchemaRef,
    is_at_end: bool,
}

impl<S: Deref<Target = Session>> SliceBatches<S> {
    /// Reads these columns, by their position in [`COLUMNS`], from the start; others are ignored.
    pub fn new(slices: Arc<Slices<S>>, columns: Vec<usize>, text: TextType) -> Self {
        let known = columns.into_iter().filter(|&column| column < COLUMNS.len());
        let columns: Vec<usize> = known.collect();
        let chosen: Vec<Column> = columns.iter().map(|&column| COLUMNS[column]).collect();
        let schema = schema_of(NAME, TITLE, &chosen, text);
        Self {
            columns: Columns::new(&slices, &columns, Arc::clone(&schema), text),
            slices,
            position: Position::default(),
            schema,
            is_at_end: false,
        }
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        while self.columns.rows() < SLICE_BATCH_ROWS {
            let room = SLICE_BATCH_ROWS - self.columns.rows();
            let Some(piece) = self.slices.next_piece(&mut self.position, room) else {
                self.is_at_end = true;
                break;
            };
            self.columns.push(&self.slices, &self.position, &piece);
        }
        AnalysisError::if_changed(&self.slices.session)
            .map_err(|error| ArrowError::ExternalError(Box::new(error)))?;
        if self.columns.rows() == 0 {
            return Ok(None);
        }
        self.columns.finish().map(Some)
    }
}

impl<S: Deref<Target = Session>> Iterator for SliceBatches<S> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_at_end {
            return None;
        }
        let batch = self.next_batch();
        self.is_at_end |= batch.is_err();
        batch.transpose()
    }
}

impl<S: Deref<Target = Session>> RecordBatchReader for SliceBatches<S> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
