//! The device is idle while its host waits for or prepares input (guides: high input share).

use stepscope_model::Class;

use super::{NO_STEPS, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, longest_slice, part_ps};
use crate::format;
use crate::overview::PartKind;

pub(super) static RULE: Rule = Rule {
    id: "input_wait",
    title: "Waiting for input",
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let part = |row: &_| part_ps(row, PartKind::InputWait) as f64;
    let (Some(step), Some((place, wait))) = (facts.step_ps, facts.worst(part)) else {
        return Outcome::Skipped(NO_STEPS.to_owned());
    };
    let ratio = wait / step;
    let share = format::percent(ratio);
    let host = &facts.session.host(place.0).name;
    let Some(severity) = gravity(&facts.threshold("input_wait_ratio"), ratio) else {
        return Outcome::Passed(format!("At most {share} of a step, on {host}."));
    };
    let several = facts.session.hosts.len() > 1;
    let on = if several {
        format!(" on {host}")
    } else {
        String::new()
    };
    let evidence = facts.longest(place, PartKind::InputWait);
    let within = evidence.as_ref().and_then(|seen| {
        let (start, end) = (seen.start_ps?, seen.end_ps?);
        Some(stepscope_model::Span::new(
            stepscope_model::Picos(start),
            stepscope_model::Picos(end),
        ))
    });
    let longest = within.and_then(|span| longest_slice(facts.session, place.0, Class::Input, span));
    let doing = longest.as_ref().map_or_else(String::new, |(name, _)| {
        format!(", mostly in {}", name.trim_start_matches('$'))
    });
    let others = others(facts, place.0);
    let mut found = finding(
        &RULE,
        severity,
        format!(
            "The devices{on} are idle for {} of a step ({share}) while the host loads or prepares \
             data{doing}.{others}",
            format::duration_ps(wait)
        ),
    )
    .why("The next batch is made in the loop, after the step before it, instead of beside it.")
    .fix(
        "Load and prepare batches in the background, a few ahead, and put them on the device before \
         they are needed. Where one host is slower than the others, look at what is different there: \
         its disk, its share of the data, its processes.",
    )
    .code(CODE)
    .gain(Some(wait), "the median over steps of the wait on the device that waits longest")
    .seen(evidence);
    if several {
        found.title = format!("{host} waits for input");
    }
    found.found()
}

/// How long the other hosts wait, where they are many.
fn others(facts: &Facts<'_>, worst: stepscope_model::HostId) -> String {
    let waits = facts.typical(|row| part_ps(row, PartKind::InputWait) as f64);
    let rest: Vec<f64> = waits
        .into_iter()
        .filter(|(place, _)| place.0 != worst)
        .map(|(_, wait)| wait)
        .collect();
    if rest.is_empty() {
        return String::new();
    }
    format!(
        " Devices of other hosts wait {} (median), and then for this host in the collectives.",
        format::duration_ps(crate::steps::median(&rest))
    )
}

const CODE: &str = "\
loader = grain.load(source, worker_count=8, ...)     # or tf.data's prefetch(AUTOTUNE)
batch = jax.device_put(next(loader), sharding)       # copies while the step runs
for step in range(steps):
    state = train_step(state, batch)                 # returns at once
    batch = jax.device_put(next(loader), sharding)   # the next one, meanwhile";
