//! `idle_devices`: some devices worked in the steps, and others at other times or never, as in `overview`.

use stepscope_model::{DeviceId, Framework};

use super::Rule;
use crate::judging::verdict::evidence::{Evidence, listed};
use crate::judging::verdict::report::{Finding, Severity};
use crate::measuring::busy::{self, DeviceBusy, Excluded};
use crate::measuring::workload::partition_count;
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["idle_devices"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let session = evidence.session;
    let (devices, steps) = (&evidence.overview.devices, &evidence.overview.steps.rows);
    let Excluded {
        mut beside,
        mut outside,
        mut never,
    } = busy::excluded(session, devices, steps);
    // Rows of plug-ins and SparseCores are empty in most programs.
    let is_counted = |device: &&DeviceBusy| {
        let kind = session.device(DeviceId(device.device_index)).kind;
        !kind.is_companion()
    };
    beside.retain(is_counted);
    outside.retain(is_counted);
    never.retain(is_counted);
    let (working, idle) = (
        busy::counted(devices, steps)
            .into_iter()
            .filter(is_counted)
            .count(),
        beside.len() + outside.len() + never.len(),
    );
    if working == 0 || idle == 0 {
        return Vec::new();
    }
    let all = format::counted(working + idle, "device");
    let names = |devices: &[&DeviceBusy]| {
        let names: Vec<&str> = devices
            .iter()
            .map(|device| device.device.as_str())
            .collect();
        listed(&names)
    };
    let time = if steps.iter().any(|row| row.device.is_some()) {
        "the steps"
    } else {
        "the observed time"
    };
    let mut sentences = Vec::new();
    if !never.is_empty() {
        let (count, names) = (never.len(), names(&never));
        sentences.push(format!("{count} of {all} recorded no work: {names}."));
    }
    if !beside.is_empty() {
        let (count, names) = (beside.len(), names(&beside));
        sentences.push(format!(
            "{count} of {all} ran nothing of a step, though {} worked meanwhile: {names}.",
            if count == 1 { "it" } else { "they" }
        ));
    }
    if !outside.is_empty() {
        let (count, names) = (outside.len(), names(&outside));
        sentences.push(format!(
            "{count} of {all} worked only outside of {time}: {names}."
        ));
    }
    let what = sentences.join(" ");
    let is_jax = session.framework() == Framework::Jax;
    let partitions = partition_count(session);
    let (why, fix) = if partitions > working as u64 {
        let others = match (outside.is_empty() && beside.is_empty(), never.is_empty()) {
            (true, _) => "the work of the others was not recorded",
            (_, true) => "the others worked at other times or ran nothing of a step",
            _ => "the others worked at other times, or their work was not recorded",
        };
        let why = format!(
            "They are excluded from means. According to its HLO, a program is divided over {partitions} \
             devices: {others}."
        );
        let fix = if never.is_empty() {
            "Capture more steps."
        } else {
            "Capture more steps. If their work is still missing, run `stepscope doctor`."
        };
        (why, fix)
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
