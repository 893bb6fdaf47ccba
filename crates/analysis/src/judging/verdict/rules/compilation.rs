//! `compilation`: something was compiled during the capture.

use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::host_names::{module_function, plain_function};
use stepscope_model::{
    Class, Framework, HostId, SaturatingSum as _, Session, SliceId, SliceKind, TrackId,
};

use super::Rule;
use crate::asking::selection::Selection;
use crate::judging::verdict::evidence::{Evidence, listed, short};
use crate::judging::verdict::limits;
use crate::judging::verdict::report::{Finding, Severity};
use crate::measuring::activity::compilation_ps;
use crate::measuring::selection;
use crate::measuring::steps::PartKind;
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["compilation"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let session = evidence.session;
    let hosts: Vec<HostId> = (0..session.hosts.len()).map(HostId::from_index).collect();
    let Some(time_ps) = compilation_ps(session, &hosts).filter(|&time| time > 0) else {
        return Vec::new();
    };
    let compiled = compilations(session);
    let time = format::duration_ps(time_ps as f64);
    let what = match (compiled.count, compiled.hit_count) {
        (0, _) => format!("Compilation took {time} during the capture"),
        (count, 0) => format!(
            "{} took {time} during the capture",
            format::counted(count, "compilation")
        ),
        (count, hits) => format!(
            "{} ({hits} from the cache) took {time} during the capture",
            format::counted(count, "compilation")
        ),
    };
    let names: Vec<&str> = compiled.names.iter().map(String::as_str).collect();
    let what = match names.as_slice() {
        [] => what,
        names => format!("{what}: {}", listed(names)),
    };
    let steps = delayed_steps(evidence);
    let of_capture = time_ps as f64 / evidence.duration_ps.max(1) as f64;
    let warm_up = warm_up(session, time_ps);
    let (severity, why) = match steps.as_slice() {
        [] if warm_up.is_some() => (Severity::Info, warm_up.unwrap_or_default()),
        [] if of_capture <= limits::COMPILATION_OF_CAPTURE_RATIO => {
            (Severity::Info, "No step waited for them.".to_owned())
        }
        [] => (
            Severity::Warning,
            format!(
                "It takes {} of the capture, so the capture does not show the steady state.",
                format::percent(of_capture)
            ),
        ),
        [step] => (
            Severity::Warning,
            format!("The devices waited for it in step {step}, so that step is not typical."),
        ),
        steps => (
            Severity::Warning,
            format!(
                "The devices waited for it in {} (the first is step {}): shapes or static \
                 arguments change, or the capture began too early.",
                format::counted(steps.len(), "step"),
                steps[0]
            ),
        ),
    };
    let fix = match (severity, steps.as_slice()) {
        (Severity::Info, _) => String::new(),
        (_, [_, _, ..]) if evidence.session.framework() == Framework::Jax => {
            "Capture after the warm-up. If it still compiles, `JAX_LOG_COMPILES=1` shows what changed."
                .to_owned()
        }
        (_, [_, _, ..]) => "Capture after the warm-up.".to_owned(),
        (_, [step]) => format!(
            "Run 3 to 5 steps before the profiler starts, or exclude that \
         step: `--steps {}..`.",
            step + 1
        ),
        _ => "Run 3 to 5 steps before the profiler starts.".to_owned(),
    };
    vec![
        Finding::new("compilation", severity, format!("{what}."))
            .why(why)
            .fix(fix),
    ]
}

/// That first steps which no figure includes contain most of the compilation, in a sentence.
fn warm_up(session: &Session, time_ps: i64) -> Option<String> {
    let steps = selection::warm_up(session);
    let within = steps
        .iter()
        .map(|step| step.compilation_ps)
        .saturating_sum();
    let first = session.steps[steps.first()?.position].number;
    let is_most = within.saturating_mul(2) >= time_ps;
    is_most.then(|| match steps.len() {
        1 => format!("Most of it is in step {first}, which no figure of the steps includes."),
        count => format!(
            "Most of it is in the first {count} steps, from step {first}, which no figure of the steps includes."
        ),
    })
}

/// Steps in which devices waited for compilation for a noticeable share of the step.
fn delayed_steps(evidence: &Evidence<'_>) -> Vec<i64> {
    let steps = evidence.overview.bars.iter();
    steps
        .filter(|step| {
            let waited = step.parts_ps.get(PartKind::Compilation as usize);
            waited.is_some_and(|&waited| {
                waited > limits::COMPILATION_OF_STEP_RATIO * step.duration_ps && waited > 0.0
            })
        })
        .map(|step| step.step)
        .collect()
}

/// What was compiled, as in `compile`.
struct Compilations {
    /// Number of compilations on the host with the most.
    count: usize,
    /// How many of these came from the persistent cache.
    hit_count: usize,
    /// Compiled functions, and modules whose function was not recorded.
    names: BTreeSet<String>,
}

fn compilations(session: &Session) -> Compilations {
    let rows = match Selection::default().resolve(session) {
        Ok(selected) => crate::views::compile::compilations(session, &selected),
        Err(_) => Vec::new(),
    };
    let mut by_host: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for row in &rows {
        let counts = by_host.entry(&row.host).or_default();
        counts.0 += 1;
        counts.1 += usize::from(row.cache == "hit");
    }
    let (count, hit_count) = by_host.into_values().max().unwrap_or_default();
    let functions = rows.iter().map(|row| row.function.as_str());
    let mut names: BTreeSet<String> = functions
        .filter(|function| !function.is_empty())
        .map(short)
        .collect();
    let known: BTreeSet<String> = names.iter().map(|name| plain_function(name)).collect();
    let modules = modules(session).into_iter();
    let unknown: Vec<String> = modules
        .filter(|module| !known.contains(&plain_function(module_function(module))))
        .collect();
    names.extend(unknown);
    Compilations {
        count,
        hit_count,
        names,
    }
}

/// Names of the modules that compilers ran on, where recorded.
fn modules(session: &Session) -> BTreeSet<String> {
    let is_backend: Vec<bool> = session
        .labels
        .iter()
        .map(|label| {
            label.kind == SliceKind::Host
                && label.class == Class::Compile
                && session.text(label.name).ends_with("::RunBackend")
        })
        .collect();
    let mut modules = BTreeSet::new();
    for id in session.track_ids() {
        if session.track(id).device.is_some() {
            continue;
        }
        let Some(track) = session.track_having(id, |label| is_backend[label.index()]) else {
            continue;
        };
        for (lane, slices) in (0u32..).zip(&track.lanes) {
            for (index, label) in (0u32..).zip(slices.labels()) {
                if is_backend[label.index()] && modules.len() < limits::COMPILED_NAMES {
                    modules.extend(compiled(session, id, lane, index));
                }
            }
        }
    }
    modules
}

/// The name of the module that a compiler run compiled.
fn compiled(session: &Session, track: TrackId, lane: u32, index: u32) -> Option<String> {
    let stats = session.stats(SliceId { track, lane, index });
    let name = stats
        .into_iter()
        .find(|stat| ["name", "module", "module_name"].contains(&stat.name.as_str()))?;
    Some(short(&name.value))
}
