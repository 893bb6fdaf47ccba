//! Order and limit of rows: `--sort` and `--limit`, the same for every table.

use std::cmp::Ordering;

use crate::asking::AnalysisError;
use crate::asking::selection::Selection;
use crate::telling::{Cell, Field};

/// Sorts rows, which are in their default order, by `--sort` and truncates them to `--limit`. Equal
/// rows keep the default order. Returns the number of rows before truncation.
pub fn arrange<R, C: ?Sized>(
    rows: &mut Vec<R>,
    selection: &Selection,
    fields: &[Field<R, C>],
) -> Result<usize, AnalysisError> {
    if let Some(sort) = &selection.sort {
        sort_by(rows, sort, fields)?;
    }
    let row_count = rows.len();
    if let Some(limit) = selection.limit.filter(|&limit| limit > 0) {
        rows.truncate(limit);
    }
    Ok(row_count)
}

/// Sorts by a column's key; a leading `-` reverses.
pub fn sort_by<R, C: ?Sized>(
    rows: &mut [R],
    sort: &str,
    fields: &[Field<R, C>],
) -> Result<(), AnalysisError> {
    sort_rows_by(rows, |row| row, sort, fields)
}

/// Sorts items by a column of the row that each item has.
pub fn sort_rows_by<T, R, C: ?Sized>(
    items: &mut [T],
    row: impl Fn(&T) -> &R,
    sort: &str,
    fields: &[Field<R, C>],
) -> Result<(), AnalysisError> {
    let (key, is_reversed) = match sort.strip_prefix('-') {
        Some(key) => (key, true),
        None => (sort, false),
    };
    let known = fields
        .iter()
        .filter_map(|field| Some((field.column.key, field.sort_key()?)));
    let Some((_, read)) = known.clone().find(|(name, _)| *name == key) else {
        let known: Vec<&str> = known.map(|(name, _)| name).collect();
        let known = known.join(", ");
        return Err(AnalysisError::Options(format!(
            "unknown column for --sort: {key}; available: {known}"
        )));
    };
    items.sort_by_cached_key(|item| Key {
        cell: read(row(item)),
        is_reversed,
    });
    Ok(())
}

/// Sort key of a row: numbers largest first, text from A to Z, yes before no, missing values last.
struct Key {
    cell: Cell,
    is_reversed: bool,
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let ordering = match (&self.cell, &other.cell) {
            (Cell::Int(a), Cell::Int(b)) => b.cmp(a),
            (Cell::Float(a), Cell::Float(b)) => b.total_cmp(a),
            (Cell::Flag(a), Cell::Flag(b)) => b.cmp(a),
            (Cell::Text(a), Cell::Text(b)) => a.cmp(b),
            (a, b) => return (*a == Cell::Missing).cmp(&(*b == Cell::Missing)),
        };
        if self.is_reversed {
            ordering.reverse()
        } else {
            ordering
        }
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telling::{Column, Unit};

    type Row = (i64, Option<f64>, &'static str);

    const FIELDS: &[Field<Row>] = &[
        Column::new("size", "Size", Unit::Count).of(|row| row.0.into()),
        Column::new("rate", "Rate", Unit::Ratio).of(|row| row.1.into()),
        Column::new("name", "Name", Unit::Text).of(|row| row.2.into()),
    ];

    fn names(sort: &str) -> String {
        let mut rows = vec![
            (1, None, "b"),
            (3, Some(0.5), "a"),
            (3, Some(2.0), "c"),
            (2, Some(1.0), "d"),
        ];
        sort_by(&mut rows, sort, FIELDS).expect("the column exists");
        rows.iter().map(|row| row.2).collect()
    }

    #[test]
    fn numbers_fall_texts_rise_and_missing_values_stay_last() {
        assert_eq!(names("size"), "acdb");
        assert_eq!(names("-size"), "bdac");
        assert_eq!(names("rate"), "cdab");
        assert_eq!(names("-rate"), "adcb");
        assert_eq!(names("name"), "abcd");
    }

    #[test]
    fn an_unknown_column_lists_the_known_ones() {
        let error = sort_by(&mut [(1, None, "b")], "color", FIELDS).expect_err("no such column");
        assert!(
            error.to_string().ends_with("available: size, rate, name"),
            "{error}"
        );
    }

    #[test]
    fn a_limit_of_zero_keeps_all() {
        let mut selection = Selection {
            limit: Some(0),
            ..Selection::default()
        };
        let mut rows = vec![(1, None, "b"), (2, None, "a")];
        assert_eq!(arrange(&mut rows, &selection, FIELDS).ok(), Some(2));
        assert_eq!(rows.len(), 2);
        selection.limit = Some(1);
        assert_eq!(arrange(&mut rows, &selection, FIELDS).ok(), Some(2));
        assert_eq!(rows.len(), 1);
    }
}
