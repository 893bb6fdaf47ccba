//! Experts of a mixture that are computed for every row, and of which a one-hot mask keeps one.
//!
//! ```text
//! rows × features, experts × features × columns → experts × rows × columns     for all experts
//! · one_hot(expert of the row)                                                 all zeros but one
//! ```

use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::hlo::{Instruction, Program};

use super::is_control;
use super::one_hot::classes;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::BusyProgram;
use crate::judging::advice::values::{Value, rearranges, repeats};
use crate::views::ops::OpRow;

/// Ops that compute all experts.
pub(super) struct MaskedExperts {
    /// By program and op.
    ops: BTreeSet<(String, String)>,
    /// Number of experts, the most if there are several mixtures.
    pub(super) count: u64,
}

/// The arrays of one mixture, by their number of elements.
#[derive(Default)]
struct Sizes {
    experts: u64,
    /// Weights of all experts.
    weights: BTreeSet<u64>,
    /// What all experts compute of all rows.
    rows: BTreeSet<u64>,
}

impl MaskedExperts {
    /// Those of the programs that the devices spend time in.
    pub(super) fn of(facts: &Facts<'_>) -> Option<Self> {
        let mut found = Self {
            ops: BTreeSet::new(),
            count: 0,
        };
        for program in facts.programs() {
            let executed: Vec<(&OpRow, &Instruction)> = program.executed(&facts.ops).collect();
            for sizes in mixtures(program, &executed) {
                found.count = found.count.max(sizes.experts);
                let own = executed
                    .iter()
                    .filter(|(row, one)| !is_control(row) && sizes.has(program.hlo, one));
                let keys = own.map(|(row, _)| (row.program_id.clone(), row.name.clone()));
                found.ops.extend(keys);
            }
        }
        (found.count > 1).then_some(found)
    }

    /// Whether an op computes all experts.
    pub(super) fn has(&self, row: &OpRow) -> bool {
        let key = (row.program_id.clone(), row.name.clone());
        self.ops.contains(&key)
    }
}

/// The mixtures of a program, one for each number of experts.
fn mixtures<'a>(program: &BusyProgram<'a>, executed: &[(&OpRow, &'a Instruction)]) -> Vec<Sizes> {
    let hlo = program.hlo;
    let mut found: BTreeMap<u64, Sizes> = BTreeMap::new();
    for (_, instruction) in executed {
        let own = Value::of(instruction);
        let mut values = own.inside(hlo);
        values.push(own);
        for value in values {
            if let Some((experts, product)) = masked(hlo, &value) {
                let sizes = found.entry(experts).or_default();
                sizes.experts = experts;
                sizes.add(hlo, &product);
            }
        }
    }
    found.into_values().collect()
}

/// The product of all experts that a value masks, and their number.
fn masked<'a>(hlo: &'a Program, value: &Value<'a>) -> Option<(u64, Value<'a>)> {
    let pairs: &[(usize, usize)] = match value.at.opcode.as_str() {
        "multiply" => &[(0, 1), (1, 0)],
        "select" => &[(0, 1)],
        _ => return None,
    };
    pairs.iter().find_map(|&(mask, other)| {
        let experts = classes(hlo, value.operand(hlo, mask)?, repeats)?;
        let product = value.operand(hlo, other)?.origin(hlo, rearranges);
        (batches(&product) == Some(experts)).then_some((experts, product))
    })
}

/// The number of products that a batched one is made of.
fn batches(product: &Value<'_>) -> Option<u64> {
    let dot = product.at.attributes()?.dot.as_ref()?;
    let shape = product.at.shape.first_leaf();
    // The dimensions of the batch are the first ones of the result.
    let sizes = (0..).zip(&dot.lhs_batch);
    let sizes = sizes.map(|(at, _)| shape.dimension(at).unwrap_or(1));
    (!dot.lhs_batch.is_empty()).then(|| sizes.product())
}

fn count(instruction: &Instruction) -> u64 {
    instruction.shape.first_leaf().element_count()
}

impl Sizes {
    fn add<'a>(&mut self, hlo: &'a Program, product: &Value<'a>) {
        self.rows.insert(count(product.at));
        let factors: Vec<(u64, bool)> = [0, 1]
            .into_iter()
            .filter_map(|number| product.operand(hlo, number))
            .map(|factor| {
                let size = count(factor.at);
                (
                    size,
                    factor.origin(hlo, rearranges).at.opcode == "parameter",
                )
            })
            .collect();
        let [first, second] = factors[..] else {
            return;
        };
        // Weights are arguments, what is computed with them is not.
        match (first.1, second.1) {
            (false, true) => {
                self.rows.insert(first.0);
                self.weights.insert(second.0);
            }
            (true, false) => {
                self.rows.insert(second.0);
                self.weights.insert(first.0);
            }
            _ => {}
        }
    }

    /// Whether an op is a product with the weights of all experts, or makes what all of them compute.
    fn has<'a>(&self, hlo: &'a Program, instruction: &'a Instruction) -> bool {
        let mut results = instruction.shape.arrays().into_iter();
        if results.any(|one| self.rows.contains(&one.element_count())) {
            return true;
        }
        Value::of(instruction)
            .products(hlo)
            .into_iter()
            .any(|product| {
                let factors = [0, 1].into_iter();
                let factors = factors.filter_map(|number| product.operand(hlo, number));
                let sizes = factors.map(|factor| count(factor.at));
                let is_weights = |size: u64| self.weights.contains(&size);
                is_weights(count(product.at))
                    || sizes.into_iter().any(is_weights)
                    || batches(&product) == Some(self.experts)
            })
    }
}
