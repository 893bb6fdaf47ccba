//! What each instruction makes of the cuts of its operands.

use super::cut::{Cut, PlaceId, Places};
use super::operand::Operand;
use super::products::{convolution, dot, gather};
use super::reshape::reshaped;
use crate::cost::copies::Copies;
use crate::device_sets::DivisionId;
use crate::flow::{Facts, Flow};
use crate::opcode::{is_elementwise, is_transcendental, without_async_suffix};
use crate::program::{Instruction, Program};
use crate::shape::Shape;

pub(super) struct Rules<'a> {
    program: &'a Program,
    pub(super) places: Places,
    /// How the devices differ in what they compute.
    copies: Flow<DivisionId>,
}

impl<'a> Rules<'a> {
    pub(super) fn new(program: &'a Program, copies: Copies) -> Self {
        Self {
            program,
            places: Places::new(copies.divisions),
            copies: copies.flow,
        }
    }
}

impl Facts for Rules<'_> {
    type Fact = PlaceId;

    fn join(&mut self, left: PlaceId, right: PlaceId) -> PlaceId {
        self.places.join(left, right)
    }

    fn input(&mut self, parameter: &Instruction, leaf: usize) -> PlaceId {
        let cuts = self.input_cuts(parameter, leaf);
        cuts.map_or(PlaceId::UNKNOWN, |cuts| self.places.intern(cuts))
    }

    fn result(&mut self, _: &Program, _: &Instruction, _: &[&[PlaceId]]) -> PlaceId {
        PlaceId::UNKNOWN
    }

    fn results(
        &mut self,
        program: &Program,
        instruction: &Instruction,
        operands: &[&[PlaceId]],
        facts: &mut [PlaceId],
    ) {
        facts.fill(PlaceId::UNKNOWN);
        let results = instruction.shape.arrays();
        let mut own: Vec<Operand<'_>> = Vec::new();
        for (operand, operand_facts) in program.operands(instruction).zip(operands) {
            let shapes = operand.shape.arrays();
            own.extend(
                shapes
                    .into_iter()
                    .zip(*operand_facts)
                    .map(|(shape, &fact)| Operand {
                        shape,
                        cuts: self.places.cuts(fact, shape.dimensions.len()),
                    }),
            );
        }
        for (leaf, (fact, shape)) in facts.iter_mut().zip(&results).enumerate() {
            let cuts = self.cuts(instruction, &own, leaf, results.len(), shape);
            if let Some(cuts) = cuts.filter(|cuts| cuts.len() == shape.dimensions.len()) {
                *fact = self.places.intern(cuts);
            }
        }
    }
}

impl Rules<'_> {
    fn input_cuts(&mut self, parameter: &Instruction, leaf: usize) -> Option<Vec<Cut>> {
        let count = self.places.divisions.device_count;
        let sharding = self.program.shardings.get(&parameter.index)?.leaf(leaf)?;
        let shapes = parameter.shape.arrays();
        let rank = shapes.get(leaf)?.dimensions.len();
        let divisions = sharding.divisions()?;
        let parts = sharding.parts_of_devices(count)?;
        let counts: Vec<u64> = divisions.iter().map(|own| own.part_count).collect();
        let mut cuts = vec![Cut::WHOLE; rank];
        let mut inner: u64 = 1;
        for (dimension, &own) in counts.iter().enumerate().rev() {
            let along: Vec<u64> = parts.iter().map(|part| part / inner % own.max(1)).collect();
            let along = self.places.divisions.intern(&along);
            *cuts.get_mut(dimension)? = self.places.parts(own, Some(along));
            inner = inner.checked_mul(own)?.max(1);
        }
        Some(cuts)
    }

    /// The cuts of one array of the result.
    fn cuts(
        &mut self,
        own: &Instruction,
        operands: &[Operand<'_>],
        leaf: usize,
        leaf_count: usize,
        shape: &Shape,
    ) -> Option<Vec<Cut>> {
        let opcode = own.opcode.as_str();
        let first = operands.first();
        let numbers = own.attributes().map_or(&[][..], |own| &own.dimensions);
        match opcode {
            "constant"
            | "iota"
            | "rng"
            | "rng-bit-generator"
            | "rng-get-and-update-state"
            | "partition-id"
            | "replica-id" => Some(vec![Cut::Any; shape.dimensions.len()]),
            _ if is_elementwise(opcode) || is_transcendental(opcode) => Some(met(operands, shape)),
            "copy" | "dynamic-update-slice" | "reverse" => Some(met(operands.get(..1)?, shape)),
            "transpose" => {
                let from = numbers.iter().map(|&number| usize::try_from(number).ok());
                from.map(|from| first?.cuts.get(from?).copied()).collect()
            }
            "broadcast" => broadcast(first?, numbers, shape),
            "reshape" => {
                let from = first?;
                let sizes = &from.shape.dimensions;
                Some(reshaped(
                    sizes,
                    &from.cuts,
                    &shape.dimensions,
                    is_reshape(own),
                ))
            }
            "bitcast" => bitcast(first?, shape, is_reshape(own)),
            "reduce" => {
                let dimensions = operands.get(leaf)?.cuts.iter().zip(0i64..);
                let kept = dimensions.filter(|(_, number)| !numbers.contains(number));
                Some(kept.map(|(&cut, _)| cut).collect())
            }
            "dot" | "custom-call" if leaf == 0 => {
                dot(own.attributes()?.dot.as_deref()?, first?, operands.get(1)?)
            }
            "convolution" => {
                let attributes = own.attributes()?;
                let is_grouped =
                    attributes.feature_group_count > 1 || attributes.batch_group_count > 1;
                let dimensions = attributes.convolution.as_deref()?;
                let rank = shape.dimensions.len();
                convolution(dimensions, is_grouped, first?, operands.get(1)?, rank)
            }
            "gather" => {
                let dimensions = own.attributes()?.gather.as_deref()?;
                gather(dimensions, first?, operands.get(1)?, shape.dimensions.len())
            }
            "dynamic-slice" => Some(self.dynamic_slice(own, first?, shape)),
            "concatenate" => concatenate(operands, numbers, shape),
            "scatter" | "sort" => Some(resized(operands.get(leaf)?, shape)),
            "slice" | "pad" | "reduce-window" | "select-and-scatter" => {
                Some(resized(first?, shape))
            }
            _ if opcode.ends_with("-done") || opcode.ends_with("-update") => {
                let same = |operand: &&Operand<'_>| operand.shape.dimensions == shape.dimensions;
                let found = operands.iter().rev().find(same);
                found.map(|operand| operand.cuts.clone())
            }
            _ => self.exchanged(own, operands, leaf, leaf_count, shape),
        }
    }

    fn exchanged(
        &mut self,
        own: &Instruction,
        operands: &[Operand<'_>],
        leaf: usize,
        leaf_count: usize,
        shape: &Shape,
    ) -> Option<Vec<Cut>> {
        let program = self.program;
        let opcode = without_async_suffix(own.opcode.as_str());
        let is_gather = opcode == "all-gather";
        // The start of an asynchronous one returns its operands, too.
        let (operand, is_result) = match leaf.checked_sub(operands.len()) {
            Some(result) => (operands.get(result)?, true),
            None => (operands.get(leaf)?, leaf_count <= operands.len()),
        };
        match opcode {
            "all-reduce" | "collective-permute" | "collective-broadcast" | "copy" => {
                Some(met(std::slice::from_ref(operand), shape))
            }
            "all-to-all" if leaf_count == 1 && operands.len() == 1 => {
                let along = *own.attributes()?.dimensions.first()?;
                let along = usize::try_from(along).ok()?;
                self.places.swapped(program, own, operand, along)
            }
            "all-gather" | "reduce-scatter" if !is_result => {
                Some(met(std::slice::from_ref(operand), shape))
            }
            "all-gather" | "reduce-scatter" => {
                let along = *own.attributes()?.dimensions.first()?;
                let along = usize::try_from(along).ok()?;
                let (before, after) = (
                    *operand.shape.dimensions.get(along)?,
                    *shape.dimensions.get(along)?,
                );
                let (large, small) = if is_gather {
                    (after, before)
                } else {
                    (before, after)
                };
                let ratio = large
                    .checked_div(small)
                    .filter(|_| large.checked_rem(small) == Some(0))?;
                let ratio = u64::try_from(ratio).ok()?;
                let mut cuts = operand.cuts.clone();
                let cut = cuts.get_mut(along)?;
                *cut = if is_gather {
                    self.places.gathered(program, own, *cut, ratio)
                } else {
                    self.places.scattered(program, own, *cut, ratio)
                };
                Some(cuts)
            }
            _ => None,
        }
    }

    /// A slice whose place depends on the device divides what was whole.
    fn dynamic_slice(
        &mut self,
        own: &Instruction,
        operand: &Operand<'_>,
        shape: &Shape,
    ) -> Vec<Cut> {
        let program = self.program;
        let sizes = operand.shape.dimensions.iter().zip(&shape.dimensions);
        let cut = |(dimension, ((&before, &after), &cut)): (usize, ((&i64, &i64), &Cut))| {
            if before == after {
                return cut;
            }
            let index = program.operand(own, dimension + 1);
            let differ = index.and_then(|index| self.copies.of(index).first().copied());
            match differ {
                _ if !cut.is_whole() => Cut::Unknown,
                Some(0) => Cut::WHOLE,
                Some(along) if before.checked_rem(after) == Some(0) => {
                    let parts = u64::try_from(before / after).unwrap_or(u64::MAX);
                    self.places.parts(parts, Some(along))
                }
                _ => Cut::Unknown,
            }
        };
        sizes.zip(&operand.cuts).enumerate().map(cut).collect()
    }
}

/// Dimensions that all operands of the result's sizes share.
fn met(operands: &[Operand<'_>], shape: &Shape) -> Vec<Cut> {
    let alike = operands
        .iter()
        .filter(|operand| operand.shape.dimensions == shape.dimensions);
    let mut cuts: Option<Vec<Cut>> = None;
    for operand in alike {
        cuts = Some(match cuts {
            None => operand.cuts.clone(),
            Some(before) => {
                let pairs = before.into_iter().zip(&operand.cuts);
                pairs.map(|(left, &right)| left.meet(right)).collect()
            }
        });
    }
    cuts.unwrap_or_else(|| vec![Cut::Unknown; shape.dimensions.len()])
}

/// Dimensions whose size stays keep their parts; others must be whole.
fn resized(operand: &Operand<'_>, shape: &Shape) -> Vec<Cut> {
    let sizes = operand.shape.dimensions.iter().zip(&shape.dimensions);
    let cuts = sizes
        .zip(&operand.cuts)
        .map(|((before, after), &cut)| match cut {
            cut if before == after || cut.is_whole() => cut,
            _ => Cut::Unknown,
        });
    cuts.collect()
}

/// New dimensions are whatever they meet.
fn broadcast(operand: &Operand<'_>, numbers: &[i64], shape: &Shape) -> Option<Vec<Cut>> {
    let mut cuts = vec![Cut::Any; shape.dimensions.len()];
    for (&number, (&cut, size)) in numbers
        .iter()
        .zip(operand.cuts.iter().zip(&operand.shape.dimensions))
    {
        let index = usize::try_from(number).ok()?;
        let is_same = shape.dimensions.get(index)? == size;
        *cuts.get_mut(index)? = if is_same { cut } else { Cut::Any };
    }
    Some(cuts)
}

fn concatenate(operands: &[Operand<'_>], numbers: &[i64], shape: &Shape) -> Option<Vec<Cut>> {
    let along = usize::try_from(*numbers.first()?).ok()?;
    let mut cuts = vec![Cut::Any; shape.dimensions.len()];
    for operand in operands {
        for (dimension, (own, &other)) in cuts.iter_mut().zip(&operand.cuts).enumerate() {
            *own = match other {
                other if dimension != along => own.meet(other),
                other if other.is_whole() && own.is_whole() => Cut::WHOLE,
                _ => Cut::Unknown,
            };
        }
    }
    Some(cuts)
}

/// Whether the author of the program wrote a reshape, and not the compiler.
fn is_reshape(own: &Instruction) -> bool {
    own.op_name.rsplit('/').next() == Some("reshape")
}

/// The same bytes under another shape: a reshape of the dimensions in the order in which they lie in
/// memory.
fn bitcast(operand: &Operand<'_>, shape: &Shape, is_of_source: bool) -> Option<Vec<Cut>> {
    let (from, to) = (physical(operand.shape)?, physical(shape)?);
    let sizes = |shape: &Shape, order: &[usize]| {
        let sizes = order.iter().map(|&at| shape.dimensions.get(at).copied());
        sizes.collect::<Option<Vec<i64>>>()
    };
    let cuts: Option<Vec<Cut>> = from
        .iter()
        .map(|&at| operand.cuts.get(at).copied())
        .collect();
    let moved = reshaped(
        &sizes(operand.shape, &from)?,
        &cuts?,
        &sizes(shape, &to)?,
        is_of_source,
    );
    let mut cuts = vec![Cut::Unknown; shape.dimensions.len()];
    for (&at, cut) in to.iter().zip(moved) {
        *cuts.get_mut(at)? = cut;
    }
    Some(cuts)
}

/// Dimensions from the most major one in memory to the most minor one.
fn physical(shape: &Shape) -> Option<Vec<usize>> {
    let rank = shape.dimensions.len();
    let Some(layout) = &shape.layout else {
        return Some((0..rank).collect());
    };
    let order = layout.minor_to_major.iter().rev();
    let order: Vec<usize> = order
        .map(|&at| usize::try_from(at))
        .collect::<Result<_, _>>()
        .ok()?;
    (order.len() == rank).then_some(order)
}
