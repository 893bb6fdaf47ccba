//! Ops that ran on the host's CPU although there is an accelerator (guides: unexpected CPU fallback).

use stepscope_model::DeviceKind;

use super::{NO_WORK, Outcome, Rule, finding};
use crate::advice::facts::{Facts, in_view};
use crate::advice::report::Confidence;
use crate::format;
use crate::verdict::Severity;

pub(super) static RULE: Rule = Rule {
    id: "cpu_fallback",
    title: "Ops on the CPU beside an accelerator",
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let session = facts.session;
    let time = |is_cpu: bool| -> i64 {
        let devices = session
            .device_ids()
            .filter(|id| (session.device(*id).kind == DeviceKind::Cpu) == is_cpu);
        let titles: Vec<String> = devices.map(|id| session.device_title(id)).collect();
        let own = facts
            .ops
            .devices
            .iter()
            .filter(|device| titles.contains(&device.device));
        own.map(|device| device.self_ps).sum()
    };
    if !facts.has_work() {
        return Outcome::Skipped(NO_WORK.to_owned());
    }
    if session
        .devices
        .iter()
        .all(|device| device.kind == DeviceKind::Cpu)
    {
        return Outcome::Skipped("There is no accelerator here.".to_owned());
    }
    let (cpu, accelerator) = (time(true), time(false));
    if cpu == 0 {
        return Outcome::Passed("No op ran on the CPU.".to_owned());
    }
    finding(
        &RULE,
        if cpu > accelerator { Severity::Bad } else { Severity::Warning },
        format!(
            "XLA ran ops on the host's CPU for {}, beside {} on accelerators.",
            format::duration_ps(cpu as f64),
            format::duration_ps(accelerator as f64)
        ),
    )
    .why("Arrays committed to the CPU keep what is computed from them there.")
    .fix("See which program it is (ops of the CPU device), and put its arguments on the accelerator.")
    .code("x = jax.device_put(x, jax.devices()[0])\njax.config.update(\"jax_platforms\", \"cuda\")   # an error instead of a fallback")
    .sure(Confidence::High)
    .seen([in_view("ops", "ops of the CPU device".to_owned())])
    .found()
}
