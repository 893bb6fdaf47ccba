//! Compilation that takes long in total (guides: good below 2 s, bad above 10 s).

use super::recompilation::are_most;
use super::{Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::measuring::activity::compilation_ps;
use crate::telling::format;
use crate::telling::recording;

pub(super) static RULE: Rule = Rule {
    id: "compilation_time",
    title: "Long compilation",
    parts: &[],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(time) = compilation_ps(facts.session, &facts.selected.hosts) else {
        return Outcome::Skipped(recording::needs_host_threads(facts.session));
    };
    let took = format!(
        "{} while the profiler ran, on the host that compiled longest",
        format::duration_ps(time as f64)
    );
    let text = format!("{took}.");
    let Some(severity) = gravity(&facts.threshold("compilation_ps"), time as f64) else {
        return Outcome::Passed(text);
    };
    // What is compiled again has a finding of its own, and is not to be made faster but to go.
    if are_most(facts.compilations()) {
        return Outcome::Passed(format!(
            "{took}, most of it of functions that had been compiled before: see the check of those."
        ));
    }
    let longest = facts
        .compilations()
        .iter()
        .max_by_key(|row| row.duration_ps);
    let longest = longest.map_or_else(String::new, |row| {
        format!(
            " The longest compilation is {}, {}.",
            row.function,
            format::duration_ps(row.duration_ps as f64)
        )
    });
    finding(
        &RULE,
        severity,
        format!("Compilation takes {text}{longest}"),
    )
    .why(
        "Large programs, loops that Python unrolls, and kernel autotuning make compilation \
             slow. This cost recurs each time the program starts.",
    )
    .fix(
        "Keep compiled programs between runs with the compilation cache; write loops over layers \
             as jax.lax.scan; check in `compile` which phase takes longest.",
    )
    .fix_elsewhere(
        "Keep compiled programs between runs if the framework can; write loops over layers as \
             loops in the program; check in `compile` which phase takes longest.",
    )
    .code("jax.config.update(\"jax_compilation_cache_dir\", \"/tmp/jax_cache\")")
    .seen([in_view("compile", "compilations by phase".to_owned())])
    .found()
}
