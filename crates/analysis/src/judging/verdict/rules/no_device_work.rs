//! `no_device_work`: threads were recorded, but no op, kernel or copy on any device.

use stepscope_model::Framework;

use super::{EXPLAIN_SILENCE, Rule, has, work_on_cpu};
use crate::judging::verdict::evidence::{Evidence, short};
use crate::judging::verdict::report::{Finding, Severity};
use crate::measuring::unrecorded::{Calls, Ran, calls, ran};
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
    let calls = calls(session);
    let counted = |calls: &Calls| {
        let (count, name) = (format::counted(calls.count, "call"), short(&calls.name));
        if calls.of_name == calls.count {
            return format!("{count} of {name}");
        }
        let of_name = calls.of_name;
        format!("{count} of compiled functions, {of_name} of them of {name},")
    };
    let finding = match (&calls, work_on_cpu::accelerator(evidence)) {
        (Some(calls), Some(accelerator)) => finding
            .why(format!(
                "{} launched work on {accelerator}, but its tracer recorded none of it.",
                counted(calls),
            ))
            .fix(
                "Run `stepscope doctor` in the environment of the program: it checks the tracer's \
             library and permissions, and looks for other profilers.",
            ),
        (Some(calls), None) => match ran(session, calls) {
            Ran::WithinCalls if is_jax => finding
                .why(format!(
                    "{} ran their programs, which took {} of the {} in calls \
                     (`TfrtCpuExecutable::ExecuteHelper`). Old versions of jaxlib do not record ops \
                     on CPUs.",
                    counted(calls),
                    format::duration_ps(calls.ran_ps as f64),
                    format::duration_ps(calls.called_ps as f64),
                ))
                .fix(
                    "Update JAX if possible: `pip install --upgrade jax`. Until then, only the times \
                     of calls are known: `stepscope regions PATH`.",
                ),
            Ran::Executed if is_jax => finding
                .why(format!(
                    "{} launched work, and threads of the runtime executed it \
                     (`ThunkExecutor::Execute`). This version of jaxlib does not record ops on CPUs.",
                    counted(calls),
                ))
                .fix(
                    "Update JAX if possible: `pip install --upgrade jax`. Until then, only the times \
                     of calls are known: `stepscope regions PATH`.",
                ),
            Ran::WaitedFor if is_jax => finding
                .why(format!(
                    "{} launched work and the program waited for results, so the work ran. \
                     Old versions of jaxlib do not record work on CPUs.",
                    counted(calls),
                ))
                .fix(
                    "Update JAX if possible: `pip install --upgrade jax`. If the waits came before \
                     the profiler started, also end with `jax.block_until_ready(result)`.",
                ),
            _ => finding
                .why(format!(
                    "{} launched work, and nothing shows that it ran before the profiler stopped: \
                     calls return before the work is done.",
                    counted(calls),
                ))
                .fix(if is_jax {
                    "Wait for the result before the profiler stops: \
                     `jax.block_until_ready(result)`."
                } else {
                    "Wait for the result before the profiler stops."
                }),
        },
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
