//! `device_tracing_off`: device_tracer_level=0 omits the rows of GPUs and TPUs.

use stepscope_model::DeviceKind;

use super::{Rule, work_on_cpu};
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::report::{Finding, Severity};

pub(super) const RULE: Rule = Rule {
    ids: &["device_tracing_off"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let session = evidence.session;
    let is_off = session
        .hosts
        .iter()
        .any(|host| host.number("option device_tracer_level") == Some(0));
    // XLA:CPU records its ops on the host, regardless of the level.
    let has_accelerator = evidence
        .working()
        .any(|id| session.device(id).kind != DeviceKind::Cpu);
    let is_wanted = work_on_cpu::accelerator(evidence).is_some() || !evidence.has_work();
    if !is_off || has_accelerator || !is_wanted {
        return Vec::new();
    }
    vec![
        Finding::new(
            "device_tracing_off",
            Severity::Bad,
            "Device tracing was off (device_tracer_level=0).",
        )
        .why("Ops, kernels and copies of GPUs and TPUs are not recorded.")
        .fix("Keep the default, `options.device_tracer_level = 1`."),
    ]
}
