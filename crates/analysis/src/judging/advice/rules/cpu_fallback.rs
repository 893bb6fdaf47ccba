//! Ops that ran on the host CPU although there is an accelerator (guides: unexpected CPU fallback, data
//! on the wrong device).

use stepscope_model::{DeviceKind, SaturatingSum as _};

use super::{NO_WORK, Outcome, Rule, finding};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::verdict::Severity;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "cpu_fallback",
    title: "Ops on the CPU despite an accelerator",
    parts: &[],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let session = facts.session;
    if !facts.has_work() {
        return Outcome::Skipped(NO_WORK.to_owned());
    }
    let is_cpu = |id: &stepscope_model::DeviceId| session.device(*id).kind == DeviceKind::Cpu;
    if session.device_ids().all(|id| is_cpu(&id)) {
        return Outcome::Skipped("The session has no accelerator.".to_owned());
    }
    let time = |wanted: bool| -> i64 {
        let devices = session.device_ids().filter(|id| is_cpu(id) == wanted);
        devices.map(|id| facts.work_of(id).0).saturating_sum()
    };
    let (cpu, accelerator) = (time(true), time(false));
    if cpu == 0 {
        return Outcome::Passed("No ops ran on the CPU.".to_owned());
    }
    let mut names: Vec<&str> = session
        .program_runs
        .iter()
        .filter(|run| is_cpu(&run.device))
        .map(|run| session.program(run.program).name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(3);
    let of_programs = match names.as_slice() {
        [] => String::new(),
        names => format!(" ({})", names.join(", ")),
    };
    finding(
        &RULE,
        if cpu > accelerator { Severity::Bad } else { Severity::Warning },
        format!(
            "XLA ran ops on the host CPU for {}{of_programs}, compared with {} on accelerators.",
            format::duration_ps(cpu as f64),
            format::duration_ps(accelerator as f64)
        ),
    )
    .why("Computations on arrays that are committed to the CPU also run on the CPU.")
    .fix("Find the program among the ops of the CPU device, and put its arguments on the accelerator.")
    .code("x = jax.device_put(x, jax.devices()[0])\njax.config.update(\"jax_platforms\", \"cuda\")   # an error instead of a fallback")
    .seen([in_view("ops", "ops of the CPU device".to_owned())])
    .found()
}
