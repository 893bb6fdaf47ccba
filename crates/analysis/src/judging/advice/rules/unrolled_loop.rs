//! Many copies of the same iteration, such as a layer, in one program (guides: high occurrence counts, loop unrolling).

use std::collections::BTreeMap;
use stepscope_model::SaturatingSum as _;

use super::{NO_HLO, Outcome, Rule, finding, gravity, ops_seen};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::BusyProgram;
use crate::judging::advice::report::Confidence;
use crate::judging::verdict::Severity;
use crate::telling::format;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "unrolled_loop",
    title: "Unrolled loop",
    parts: &[],
    check,
};

/// Copies must take at least this share of the time of all products in the program.
const MIN_SHARE: f64 = 0.5;

/// Copies of the same product.
struct Copies<'a> {
    /// Their name stack, with numbers replaced by `#`.
    scope: String,
    /// The copies, most time first.
    rows: Vec<&'a OpRow>,
    time_ps: i64,
}

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(program) = facts.programs().first() else {
        return Outcome::Skipped(NO_HLO.to_owned());
    };
    let threshold = facts.threshold("unrolled_copies_count");
    let (groups, all_ps) = copies(facts, program);
    let is_many = |group: &&Copies<'_>| group.rows.len() as f64 > threshold.good;
    let many: Vec<&Copies<'_>> = groups.iter().filter(is_many).collect();
    let time_ps: i64 = many.iter().map(|group| group.time_ps).saturating_sum();
    let most = groups
        .iter()
        .map(|group| group.rows.len())
        .max()
        .unwrap_or(0);
    let text = format!(
        "{} has at most {most} copies of the same product.",
        program.title
    );
    let Some(largest) = many
        .first()
        .filter(|_| time_ps as f64 >= MIN_SHARE * all_ps as f64)
    else {
        return Outcome::Passed(text);
    };
    let count = largest.rows.len();
    let Some(gravity) = gravity(&threshold, count as f64) else {
        return Outcome::Passed(text);
    };
    let severity = match gravity {
        Severity::Bad => Severity::Warning,
        _ => Severity::Info,
    };
    let name = match largest.scope.as_str() {
        "" => format::shortened(&largest.rows[0].name),
        scope => format::shortened_to(scope, 90),
    };
    finding(
        &RULE,
        severity,
        format!(
            "{} has {count} copies of the same product ({name}) and {} in total: Python unrolled a \
             loop, such as one over layers, microbatches or parameters.",
            program.title,
            format::counted(program.hlo.instructions().len(), "instruction")
        ),
    )
    .why(
        "The compiler processes every copy, and the program takes device memory. Step time hardly \
         changes, but compilation time grows with the number of iterations.",
    )
    .fix(
        "Stack what the iterations differ in, such as the weights of identical layers, and iterate over it \
         with jax.lax.scan (flax: nn.scan). If overlap between iterations matters, scan's `unroll=` \
         restores it.",
    )
    .fix_elsewhere("Stack what the iterations differ in, and iterate over it with a loop in the program.")
    .code("def layer(x, weights):\n    return block(x, weights), None\nx, _ = jax.lax.scan(layer, x, stacked_weights)")
    .sure(Confidence::Medium)
    .seen(ops_seen(largest.rows.iter().copied(), 3, |row| {
        format!("{} of the work", format::percent(row.self_ratio))
    }))
    .found()
}

/// Groups of products outside of loops with the same name stack, source line and shape, most time
/// first; and the time of all products.
fn copies<'a>(facts: &'a Facts<'_>, program: &'a BusyProgram<'_>) -> (Vec<Copies<'a>>, i64) {
    let entry = program.hlo.entry().map(|entry| entry.id);
    let mut groups: BTreeMap<(String, String, String), Copies<'a>> = BTreeMap::new();
    let mut all_ps = 0i64;
    for (row, instruction) in program.executed(&facts.ops) {
        if !matches!(row.class.as_str(), "matmul" | "attention") {
            continue;
        }
        all_ps = all_ps.saturating_add(row.self_ps);
        let computation = program
            .hlo
            .computations()
            .get(instruction.computation.index());
        if computation.map(|own| own.id) != entry {
            continue;
        }
        let scope = format::without_numbers(&row.scope);
        let shape = format!("{:?}", instruction.shape.first_leaf().dimensions);
        let key = (scope.clone(), row.source.clone(), shape);
        let group = groups.entry(key).or_insert_with(|| Copies {
            scope,
            rows: Vec::new(),
            time_ps: 0,
        });
        group.rows.push(row);
        group.time_ps = group.time_ps.saturating_add(row.self_ps);
    }
    let mut groups: Vec<Copies<'a>> = groups.into_values().collect();
    groups.sort_by(|a, b| {
        b.time_ps
            .cmp(&a.time_ps)
            .then_with(|| a.scope.cmp(&b.scope))
    });
    (groups, all_ps)
}
