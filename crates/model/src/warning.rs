//! Warnings: what was wrong with the input, what was repaired, what was left out. However often
//! something is wrong, it is told once, with its count.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

/// Warnings of one host that differ only in their numbers are told one by one up to this many.
const TOLD_EACH: usize = 5;
/// Of one host and kind, however they differ.
const TOLD_OF_KIND: usize = 40;
/// Longer texts are shortened.
const LONGEST: usize = 1000;
/// Hosts with the same warning are told one by one up to this many.
const HOSTS_EACH: usize = 4;
/// Of more, so many are named beside the first.
const HOSTS_NAMED: usize = 3;

/// Something about the input that a reader of the figures must know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Its kind.
    pub kind: WarningKind,
    /// Host whose file it is about.
    pub host: String,
    /// Full sentence, with byte offset and plane if known.
    pub message: String,
    /// What to do about it; empty if nothing.
    pub hint: String,
}

/// The kind of a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WarningKind {
    /// A file that could not be read at all: its host is left out.
    Unread,
    /// Bytes that could not be decoded.
    Damaged,
    /// The file ends early.
    Truncated,
    /// The profiler itself reported errors or dropped events.
    Recorder,
    /// Something was adjusted during ingest: unsorted events, overlaps, missing names.
    Repaired,
    /// Something a figure needs was not recorded.
    Missing,
}

impl WarningKind {
    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unread => "unread",
            Self::Damaged => "damaged",
            Self::Truncated => "truncated",
            Self::Recorder => "recorder",
            Self::Repaired => "repaired",
            Self::Missing => "missing",
        }
    }
}

/// A text of any length, shortened to what can be read, with how much was cut.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            format!("{}… ({more} more characters)", &text[..end])
        }
    }
}

/// What a message is without its numbers.
fn pattern(message: &str) -> String {
    let mut pattern = String::with_capacity(message.len());
    for letter in message.chars() {
        match (letter.is_ascii_digit(), pattern.ends_with('#')) {
            (true, true) => {}
            (true, false) => pattern.push('#'),
            (false, _) => pattern.push(letter),
        }
    }
    pattern
}

/// The same warnings with repetition counted instead of told, in the order of the first of each.
pub(crate) fn folded(warnings: Vec<Warning>) -> Vec<Warning> {
    let mut groups: Vec<Vec<Warning>> = Vec::new();
    let mut known: FxHashMap<(WarningKind, String, String), usize> = FxHashMap::default();
    for mut warning in warnings {
        warning.message = shortened(&warning.message);
        let key = (
            warning.kind,
            warning.host.clone(),
            pattern(&warning.message),
        );
        let group = *known.entry(key).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(warning),
            None => groups.push(vec![warning]),
        }
    }
    // How many of each host and kind, and where the last one that is told stands.
    let mut told: BTreeMap<(WarningKind, String), (usize, usize)> = BTreeMap::new();
    let mut folded: Vec<Warning> = Vec::new();
    for mut group in groups {
        let count = group.len();
        if count > TOLD_EACH {
            group.truncate(1);
            for first in &mut group {
                first.message = format!("{} (and {} more like it)", first.message, count - 1);
            }
        }
        for warning in group {
            let of_kind = told.entry((warning.kind, warning.host.clone()));
            let of_kind = of_kind.or_default();
            of_kind.0 += 1;
            if of_kind.0 <= TOLD_OF_KIND {
                of_kind.1 = folded.len();
                folded.push(warning);
            }
        }
    }
    for (count, last) in told.into_values() {
        if count > TOLD_OF_KIND {
            let last = &mut folded[last];
            let more = count - TOLD_OF_KIND;
            last.message = format!("{} (and {more} others of this kind)", last.message);
        }
    }
    folded
}

/// One warning, or the same one of many hosts.
#[derive(Debug)]
pub struct Alike<'a> {
    /// The first of them.
    pub first: &'a Warning,
    /// The hosts of the others.
    pub others: Vec<&'a str>,
}

impl Alike<'_> {
    /// The host and what is wrong: `vm-0: 3 rows were not in time order; likewise on 255 more hosts
    /// (vm-1, vm-2, vm-3 and 252 more)`.
    pub fn text(&self) -> String {
        match self.first.host.as_str() {
            "" => self.message(),
            host => format!("{host}: {}", self.message()),
        }
    }

    /// What is wrong, and on which other hosts.
    pub fn message(&self) -> String {
        let message = &self.first.message;
        let count = self.others.len();
        if count == 0 {
            return message.clone();
        }
        let named = self.others[..count.min(HOSTS_NAMED)].join(", ");
        let more = match count.saturating_sub(HOSTS_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{message}; likewise on {count} more hosts ({named}{more})")
    }
}

/// Warnings that many hosts have, each once; others as they are. In the order of the first of each.
pub fn alike(warnings: &[Warning]) -> Vec<Alike<'_>> {
    let mut groups: Vec<Vec<(usize, &Warning)>> = Vec::new();
    let mut known: FxHashMap<(WarningKind, String), usize> = FxHashMap::default();
    for (position, warning) in warnings.iter().enumerate() {
        let message = match warning.host.as_str() {
            "" => warning.message.clone(),
            host => warning.message.replace(host, "#"),
        };
        let group = *known
            .entry((warning.kind, pattern(&message)))
            .or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push((position, warning)),
            None => groups.push(vec![(position, warning)]),
        }
    }
    let mut found: Vec<(usize, Alike<'_>)> = Vec::new();
    for group in groups {
        let hosts: BTreeSet<&str> = group.iter().map(|(_, one)| one.host.as_str()).collect();
        let is_told_once = hosts.len() > HOSTS_EACH && hosts.len() == group.len();
        let (firsts, others) = group.split_at(if is_told_once { 1 } else { group.len() });
        for &(position, first) in firsts {
            let others = others.iter().map(|(_, other)| other.host.as_str());
            let others = others.collect();
            found.push((position, Alike { first, others }));
        }
    }
    found.sort_by_key(|(position, _)| *position);
    found.into_iter().map(|(_, alike)| alike).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning(host: usize, message: String) -> Warning {
        Warning {
            kind: WarningKind::Damaged,
            host: format!("vm-{host}"),
            message,
            hint: String::new(),
        }
    }

    #[test]
    fn ten_thousand_damaged_records_are_one_warning() {
        let all = (0..10_000).map(|at| warning(0, format!("The bytes from {at} on are damaged")));
        let folded = folded(all.collect());
        assert_eq!(folded.len(), 1);
        assert_eq!(
            folded[0].message,
            "The bytes from 0 on are damaged (and 9999 more like it)"
        );
    }

    #[test]
    fn messages_that_all_differ_are_told_up_to_a_limit_and_counted() {
        let text = |at: usize| "x".repeat(at + 1);
        let folded = folded((0..100).map(|at| warning(0, text(at))).collect());
        assert_eq!(folded.len(), TOLD_OF_KIND);
        let last = &folded[TOLD_OF_KIND - 1].message;
        assert!(last.ends_with("(and 60 others of this kind)"), "{last}");
    }

    #[test]
    fn a_few_warnings_stay_as_they_are() {
        let few: Vec<Warning> = (0..5).map(|at| warning(0, format!("place {at}"))).collect();
        assert_eq!(folded(few.clone()), few);
    }

    #[test]
    fn long_texts_say_how_much_was_cut() {
        let short = shortened(&"ä".repeat(10_000_000));
        assert!(short.ends_with("ä… (9999000 more characters)"));
        assert_eq!(shortened("short"), "short");
    }

    #[test]
    fn the_same_warning_of_many_hosts_is_told_once() {
        let all: Vec<Warning> = (0..256)
            .map(|host| warning(host, format!("{} rows were sorted", host + 1)))
            .collect();
        let told = alike(&all);
        assert_eq!(told.len(), 1);
        assert_eq!(
            told[0].text(),
            "vm-0: 1 rows were sorted; likewise on 255 more hosts (vm-1, vm-2, vm-3 and 252 more)"
        );
        assert_eq!(alike(&all[..4]).len(), 4);
    }
}
