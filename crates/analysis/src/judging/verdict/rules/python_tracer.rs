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
    let what = format!(
        "The Python tracer was on: {calls} traced calls on one thread took about {} of its time.",
        format::percent(cost_ratio)
    );
    vec![
        Finding::new("python_tracer", severity, what)
            .why(format!(
                "Each traced call adds about {:.2} µs to the step{}, so steps without the tracer \
                 are faster.",
                call_ns / 1e3,
                if measured.is_some() {
                    ", as measured in the program"
                } else {
                    ""
                }
            ))
            .fix(match session.framework() {
                Framework::Jax => {
                    "Set `options.python_tracer_level = 0`, unless you are looking for slow Python."
                }
                _ => "Do not record Python, unless you are looking for slow Python.",
            }),
    ]
}

/// The cost of a traced call that the program measured when recording began. It varies severalfold
/// between machines.
fn call_ns(session: &Session, host: HostId) -> Option<f64> {
    let manifest = session.host(host).manifest.as_ref()?;
    manifest
        .cost?
        .python_call_ns
        .filter(|&call_ns| call_ns > 0.0)
}
