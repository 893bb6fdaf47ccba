//! An area in two directions: rows by one key, columns by another.

use rustc_hash::FxHashMap;
use stepscope_model::{Session, Span, TrackId};

use super::area_keys::{AreaKey, Keys};
use super::area_report::{PivotColumn, PivotReport, PivotRow};
use super::area_slices::{AreaSlice, add_up, slice_count};

/// Maximum number of columns.
pub const MOST_COLUMNS: usize = 64;

/// Slices and their time within the area, by row and column.
type Cells = FxHashMap<(usize, usize), Sum>;

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    count: i64,
    total_ps: i64,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.total_ps = self.total_ps.saturating_add(other.total_ps);
    }
}

/// Bytes of memory that an answer needs at most, without making it: a cell per slice and thread, in
/// tables that grow by doubling.
pub fn most_bytes(session: &Session, window: Span, tracks: &[TrackId]) -> u64 {
    let slices = slice_count(session, window, tracks);
    let (keys, name_bytes) = Keys::most(session);
    let cells = slices.min(keys.saturating_mul(keys));
    // Each key has its names, and rows and columns repeat them.
    (4 * (size_of::<((usize, usize), Sum)>() * cells + name_bytes)) as u64
}

/// Time and number of the slices that overlap the window, by two keys. Totals are clipped to the window.
/// At most `limit` rows, 0 for all, and [`MOST_COLUMNS`] columns, those with most time; sums of rows and
/// columns have everything.
pub fn pivot(
    session: &Session,
    window: Span,
    tracks: &[TrackId],
    (by, across): (AreaKey, AreaKey),
    limit: usize,
) -> PivotReport {
    let (row_keys, column_keys) = (Keys::new(session, by), Keys::new(session, across));
    let add = |cells: &mut Cells, slice: AreaSlice| {
        let key = |keys: &Keys| keys.key(slice.track, slice.label, slice.start_ps);
        let cell = cells
            .entry((key(&row_keys), key(&column_keys)))
            .or_default();
        cell.add(Sum {
            count: 1,
            total_ps: slice.total_ps,
        });
    };
    let join = |mut cells: Cells, others: Cells| {
        let add = |(key, sum)| cells.entry(key).or_default().add(sum);
        others.into_iter().for_each(add);
        cells
    };
    let cells = add_up(session, window, tracks, Cells::default, add, join);
    let mut rows: FxHashMap<usize, Sum> = FxHashMap::default();
    let mut columns: FxHashMap<usize, Sum> = FxHashMap::default();
    let sums: Vec<((usize, usize), Sum)> = cells.iter().map(|(&key, &sum)| (key, sum)).collect();
    for ((row, column), sum) in sums {
        rows.entry(row).or_default().add(sum);
        columns.entry(column).or_default().add(sum);
    }
    let (row_count, column_count) = (rows.len(), columns.len());
    let rows = largest(rows, if limit > 0 { limit } else { row_count }, &row_keys);
    let mut columns = largest(columns, MOST_COLUMNS, &column_keys);
    // Keys are numbered in the order of the session: of steps, of devices.
    columns.sort_unstable_by_key(|&(key, _)| key);
    let row = |&(key, sum): &(usize, Sum)| {
        let cells = || columns.iter().map(|&(column, _)| cells.get(&(key, column)));
        PivotRow {
            key: row_keys.names[key].clone(),
            count: sum.count,
            total_ps: sum.total_ps,
            counts: cells()
                .map(|cell| cell.map_or(0, |sum| sum.count))
                .collect(),
            totals_ps: cells()
                .map(|cell| cell.map_or(0, |sum| sum.total_ps))
                .collect(),
        }
    };
    PivotReport {
        start_ps: window.start.0,
        end_ps: window.end.0,
        rows: rows.iter().map(row).collect(),
        row_count,
        columns: columns
            .iter()
            .map(|&(key, sum)| PivotColumn {
                key: column_keys.names[key].clone(),
                count: sum.count,
                total_ps: sum.total_ps,
            })
            .collect(),
        column_count,
    }
}

/// The entries with most time; equal ones by name.
fn largest(sums: FxHashMap<usize, Sum>, limit: usize, keys: &Keys) -> Vec<(usize, Sum)> {
    let mut sums: Vec<(usize, Sum)> = sums.into_iter().collect();
    sums.sort_by(|a, b| {
        let by_time = b.1.total_ps.cmp(&a.1.total_ps);
        by_time.then_with(|| keys.names[a.0].cmp(&keys.names[b.0]))
    });
    sums.truncate(limit);
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::area;
    use crate::views::timeline::samples::two_steps;
    use stepscope_model::Picos;

    fn of(by: AreaKey, across: AreaKey, window: (i64, i64), limit: usize) -> PivotReport {
        let session = two_steps();
        let window = Span::new(Picos(window.0), Picos(window.1));
        let tracks: Vec<TrackId> = session.track_ids().collect();
        pivot(&session, window, &tracks, (by, across), limit)
    }

    #[test]
    fn time_is_told_by_both_keys() {
        let report = of(AreaKey::Name, AreaKey::Step, (0, 300), 0);
        let columns: Vec<_> = report
            .columns
            .iter()
            .map(|one| (&*one.key, one.total_ps))
            .collect();
        assert_eq!(columns, [("(no step)", 10), ("step 7", 75), ("step 8", 90)]);
        let rows: Vec<_> = report
            .rows
            .iter()
            .map(|row| (&*row.key, &*row.totals_ps, &*row.counts))
            .collect();
        assert_eq!(
            rows,
            [
                ("label 0", &[0, 50, 60][..], &[0, 1, 1][..]),
                ("label 1", &[0, 25, 30], &[0, 2, 1]),
                ("label 2", &[10, 0, 0], &[2, 0, 0]),
            ]
        );
    }

    #[test]
    fn rows_and_columns_sum_to_the_area() {
        let session = two_steps();
        for window in [(0, 300), (115, 220)] {
            for (_, by) in AreaKey::ALL {
                for (_, across) in AreaKey::ALL {
                    let report = of(by, across, window, 0);
                    let span = Span::new(Picos(window.0), Picos(window.1));
                    let tracks: Vec<TrackId> = session.track_ids().collect();
                    let whole = area::area(&session, span, &tracks, by, 0);
                    let rows: Vec<_> = whole
                        .rows
                        .iter()
                        .map(|row| (&row.key, row.count, row.total_ps))
                        .collect();
                    let own: Vec<_> = report
                        .rows
                        .iter()
                        .map(|row| (&row.key, row.count, row.total_ps))
                        .collect();
                    assert_eq!(own, rows, "{by:?} {across:?}");
                    for row in &report.rows {
                        assert_eq!(row.totals_ps.iter().sum::<i64>(), row.total_ps);
                    }
                    for (at, column) in report.columns.iter().enumerate() {
                        let cells = report.rows.iter().map(|row| row.counts[at]);
                        assert_eq!(cells.sum::<i64>(), column.count);
                    }
                }
            }
        }
    }

    #[test]
    fn the_limit_cuts_rows_and_not_the_sums_of_columns() {
        let report = of(AreaKey::Name, AreaKey::Class, (0, 300), 1);
        assert_eq!(
            (report.rows.len(), report.row_count, report.column_count),
            (1, 3, 3)
        );
        let total: i64 = report.columns.iter().map(|column| column.total_ps).sum();
        assert_eq!(total, 110 + 55 + 10);
    }
}
