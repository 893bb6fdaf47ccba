//! `kernel_regions`: TPU kernels written by hand took a large part of the time, and the capture does
//! not show what happens within them. The reason is a flag, a version, or the chip.

use stepscope_model::hlo::Kernel;
use stepscope_model::{DeviceKind, Label, SaturatingSum as _, Session, SliceKind, TrackRole};

use super::Rule;
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::limits;
use crate::judging::verdict::report::{Finding, Severity};
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["kernel_regions"],
    look,
};

/// The flags that make libtpu record what happens within kernels, and the versions that have them.
const FLAGS: &str = "LIBTPU_INIT_ARGS=\"--xla_xprof_register_llo_debug_info=true \
    --xla_xprof_enable_custom_call_tracing=true\"";
/// The first version of libtpu with one of the flags.
const LIBTPU: [u64; 3] = [0, 0, 42];
/// The first version of JAX with one of the flags.
const JAX: [u64; 3] = [0, 10, 2];

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let session = evidence.session;
    let is_shown = |track: &stepscope_model::Track| {
        track.role == TrackRole::KernelRegions && track.slice_count() > 0
    };
    if session.tracks.iter().any(is_shown) {
        return Vec::new();
    }
    let ratio = kernel_ratio(evidence);
    if ratio < limits::KERNEL_RATIO {
        return Vec::new();
    }
    let (why, fix) = cause(session);
    let share = format::percent(ratio);
    vec![
        Finding::new(
            "kernel_regions",
            Severity::Info,
            format!("{share} of TPU work is in kernels whose inside was not recorded."),
        )
        .why(why)
        .fix(fix),
    ]
}

/// Time in kernels written by hand ÷ time of the work of TPUs.
fn kernel_ratio(evidence: &Evidence<'_>) -> f64 {
    let session = evidence.session;
    let is_tpu = |device| session.device(device).kind == DeviceKind::Tpu;
    let on_tpus = evidence
        .overview
        .totals
        .iter()
        .filter(|own| is_tpu(own.device));
    let labels: Vec<_> = on_tpus.flat_map(|own| &own.labels).collect();
    let all = labels
        .iter()
        .map(|(_, totals)| totals.self_ps)
        .saturating_sum();
    let kernels = labels
        .iter()
        .filter(|(label, _)| is_kernel(session, session.label(*label)));
    let kernels = kernels.map(|(_, totals)| totals.self_ps).saturating_sum();
    kernels as f64 / all.max(1) as f64
}

fn is_kernel(session: &Session, label: &Label) -> bool {
    let Some(op) = label.op.filter(|_| label.kind == SliceKind::Op) else {
        return false;
    };
    let op = session.op(op);
    let hlo = session.program(op.program).hlo.as_ref();
    let call = hlo.and_then(|hlo| hlo.instruction(session.text(op.name)));
    match call {
        Some(call) => Kernel::is_call(call),
        None => session.text(op.expression).contains("\"tpu_custom_call\""),
    }
}

/// Why the rows are missing, and what to do: the chip, a version, else the flags.
fn cause(session: &Session) -> (String, String) {
    let chips = session
        .devices
        .iter()
        .filter(|device| device.kind == DeviceKind::Tpu);
    let is_v4 = |name: &str| name.to_lowercase().contains("v4");
    if let Some(chip) = chips
        .map(|device| &device.chip.name)
        .find(|name| is_v4(name))
    {
        return (
            format!("{chip} does not record what happens within kernels."),
            "Capture on a TPU v5e or newer.".to_owned(),
        );
    }
    let flags = format!(
        "Set `{FLAGS}` before the first use of JAX. The second flag makes captures 6 to 12 times as \
         large; capture few steps."
    );
    if let Some(what) = outdated(session) {
        return (
            format!("{what} has no flags for it."),
            format!("Update JAX to 0.11 or newer and libtpu to 0.0.44 or newer. {flags}"),
        );
    }
    let empty = session
        .tracks
        .iter()
        .any(|track| track.role == TrackRole::KernelRegions);
    if empty {
        return (
            "The rows `Pallas Primitives` and `LLO Ops` were recorded, but they are empty, as with \
             some versions of libtpu."
                .to_owned(),
            "Update libtpu.".to_owned(),
        );
    }
    (
        "The rows `Pallas Primitives` and `LLO Ops` require flags, jax 0.10.2 and libtpu 0.0.42 for \
         the compiler's instructions, jax 0.11 and libtpu 0.0.44 also for the kernel's primitives."
            .to_owned(),
        flags,
    )
}

/// A recorded version that is too old for any of the flags.
fn outdated(session: &Session) -> Option<String> {
    let known = [
        ("libtpu_version", "libtpu", LIBTPU),
        ("jax_version", "JAX", JAX),
    ];
    known.into_iter().find_map(|(name, title, first)| {
        let mut values = session.hosts.iter().filter_map(|host| host.fact(name));
        let old = values.find(|value| version(value).is_some_and(|own| own < first))?;
        Some(format!("{title} {old}"))
    })
}

/// `0.0.42.1` or `0.10.2`; none for another form.
fn version(text: &str) -> Option<[u64; 3]> {
    let mut parts = text.trim().split('.').map(|part| part.parse().ok());
    let mut next = || parts.next().flatten();
    Some([next()?, next()?, next().unwrap_or(0)])
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(version("0.0.42.1"), Some([0, 0, 42]));
        assert!(version("0.0.9") < version("0.0.42"));
        assert_eq!(version("built on Nov 3"), None);
    }
}
