//! Order and limit of rows: `--sort` and `--limit`, the same for every table.

use std::cmp::Ordering;

use crate::registry::AnalysisError;
use crate::selection::Selection;

/// What a row is sorted by.
#[derive(Debug, Clone, Copy)]
pub enum SortValue<'a> {
    /// A number; largest first.
    Int(i64),
    /// A number that may be missing; largest first, missing ones last.
    Float(Option<f64>),
    /// Text; in alphabetical order.
    Text(&'a str),
}

/// A column rows can be sorted by: its JSON key and how to read it.
pub type SortColumn<R> = (&'static str, fn(&R) -> SortValue<'_>);

/// Sorts rows, which come in their default order, by `--sort` and cuts them to `--limit`. Equal rows
/// keep the default order. Returns the number of rows before the cut.
pub fn arrange<R>(
    rows: &mut Vec<R>,
    selection: &Selection,
    columns: &[SortColumn<R>],
) -> Result<usize, AnalysisError> {
    if let Some(sort) = &selection.sort {
        sort_by(rows, sort, columns)?;
    }
    let row_count = rows.len();
    if let Some(limit) = selection.limit.filter(|&limit| limit > 0) {
        rows.truncate(limit);
    }
    Ok(row_count)
}

/// Sorts by a column's key; a leading `-` reverses.
pub fn sort_by<R>(
    rows: &mut [R],
    sort: &str,
    columns: &[SortColumn<R>],
) -> Result<(), AnalysisError> {
    sort_rows_by(rows, |row| row, sort, columns)
}

/// Sorts what has rows by a column of these.
pub fn sort_rows_by<T, R>(
    items: &mut [T],
    row: impl Fn(&T) -> &R,
    sort: &str,
    columns: &[SortColumn<R>],
) -> Result<(), AnalysisError> {
    let (key, is_reversed) = match sort.strip_prefix('-') {
        Some(key) => (key, true),
        None => (sort, false),
    };
    let Some((_, value)) = columns.iter().find(|(name, _)| *name == key) else {
        let known: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let known = known.join(", ");
        return Err(AnalysisError::Options(format!(
            "--sort {key} is no column; there are: {known}"
        )));
    };
    items.sort_by(|a, b| compare(value(row(a)), value(row(b)), is_reversed));
    Ok(())
}

fn compare(a: SortValue<'_>, b: SortValue<'_>, is_reversed: bool) -> Ordering {
    let directed = |ordering: Ordering| {
        if is_reversed {
            ordering.reverse()
        } else {
            ordering
        }
    };
    match (a, b) {
        (SortValue::Int(a), SortValue::Int(b)) => directed(b.cmp(&a)),
        (SortValue::Float(Some(a)), SortValue::Float(Some(b))) => directed(b.total_cmp(&a)),
        (SortValue::Float(a), SortValue::Float(b)) => b.is_some().cmp(&a.is_some()),
        (SortValue::Text(a), SortValue::Text(b)) => directed(a.cmp(b)),
        _ => Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[SortColumn<(i64, Option<f64>, &str)>] = &[
        ("size", |row| SortValue::Int(row.0)),
        ("rate", |row| SortValue::Float(row.1)),
        ("name", |row| SortValue::Text(row.2)),
    ];

    fn names(sort: &str) -> String {
        let mut rows = vec![
            (1, None, "b"),
            (3, Some(0.5), "a"),
            (3, Some(2.0), "c"),
            (2, Some(1.0), "d"),
        ];
        sort_by(&mut rows, sort, COLUMNS).expect("the column exists");
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
        let error = sort_by(&mut [(1, None, "b")], "colour", COLUMNS).expect_err("no such column");
        assert!(
            error.to_string().ends_with("there are: size, rate, name"),
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
        assert_eq!(arrange(&mut rows, &selection, COLUMNS).ok(), Some(2));
        assert_eq!(rows.len(), 2);
        selection.limit = Some(1);
        assert_eq!(arrange(&mut rows, &selection, COLUMNS).ok(), Some(2));
        assert_eq!(rows.len(), 1);
    }
}
