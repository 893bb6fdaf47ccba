//! `work_on_cpu`: the process had an accelerator, but only XLA:CPU recorded work.

use super::{EXPLAIN_SILENCE, Rule, has};
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::report::{Finding, Severity};

pub(super) const RULE: Rule = Rule {
    ids: &["work_on_cpu"],
    look,
};

/// Versions that JAX records for each backend of the process.
const BACKENDS: [(&str, &str); 5] = [
    ("tpu_version", "TPU"),
    ("libtpu_version", "TPU"),
    ("gpu_version", "GPU"),
    ("cuda_version", "GPU"),
    ("rocm_version", "GPU"),
];

/// The accelerator of the environment, from a recorded version or from the manifest's devices.
pub(super) fn accelerator(evidence: &Evidence<'_>) -> Option<&'static str> {
    let hosts = &evidence.session.hosts;
    let has_fact = |name: &str| {
        let mut facts = hosts.iter().flat_map(|host| &host.facts);
        facts.any(|fact| fact.0 == name)
    };
    let recorded = BACKENDS.iter().find(|(name, _)| has_fact(name));
    let manifests = hosts.iter().filter_map(|host| host.manifest.as_ref());
    let mut kinds = manifests
        .flat_map(|manifest| &manifest.devices)
        .map(|device| &device.0);
    recorded.map(|found| found.1).or_else(|| {
        let kind = kinds.find(|kind| !kind.to_lowercase().contains("cpu"))?;
        Some(if kind.to_lowercase().contains("tpu") {
            "TPU"
        } else {
            "GPU"
        })
    })
}

fn look(evidence: &Evidence<'_>, found: &[Finding]) -> Vec<Finding> {
    let Some(accelerator) = accelerator(evidence) else {
        return Vec::new();
    };
    if !evidence.is_cpu_only() || has(found, EXPLAIN_SILENCE) {
        return Vec::new();
    }
    vec![
        Finding::new(
            "work_on_cpu",
            Severity::Bad,
            format!("Only XLA:CPU recorded work, although the process had a {accelerator}."),
        )
        .why(
            "The arrays are on the CPU (jax.default_device, device_put, JAX_PLATFORMS), or the \
         accelerator's tracer did not start.",
        )
        .fix(
            "Check `jax.devices()` and `array.devices()` in the program. If they list the \
         accelerator, run `stepscope doctor` there.",
        ),
    ]
}
