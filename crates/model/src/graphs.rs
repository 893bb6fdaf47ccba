//! CUDA and HIP graphs: kernels that one call launched together, and how their ops were found.

use crate::attribution::Attribution;
use crate::ids::{DeviceId, ProgramId, StringId};
use crate::units::Picos;

/// One graph on one device, over all its launches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// Device that ran it.
    pub device: DeviceId,
    /// The program that contains it, if known.
    pub program: Option<ProgramId>,
    /// XLA's name for it, such as `command_buffer_12`; empty if unknown.
    pub name: StringId,
    /// ID as recorded; 0 if none was.
    pub id: u64,
    /// How often it was launched.
    pub launches: usize,
    /// What was recorded per launch.
    pub detail: GraphDetail,
    /// Kernels, copies and memsets over all launches, by how their ops were found, and their time:
    /// in the order of [`Attribution::ALL`].
    pub found: [(usize, Picos); Attribution::ALL.len()],
    /// Why ops were not found, with the kernels and their time; only reasons that occur.
    pub open: Vec<(OpenReason, usize, Picos)>,
}

/// What was recorded about the launches of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GraphDetail {
    /// Its kernels, with their nodes in the graph.
    Nodes,
    /// Its kernels; their nodes follow from their order in time.
    Kernels,
    /// One slice for all of it.
    Whole,
}

impl GraphDetail {
    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Kernels => "kernels",
            Self::Whole => "whole",
        }
    }
}

/// Why the op of a kernel of a graph is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OpenReason {
    /// The program that launched the graph is unknown.
    NoProgram,
    /// The program is known, but its HLO is not in the profile.
    NoHlo,
    /// No part of the program has kernels like the graph's.
    NoPlace,
    /// None of the candidate ops launches such a kernel.
    NothingFits,
    /// Several ops fit equally well.
    SeveralFit,
    /// Launches of the same graph contradict each other.
    Disagree,
    /// Too many consecutive kernels without a name to try every placement.
    TooMany,
    /// The graph was recorded as a whole.
    Whole,
}

impl OpenReason {
    /// The word on the wire and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoProgram => "no_program",
            Self::NoHlo => "no_hlo",
            Self::NoPlace => "no_place",
            Self::NothingFits => "nothing_fits",
            Self::SeveralFit => "several_fit",
            Self::Disagree => "disagree",
            Self::TooMany => "too_many",
            Self::Whole => "whole",
        }
    }

    /// In words, as the end of a sentence about kernels.
    pub const fn text(self) -> &'static str {
        match self {
            Self::NoProgram => "no record of which program launched them",
            Self::NoHlo => "the HLO of their program is not in the profile",
            Self::NoPlace => "no part of the program has kernels like the graph's",
            Self::NothingFits => "no op of the graph launches such a kernel",
            Self::SeveralFit => "several ops fit equally well",
            Self::Disagree => "launches of the same graph contradict each other",
            Self::TooMany => "too many consecutive kernels have no specific name",
            Self::Whole => "the graph was recorded as a whole",
        }
    }
}
