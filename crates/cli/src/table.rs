//! Tables for the terminal: they fit the width, numbers are right-aligned, and names are cut in the
//! middle, or elsewhere if they would look alike.

use std::fmt::Write;

use anstyle::Style;
use stepscope_analysis::{Cell, Column, Table, Unit};

use crate::apart::{self, Texts, WHERE};
use crate::format::{self, Charset, Scale};
use crate::shorten;

/// How tables are shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    /// Columns of the terminal.
    pub(crate) width: usize,
    /// Maximum number of rows; `None` for all.
    pub(crate) limit: Option<usize>,
    /// Characters for our own words.
    pub(crate) charset: Charset,
    /// Hide and shorten nothing.
    pub(crate) is_wide: bool,
}

/// Tables with an option of their own name that limits how many rows the report has.
const OWN_LIMITS: [&str; 2] = ["instances", "shardings"];
const GAP: usize = 2;
/// An essential text column is not made narrower than this to keep an optional column ...
const COMFORTABLE: usize = 30;
/// ... and an optional column is not made narrower than this itself.
const USEFUL: usize = 22;
/// A text column is never made narrower than this.
const NARROWEST: usize = 8;
/// Texts that are typed again, as values of options, are cut only where they would take most of the line.
const TYPED_AGAIN: &str = "change";

const HEADER: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// The table as lines; in color, for a stream that removes colors if needed. A last line says what
/// is hidden and how to show it.
pub(crate) fn render(table: &Table, view: &View) -> String {
    let (mut text, hidden) = body(table, view);
    if let Some(footer) = footer(table, &hidden, view) {
        let _ = writeln!(text, "{FAINT}{footer}{FAINT:#}");
    }
    text
}

/// The same without the last line.
pub(crate) fn rows(table: &Table, view: &View) -> String {
    body(table, view).0
}

/// The table with only the columns with these keys, in this order.
pub(crate) fn with_columns(table: Table, keys: &[&str]) -> Table {
    let position = |key: &&str| table.columns.iter().position(|column| column.key == *key);
    let kept: Vec<usize> = keys.iter().filter_map(position).collect();
    let pick = |row: &Vec<Cell>| {
        kept.iter()
            .filter_map(|&index| row.get(index).cloned())
            .collect()
    };
    Table {
        columns: kept.iter().map(|&index| table.columns[index]).collect(),
        rows: table.rows.iter().map(pick).collect(),
        ..table
    }
}

fn row_count(table: &Table, view: &View) -> usize {
    view.limit
        .map_or(table.rows.len(), |limit| limit.min(table.rows.len()))
}

/// In a comparison of two sessions all rows are about the second: its name, which may be long, adds
/// nothing.
fn names_one_session(table: &Table, index: usize) -> bool {
    let column = table.columns[index];
    let mut cells = table.rows.iter().map(|row| &row[index]);
    let first = cells.next();
    column.key == "session" && !column.is_essential && cells.all(|cell| Some(cell) == first)
}

/// A column that fits a page which wraps text and shows whole texts in another way.
pub(crate) struct Fitted {
    /// The JSON key.
    pub(crate) key: &'static str,
    /// Title with the unit.
    pub(crate) header: String,
    pub(crate) is_number: bool,
    /// Names are shortened so that they remain distinct; sentences are whole.
    pub(crate) cells: Vec<String>,
    /// The same without shortening.
    pub(crate) whole: Vec<String>,
}

/// The columns that fit, and how many do not.
pub(crate) fn fitted(table: &Table, view: &View) -> (Vec<Fitted>, usize) {
    /// Pages wrap sentences to about this width.
    const PROSE: usize = 60;
    let mut columns = all_columns(table, view);
    for column in columns.iter_mut().filter(|column| column.is_prose) {
        column.width = column.width.min(PROSE);
    }
    let hidden = fit_page(&mut columns, view.width);
    let fitted = columns.into_iter().map(|column| {
        let is_short = column.is_number || column.is_prose;
        Fitted {
            key: column.key,
            header: column.header.join(" ").trim().to_owned(),
            is_number: column.is_number,
            cells: if is_short {
                column.cells.clone()
            } else {
                shorten::distinct(&column.cells, column.width, view.charset)
            },
            whole: column.cells,
        }
    });
    (fitted.collect(), hidden)
}

/// All columns that say something, as they are without a limit of the width.
fn all_columns(table: &Table, view: &View) -> Vec<Shown> {
    let rows = &table.rows[..row_count(table, view)];
    (0..table.columns.len())
        .filter(|&index| view.is_wide || !names_one_session(table, index))
        .map(|index| Shown::new(table, index, rows, view.charset))
        .collect()
}

fn body(table: &Table, view: &View) -> (String, Vec<&'static str>) {
    let shown = row_count(table, view);
    let mut columns = all_columns(table, view);
    let hidden = if view.is_wide {
        Vec::new()
    } else {
        fit(&mut columns, view.width)
    };
    for column in columns.iter_mut().filter(|column| !column.is_number) {
        column.cells = shorten::distinct(&column.cells, column.width, view.charset);
    }
    let mut text = String::new();
    let header_lines = columns.iter().map(|column| column.header.len()).max();
    for index in 0..header_lines.unwrap_or(0) {
        let part = |column: &Shown| column.header.get(index).cloned().unwrap_or_default();
        // Leave the first header line empty for headers of one word.
        if columns.iter().any(|column| !part(column).is_empty()) {
            line(&mut text, &columns, part, HEADER, view.charset);
        }
    }
    for row in 0..shown {
        let cell = |column: &Shown| column.cells[row].clone();
        line(&mut text, &columns, cell, Style::new(), view.charset);
    }
    (text, hidden)
}

/// A column as it will be printed.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, not a state"
)]
struct Shown {
    key: &'static str,
    name: &'static str,
    /// One line, or two if that saves space.
    header: Vec<String>,
    cells: Vec<String>,
    is_number: bool,
    is_essential: bool,
    /// All figures are zero, so the column must not displace others.
    is_zero: bool,
    is_blank: bool,
    /// The same of all rows, also those that are not shown.
    is_empty: bool,
    /// Contains sentences, which are useless if cut.
    is_prose: bool,
    /// Has the same value in every row.
    is_constant: bool,
    /// Tells rows apart that look alike without it.
    tells_apart: bool,
    width: usize,
}

impl Shown {
    fn new(table: &Table, index: usize, rows: &[Vec<Cell>], charset: Charset) -> Self {
        let column = table.columns[index];
        let values = || rows.iter().filter_map(|row| row.get(index));
        let Scaled { header, cells } = scaled(table, index, rows, charset);
        let widest = cells
            .iter()
            .map(|cell| format::width(cell))
            .max()
            .unwrap_or(0);
        Self {
            key: column.key,
            name: column.header,
            width: widest.max(format::width(&header)),
            header: vec![header],
            is_number: !matches!(column.unit, Unit::Text | Unit::Flag),
            is_essential: column.is_essential,
            is_zero: !rows.is_empty() && values().all(is_zero),
            is_blank: !rows.is_empty() && values().all(is_blank),
            is_empty: !rows.is_empty() && is_empty(table, index),
            is_prose: values().any(is_sentence),
            is_constant: rows.len() > 1 && cells.windows(2).all(|pair| pair[0] == pair[1]),
            tells_apart: false,
            cells,
        }
    }

    /// Whether it stays longer than others.
    const fn is_kept(&self) -> bool {
        self.is_essential || self.tells_apart
    }

    /// The other column already shows this one: the same figures, or text that contains its text.
    fn is_part_of(&self, other: &Self) -> bool {
        let mut pairs = self.cells.iter().zip(&other.cells);
        match (self.is_number, other.is_number) {
            (true, true) => pairs.all(|(own, others)| own == others),
            (false, false) => pairs.all(|(own, others)| others.contains(own.as_str())),
            _ => false,
        }
    }

    /// Its width with the header on one line.
    fn unfolded_width(&self) -> usize {
        self.width.max(format::width(self.header.join(" ").trim()))
    }

    fn unfold_header(&mut self) {
        self.width = self.unfolded_width();
        self.header = vec![self.header.join(" ").trim().to_owned()];
    }

    /// Breaks the header so that its longer line is as short as possible.
    fn fold_header(&mut self) {
        let words: Vec<&str> = self
            .header
            .iter()
            .flat_map(|line| line.split(' '))
            .collect();
        let folds = (0..words.len()).map(|at| [words[..at].join(" "), words[at..].join(" ")]);
        let longer = |fold: &[String; 2]| fold.iter().map(|line| format::width(line)).max();
        if let Some(fold) = folds.min_by_key(longer) {
            let cells = self
                .cells
                .iter()
                .map(|cell| format::width(cell))
                .max()
                .unwrap_or(0);
            self.width = cells.max(longer(&fold).unwrap_or(0));
            self.header = fold.into();
        }
    }

    fn is_typed_again(&self) -> bool {
        self.key == TYPED_AGAIN && self.cells.iter().all(|cell| !cell.contains(' '))
    }

    /// The minimum width.
    fn least(&self, floor: usize, line: usize) -> usize {
        if self.is_number || self.is_prose {
            self.width
        } else if self.is_typed_again() {
            self.width.min(floor.max(line * 3 / 5))
        } else if self.is_essential {
            self.width.min(floor)
        } else {
            self.width.min(floor.min(USEFUL))
        }
    }
}

/// A column whose figures share one unit, which its header names.
pub(crate) struct Scaled {
    pub(crate) header: String,
    pub(crate) cells: Vec<String>,
}

/// Scales a column for these rows of a table.
pub(crate) fn scaled(table: &Table, index: usize, rows: &[Vec<Cell>], charset: Charset) -> Scaled {
    let column = table.columns[index];
    let values = || rows.iter().filter_map(|row| row.get(index));
    let scale = Scale::of(column.unit, values().filter_map(number), charset);
    let scale = match (column.unit, other_bound(table, index)) {
        (_, Some(other)) => {
            let bounds = rows.iter().flat_map(|row| [row.get(index), row.get(other)]);
            Scale::of_bounds(column.unit, bounds.flatten().filter_map(number), charset)
        }
        (Unit::Text | Unit::Flag | Unit::Count | Unit::Ratio, None) => scale,
        _ if !Scale::is_meaningful(values().filter_map(number)) => {
            Scale::of_nothing(&of_unit(table, rows, column.unit, charset))
        }
        (Unit::Picos | Unit::Bytes, None) => scale.shared(
            &of_unit(table, rows, column.unit, charset),
            values().filter_map(number),
        ),
        _ => scale,
    };
    let header = match scale.unit.as_str() {
        "" => charset.text(column.header),
        unit => charset.text(&format!("{} ({unit})", column.header)),
    };
    let cells = values().map(|cell| show(cell, &scale, charset)).collect();
    Scaled { header, cells }
}

/// The other end of the ranges whose one end is in this column, such as `to_ps` for `from_ps`.
fn other_bound(table: &Table, index: usize) -> Option<usize> {
    let column = table.columns[index];
    let of = |prefix: &str, other: &str| {
        let unit = column.key.strip_prefix(prefix)?;
        let is_other = |column: &Column| column.key.strip_prefix(other) == Some(unit);
        table.columns.iter().position(is_other)
    };
    of("from_", "to_").or_else(|| of("to_", "from_"))
}

/// The scales of all columns with this unit that have figures.
fn of_unit(table: &Table, rows: &[Vec<Cell>], unit: Unit, charset: Charset) -> Vec<Scale> {
    let columns = (0..table.columns.len()).filter(|&index| table.columns[index].unit == unit);
    columns
        .filter_map(|index| {
            let values = || {
                rows.iter()
                    .filter_map(|row| row.get(index).and_then(number))
            };
            Scale::is_meaningful(values()).then(|| Scale::of(unit, values(), charset))
        })
        .collect()
}

fn is_sentence(cell: &Cell) -> bool {
    matches!(cell, Cell::Text(text) if text.ends_with('.') && text.contains(' '))
}

/// Whether no row of the table has something in the column.
fn is_empty(table: &Table, index: usize) -> bool {
    let mut cells = table.rows.iter().filter_map(|row| row.get(index));
    cells.all(is_blank)
}

fn is_blank(cell: &Cell) -> bool {
    match cell {
        Cell::Missing | Cell::Flag(false) => true,
        Cell::Text(text) => text.is_empty(),
        Cell::Int(_) | Cell::Float(_) | Cell::Flag(true) => false,
    }
}

fn is_zero(cell: &Cell) -> bool {
    number(cell).is_some_and(|value| value == 0.0)
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Int(value) => Some(*value as f64),
        Cell::Float(value) => Some(*value),
        Cell::Text(_) | Cell::Flag(_) | Cell::Missing => None,
    }
}

fn show(cell: &Cell, scale: &Scale, charset: Charset) -> String {
    match cell {
        Cell::Text(text) => charset.text(&format::one_line(text)),
        Cell::Int(value) => scale.show(*value as f64),
        Cell::Float(value) => scale.show(*value),
        Cell::Flag(is_set) => if *is_set { "yes" } else { "" }.to_owned(),
        Cell::Missing => charset.missing().to_owned(),
    }
}

/// Makes the row fit: first with headers on two lines, then without optional columns, then with
/// narrower names, then without other columns except the first. Returns the names of the removed
/// columns.
fn fit(columns: &mut Vec<Shown>, width: usize) -> Vec<&'static str> {
    let mut hidden = Vec::new();
    retain_telling(columns);
    tell_apart(columns);
    if needed(columns, COMFORTABLE, width) > width {
        columns.iter_mut().for_each(Shown::fold_header);
    }
    let mut drop_while_too_wide = |columns: &mut Vec<Shown>, floor, keeps_essential| {
        while needed(columns, floor, width) > width {
            let Some(index) = least_telling(columns, keeps_essential) else {
                break;
            };
            hidden.push(columns.remove(index).name);
        }
    };
    drop_while_too_wide(columns, COMFORTABLE, true);
    drop_while_too_wide(columns, NARROWEST, false);
    let room: usize = columns
        .iter()
        .map(|column| column.unfolded_width() + GAP)
        .sum();
    if room.saturating_sub(GAP) <= width {
        columns.iter_mut().for_each(Shown::unfold_header);
    }
    let is_tight = needed(columns, COMFORTABLE, width) > width;
    narrow(
        columns,
        width,
        if is_tight { NARROWEST } else { COMFORTABLE },
    );
    hidden
}

/// Columns without any figures are removed without mention, except for the first. An essential one stays if
/// a row that is not shown has some.
fn retain_telling(columns: &mut Vec<Shown>) {
    let first = columns.first().map(|column| column.key);
    columns.retain(|column| {
        let is_blank = if column.is_essential {
            column.is_empty
        } else {
            column.is_blank
        };
        Some(column.key) == first || !is_blank
    });
}

/// Marks the columns of text, at most two, that tell rows apart where names repeat, such as ops of several
/// programs: they stay before others.
fn tell_apart(columns: &mut [Shown]) {
    const MOST: usize = 2;
    // In a tree, the rows above tell.
    let is_tree = |first: &Shown| first.cells.iter().any(|cell| cell.starts_with(' '));
    let is_named = |first: &Shown| !first.is_number && !is_tree(first);
    if !columns.first().is_some_and(is_named) {
        return;
    }
    let counts = |one: &Shown| !one.is_number && (one.is_kept() || WHERE.contains(&one.key));
    let is_text = |index: &usize| *index == 0 || counts(&columns[*index]);
    let texts: Vec<usize> = (0..columns.len()).filter(is_text).collect();
    for _ in 0..MOST {
        let of = |&index: &usize| Texts {
            cells: &columns[index].cells,
            is_kept: index == 0 || columns[index].is_kept(),
        };
        let shown: Vec<Texts<'_>> = texts.iter().map(of).collect();
        let Some(found) = apart::telling(&shown) else {
            return;
        };
        columns[texts[found]].tells_apart = true;
    }
}

/// The same for a page, which can be scrolled: only optional columns are removed. Returns how many.
fn fit_page(columns: &mut Vec<Shown>, width: usize) -> usize {
    retain_telling(columns);
    tell_apart(columns);
    let before = columns.len();
    while needed(columns, COMFORTABLE, width) > width {
        let Some(index) = least_telling(columns, true) else {
            break;
        };
        columns.remove(index);
    }
    narrow(columns, width, COMFORTABLE);
    before - columns.len()
}

/// The next column to remove: one that repeats another, one that never changes, else the last;
/// columns of zeros go before others.
fn least_telling(columns: &[Shown], keeps_essential: bool) -> Option<usize> {
    let may_go = |index: &usize| !(keeps_essential && columns[*index].is_kept());
    let repeats = |index: &usize| {
        let mut others = columns
            .iter()
            .enumerate()
            .filter(|(other, _)| other != index);
        others.any(|(_, other)| columns[*index].is_part_of(other))
    };
    let candidates = || (1..columns.len()).rev().filter(may_go);
    let last = candidates()
        .find(|&index| columns[index].is_zero)
        .or_else(|| candidates().find(repeats))
        .or_else(|| candidates().find(|&index| columns[index].is_constant))
        .or_else(|| candidates().next());
    let zeros = (1..columns.len())
        .rev()
        .find(|&index| columns[index].is_zero);
    let tells = |column: &Shown| column.is_number && !column.is_zero;
    match (last, zeros) {
        (Some(last), Some(zeros)) if tells(&columns[last]) => Some(zeros),
        (None, zeros) => zeros,
        (last, _) => last,
    }
}

fn needed(columns: &[Shown], floor: usize, line: usize) -> usize {
    let gaps = GAP * columns.len().saturating_sub(1);
    columns
        .iter()
        .map(|column| column.least(floor, line))
        .sum::<usize>()
        + gaps
}

/// Narrows the widest text columns, one terminal column at a time, until the row fits.
fn narrow(columns: &mut [Shown], width: usize, floor: usize) {
    let gaps = GAP * columns.len().saturating_sub(1);
    let natural: usize = columns.iter().map(|column| column.width).sum();
    let mut excess = (natural + gaps).saturating_sub(width);
    while excess > 0 {
        let candidates = columns
            .iter_mut()
            .filter(|column| column.width > column.least(floor, width));
        let Some(widest) = candidates.max_by_key(|column| column.width) else {
            return;
        };
        widest.width -= 1;
        excess -= 1;
    }
}

fn line(
    text: &mut String,
    columns: &[Shown],
    cell: impl Fn(&Shown) -> String,
    style: Style,
    charset: Charset,
) {
    let mut row = String::new();
    for (index, column) in columns.iter().enumerate() {
        let shown = format::shortened(&cell(column), column.width, charset);
        let padding = " ".repeat(column.width.saturating_sub(format::width(&shown)));
        if index > 0 {
            row.push_str(&" ".repeat(GAP));
        }
        let (before, after) = if column.is_number {
            (padding, String::new())
        } else {
            (String::new(), padding)
        };
        row.push_str(&before);
        row.push_str(&shown);
        row.push_str(&after);
    }
    let _ = writeln!(text, "{style}{}{style:#}", row.trim_end());
}

/// What is not shown, and how to show it.
fn footer(table: &Table, hidden: &[&str], view: &View) -> Option<String> {
    let shown = row_count(table, view);
    let total = table.row_count.max(table.rows.len());
    let mut parts = Vec::new();
    if total > shown {
        let more = format::grouped(&(total - shown).to_string());
        let rows = if total - shown == 1 { "row" } else { "rows" };
        let has_own = total > table.rows.len() && OWN_LIMITS.contains(&table.key);
        let options = match (has_own, view.limit.is_some_and(|limit| total > limit)) {
            (true, true) => format!("--{} 0 --limit 0", table.key),
            (true, false) => format!("--{} 0", table.key),
            (false, _) => "--limit 0".to_owned(),
        };
        parts.push(format!("{more} more {rows} ({options} for all)"));
    }
    match hidden {
        [] => {}
        [_, _, _, _, ..] => parts.push(number_of_hidden(hidden)),
        few => {
            let has_comma = few.iter().any(|name| name.contains(','));
            let names = few.join(if has_comma { "; " } else { ", " });
            parts.push(format!("hidden: {} (--wide)", names.to_lowercase()));
        }
    }
    let ellipsis = view.charset.ellipsis();
    let line = |parts: &[String]| format!("{ellipsis} {}", parts.join("; "));
    if !hidden.is_empty() && format::width(&line(&parts)) > view.width {
        let mut shorter = parts.clone();
        shorter.pop();
        shorter.push(number_of_hidden(hidden));
        // Names are worth a broken line if nothing saves it.
        if format::width(&line(&shorter)) <= view.width {
            parts = shorter;
        }
    }
    (!parts.is_empty()).then(|| line(&parts))
}

/// `4 columns hidden (--wide)`
fn number_of_hidden(hidden: &[&str]) -> String {
    let columns = if hidden.len() == 1 {
        "column"
    } else {
        "columns"
    };
    format!("{} {columns} hidden (--wide)", hidden.len())
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
