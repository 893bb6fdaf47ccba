//! Reports as HTML fragments for notebooks.
//!
//! Notebooks, nbconvert and GitHub each remove some of: style sheets, scripts, pictures, styles.
//! So there are none of the first two, and everything reads without the last two: verdicts are
//! words, figures have units, alignment is also an attribute. Text takes the color of the notebook,
//! light or dark; the colors of marks suit both.

use std::fmt::Write;

use stepscope_analysis::telling::escape::html as escaped;
use stepscope_analysis::telling::thresholds::VerdictKind;
use stepscope_analysis::{Answer, Note, NoteKind, Table};

use super::{Extent, step_chart};
use crate::format::{self, Charset};
use crate::table::{self, Fitted, View};

/// Tables are as wide as this many characters; a notebook is about that wide.
const WIDTH: usize = 130;
const LINE: &str = "border-bottom:1px solid rgba(128,128,128,0.35)";
/// The attribute `nowrap` would not do: JupyterLab's style sheet lets cells wrap.
const NO_BREAK: &str = ";white-space:nowrap";

/// The conclusion, the key figures, the chart of the steps, the tables and the notes. The first
/// table and those with verdicts are open, the others can be opened.
pub fn html(answer: &Answer, extent: Extent) -> String {
    let tables = answer.tables();
    let mut html = String::from("<div class=\"stepscope-report\">");
    let mut sentences = answer.sentences();
    let mut conclusion = answer.conclusion().unwrap_or_default();
    if let ("", Some((first, rest))) = (conclusion, sentences.split_first()) {
        (conclusion, sentences) = (first, rest);
    }
    if !conclusion.is_empty() {
        let _ = write!(html, "<p><b>{}</b></p>", escaped(conclusion));
    }
    push_headline(&mut html, &answer.headline(), conclusion);
    if let Some(chart) = tables.iter().find_map(step_chart::html) {
        html.push_str(&chart);
    }
    push_lines(&mut html, &answer.chart());
    push_lines(&mut html, sentences);
    if let Some(document) = answer.document() {
        let lines: Vec<String> = document.lines().map(str::to_owned).collect();
        push_lines(&mut html, &lines[..lines.len().min(extent.rows)]);
        push_more(&mut html, extent.rows, lines.len(), "lines");
    }
    push_tables(&mut html, answer, &tables, extent);
    push_notes(&mut html, answer.notes());
    html.push_str("</div>");
    html
}

/// A table as an HTML fragment.
pub fn table_html(table: &Table, extent: Extent) -> String {
    let mut html = String::from("<div class=\"stepscope-report\">");
    let _ = write!(html, "<p><b>{}</b></p>", escaped(&table.title));
    push_table(&mut html, table, extent.rows);
    html.push_str("</div>");
    html
}

fn push_headline(html: &mut String, headline: &[(String, String)], conclusion: &str) {
    let mut rows = headline
        .iter()
        .filter(|(_, value)| value != conclusion)
        .peekable();
    if rows.peek().is_none() {
        return;
    }
    html.push_str("<table><tbody>");
    for (name, value) in rows {
        let (name, value) = (escaped(name), prose(value));
        let _ = write!(
            html,
            "<tr><th align=\"left\" style=\"text-align:left;padding:2px 8px\">{name}</th>\
            <td align=\"left\" style=\"text-align:left;padding:2px 8px\">{value}</td></tr>"
        );
    }
    html.push_str("</tbody></table>");
}

/// Lines whose spaces matter.
fn push_lines(html: &mut String, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    // JupyterLab would break lines within words.
    html.push_str("<pre style=\"white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere\">");
    for line in lines {
        let _ = writeln!(html, "{}", escaped(line));
    }
    html.push_str("</pre>");
}

fn push_tables(html: &mut String, answer: &Answer, tables: &[Table], extent: Extent) {
    let only_wide = answer.only_wide();
    let shown = tables.iter().filter(|table| {
        let is_hidden = answer.unprinted().contains(&table.key) || only_wide.contains(&table.key);
        !table.rows.is_empty() && !is_hidden
    });
    // Sentences already say what the tables contain.
    let mut may_open = answer.sentences().is_empty();
    for table in shown {
        let has_verdicts = table.columns.iter().any(|column| column.key == "verdict");
        if may_open || has_verdicts {
            let _ = write!(html, "<p><b>{}</b></p>", escaped(&table.title));
            push_table(html, table, extent.rows);
        } else {
            let rows = format::grouped(&row_count(table).to_string());
            let title = escaped(&table.title);
            let _ = write!(html, "<details><summary>{title} ({rows})</summary>");
            push_table(html, table, extent.rows);
            html.push_str("</details>");
        }
        may_open = false;
    }
}

fn row_count(table: &Table) -> usize {
    table.row_count.max(table.rows.len())
}

fn push_table(html: &mut String, table: &Table, limit: usize) {
    let view = View {
        width: WIDTH,
        limit: Some(limit),
        charset: Charset::Unicode,
        is_wide: false,
    };
    let rows = table.rows.len().min(limit);
    let (columns, hidden) = table::fitted(table, &view);
    html.push_str("<table style=\"border-collapse:collapse\"><thead><tr>");
    for column in &columns {
        let (style, key) = (alignment(column, ""), escaped(column.key));
        let _ = write!(
            html,
            "<th {style} title=\"{key}\">{}</th>",
            escaped(&column.header)
        );
    }
    html.push_str("</tr></thead><tbody>");
    for row in 0..rows {
        html.push_str("<tr>");
        for column in &columns {
            push_cell(html, column, row);
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table>");
    push_more(html, rows, row_count(table), "rows");
    if hidden > 0 {
        let columns = if hidden == 1 { "column" } else { "columns" };
        let _ = write!(
            html,
            "<p><small>{hidden} more {columns} in .to_pandas()</small></p>"
        );
    }
}

fn push_cell(html: &mut String, column: &Fitted, row: usize) {
    let text = |cells: &[String]| cells.get(row).cloned().unwrap_or_default();
    let (cell, whole) = (text(&column.cells), text(&column.whole));
    let mark = mark(column.key, &whole);
    // A line would break behind the mark, or behind the ellipsis.
    let is_whole_line = mark.is_some() || cell != whole;
    let style = alignment(column, if is_whole_line { NO_BREAK } else { "" });
    let _ = write!(html, "<td {style}");
    if cell != whole {
        let _ = write!(html, " title=\"{}\"", escaped(&whole));
    }
    html.push('>');
    if let Some(color) = mark {
        let _ = write!(html, "<span style=\"color:{color}\">●</span> ");
    }
    let _ = write!(html, "{}</td>", escaped(&cell));
}

/// The attributes of a cell, with `more` style.
fn alignment(column: &Fitted, more: &str) -> String {
    let side = if column.is_number { "right" } else { "left" };
    format!("align=\"{side}\" style=\"text-align:{side};padding:2px 8px;{LINE}{more}\"")
}

/// The color of the mark before a verdict or a severity; the word itself says the same.
fn mark(key: &str, word: &str) -> Option<&'static str> {
    if !matches!(key, "verdict" | "severity") {
        return None;
    }
    let verdict = match word {
        "good" | "passed" => VerdictKind::Good,
        "warning" | "within noise" | "within_noise" => VerdictKind::Warning,
        "bad" | "broken" => VerdictKind::Bad,
        _ => VerdictKind::Neutral,
    };
    Some(match verdict {
        VerdictKind::Good => "#2f9e44",
        VerdictKind::Warning => "#d9820f",
        VerdictKind::Bad => "#e03131",
        VerdictKind::Unknown | VerdictKind::Neutral => "#868e96",
    })
}

/// Says how many are shown, unless all are.
fn push_more(html: &mut String, shown: usize, total: usize, noun: &str) {
    if shown < total {
        let (shown, total) = (shown.to_string(), total.to_string());
        let (shown, total) = (format::grouped(&shown), format::grouped(&total));
        let _ = write!(html, "<p><small>… {shown} of {total} {noun}</small></p>");
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
        let _ = write!(html, "<p><b>{word}:</b> {}", prose(&note.text));
        if !note.hint.is_empty() {
            let _ = write!(html, " <i>{}</i>", prose(&note.hint));
        }
        html.push_str("</p>");
    }
}

/// Prose, whose code stands in backticks.
fn prose(text: &str) -> String {
    let text = escaped(text);
    let pieces: Vec<&str> = text.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return text; // One of them belongs to a name.
    }
    let mut html = String::new();
    for (index, piece) in pieces.into_iter().enumerate() {
        match index {
            0 => {}
            _ if index.is_multiple_of(2) => html.push_str("</code>"),
            _ => html.push_str("<code>"),
        }
        html.push_str(piece);
    }
    html
}

#[cfg(test)]
mod tests {
    use stepscope_analysis::{Cell, Column, Unit};

    use super::*;

    fn table() -> Table {
        let columns = [
            Column::new("name", "Op", Unit::Text),
            Column::new("total_ps", "Total", Unit::Picos),
            Column::new("verdict", "Verdict", Unit::Text),
        ];
        let rows: [Vec<Cell>; 2] = [
            vec![
                "<script>alert(1)</script>&\"".into(),
                2_000_000_000i64.into(),
                "bad".into(),
            ],
            vec!["dot".into(), 1_500_000_000i64.into(), "good".into()],
        ];
        Table::new("rows", "<i>Ops", &columns, rows).with_row_count(1234)
    }

    fn shown(rows: usize) -> String {
        table_html(&table(), Extent { width: 0, rows })
    }

    #[test]
    fn names_of_the_profile_are_no_markup() {
        let html = shown(2);
        assert!(!html.contains("<script") && !html.contains("<i>"), "{html}");
        assert!(
            html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;"),
            "{html}"
        );
        assert!(html.contains("&lt;i&gt;Ops"), "{html}");
    }

    #[test]
    fn figures_have_units_and_left_out_rows_are_counted() {
        let html = shown(1);
        assert!(
            html.contains(">Total (ms)<") && html.contains(">2</td>"),
            "{html}"
        );
        assert!(
            html.contains("… 1 of 1,234 rows") && !html.contains("dot"),
            "{html}"
        );
    }

    #[test]
    fn code_in_prose_stands_out() {
        assert_eq!(
            prose("as `<a>`, pass `--x 1`."),
            "as <code>&lt;a&gt;</code>, pass <code>--x 1</code>."
        );
        assert_eq!(prose("a name`s end"), "a name`s end");
    }

    #[test]
    fn lines_break_between_words_and_verdicts_stay_beside_their_marks() {
        let mut html = String::new();
        push_lines(&mut html, &["some words".to_owned()]);
        assert!(html.contains("word-break:normal"), "{html}");
        let table = shown(2);
        assert_eq!(table.matches(NO_BREAK).count(), 2, "{table}");
    }

    #[test]
    fn verdicts_are_words_and_numbers_are_right_aligned_without_styles() {
        let html = shown(2);
        assert!(
            html.contains("</span> bad</td>") && html.contains("</span> good</td>"),
            "{html}"
        );
        assert!(
            html.contains("<td align=\"right\"") && html.contains("<td align=\"left\""),
            "{html}"
        );
    }
}
