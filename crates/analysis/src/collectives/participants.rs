//! Which devices of the session take part in a collective together.
//!
//! Replica groups speak of logical ids; the program's device assignment says which device each is.
//! XLA:CPU records those ids as ordinals, over all processes. Elsewhere ordinals count from 0 on
//! every host: with one host they are the ids, with several the order of hosts is taken for the
//! order of ids, which is a guess.

use rustc_hash::FxHashMap;
use stepscope_model::{DeviceId, ProgramId, Session};

use super::survey::CollectiveOp;

/// More devices than this in one collective are not told apart.
const MAX_DEVICES: usize = 1 << 16;

/// Groups of devices of the session that communicate with one another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Participants {
    /// Only groups with at least two devices in the session.
    pub(crate) groups: Vec<Vec<DeviceId>>,
    /// Devices were told by the order of hosts, or all were taken to belong together.
    pub(crate) is_guess: bool,
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
    let mut found = of_program.unwrap_or_else(|| by_count(session, op, executed_on));
    for group in &mut found.groups {
        group.sort_unstable();
        group.dedup();
    }
    found.groups.retain(|group| group.len() > 1);
    found
}

/// Without a usable program: everybody, if the group is known to be that large or nothing is known.
fn by_count(session: &Session, op: &CollectiveOp, executed_on: &[DeviceId]) -> Participants {
    let is_all = op
        .group_size
        .is_none_or(|size| size == executed_on.len() as u64);
    let has_host = |device: &DeviceId| session.device(*device).host;
    let one_host = executed_on
        .windows(2)
        .all(|pair| has_host(&pair[0]) == has_host(&pair[1]));
    // Devices of several hosts that may belong to several jobs are not thrown together.
    let groups = if is_all && (one_host || op.group_size.is_some()) {
        vec![executed_on.to_vec()]
    } else {
        Vec::new()
    };
    Participants {
        groups,
        is_guess: true,
    }
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
        found.is_guess |= is_guess;
        for group in &groups {
            let devices = group.iter().filter_map(|id| device_of.get(id).copied());
            found.groups.push(devices.collect());
        }
    }
    Some(found)
}

/// Devices of one job. Where one host alone has as many as the program needs, every host runs a job
/// of its own.
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

/// Devices of a world by logical id, and whether that is a guess; none where it cannot be told.
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
        // A part of the devices of one host of several has their numbers by chance.
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
