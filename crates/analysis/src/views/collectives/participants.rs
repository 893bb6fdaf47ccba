//! Finds the devices of the session that take part in a collective together.
//!
//! Replica groups contain logical ids; the program's device assignment maps each id to a device. XLA:CPU
//! records these device ids as ordinals, over all processes. Elsewhere, ordinals start at 0 on every
//! host: with one host they are the ids; with several, ids are assumed to be in the order of hosts.
//!
//! Without the program, the ids of devices are unknown. If a group is known to have as many devices as
//! executed the collective, all of them form the group. Otherwise, two devices of one host that always
//! execute it at the same time are one group. With more devices, the groups are unknown, and nothing is
//! matched.

use rustc_hash::FxHashMap;
use stepscope_model::{DeviceId, ProgramId, Session};

use super::survey::CollectiveOp;

/// Maximum number of devices in the groups of a collective.
const MAX_DEVICES: usize = 1 << 16;

/// Groups of devices of the session that communicate with one another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Participants {
    /// Only groups with at least two devices in the session.
    pub(crate) groups: Vec<Vec<DeviceId>>,
    /// How the groups were obtained.
    pub(crate) grouping: Grouping,
}

/// How the groups of a collective were obtained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Grouping {
    /// From the program, with known ids of devices; or one group has all devices.
    #[default]
    Known,
    /// From the program, with ids of devices inferred from the order of hosts and devices.
    ByOrder,
    /// Two devices of one host that execute it together; nothing else is known.
    Pair,
    /// Unknown.
    Unknown,
}

/// The groups of a collective among the devices that executed it.
pub(crate) fn participants(
    session: &Session,
    op: &CollectiveOp,
    executed_on: &[DeviceId],
) -> Participants {
    let of_program = op
        .program
        .and_then(|program| by_program(session, program, op, executed_on));
    let mut found = of_program.unwrap_or_else(|| by_size(session, op, executed_on));
    for group in &mut found.groups {
        group.sort_unstable();
        group.dedup();
    }
    found.groups.retain(|group| group.len() > 1);
    found
}

/// Without a usable program: all devices if the group is known to be that large, or a pair.
fn by_size(session: &Session, op: &CollectiveOp, executed_on: &[DeviceId]) -> Participants {
    let grouping = match (op.group_size, executed_on) {
        (_, [] | [_]) => Grouping::Known,
        (Some(size), _) if size == executed_on.len() as u64 => Grouping::Known,
        // Devices of several hosts may belong to several jobs.
        (None, [one, other]) if session.device(*one).host == session.device(*other).host => {
            Grouping::Pair
        }
        _ => Grouping::Unknown,
    };
    let groups = match grouping {
        Grouping::Unknown => Vec::new(),
        _ => vec![executed_on.to_vec()],
    };
    Participants { groups, grouping }
}

fn by_program(
    session: &Session,
    program: ProgramId,
    op: &CollectiveOp,
    executed_on: &[DeviceId],
) -> Option<Participants> {
    let hlo = session.program(program).hlo.as_ref()?;
    let assigned = hlo.assigned_devices();
    let instruction = hlo.instruction(&op.name)?;
    let groups = hlo.collective(instruction)?.groups(MAX_DEVICES)?;
    let mut found = Participants::default();
    for world in worlds(session, assigned.len(), executed_on) {
        let (device_of, is_guess) = logical(session, assigned, &world)?;
        if is_guess {
            found.grouping = Grouping::ByOrder;
        }
        for group in &groups {
            let devices = group.iter().filter_map(|id| device_of.get(id).copied());
            found.groups.push(devices.collect());
        }
    }
    Some(found)
}

/// Devices by job. If one host alone has as many as the program needs, every host runs a separate job.
fn worlds(session: &Session, needed: usize, executed_on: &[DeviceId]) -> Vec<Vec<DeviceId>> {
    let mut by_host: Vec<Vec<DeviceId>> = Vec::new();
    let mut sorted = executed_on.to_vec();
    sorted.sort_unstable_by_key(|&id| (session.device(id).host, session.device(id).ordinal));
    for group in sorted.chunk_by(|&a, &b| session.device(a).host == session.device(b).host) {
        by_host.push(group.to_vec());
    }
    let is_host_enough = by_host.iter().any(|host| host.len() >= needed);
    if is_host_enough {
        by_host
    } else {
        vec![sorted]
    }
}

type LogicalDevices = FxHashMap<i64, DeviceId>;

/// Devices of a job by logical id, and whether that is inferred; none if unknown.
fn logical(
    session: &Session,
    assigned: &[i64],
    world: &[DeviceId],
) -> Option<(LogicalDevices, bool)> {
    let mut by_ordinal: FxHashMap<i64, DeviceId> = FxHashMap::default();
    for &device in world {
        by_ordinal.insert(session.device(device).ordinal, device);
    }
    let is_unique = by_ordinal.len() == world.len();
    let logical_of = |device_id: &i64| by_ordinal.get(device_id).copied();
    let known = assigned
        .iter()
        .filter(|id| logical_of(id).is_some())
        .count();
    if is_unique && known == world.len() {
        let ids = (0i64..).zip(assigned);
        let found = ids.filter_map(|(id, device)| Some((id, logical_of(device)?)));
        // With only one of several hosts in the session, its ordinals may match ids by chance.
        return Some((found.collect(), false));
    }
    if world.len() != assigned.len() {
        return None;
    }
    let mut ranked: Vec<(i64, i64)> = (0i64..).zip(assigned.iter().copied()).collect();
    ranked.sort_unstable_by_key(|&(_, device)| device);
    let found = ranked
        .iter()
        .zip(world)
        .map(|(&(id, _), &device)| (id, device));
    Some((found.collect(), true))
}
