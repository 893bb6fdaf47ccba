//! The `scopes` report as tables.

use super::columns::{self, FOLDED, LAYERS, ROWS};
use super::report::ScopesReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, Table};

impl Report for ScopesReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("rows", "Scopes", ROWS, &self.rows).with_row_count(self.row_count),
            Table::of("layers", "Layers", LAYERS, &self.layers),
            Table::of("folded", "Layers folded into one", FOLDED, &self.folded),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn only_wide(&self) -> Vec<&'static str> {
        vec!["layers"]
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines = vec![(
            "Σ self time".to_owned(),
            format::duration_ps(self.total_self_ps as f64),
        )];
        if let Some(ratio) = self.attributed_ratio {
            lines.push(("Attributed".to_owned(), format::percent(ratio)));
        }
        lines
    }
}
