//! Rows with all columns of a table, passed on in batches of the columns that were asked for.

use arrow_schema::ArrowError;
use stepscope_analysis::{Cell, Column};

use super::table::Receive;
use crate::asking::Ask;

/// Rows that are passed on at a time.
const ROWS_AT_A_TIME: usize = 1 << 13;

/// Rows on their way to the query.
pub(super) struct Sending<'a, 'b> {
    ask: &'a Ask,
    send: &'a mut Receive<'b>,
    /// Positions of the columns that were asked for.
    chosen: Vec<usize>,
    rows: Vec<Vec<Cell>>,
}

impl<'a, 'b> Sending<'a, 'b> {
    /// No rows yet; each will have these columns.
    pub(super) fn new(ask: &'a Ask, columns: &[Column], send: &'a mut Receive<'b>) -> Self {
        let own = |column: &Column| columns.iter().position(|own| own.key == column.key);
        Self {
            chosen: ask.columns.iter().filter_map(own).collect(),
            ask,
            send,
            rows: Vec::new(),
        }
    }

    /// Adds a row; false if nobody wants more.
    pub(super) fn add(&mut self, row: impl IntoIterator<Item = Cell>) -> Result<bool, ArrowError> {
        let mut row: Vec<Option<Cell>> = row.into_iter().map(Some).collect();
        let chosen = self.chosen.iter();
        let cells = chosen.map(|&column| row[column].take().unwrap_or(Cell::Missing));
        self.rows.push(cells.collect());
        if self.rows.len() < ROWS_AT_A_TIME {
            return Ok(true);
        }
        self.give()
    }

    /// Passes on what is left.
    pub(super) fn end(mut self) -> Result<(), ArrowError> {
        if !self.rows.is_empty() {
            self.give()?;
        }
        Ok(())
    }

    fn give(&mut self) -> Result<bool, ArrowError> {
        let batch = self.ask.batch(std::mem::take(&mut self.rows))?;
        Ok((self.send)(batch))
    }
}
