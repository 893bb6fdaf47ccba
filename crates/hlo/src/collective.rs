//! What an instruction communicates: how, how much, and who with.

use crate::opcode::{is_collective, without_async_suffix};
use crate::program::{Instruction, Program};
use crate::replica_groups::ReplicaGroups;

/// Longest chain from a done back to its start, and deepest wrapper, that is followed.
const MAX_DEPTH: usize = 16;

/// How data is exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CollectiveKind {
    /// Everybody gets the reduction of all.
    AllReduce,
    /// Everybody gets the parts of all.
    AllGather,
    /// Everybody gets a part of the reduction of all.
    ReduceScatter,
    /// Everybody gets a part from each, ragged ones included.
    AllToAll,
    /// Each sends to one other.
    Permute,
    /// One sends to all.
    Broadcast,
    /// To another device, program or slice.
    Send,
    /// From another device, program or slice.
    Receive,
    /// To the host.
    HostSend,
    /// From the host.
    HostReceive,
}

impl CollectiveKind {
    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllReduce => "all-reduce",
            Self::AllGather => "all-gather",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllToAll => "all-to-all",
            Self::Permute => "permute",
            Self::Broadcast => "broadcast",
            Self::Send => "send",
            Self::Receive => "recv",
            Self::HostSend => "host send",
            Self::HostReceive => "host recv",
        }
    }

    /// Of an opcode, halves of asynchronous ones included.
    pub fn of_opcode(opcode: &str, is_host_transfer: bool) -> Option<Self> {
        Some(match (without_async_suffix(opcode), is_host_transfer) {
            ("all-reduce", _) => Self::AllReduce,
            ("all-gather", _) => Self::AllGather,
            ("reduce-scatter", _) => Self::ReduceScatter,
            ("all-to-all" | "ragged-all-to-all", _) => Self::AllToAll,
            ("collective-permute", _) => Self::Permute,
            ("collective-broadcast", _) => Self::Broadcast,
            ("send", false) => Self::Send,
            ("recv", false) => Self::Receive,
            ("send", true) => Self::HostSend,
            ("recv", true) => Self::HostReceive,
            _ => return None,
        })
    }
}

/// What an instruction communicates.
#[derive(Debug, Clone, Copy)]
pub struct Collective<'a> {
    /// How.
    pub kind: CollectiveKind,
    /// The instruction that begins it: an asynchronous start, a fusion, or the exchange itself.
    pub begin: &'a Instruction,
    /// The instruction that says what is exchanged, within its wrappers.
    pub exchange: &'a Instruction,
    /// Whether another instruction ends it, so that work can run between the two.
    pub is_async: bool,
    /// Bytes of the operands on one device.
    pub operand_bytes: u64,
    partition_count: usize,
    replica_count: usize,
}

impl Program {
    /// What an instruction communicates; see [`Collective`]. The halves of an asynchronous one and
    /// wrappers (fusions, calls on another thread) give the same answer.
    pub fn collective<'a>(&'a self, instruction: &'a Instruction) -> Option<Collective<'a>> {
        self::collective(self, instruction)
    }
}

fn collective<'a>(program: &'a Program, instruction: &'a Instruction) -> Option<Collective<'a>> {
    let begin = begin(program, instruction);
    let exchange = exchange(program, begin, MAX_DEPTH)?;
    let attributes = exchange.attributes();
    let is_host_transfer = attributes.is_some_and(|attributes| attributes.is_host_transfer);
    let kind = CollectiveKind::of_opcode(&exchange.opcode, is_host_transfer)?;
    let is_split = matches!(begin.opcode.as_str(), "send" | "recv") || is_start(&begin.opcode);
    let partition_count = program.partition_count.max(1);
    Some(Collective {
        kind,
        begin,
        exchange,
        is_async: is_split,
        operand_bytes: operand_bytes(program, exchange, kind),
        partition_count,
        replica_count: program.assigned_devices.len() / partition_count,
    })
}

fn is_start(opcode: &str) -> bool {
    opcode.ends_with("-start")
}

/// From the end of an asynchronous instruction to its beginning.
fn begin<'a>(program: &'a Program, instruction: &'a Instruction) -> &'a Instruction {
    let mut current = instruction;
    for _ in 0..MAX_DEPTH {
        let is_half = current.opcode.ends_with("-done") || current.opcode.ends_with("-update");
        if !is_half {
            break;
        }
        match program.operand(current, 0) {
            Some(previous) => current = previous,
            None => break,
        }
    }
    current
}

/// The first collective in a wrapper.
fn exchange<'a>(
    program: &'a Program,
    instruction: &'a Instruction,
    depth: usize,
) -> Option<&'a Instruction> {
    if is_collective(&instruction.opcode) {
        return Some(instruction);
    }
    if depth == 0 || !matches!(instruction.opcode.as_str(), "async-start" | "fusion") {
        return None;
    }
    let called = program.called_computations(instruction);
    let mut inner = called.flat_map(|computation| program.instructions_of(computation));
    inner.find_map(|inner| exchange(program, inner, depth - 1))
}

fn operand_bytes(program: &Program, exchange: &Instruction, kind: CollectiveKind) -> u64 {
    let sizes = || {
        program
            .operands(exchange)
            .map(|operand| operand.shape.byte_size())
    };
    match kind {
        // What comes stands first in the result, before context and token.
        CollectiveKind::Receive | CollectiveKind::HostReceive => {
            let shape = &exchange.shape;
            shape.tuple_shapes.first().unwrap_or(shape).byte_size()
        }
        // Further operands say where, or how much of it.
        CollectiveKind::Permute | CollectiveKind::Send | CollectiveKind::HostSend => {
            sizes().next().unwrap_or(0)
        }
        CollectiveKind::AllToAll if exchange.opcode.starts_with("ragged") => {
            sizes().next().unwrap_or(0)
        }
        _ => sizes().fold(0, u64::saturating_add),
    }
}

impl Collective<'_> {
    /// Devices in the largest group; `None` when the program leaves it to the runtime.
    pub fn group_size(&self) -> Option<u64> {
        let pairs = &self.exchange.attributes()?.source_target_pairs;
        if !pairs.is_empty() {
            return linked(pairs).iter().map(|group| group.len() as u64).max();
        }
        let all = || (self.partition_count * self.replica_count) as u64;
        let size = match (self.replica_groups()?.group_size(), self.mode()) {
            (Some(size), Mode::ReplicasAndPartitions) => size * self.partition_count as u64,
            (Some(size), _) => size,
            (None, Mode::Flattened | Mode::ReplicasAndPartitions) => all(),
            (None, Mode::Replicas) => self.replica_count as u64,
            (None, Mode::Partitions) if self.replica_count > 0 => self.partition_count as u64,
            (None, Mode::Partitions) => 0,
        };
        (size > 0).then_some(size)
    }

    /// Groups of logical device ids, written out; `None` when that cannot be said, or when there
    /// are more than `limit` devices.
    pub fn groups(&self, limit: usize) -> Option<Vec<Vec<i64>>> {
        let device_count = self.partition_count.checked_mul(self.replica_count)?;
        if device_count > limit {
            return None;
        }
        let attributes = self.exchange.attributes()?;
        let pairs = &attributes.source_target_pairs;
        let listed = match (self.replica_groups()?.groups(limit), self.mode()) {
            (Some(groups), _) => groups,
            // Who is linked by a chain of pairs works together; the rest stands alone.
            (None, _) if !pairs.is_empty() => linked(pairs),
            (None, _) if *self.replica_groups()? != ReplicaGroups::default() => return None,
            (None, Mode::Flattened) => vec![signed(device_count)],
            (None, Mode::Partitions) => vec![signed(self.partition_count)],
            (None, _) => vec![signed(self.replica_count)],
        };
        let groups = self.flattened(listed);
        (!groups.is_empty() && groups.iter().any(|group| !group.is_empty())).then_some(groups)
    }

    /// The groups as written.
    pub fn replica_groups(&self) -> Option<&ReplicaGroups> {
        Some(&self.exchange.attributes()?.replica_groups)
    }

    /// Groups of replicas or partitions as groups of logical ids.
    fn flattened(&self, groups: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
        let partitions = self.partition_count.cast_signed() as i64;
        let replicas = self.replica_count.max(1).cast_signed() as i64;
        let repeat = |count: i64, id: fn(i64, i64, i64) -> i64| {
            let of = |fixed: i64| {
                let groups = groups.clone().into_iter();
                groups.map(move |group| {
                    let ids = group.into_iter();
                    ids.map(|member| id(member, fixed, partitions)).collect()
                })
            };
            (0..count).flat_map(of).collect::<Vec<Vec<i64>>>()
        };
        match self.mode() {
            Mode::Flattened => groups,
            Mode::Replicas => repeat(partitions, |replica, partition, partitions| {
                replica.saturating_mul(partitions).saturating_add(partition)
            }),
            Mode::Partitions => repeat(replicas, |partition, replica, partitions| {
                replica.saturating_mul(partitions).saturating_add(partition)
            }),
            Mode::ReplicasAndPartitions => {
                let all = |replica: i64| {
                    let first = replica.saturating_mul(partitions);
                    (0..partitions).map(move |partition| first.saturating_add(partition))
                };
                let groups = groups.into_iter();
                groups
                    .map(|group| group.into_iter().flat_map(all).collect())
                    .collect()
            }
        }
    }

    /// What the numbers in the groups are, by channel and flag.
    fn mode(&self) -> Mode {
        let Some(attributes) = self.exchange.attributes() else {
            return Mode::Flattened;
        };
        let has_channel = attributes.channel_id > 0;
        let has_flag = matches!(
            self.kind,
            CollectiveKind::AllReduce | CollectiveKind::AllGather | CollectiveKind::ReduceScatter
        );
        match (attributes.uses_global_device_ids, has_channel, has_flag) {
            (true, ..) => Mode::Flattened,
            (false, true, true) => Mode::ReplicasAndPartitions,
            (false, true, false) => Mode::Partitions,
            (false, false, _) => Mode::Replicas,
        }
    }
}

/// What the numbers in replica groups count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Flattened,
    Replicas,
    Partitions,
    ReplicasAndPartitions,
}

fn signed(count: usize) -> Vec<i64> {
    (0..count as u64).map(u64::cast_signed).collect()
}

/// Sets of devices that pairs link, in the order in which they first occur.
fn linked(pairs: &[(i64, i64)]) -> Vec<Vec<i64>> {
    let mut group_of: rustc_hash::FxHashMap<i64, usize> = rustc_hash::FxHashMap::default();
    let mut groups: Vec<Vec<i64>> = Vec::new();
    for &(from, to) in pairs {
        let known = (group_of.get(&from).copied(), group_of.get(&to).copied());
        let group = match known {
            (Some(a), Some(b)) if a != b => {
                // The smaller one moves, so that every device moves rarely.
                let (into, out_of) = if groups[a].len() >= groups[b].len() {
                    (a, b)
                } else {
                    (b, a)
                };
                let moved = std::mem::take(&mut groups[out_of]);
                for &device in &moved {
                    group_of.insert(device, into);
                }
                groups[into].extend(moved);
                into
            }
            (Some(group), _) | (_, Some(group)) => group,
            (None, None) => {
                groups.push(Vec::new());
                groups.len() - 1
            }
        };
        for device in [from, to] {
            if group_of.insert(device, group) != Some(group) {
                groups[group].push(device);
            }
        }
    }
    groups.retain(|group| !group.is_empty());
    for group in &mut groups {
        group.sort_unstable();
        group.dedup();
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Draft, adder, encode, f32, program, tuple};
    use crate::wire;

    const LIMIT: usize = 64;

    fn only(program: &Program, opcode: &str) -> (CollectiveKind, bool, u64, String) {
        let found = program.instructions().find(|i| i.opcode == opcode);
        let collective = program
            .collective(found.expect("drawn"))
            .expect("communicates");
        let Collective {
            kind,
            is_async,
            operand_bytes,
            begin,
            ..
        } = collective;
        (kind, is_async, operand_bytes, begin.opcode.clone())
    }

    #[test]
    fn both_halves_are_one_collective() {
        let mut entry = Draft::new(2, "main");
        let p = entry.parameter(f32(&[256]));
        let start = entry.add("all-reduce-start", f32(&[256]), &[p, p]);
        let done = entry.add("all-reduce-done", f32(&[256]), &[start]);
        entry.add("all-gather", f32(&[1024]), &[done]);
        let program = program(vec![adder(1), entry]);
        let expected = (
            CollectiveKind::AllReduce,
            true,
            2048,
            "all-reduce-start".to_owned(),
        );
        assert_eq!(only(&program, "all-reduce-start"), expected);
        assert_eq!(only(&program, "all-reduce-done"), expected);
        let gather = (
            CollectiveKind::AllGather,
            false,
            1024,
            "all-gather".to_owned(),
        );
        assert_eq!(only(&program, "all-gather"), gather);
    }

    #[test]
    fn wrappers_are_looked_into() {
        let mut body = Draft::new(1, "wrapped");
        let p = body.parameter(f32(&[64]));
        body.add("reduce-scatter", f32(&[16]), &[p]);
        let mut entry = Draft::new(2, "main");
        let p = entry.parameter(f32(&[64]));
        let called = |instruction: &mut wire::HloInstruction| {
            instruction.called_computation_ids = vec![1];
        };
        let start = entry.add_with(
            "async-start",
            tuple(&[f32(&[64]), f32(&[16])]),
            &[p],
            called,
        );
        let done = entry.add_with("async-done", f32(&[16]), &[start], called);
        entry.add("negate", f32(&[16]), &[done]);
        let program = program(vec![body, entry]);
        let expected = (
            CollectiveKind::ReduceScatter,
            true,
            256,
            "async-start".to_owned(),
        );
        assert_eq!(only(&program, "async-done"), expected);
        let negate = program.instructions().find(|i| i.opcode == "negate");
        assert!(program.collective(negate.expect("drawn")).is_none());
    }

    fn groups(
        replicas: usize,
        partitions: usize,
        opcode: &str,
        edit: impl FnOnce(&mut wire::HloInstruction),
    ) -> Option<Vec<Vec<i64>>> {
        let mut entry = Draft::new(2, "main");
        let p = entry.parameter(f32(&[4]));
        entry.add_with(opcode, f32(&[4]), &[p], edit);
        let mut program = program(vec![entry]);
        program.partition_count = partitions;
        program.assigned_devices = signed(replicas * partitions);
        let found = program.instructions().find(|i| i.opcode == opcode);
        program.collective(found.expect("drawn"))?.groups(LIMIT)
    }

    fn listed(groups: &[&[i64]]) -> Vec<wire::ReplicaGroup> {
        let group = |ids: &&[i64]| wire::ReplicaGroup {
            replica_ids: ids.to_vec(),
        };
        groups.iter().map(group).collect()
    }

    #[test]
    fn numbers_are_replicas_partitions_or_both() {
        let set = |channel: i64, is_global: bool, of: &[&[i64]]| {
            let of = listed(of);
            move |instruction: &mut wire::HloInstruction| {
                instruction.channel_id = channel;
                instruction.use_global_device_ids = is_global;
                instruction.replica_groups = of;
            }
        };
        let flat = groups(1, 4, "all-reduce", set(1, true, &[&[0, 2], &[1, 3]]));
        assert_eq!(flat, Some(vec![vec![0, 2], vec![1, 3]]));
        let replicas = groups(2, 2, "all-reduce", set(0, false, &[&[0, 1]]));
        assert_eq!(replicas, Some(vec![vec![0, 2], vec![1, 3]]));
        let both = groups(2, 2, "all-reduce", set(1, false, &[&[0], &[1]]));
        assert_eq!(both, Some(vec![vec![0, 1], vec![2, 3]]));
        let partitions = groups(2, 2, "all-to-all", set(1, false, &[&[0, 1]]));
        assert_eq!(partitions, Some(vec![vec![0, 1], vec![2, 3]]));
        let everybody = groups(1, 4, "all-reduce", set(1, true, &[]));
        assert_eq!(everybody, Some(vec![vec![0, 1, 2, 3]]));
        assert_eq!(groups(1, 100, "all-reduce", set(1, true, &[])), None);
    }

    #[test]
    fn pairs_link_devices() {
        let pairs = |pairs: &[(i64, i64)]| {
            let pair = |&(source, target): &(i64, i64)| wire::SourceTarget { source, target };
            let pairs: Vec<_> = pairs.iter().map(pair).collect();
            move |instruction: &mut wire::HloInstruction| {
                instruction.channel_id = 1;
                instruction.source_target_pairs = pairs;
            }
        };
        let ring = groups(
            1,
            4,
            "collective-permute",
            pairs(&[(0, 1), (1, 2), (2, 3), (3, 0)]),
        );
        assert_eq!(ring, Some(vec![vec![0, 1, 2, 3]]));
        let apart = groups(1, 4, "collective-permute", pairs(&[(3, 2), (0, 1)]));
        assert_eq!(apart, Some(vec![vec![2, 3], vec![0, 1]]));
        assert_eq!(
            linked(&[(0, 1), (2, 3), (1, 2), (5, 5)]),
            [vec![0, 1, 2, 3], vec![5]]
        );
    }

    #[test]
    fn lists_of_devices_are_read_wherever_compilers_write_them() {
        let mut entry = Draft::new(1, "main");
        let p = entry.parameter(f32(&[4]));
        entry.add_with("all-reduce", f32(&[4]), &[p], |instruction| {
            instruction.iota_device_list = Some(Box::new(wire::IotaReplicaGroups {
                group_count: 2,
                devices_per_group: 2,
                reshape_dimensions: vec![4],
                transpose_permutation: vec![0],
            }));
        });
        entry.add_with("all-gather", f32(&[8]), &[p], |instruction| {
            let axis = |name: &[u8], size| wire::MeshAxis {
                name: name.to_vec(),
                size,
            };
            instruction.mesh_axes_device_list = Some(Box::new(wire::MeshAxesReplicaGroups {
                mesh: Some(wire::Mesh {
                    axes: vec![axis(b"data", 2), axis(b"model", 2)],
                    device_ids: Vec::new(),
                }),
                axes: vec![wire::AxisRef::default()],
            }));
        });
        let program = Program::decode(&encode(vec![entry])).expect("decodes");
        let groups = |opcode: &str| {
            let found = program.instructions().find(|i| i.opcode == opcode);
            let attributes = found.expect("drawn").attributes().expect("has groups");
            let groups = &attributes.replica_groups;
            (groups.to_string(), groups.groups(LIMIT))
        };
        let (text, written) = groups("all-reduce");
        assert_eq!(text, "[2,2]<=[4]");
        assert_eq!(written, Some(vec![vec![0, 1], vec![2, 3]]));
        let (text, written) = groups("all-gather");
        assert_eq!(text, "mesh['data'=2,'model'=2] {'data'}");
        assert_eq!(written, Some(vec![vec![0, 2], vec![1, 3]]));
    }
}
