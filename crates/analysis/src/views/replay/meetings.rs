//! Collectives as meetings: nobody leaves before everybody has arrived.
//!
//! ```text
//! device 0   arrive ─────────┐            ┌── release
//! device 1            arrive ┴▶ meeting ──┴── release        lag of a release: its own transfer
//! ```

use rustc_hash::FxHashSet;
use stepscope_model::SliceId;

use super::device::{Member, Members};
use super::graph::{Builder, EdgeKind, NONE, Node, NodeKind};
use crate::views::collectives::Exchanges;

/// Slices that start a collective that was matched over devices.
pub(super) fn matched(exchanges: &Exchanges) -> FxHashSet<SliceId> {
    let instances = exchanges.matched.instances.iter();
    let members = instances.flat_map(|instance| &instance.members);
    members
        .map(|&member| exchanges.survey.occurrences[member].slice)
        .collect()
}

/// Connects the members of each collective; what could not be matched takes as long as it took.
pub(super) fn add(builder: &mut Builder, exchanges: &Exchanges, members: &mut Members) {
    for instance in &exchanges.matched.instances {
        let slices = instance.members.iter();
        let slices = slices.map(|&member| exchanges.survey.occurrences[member].slice);
        let known: Vec<SliceId> = slices.filter(|slice| members.contains_key(slice)).collect();
        if known.len() < 2 {
            continue;
        }
        let of_instance: Vec<Member> = known.iter().map(|slice| members[slice]).collect();
        builder.graph.meetings += 1;
        if meet(builder, &of_instance) {
            for slice in &known {
                members.remove(slice);
            }
        } else {
            builder.graph.early_leaves += 1;
        }
    }
    let mut rest: Vec<(SliceId, Member)> = members.drain().collect();
    rest.sort_unstable_by_key(|(slice, _)| *slice);
    for (_, member) in rest {
        let from = builder.graph.nodes[member.arrival as usize].end_ps();
        let lag_ps = builder.graph.nodes[member.release as usize].start_ps - from;
        let kind = if member.is_hidden {
            EdgeKind::HiddenPair
        } else {
            EdgeKind::Pair
        };
        builder.wait(member.release, member.arrival, kind, lag_ps.max(0));
    }
}

/// False if someone left before the last one arrived: then they did not wait for one another.
fn meet(builder: &mut Builder, members: &[Member]) -> bool {
    let nodes = &builder.graph.nodes;
    let arrived = members
        .iter()
        .map(|one| nodes[one.arrival as usize].end_ps());
    let Some(last_ps) = arrived.max() else {
        return false;
    };
    let leaves = |one: &Member| nodes[one.release as usize].start_ps;
    if members.iter().any(|one| leaves(one) < last_ps) {
        return false;
    }
    let lags: Vec<i64> = members.iter().map(|one| leaves(one) - last_ps).collect();
    let label = nodes[members[0].release as usize].label;
    let meeting = builder.add(Node {
        label,
        ..Node::instant(NodeKind::Meet, NONE, last_ps)
    });
    for (one, lag_ps) in members.iter().zip(lags) {
        builder.wait(meeting, one.arrival, EdgeKind::Arrival, 0);
        let kind = if one.is_hidden {
            EdgeKind::HiddenTransfer
        } else {
            EdgeKind::Transfer
        };
        builder.wait(one.release, meeting, kind, lag_ps);
        builder.wait(one.release, one.arrival, EdgeKind::Own, 0);
    }
    true
}
