//! The same function is compiled repeatedly (guides: recompilation in the window).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::host_names::module_function;
use stepscope_model::{Picos, SaturatingSum as _, Session, Span};

use super::growing::{self, grows};
use super::{Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::between;
use crate::judging::advice::facts::{Facts, part_ps};
use crate::judging::advice::report::{AdviceEvidence, Confidence};
use crate::measuring::interval::Intervals;
use crate::measuring::steps::{PartKind, StepParts};
use crate::telling::format;
use crate::views::compile::{CompilationRow, FORGOTTEN, OTHER_VALUES, SAME_PROGRAM, SAME_SHAPES};

pub(super) static RULE: Rule = Rule {
    id: "recompilation",
    title: "Function recompiled",
    parts: &[PartKind::Compilation],
    check,
};

/// Number of functions, changes and compilations that the finding names.
const TOLD: usize = 3;

/// Fewer functions of a single op may be jitted ones.
const MIN_OPS: usize = 2;

/// The title where only single ops were recompiled, why they are, and what to do.
const OPS: &str = "Ops outside of jit are recompiled";
const WHY_OPS: &str = "Each op that is called outside of a jitted function is a program of its own, \
                       compiled for each combination of shapes and types.";
const FIX_OPS: &str = "Jit the function that calls them, so that it is compiled once; pad its arguments \
                       to one shape.";
const WHY: &str = "A jitted function is compiled for each combination of shapes, types and static arguments, \
                   and for each new function object.";
const FIX_SAME: &str = "Padding does not help, since shapes and types are the same. Pass arguments of the same structure in \
                        every call (the same keys and lengths of dictionaries, tuples and lists), and Python numbers as \
                        arrays; create jitted functions once, outside the loop; let JAX log what it compiles and why.";
const FIX_VALUES: &str = "Padding does not help, since shapes and types are the same. Pass what changes as an array, instead \
                          of as a static argument or from outside the function (a closure, a global, an attribute); what has \
                          to be static should take few values.";
const FIX_ANEW: &str = "Padding does not help, since shapes and types are the same. Create the jitted function once, outside \
                        the loop: `jax.jit` of a new lambda, `functools.partial` or inner function is compiled anew. Pass \
                        arguments of the same structure in every call (the same keys and lengths of dictionaries, tuples and \
                        lists), and Python numbers as arrays; let JAX log what it compiles and why.";
pub(super) const FIX_FORGOTTEN: &str = "`jax.clear_caches()` makes JAX forget every program, so that each function is compiled again at its \
                                        next call. Do not call it in the loop.";
const FIX: &str = "Pad batches to one shape and drop the last partial batch; pass Python numbers as \
                   arrays; create jitted functions once, outside the loop; let JAX log what it compiles \
                   and why.";

/// Functions all of whose programs are single ops.
fn single_ops(session: &Session) -> BTreeSet<&str> {
    let mut is_single: BTreeMap<&str, bool> = BTreeMap::new();
    for program in &session.programs {
        let own = is_single
            .entry(module_function(&program.name))
            .or_insert(true);
        *own &= program.is_single_op();
    }
    let single = is_single.into_iter().filter(|(_, is_single)| *is_single);
    single.map(|(function, _)| function).collect()
}

fn check(facts: &Facts<'_>) -> Outcome {
    let all = facts.compilations();
    let again = recurring(all);
    if again.is_empty() {
        return Outcome::Passed(match all.len() {
            0 => "Nothing was compiled while the profiler ran.".to_owned(),
            count => format!(
                "{} while the profiler ran, each of a different function.",
                format::counted(count, "compilation")
            ),
        });
    }
    let Some(severity) = gravity(&facts.threshold("recompilations_count"), again.len() as f64)
    else {
        return Outcome::Passed(format!(
            "{} of a function that had been compiled before.",
            format::counted(again.len(), "compilation")
        ));
    };
    // Ops outside of jit are compiled for each shape, too; there is no function to be called otherwise.
    let single = single_ops(facts.session);
    let is_op = |row: &&CompilationRow| single.contains(row.function.as_str());
    let (ops, own): (Vec<_>, Vec<_>) = again.into_iter().partition(is_op);
    let (again, besides) = if own.is_empty() {
        (ops, 0)
    } else {
        (own, ops.len())
    };
    let functions = by_function(&again);
    // A jitted function may be a single op.
    let are_ops = functions.len() >= MIN_OPS && functions.iter().all(|one| single.contains(one.0));
    let words: Vec<String> = functions.iter().take(TOLD).map(told).collect();
    let mut longest = again.clone();
    let rank = |row: &CompilationRow| functions.iter().position(|one| one.0 == row.function);
    longest.sort_by_key(|row| (rank(row), Reverse(row.duration_ps), row.start_ps));
    let changes = changes(&longest);
    let reason = match changes.as_slice() {
        [] => String::new(),
        changes => format!(" What changed: {}.", changes.join("; ")),
    };
    let times = Times::of(facts, &again);
    let title = if are_ops { OPS } else { RULE.title };
    finding(
        &RULE,
        severity,
        format!(
            "Recompiled: {}.{reason}{}",
            words.join("; "),
            and_ops(besides)
        ),
    )
    .titled(title.to_owned())
    .why(if are_ops { WHY_OPS } else { WHY })
    .fix(if are_ops {
        FIX_OPS
    } else {
        fix(facts.session, &longest)
    })
    .why_elsewhere(
        "A function is compiled for each combination of shapes and types, and for each new \
         function object.",
    )
    .fix_elsewhere(
        "Pad batches to one shape and drop the last partial batch; create compiled functions once, \
         outside the loop.",
    )
    .code("jax.config.update(\"jax_explain_cache_misses\", True)")
    .gain(
        facts.mean(|row| times.waited_ps(facts, row)),
        "time in which devices wait for these compilations ÷ number of steps",
    )
    .within(
        facts
            .rows()
            .iter()
            .map(|row| times.waited_ps(facts, row))
            .collect(),
    )
    .sure(Confidence::Medium)
    .seen(longest.into_iter().take(TOLD).map(|row| seen(facts, row)))
    .found()
}

/// ` Besides, 2 compilations of single ops outside of jit.`
fn and_ops(count: usize) -> String {
    if count == 0 {
        return String::new();
    }
    let counted = format::counted(count, "compilation");
    format!(" Besides, {counted} of single ops outside of jit.")
}

/// When the hosts compile, by name.
struct Times<'a>(BTreeMap<&'a str, Intervals>);

impl<'a> Times<'a> {
    fn of(facts: &'a Facts<'_>, compilations: &[&CompilationRow]) -> Self {
        let of_host = |name: &'a str| {
            let own = compilations.iter().filter(|row| row.host == name);
            let spans = own.map(|row| {
                let start = Picos(row.start_ps);
                Span::new(start, start + Picos(row.duration_ps))
            });
            (name, Intervals::union_of(spans.collect()))
        };
        let hosts = facts.session.hosts.iter();
        Self(hosts.map(|host| of_host(host.name.as_str())).collect())
    }

    /// How long the device of a step waits for them: it may have work meanwhile.
    fn waited_ps(&self, facts: &Facts<'_>, row: &StepParts) -> f64 {
        let host = facts.session.host(row.host).name.as_str();
        let within = self.0.get(host).map(|times| times.clip(row.span));
        let within_ps = within.map_or(0, |within| within.duration().0);
        within_ps.min(part_ps(row, PartKind::Compilation)) as f64
    }
}

/// How often and how long each function was compiled again, longest first.
fn by_function<'a>(again: &[&'a CompilationRow]) -> Vec<(&'a str, (usize, i64))> {
    let mut functions: BTreeMap<&str, (usize, i64)> = BTreeMap::new();
    for row in again {
        let sum = functions.entry(&row.function).or_default();
        *sum = (sum.0 + 1, sum.1.saturating_add(row.duration_ps));
    }
    let mut functions: Vec<_> = functions.into_iter().collect();
    functions.sort_by_key(|&(name, (_, time))| (Reverse(time), name));
    functions
}

/// `step 2 times, 1.234 s`
fn told(&(name, (count, time_ps)): &(&str, (usize, i64))) -> String {
    let times = format::counted(count, "time");
    format!("{name} {times}, {}", format::duration_ps(time_ps as f64))
}

/// Compilations of functions that had been compiled before. A function that was first compiled in the window
/// and in one step only is warming up, for however many shapes it is called with.
pub(super) fn recurring(all: &[CompilationRow]) -> Vec<&CompilationRow> {
    let mut functions: BTreeMap<(&str, &str), Vec<&CompilationRow>> = BTreeMap::new();
    for row in all {
        let own = functions.entry((&row.host, &row.function)).or_default();
        own.push(row);
    }
    let warms_up = |rows: &[&CompilationRow]| {
        rows.iter().any(|row| !row.is_again)
            && rows[0].step.is_some()
            && rows.iter().all(|row| row.step == rows[0].step)
    };
    functions.retain(|_, rows| !warms_up(rows));
    let recurs = |row: &&CompilationRow| {
        row.is_again && functions.contains_key(&(row.host.as_str(), row.function.as_str()))
    };
    all.iter().filter(recurs).collect()
}

/// Whether functions that had been compiled before take most of the time of all compilations.
pub(super) fn are_most(rows: &[CompilationRow]) -> bool {
    let all = rows.iter().map(|row| row.duration_ps).saturating_sum();
    let again = recurring(rows);
    let again = again.iter().map(|row| row.duration_ps).saturating_sum();
    all > 0 && again >= all / 2
}

/// Whether something is known of what changed, and all that is known begins so.
pub(super) fn all_begin<'a>(
    compiled: impl Iterator<Item = &'a CompilationRow>,
    begin: &str,
) -> bool {
    let changes = compiled.map(|row| row.change.as_str());
    let mut known = changes.filter(|change| !change.is_empty()).peekable();
    known.peek().is_some() && known.all(|change| change.starts_with(begin))
}

/// What to do about all that is known of what changed.
fn fix(session: &Session, longest: &[&CompilationRow]) -> &'static str {
    let all = |begin: &str| all_begin(longest.iter().copied(), begin);
    if all(FORGOTTEN) {
        FIX_FORGOTTEN
    } else if all(SAME_PROGRAM) {
        FIX_ANEW
    } else if all(OTHER_VALUES) {
        FIX_VALUES
    } else if all(SAME_SHAPES) {
        FIX_SAME
    } else if grows(session, longest) {
        growing::FIX
    } else {
        FIX
    }
}

/// What changed in the first of the compilations, each change with its function. An array of another
/// shape also changes the arguments of small functions within JAX, which the program does not know.
fn changes(longest: &[&CompilationRow]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    let mut valued: Vec<&str> = Vec::new();
    for row in longest.iter().filter(|row| !row.change.is_empty()) {
        // One value is enough of an example.
        if row.change.starts_with(OTHER_VALUES) {
            if valued.contains(&row.function.as_str()) {
                continue;
            }
            valued.push(&row.function);
        }
        let change = if row.function.is_empty() {
            row.change.clone()
        } else {
            format!("{} ({})", row.function, row.change)
        };
        if !told.contains(&change) && told.len() < TOLD {
            told.push(change);
        }
    }
    told
}

/// The number of the step whose devices waited longest for compilations while this one took place.
fn waited_for(facts: &Facts<'_>, row: &CompilationRow) -> Option<i64> {
    let compiling = Span {
        start: Picos(row.start_ps),
        end: Picos(row.start_ps.saturating_add(row.duration_ps)),
    };
    let host = facts.host_named(&row.host)?;
    let rows = facts.rows().iter().filter(|own| own.host == host);
    let meanwhile = rows.filter(|own| own.span.intersection(compiling).is_some());
    let waited = meanwhile.filter(|own| part_ps(own, PartKind::Compilation) > 0);
    let longest = waited.max_by_key(|own| (part_ps(own, PartKind::Compilation), Reverse(own.step)));
    longest.map(|own| facts.session.steps[own.step].number)
}

fn seen(facts: &Facts<'_>, row: &CompilationRow) -> AdviceEvidence {
    let waited = waited_for(facts, row);
    let time = format::duration_ps(row.duration_ps as f64);
    let (function, host) = (&row.function, &row.host);
    let text = match (row.step, waited) {
        // The host may be ahead of the devices.
        (Some(step), Some(waited)) if step != waited => {
            format!(
                "{function} on {host}: {time}, while step {step} ran; step {waited} waited for it"
            )
        }
        (Some(step), _) => format!("{function} in step {step} on {host}: {time}"),
        (None, _) => format!("{function} on {host}: {time}"),
    };
    AdviceEvidence {
        step: waited.or(row.step),
        ..between(row.start_ps, row.start_ps + row.duration_ps, text)
    }
}
