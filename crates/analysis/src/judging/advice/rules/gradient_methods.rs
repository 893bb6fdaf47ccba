//! A custom VJP beside autodiff, where the capture has both (guides: LCAM against TAD).

use std::collections::BTreeMap;

use stepscope_model::hlo::name_stack;

use super::{Outcome, Rule, finding};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceEvidence;
use crate::judging::verdict::Severity;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "gradient_methods",
    title: "Custom VJP against autodiff",
    parts: &[],
    check,
};

/// Words of names that say that the gradient is written by hand, and that it is derived.
const CUSTOM: &[&str] = &["lcam", "custom_vjp", "customvjp"];
const DERIVED: &[&str] = &["tad", "autodiff", "autograd"];
/// Differences below are none.
const EQUAL: f64 = 0.05;

/// Device time by method of one computation.
#[derive(Default)]
struct Methods {
    custom: Option<Method>,
    derived: Option<Method>,
}

/// Name, time and executions of one method.
#[derive(Debug, Clone)]
struct Method {
    name: String,
    program_id: String,
    total_ps: i64,
    count: i64,
}

impl Method {
    fn each_ps(&self) -> f64 {
        self.total_ps as f64 / self.count.max(1) as f64
    }
}

fn check(facts: &Facts<'_>) -> Outcome {
    let pairs = pairs(facts);
    let Some((custom, derived)) = pairs.first() else {
        return Outcome::Skipped(
            "Needs programs or scopes of both methods, named alike but for lcam, custom_vjp and tad, \
             autodiff."
                .to_owned(),
        );
    };
    let (fast, slow) = if custom.each_ps() <= derived.each_ps() {
        (custom, derived)
    } else {
        (derived, custom)
    };
    let ratio = slow.each_ps() / fast.each_ps().max(1.0);
    let text = format!(
        "{} takes {} of device time each, {} {}.",
        fast.name,
        format::duration_ps(fast.each_ps()),
        slow.name,
        format::duration_ps(slow.each_ps())
    );
    if ratio < 1.0 + EQUAL {
        return Outcome::Passed(format!("{text} They are equally fast."));
    }
    let evidence = [custom, derived].map(|method| AdviceEvidence {
        program_id: method.program_id.clone(),
        ..in_view(
            "op_tree",
            format!(
                "{}: {} times, {}",
                method.name,
                method.count,
                format::duration_ps(method.total_ps as f64)
            ),
        )
    });
    finding(
        &RULE,
        Severity::Info,
        format!("{text} That is {ratio:.2} times as long."),
    )
    .titled(format!("{} is the faster gradient", fast.name))
    .why(
        "A custom VJP can keep less and use what is known of the problem; autodiff can share work \
             with the forward pass.",
    )
    .fix(format!(
        "Use {}, if memory and accuracy allow; compare kernel by kernel to see what makes the \
             difference.",
        fast.name
    ))
    .seen(evidence)
    .found()
}

/// Custom and derived method of the same computation, most time first: programs, else scopes.
fn pairs(facts: &Facts<'_>) -> Vec<(Method, Method)> {
    let mut by_stem: BTreeMap<String, Methods> = BTreeMap::new();
    for run in &facts.session.program_runs {
        let program = facts.session.program(run.program);
        let id = program.id.to_string();
        add(&mut by_stem, &program.name, &id, run.span.duration().0, 1);
    }
    let mut found = complete(by_stem);
    if found.is_empty() {
        let mut by_stem: BTreeMap<String, Methods> = BTreeMap::new();
        for row in facts.rows_of_ops() {
            for name in name_stack::names(&row.scope) {
                add(&mut by_stem, name, &row.program_id, row.self_ps, 0);
                raise(&mut by_stem, name, row.executions);
            }
        }
        found = complete(by_stem);
    }
    found
}

/// Which method a name is of, and the name without the word that says so.
fn method_of(name: &str) -> Option<(bool, String)> {
    let lower = name.to_ascii_lowercase();
    let is_word = |word: &str| {
        lower.match_indices(word).find(|(at, _)| {
            let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
            let bytes = lower.as_bytes();
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            !is_letter(before) && !is_letter(bytes.get(at + word.len()))
        })
    };
    for (is_custom, words) in [(true, CUSTOM), (false, DERIVED)] {
        for word in words {
            if let Some((at, found)) = is_word(word) {
                let stem = format!("{}{}", &lower[..at], &lower[at + found.len()..]);
                return Some((is_custom, stem.trim_matches('_').to_owned()));
            }
        }
    }
    None
}

fn slot<'a>(all: &'a mut BTreeMap<String, Methods>, name: &str) -> Option<&'a mut Option<Method>> {
    let (is_custom, stem) = method_of(name)?;
    let methods = all.entry(stem).or_default();
    Some(if is_custom {
        &mut methods.custom
    } else {
        &mut methods.derived
    })
}

fn add(all: &mut BTreeMap<String, Methods>, name: &str, id: &str, time_ps: i64, count: i64) {
    if let Some(slot) = slot(all, name) {
        let method = slot.get_or_insert_with(|| Method {
            name: name.to_owned(),
            program_id: id.to_owned(),
            total_ps: 0,
            count: 0,
        });
        method.total_ps += time_ps;
        method.count += count;
    }
}

/// A scope was executed as often as its op with most executions.
fn raise(all: &mut BTreeMap<String, Methods>, name: &str, executions: i64) {
    if let Some(Some(method)) = slot(all, name) {
        method.count = method.count.max(executions);
    }
}

fn complete(all: BTreeMap<String, Methods>) -> Vec<(Method, Method)> {
    let pairs = all.into_values();
    let mut pairs: Vec<(Method, Method)> = pairs
        .filter_map(|methods| methods.custom.zip(methods.derived))
        .collect();
    pairs.sort_by_key(|(custom, derived)| std::cmp::Reverse(custom.total_ps + derived.total_ps));
    pairs
}

#[cfg(test)]
mod tests {
    use super::method_of;

    #[test]
    fn a_method_is_a_word_of_the_name() {
        let stem = |name: &str| method_of(name);
        assert_eq!(stem("jit_grad_lcam"), Some((true, "jit_grad".to_owned())));
        assert_eq!(stem("jit_grad_tad"), Some((false, "jit_grad".to_owned())));
        assert_eq!(stem("jit_tadpole"), None);
        assert_eq!(stem("metadata"), None);
    }
}
