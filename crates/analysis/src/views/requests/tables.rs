//! The `requests` report as tables.

use super::columns::{self, BATCHES, PERCENTILES, PHASES, ROWS};
use super::report::RequestsReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, DeclaredColumn, Table};

impl Report for RequestsReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn figures() -> Vec<DeclaredColumn> {
        DeclaredColumn::figures::<Self>(columns::FIGURES)
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("rows", "Slowest requests", ROWS, &self.rows).with_row_count(self.row_count),
            Table::of("percentiles", "Latency", PERCENTILES, &self.percentiles),
            Table::of("phases", "Where latency goes", PHASES, &self.phases),
            Table::of("batches", "Batches", BATCHES, &self.batches),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let Some(mean) = self.mean_ps else {
            return Vec::new();
        };
        let at = |percent: f64| {
            let found = self
                .percentiles
                .iter()
                .find(|row| (row.percentile - percent).abs() < 0.01);
            found.map_or(0.0, |row| row.latency_ps as f64)
        };
        let mut lines = vec![(
            "Latency".to_owned(),
            format!(
                "mean {}, median {}, p90 {}, p99 {}",
                format::duration_ps(mean),
                format::duration_ps(at(50.0)),
                format::duration_ps(at(90.0)),
                format::duration_ps(at(99.0))
            ),
        )];
        if let Some(throughput) = self.throughput {
            lines.push((
                "Throughput".to_owned(),
                format!(
                    "{throughput:.1} requests/s, {:.1} concurrent (at most {})",
                    self.concurrency_mean.unwrap_or(0.0),
                    self.concurrency_max
                ),
            ));
        }
        if let Some(padding) = self.padding_ratio {
            lines.push((
                "Padding".to_owned(),
                format!("{} of all batches", format::percent(padding)),
            ));
        }
        lines
    }
}
