//! Ranges of the hosts of a session, which several readers read: how a session is divided, and what
//! they know of its other hosts. `stepscope_model::frame` explains why they need to.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepscope_model::{
    Frame, Frames, Known, RangeError, RangeFacts, RangeSteps, framed, framed_by_starts,
};

/// A range of the hosts of a session, as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostRange {
    /// Positions of the hosts' files.
    pub(crate) hosts: Range<usize>,
    /// What the range needs to know of the others; only how much, while that is being found out.
    #[serde(with = "FrameForm")]
    pub(crate) frame: Frame,
}

/// The ranges of this many hosts, of `each` hosts or more if there would be more than `most` ranges.
/// `None` if the session is not worth dividing: ranges may be decoded twice, once to find out what the
/// others need to know.
pub(crate) fn ranges(hosts: usize, each: usize, most: usize) -> Option<Vec<Range<usize>>> {
    let each = each.max(1).max(hosts.div_ceil(most.max(1)));
    if hosts <= 2 * each {
        return None;
    }
    let starts = (0..hosts).step_by(each);
    Some(starts.map(|start| start..hosts.min(start + each)).collect())
}

/// What readers need that ranges may not know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs {
    /// How much a range has to know of the others.
    pub(crate) known: Known,
    /// The steps of slices.
    pub(crate) steps: bool,
    /// The ops of slices.
    pub(crate) ops: bool,
    /// The programs of the session, each once.
    pub(crate) programs: bool,
}

/// The ranges of a session with their frames, or that it cannot be divided.
#[derive(Debug)]
pub(crate) struct Divided {
    known: Known,
    ranges: Arc<[Range<usize>]>,
    frames: Option<Frames>,
}

/// What the reader of a range reads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The range.
    Range(HostRange),
    /// Nothing: the rows of the range are those of others.
    Nothing,
    /// What is needed is known of all hosts only together: one reader reads them all.
    Whole,
}

impl Divided {
    /// From what was found out of each range, as text. Ranges of which nothing could be found out are
    /// read with all others.
    pub(crate) fn of(
        known: Known,
        ranges: Arc<[Range<usize>]>,
        facts: &[Result<String, String>],
    ) -> Self {
        let facts = facts.iter().map(|text| facts_of(text.as_ref().ok()?));
        let facts = facts.collect::<Option<Vec<RangeFacts>>>();
        let frames = facts.and_then(|facts| match known {
            Known::Everything => framed(&facts),
            Known::Nothing | Known::Starts => Some(Frames {
                ranges: vec![framed_by_starts(&facts)?; ranges.len()],
                are_steps_known: false,
                are_ops_known: false,
            }),
        });
        Self {
            known,
            ranges,
            frames,
        }
    }

    /// Whether it says of these ranges as much as has to be known, or that this cannot be said.
    pub(crate) fn tells(&self, ranges: &[Range<usize>], known: Known) -> bool {
        let is_enough = self.known == known || (self.known > known && self.frames.is_some());
        is_enough && *self.ranges == *ranges
    }

    /// What the reader of a range reads.
    pub(crate) fn reading(&self, hosts: &Range<usize>, needs: Needs) -> Reading {
        let Some(frames) = &self.frames else {
            return Reading::Whole;
        };
        let lacks_steps = needs.steps && !frames.are_steps_known;
        if lacks_steps || (needs.ops && !frames.are_ops_known) {
            return Reading::Whole;
        }
        let position = self.ranges.iter().position(|own| own == hosts);
        let Some(frame) = position.and_then(|position| frames.ranges.get(position)) else {
            return Reading::Whole;
        };
        if needs.programs && !frame.has_new_programs {
            return Reading::Nothing;
        }
        Reading::Range(HostRange {
            hosts: hosts.clone(),
            frame: frame.clone(),
        })
    }
}

/// Whether an error says that a range of hosts was read without what it has to know of the others:
/// only the hosts themselves show that they need it. `Scan::look_closer` helps.
pub fn knows_too_little(error: &str) -> bool {
    error.contains(&RangeError::TooLittleKnown.to_string())
}

/// The facts of a range as text.
pub(crate) fn text_of(facts: RangeFacts) -> Result<String, String> {
    serde_json::to_string(&FactsText(facts)).map_err(|error| error.to_string())
}

fn facts_of(text: &str) -> Option<RangeFacts> {
    let facts: FactsText = serde_json::from_str(text).ok()?;
    Some(facts.0)
}

#[derive(Serialize, Deserialize)]
struct FactsText(#[serde(with = "FactsForm")] RangeFacts);

/// The fields of [`Frame`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Frame", deny_unknown_fields)]
struct FrameForm {
    #[serde(with = "KnownForm")]
    known: Known,
    epoch_ns: Option<u64>,
    host_count: usize,
    first_track: usize,
    track_count: usize,
    has_steps: bool,
    had_programs: Vec<(u64, String)>,
    has_new_programs: bool,
}

/// The variants of [`Known`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Known")]
enum KnownForm {
    Nothing,
    Starts,
    Everything,
}

/// The fields of [`RangeFacts`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "RangeFacts", deny_unknown_fields)]
struct FactsForm {
    is_usable: bool,
    host_count: usize,
    epoch_ns: Option<u64>,
    track_count: usize,
    programs: Vec<(u64, String, u64)>,
    named_programs: Vec<(Option<u64>, String)>,
    shared: Vec<u64>,
    all_programs: Vec<(u64, String)>,
    #[serde(with = "StepsForm")]
    steps: RangeSteps,
    has_graphs: bool,
}

/// The variants of [`RangeSteps`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "RangeSteps")]
enum StepsForm {
    Recorded,
    Numbered,
    Unnumbered,
    Unmarked,
    Unclear,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_hosts_are_not_divided_and_ranges_are_no_more_than_allowed() {
        assert_eq!(ranges(16, 8, 100), None);
        assert_eq!(ranges(17, 8, 100), Some(vec![0..8, 8..16, 16..17]));
        let many = ranges(1000, 8, 4).expect("ranges");
        assert_eq!(many, [0..250, 250..500, 500..750, 750..1000]);
        assert_eq!(ranges(1000, 8, 1), None);
    }

    #[test]
    fn facts_are_the_same_after_they_were_text() {
        let facts = RangeFacts {
            is_usable: true,
            host_count: 8,
            epoch_ns: Some(u64::MAX),
            track_count: 7,
            programs: vec![(u64::MAX, "step".to_owned(), 3)],
            named_programs: vec![(None, "step".to_owned())],
            shared: vec![u64::MAX],
            all_programs: vec![(u64::MAX, "step".to_owned())],
            steps: RangeSteps::Numbered,
            has_graphs: true,
        };
        let text = text_of(facts.clone()).expect("text");
        assert_eq!(facts_of(&text), Some(facts));
        let ranges: Arc<[Range<usize>]> = Arc::new([0..8, 8..16]);
        let both = [Ok(text.clone()), Ok(text.clone())];
        let divided = Divided::of(Known::Everything, Arc::clone(&ranges), &both);
        let Reading::Range(second) = divided.reading(&ranges[1], STEPS) else {
            panic!("a range");
        };
        assert_eq!((second.frame.first_track, second.frame.host_count), (7, 16));
        assert_eq!(divided.reading(&ranges[1], OPS), Reading::Whole);
        // Both have the same program.
        assert_ne!(divided.reading(&ranges[0], PROGRAMS), Reading::Nothing);
        assert_eq!(divided.reading(&ranges[1], PROGRAMS), Reading::Nothing);
        let one = [Ok(text), Err("gone".to_owned())];
        let failed = Divided::of(Known::Everything, Arc::clone(&ranges), &one);
        assert_eq!(failed.reading(&ranges[1], STEPS), Reading::Whole);
        // What is known to be impossible may be possible for who needs less.
        assert!(failed.tells(&ranges, Known::Everything) && !failed.tells(&ranges, Known::Starts));
        assert!(
            divided.tells(&ranges, Known::Starts) && !divided.tells(&ranges[..1], Known::Starts)
        );
    }

    const NOTHING: Needs = Needs {
        known: Known::Everything,
        steps: false,
        ops: false,
        programs: false,
    };
    const STEPS: Needs = Needs {
        steps: true,
        ..NOTHING
    };
    const OPS: Needs = Needs {
        ops: true,
        ..NOTHING
    };
    const PROGRAMS: Needs = Needs {
        programs: true,
        ..NOTHING
    };
}
