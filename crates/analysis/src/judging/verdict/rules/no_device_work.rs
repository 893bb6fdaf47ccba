//! `no_device_work`: threads were recorded, but no op, kernel or copy on any device.

use stepscope_model::{Framework, Session, SliceKind};

use super::{EXPLAIN_SILENCE, Rule, has, work_on_cpu};
use crate::judging::verdict::evidence::{Evidence, short};
use crate::judging::verdict::report::{Finding, Severity};
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["no_device_work"],
    look,
};

fn look(evidence: &Evidence<'_>, found: &[Finding]) -> Vec<Finding> {
    if evidence.has_work() || has(found, EXPLAIN_SILENCE) {
        return Vec::new();
    }
    let session = evidence.session;
    let rows = match session.devices.len() {
        0 => "the profile has no rows for devices".to_owned(),
        count => format!("the rows of {} are empty", format::counted(count, "device")),
    };
    let what = format!("No device recorded work: {rows}.");
    let finding = Finding::new("no_device_work", Severity::Bad, what);
    let is_jax = session.framework() == Framework::Jax;
    let finding = match (launches(session), work_on_cpu::accelerator(evidence)) {
        (Some((name, count)), Some(accelerator)) => finding
            .why(format!(
                "{} of {name} launched work on {accelerator}, but its tracer recorded none of it.",
                format::counted(count, "call"),
            ))
            .fix(
                "Run `stepscope doctor` in the environment of the program: it checks the tracer's \
             library and permissions, and looks for other profilers.",
            ),
        (Some((name, count)), None) if is_jax && has_waited(session) => finding
            .why(format!(
                "{} of {name} launched work and the program waited for results, so the work ran. \
                 Old versions of jaxlib do not record work on CPUs.",
                format::counted(count, "call"),
            ))
            .fix(
                "Update JAX if possible: `pip install --upgrade jax`. If the waits came before the \
             profiler started, also end with `jax.block_until_ready(result)`.",
            ),
        (Some((name, count)), None) => finding
            .why(format!(
                "{} of {name} launched work that had not run when the profiler stopped: calls \
                 return before the work is done.",
                format::counted(count, "call"),
            ))
            .fix(if is_jax {
                "Wait for the result before the profiler stops: `jax.block_until_ready(result)`."
            } else {
                "Wait for the result before the profiler stops."
            }),
        (None, _) => finding
            .why("No program was launched while the profiler was on, or another process launched it.")
            .fix(if is_jax {
                "Put the profiler around the step itself, in the process that owns the devices, and \
                 end with `jax.block_until_ready(result)`."
            } else {
                "Put the profiler around the step itself, in the process that owns the devices, and \
                 wait for its result."
            }),
    };
    vec![finding]
}

/// Whether Python waited for results.
fn has_waited(session: &Session) -> bool {
    let mut names = session.labels.iter().map(|label| session.text(label.name));
    names.any(|name| name.contains("block_until_ready"))
}

/// The compiled function that was called most often, and how often.
fn launches(session: &Session) -> Option<(String, usize)> {
    let is_launch: Vec<bool> = session
        .labels
        .iter()
        .map(|label| {
            label.kind == SliceKind::Host && session.text(label.name).starts_with("PjitFunction(")
        })
        .collect();
    if !is_launch.contains(&true) {
        return None;
    }
    let mut counts = vec![0usize; session.labels.len()];
    let tracks = session
        .track_ids()
        .filter_map(|id| session.track_having(id, |label| is_launch[label.index()]));
    for track in tracks {
        for (lane, slices) in (0u32..).zip(&track.lanes) {
            for (index, label) in (0u32..).zip(slices.labels()) {
                // JAX records a call twice, one slice within the other.
                let parent = track.parent(lane, index);
                let above =
                    parent.map(|(lane, index)| track.lanes[lane as usize].labels()[index as usize]);
                let is_call = is_launch[label.index()] && above != Some(*label);
                counts[label.index()] += usize::from(is_call);
            }
        }
    }
    let most = (0..counts.len()).max_by_key(|&index| (counts[index], std::cmp::Reverse(index)))?;
    let name = session.text(session.labels[most].name);
    (counts[most] > 0).then(|| (short(name), counts[most]))
}
