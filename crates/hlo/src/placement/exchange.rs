//! Cuts through collectives: devices of a group gather their parts, or divide what they have.

use rustc_hash::FxHashMap;

use super::cut::{Cut, Places};
use super::operand::Operand;
use crate::device_sets::DivisionId;
use crate::program::{Instruction, Program};

/// More devices are not followed; see [`Copies`](crate::cost::copies::Copies).
const MAX_DEVICES: usize = 4096;

impl Places {
    /// A dimension whose parts a group of devices puts together: `ratio` times fewer.
    pub(super) fn gathered(
        &mut self,
        program: &Program,
        instruction: &Instruction,
        cut: Cut,
        ratio: u64,
    ) -> Cut {
        let Cut::Parts(count, along) = cut else {
            return Cut::Unknown;
        };
        let count = u64::from(count);
        if ratio == 0 || !count.is_multiple_of(ratio) {
            return Cut::Unknown;
        }
        let along = along.and_then(|along| self.coarser(program, instruction, along));
        self.parts(count / ratio, along)
    }

    /// A dimension that the devices of a group divide: `ratio` times more parts.
    pub(super) fn scattered(
        &mut self,
        program: &Program,
        instruction: &Instruction,
        cut: Cut,
        ratio: u64,
    ) -> Cut {
        let Cut::Parts(count, along) = cut else {
            return Cut::Unknown;
        };
        let along = along.and_then(|along| self.finer(program, instruction, along));
        self.parts(u64::from(count).saturating_mul(ratio), along)
    }

    /// An exchange along a dimension with as many elements as a group has devices, as the partitioner
    /// writes it to divide another dimension than before:
    ///
    /// ```text
    /// before   x parts 4     y = 4 · 640               x f32[2,4,640]   P(data, None, None)
    /// after    4 · x         y parts 4                   f32[2,4,640]   P(None, None, data)
    /// ```
    ///
    /// What follows the exchanged dimension is what the group divides now.
    pub(super) fn swapped(
        &mut self,
        program: &Program,
        instruction: &Instruction,
        operand: &Operand<'_>,
        along: usize,
    ) -> Option<Vec<Cut>> {
        let size = u64::try_from(*operand.shape.dimensions.get(along)?).ok()?;
        let groups = program.collective(instruction)?.groups(MAX_DEVICES)?;
        let fits = groups.iter().all(|group| group.len() as u64 == size);
        let rest = along + 1;
        if !fits
            || *operand.cuts.get(along)? != Cut::WHOLE
            || *operand.cuts.get(rest)? != Cut::WHOLE
        {
            return None;
        }
        let mut cuts = operand.cuts.clone();
        let mut put_together = 0;
        for cut in &mut cuts {
            let Cut::Parts(count, Some(own)) = *cut else {
                return None;
            };
            let fewer = self.coarser(program, instruction, own)?;
            if fewer != own {
                *cut = self.parts(u64::from(count) / size, Some(fewer));
                put_together += 1;
            }
        }
        if put_together != 1 || cuts.contains(&Cut::Unknown) {
            return None;
        }
        *cuts.get_mut(rest)? = self.scattered(program, instruction, Cut::WHOLE, size);
        Some(cuts)
    }

    /// Sets that a group connects become one.
    fn coarser(
        &mut self,
        program: &Program,
        instruction: &Instruction,
        along: DivisionId,
    ) -> Option<DivisionId> {
        let groups = program.collective(instruction)?.groups(MAX_DEVICES)?;
        let sets = self.divisions.sets(along).to_vec();
        let mut parents: Vec<u32> = (0..).take(self.divisions.set_count(along)).collect();
        for group in &groups {
            let members = group
                .iter()
                .map(|&device| sets.get(usize::try_from(device).ok()?));
            let members: Option<Vec<&u32>> = members.collect();
            let members = members?;
            let (&&first, others) = members.split_first()?;
            for &&other in others {
                let (one, other) = (root(&mut parents, first), root(&mut parents, other));
                parents[other as usize] = one;
            }
        }
        let keys: Vec<u32> = sets.iter().map(|&set| root(&mut parents, set)).collect();
        Some(self.divisions.intern(&keys))
    }

    /// The devices of a set are told apart by their positions in their groups.
    fn finer(
        &mut self,
        program: &Program,
        instruction: &Instruction,
        along: DivisionId,
    ) -> Option<DivisionId> {
        let groups = program.collective(instruction)?.groups(MAX_DEVICES)?;
        let mut positions: FxHashMap<i64, usize> = FxHashMap::default();
        for group in &groups {
            positions.extend(
                group
                    .iter()
                    .enumerate()
                    .map(|(position, &device)| (device, position)),
            );
        }
        let sets = self.divisions.sets(along).to_vec();
        let keys: Option<Vec<(u32, usize)>> = sets
            .iter()
            .zip(0i64..)
            .map(|(&set, device)| Some((set, *positions.get(&device)?)))
            .collect();
        Some(self.divisions.intern(&keys?))
    }
}

/// The set that stands for all sets connected with one; paths to it get shorter on the way.
fn root(parents: &mut [u32], mut set: u32) -> u32 {
    while parents[set as usize] != set {
        parents[set as usize] = parents[parents[set as usize] as usize];
        set = parents[set as usize];
    }
    set
}
