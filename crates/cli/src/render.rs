//! Reports as text and as HTML, for callers that do not print them: `repr` and notebooks in Python.

use std::fmt::Write;

use stepscope_analysis::telling::escape::html as escaped;
use stepscope_analysis::{Answer, Note, NoteKind, Table, Unit};

use crate::format::{self, Charset};
use crate::page;
use crate::table::{self, View};

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

/// A table as an HTML fragment.
pub fn table_html(table: &Table, extent: Extent) -> String {
    let mut html = String::from("<div class=\"stepscope-report\">");
    push_table(&mut html, table, extent.rows);
    html.push_str("</div>");
    html
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

/// The same as an HTML fragment without scripts, with inline styles: notebooks drop style sheets.
pub fn html(answer: &Answer, extent: Extent) -> String {
    let mut html = String::from("<div class=\"stepscope-report\">");
    let headline = answer.headline();
    if !headline.is_empty() {
        html.push_str("<table><tbody>");
        for (name, value) in &headline {
            let (name, value) = (escaped(name), escaped(value));
            let _ = write!(
                html,
                "<tr><th style=\"text-align:left\">{name}</th><td style=\"text-align:left\">{value}</td></tr>"
            );
        }
        html.push_str("</tbody></table>");
    }
    if let Some(first) = answer.tables().iter().find(|table| !table.rows.is_empty()) {
        push_table(&mut html, first, extent.rows);
    }
    push_notes(&mut html, answer.notes());
    html.push_str("</div>");
    html
}

fn push_table(html: &mut String, table: &Table, limit: usize) {
    let rows = &table.rows[..table.rows.len().min(limit)];
    let columns = 0..table.columns.len();
    let shown: Vec<_> = columns
        .map(|index| table::scaled(table, index, rows, Charset::Unicode))
        .collect();
    let align = |unit| match unit {
        Unit::Text | Unit::Flag => "left",
        _ => "right",
    };
    let aligned = |unit| format!("style=\"text-align:{}\"", align(unit));
    let _ = write!(
        html,
        "<table><caption>{}</caption><thead><tr>",
        escaped(&table.title)
    );
    for (column, shown) in table.columns.iter().zip(&shown) {
        let style = aligned(column.unit);
        let (key, header) = (escaped(column.key), escaped(&shown.header));
        let _ = write!(html, "<th {style} title=\"{key}\">{header}</th>");
    }
    html.push_str("</tr></thead><tbody>");
    for row in 0..rows.len() {
        html.push_str("<tr>");
        for (column, shown) in table.columns.iter().zip(&shown) {
            let style = aligned(column.unit);
            let cell = shown.cells.get(row).map_or("", String::as_str);
            let _ = write!(html, "<td {style}>{}</td>", escaped(cell));
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table>");
    if let Some(more) = more_rows(table, limit) {
        let _ = write!(html, "<p>{more}</p>");
    }
}

fn push_notes(html: &mut String, notes: &[Note]) {
    let mut sorted: Vec<&Note> = notes.iter().collect();
    sorted.sort_by_key(|note| note.kind);
    for note in sorted {
        let word = match note.kind {
            NoteKind::Warning => "warning",
            NoteKind::Info => "note",
        };
        let _ = write!(html, "<p><b>{word}:</b> {}", escaped(&note.text));
        if !note.hint.is_empty() {
            let _ = write!(html, " <i>{}</i>", escaped(&note.hint));
        }
        html.push_str("</p>");
    }
}

/// Says how many rows are left out; none if all are shown.
fn more_rows(table: &Table, limit: usize) -> Option<String> {
    let total = table.row_count.max(table.rows.len());
    let more = total.saturating_sub(table.rows.len().min(limit));
    let noun = if more == 1 { "row" } else { "rows" };
    (more > 0).then(|| format!("{} more {noun}", format::grouped(&more.to_string())))
}

#[cfg(test)]
mod tests {
    use stepscope_analysis::{Cell, Column};

    use super::*;

    fn table() -> Table {
        let rows: Vec<Vec<Cell>> = vec![
            vec!["<b>&\"".into(), 2_000_000_000i64.into()],
            vec!["dot".into(), 1_500_000_000i64.into()],
        ];
        Table {
            key: "rows",
            title: "Ops".to_owned(),
            columns: vec![
                Column::new("name", "Op", Unit::Text),
                Column::new("total_ps", "Total", Unit::Picos),
            ],
            row_count: 3,
            rows,
        }
    }

    #[test]
    fn html_shows_figures_in_their_unit_and_no_markup_of_the_profile() {
        let mut html = String::new();
        push_table(&mut html, &table(), 1);
        assert!(html.contains("&lt;b&gt;&amp;&quot;"), "{html}");
        assert!(!html.contains("<b>"), "{html}");
        assert!(
            html.contains(">Total (ms)<") && html.contains(">2<"),
            "{html}"
        );
        assert!(
            html.contains("2 more rows") && !html.contains("dot"),
            "{html}"
        );
    }
}
