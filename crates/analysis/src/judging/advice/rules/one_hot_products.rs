//! Products with one-hot matrices, which look up rows: `jax.nn.one_hot(ids, n) @ table`.
//!
//! ```text
//! one_hot(ids) · table            rows × classes × features operations        table[ids]: rows × features
//! one_hot(ids)ᵀ · gradient        the same again, for the gradient of the table
//! ```

use rustc_hash::FxHashMap;
use stepscope_model::DeviceKind;

use super::one_hot::{classes, classes_of_factor};
use super::{NO_HLO, Outcome, Rule, SHARE_OF_WORK, finding, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::values::{Value, rearranges};
use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "one_hot_products",
    title: "Rows are looked up by a product",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// A product with fewer classes may well be as fast as a lookup.
const MIN_CLASSES: u64 = 32;

fn check(facts: &Facts<'_>) -> Outcome {
    if facts.programs().is_empty() {
        return Outcome::Skipped(NO_HLO.to_owned());
    }
    // By program and op: the classes, and whether it is a product.
    let mut found: FxHashMap<(&str, &str), (u64, bool)> = FxHashMap::default();
    for program in facts.programs() {
        let hlo = program.hlo;
        let first = found.len();
        for (row, instruction) in program.executed(&facts.ops) {
            let products = Value::of(instruction).products(hlo).into_iter();
            let most = products
                .filter_map(|product| classes_of_factor(hlo, &product))
                .max();
            if let Some(most) = most.filter(|&most| most >= MIN_CLASSES) {
                found.insert((&row.program_id, &row.name), (most, true));
            }
        }
        if found.len() == first {
            continue;
        }
        // What makes the matrix is a part of it.
        for (row, instruction) in program.executed(&facts.ops) {
            let own = classes(hlo, Value::of(instruction), rearranges);
            if let Some(own) = own.filter(|&own| own >= MIN_CLASSES) {
                found.insert((&row.program_id, &row.name), (own, false));
            }
        }
    }
    let of = |row: &OpRow| {
        let key = (row.program_id.as_str(), row.name.as_str());
        found.get(&key).copied()
    };
    let is_own = |row: &OpRow| of(row).is_some();
    let mut products = facts.rows_of_ops().filter_map(of).filter(|one| one.1);
    let Some((most, _)) = products.next() else {
        return Outcome::Passed("No product has a one-hot matrix as a factor.".to_owned());
    };
    let share = match share(facts, "one_hot_ratio", is_own) {
        Ok(share) => share,
        Err(outcome) => return outcome,
    };
    // Where a table is divided over devices, or on TPUs, a product may be meant.
    let on_tpus = facts
        .working()
        .any(|id| facts.session.device(id).kind == DeviceKind::Tpu);
    let severity = if on_tpus || facts.is_divided() {
        share.severity.max(Severity::Warning)
    } else {
        share.severity
    };
    finding(
        &RULE,
        severity,
        format!(
            "{} of the devices' work is spent on products with one-hot matrices of {most} columns, all of \
             which are 0 but one.",
            share.text
        ),
    )
    .why(
        "A product with a one-hot matrix picks a row of the other factor. It multiplies all the zeros, and \
         writes the matrix to memory first; so does its gradient.",
    )
    .fix(
        "Index instead: table[ids] or jnp.take(table, ids, axis=0) picks the rows, and its gradient adds \
         to them. On TPUs, or with a table that is divided over devices, compare both.",
    )
    .fix_elsewhere("Look the rows up by their index.")
    .code("rows = table[ids]          # not jax.nn.one_hot(ids, len(table)) @ table")
    .gain(share.per_step, SHARE_OF_WORK)
    .seen(facts.largest_ops(is_own))
    .found()
}
