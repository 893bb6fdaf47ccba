//! A collective on all devices that took part, as [`collectives`](crate::views::collectives) matches
//! its occurrences.

use stepscope_model::{HostId, Session, SliceId};

use super::slice_report::{ParticipantRow, ParticipantsReport};
use crate::views::collectives::instance::Instance;
use crate::views::collectives::matching::Wait;
use crate::views::collectives::participants::{Grouping, Participants};
use crate::views::collectives::{Exchanges, exchanges};

const NO_OCCURRENCE: &str = "Nothing on a device was recorded of it.";
const GROUPS_UNKNOWN: &str = "Which devices communicate is unknown: the profile has neither the \
    program with its groups of devices, nor a group of the size of all devices that ran it.";
const ALONE: &str = "No other device of this session takes part in it.";
const UNMATCHED: &str = "On no other device was the same execution recorded: their recordings began \
    later or ended earlier.";

/// The participants of the collective that a slice is part of; none if the slice does not exist.
pub fn participants(session: &Session, slice: SliceId) -> Option<ParticipantsReport> {
    let lane = session.lane(slice.track, slice.lane)?;
    let label = *lane.labels().get(slice.index as usize)?;
    let found = exchanges(session);
    let Some(op) = found.survey.op_of(label) else {
        return Some(ParticipantsReport {
            is_collective: false,
            ..without_rows("", "", "")
        });
    };
    let op = &found.survey.ops[op];
    let kind = op.kind.map_or("", |kind| kind.name());
    let report = match find(session, &found, slice) {
        Ok((own, instance)) => matched(session, &found, own, instance),
        Err(unknown) => without_rows(&op.name, kind, unknown),
    };
    Some(report)
}

/// The occurrence that a slice is and the execution it is part of, or why that is unknown.
fn find<'a>(
    session: &Session,
    found: &'a Exchanges,
    slice: SliceId,
) -> Result<(usize, &'a Instance), &'static str> {
    let own = found.survey.occurrence_of(session, slice);
    let own = own.ok_or(NO_OCCURRENCE)?;
    let instances = &found.matched.instances;
    let instance = instances.iter().find(|one| one.members.contains(&own));
    instance.map(|one| (own, one)).ok_or_else(|| {
        let occurrence = &found.survey.occurrences[own];
        let Participants { groups, grouping } = &found.matched.participants[occurrence.op];
        if *grouping == Grouping::Unknown {
            GROUPS_UNKNOWN
        } else if groups
            .iter()
            .any(|group| group.contains(&occurrence.device))
        {
            UNMATCHED
        } else {
            ALONE
        }
    })
}

fn matched(
    session: &Session,
    found: &Exchanges,
    own: usize,
    instance: &Instance,
) -> ParticipantsReport {
    let Exchanges {
        survey,
        matched,
        clocks,
    } = found;
    let arrivals = instance.arrivals(session, survey, clocks);
    let mut hosts: Vec<HostId> = Vec::new();
    let rows = instance.members.iter().map(|&member| {
        let occurrence = &survey.occurrences[member];
        let host = session.device(occurrence.device).host;
        hosts.push(host);
        let wait = Wait::of(session, clocks, occurrence, arrivals.last_ps);
        let arrival_ps = clocks.aligned(host, occurrence.span.start).0;
        let lane = session.lane(occurrence.slice.track, occurrence.slice.lane);
        let durations = lane.map_or(&[][..], |lane| lane.durations());
        ParticipantRow {
            device: session.device_title(occurrence.device),
            slice: occurrence.slice.into(),
            start_ps: occurrence.span.start.0,
            slice_ps: durations
                .get(occurrence.slice.index as usize)
                .copied()
                .unwrap_or_default(),
            duration_ps: occurrence.span.duration().0,
            offset_ps: arrival_ps.saturating_sub(arrivals.last_ps),
            wait_ps: wait.wait_ps,
            transfer_ps: wait.transfer_ps,
            is_last: member == arrivals.last,
            is_this: member == own,
        }
    });
    let mut rows: Vec<ParticipantRow> = rows.collect();
    // Stable: participants that arrive together stay in the order of devices.
    rows.sort_by_key(|row| row.offset_ps);
    hosts.sort_unstable();
    hosts.dedup();
    let residuals = hosts
        .iter()
        .filter_map(|host| clocks.hosts.get(host.index()));
    let residual_ps = residuals
        .map(|clock| clock.max_residual_ps)
        .fold(0.0, f64::max);
    let op = &survey.ops[instance.op];
    ParticipantsReport {
        is_collective: true,
        name: op.name.clone(),
        kind: op.kind.map_or("", |kind| kind.name()).to_owned(),
        unknown: String::new(),
        skew_ps: arrivals.last_ps.saturating_sub(arrivals.first_ps),
        transfer_ps: arrivals.end_ps.saturating_sub(arrivals.last_ps).max(0),
        clock_residual_ps: (hosts.len() > 1).then(|| whole(residual_ps)),
        is_inferred: matched.participants[instance.op].grouping != Grouping::Known,
        rows,
    }
}

fn without_rows(name: &str, kind: &str, unknown: &str) -> ParticipantsReport {
    ParticipantsReport {
        is_collective: true,
        name: name.to_owned(),
        kind: kind.to_owned(),
        unknown: unknown.to_owned(),
        skew_ps: 0,
        transfer_ps: 0,
        clock_residual_ps: None,
        is_inferred: false,
        rows: Vec::new(),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, like times"
)]
fn whole(picos: f64) -> i64 {
    picos.round() as i64
}
