//! Unfused attention: a softmax between two matrix products, with its scores in device memory
//! (guides: unoptimized attention).
//!
//! ```text
//! q·k ──► scores ──► exp, ÷ ──► probabilities ──► ·v        both S × T, written and read again
//! ```

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use stepscope_model::DeviceKind;
use stepscope_model::hlo::name_stack::{Pass, pass};
use stepscope_model::hlo::{Instruction, InstructionIndex, OpClass, Shape};

use super::softmax::Softmaxes;
use super::{CPU_ONLY, NO_HLO, Outcome, Rule, finding, gravity, ops_seen};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::{BusyProgram, product};
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "unfused_attention",
    title: "Unfused attention",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// Smaller scores do not need a fused kernel.
const MIN_SCORES: u64 = 128 * 128;

/// Attention of one program.
#[derive(Default)]
struct Attention {
    /// Products before and after a softmax, and those of the gradients.
    products: BTreeSet<InstructionIndex>,
    /// Other ops that read or write scores, weights or their gradients.
    between: BTreeSet<InstructionIndex>,
    /// Number of softmaxes.
    count: usize,
    /// Bytes of the largest scores.
    bytes: u64,
}

fn check(facts: &Facts<'_>) -> Outcome {
    if facts.is_cpu_only() {
        return Outcome::Skipped(CPU_ONLY.to_owned());
    }
    if facts.programs().is_empty() {
        return Outcome::Skipped(NO_HLO.to_owned());
    }
    let (mut all_ps, mut count, mut bytes) = (0i64, 0, 0);
    let mut rows: Vec<&OpRow> = Vec::new();
    let mut avoided: FxHashMap<(&str, &str), f64> = FxHashMap::default();
    for program in facts.programs() {
        let executed: Vec<(&OpRow, &Instruction)> = program.executed(&facts.ops).collect();
        let found = attention(program, &executed);
        count += found.count;
        bytes = bytes.max(found.bytes);
        for (row, instruction) in executed {
            let is_between = found.between.contains(&instruction.index);
            if is_between || found.products.contains(&instruction.index) {
                all_ps = all_ps.saturating_add(row.self_ps);
                let share = if is_between { 1.0 } else { beyond_peak(row) };
                avoided.insert((&row.program_id, &row.name), share);
                rows.push(row);
            }
        }
    }
    if rows.is_empty() {
        return Outcome::Passed("No softmax was found between two matrix products.".to_owned());
    }
    let ratio = all_ps as f64 / facts.total_self_ps().max(1) as f64;
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("unfused_attention_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of the work is unfused attention."));
    };
    rows.sort_by(|a, b| b.self_ps.cmp(&a.self_ps).then_with(|| a.name.cmp(&b.name)));
    finding(
        &RULE,
        severity,
        format!(
            "{share} of the devices' work is unfused attention: {} between two matrix products, \
             with scores of up to {} written to device memory and read back.",
            if count <= 1 {
                "a softmax".to_owned()
            } else {
                format!("{count} softmaxes")
            },
            format::bytes(bytes as f64)
        ),
    )
    .why(
        "The number of scores is the square of the sequence length. A fused kernel keeps a block of \
         them on the chip and never writes them to memory.",
    )
    .fix(fix(facts).0)
    .fix_elsewhere("Use a single kernel, such as flash attention.")
    .code(fix(facts).1)
    .gain(
        facts.weighted_per_step(|row| {
            let key = (row.program_id.as_str(), row.name.as_str());
            avoided.get(&key).copied().unwrap_or(0.0)
        }),
        "time of the ops between the two products, and what the products take beyond their \
         operations at peak: a fused kernel neither writes nor reads the scores",
    )
    .sure(Confidence::Medium)
    .seen(ops_seen(rows.into_iter(), 4, |row| {
        format!("{} of the work", format::percent(row.self_ratio))
    }))
    .found()
}

/// What to call instead on the chips that worked, with an example.
fn fix(facts: &Facts<'_>) -> (&'static str, &'static str) {
    match facts.kinds().next() {
        Some(DeviceKind::NvidiaGpu) => (
            "Use a single kernel: jax.nn.dot_product_attention with cuDNN.",
            "out = jax.nn.dot_product_attention(q, k, v, is_causal=True, implementation=\"cudnn\")",
        ),
        Some(DeviceKind::Tpu | DeviceKind::SparseCore) => (
            "Use a single kernel: flash or splash attention (jax.experimental.pallas.ops.tpu).",
            "from jax.experimental.pallas.ops.tpu.flash_attention import flash_attention\n\
             out = flash_attention(q, k, v, causal=True)",
        ),
        _ => (
            "Use a single kernel for attention, such as one written in Pallas or Triton \
             (jax.experimental.pallas.ops.gpu).",
            "",
        ),
    }
}

/// The share of a product's time that its operations do not need at the peak of their type. Unknown
/// operations have none.
fn beyond_peak(row: &OpRow) -> f64 {
    let rates = row.flop_rate.zip(row.peak_flops_per_second);
    rates.map_or(0.0, |(rate, peak)| (1.0 - rate / peak).clamp(0.0, 1.0))
}

/// Products of the program that are followed by a softmax and another product.
fn attention(program: &BusyProgram<'_>, executed: &[(&OpRow, &Instruction)]) -> Attention {
    let hlo = program.hlo;
    let softmaxes = Softmaxes::of(hlo);
    let mut found = Attention::default();
    let mut kinds: BTreeSet<Scores> = BTreeSet::new();
    for (row, first) in executed {
        let scores = first.shape.first_leaf();
        if row.class != "matmul" || scores.element_count() < MIN_SCORES {
            continue;
        }
        // Scores have at least two dimensions.
        if product(hlo, first).is_none() || scores.dimensions.len() < 2 {
            continue;
        }
        if let Some((between, second)) = softmaxes.after(first) {
            // The gradient multiplies by the weights, between two products of its own.
            found.count += usize::from(pass(&first.op_name) != Pass::Backward);
            found.bytes = found.bytes.max(scores.byte_size());
            found.products.extend([first.index, second.index]);
            found
                .between
                .extend(between.iter().map(|value| value.index));
            if let Some(kind) = Scores::of(first) {
                kinds.insert(kind);
            }
        }
    }
    // Gradients of the scores come from products of their own.
    for (row, instruction) in executed {
        if hlo.class(instruction) == OpClass::Control {
            continue;
        }
        let operands = hlo.operands(instruction);
        let mut shapes = operands.map(|one| &one.shape).chain([&instruction.shape]);
        if shapes.any(|shape| kinds.iter().any(|kind| kind.is_in(shape))) {
            let is_product = row.class == "matmul" && product(hlo, instruction).is_some();
            if !is_product && !found.products.contains(&instruction.index) {
                found.between.insert(instruction.index);
            } else {
                found.products.insert(instruction.index);
            }
        }
    }
    found
}

/// What scores, weights and their gradients have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Scores {
    count: u64,
    /// Lengths of queries and keys, the larger one first.
    lengths: (i64, i64),
}

impl Scores {
    fn of(product: &Instruction) -> Option<Self> {
        let scores = product.shape.first_leaf();
        let [.., queries, keys] = scores.dimensions[..] else {
            return None;
        };
        Some(Self {
            count: scores.element_count(),
            lengths: (queries.max(keys), queries.min(keys)),
        })
    }

    fn is_in(&self, shape: &Shape) -> bool {
        shape.arrays().into_iter().any(|leaf| {
            let (longer, shorter) = self.lengths;
            let with = |length| {
                leaf.dimensions
                    .iter()
                    .filter(move |&&own| own == length)
                    .count()
            };
            let has_both = if longer == shorter {
                with(longer) >= 2
            } else {
                with(longer) >= 1 && with(shorter) >= 1
            };
            has_both && leaf.element_count() == self.count
        })
    }
}
