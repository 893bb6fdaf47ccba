//! Exposed communication (guides: large all-reduce, poor overlap). The figure per step is the part
//! *collectives* of `steps`; figures and reasons per op are those of `collectives`.

use super::slow_links::SlowLinks;
use super::{Outcome, Rule, finding, gravity, no_steps};
use crate::judging::advice::evidence::{between, in_view};
use crate::judging::advice::facts::{Facts, part_ps};
use crate::judging::advice::report::{AdviceEvidence, Confidence};
use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;
use crate::measuring::work::has_worked;
use crate::telling::format;
use crate::views::collectives::CollectiveRow;
use stepscope_model::{DeviceKind, SaturatingSum as _, Session};

pub(super) static RULE: Rule = Rule {
    id: "exposed_communication",
    title: "Exposed communication",
    parts: &[PartKind::Collectives],
    check,
};

/// Waiting for the last participant is told from this share of the time of collectives on.
const MUCH_WAITING: f64 = 0.05;

/// Number of collectives in the evidence.
const TOLD: usize = 4;

fn check(facts: &Facts<'_>) -> Outcome {
    let exposed = |row: &_| part_ps(row, PartKind::Collectives) as f64;
    let Some((period, mean)) = facts.period_ps().zip(facts.mean(exposed)) else {
        return Outcome::Skipped(no_steps(facts));
    };
    let ratio = mean / period;
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("exposed_collectives_ratio"), ratio) else {
        let period = facts.period();
        return Outcome::Passed(format!("{share} of {period}, mean over devices."));
    };
    let what = format!(
        "Devices communicate for {} of {} ({share}) without computing anything, mean over devices.{}",
        format::duration_ps(mean),
        facts.period(),
        spread(facts)
    );
    if facts.is_cpu_only() {
        return on_cpu(facts, severity, what);
    }
    let rows = facts.collectives();
    let waits = waiting_ratio(rows);
    let waited = waiting_told(waits);
    let compute = facts.mean(|row| part_ps(row, PartKind::DeviceCompute) as f64);
    let places = facts.by_place(exposed);
    let least = places
        .iter()
        .map(|place| place.mean)
        .fold(f64::INFINITY, f64::min);
    let compute = compute.unwrap_or(0.0);
    let transferred = least.min(mean * (1.0 - waits.unwrap_or(0.0)));
    let reason_of_most = rows.first().map_or("", |row| row.reason.as_str());
    // Overlap hides at most the computation: of much longer communication there has to be less.
    let is_too_much = compute < transferred * MOST_TO_HIDE && reason_of_most != "late_participant";
    let main = if is_too_much {
        "compute_shorter"
    } else {
        reason_of_most
    };
    let (gain, estimate, limit) = if is_too_much {
        let most = format::duration_ps(compute);
        let limit =
            format!(" Devices compute for {most} per step, so overlap can hide no more than that.");
        (transferred, WITHOUT_WAITING.to_owned(), limit)
    } else {
        let estimate = format!("{WITHOUT_WAITING}, at most the computation that could hide it");
        (transferred.min(compute), estimate, String::new())
    };
    let slow = SlowLinks::of(facts);
    let rate = slow.as_ref().map_or_else(String::new, SlowLinks::told);
    let first = |text: &str| match &slow {
        Some(_) => format!("{} {text}", SlowLinks::FIX),
        None => text.to_owned(),
    };
    finding(&RULE, severity, format!("{what}{rate}{waited}{limit}"))
        .why(match &slow {
            Some(_) => format!("{} {}", SlowLinks::WHY, reason(main).1),
            None => reason(main).1.to_owned(),
        })
        .fix(first(remedy(main)))
        .fix_elsewhere(first(remedy_elsewhere(main)))
        .code(code(facts, main, slow.is_some()))
        .gain(Some(gain), estimate)
        .without("hide:collectives")
        .sure(Confidence::Medium)
        .seen(told(rows, mean))
        .found()
}

const WITHOUT_WAITING: &str = "exposed communication of the device with the least of it, without waiting \
                               for the last participant";
/// Share of the communication that overlap should be able to hide, to be the remedy.
const MOST_TO_HIDE: f64 = 0.5;

const FLAGS: &str = "XLA_FLAGS=\"--xla_gpu_enable_latency_hiding_scheduler=true\"";

/// What to set: a flag for overlap only where overlap helps, and where the compiler needs one.
fn code(facts: &Facts<'_>, main: &str, is_slow: bool) -> &'static str {
    if !facts.kinds().all(DeviceKind::is_gpu) {
        return "";
    }
    match main {
        _ if is_slow => SlowLinks::CODE,
        "late_participant" | "compute_shorter" => "",
        _ => FLAGS,
    }
}

/// The finding for XLA:CPU. Virtual devices share the cores of their host, and processes may share those of their
/// machine, so there is no estimate.
fn on_cpu(facts: &Facts<'_>, severity: Severity, what: String) -> Outcome {
    // With several hosts, waiting is meaningful.
    let several = facts.session.hosts.len() > 1;
    let evidence = if several {
        let mean = facts.mean(|row| part_ps(row, PartKind::Collectives) as f64);
        told(facts.collectives(), mean.unwrap_or(0.0))
    } else {
        facts.largest_ops(|row| row.class == "collective")
    };
    let share_cores = facts.share_cores();
    let waited = if share_cores {
        String::new()
    } else {
        waiting_told(waiting_ratio(facts.collectives()))
    };
    let finding = finding(&RULE, severity.max(Severity::Warning), what + &waited)
        .sure(Confidence::Low)
        .seen(evidence)
        .seen([in_view(
            "collectives",
            "bytes and participants of each".to_owned(),
        )]);
    if lacks_participants(facts) && has_merged_devices(facts.session) {
        return finding
            .why(
                "Virtual devices of XLA:CPU share the cores of their host, and this version of jaxlib does \
                 not record which of them ran an op, so it is unknown which one is late.",
            )
            .fix("Record with a newer jaxlib (0.7.2 or later) to see each device.")
            .found();
    }
    if lacks_participants(facts) {
        return finding
            .why(
                "Other participants of these collectives were not captured, so it is unknown how much of \
                 this time is waiting for one that is late.",
            )
            .fix(
                "Capture all processes of the job at the same time, and open their captures as one \
                 session: then the time of each divides into waiting and transfer, and the last to arrive has a name.",
            )
            .found();
    }
    let main = facts.collectives().first().map(|row| row.reason.as_str());
    if let Some(late @ "late_participant") = main.filter(|_| several) {
        return finding.why(reason(late).1).fix(remedy(late)).found();
    }
    if !share_cores {
        return finding
            .why(reason(main.unwrap_or_default()).1)
            .fix(
                "Communicate less: accumulate gradients over several batches, or choose a sharding that \
                 communicates less. If several of these processes run on one machine, they share its cores, and \
                 this time says little of a cluster.",
            )
            .found();
    }
    finding
        .why(
            "Virtual devices of XLA:CPU share the cores of their host: they take turns on them and \
             run collectives one after another with all other work.",
        )
        .fix(
            "Measure communication on accelerators; this time says little about them. The number and \
             size of the collectives in this capture are still valid.",
        )
        .found()
}

/// Whether ops of XLA:CPU name neither their run nor their device: then one device may stand for several.
fn has_merged_devices(session: &Session) -> bool {
    let mut runs = session.program_runs.iter();
    !session.program_runs.is_empty() && runs.all(|run| run.run_id.is_none())
}

/// Whether some collectives have more participants than devices recorded work.
fn lacks_participants(facts: &Facts<'_>) -> bool {
    let session = facts.session;
    let devices = session.device_ids().filter(|&id| has_worked(session, id));
    let devices = i64::try_from(devices.count()).unwrap_or(i64::MAX);
    let mut sizes = facts.collectives().iter().filter_map(|row| row.group_size);
    sizes.any(|size| size > devices)
}

/// The range of exposed communication over devices, if they differ much.
fn spread(facts: &Facts<'_>) -> String {
    let places = facts.by_place(|row| part_ps(row, PartKind::Collectives) as f64);
    let times = places.iter().map(|place| place.mean);
    let least = times.clone().fold(f64::INFINITY, f64::min);
    let most = times.fold(0.0, f64::max);
    if most - least <= 0.2 * most {
        return String::new();
    }
    format!(
        " It ranges from {} to {} across devices.",
        format::duration_ps(least),
        format::duration_ps(most)
    )
}

/// That share, unless it is small.
fn waiting_told(waits: Option<f64>) -> String {
    let much = waits.filter(|&waits| waits > MUCH_WAITING);
    much.map_or_else(String::new, |waits| {
        let share = format::percent(waits);
        format!(" {share} of collective time is spent waiting for the last participant.")
    })
}

/// Share of the time of matched collectives that was spent waiting for the last participant.
fn waiting_ratio(rows: &[CollectiveRow]) -> Option<f64> {
    let known = rows
        .iter()
        .filter_map(|row| row.wait_ps.zip(row.transfer_ps));
    let (wait, all) = known.fold((0i64, 0i64), |sums, (wait, transfer)| {
        (
            sums.0.saturating_add(wait),
            sums.1.saturating_add(wait).saturating_add(transfer),
        )
    });
    (all > 0).then(|| wait as f64 / all as f64)
}

/// The collectives with the most exposed time: their exposed time per step, and why it was not hidden.
fn told(rows: &[CollectiveRow], step_ps: f64) -> Vec<AdviceEvidence> {
    let all: i64 = rows.iter().map(|row| row.exposed_ps).saturating_sum();
    let shown = rows.iter().filter(|row| row.exposed_ps > 0).take(TOLD);
    shown
        .map(|row| {
            let of_step = step_ps * row.exposed_ps as f64 / all.max(1) as f64;
            let bytes = row.bytes.map_or_else(String::new, |bytes| {
                format!(" of {}", format::bytes(bytes as f64))
            });
            let why = reason(&row.reason).0;
            let text = format!(
                "{}{bytes}: {} exposed per step; {why}",
                format::shortened(&row.name),
                format::duration_ps(of_step)
            );
            AdviceEvidence {
                program_id: row.program_id.clone(),
                op: row.name.clone(),
                source: row.source.clone(),
                ..between(row.start_ps, row.start_ps + row.max_ps, text)
            }
        })
        .collect()
}

/// A reason in a few words and in a sentence.
fn reason(key: &str) -> (&'static str, &'static str) {
    match key {
        "late_participant" => (
            "a participant is late",
            "Most of it is waiting: the participants arrive at different times, so the delay comes from \
             the last participant, not from slow communication.",
        ),
        "synchronous" => (
            "the program runs it synchronously",
            "The program runs its collectives synchronously: nothing else can run on the device \
             until they end.",
        ),
        "nothing_scheduled" => (
            "hardly anything was scheduled during it",
            "The collectives are asynchronous, but the schedule has hardly any computation between their start \
             and end.",
        ),
        "compute_shorter" => (
            "the computation during it is shorter",
            "The collectives take longer than the computation that could run during them.",
        ),
        _ => (
            "nothing ran during it",
            "A collective whose result the next op needs immediately cannot overlap with anything. A \
             small collective costs its latency regardless of its size.",
        ),
    }
}

fn remedy(key: &str) -> &'static str {
    match key {
        "late_participant" => {
            "Check in `hosts` which host arrives last and what it does before. Balance the work of the \
             devices."
        }
        "compute_shorter" => {
            "Communicate less: accumulate gradients over several batches, use bf16 gradients, or choose \
             a sharding that communicates within hosts instead of between them."
        }
        _ => {
            "Let the compiler overlap it (latency-hiding scheduler, asynchronous collectives); combine \
             small collectives; accumulate gradients over several batches; choose a sharding that \
             communicates less, or within hosts instead of between them."
        }
    }
}

/// Like [`remedy`], for programs whose compiler is unknown.
fn remedy_elsewhere(key: &str) -> &'static str {
    match key {
        "late_participant" | "compute_shorter" => remedy(key),
        _ => {
            "Overlap it with computation (asynchronous collectives on a separate stream); combine \
             small collectives; accumulate gradients over several batches; divide the work so that \
             it communicates less, or within hosts instead of between them."
        }
    }
}
