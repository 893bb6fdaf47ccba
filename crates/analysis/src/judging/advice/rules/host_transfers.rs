//! Exposed copies between host and device (guides: data on the wrong device, large or repeated
//! transfers).

use super::{Outcome, PART_ESTIMATE, Rule, finding, part};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::{Facts, part_ps};
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "host_transfers",
    title: "Copies between host and device",
    parts: &[PartKind::HostToDevice, PartKind::DeviceToHost],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let found = match part(facts, "exposed_transfer_ratio", RULE.parts) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let transfers = facts.kernels().map(|kernels| &kernels.transfers);
    let of_host = transfers.into_iter().flatten();
    let evidence = of_host
        .filter(|row| row.direction.contains("host"))
        .map(|row| {
            let bytes = row.bytes.map_or_else(String::new, |bytes| {
                format!(", {}", format::bytes(bytes as f64))
            });
            let (count, words) = (row.occurrences, row.direction.replace('_', " "));
            let memory = match row.memory.as_str() {
                "" => String::new(),
                memory => format!(", {memory} memory"),
            };
            in_view("kernels", format!("{count} copies {words}{bytes}{memory}"))
        });
    let mean_of = |part: PartKind| {
        let places = facts.by_place(|row| part_ps(row, part) as f64);
        let own = places.iter().find(|of| of.place == found.place);
        own.map_or(0.0, |of| of.mean)
    };
    let to_device = mean_of(PartKind::HostToDevice) >= mean_of(PartKind::DeviceToHost);
    let (most, direction) = if to_device {
        (PartKind::HostToDevice, "to the device")
    } else {
        (PartKind::DeviceToHost, "to the host")
    };
    let is_copy = |row: &OpRow| {
        let words = [
            "copy-start",
            "copy-done",
            "infeed",
            "outfeed",
            "host send",
            "host recv",
        ];
        words.iter().any(|word| row.category.starts_with(word))
    };
    let by_program = facts.largest_ops(is_copy);
    let is_offload = by_program.iter().any(|seen| seen.op.starts_with("copy-"));
    finding(
        &RULE,
        found.severity,
        format!(
            "{} only copies between itself and its host, mostly {direction}, for {}.",
            facts.place_name(found.place),
            found.text
        ),
    )
    .why(if is_offload {
        "The program keeps arrays in host memory (offloading) and fetches them in every step, which \
         takes longer than the computation that could hide it."
    } else {
        "Data is not where it is used, or it moves back and forth in every step."
    })
    .fix(if is_offload {
        "Keep what every step needs on the device. Offload less, or in smaller pieces that are fetched \
         a layer ahead. The memory plan (`buffers`) shows how much room there is."
    } else {
        "Call jax.device_put on inputs before the step that needs them, and only once for data that \
         every step uses; keep state and intermediate results on the device; do not convert to NumPy \
         in the loop (np.asarray, float()); read metrics only every hundred steps."
    })
    .fix_elsewhere(if is_offload {
        ""
    } else {
        "Put inputs on the device before the step that needs them; keep state and intermediate \
         results there; read metrics only every hundred steps."
    })
    .code(&if is_offload {
        String::new()
    } else {
        facts.example("batch = jax.device_put(batch, sharding)   # while the step before runs")
    })
    .gain(Some(found.time), PART_ESTIMATE)
    .of_step(found.step_ps)
    .seen(facts.longest(found.place, most))
    .seen(evidence)
    .seen(by_program)
    .found()
}
