//! Exposed copies between host and device (guides: data on the wrong device, large or repeated
//! transfers).

use stepscope_model::DeviceId;

use super::{Outcome, PART_ESTIMATE, Rule, finding, part, who_spends};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::{Facts, Place, part_ps};
use crate::measuring::host_copies::{Copier, copier};
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::OpRow;

/// The title where Python calls of the program make the copies.
pub(super) const OF_CALLBACKS: &str = "Python calls copy between host and device";

/// An array from this size on is data.
const ARRAY_BYTES: u64 = 1024;

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
            let copies = if count == 1 { "copy" } else { "copies" };
            in_view(
                "kernels",
                format!("{count} {copies} {words}{bytes}{memory}"),
            )
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
    let kind = Kind::of(facts, found.place);
    let told = finding(
        &RULE,
        found.severity,
        format!(
            "{} {} on copies between itself and its host, mostly {direction}, while nothing else runs.",
            who_spends(facts, &found, RULE.parts),
            found.text
        ),
    )
    .why(kind.why())
    .fix(kind.fix())
    .fix_elsewhere(match kind {
        Kind::Given => {
            "Put inputs on the device before the step that needs them; keep state and intermediate \
             results there; read metrics only every hundred steps."
        }
        Kind::Offloaded | Kind::OfCallbacks => "",
    })
    .code(&match kind {
        Kind::Given => {
            facts.example("batch = jax.device_put(batch, sharding)   # while the step before runs")
        }
        Kind::Offloaded | Kind::OfCallbacks => String::new(),
    })
    .gain(Some(found.time), PART_ESTIMATE)
    .of_step(found.step_ps)
    .seen(facts.longest(found.place, most))
    .seen(evidence)
    .seen(by_program);
    if kind == Kind::OfCallbacks {
        return told.titled(OF_CALLBACKS.to_owned()).found();
    }
    told.found()
}

/// What a device and its host exchange, most of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Arrays that the program keeps in host memory.
    Offloaded,
    /// Arguments and results of Python calls.
    OfCallbacks,
    /// Input, results, and all else.
    Given,
}

impl Kind {
    fn of(facts: &Facts<'_>, (host, device): Place) -> Self {
        let is_own = |of: DeviceId| match device {
            Some(device) => of == device,
            None => facts.session.device(of).host == host,
        };
        let (mut offloaded_ps, mut called_ps, mut given_ps) = (0i64, 0i64, 0i64);
        let own = facts.totals.iter().filter(|totals| is_own(totals.device));
        for (id, totals) in own.flat_map(|totals| &totals.labels) {
            let label = facts.session.label(*id);
            let bytes = label.transfer.and_then(|transfer| transfer.bytes);
            let sum = match copier(facts.session, label) {
                None => continue,
                Some(Copier::Callback) => &mut called_ps,
                // What decides on a branch or the end of a loop is no array to keep.
                Some(Copier::Program) if bytes.is_none_or(|bytes| bytes >= ARRAY_BYTES) => {
                    &mut offloaded_ps
                }
                Some(Copier::Program | Copier::Host) => &mut given_ps,
            };
            *sum = sum.saturating_add(totals.self_ps);
        }
        if offloaded_ps > called_ps.max(given_ps) {
            Self::Offloaded
        } else if called_ps > given_ps {
            Self::OfCallbacks
        } else {
            Self::Given
        }
    }

    const fn why(self) -> &'static str {
        match self {
            Self::Offloaded => {
                "The program keeps arrays in host memory (offloading) and fetches them in every step, \
                 which takes longer than the computation that could hide it."
            }
            Self::OfCallbacks => {
                "The program calls Python: the arguments go to the host, and the results come back."
            }
            Self::Given => {
                "Data is not where it is used, or it moves back and forth in every step."
            }
        }
    }

    const fn fix(self) -> &'static str {
        match self {
            Self::Offloaded => {
                "Keep what every step needs on the device. Offload less, or in smaller pieces that are \
                 fetched a layer ahead. The memory plan (`buffers`) shows how much room there is."
            }
            Self::OfCallbacks => {
                "Compute it on the device instead. Where Python has to do it, pass smaller arrays."
            }
            Self::Given => {
                "Call jax.device_put on inputs before the step that needs them, and only once for data \
                 that every step uses; keep state and intermediate results on the device; do not convert \
                 to NumPy in the loop (np.asarray, float()); read metrics only every hundred steps."
            }
        }
    }
}
