//! Two variants of one computation in the same capture, such as a custom VJP next to autodiff.

use std::collections::BTreeMap;

use stepscope_model::hlo::name_stack;

use super::{Outcome, Rule, finding};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceEvidence;
use crate::judging::verdict::Severity;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "variants",
    title: "Two variants of one computation",
    parts: &[],
    check,
};

/// Words in names that distinguish two variants of a computation: by how the gradient is computed, by
/// how it is implemented, and by age.
const WORDS: &[[&[&str]; 2]] = &[
    [
        &["custom_vjp", "customvjp", "custom_jvp", "lcam", "manual"],
        &["autodiff", "autograd", "tad"],
    ],
    [
        &["flash", "fused", "pallas", "triton", "cudnn", "optimized"],
        &["naive", "reference", "ref", "unfused", "unoptimized"],
    ],
    // Not `old`: policies of reinforcement learning have `old` and `new` parts that both are needed.
    [&["new", "candidate"], &["baseline"]],
];
/// Variants that differ by less than this are equally fast.
const EQUAL: f64 = 0.05;

/// The variants of one computation that were seen.
#[derive(Default)]
struct Variants([Option<Variant>; 2]);

/// Name, time and executions of one variant.
#[derive(Debug, Clone)]
struct Variant {
    name: String,
    program_id: String,
    total_ps: i64,
    count: i64,
}

impl Variant {
    fn each_ps(&self) -> f64 {
        self.total_ps as f64 / self.count.max(1) as f64
    }
}

fn check(facts: &Facts<'_>) -> Outcome {
    let pairs = pairs(facts);
    let Some([one, other]) = pairs.first() else {
        return Outcome::Skipped(
            "Requires two programs or scopes whose names differ only in one word, such as custom_vjp \
             and autodiff, flash and reference, or new and baseline."
                .to_owned(),
        );
    };
    let (fast, slow) = if one.each_ps() <= other.each_ps() {
        (one, other)
    } else {
        (other, one)
    };
    let ratio = slow.each_ps() / fast.each_ps().max(1.0);
    let text = format!(
        "{} takes {} of device time per execution, {} takes {}.",
        fast.name,
        format::duration_ps(fast.each_ps()),
        slow.name,
        format::duration_ps(slow.each_ps())
    );
    if ratio < 1.0 + EQUAL {
        return Outcome::Passed(format!("{text} They are equally fast."));
    }
    let evidence = [one, other].map(|variant| AdviceEvidence {
        program_id: variant.program_id.clone(),
        ..in_view(
            "op_tree",
            format!(
                "{}: {} times, {}",
                variant.name,
                variant.count,
                format::duration_ps(variant.total_ps as f64)
            ),
        )
    });
    finding(
        &RULE,
        Severity::Info,
        format!("{text} That is {ratio:.2}× as long."),
    )
    .titled(format!("{} is the faster variant", fast.name))
    .why("The names suggest that the capture has two variants of one computation.")
    .fix(format!(
        "Use {} if memory and accuracy allow. Compare the two variants kernel by kernel to see what \
             makes the difference.",
        fast.name
    ))
    .seen(evidence)
    .found()
}

/// Pairs of variants, most time first: pairs of programs, or else pairs of scopes.
fn pairs(facts: &Facts<'_>) -> Vec<[Variant; 2]> {
    let mut all = BTreeMap::new();
    for run in &facts.session.program_runs {
        let program = facts.session.program(run.program);
        if let Some(variant) = variant(&mut all, &program.name, || program.id.to_string()) {
            variant.total_ps = variant.total_ps.saturating_add(run.span.duration().0);
            variant.count += 1;
        }
    }
    let found = complete(all);
    if !found.is_empty() {
        return found;
    }
    let mut all = BTreeMap::new();
    for row in facts.rows_of_ops() {
        for name in name_stack::names(&row.scope) {
            if let Some(variant) = variant(&mut all, name, || row.program_id.clone()) {
                variant.total_ps = variant.total_ps.saturating_add(row.self_ps);
                // A scope ran as often as its op with the most executions.
                variant.count = variant.count.max(row.executions);
            }
        }
    }
    complete(all)
}

/// The variant that a name belongs to, if the name contains one of the words.
fn variant<'a>(
    all: &'a mut BTreeMap<(usize, String), Variants>,
    name: &str,
    program_id: impl FnOnce() -> String,
) -> Option<&'a mut Variant> {
    let (pair, side, stem) = split(name)?;
    let variants = all.entry((pair, stem)).or_default();
    Some(variants.0[side].get_or_insert_with(|| Variant {
        name: name.to_owned(),
        program_id: program_id(),
        total_ps: 0,
        count: 0,
    }))
}

/// Position of a name's word in [`WORDS`] (which pair, which side), and the name without the word.
fn split(name: &str) -> Option<(usize, usize, String)> {
    let lower = name.to_ascii_lowercase();
    let bytes = lower.as_bytes();
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    let find = |word: &str| {
        lower.match_indices(word).map(|(at, _)| at).find(|&at| {
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            !is_letter(before) && !is_letter(bytes.get(at + word.len()))
        })
    };
    for (pair, sides) in WORDS.iter().enumerate() {
        for (side, words) in sides.iter().enumerate() {
            for word in *words {
                if let Some(at) = find(word) {
                    let (before, after) = (&lower[..at], &lower[at + word.len()..]);
                    let parts = before.split('_').chain(after.split('_'));
                    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
                    return Some((pair, side, parts.join("_")));
                }
            }
        }
    }
    None
}

fn complete(all: BTreeMap<(usize, String), Variants>) -> Vec<[Variant; 2]> {
    let pairs = all.into_values().filter_map(|Variants([one, other])| {
        let (one, other) = one.zip(other)?;
        Some([one, other])
    });
    let mut pairs: Vec<[Variant; 2]> = pairs.collect();
    pairs
        .sort_by_key(|[one, other]| std::cmp::Reverse(one.total_ps.saturating_add(other.total_ps)));
    pairs
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_variant_is_a_word_of_the_name() {
        assert_eq!(split("jit_grad_lcam"), Some((0, 0, "jit_grad".to_owned())));
        assert_eq!(split("jit_grad_tad"), Some((0, 1, "jit_grad".to_owned())));
        assert_eq!(
            split("attention_flash_fwd"),
            Some((1, 0, "attention_fwd".to_owned()))
        );
        assert_eq!(
            split("attention_fwd_ref"),
            Some((1, 1, "attention_fwd".to_owned()))
        );
        assert_eq!(split("jit_tadpole"), None);
        assert_eq!(split("prefetch"), None);
        assert_eq!(split("renewal"), None);
    }
}
