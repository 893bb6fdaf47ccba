//! Differences in the environment of a program, as causes: chips and versions, then its options.

use super::cause::cause;
use super::report::{ComparedCause, ComparedFact};
use super::side::Side;
use crate::telling::format;

/// Maximum number of facts that a cause names.
const NAMED: usize = 4;

/// Different chips, number of devices, or versions.
pub(super) fn hardware_and_versions(facts: &[ComparedFact]) -> Option<ComparedCause> {
    told(facts, |name| {
        let order = ["chip", "devices", "jax_version", "jaxlib_version"];
        let place = order.iter().position(|known| *known == name);
        place.or_else(|| name.contains("version").then_some(order.len()))
    })
}

/// Other things were recorded: what hosts did, or what devices did. It costs time, and it decides what
/// analyses can tell.
pub(super) fn recording(facts: &[ComparedFact]) -> Option<ComparedCause> {
    let texts: Vec<String> = TRACERS
        .iter()
        .filter_map(|(tracer, title)| {
            let fact = level(facts, tracer)?;
            let [before, after] = [fact.baseline.as_str(), fact.other.as_str()];
            Some(match (before, after) {
                ("0", _) => format!("the {title} on instead of off"),
                (_, "0") => format!("the {title} off instead of on"),
                _ => format!("the {title} at level {after} instead of {before}"),
            })
        })
        .collect();
    let cost = match level(facts, PYTHON) {
        Some(fact) if fact.baseline == "0" => ": time on the host includes its cost",
        Some(fact) if fact.other == "0" => ": time on the host no longer includes its cost",
        _ => "",
    };
    let text = format!("recorded with {}{cost}", texts.join(" and "));
    (!texts.is_empty()).then(|| cause("recording", text, None))
}

/// Whether other things were recorded of what hosts do, so that the same time may be input on one side and
/// unknown on the other.
pub(super) fn is_host_recorded_otherwise(sides: [&Side<'_>; 2]) -> bool {
    let level = |side: &Side<'_>, tracer: &str| {
        let mut facts = side.environment.facts.iter();
        let found = facts.find(|fact| is_level(&fact.name, tracer));
        found.map(|fact| fact.value.clone())
    };
    [PYTHON, HOST].iter().any(|tracer| {
        let levels = sides.map(|side| level(side, tracer));
        levels[0] != levels[1] && levels.iter().all(Option::is_some)
    })
}

const PYTHON: &str = "python_tracer_level";
const HOST: &str = "host_tracer_level";

/// Options of the profiler that say what it records, and what they are called in a sentence.
const TRACERS: [(&str, &str); 3] = [
    (PYTHON, "Python tracer"),
    (HOST, "host tracer"),
    ("device_tracer_level", "device tracer"),
];

/// The fact that the level of a tracer differs, if both are known.
fn level<'a>(facts: &'a [ComparedFact], tracer: &str) -> Option<&'a ComparedFact> {
    let mut levels = facts.iter().filter(|fact| is_level(&fact.name, tracer));
    levels.find(|fact| !fact.baseline.is_empty() && !fact.other.is_empty())
}

/// Captures name their options, and so do manifests: `option python_tracer_level`.
fn is_level(name: &str, tracer: &str) -> bool {
    let rest = name.strip_prefix("option");
    rest.is_some_and(|rest| rest.trim_start_matches([' ', '_']) == tracer)
}

/// Flags, arguments and commits.
pub(super) fn options(facts: &[ComparedFact]) -> Option<ComparedCause> {
    told(facts, |name| {
        let known = ["XLA_FLAGS", "arguments", "git_commit"];
        known.iter().position(|part| name.contains(part))
    })
}

/// The facts that have a place, in the order of places.
fn told(facts: &[ComparedFact], place: impl Fn(&str) -> Option<usize>) -> Option<ComparedCause> {
    let known = facts
        .iter()
        .filter(|fact| !fact.baseline.is_empty() && !fact.other.is_empty());
    let mut placed: Vec<(usize, &ComparedFact)> = known
        .filter_map(|fact| Some((place(&fact.name)?, fact)))
        .collect();
    placed.sort_by_key(|(place, _)| *place);
    let texts: Vec<String> = placed
        .iter()
        .take(NAMED)
        .map(|(_, fact)| {
            let [before, after] = [&fact.baseline, &fact.other].map(|text| format::shortened(text));
            format!("{} {before} → {after}", fact.name)
        })
        .collect();
    let text = format!("the environment differs: {}", texts.join(", "));
    (!texts.is_empty()).then(|| cause("environment", text, None))
}

/// Facts that differ between two sessions: devices, chips, versions, options and manifests. Facts that
/// differ between any two runs (times, process ids, names of captures) are left out.
pub(super) fn environment(sides: [&Side<'_>; 2]) -> Vec<ComparedFact> {
    let all = sides.map(|side| {
        let mut facts = vec![("devices".to_owned(), side.environment.devices.clone())];
        let chips = side.environment.chips.iter().map(|chip| chip.name.as_str());
        let chips: Vec<&str> = chips.filter(|name| !name.is_empty()).collect();
        facts.push(("chip".to_owned(), chips.join(", ")));
        let recorded = side.environment.facts.iter();
        facts.extend(recorded.map(|fact| (fact.name.clone(), fact.value.clone())));
        facts
    });
    let mut names: Vec<&String> = all.iter().flatten().map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    let value = |side: usize, name: &str| {
        let values = all[side].iter().filter(|(known, _)| known == name);
        let values: Vec<&str> = values.map(|(_, value)| value.as_str()).collect();
        values.join(", ")
    };
    let rows = names.into_iter().filter(|name| !differs_always(name));
    rows.map(|name| ComparedFact {
        name: name.clone(),
        baseline: value(0, name),
        other: value(1, name),
    })
    .filter(|fact| fact.baseline != fact.other)
    .collect()
}

/// Whether the fact differs between any two runs.
fn differs_always(name: &str) -> bool {
    let name = name.to_lowercase();
    [
        "time",
        "pid",
        "process",
        "capture_",
        "hostname",
        "session_id",
        "epoch",
        "_ns",
    ]
    .iter()
    .any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(name: &str, baseline: &str, other: &str) -> ComparedFact {
        ComparedFact {
            name: name.to_owned(),
            baseline: baseline.to_owned(),
            other: other.to_owned(),
        }
    }

    #[test]
    fn the_chip_comes_before_versions_and_options() {
        let facts = [
            fact("XLA_FLAGS", "a", "b"),
            fact("chip", "NVIDIA A100", "NVIDIA H100"),
            fact("cuda_version", "12.1", "12.4"),
            fact("jax_version", "0.7.0", "0.8.0"),
            fact("numpy_version", "", "2.1"),
        ];
        let text = |cause: Option<ComparedCause>| cause.map(|cause| cause.text);
        assert_eq!(
            text(hardware_and_versions(&facts)).as_deref(),
            Some(
                "the environment differs: chip NVIDIA A100 → NVIDIA H100, jax_version 0.7.0 → 0.8.0, \
                 cuda_version 12.1 → 12.4"
            )
        );
        assert_eq!(
            text(options(&facts)).as_deref(),
            Some("the environment differs: XLA_FLAGS a → b")
        );
        assert_eq!(text(options(&facts[1..2])), None);
    }
}
