//! `python_tracer`: Python calls were traced, which costs time in the steps themselves.

use stepscope_model::{Framework, SliceKind};

use super::Rule;
use crate::format;
use crate::verdict::evidence::Evidence;
use crate::verdict::limits;
use crate::verdict::report::{Finding, Severity};

pub(super) const RULE: Rule = Rule {
    ids: &["python_tracer"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let session = evidence.session;
    let is_frame: Vec<bool> = session
        .labels
        .iter()
        .map(|label| label.kind == SliceKind::Python)
        .collect();
    if !is_frame.contains(&true) {
        return Vec::new();
    }
    // The thread with most frames is the one that they delay.
    let (calls, extent) = session
        .tracks
        .iter()
        .filter(|track| track.device.is_none())
        .map(|track| {
            let labels = track.lanes.iter().flat_map(stepscope_model::Lane::labels);
            let calls = labels.filter(|label| is_frame[label.index()]).count();
            (calls, track.extent())
        })
        .max_by_key(|(calls, _)| *calls)
        .unwrap_or((0, None));
    let traced_seconds = extent.map_or(0.0, |extent| extent.duration().as_seconds());
    if calls == 0 || traced_seconds <= 0.0 {
        return Vec::new();
    }
    let cost_ratio = calls as f64 * limits::SECONDS_PER_PYTHON_CALL / traced_seconds;
    if cost_ratio < limits::PYTHON_TOLD_RATIO {
        return Vec::new();
    }
    let severity = if cost_ratio >= limits::PYTHON_COST_RATIO {
        Severity::Warning
    } else {
        Severity::Info
    };
    let what = format!(
        "The Python tracer was on: {calls} calls on one thread, which cost it about {}.",
        format::percent(cost_ratio)
    );
    vec![
        Finding::new("python_tracer", severity, what)
            .why(
                "Each traced call makes the step longer by about 0.16 µs; steps without the \
             tracer are faster.",
            )
            .fix(match session.framework() {
                Framework::Jax => {
                    "`options.python_tracer_level = 0`, unless you look for slow Python."
                }
                _ => "Leave Python out of the capture, unless you look for slow Python.",
            }),
    ]
}
