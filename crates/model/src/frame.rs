//! What a range of the files of a session needs to know of the others, so that it can be decoded
//! without them and says the same.
//!
//! ```text
//! files 0..8  ── survey_range ──► RangeFacts ─┐             ┌─► Frame ── ingest_range ──► Session
//! files 8..16 ── survey_range ──► RangeFacts ─┴── framed ───┴─► Frame ── ingest_range ──► Session
//! ```
//!
//! Finding all of it out decodes the files. Who needs less says so ([`Known`]): times need when the
//! first host began, which stands before the events; names, kinds and durations need nothing.
//!
//! Facts are numbers and names, so that they can be found on one machine and used on another. Hashes in
//! them are those of one release.

use std::collections::{BTreeMap, BTreeSet};

/// How much is known of the other files of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Known {
    /// Nothing: a range has its names, kinds and durations, in its own time.
    #[default]
    Nothing,
    /// When the first host began: also times.
    Starts,
    /// All that matters: also steps, ops, programs and numbers of tracks.
    Everything,
}

/// Why a range cannot be decoded as it is in its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// The frame was made for other files.
    #[error("the files are not those that the query was planned for")]
    OtherFiles,
    /// It depends on more of the others than is known.
    #[error("more has to be known of its other hosts")]
    TooLittleKnown,
}

/// What a range of the files of a session says that matters to the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RangeFacts {
    /// Whether one of its files is a profile.
    pub is_usable: bool,
    /// Profiled hosts in its files.
    pub host_count: usize,
    /// When its first host began, nanoseconds since the epoch.
    pub epoch_ns: Option<u64>,
    /// Its tracks.
    pub track_count: usize,
    /// The programs whose HLO its files have, in their order: ID, name, hash of the instructions.
    pub programs: Vec<(u64, String, u64)>,
    /// The programs that its events name, each once: ID and name.
    pub named_programs: Vec<(Option<u64>, String)>,
    /// What labels and ops are, and what became of them: hashes of 40 and 24 bits. Where two files
    /// have the same one, the first file decides, so both must agree.
    pub shared: Vec<u64>,
    /// All its programs, with HLO or only named: ID and name.
    pub all_programs: Vec<(u64, String)>,
    /// How its steps were found.
    pub steps: RangeSteps,
    /// Whether it has CUDA or HIP graphs: which ops their kernels execute follows from all hosts.
    pub has_graphs: bool,
}

/// How the steps of a range were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RangeSteps {
    /// Recorded on the device.
    Recorded,
    /// Annotated, with numbers.
    Numbered,
    /// Annotated, without numbers.
    Unnumbered,
    /// There are no annotations; what was inferred depends on all hosts.
    #[default]
    Unmarked,
    /// There are annotations that alone do not tell the steps.
    Unclear,
}

/// What a range needs to know of the whole session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// How much of the rest is known.
    pub known: Known,
    /// Time 0 of the session, nanoseconds since the epoch.
    pub epoch_ns: Option<u64>,
    /// Hosts of the session.
    pub host_count: usize,
    /// Tracks of the session before those of the range.
    pub first_track: usize,
    /// Tracks of the range.
    pub track_count: usize,
    /// Whether the steps that the range has are steps of the session.
    pub has_steps: bool,
    /// Its programs that ranges before it have as well: ID and name.
    pub had_programs: Vec<(u64, String)>,
    /// Whether it has programs that no range before it has.
    pub has_new_programs: bool,
}

impl Frame {
    /// The frame of a range of a session with this many hosts, of which nothing else is known.
    pub fn unknown(host_count: usize) -> Self {
        Self {
            host_count,
            ..Self::default()
        }
    }
}

/// The frames of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frames {
    /// One per range, in their order.
    pub ranges: Vec<Frame>,
    /// Whether the steps of the session are those of its ranges. Steps that are inferred depend on all
    /// hosts.
    pub are_steps_known: bool,
    /// Whether the ops of slices are those that the ranges say.
    pub are_ops_known: bool,
}

/// The frames of ranges, given in the order of their files. `None` if a range would say something else
/// on its own than among the others: the files have different programs or labels under one name.
pub fn framed(ranges: &[RangeFacts]) -> Option<Frames> {
    let is_usable = ranges.iter().any(|range| range.is_usable);
    if !is_usable || !agree(ranges) || !ranges.iter().all(|range| has_own_programs(range, ranges)) {
        return None;
    }
    let (steps, are_steps_known) = decisive(ranges);
    let epoch_ns = ranges.iter().filter_map(|range| range.epoch_ns).min();
    let host_count = ranges.iter().map(|range| range.host_count).sum();
    let (mut first_track, mut had) = (0, BTreeSet::new());
    let frame = |range: &RangeFacts| {
        let first = first_track;
        first_track += range.track_count;
        let own = range.all_programs.iter();
        let had_programs: Vec<_> = own.filter(|one| had.contains(*one)).cloned().collect();
        had.extend(range.all_programs.iter().cloned());
        Frame {
            known: Known::Everything,
            epoch_ns,
            host_count,
            first_track: first,
            track_count: range.track_count,
            has_steps: range.steps == steps,
            has_new_programs: had_programs.len() < range.all_programs.len(),
            had_programs,
        }
    };
    Some(Frames {
        ranges: ranges.iter().map(frame).collect(),
        are_steps_known,
        are_ops_known: !ranges.iter().any(|range| range.has_graphs),
    })
}

/// The frame of ranges of which only the starts are known: the same one for all of them. `None` if none
/// of their files is a profile.
pub fn framed_by_starts(ranges: &[RangeFacts]) -> Option<Frame> {
    ranges.iter().any(|range| range.is_usable).then(|| Frame {
        known: Known::Starts,
        epoch_ns: ranges.iter().filter_map(|range| range.epoch_ns).min(),
        host_count: ranges.iter().map(|range| range.host_count).sum(),
        ..Frame::default()
    })
}

/// The steps that count in the whole session, and whether ranges know them.
fn decisive(ranges: &[RangeFacts]) -> (RangeSteps, bool) {
    let has = |steps: RangeSteps| ranges.iter().any(|range| range.steps == steps);
    if has(RangeSteps::Recorded) {
        return (RangeSteps::Recorded, true);
    }
    let annotated = [RangeSteps::Numbered, RangeSteps::Unnumbered];
    let annotated = annotated.into_iter().find(|&steps| has(steps));
    match annotated.filter(|_| !has(RangeSteps::Unclear)) {
        Some(steps) => (steps, true),
        None => (RangeSteps::Unmarked, false),
    }
}

/// Bits of [`RangeFacts::shared`] that say what something became.
pub(crate) const BECAME_BITS: u32 = 24;

/// Whether what several ranges have is the same in all of them.
fn agree(ranges: &[RangeFacts]) -> bool {
    let mut known: BTreeMap<u64, u64> = BTreeMap::new();
    let mut shared = ranges.iter().flat_map(|range| &range.shared);
    shared.all(|&both| *known.entry(both >> BECAME_BITS).or_insert(both) == both)
}

/// An ID and a name, with the hash of the HLO where there is one.
type KnownProgram<'a> = (u64, &'a str, Option<u64>);

/// Whether every program that the events of a range name is found the same among its own programs as
/// among those of all.
fn has_own_programs(range: &RangeFacts, ranges: &[RangeFacts]) -> bool {
    let (own, all) = (known(std::slice::from_ref(range)), known(ranges));
    range.named_programs.iter().all(|(id, name)| {
        let id = id.unwrap_or_default();
        let is_exact = id != 0 && !name.is_empty();
        // An ID alone, or a name alone, finds a program that is the only one, or the first.
        let may_be = |known: &&KnownProgram<'_>| match (id, name.as_str()) {
            (id, "") => known.0 == id || known.1 == UNKNOWN,
            (0, name) => known.1 == name,
            (id, name) => (known.0, known.1) == (id, name),
        };
        let (own, all) = (own.iter().filter(may_be), all.iter().filter(may_be));
        let (own, all): (Vec<_>, Vec<_>) = (own.collect(), all.collect());
        let are_in_files = all.iter().all(|known| known.2.is_some());
        own == all && (is_exact || all.len() < 2 || are_in_files)
    })
}

/// The name of a program of which only the ID is known.
const UNKNOWN: &str = "unknown";

/// The programs that files have, then those that only events name.
fn known(ranges: &[RangeFacts]) -> Vec<KnownProgram<'_>> {
    let mut seen: BTreeSet<(u64, &str)> = BTreeSet::new();
    let of_files = ranges.iter().flat_map(|range| &range.programs);
    let of_files = of_files.map(|(id, name, hash)| (*id, name.as_str(), Some(*hash)));
    let named = ranges.iter().flat_map(|range| &range.named_programs);
    let named = named.map(|(id, name)| {
        let name = if name.is_empty() { UNKNOWN } else { name };
        (id.unwrap_or_default(), name, None)
    });
    let mut all: Vec<KnownProgram<'_>> = of_files
        .filter(|&(id, name, _)| seen.insert((id, name)))
        .collect();
    let in_files: BTreeSet<&str> = all.iter().map(|known| known.1).collect();
    let named = named.filter(|&(id, name, _)| {
        // A name without an ID is that of a program in the files, if one has it.
        (id != 0 || !in_files.contains(name)) && seen.insert((id, name))
    });
    all.extend(named.collect::<Vec<_>>());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(programs: &[(u64, &str, u64)], named: &[(Option<u64>, &str)]) -> RangeFacts {
        let own = |&(id, name, hash): &(u64, &str, u64)| (id, name.to_owned(), hash);
        let named = named.iter().map(|&(id, name)| (id, name.to_owned()));
        RangeFacts {
            is_usable: true,
            host_count: 1,
            track_count: 3,
            programs: programs.iter().map(own).collect(),
            all_programs: programs
                .iter()
                .map(|one| (one.0, one.1.to_owned()))
                .collect(),
            named_programs: named.collect(),
            ..RangeFacts::default()
        }
    }

    #[test]
    fn ranges_follow_each_other_and_begin_with_the_first() {
        let facts = [Some(7), None, Some(5)].map(|epoch_ns| RangeFacts {
            epoch_ns,
            ..range(&[], &[])
        });
        let frames = framed(&facts).expect("frames").ranges;
        let told = frames
            .iter()
            .map(|own| (own.epoch_ns, own.host_count, own.first_track));
        let expected = [0, 3, 6].map(|first| (Some(5), 3, first));
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn programs_are_those_of_the_first_range_that_has_them() {
        let facts = [
            range(&[(7, "step", 1), (8, "log", 2)], &[]),
            range(&[(7, "step", 1)], &[]),
            range(&[(8, "log", 2), (9, "log", 3)], &[]),
        ];
        let frames = framed(&facts).expect("frames").ranges;
        let had = |id: u64, name: &str| (id, name.to_owned());
        let told = frames
            .into_iter()
            .map(|own| (own.has_new_programs, own.had_programs));
        let expected = [
            (true, vec![]),
            (false, vec![had(7, "step")]),
            (true, vec![had(8, "log")]),
        ];
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_program_that_another_file_explains_differently_needs_all_files() {
        let step = [(Some(7), "step")];
        let same = range(&[(7, "step", 1)], &step);
        assert!(framed(&[same.clone(), same.clone()]).is_some());
        // Each host may have programs that the others do not name.
        let more = range(&[(7, "step", 1), (8, "log", 4)], &[(Some(8), "log")]);
        assert!(framed(&[same.clone(), more]).is_some());
        for other in [
            // Its HLO is another, or is elsewhere.
            range(&[(7, "step", 2)], &step),
            range(&[], &step),
            // The name alone finds one program there and another one here.
            range(&[(9, "step", 1)], &[(None, "step")]),
            range(&[], &[(Some(0), "step")]),
        ] {
            assert_eq!(framed(&[same.clone(), other.clone()]), None, "{other:?}");
        }
    }

    #[test]
    fn labels_that_became_something_else_in_another_file_need_all_files() {
        let with = |shared: &[(u64, u64)]| RangeFacts {
            shared: shared
                .iter()
                .map(|(what, became)| (what << BECAME_BITS) | became)
                .collect(),
            ..range(&[], &[])
        };
        assert!(framed(&[with(&[(1, 2)]), with(&[(1, 2), (3, 4)])]).is_some());
        assert_eq!(framed(&[with(&[(1, 2)]), with(&[(1, 3)])]), None);
    }

    #[test]
    fn steps_are_those_of_ranges_unless_they_are_inferred() {
        use RangeSteps::{Numbered, Recorded, Unclear, Unmarked, Unnumbered};
        let check = |steps: &[RangeSteps]| {
            let facts = steps.iter().map(|&steps| RangeFacts {
                steps,
                ..range(&[], &[])
            });
            let frames = framed(&facts.collect::<Vec<_>>()).expect("frames");
            let known = frames.ranges.iter().map(|frame| frame.has_steps);
            frames.are_steps_known.then(|| known.collect::<Vec<_>>())
        };
        assert_eq!(check(&[Recorded, Unclear]), Some(vec![true, false]));
        assert_eq!(check(&[Unnumbered, Numbered]), Some(vec![false, true]));
        assert_eq!(check(&[Numbered, Unmarked]), Some(vec![true, false]));
        assert_eq!(check(&[Numbered, Unclear]), None);
        assert_eq!(check(&[Unmarked, Unmarked]), None);
    }
}
