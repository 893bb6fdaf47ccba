//! Reports as text and as HTML, for callers that do not print them: `repr` and notebooks in Python.

mod axis;
mod html;
mod step_chart;

use std::fmt::Write;

use stepscope_analysis::{Answer, Table};

use crate::format::{self, Charset};
use crate::page;
use crate::table::{self, View};

pub use axis::{Axis, axes, role};
pub use html::{html, table_html};

/// How much of a report is rendered.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// Columns of text; does not apply to HTML.
    pub width: usize,
    /// Rows of the first table.
    pub rows: usize,
}

/// The headline, the first table that has rows, and the notes, as plain text of this width.
pub fn text(answer: &Answer, extent: Extent) -> String {
    let view = view(extent);
    let mut text = page::headline(&answer.headline(), view.width, view.charset);
    if let Some(first) = answer.tables().iter().find(|table| !table.rows.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        push_table_text(&mut text, first, &view);
    }
    let notes = page::notes(answer.notes(), view.width.min(page::READABLE), view.charset);
    if !notes.is_empty() {
        let _ = write!(text, "\n{notes}");
    }
    anstream::adapter::strip_str(&text).to_string()
}

/// A table as plain text.
pub fn table_text(table: &Table, extent: Extent) -> String {
    let mut text = String::new();
    push_table_text(&mut text, table, &view(extent));
    anstream::adapter::strip_str(&text).to_string()
}

/// A table as plain text with a last line that says what is hidden. `rows` limits the rows; with
/// `is_wide` all columns are shown.
pub fn table_page(table: &Table, width: usize, rows: Option<usize>, is_wide: bool) -> String {
    let view = View {
        width,
        limit: rows,
        charset: Charset::Unicode,
        is_wide,
    };
    anstream::adapter::strip_str(&table::render(table, &view)).to_string()
}

fn view(extent: Extent) -> View {
    View {
        width: extent.width,
        limit: Some(extent.rows),
        charset: Charset::Unicode,
        is_wide: false,
    }
}

fn push_table_text(text: &mut String, table: &Table, view: &View) {
    text.push_str(&table::rows(table, view));
    if let Some(more) = view.limit.and_then(|limit| more_rows(table, limit)) {
        let _ = writeln!(text, "{more}");
    }
}

/// Says how many rows are left out; none if all are shown.
fn more_rows(table: &Table, limit: usize) -> Option<String> {
    let total = table.row_count.max(table.rows.len());
    let more = total.saturating_sub(table.rows.len().min(limit));
    let noun = if more == 1 { "row" } else { "rows" };
    (more > 0).then(|| format!("{} more {noun}", format::grouped(&more.to_string())))
}
