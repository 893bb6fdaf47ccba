//! `python_tracer`: Python calls were traced, which makes the steps themselves slower.

use stepscope_model::{Framework, HostId, Session, SliceKind, Track};

use super::{Rule, has};
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::limits;
use crate::judging::verdict::report::{Finding, Severity};
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["python_tracer"],
    look,
};

/// An upper bound above this share of the time says nothing.
const MOST_TOLD: f64 = 0.9;

fn look(evidence: &Evidence<'_>, found: &[Finding]) -> Vec<Finding> {
    // `capture_cost` covers the measured total, and already recommends turning the tracer off.
    if has(found, &["capture_cost"]) {
        return Vec::new();
    }
    let session = evidence.session;
    let is_frame: Vec<bool> = session
        .labels
        .iter()
        .map(|label| label.kind == SliceKind::Python)
        .collect();
    if !is_frame.contains(&true) {
        return Vec::new();
    }
    // The thread with the most frames is the one that tracing delays.
    let (calls, track) = session
        .track_ids()
        .filter(|&id| session.track(id).device.is_none())
        .filter_map(|id| {
            let track = session.track_having(id, |label| is_frame[label.index()])?;
            let labels = track.lanes.iter().flat_map(stepscope_model::Lane::labels);
            let calls = labels.filter(|label| is_frame[label.index()]).count();
            Some((calls, Some(session.track(id))))
        })
        .max_by_key(|(calls, _)| *calls)
        .unwrap_or((0, None));
    let measured = track.and_then(|track| call_ns(session, track.host));
    let call_ns = measured.unwrap_or(limits::SECONDS_PER_PYTHON_CALL * 1e9);
    let extent = track.and_then(Track::extent);
    let traced_seconds = extent.map_or(0.0, |extent| extent.duration().as_seconds());
    if calls == 0 || traced_seconds <= 0.0 {
        return Vec::new();
    }
    let cost_ratio = calls as f64 * call_ns * 1e-9 / traced_seconds;
    if cost_ratio < limits::PYTHON_TOLD_RATIO {
        return Vec::new();
    }
    let severity = if cost_ratio >= limits::PYTHON_COST_RATIO {
        Severity::Warning
    } else {
        Severity::Info
    };
    let most_ratio = cost_ratio * limits::PYTHON_CALL_RANGE;
    let most = if most_ratio < MOST_TOLD {
        format!(", and up to {}", format::percent(most_ratio))
    } else {
        ", and perhaps most".to_owned()
    };
    let what = format!(
        "The Python tracer was on: {calls} traced calls on one thread took at least about {}{most} of its \
         time.",
        format::percent(cost_ratio)
    );
    vec![
        Finding::new("python_tracer", severity, what)
            .why(format!(
                "Each traced call adds {:.2} to {:.2} µs to the step, so steps without the tracer are \
                 faster: the least was measured {}, and calls of real programs cost up to {:.0} times as \
                 much there.",
                call_ns / 1e3,
                call_ns / 1e3 * limits::PYTHON_CALL_RANGE,
                if measured.is_some() {
                    "in the program, in a loop of empty calls"
                } else {
                    "on another machine, in a loop of empty calls"
                },
                limits::PYTHON_CALL_RANGE
            ))
            .fix(match session.framework() {
                Framework::Jax => {
                    "Set `options.python_tracer_level = 0`, unless you are looking for slow Python. A \
                     second capture without the tracer shows what it costs."
                }
                _ => "Do not record Python, unless you are looking for slow Python.",
            }),
    ]
}

/// The cost of a traced call that the program measured when recording began, in a loop of empty calls. It
/// varies severalfold between machines.
fn call_ns(session: &Session, host: HostId) -> Option<f64> {
    let manifest = session.host(host).manifest.as_ref()?;
    manifest
        .cost?
        .python_call_ns
        .filter(|&call_ns| call_ns > 0.0)
}
