//! `collectives`: communication between devices, what it cost, and why it was not hidden.
//!
//! | Figure | Definition |
//! |---|---|
//! | occurrence | from the start to the end of a collective on one device ([`survey`]) |
//! | exposed | the part of an occurrence during which the same device computes nothing ([`crate::measuring::communication`]) |
//! | hidden | the rest |
//! | wait | last arrival − own arrival, over matched occurrences, on aligned clocks ([`matching`]) |
//! | transfer | own end − last arrival |
//! | bytes, bandwidths | as defined by nccl-tests ([`bandwidth`]) |
//! | expected, independent | what links need, and what could run meanwhile ([`theory`]) |
//! | reason | cause of most of the exposed time: waiting, or how the op is scheduled ([`rows`]) |
//! | rendezvous | exchanges with the host and with other slices ([`rendezvous`]) |
//! | shardings | how inputs and outputs of programs are divided over devices ([`sharding`]) |
//! | devices, steps | unions of intervals, so that simultaneous collectives count once |

pub(crate) mod bandwidth;
pub(crate) mod clocks;
mod columns;
mod evidence;
mod groups;
pub(crate) mod instance;
pub(crate) mod matching;
mod mesh;
mod notes;
mod options;
mod pairing;
pub(crate) mod participants;
pub(crate) mod partitioning;
mod peers;
mod places;
mod rendezvous;
mod report;
mod rows;
mod sharding;
pub(crate) mod step_index;
pub(crate) mod survey;
mod tables;
mod theory;

pub(crate) use evidence::{Evidence, Exchanges, exchanges};
use places::DeviceCommunication;
use std::sync::Arc;

pub use options::{CollectivesBy, CollectivesOptions};
pub use report::{
    CollectiveDeviceRow, CollectiveGroupRow, CollectiveInstanceRow, CollectiveRow,
    CollectiveStepRow, CollectivesReport, PeerRow, RendezvousRow, ShardingRow,
};
use stepscope_model::{Peak, Session};

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::communication::AllCommunication;
use crate::measuring::selection::Selected;
use crate::telling::Note;

/// The `collectives` analysis.
pub struct Collectives;

/// Every collective of a selection, with its cost.
pub(crate) struct Exposure<'a> {
    evidence: Evidence<'a>,
    communication: Arc<AllCommunication>,
    waits: Vec<Option<matching::Wait>>,
    /// Most exposed time first.
    pub(crate) rows: Vec<CollectiveRow>,
    link: Option<Peak>,
    meshes: mesh::Meshes,
}

/// What the collectives of a selection cost, and why they were not hidden.
pub(crate) fn exposure<'a>(session: &'a Session, selected: &Selected<'_>) -> Exposure<'a> {
    let evidence = Evidence::of(session, selected);
    let communication = AllCommunication::of(session);
    let instance_of = evidence.matched.instance_of(&evidence.survey);
    let waits = rows::waits(&evidence, &instance_of);
    let meshes = mesh::Meshes::of(&evidence);
    let (rows, link) = rows::rows(&evidence, selected, &communication, &waits, &meshes);
    Exposure {
        evidence,
        communication,
        waits,
        rows,
        link,
        meshes,
    }
}

impl Analysis for Collectives {
    const NAME: &'static str = "collectives";
    const GROUP: Group = Group::Waiting;
    const ALIASES: &'static [&'static str] = &["megascale_stats", "dcn_collective_stats"];
    const SUMMARY: &'static str =
        "Communication: bytes, bandwidth, exposed and hidden time, waiting, shardings";
    const EXAMPLES: &'static str = "\
# What communication costs, most exposed first
stepscope collectives ./logs
# All-reduces of steps 10 to 19
stepscope collectives ./logs --steps 10..20 --match all-reduce
# Which line of the program communicates how much, and how close to the peak of the links
stepscope collectives ./logs --by source --csv --table groups
# Single occurrences: who arrived last, and how long the others waited
stepscope collectives ./logs --csv --table instances
# How inputs and outputs of the programs are divided over devices
stepscope collectives ./logs --csv --table shardings";
    type Options = CollectivesOptions;
    type Report = CollectivesReport;

    fn run(
        session: &Session,
        options: &CollectivesOptions,
    ) -> Result<CollectivesReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let Exposure {
            evidence,
            communication,
            waits,
            mut rows,
            link,
            meshes,
        } = exposure(session, &selected);
        let (shardings, sharding_count) =
            sharding::shardings(session, &selected, &meshes, options.shardings);
        let devices = within_windows(&selected, &communication);
        let mut notes = notes::notes(&evidence, &rows, &selected);
        let rendezvous = rendezvous::rendezvous(session, &selected, &communication);
        let (peers, note) = peers::peers(session, &selected, &rendezvous);
        notes.extend(note);
        let rows_are_empty = rows.is_empty();
        let groups = groups::groups(&rows, options.by);
        let row_count = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
        let (instances, instance_count) = rows::instances(&evidence, &selected, options.instances);
        let steps = places::steps(session, &selected, &communication);
        if !rows_are_empty && !steps.is_empty() && steps.iter().all(|step| step.total_ps <= 0.0) {
            let text = "No step has communication; all of it is outside of steps.";
            notes.push(Note::info("steps-without-communication", text));
        }
        Ok(CollectivesReport {
            rows,
            row_count,
            groups,
            devices: if rows_are_empty {
                Vec::new()
            } else {
                places::devices(&evidence, &selected, &devices, &waits)
            },
            steps,
            instances,
            instance_count,
            rendezvous,
            peers,
            shardings,
            sharding_count,
            link_bandwidth: link.as_ref().map(|peak| peak.per_second),
            link_source: link.map(|peak| peak.source).unwrap_or_default(),
            notes,
        })
    }
}

/// Communication of each selected step.
pub(crate) fn communication_by_step(
    session: &Session,
    selected: &Selected<'_>,
) -> Vec<CollectiveStepRow> {
    places::steps(session, selected, &AllCommunication::of(session))
}

fn within_windows(
    selected: &Selected<'_>,
    communication: &AllCommunication,
) -> Vec<DeviceCommunication> {
    let devices = selected.devices.iter();
    let within = devices.map(|&device| DeviceCommunication {
        device,
        communication: communication
            .of_device(device)
            .within(&selected.windows(device)),
    });
    within.collect()
}
