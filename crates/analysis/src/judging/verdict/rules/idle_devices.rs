//! `idle_devices`: some devices worked in the observed time and others did not, as in `overview`.

use stepscope_model::{DeviceId, Framework};

use super::Rule;
use crate::judging::verdict::evidence::{Evidence, listed};
use crate::judging::verdict::report::{Finding, Severity};
use crate::measuring::workload::partition_count;
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["idle_devices"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let session = evidence.session;
    // Rows of plug-ins and SparseCores are empty in most programs.
    let counted = session
        .device_ids()
        .filter(|&id| !session.device(id).kind.is_companion());
    let is_busy = |id: &DeviceId| {
        let mut devices = evidence.overview.devices.iter();
        devices.any(|device| device.device_index == id.0 && device.busy_ratio.is_some())
    };
    let (working, idle): (Vec<_>, Vec<_>) = counted.partition(is_busy);
    if working.is_empty() || idle.is_empty() {
        return Vec::new();
    }
    let titles: Vec<String> = idle.iter().map(|&id| session.device_title(id)).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let what = format!(
        "{} of {} recorded no work in the observed time: {}.",
        idle.len(),
        format::counted(working.len() + idle.len(), "device"),
        listed(&titles)
    );
    let is_jax = session.framework() == Framework::Jax;
    let partitions = partition_count(session);
    let (why, fix) = if partitions > working.len() as u64 {
        let why = format!(
            "They are excluded from means. According to its HLO, a program is divided over {partitions} \
             devices: the others worked outside of that time, or their work was not recorded."
        );
        (
            why,
            "Capture more steps. If their work is still missing, run `stepscope doctor`.",
        )
    } else {
        let fix = match (is_jax, partitions > 1) {
            (true, true) => {
                "If the program should use them, check the sharding of its inputs: \
                 `jax.debug.visualize_array_sharding(array)`."
            }
            (true, false) => {
                "If the program should use them, divide its arrays over them: \
                 `jax.device_put(batch, NamedSharding(mesh, P(\"data\")))`."
            }
            (false, _) => {
                "If the program should use them, check how its inputs are divided across devices."
            }
        };
        ("They are excluded from means.".to_owned(), fix)
    };
    vec![
        Finding::new("idle_devices", Severity::Info, what)
            .why(why)
            .fix(fix),
    ]
}
