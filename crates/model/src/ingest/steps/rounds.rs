//! Rounds of ops that the host dispatches one at a time, as a loop without `jit` does.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::ProgramId;

/// Fewer runs do not show that they follow a rule.
const MIN_RUNS: usize = 3;

/// Share of the rounds of a function that are alike, from which on it may mark rounds that are within
/// others.
const MOST_OF_ALL: f64 = 0.8;

/// Functions that are no single ops of which more is looked at: their loops call fewer.
const MOST_FUNCTIONS: usize = 64;

/// The function that runs once per round of a loop: the same functions run between any two of its runs,
/// but for one round, since the first may compile. The one with the shortest rounds; `longest`, which takes
/// most of the time, where it is one of several. Between runs of a function that is no single op, single
/// ops that run less often do not count: they read a result now and then.
///
/// `None` where nothing is as regular, or where something with shorter rounds is nearly so: then it is
/// unknown whether the step is a round, such as a layer, or several. Single ops that are nearly so, such
/// as those of an optimizer that goes from array to array, leave no doubt about a function that is none.
pub(super) fn round_mark(
    order: &[ProgramId],
    longest: ProgramId,
    is_single: impl Fn(ProgramId) -> bool,
) -> Option<ProgramId> {
    let places = places(order);
    let count = |function: ProgramId| places[&function].len();
    // Asked of every run below; answering reads the program.
    let single = places.keys().copied().filter(|&one| is_single(one));
    let single: BTreeSet<ProgramId> = single.collect();
    let is_single = |one: ProgramId| single.contains(&one);
    let own = places.keys().filter(|&&function| !is_single(function));
    let own: BTreeSet<ProgramId> = own.copied().take(MOST_FUNCTIONS).collect();
    let rounds = places.iter().filter_map(|(&function, of_function)| {
        let is_beside = |other: ProgramId| is_single(other) && count(other) < of_function.len();
        let round = if own.contains(&function) && places.keys().any(|&other| is_beside(other)) {
            let counted = order.iter().copied().filter(|&one| !is_beside(one));
            let counted: Vec<ProgramId> = counted.collect();
            Round::of(&counted, self::places(&counted).get(&function)?)?
        } else {
            Round::of(order, of_function)?
        };
        Some((round.length, function, round))
    });
    let mut rounds: Vec<(usize, ProgramId, Round)> = rounds.collect();
    rounds.sort_unstable_by_key(|(length, function, _)| {
        (
            *length,
            is_single(*function),
            *function != longest,
            *function,
        )
    });
    let mut is_unclear = false;
    for (_, function, round) in rounds {
        if is_unclear && is_single(function) {
            continue;
        }
        if round.length > 1 && round.regular + 1 >= round.all {
            // What runs every few rounds of a function is as regular.
            let is_more = |&other: &ProgramId| !is_single(other) && count(other) > count(function);
            let is_within = is_single(function) && places.keys().any(is_more);
            return (!is_within).then_some(function);
        }
        if round.regular as f64 >= MOST_OF_ALL * round.all as f64 {
            if !is_single(function) {
                return None;
            }
            is_unclear = true;
        }
    }
    None
}

/// Where each function runs.
fn places(order: &[ProgramId]) -> BTreeMap<ProgramId, Vec<usize>> {
    let mut places: BTreeMap<ProgramId, Vec<usize>> = BTreeMap::new();
    for (place, &function) in order.iter().enumerate() {
        places.entry(function).or_default().push(place);
    }
    places
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

    /// Each letter is a function; from `x` on, they are no single ops.
    fn mark(order: &str) -> Option<char> {
        let function = |letter: u8| ProgramId::from_index(usize::from(letter - b'a'));
        let order: Vec<ProgramId> = order.bytes().map(function).collect();
        let is_single = |one: ProgramId| one.index() < usize::from(b'x' - b'a');
        round_mark(&order, ProgramId::from_index(0), is_single)
            .and_then(|found| ('a'..='z').nth(found.index()))
    }

    #[test]
    fn what_runs_once_per_round_marks_it() {
        assert_eq!(mark(&"abas".repeat(5)), Some('b'));
        assert_eq!(mark(&"ababs".repeat(5)), Some('s'));
        assert_eq!(mark(&format!("abbas{}", "ababs".repeat(5))), Some('s'));
    }

    #[test]
    fn what_is_read_every_few_rounds_marks_none() {
        assert_eq!(mark(&"abaxabaxs".repeat(4)), Some('x'));
        assert_eq!(mark(&format!("{}s", "abax".repeat(5)).repeat(4)), Some('x'));
        // Of something as regular as `s`, and of something that is not, which is the step?
        assert_eq!(mark(&"abbxaxbas".repeat(4)), None);
    }

    /// A gradient, then an optimizer that calls the same ops for each of ten arrays.
    #[test]
    fn a_function_with_rounds_marks_them_whatever_single_ops_do_within() {
        assert_eq!(mark(&format!("x{}s", "ab".repeat(10)).repeat(4)), Some('x'));
        assert_eq!(mark(&format!("x{}s", "ay".repeat(10)).repeat(4)), None);
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
