//! The `roofline` report as tables.

use super::report::{RooflineReport, RooflineRow};
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::ops::beside;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<RooflineRow>] = &[
    ("self_ps", |row| SortValue::Int(row.self_ps)),
    ("total_ps", |row| SortValue::Int(row.total_ps)),
    ("occurrences", |row| SortValue::Int(row.occurrences)),
    ("flops", |row| SortValue::Float(row.flops)),
    ("bytes", |row| SortValue::Float(row.bytes)),
    ("flop_rate", |row| SortValue::Float(row.flop_rate)),
    ("bandwidth", |row| SortValue::Float(row.bandwidth)),
    ("intensity", |row| SortValue::Float(row.intensity)),
    ("roofline_ratio", |row| SortValue::Float(row.roofline_ratio)),
    ("compute_ratio", |row| SortValue::Float(row.compute_ratio)),
    ("name", |row| SortValue::Text(&row.name)),
    ("category", |row| SortValue::Text(&row.category)),
    ("bound_by", |row| SortValue::Text(&row.bound_by)),
    ("program", |row| SortValue::Text(&row.program)),
];

const OP_COLUMNS: &[Column] = &[
    Column::new("name", "Op", Unit::Text),
    Column::new("self_ps", "Self", Unit::Picos),
    Column::new("flop_rate", "FLOP rate", Unit::FlopRate),
    Column::new("bandwidth", "Bandwidth", Unit::ByteRate),
    Column::wide("intensity", "FLOP per byte", Unit::Count).fractional(),
    Column::new("bound_by", "Bound by", Unit::Text),
    Column::new("roofline_ratio", "Of roofline", Unit::Ratio),
    Column::wide("self_ratio", "Share", Unit::Ratio),
    Column::wide("category", "Category", Unit::Text),
    Column::wide("occurrences", "Count", Unit::Count),
    Column::wide("optimal_flop_rate", "Rate at the roof", Unit::FlopRate),
    Column::wide("compute_ratio", "Of compute peak", Unit::Ratio),
    Column::wide("total_ps", "Total", Unit::Picos),
    Column::wide("flops", "Work", Unit::Flops).fractional(),
    Column::wide("bytes", "Bytes", Unit::Bytes).fractional(),
    Column::wide("is_over_peak", "Over peak", Unit::Flag),
    Column::wide("scope", "Scope", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::wide("program", "Program", Unit::Text),
    Column::wide("cost_source", "Work from", Unit::Text),
];

const SCOPE_COLUMNS: &[Column] = &[
    Column::new("name", "Over", Unit::Text),
    Column::new("total_ps", "Time", Unit::Picos),
    Column::new("flop_rate", "FLOP rate", Unit::FlopRate),
    Column::new("bandwidth", "Bandwidth", Unit::ByteRate),
    Column::wide("intensity", "FLOP per byte", Unit::Count).fractional(),
    Column::new("bound_by", "Bound by", Unit::Text),
    Column::new("roofline_ratio", "Of roofline", Unit::Ratio),
    Column::wide("compute_ratio", "Of compute peak", Unit::Ratio),
    Column::wide("flops", "Work", Unit::Flops).fractional(),
    Column::wide("bytes", "Bytes", Unit::Bytes).fractional(),
    Column::wide("kind", "Kind", Unit::Text),
];

const PEAK_COLUMNS: &[Column] = &[
    Column::new("chip", "Chip", Unit::Text),
    Column::new("level", "Peak of", Unit::Text),
    Column::new("flop_rate", "FLOP rate", Unit::FlopRate),
    Column::new("bandwidth", "Bandwidth", Unit::ByteRate),
    Column::new("ridge_intensity", "Ridge, FLOP per byte", Unit::Count).fractional(),
    Column::wide("device_count", "Devices", Unit::Count),
    Column::wide("source", "Source", Unit::Text),
];

fn op_cells(row: &RooflineRow) -> Vec<Cell> {
    vec![
        row.name.as_str().into(),
        row.self_ps.into(),
        row.flop_rate.into(),
        row.bandwidth.into(),
        row.intensity.into(),
        row.bound_by.as_str().into(),
        row.roofline_ratio.into(),
        row.self_ratio.into(),
        row.category.as_str().into(),
        row.occurrences.into(),
        row.optimal_flop_rate.into(),
        row.compute_ratio.into(),
        row.total_ps.into(),
        row.flops.into(),
        row.bytes.into(),
        row.is_over_peak.into(),
        row.scope.as_str().into(),
        row.source.as_str().into(),
        row.program.as_str().into(),
        row.cost_source.as_str().into(),
    ]
}

fn scope_cells(row: &RooflineRow) -> Vec<Cell> {
    vec![
        row.name.as_str().into(),
        row.total_ps.into(),
        row.flop_rate.into(),
        row.bandwidth.into(),
        row.intensity.into(),
        row.bound_by.as_str().into(),
        row.roofline_ratio.into(),
        row.compute_ratio.into(),
        row.flops.into(),
        row.bytes.into(),
        row.kind.as_str().into(),
    ]
}

impl RooflineReport {
    fn peak_cells(&self) -> Vec<Vec<Cell>> {
        let cells = self.peaks.iter().map(|peak| {
            let is_compute = peak.level == "compute";
            let count = i64::try_from(peak.device_count).unwrap_or(i64::MAX);
            vec![
                peak.chip.as_str().into(),
                peak.level.as_str().into(),
                peak.per_second.filter(|_| is_compute).into(),
                peak.per_second.filter(|_| !is_compute).into(),
                peak.ridge_intensity.into(),
                count.into(),
                peak.source.as_str().into(),
            ]
        });
        cells.collect()
    }
}

impl Report for RooflineReport {
    fn tables(&self) -> Vec<Table> {
        vec![
            Table::new("rows", "Ops", OP_COLUMNS, self.rows.iter().map(op_cells))
                .with_row_count(self.row_count),
            Table::new(
                "scopes",
                "Total, programs and steps",
                SCOPE_COLUMNS,
                self.scopes.iter().map(scope_cells),
            ),
            Table::new("peaks", "Peaks", PEAK_COLUMNS, self.peak_cells()),
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
                "FLOP rate per device".to_owned(),
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
                "Bandwidth per device".to_owned(),
                format!("{rate}{of_peak}"),
            ));
        }
        lines
    }
}
