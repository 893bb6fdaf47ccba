//! Every column is declared once: with a meaning, and with nothing in a table that is not declared.

use std::collections::BTreeSet;

use stepscope_analysis::asking::Declaration;
use stepscope_analysis::catalogue::{ANALYSES, COMPARISONS};
use stepscope_analysis::telling::{Column, Declared, DeclaredColumn, Unit};
use stepscope_analysis::{Adds, Better};
use stepscope_testing::corpus;

fn declared() -> Vec<(&'static str, Declared)> {
    let analyses = ANALYSES.iter().map(|entry| -> &Declaration { entry });
    let comparisons = COMPARISONS.iter().map(|entry| -> &Declaration { entry });
    let all = analyses.chain(comparisons);
    all.flat_map(|entry| entry.tables().into_iter().map(|table| (entry.name, table)))
        .collect()
}

/// Each column with its place, `ops.rows.self_ps`.
fn columns() -> Vec<(String, DeclaredColumn)> {
    let tables = declared().into_iter();
    let columns = tables.flat_map(|(name, table)| {
        let place = move |column: &Column| format!("{name}.{}.{}", table.key, column.key);
        let columns = table.columns.into_iter();
        columns.map(move |declared| (place(&declared.column), declared))
    });
    columns.collect()
}

#[test]
fn every_column_says_what_it_means() {
    let columns = columns();
    assert!(columns.len() > 800, "{}", columns.len());
    let has_sentence = |meaning: &str| {
        let first = meaning.chars().next();
        let is_formula = meaning.contains(['÷', '×', '−']);
        meaning.ends_with(['.', ')'])
            && (is_formula || first.is_some_and(|first| !first.is_lowercase()))
    };
    let has_link = |meaning: &str| meaning.contains('[');
    let poor: Vec<String> = columns
        .iter()
        .filter(|(_, column)| !has_sentence(&column.meaning) || has_link(&column.meaning))
        .map(|(place, column)| format!("{place}: {:?}", column.meaning))
        .collect();
    assert!(poor.is_empty(), "{}", poor.join("\n"));
}

#[test]
fn keys_are_unique_in_a_table_and_titles_too() {
    for (name, table) in declared() {
        let keys: BTreeSet<&str> = table.columns.iter().map(|one| one.column.key).collect();
        assert_eq!(keys.len(), table.columns.len(), "{name}.{}", table.key);
        let mut titles = BTreeSet::new();
        for DeclaredColumn { column, .. } in &table.columns {
            let title = (column.header, format!("{:?}", column.unit));
            let place = format!("{name}.{}.{}", table.key, column.key);
            assert!(titles.insert(title), "{place}: {} again", column.header);
        }
    }
}

#[test]
fn what_adds_up_is_a_number() {
    for (place, DeclaredColumn { column, .. }) in columns() {
        let is_number = !matches!(column.unit, Unit::Text | Unit::Flag);
        assert!(is_number || column.adds == Adds::No, "{place}");
        assert!(
            is_number || column.better == Better::Incomparable,
            "{place}"
        );
        let is_share = column.unit == Unit::Ratio;
        assert!(
            !is_share || column.adds == Adds::No,
            "{place}: shares add up to nothing"
        );
    }
}

#[test]
fn tables_have_the_columns_that_are_declared_in_their_order() {
    let mut seen = BTreeSet::new();
    for capture in corpus::fixtures() {
        let session = crate::support::open(&capture);
        for entry in ANALYSES {
            let Ok(answer) = entry.run_pairs(&session, []) else {
                continue;
            };
            let declared = entry.tables();
            for table in answer.tables() {
                let place = format!("{}.{}", entry.name, table.key);
                let known = declared.iter().find(|known| known.key == table.key);
                let known = known.unwrap_or_else(|| panic!("{place} is not declared"));
                let mut rest = known.columns.iter().map(|one| one.column.key);
                for column in &table.columns {
                    assert!(rest.any(|key| key == column.key), "{place}.{}", column.key);
                }
                seen.insert(place);
            }
        }
    }
    assert!(seen.len() > 60, "{seen:?}");
}
