//! `compilation`: something was compiled inside the window.

use std::collections::BTreeSet;

use stepscope_model::{Class, HostId, Session, SliceId, SliceKind, TrackId};

use super::Rule;
use crate::format;
use crate::overview::PartKind;
use crate::steps::compilation_ps;
use crate::verdict::evidence::{Evidence, listed, short};
use crate::verdict::limits;
use crate::verdict::report::{Finding, Severity};

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
    let (count, programs) = compilations(session);
    let time = format::duration_ps(time_ps as f64);
    let what = match count {
        0 => format!("Compilation took {time} inside the capture"),
        count => format!(
            "{} took {time} inside the capture",
            format::counted(count, "compilation")
        ),
    };
    let names: Vec<&str> = programs.iter().map(String::as_str).collect();
    let what = match names.as_slice() {
        [] => what,
        names => format!("{what}: {}", listed(names)),
    };
    let steps = delayed_steps(evidence);
    let of_capture = time_ps as f64 / evidence.duration_ps.max(1) as f64;
    let (severity, why) = match steps.as_slice() {
        [] if of_capture <= limits::COMPILATION_OF_CAPTURE_RATIO => {
            (Severity::Info, "No step waited for it.".to_owned())
        }
        [] => (
            Severity::Warning,
            format!(
                "It is {} of the capture, which is not the steady state.",
                format::percent(of_capture)
            ),
        ),
        [step] => (
            Severity::Warning,
            format!(
                "The devices waited for it in step {step}, which is no step of the steady state."
            ),
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
        (_, [_, _, ..]) => "Capture after the warm-up; if it compiles still, `JAX_LOG_COMPILES=1` \
         says what changed."
            .to_owned(),
        (_, [step]) => format!(
            "Run 3 to 5 steps before the profiler starts, or leave that step \
         out: `--steps {}..`.",
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

/// How many programs were compiled, on the host with most, and their names where recorded.
fn compilations(session: &Session) -> (usize, BTreeSet<String>) {
    let of = |test: &dyn Fn(&str) -> bool| -> Vec<bool> {
        let labels = session.labels.iter();
        labels
            .map(|label| {
                label.kind == SliceKind::Host
                    && label.class == Class::Compile
                    && test(session.text(label.name))
            })
            .collect()
    };
    let is_request = of(&|name| name.starts_with("backend_compile"));
    let is_backend = of(&|name| name.ends_with("::RunBackend"));
    let mut counts = vec![0usize; session.hosts.len()];
    let mut programs = BTreeSet::new();
    for id in session.track_ids() {
        let track = session.track(id);
        if track.device.is_some() {
            continue;
        }
        for (lane, slices) in (0u32..).zip(&track.lanes) {
            for (index, label) in (0u32..).zip(slices.labels()) {
                counts[track.host.index()] += usize::from(is_request[label.index()]);
                if is_backend[label.index()] && programs.len() < limits::COMPILED_NAMES {
                    programs.extend(compiled(session, id, lane, index));
                }
            }
        }
    }
    (counts.into_iter().max().unwrap_or(0), programs)
}

/// The name of the module that a compiler run compiled.
fn compiled(session: &Session, track: TrackId, lane: u32, index: u32) -> Option<String> {
    let stats = session.stats(SliceId { track, lane, index });
    let name = stats
        .into_iter()
        .find(|stat| ["name", "module", "module_name"].contains(&stat.name.as_str()))?;
    Some(short(&name.value))
}
