//! `cupti_rival`, `cupti_permission`, `cupti_missing`: NVIDIA's tracer did not start, according to the
//! recorder. Without device work this is bad; otherwise it is a warning.

use stepscope_model::WarningKind;

use super::Rule;
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::report::{Finding, Severity};

pub(super) const RULE: Rule = Rule {
    ids: &["cupti_rival", "cupti_permission", "cupti_missing"],
    look,
};

struct Cause {
    id: &'static str,
    /// The message contains one of these, in lower case.
    words: &'static [&'static str],
    why: &'static str,
    fix: &'static str,
}

const CAUSES: [Cause; 3] = [
    Cause {
        id: "cupti_rival",
        words: &[
            "multiple_subscribers",
            "multiple subscribers",
            "already subscribed",
        ],
        why: "Another profiler is using CUPTI, which allows one user at a time unless all share it.",
        fix: "Run without nsys, ncu, compute-sanitizer and other GPU profilers; `stepscope doctor` \
         lists those it finds. With CUDA 13.2 or newer, \
         `XLA_FLAGS=--xla_gpu_enable_cupti_multi_subscriber` lets XLA share it.",
    },
    Cause {
        id: "cupti_permission",
        words: &[
            "insufficient_privileges",
            "insufficient privileges",
            "permission",
        ],
        why: "The NVIDIA driver allows only administrators to trace GPUs.",
        fix: "Set `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in \
         /etc/modprobe.d/nvidia-profiling.conf and reboot, or give the container \
         `--cap-add=SYS_ADMIN`.",
    },
    Cause {
        id: "cupti_missing",
        words: &[
            "libcupti",
            "not initialized",
            "could not be loaded",
            "cupti_error",
        ],
        why: "JAX did not find a CUPTI library that matches the driver.",
        fix: "Install it with JAX: `pip install -U \"jax[cuda13]\"`, and remove other CUDA versions \
         from LD_LIBRARY_PATH.",
    },
];

/// The cause that a message from the recorder describes, if it is about CUPTI.
fn cause(message: &str) -> Option<&'static Cause> {
    let lower = message.to_lowercase();
    if !lower.contains("cupti") || lower.contains("drop") {
        return None;
    }
    CAUSES
        .iter()
        .find(|cause| cause.words.iter().any(|word| lower.contains(word)))
}

/// Whether this rule reports the message.
pub(super) fn is_told(message: &str) -> bool {
    cause(message).is_some()
}

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let warnings = evidence.warnings(&[WarningKind::Recorder]);
    let mut findings: Vec<Finding> = Vec::new();
    for warning in warnings {
        let Some(cause) = cause(&warning.message) else {
            continue;
        };
        if findings.iter().any(|finding| finding.id == cause.id) {
            continue;
        }
        let severity = if evidence.has_work() {
            Severity::Warning
        } else {
            Severity::Bad
        };
        let what = format!(
            "{}: {}.",
            warning.host,
            warning.message.trim_end_matches('.')
        );
        findings.push(
            Finding::new(cause.id, severity, what)
                .why(cause.why)
                .fix(cause.fix),
        );
    }
    findings
}
