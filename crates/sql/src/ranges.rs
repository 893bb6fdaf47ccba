//! Ranges of the hosts of a session, which several readers read: how a session is divided, and what
//! they know of its other hosts. `stepscope_model::frame` explains why they need to.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use stepscope_model::{Frame, Frames, RangeFacts, RangeSteps, framed};

/// A range of the hosts of a session, as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostRange {
    /// Positions of the hosts' files.
    pub(crate) hosts: Range<usize>,
    /// What the range needs to know of the others. Empty while that is being found out.
    #[serde(with = "FrameForm")]
    pub(crate) frame: Frame,
}

/// The ranges of this many hosts, of `each` hosts or more if there would be more than `most` ranges.
/// `None` if the session is not worth dividing: every range is decoded twice, once to find out what
/// the others need to know.
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
    /// The steps of slices.
    pub(crate) steps: bool,
    /// The ops of slices.
    pub(crate) ops: bool,
}

/// The ranges of a session with their frames, or that it cannot be divided.
#[derive(Debug)]
pub(crate) struct Divided {
    pub(crate) ranges: Vec<Range<usize>>,
    pub(crate) frames: Option<Frames>,
}

impl Divided {
    /// From what was found out of each range, as text. Ranges of which nothing could be found out are
    /// read with all others.
    pub(crate) fn of(ranges: Vec<Range<usize>>, facts: &[Result<String, String>]) -> Self {
        let facts = facts.iter().map(|text| facts_of(text.as_ref().ok()?));
        let facts = facts.collect::<Option<Vec<RangeFacts>>>();
        Self {
            frames: facts.and_then(|facts| framed(&facts)),
            ranges,
        }
    }

    /// A range with its frame. `None` if what readers need is known of all hosts only together.
    pub(crate) fn range(&self, hosts: &Range<usize>, needs: Needs) -> Option<HostRange> {
        let frames = self.frames.as_ref()?;
        let lacks_steps = needs.steps && !frames.are_steps_known;
        if lacks_steps || (needs.ops && !frames.are_ops_known) {
            return None;
        }
        let position = self.ranges.iter().position(|own| own == hosts)?;
        Some(HostRange {
            hosts: hosts.clone(),
            frame: frames.ranges.get(position)?.clone(),
        })
    }
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
    epoch_ns: Option<u64>,
    host_count: usize,
    first_track: usize,
    track_count: usize,
    has_steps: bool,
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
            steps: RangeSteps::Numbered,
            has_graphs: true,
        };
        let text = text_of(facts.clone()).expect("text");
        assert_eq!(facts_of(&text), Some(facts));
        let ranges = vec![0..8, 8..16];
        let divided = Divided::of(ranges.clone(), &[Ok(text.clone()), Ok(text.clone())]);
        let needs = |steps, ops| Needs { steps, ops };
        let second = divided.range(&ranges[1], needs(true, false));
        let second = second.expect("a range");
        assert_eq!((second.frame.first_track, second.frame.host_count), (7, 16));
        assert_eq!(divided.range(&ranges[1], needs(false, true)), None);
        let failed = Divided::of(ranges.clone(), &[Ok(text), Err("gone".to_owned())]);
        assert_eq!(failed.range(&ranges[1], needs(false, false)), None);
    }
}
