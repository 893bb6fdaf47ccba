//! Grouped products (`ragged_dot`: the experts of a mixture) that are computed with every group, and
//! experts that are computed for every row, of which a mask keeps one.

use std::collections::BTreeMap;

use super::masked_experts::MaskedExperts;
use super::{NO_HLO, Outcome, Rule, finding, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::product;
use crate::measuring::steps::PartKind;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "dense_groups",
    title: "Experts computed for every row",
    parts: &[PartKind::DeviceCompute],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    if facts.programs().is_empty() {
        return Outcome::Skipped(NO_HLO.to_owned());
    }
    let mut groups: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for program in facts.programs() {
        for (row, instruction) in program.executed(&facts.ops) {
            let product = product(program.hlo, instruction);
            if let Some(count) = product.and_then(|product| program.hlo.dense_groups(product)) {
                groups.insert((&row.program_id, &row.name), count);
            }
        }
    }
    let count = |row: &OpRow| {
        let key = (row.program_id.as_str(), row.name.as_str());
        groups.get(&key).copied()
    };
    let is_dense = |row: &OpRow| count(row).is_some();
    let Some(most) = facts.rows_of_ops().find_map(count) else {
        return masked(facts).unwrap_or_else(|| {
            Outcome::Passed("No grouped product is computed with every group.".to_owned())
        });
    };
    let found = match share(facts, "dense_groups_ratio", is_dense) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    finding(
        &RULE,
        found.severity,
        format!(
            "{} of the devices' work is spent on grouped products (ragged_dot) that multiply every row \
             with all {most} groups, of which it belongs to one: {most} times the operations that the \
             model needs.",
            found.text
        ),
    )
    .why(
        "Without a kernel for grouped products, XLA computes them as plain products, with zeros for the \
         rows of other groups.",
    )
    .fix(
        "Use a kernel for grouped products: cuDNN's on NVIDIA GPUs, hipBLASLt's on AMD GPUs, or one in \
         Pallas (jax.experimental.pallas.ops).",
    )
    .code(
        "XLA_FLAGS=\"--xla_gpu_experimental_use_ragged_dot_fusion=true\"         # cuDNN\n\
         XLA_FLAGS=\"--xla_gpu_experimental_use_ragged_dot_grouped_gemm=true\"   # hipBLASLt",
    )
    .gain(
        found.per_step.map(|time| time * (1.0 - 1.0 / most as f64)),
        "these ops at the same rate without the products with other groups",
    )
    .seen(facts.largest_ops(is_dense))
    .found()
}

/// Of experts that a one-hot mask keeps one of; none without such a mask.
fn masked(facts: &Facts<'_>) -> Option<Outcome> {
    let experts = MaskedExperts::of(facts)?;
    let is_expert = |row: &OpRow| experts.has(row);
    let found = match share(facts, "dense_groups_ratio", is_expert) {
        Ok(found) => found,
        Err(outcome) => return Some(outcome),
    };
    let most = experts.count;
    let found = finding(
        &RULE,
        found.severity,
        format!(
            "{} of the devices' work computes all {most} experts for every row, of which a one-hot mask \
             keeps one: {most} times the operations that the model needs.",
            found.text
        ),
    )
    .why("What the mask sets to zero is computed, too, and so are its gradients.")
    .fix(
        "Compute each row with its own expert: sort the rows by expert and use jax.lax.ragged_dot, or \
         give each expert a buffer of fixed size (its capacity) and scatter its rows into it.",
    )
    .fix_elsewhere(
        "Compute each row with its own expert: sort the rows by expert and use a grouped product, or \
         give each expert a buffer of fixed size.",
    )
    .code(
        "order = jnp.argsort(expert)\n\
         y = jax.lax.ragged_dot(x[order], weights, jnp.bincount(expert, length=len(weights)))\n\
         y = jnp.zeros_like(y).at[order].set(y)",
    )
    .gain(
        found.per_step.map(|time| time * (1.0 - 1.0 / most as f64)),
        "these ops at the same rate without the other experts",
    )
    .seen(facts.largest_ops(is_expert));
    Some(found.found())
}
