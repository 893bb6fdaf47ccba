//! The `roofline` report as tables.

use super::columns::{self, PEAKS, ROWS, SCOPES};
use super::report::RooflineReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, DeclaredColumn, Table};
use crate::views::ops::beside;

impl Report for RooflineReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn figures() -> Vec<DeclaredColumn> {
        DeclaredColumn::figures::<Self>(columns::FIGURES)
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("rows", "Ops", ROWS, &self.rows).with_row_count(self.row_count),
            Table::of("scopes", "Total, programs and steps", SCOPES, &self.scopes),
            Table::of("peaks", "Peaks", PEAKS, &self.peaks),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let Some(total) = self.scopes.first() else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        if let Some(rate) = total.flop_rate {
            let of_peak = total.compute_ratio.map_or_else(String::new, |ratio| {
                format!(", {} of the peak", format::percent(ratio))
            });
            let rate = format::rate(rate, "FLOP/s");
            lines.push((
                "FLOP rate per device, with idle time".to_owned(),
                format!("{rate}{of_peak}{}", beside(self.flops_unknown_ratio)),
            ));
        }
        if let Some(bandwidth) = total.bandwidth {
            let hbm = total.levels.iter().find(|level| level.level == "hbm");
            let ratio = hbm.and_then(|level| level.ratio);
            let of_peak = ratio.map_or_else(String::new, |ratio| {
                format!(", {} of the peak", format::percent(ratio))
            });
            let rate = format::rate(bandwidth, "B/s");
            lines.push((
                "Bandwidth per device, with idle time".to_owned(),
                format!("{rate}{of_peak}"),
            ));
        }
        lines
    }
}
