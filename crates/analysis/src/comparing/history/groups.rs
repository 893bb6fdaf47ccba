//! Groups of runs: one program on the same devices. Only runs of a group are compared.
//!
//! ```text
//! runs       a  b  a  b  ?     a, b: program and devices     ?: either is unknown
//! groups     0  1  0  1  2
//! ```
//!
//! Nothing says that two runs with unknown parts are of one workload. A session stands alone then; lines
//! of a history file stay together, because whoever recorded them chose one file for them.

use super::report::HistoryGroup;
use super::sample::{SESSION, Sample};
use crate::measuring::workload::unknown;
use crate::telling::format::capitalized;

/// Runs that may be compared, as positions in the list of runs, oldest first.
pub(super) struct Group<'a> {
    first: &'a (String, Sample),
    pub(super) members: Vec<usize>,
}

/// What runs of a group share: program, devices, and where they are from if either is unknown.
type Key<'a> = (&'a str, &'a str, &'a str);

/// The groups: known ones first, then those with the most runs, then the oldest.
pub(super) fn groups(samples: &[(String, Sample)]) -> Vec<Group<'_>> {
    let mut found: Vec<(Key<'_>, Group<'_>)> = Vec::new();
    for (position, sample) in samples.iter().enumerate() {
        let key = key(sample);
        match found.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.members.push(position),
            None => found.push((
                key,
                Group {
                    first: sample,
                    members: vec![position],
                },
            )),
        }
    }
    let mut groups: Vec<Group<'_>> = found.into_iter().map(|(_, group)| group).collect();
    // Stable: the oldest comes first among equals.
    groups.sort_by_key(|group| {
        let is_apart = group.missing().is_some();
        (is_apart, std::cmp::Reverse(group.members.len()))
    });
    groups
}

fn key((source, sample): &(String, Sample)) -> Key<'_> {
    let apart = match unknown(&sample.program, &sample.devices) {
        None => "",
        Some(_) if source == SESSION => &sample.run,
        Some(_) => source,
    };
    (&sample.program, &sample.devices, apart)
}

impl Group<'_> {
    fn missing(&self) -> Option<&'static str> {
        let sample = &self.first.1;
        unknown(&sample.program, &sample.devices)
    }

    /// The group as reported, with its answer.
    pub(super) fn report(&self, conclusion: String) -> HistoryGroup {
        let (source, sample) = self.first;
        let is_session = source == SESSION;
        let from = if is_session { &sample.run } else { source };
        let apart_because = self.missing().map_or_else(String::new, |missing| {
            let why = if is_session {
                "so the session is not compared with others"
            } else {
                "so lines of this file are compared with each other only"
            };
            format!("{}, {why}", capitalized(missing))
        });
        let known = [&sample.program, &sample.devices].into_iter();
        let known: Vec<&str> = known
            .filter(|text| !text.is_empty())
            .map(String::as_str)
            .collect();
        let known = known.join(" on ");
        HistoryGroup {
            name: match self.missing() {
                None => known,
                Some(missing) if known.is_empty() => format!("{from} ({missing})"),
                Some(missing) => format!("{from}: {known} ({missing})"),
            },
            program: sample.program.clone(),
            devices: sample.devices.clone(),
            apart_because,
            run_count: self.members.len(),
            conclusion,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(source: &str, run: &str, program: &str, devices: &str) -> (String, Sample) {
        let sample = Sample {
            run: run.to_owned(),
            recorded_unix_s: None,
            commit: String::new(),
            program: program.to_owned(),
            devices: devices.to_owned(),
            verdict: String::new(),
            is_accepted: false,
            figures: std::collections::BTreeMap::new(),
        };
        (source.to_owned(), sample)
    }

    #[test]
    fn runs_of_other_programs_or_devices_are_never_in_one_group() {
        let samples = [
            sample(SESSION, "a", "jit_eval", "8 × XLA:CPU"),
            sample(SESSION, "b", "", "1 × XLA:CPU"),
            sample("h.jsonl", "c", "jit_step", "8 × XLA:CPU"),
            sample(SESSION, "d", "", "1 × XLA:CPU"),
            sample(SESSION, "e", "jit_step", "8 × XLA:CPU"),
            sample(SESSION, "f", "jit_step", "4 × XLA:CPU"),
            sample("h.jsonl", "g", "", ""),
            sample("h.jsonl", "h", "", ""),
        ];
        let members: Vec<Vec<usize>> = groups(&samples)
            .into_iter()
            .map(|group| group.members)
            .collect();
        let expected = vec![vec![2, 4], vec![0], vec![5], vec![6, 7], vec![1], vec![3]];
        assert_eq!(members, expected);
    }

    #[test]
    fn a_group_says_why_it_stands_apart() {
        let samples = [
            sample(SESSION, "b", "", "1 × XLA:CPU"),
            sample("h.jsonl", "g", "", ""),
            sample(SESSION, "e", "jit_step", "8 × XLA:CPU"),
        ];
        let groups = groups(&samples);
        let told: Vec<(String, String)> = groups
            .iter()
            .map(|group| group.report(String::new()))
            .map(|group| (group.name, group.apart_because))
            .collect();
        let expected = [
            ("jit_step on 8 × XLA:CPU", ""),
            (
                "b: 1 × XLA:CPU (program unknown)",
                "Program unknown, so the session is not compared with others",
            ),
            (
                "h.jsonl (program and devices unknown)",
                "Program and devices unknown, so lines of this file are compared with each other only",
            ),
        ];
        let expected = expected.map(|(name, why)| (name.to_owned(), why.to_owned()));
        assert_eq!(told, expected);
    }
}
