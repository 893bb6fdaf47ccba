//! Which devices compute the same: a value that does not depend on the device's part of the inputs
//! is computed as often as there are devices, and needed once.
//!
//! The fact of a value is a division of the devices into sets that have equal copies of it. Inputs
//! are divided by their shardings, and differ everywhere where the program does not say how; a result
//! divides the devices as all its operands do together; collectives give the members of a group the
//! same.

use rustc_hash::FxHashMap;

use crate::collective::CollectiveKind;
use crate::device_sets::{DivisionId, Divisions};
use crate::flow::{Facts, Flow, follow};
use crate::opcode::{is_async_completion, is_collective};
use crate::program::{Instruction, Program};

/// Programs over more devices are taken to repeat nothing.
const MAX_DEVICES: usize = 4096;
/// A product of a tuple with more arrays is taken to be different everywhere.
const MAX_ARRAYS: usize = 64;

/// For each instruction, how the devices that execute it differ.
pub(crate) struct Copies {
    pub(crate) flow: Flow<DivisionId>,
    pub(crate) divisions: Divisions,
}

impl Copies {
    /// `None` where the program runs on one device, or does not say on which.
    pub(crate) fn new(program: &Program) -> Option<Self> {
        let device_count = usize::try_from(program.sharding_device_count()?).ok()?;
        let has_replicas =
            program.partition_count > 1 && program.assigned_devices.len() > program.partition_count;
        if !(2..=MAX_DEVICES).contains(&device_count) || has_replicas {
            return None;
        }
        let mut analysis = Analysis {
            program,
            divisions: Divisions::new(device_count),
        };
        let flow = follow(program, &mut analysis)?;
        // Where there are too many to keep, one of them is not what it says.
        let divisions = analysis.divisions;
        (!divisions.is_full).then_some(Self { flow, divisions })
    }

    /// Share of the devices whose execution of an instruction is needed: the number of different
    /// ones ÷ all.
    pub(crate) fn needed_ratio(&mut self, program: &Program, instruction: &Instruction) -> f64 {
        let mut together = 0;
        for operand in program.operands(instruction) {
            let facts = self.flow.of(operand);
            if facts.is_empty() || facts.len() > MAX_ARRAYS {
                return 1.0;
            }
            for &fact in facts {
                together = self.divisions.both(together, fact);
            }
        }
        if instruction.operand_ids.is_empty() {
            return 1.0;
        }
        self.divisions.set_count(together) as f64 / self.divisions.device_count as f64
    }
}

struct Analysis<'a> {
    program: &'a Program,
    divisions: Divisions,
}

impl Facts for Analysis<'_> {
    type Fact = DivisionId;

    fn join(&mut self, left: DivisionId, right: DivisionId) -> DivisionId {
        self.divisions.both(left, right)
    }

    fn input(&mut self, parameter: &Instruction, leaf: usize) -> DivisionId {
        let sharding = self.program.shardings.get(&parameter.index);
        let leaf = sharding.and_then(|sharding| sharding.leaf(leaf));
        match leaf.and_then(|leaf| leaf.parts_of_devices(self.divisions.device_count)) {
            Some(parts) => self.divisions.intern(&parts),
            None => self.divisions.all_differ,
        }
    }

    fn result(
        &mut self,
        program: &Program,
        instruction: &Instruction,
        operands: &[&[DivisionId]],
    ) -> DivisionId {
        let mut together = 0;
        for &fact in operands.iter().copied().flatten() {
            together = self.divisions.both(together, fact);
        }
        let opcode = instruction.opcode.as_str();
        match opcode {
            // Replicas beside partitions are not looked at: either numbers all devices.
            "partition-id"
            | "replica-id"
            | "infeed"
            | "recv"
            | "recv-done"
            | "rng"
            | "rng-get-and-update-state" => self.divisions.all_differ,
            _ if is_collective(opcode) && !is_async_completion(opcode) => {
                self.exchanged(program, instruction, together)
            }
            _ => together,
        }
    }

    fn controlled(&mut self, value: DivisionId, predicate: DivisionId) -> DivisionId {
        self.divisions.both(value, predicate)
    }
}

impl Analysis<'_> {
    /// What a collective gives: the members of a group get the same, or each its part of the same.
    fn exchanged(
        &mut self,
        program: &Program,
        instruction: &Instruction,
        own: DivisionId,
    ) -> DivisionId {
        let count = self.divisions.device_count;
        let Some(collective) = program.collective(instruction) else {
            return self.divisions.all_differ;
        };
        let sets = self.divisions.sets(own).to_vec();
        let at = |device: i64| {
            let device = usize::try_from(device).ok()?;
            sets.get(device).copied()
        };
        if collective.kind == CollectiveKind::Permute {
            let pairs = instruction.attributes().map(|own| &own.source_target_pairs);
            let mut received: Vec<(bool, u32)> = vec![(false, 0); count];
            for &(from, to) in pairs.into_iter().flatten() {
                let to = usize::try_from(to).ok().and_then(|to| received.get_mut(to));
                match (to, at(from)) {
                    (Some(slot), Some(set)) => *slot = (true, set),
                    _ => return self.divisions.all_differ,
                }
            }
            return self.divisions.intern(&received);
        }
        let Some(groups) = collective.groups(MAX_DEVICES) else {
            return self.divisions.all_differ;
        };
        // What came together, numbered, and which part of it a device keeps.
        let mut numbers: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut received: Vec<Option<(usize, usize)>> = vec![None; count];
        for group in &groups {
            let members: Option<Vec<u32>> = group.iter().map(|&device| at(device)).collect();
            let Some(mut members) = members else {
                return self.divisions.all_differ;
            };
            let keeps_part = match collective.kind {
                CollectiveKind::AllReduce => {
                    members.sort_unstable();
                    false
                }
                CollectiveKind::AllGather => false,
                CollectiveKind::ReduceScatter | CollectiveKind::AllToAll => true,
                _ => return self.divisions.all_differ,
            };
            let next = numbers.len();
            let number = *numbers.entry(members).or_insert(next);
            for (position, &device) in group.iter().enumerate() {
                let device = usize::try_from(device).unwrap_or(usize::MAX);
                let part = if keeps_part { position } else { 0 };
                if let Some(slot) = received.get_mut(device) {
                    *slot = Some((number, part));
                }
            }
        }
        if received.iter().any(Option::is_none) {
            return self.divisions.all_differ;
        }
        self.divisions.intern(&received)
    }
}
