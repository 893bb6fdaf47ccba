//! The longest common order of two sequences of symbols, in nearly linear time.
//!
//! Symbols that occur once on either side come first: they cut both sequences into pieces that are
//! compared separately, by their differences. The cost of a piece grows with how much it differs.

use rustc_hash::FxHashMap;

/// Maximum number of differences to search for within one piece.
const MAX_DIFFERENCES: usize = 1024;
/// Without a search, how far ahead a symbol is looked for.
const LOOK_AHEAD: usize = 64;

/// Pairs of positions with equal symbols, ascending on both sides; as early as possible where a
/// choice remains.
pub(super) fn common(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut from_a, mut from_b) = (0, 0);
    let end = (a.len(), b.len());
    for (at_a, at_b) in unique_pairs(a, b).into_iter().chain([end]) {
        let piece = compare(&a[from_a..at_a], &b[from_b..at_b]);
        pairs.extend(piece.into_iter().map(|(i, j)| (from_a + i, from_b + j)));
        if (at_a, at_b) != end {
            pairs.push((at_a, at_b));
        }
        (from_a, from_b) = (at_a + 1, at_b + 1);
    }
    pairs
}

/// Symbols that occur once on either side, as far as their order agrees.
fn unique_pairs(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let (in_a, in_b) = (only_positions(a), only_positions(b));
    let pairs: Vec<(usize, usize)> = (0..a.len())
        .filter(|&i| in_a.get(&a[i]) == Some(&Some(i)))
        .filter_map(|i| Some((i, (*in_b.get(&a[i])?)?)))
        .collect();
    let positions: Vec<usize> = pairs.iter().map(|pair| pair.1).collect();
    let kept = longest_ascending(&positions);
    kept.into_iter().map(|index| pairs[index]).collect()
}

/// The position of each symbol; `None` if it occurs more than once.
fn only_positions(symbols: &[u32]) -> FxHashMap<u32, Option<usize>> {
    let mut found: FxHashMap<u32, Option<usize>> = FxHashMap::default();
    for (position, &symbol) in symbols.iter().enumerate() {
        let entry = found.entry(symbol).or_insert(Some(position));
        if *entry != Some(position) {
            *entry = None;
        }
    }
    found
}

/// Indices of a longest strictly ascending subsequence.
pub(super) fn longest_ascending(values: &[usize]) -> Vec<usize> {
    // For each length the index of the smallest value that such a subsequence can end with.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(values.len());
    for (index, &value) in values.iter().enumerate() {
        let length = ends.partition_point(|&end| values[end] < value);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut kept = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(index) = at {
        kept.push(index);
        at = before[index];
    }
    kept.reverse();
    kept
}

/// Without the equal ends.
fn compare(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|i| (i, i)).collect();
    let (a, b) = (&a[head..], &b[head..]);
    if !a.is_empty() && !b.is_empty() {
        let middle = by_differences(a, b).unwrap_or_else(|| ahead(a, b));
        pairs.extend(middle.into_iter().map(|(i, j)| (head + i, head + j)));
    }
    pairs
}

/// The greedy search for the fewest differences (Myers); `None` beyond [`MAX_DIFFERENCES`].
#[expect(
    clippy::many_single_char_names,
    reason = "the names of the published algorithm"
)]
fn by_differences(a: &[u32], b: &[u32]) -> Option<Vec<(usize, usize)>> {
    let (n, m) = (a.len(), b.len());
    let most = (n + m).min(MAX_DIFFERENCES);
    let middle = most + 1;
    // How far each diagonal (position in a − position in b) has come.
    let mut reached = vec![0usize; 2 * middle + 1];
    let mut history: Vec<Vec<usize>> = Vec::new();
    for differences in 0..=most {
        history.push(reached[middle - differences..=middle + differences].to_vec());
        for step in 0..=differences {
            // Diagonals from −differences to differences, every other one.
            let diagonal = middle + 2 * step - differences;
            let is_down =
                step == 0 || (step != differences && reached[diagonal - 1] < reached[diagonal + 1]);
            let mut x = if is_down {
                reached[diagonal + 1]
            } else {
                reached[diagonal - 1] + 1
            };
            let Some(mut y) = (x + middle).checked_sub(diagonal) else {
                continue;
            };
            while x < n && y < m && a[x] == b[y] {
                (x, y) = (x + 1, y + 1);
            }
            reached[diagonal] = x;
            if x >= n && y >= m {
                return Some(walk_back(a, b, &history));
            }
        }
    }
    None
}

/// The equal symbols on the path that the search took, from its end.
fn walk_back(a: &[u32], b: &[u32], history: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut x, mut y) = (a.len(), b.len());
    for (differences, reached) in history.iter().enumerate().rev() {
        // `reached` holds the diagonals from −differences to differences, before this round.
        let at = |diagonal: isize| {
            let index = usize::try_from(diagonal + differences.cast_signed()).ok();
            index
                .and_then(|index| reached.get(index))
                .copied()
                .unwrap_or(0)
        };
        let diagonal = x.cast_signed() - y.cast_signed();
        let edge = differences.cast_signed();
        let is_down =
            diagonal == -edge || (diagonal != edge && at(diagonal - 1) < at(diagonal + 1));
        let (from_x, from_diagonal) = match (differences, is_down) {
            (0, _) => (0, 0),
            (_, true) => (at(diagonal + 1), diagonal + 1),
            (_, false) => (at(diagonal - 1), diagonal - 1),
        };
        let start = match (differences, is_down) {
            (0, _) => 0,
            (_, true) => from_x,
            (_, false) => from_x + 1,
        };
        while x > start && y > 0 && a[x - 1] == b[y - 1] {
            (x, y) = (x - 1, y - 1);
            pairs.push((x, y));
        }
        let from_y = from_x.cast_signed() - from_diagonal;
        (x, y) = (from_x, usize::try_from(from_y).unwrap_or(0));
    }
    pairs.reverse();
    pairs
}

/// Each symbol with its next occurrence nearby.
fn ahead(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut from = 0;
    for (i, symbol) in a.iter().enumerate() {
        let window = &b[from..b.len().min(from + LOOK_AHEAD)];
        if let Some(found) = window.iter().position(|other| other == symbol) {
            pairs.push((i, from + found));
            from += found + 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(a: &str, b: &str) -> String {
        let symbols = |text: &str| text.bytes().map(u32::from).collect::<Vec<u32>>();
        let (a, b) = (symbols(a), symbols(b));
        let pairs = common(&a, &b);
        assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
        assert!(pairs.iter().all(|&(i, j)| a[i] == b[j]));
        pairs
            .iter()
            .map(|&(i, _)| char::from(u8::try_from(a[i]).unwrap_or(b'?')))
            .collect()
    }

    #[test]
    fn common_order() {
        assert_eq!(text("abcabba", "cbabac").len(), 4);
        assert_eq!(text("abcdef", "abxdef"), "abdef");
        assert_eq!(text("", "abc"), "");
        assert_eq!(text("aaa", "aa"), "aa");
        assert_eq!(text("xayaza", "aaa"), "aaa");
        assert_eq!(text("abab", "ba"), "ba");
    }

    /// The length against the quadratic textbook method, on random sequences.
    #[test]
    fn as_long_as_can_be_without_unique_symbols() {
        let mut state = 7u64;
        let mut next = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..300 {
            let mut draw = |alphabet: u64| {
                let length = next(30);
                (0..length)
                    .map(|_| u32::try_from(next(alphabet)).unwrap_or(0))
                    .collect::<Vec<u32>>()
            };
            let (a, b) = (draw(4), draw(4));
            let found = by_differences(&a, &b).expect("few differences");
            assert_eq!(found.len(), textbook(&a, &b), "{a:?} {b:?}");
            let pairs = common(&a, &b);
            assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
        }
    }

    fn textbook(a: &[u32], b: &[u32]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for &x in a {
            let mut diagonal = 0;
            for (j, &y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = if x == y {
                    diagonal + 1
                } else {
                    above.max(row[j])
                };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    #[test]
    fn long_sequences_that_differ_everywhere_end_soon() {
        let a: Vec<u32> = (0..20_000).map(|i| i % 7).collect();
        let b: Vec<u32> = (0..20_000).map(|i| i % 5).collect();
        let pairs = common(&a, &b);
        assert!(pairs.len() > 1000);
    }
}
