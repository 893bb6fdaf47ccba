//! Rounds: hosts that are decoded together.
//!
//! Tables of names, label keys and decoded stats of a host are larger than what is kept of it. A
//! session of many hosts is therefore decoded some hosts at a time; only what decides about all
//! hosts ([`Survey`]) is read from every file beforehand.

use rayon::prelude::*;
use stepscope_xplane::{Line, Plane, Space, Unread};

use super::clocks::{Clocks, HostClock};
use super::input::HostInput;
use super::programs::{Found, find_programs};
use crate::ids::HostId;
use crate::profile_data::ProfileData;

/// How much of each line's header is read before its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Headers {
    /// The fields before the events. Writers put no others behind them, so walking over all events
    /// to look for some would be wasted.
    BeforeEvents,
    /// All fields: rows turned out to be distinguished by fields after the events.
    Whole,
}

/// The hosts that are decoded together, with the outlines of their files.
pub(super) struct Round<'r, 'a> {
    /// Position of the first host in the session.
    first: usize,
    inputs: &'r [HostInput],
    spaces: &'r [Space<'a>],
    /// Other hosts are decoded in other rounds.
    pub(super) is_one_of_several: bool,
}

impl<'r, 'a> Round<'r, 'a> {
    /// `inputs` and `spaces` have the same order.
    pub(super) fn new(
        first: usize,
        inputs: &'r [HostInput],
        spaces: &'r [Space<'a>],
        is_one_of_several: bool,
    ) -> Self {
        Self {
            first,
            inputs,
            spaces,
            is_one_of_several,
        }
    }

    /// The hosts, each with its file.
    pub(super) fn hosts(&self) -> impl Iterator<Item = (HostId, &'r HostInput, &'r Space<'a>)> {
        let ids = (self.first..).map(HostId::from_index);
        let files = self.inputs.iter().zip(self.spaces);
        ids.zip(files)
            .map(|(id, (input, space))| (id, input, space))
    }

    /// Position of a host in this round.
    pub(super) fn position(&self, host: HostId) -> usize {
        host.index() - self.first
    }

    /// A host's file.
    pub(super) fn input(&self, host: HostId) -> &'r HostInput {
        &self.inputs[self.position(host)]
    }

    /// The outline of a host's file.
    pub(super) fn space(&self, host: HostId) -> &'r Space<'a> {
        &self.spaces[self.position(host)]
    }
}

/// What must be known of all hosts before any is decoded.
pub(super) struct Survey<'a> {
    pub(super) clocks: Clocks,
    /// The programs in each file, in the order of the hosts.
    pub(super) programs: Vec<Vec<Found<'a>>>,
    /// Whether some file is a profile.
    pub(super) is_usable: bool,
}

/// Looks at all files. The outlines are returned if they are to be kept. `elsewhere` is when the first
/// host of files that are not given began.
pub(super) fn survey(
    inputs: &[HostInput],
    headers: Headers,
    keep: bool,
    elsewhere: Option<u64>,
) -> (Survey<'_>, Vec<Space<'_>>) {
    let look = |input| {
        let space = outlined(input, headers);
        let clock = HostClock::of(&space);
        let programs = find_programs(&space, input);
        (clock, programs, is_usable(&space), keep.then_some(space))
    };
    let looks: Vec<_> = inputs.par_iter().with_max_len(1).map(look).collect();
    let is_usable = looks.iter().any(|&(_, _, is_usable, _)| is_usable);
    let clocks: Vec<HostClock> = looks.iter().map(|&(clock, ..)| clock).collect();
    let (programs, spaces): (_, Vec<_>) = looks
        .into_iter()
        .map(|(_, programs, _, space)| (programs, space))
        .unzip();
    let survey = Survey {
        clocks: Clocks::of(&clocks, elsewhere),
        programs,
        is_usable,
    };
    (survey, spaces.into_iter().flatten().collect())
}

/// Everything of some files but their events; nothing of those that are not wanted.
pub(super) fn outlines<'a>(
    inputs: &'a [HostInput],
    wanted: &[bool],
    headers: Headers,
) -> Vec<Space<'a>> {
    let files = inputs.par_iter().zip(wanted).with_max_len(1);
    let outline = |(input, &is_wanted): (&'a HostInput, &bool)| {
        if is_wanted {
            outlined(input, headers)
        } else {
            Space::default()
        }
    };
    files.map(outline).collect()
}

fn outlined(input: &HostInput, headers: Headers) -> Space<'_> {
    let bytes: &dyn ProfileData = &*input.bytes;
    let mut space = Space::outline(bytes.as_ref());
    let unread: Vec<Unread<'_, '_>> = space.planes.iter_mut().flat_map(Plane::unread).collect();
    unread
        .into_par_iter()
        .with_max_len(1)
        .for_each(Unread::read);
    if headers == Headers::Whole {
        let lines: Vec<&mut Line<'_>> = space
            .planes
            .iter_mut()
            .flat_map(|plane| &mut plane.lines)
            .collect();
        lines
            .into_par_iter()
            .with_max_len(1)
            .for_each(Line::complete);
    }
    bytes.release_all();
    space
}

/// Whether a profile has a plane with a name and contents.
fn is_usable(space: &Space<'_>) -> bool {
    space.planes.iter().any(|plane| {
        let is_text = !plane.name.is_empty() && !plane.name.contains(char::REPLACEMENT_CHARACTER);
        is_text
            && plane.mistyped_fields == 0
            && !plane.name.chars().any(char::is_control)
            && (!plane.lines.is_empty()
                || !plane.event_metadata.is_empty()
                || !plane.stat_metadata.is_empty()
                || plane.name.starts_with('/'))
    })
}
