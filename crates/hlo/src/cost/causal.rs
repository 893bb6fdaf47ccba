//! Causal attention: products of which a mask hides half.
//!
//! A position sees those before it. Programs write this as a comparison of two iotas along different
//! dimensions of one length, and choose or add by it. What such a mask goes into is masked, until a
//! product, a reduction or a gather makes something else of it:
//!
//! ```text
//! iota, iota → compare → select(scores, −∞) → exp, divide … → product with the values
//!                 mask        masked            masked          contracts a masked dimension
//! ```
//!
//! Half of a product counts if it contracts the masked length of a masked operand, or if nothing uses
//! its result but with a mask: the scores, and their gradient.

use crate::opcode::is_elementwise;
use crate::program::{Instruction, Program};

use super::users::Users;
use crate::flow::{Facts, Flow, follow};

/// Uses of one result that are followed.
const MAX_VISITS: usize = 512;
/// Instructions of a body that are looked through as fast as a use is followed.
const INSTRUCTIONS_PER_VISIT: usize = 16;
/// Calls and renamings of one result that are followed.
const MAX_DEPTH: usize = 64;

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Fact {
    #[default]
    Nothing,
    /// Counts up along one dimension, up to a constant.
    Positions { dimension: usize, length: u64 },
    /// The difference of two of them, along different dimensions.
    Distance { length: u64 },
    /// Causally masked over two dimensions of this length, or the mask.
    Masked { length: u64 },
    /// Different things on different ways.
    Mixed,
}

/// For each instruction, whether a mask hides half of it.
pub(super) struct Causal<'a> {
    program: &'a Program,
    users: &'a Users,
    flow: Flow<Fact>,
    /// Instructions that call each computation.
    callers: Vec<Vec<u32>>,
}

impl<'a> Causal<'a> {
    /// `None` where nothing is masked.
    pub(super) fn new(program: &'a Program, users: &'a Users) -> Option<Self> {
        let mut compares = program.instructions().filter(|own| own.opcode == "compare");
        if !compares.any(is_order) {
            return None;
        }
        let flow = follow(program, &mut Analysis)?;
        let mut callers = vec![Vec::new(); program.computations().len()];
        for instruction in program.instructions() {
            for id in &instruction.called_computation_ids {
                let index = program.computation_by_id.get(id);
                if let Some(of) = index.and_then(|index| callers.get_mut(index.index())) {
                    of.push(instruction.index.0);
                }
            }
        }
        Some(Self {
            program,
            users,
            flow,
            callers,
        })
    }

    /// Whether half of a product is masked.
    pub(super) fn is_half_masked(&self, product: &Instruction) -> bool {
        let contracted = contracted_lengths(self.program, product);
        let operands = self.program.operands(product).take(2);
        let masked = operands.filter_map(|operand| self.masked(operand));
        for length in masked {
            if contracted.contains(&length) {
                return true;
            }
        }
        let mut search = Search {
            causal: self,
            visits_left: MAX_VISITS,
            length: None,
        };
        let is_tuple = product.shape.is_tuple();
        let path = if is_tuple { vec![0] } else { Vec::new() };
        if !search.only_masked(product, &path, MAX_DEPTH) {
            return false;
        }
        // The product spans positions by positions.
        let dimensions = &product.shape.first_leaf().dimensions;
        let spans = |length: u64| {
            let same = dimensions
                .iter()
                .filter(|&&size| size.cast_unsigned() == length);
            same.count() >= 2
        };
        search.length.is_some_and(spans)
    }

    fn masked(&self, instruction: &Instruction) -> Option<u64> {
        self.flow
            .of(instruction)
            .iter()
            .find_map(|fact| match fact {
                Fact::Masked { length } => Some(*length),
                _ => None,
            })
    }
}

/// Follows the uses of one result.
struct Search<'a> {
    causal: &'a Causal<'a>,
    visits_left: usize,
    /// Length of the masks that were met.
    length: Option<u64>,
}

impl Search<'_> {
    /// Whether every use of a value combines it with a mask, and there is one. The path says in which
    /// tuples the value is wrapped, innermost position last.
    fn only_masked(&mut self, value: &Instruction, path: &[usize], depth: usize) -> bool {
        self.follow(value, path, depth).unwrap_or(false)
    }

    /// The same; `None` where it takes too long.
    fn follow(&mut self, value: &Instruction, path: &[usize], depth: usize) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let program = self.causal.program;
        let mut is_used = false;
        let mut previous = None;
        for &user in self.causal.users.of(value) {
            self.pay(1)?;
            if previous.replace(user) == Some(user) {
                continue;
            }
            let Some(user) = program.instructions.get(user as usize) else {
                continue;
            };
            match self.use_of(value, user, path, depth) {
                Some(true) => is_used = true,
                Some(false) => return Some(false),
                None => {}
            }
        }
        if !is_root(program, value) {
            return Some(is_used);
        }
        // What the computation returns is what its callers have.
        let callers = &self.causal.callers[value.computation.index()];
        for &caller in callers {
            self.pay(1)?;
            let Some(caller) = program.instructions.get(caller as usize) else {
                continue;
            };
            let is_wrapper = matches!(caller.opcode.as_str(), "fusion" | "call");
            if !is_wrapper || !self.only_masked(caller, path, depth) {
                return Some(false);
            }
            is_used = true;
        }
        Some(is_used)
    }

    /// Charges work to the budget.
    fn pay(&mut self, amount: usize) -> Option<()> {
        self.visits_left = self.visits_left.checked_sub(amount)?;
        Some(())
    }

    /// Whether one use is masked; `None` if it does not use the value, but what else is in its tuple.
    fn use_of(
        &mut self,
        value: &Instruction,
        user: &Instruction,
        path: &[usize],
        depth: usize,
    ) -> Option<bool> {
        let opcode = user.opcode.as_str();
        match (opcode, path.split_last()) {
            ("get-tuple-element", Some((&position, rest))) => {
                let index = user.attributes().map_or(0, |own| own.tuple_index);
                let is_own = usize::try_from(index) == Ok(position);
                is_own.then(|| self.only_masked(user, rest, depth))
            }
            ("tuple", _) => {
                let positions = user.operand_ids.iter().enumerate();
                let mut own = positions.filter(|&(_, &id)| id == value.id);
                Some(own.all(|(position, _)| {
                    if self.pay(1).is_none() {
                        return false;
                    }
                    let path = [path, &[position]].concat();
                    self.only_masked(user, &path, depth)
                }))
            }
            ("fusion" | "call", _) => Some(self.only_masked_within(value, user, path, depth)),
            (_, Some(_)) => Some(false),
            _ if !is_elementwise(opcode) && !keeps_values(opcode) => Some(false),
            _ => Some(match self.causal.masked(user) {
                Some(length) => {
                    self.length = Some(length);
                    true
                }
                None => self.only_masked(user, path, depth),
            }),
        }
    }

    fn only_masked_within(
        &mut self,
        value: &Instruction,
        caller: &Instruction,
        path: &[usize],
        depth: usize,
    ) -> bool {
        let program = self.causal.program;
        let Some(body) = program.called_computations(caller).next() else {
            return false;
        };
        if self
            .pay(body.instruction_count() / INSTRUCTIONS_PER_VISIT)
            .is_none()
        {
            return false;
        }
        let inside = program.instructions_of(body).iter();
        let mut own = inside.filter(|inner| {
            let number = inner.attributes().map_or(0, |own| own.parameter_number);
            let number = usize::try_from(number).ok();
            let operand = number.and_then(|number| caller.operand_ids.get(number));
            inner.opcode == "parameter" && operand == Some(&value.id)
        });
        let mut is_used = false;
        own.all(|parameter| {
            is_used = true;
            self.only_masked(parameter, path, depth)
        }) && is_used
    }
}

fn is_root(program: &Program, value: &Instruction) -> bool {
    let own = program.computations.get(value.computation.index());
    own.and_then(|own| program.root(own))
        .is_some_and(|root| root.index == value.index)
}

struct Analysis;

impl Facts for Analysis {
    type Fact = Fact;

    fn join(&mut self, left: Fact, right: Fact) -> Fact {
        match (left, right) {
            (Fact::Nothing, other) | (other, Fact::Nothing) => other,
            (Fact::Masked { length: left }, Fact::Masked { length: right }) => Fact::Masked {
                length: left.max(right),
            },
            (masked @ Fact::Masked { .. }, _) | (_, masked @ Fact::Masked { .. }) => masked,
            _ if left == right => left,
            _ => Fact::Mixed,
        }
    }

    fn input(&mut self, _: &Instruction, _: usize) -> Fact {
        Fact::Nothing
    }

    fn result(&mut self, program: &Program, own: &Instruction, operands: &[&[Fact]]) -> Fact {
        let fact = |index: usize| {
            let facts = operands.get(index).copied().unwrap_or_default();
            facts.first().copied().unwrap_or_default()
        };
        let masked = operands
            .iter()
            .copied()
            .flatten()
            .find_map(|fact| match fact {
                Fact::Masked { .. } => Some(*fact),
                _ => None,
            });
        match own.opcode.as_str() {
            "iota" => iota(own),
            "compare" if is_order(own) => masked.unwrap_or_else(|| compared(fact(0), fact(1))),
            "add" | "subtract" => masked.unwrap_or_else(|| shifted(own, fact(0), fact(1))),
            "broadcast" | "transpose" | "reshape" | "bitcast" | "convert" | "copy" => {
                moved(program, own, fact(0))
            }
            "reduce" | "reduce-window" => {
                // What is left may still span positions by positions.
                masked.filter(|fact| spans(own, *fact)).unwrap_or_default()
            }
            opcode if is_elementwise(opcode) || keeps_values(opcode) => masked.unwrap_or_default(),
            _ => Fact::Nothing,
        }
    }
}

/// Moves or copies values, whole or in part, without computing.
fn keeps_values(opcode: &str) -> bool {
    matches!(
        opcode,
        "bitcast"
            | "broadcast"
            | "concatenate"
            | "copy"
            | "copy-start"
            | "copy-done"
            | "dynamic-slice"
            | "dynamic-update-slice"
            | "opt-barrier"
            | "optimization-barrier"
            | "pad"
            | "reshape"
            | "reverse"
            | "slice"
            | "transpose"
    )
}

fn is_order(compare: &Instruction) -> bool {
    let direction = compare
        .attributes()
        .map(|own| own.comparison_direction.as_str());
    matches!(direction, Some("LT" | "LE" | "GT" | "GE"))
}

fn iota(own: &Instruction) -> Fact {
    let dimension = own.attributes().and_then(|own| own.dimensions.first());
    let dimension = dimension.map_or(Ok(0), |&dimension| usize::try_from(dimension));
    let Ok(dimension) = dimension else {
        return Fact::Nothing;
    };
    match own.shape.dimensions.get(dimension) {
        Some(&length) if length > 1 => Fact::Positions {
            dimension,
            length: length.cast_unsigned(),
        },
        _ => Fact::Nothing,
    }
}

/// Positions along two dimensions of one length, or their distance and something else.
fn compared(left: Fact, right: Fact) -> Fact {
    match (left, right) {
        (
            Fact::Positions { dimension, length },
            Fact::Positions {
                dimension: other,
                length: of_other,
            },
        ) if dimension != other && length == of_other => Fact::Masked { length },
        (Fact::Distance { length }, Fact::Nothing) | (Fact::Nothing, Fact::Distance { length }) => {
            Fact::Masked { length }
        }
        _ => Fact::Nothing,
    }
}

/// Positions plus a constant are positions; the difference of two is a distance.
fn shifted(own: &Instruction, left: Fact, right: Fact) -> Fact {
    match (left, right) {
        (
            Fact::Positions { dimension, length },
            Fact::Positions {
                dimension: other,
                length: of_other,
            },
        ) if own.opcode == "subtract" && dimension != other && length == of_other => {
            Fact::Distance { length }
        }
        (known @ (Fact::Positions { .. } | Fact::Distance { .. }), Fact::Nothing) => known,
        (Fact::Nothing, known @ (Fact::Positions { .. } | Fact::Distance { .. }))
            if own.opcode == "add" =>
        {
            known
        }
        _ => Fact::Nothing,
    }
}

/// The same values in another arrangement.
fn moved(program: &Program, own: &Instruction, fact: Fact) -> Fact {
    let Fact::Positions { dimension, length } = fact else {
        return match fact {
            Fact::Mixed => Fact::Nothing,
            other => other,
        };
    };
    let listed = own.attributes().map_or(&[][..], |own| &own.dimensions);
    let moved = match own.opcode.as_str() {
        "convert" | "copy" => Some(dimension),
        "broadcast" => listed
            .get(dimension)
            .and_then(|&to| usize::try_from(to).ok()),
        "transpose" => listed
            .iter()
            .position(|&from| usize::try_from(from) == Ok(dimension)),
        // The dimension of the same length with as many elements behind it.
        _ => program.operand(own, 0).and_then(|operand| {
            let behind = |dimensions: &[i64], at: usize| -> i64 {
                let behind = dimensions.get(at + 1..).unwrap_or_default();
                behind.iter().fold(1, |all, &size| all.saturating_mul(size))
            };
            let before = behind(&operand.shape.dimensions, dimension);
            let dimensions = &own.shape.dimensions;
            (0..dimensions.len()).find(|&at| {
                dimensions[at].cast_unsigned() == length && behind(dimensions, at) == before
            })
        }),
    };
    moved.map_or(Fact::Nothing, |dimension| Fact::Positions {
        dimension,
        length,
    })
}

/// Whether the result has two dimensions of the masked length.
fn spans(own: &Instruction, fact: Fact) -> bool {
    let Fact::Masked { length } = fact else {
        return false;
    };
    let dimensions = own.shape.first_leaf().dimensions.iter();
    dimensions
        .filter(|&&size| size.cast_unsigned() == length)
        .count()
        >= 2
}

/// Sizes of the dimensions that a product sums over.
fn contracted_lengths(program: &Program, product: &Instruction) -> Vec<u64> {
    let Some(attributes) = product.attributes() else {
        return Vec::new();
    };
    let size = |operand: usize, dimension: i64| {
        program
            .operand(product, operand)?
            .shape
            .dimension(dimension)
    };
    if let Some(dot) = attributes.dot.as_deref() {
        let contracted = dot.lhs_contracting.iter();
        return contracted.filter_map(|&own| size(0, own)).collect();
    }
    if let Some(convolution) = attributes.convolution.as_deref() {
        // Dots that became convolutions contract features, or slide one operand over the other.
        let spatial = convolution.kernel_spatial.iter();
        return spatial
            .map(|&own| size(1, own))
            .chain([size(0, convolution.input_feature)])
            .flatten()
            .collect();
    }
    Vec::new()
}
