//! Change points: the runs at which a series moves to a new level.
//!
//! ```text
//! energy      Q = ab/(a+b) × (2·mean|x−y| across − mean|x−x′| inside − mean|y−y′| outside)
//!             for a range of a runs and the b others: large if the two differ
//! split       the first a runs, or                                    ▁▁▂▁▁|▇▆▇▇▆
//! stretch     runs in the middle: a regression and its repair         ▁▁|▇▆▇▇|▁▂▁
//! test        the largest Q of either search, compared with that of the same runs in random orders
//! recursion   the runs between change points are searched again
//! ```
//!
//! Q uses distances, not their squares, so that a single odd run has little effect. Random orders make
//! the test exact for any distribution: if the order of the runs means nothing, a series gets a change
//! point with a probability of at most 1 − confidence, half of that from each search. The random
//! numbers are the same every time.
//!
//! After Matteson and James, *A nonparametric approach for multiple change point analysis*, 2014.

/// Minimum number of runs on either side of a split.
const FEWEST: usize = 2;
/// Minimum number of runs in a stretch: many are searched, and short ones often differ by chance.
const SHORTEST: usize = 4;
/// Number of random orders that are tried; the smallest possible p-value is 1 in 1000.
const ORDERS: usize = 999;
/// Maximum number of runs that are analyzed: the last ones of a longer series.
pub(crate) const LONGEST: usize = 200;
/// Number of equal values in a row that make a level of a counted figure.
const LEVEL: usize = 3;

/// A place where the level changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Change {
    /// Position of the first run at the new level.
    pub(crate) at: usize,
    /// Probability that chance alone produces as large a change; absent for a counted figure that was
    /// constant.
    pub(crate) p_value: Option<f64>,
}

/// The change points of a series, by position. A counted figure that is constant for some runs needs no
/// test: a new level is a change point.
pub(crate) fn change_points(values: &[f64], is_counted: bool, confidence: f64) -> Vec<Change> {
    let offset = values.len().saturating_sub(LONGEST);
    let values = &values[offset..];
    let mut changes: Vec<Change> = Vec::new();
    let mut bounds = vec![0];
    if is_counted {
        for at in level_changes(values) {
            changes.push(Change { at, p_value: None });
            bounds.push(at);
        }
    }
    bounds.push(values.len());
    for pair in bounds.windows(2) {
        split(values, pair[0], pair[1], 1.0 - confidence, &mut changes);
    }
    changes.sort_by_key(|change| change.at);
    let moved = changes.into_iter().map(|change| Change {
        at: change.at + offset,
        ..change
    });
    moved.collect()
}

/// The ends of constant levels that are followed by another constant level or by the last values.
fn level_changes(values: &[f64]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut before = 0;
    for level in values.chunk_by(|a, b| a == b) {
        let is_last = at + level.len() == values.len();
        if before >= LEVEL && (level.len() >= LEVEL || is_last) {
            found.push(at);
        }
        before = level.len();
        at += level.len();
    }
    found
}

/// Adds the change points of the runs from `start` to `end`.
fn split(values: &[f64], start: usize, end: usize, rate: f64, changes: &mut Vec<Change>) {
    let own = &values[start..end];
    let mut searches = [Search::Splits, Search::Stretches].into_iter();
    let Some(found) = searches.find_map(|search| differing(own, search, rate / 2.0)) else {
        return;
    };
    let mut bounds = vec![start];
    for at in [found.from, found.to] {
        if at > 0 && at < own.len() {
            changes.push(Change {
                at: start + at,
                p_value: Some(found.p_value),
            });
            bounds.push(start + at);
        }
    }
    bounds.push(end);
    for pair in bounds.windows(2) {
        split(values, pair[0], pair[1], rate, changes);
    }
}

/// Which stretches are searched.
#[derive(Debug, Clone, Copy)]
enum Search {
    /// Stretches that start at the first run.
    Splits,
    /// Stretches in the middle.
    Stretches,
}

/// Runs that differ from the others, with the p-value.
struct Stretch {
    from: usize,
    to: usize,
    p_value: f64,
}

/// The stretch that differs most, unless chance explains it.
fn differing(values: &[f64], search: Search, rate: f64) -> Option<Stretch> {
    if values.iter().all(|value| *value == values[0]) {
        return None;
    }
    let (from, to, observed) = largest_energy(values, search)?;
    let mut random = Random(0x5745_6e65_7267_7921);
    let mut order = values.to_vec();
    let mut as_large = 1;
    // With more, the p-value exceeds the rate whatever the remaining orders give.
    let most = rate * (ORDERS + 1) as f64;
    for _ in 0..ORDERS {
        random.shuffle(&mut order);
        let energy = largest_energy(&order, search).map_or(0.0, |(.., energy)| energy);
        // Sums in a different order differ by rounding.
        as_large += usize::from(energy >= observed * (1.0 - 1e-9));
        if as_large as f64 > most {
            return None;
        }
    }
    let p_value = as_large as f64 / (ORDERS + 1) as f64;
    Some(Stretch { from, to, p_value })
}

/// The stretch with the largest energy, and the energy; none if there are too few runs.
fn largest_energy(values: &[f64], search: Search) -> Option<(usize, usize, f64)> {
    let count = values.len();
    let distances = Distances::of(values);
    let mut best: Option<(usize, usize, f64)> = None;
    let mut look = |from: usize, to: usize| {
        let energy = distances.energy(from, to);
        if best.is_none_or(|(.., largest)| energy > largest) {
            best = Some((from, to, energy));
        }
    };
    match search {
        Search::Splits => (FEWEST..=count.saturating_sub(FEWEST)).for_each(|at| look(0, at)),
        Search::Stretches => {
            // At least one run on either side, so at least two others.
            for from in 1..count {
                (from + SHORTEST..count).for_each(|to| look(from, to));
            }
        }
    }
    best
}

/// Sums of distances between runs: entry (r, c) is the sum between the first r and the first c runs.
struct Distances {
    count: usize,
    sums: Vec<f64>,
}

impl Distances {
    fn of(values: &[f64]) -> Self {
        let count = values.len();
        let width = count + 1;
        let mut sums = vec![0.0; width * width];
        for (row, a) in values.iter().enumerate() {
            let mut of_row = 0.0;
            for (column, b) in values.iter().enumerate() {
                of_row += (a - b).abs();
                sums[(row + 1) * width + column + 1] = sums[row * width + column + 1] + of_row;
            }
        }
        Self { count, sums }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.sums[row * (self.count + 1) + column]
    }

    /// Q of the runs from `from` to `to` and of the others, of which there are at least two.
    fn energy(&self, from: usize, to: usize) -> f64 {
        let (a, b) = ((to - from) as f64, (self.count - (to - from)) as f64);
        let pairs = |count: f64| count * (count - 1.0) / 2.0;
        let total = self.at(self.count, self.count) / 2.0;
        let square = self.at(to, to) - 2.0 * self.at(from, to) + self.at(from, from);
        let inside = square / 2.0;
        let across = self.at(to, self.count) - self.at(from, self.count) - square;
        let outside = total - inside - across;
        let difference = 2.0 * across / (a * b) - inside / pairs(a) - outside / pairs(b);
        a * b / (a + b) * difference
    }
}

/// The generator SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// All orders are equally likely (Fisher and Yates).
    fn shuffle(&mut self, values: &mut [f64]) {
        for last in (1..values.len()).rev() {
            let picked = usize::try_from(self.next() % (last as u64 + 1)).unwrap_or(last);
            values.swap(last, picked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Roughly normal noise with standard deviation 1: twelve even numbers, less their mean.
    fn noise(random: &mut Random) -> f64 {
        let even = |random: &mut Random| (random.next() >> 11) as f64 / (1u64 << 53) as f64;
        (0..12).map(|_| even(random)).sum::<f64>() - 6.0
    }

    fn series(random: &mut Random, count: usize, shift_at: usize, shift: f64) -> Vec<f64> {
        (0..count)
            .map(|run| 100.0 + noise(random) + if run >= shift_at { shift } else { 0.0 })
            .collect()
    }

    #[test]
    fn noise_raises_no_more_alarms_than_stated() {
        let mut random = Random(1);
        for (confidence, most) in [(0.95, 34), (0.99, 12)] {
            // 500 series: 25 and 5 alarms are expected, with standard deviations of 4.9 and 2.2.
            let alarms = (0..500)
                .filter(|_| {
                    let series = series(&mut random, 30, 30, 0.0);
                    !change_points(&series, false, confidence).is_empty()
                })
                .count();
            assert!(alarms <= most, "{alarms} at {confidence}");
        }
    }

    #[test]
    fn heavy_tails_raise_no_more_alarms_either() {
        let mut random = Random(2);
        let alarms = (0..500)
            .filter(|_| {
                let heavy = |random: &mut Random| noise(random) / (0.1 + noise(random).abs());
                let series: Vec<f64> = (0..30).map(|_| heavy(&mut random)).collect();
                !change_points(&series, false, 0.95).is_empty()
            })
            .count();
        assert!(alarms <= 40, "{alarms}");
    }

    #[test]
    fn a_shift_of_two_standard_deviations_is_found_near_its_place() {
        let mut random = Random(3);
        for (confidence, least) in [(0.95, 85), (0.99, 75)] {
            let mut near = 0;
            for trial in 0..100 {
                let at = 10 + trial % 11;
                let series = series(&mut random, 30, at, 2.0);
                let found = change_points(&series, false, confidence);
                near += usize::from(found.iter().any(|change| change.at.abs_diff(at) <= 2));
            }
            assert!(near >= least, "{near} of 100 at {confidence}");
        }
    }

    #[test]
    fn a_regression_and_its_repair_are_two_change_points() {
        let mut random = Random(4);
        let mut values = series(&mut random, 40, 15, 8.0);
        values[28..].iter_mut().for_each(|value| *value -= 8.0);
        let found = change_points(&values, false, 0.99);
        let places: Vec<usize> = found.iter().map(|change| change.at).collect();
        assert_eq!(places, [15, 28]);
    }

    #[test]
    fn one_odd_run_is_no_change() {
        let mut random = Random(5);
        let mut values = series(&mut random, 30, 30, 0.0);
        values[29] += 50.0;
        assert_eq!(change_points(&values, false, 0.99), []);
        values[12] += 80.0;
        assert_eq!(change_points(&values, false, 0.99), []);
    }

    #[test]
    fn few_runs_show_nothing() {
        assert_eq!(change_points(&[], false, 0.99), []);
        assert_eq!(change_points(&[1.0], false, 0.99), []);
        let four = [1.0, 1.01, 9.0, 9.01];
        assert_eq!(change_points(&four, false, 0.99), []);
        let ten = [1.0, 1.1, 1.2, 1.3, 1.4, 9.0, 9.1, 9.2, 9.3, 9.4];
        assert_eq!(change_points(&ten, false, 0.95).len(), 1);
    }

    #[test]
    fn what_is_counted_changes_where_it_changes() {
        let exact = |values: &[f64]| {
            let found = change_points(values, true, 0.99);
            found.iter().map(|change| change.at).collect::<Vec<_>>()
        };
        assert_eq!(exact(&[5.0, 5.0, 5.0, 6.0]), [3]);
        assert!(exact(&[5.0, 5.0, 5.0, 6.0, 5.0, 5.0, 5.0]).is_empty());
        assert_eq!(
            exact(&[5.0, 5.0, 5.0, 6.0, 6.0, 6.0, 5.0, 5.0, 5.0]),
            [3, 6]
        );
        assert!(exact(&[5.0, 5.0, 6.0, 6.0]).is_empty());
    }

    #[test]
    fn the_energy_is_that_of_its_formula() {
        // Two and two: across 9 on average, within 1 each: 1 × (18 − 2).
        let found = largest_energy(&[0.0, 1.0, 9.0, 10.0], Search::Splits);
        assert_eq!(found, Some((0, 2, 16.0)));
        // Four at 9 between two at 0: across 9, within 0, 4 × 2 ÷ 6 × 18.
        let found = largest_energy(&[0.0, 9.0, 9.0, 9.0, 9.0, 0.0], Search::Stretches);
        assert_eq!(found, Some((1, 5, 24.0)));
        assert_eq!(largest_energy(&[1.0, 2.0, 3.0], Search::Splits), None);
    }

    #[test]
    fn the_same_series_gives_the_same_answer() {
        let values = series(&mut Random(6), 60, 30, 1.5);
        assert_eq!(
            change_points(&values, false, 0.95),
            change_points(&values, false, 0.95)
        );
    }
}
