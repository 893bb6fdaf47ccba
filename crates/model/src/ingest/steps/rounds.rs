//! Rounds of ops that the host dispatches one at a time, as a loop without `jit` does.

use std::collections::BTreeMap;

use crate::ids::ProgramId;

/// Fewer runs do not show that they follow a rule.
const MIN_RUNS: usize = 3;

/// Share of the rounds of a function that are alike, from which on it may mark rounds that are within
/// others.
const MOST_OF_ALL: f64 = 0.8;

/// The function that runs once per round of a loop: the same functions run between any two of its runs,
/// but for one round, since the first may compile. The one with the shortest rounds; `longest`, which takes
/// most of the time, where it is one of several.
///
/// `None` where nothing is as regular, or where something with shorter rounds is nearly so: then it is
/// unknown whether the step is a round, such as a layer, or several.
pub(super) fn round_mark(order: &[ProgramId], longest: ProgramId) -> Option<ProgramId> {
    let mut places: BTreeMap<ProgramId, Vec<usize>> = BTreeMap::new();
    for (place, &function) in order.iter().enumerate() {
        places.entry(function).or_default().push(place);
    }
    let rounds = places.iter().filter_map(|(&function, places)| {
        let round = Round::of(order, places)?;
        Some((round.length, function, round))
    });
    let mut rounds: Vec<(usize, ProgramId, Round)> = rounds.collect();
    rounds.sort_unstable_by_key(|(length, function, _)| (*length, *function != longest, *function));
    for (_, function, round) in rounds {
        if round.length > 1 && round.regular + 1 >= round.all {
            return Some(function);
        }
        if round.regular as f64 >= MOST_OF_ALL * round.all as f64 {
            return None;
        }
    }
    None
}

/// What runs from one run of a function to the next.
struct Round {
    /// Runs of the round that occurs most often.
    length: usize,
    regular: usize,
    all: usize,
}

impl Round {
    fn of(order: &[ProgramId], places: &[usize]) -> Option<Self> {
        if places.len() < MIN_RUNS {
            return None;
        }
        let mut counts: BTreeMap<&[ProgramId], usize> = BTreeMap::new();
        for (&before, &after) in places.iter().zip(&places[1..]) {
            *counts.entry(&order[before..after]).or_default() += 1;
        }
        let (round, regular) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        Some(Self {
            length: round.len(),
            regular,
            all: places.len() - 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::round_mark;
    use crate::ids::ProgramId;

    /// Each letter is a function.
    fn mark(order: &str) -> Option<char> {
        let function = |letter: u8| ProgramId::from_index(usize::from(letter - b'a'));
        let order: Vec<ProgramId> = order.bytes().map(function).collect();
        round_mark(&order, ProgramId::from_index(0))
            .and_then(|found| ('a'..='z').nth(found.index()))
    }

    #[test]
    fn what_runs_once_per_round_marks_it() {
        assert_eq!(mark(&"abas".repeat(5)), Some('b'));
        assert_eq!(mark(&"ababs".repeat(5)), Some('s'));
        assert_eq!(mark(&format!("abbas{}", "ababs".repeat(5))), Some('s'));
    }

    #[test]
    fn without_a_rule_or_with_rounds_in_rounds_nobody_knows() {
        assert_eq!(mark("abcbacabbaccab"), None);
        // Ten layers, then a sum: two ops each could be steps as well.
        assert_eq!(mark(&format!("{}s", "ab".repeat(10)).repeat(4)), None);
        assert_eq!(mark("aaaaaaaa"), None);
        assert_eq!(mark("abab"), None);
    }
}
