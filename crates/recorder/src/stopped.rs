//! Processes that stopped without ending, and of which no other one said so: a lone process, or a job
//! that died whole. Their rings say it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::report::{Incident, IncidentRank};
use crate::ring::RingHead;

const NS_PER_MS: u64 = 1_000_000;
/// A process that cannot be looked for shows life twice a second, and a file of another machine may
/// be seen a minute late.
const SILENT_NS: u64 = 120_000_000_000;

/// A process that stopped, by its ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stopped {
    pub(crate) rank: u32,
    pub(crate) host: String,
    pub(crate) pid: u32,
    /// The last step that it ended; none before the first.
    pub(crate) step: Option<i64>,
    /// Its last sign of life.
    pub(crate) beat_ns: u64,
}

/// What is known of processes of this machine.
pub(crate) trait Processes {
    /// Whether the process that wrote a ring still exists; `None` if that cannot be known here.
    fn exists(&self, head: &RingHead) -> Option<bool>;
}

/// Those of the system. A number may belong to another process by now, and processes of another
/// machine or container have other numbers: the ring says which boot and which namespace counts.
pub(crate) struct OfThisSystem;

impl Processes for OfThisSystem {
    fn exists(&self, head: &RingHead) -> Option<bool> {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
        let own = format!("{} {}", boot.trim(), namespace.display());
        // Where processes of others are hidden, one that is not seen may exist.
        let is_seen = Path::new("/proc/1").exists();
        if !is_seen || head.about["process_space"].as_str()? != own {
            return None;
        }
        let (pid, started) = (
            head.about["pid"].as_u64()?,
            head.about["process_start_ticks"].as_u64()?,
        );
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
            return Some(false);
        };
        // `pid (name) state …`: the name may contain anything.
        let (_, rest) = stat.rsplit_once(')')?;
        let mut fields = rest.split_whitespace();
        let is_dead = matches!(fields.next()?, "Z" | "X");
        let began: u64 = fields.nth(18)?.parse().ok()?;
        Some(!is_dead && began == started)
    }
}

/// Whether the process of a ring stopped without ending. One that may still run did not.
pub(crate) fn is_stopped(head: &RingHead, now_ns: u64, processes: &dyn Processes) -> bool {
    if head.is_ended {
        return false;
    }
    match processes.exists(head) {
        Some(exists) => !exists,
        None => now_ns.saturating_sub(head.beat_ns) > SILENT_NS,
    }
}

/// The incident of ranks that stopped, without those that others already called lost.
pub(crate) fn incident(
    run: &str,
    folder: String,
    stopped: &[Stopped],
    lost: &BTreeSet<u32>,
) -> Option<Incident> {
    let mut left: Vec<&Stopped> = stopped
        .iter()
        .filter(|one| !lost.contains(&one.rank))
        .collect();
    left.sort_by_key(|one| one.rank);
    let latest = left.iter().max_by_key(|one| one.beat_ns)?;
    let lone = Some(*left.first()?).filter(|_| left.len() == 1);
    Some(Incident {
        id: format!("{run}_stopped"),
        run: run.to_owned(),
        kind: "lost".to_owned(),
        what: format!("{} stopped without ending {}", ranks(&left), after(&left)),
        cause: Some(cause(stopped)),
        rule: "a process ends".to_owned(),
        epoch_ms: latest.beat_ns / NS_PER_MS,
        step: left.iter().filter_map(|one| one.step).max(),
        rank: lone.map(|one| one.rank),
        host: lone.map(|one| one.host.clone()),
        is_reported: false,
        is_derived: true,
        ranks: left.iter().map(|one| told(one)).collect(),
        missing_ranks: Vec::new(),
        captures: Vec::new(),
        metrics: Vec::new(),
        folder,
    })
}

const CAUSE: &str = "unknown, since no process was left to tell: killed (when memory runs out, by a \
                     scheduler), crashed in native code, or lost with its machine; the job's log or \
                     `dmesg` may say which";

/// Ranks that wait for another one in a collective have ended a step that it has not.
fn cause(stopped: &[Stopped]) -> String {
    let least = stopped.iter().map(|one| one.step).min();
    let mut behind: Vec<&Stopped> = stopped
        .iter()
        .filter(|one| Some(one.step) == least)
        .collect();
    if 2 * behind.len() >= stopped.len() {
        return CAUSE.to_owned();
    }
    behind.sort_by_key(|one| one.rank);
    let first = ranks(&behind);
    let then = after(&behind);
    format!(
        "{first} stopped first, as it seems: {then}, while the others ended later ones; why is {CAUSE}"
    )
}

fn told(one: &Stopped) -> IncidentRank {
    IncidentRank {
        rank: one.rank,
        host: one.host.clone(),
        pid: one.pid,
        step: one.step.unwrap_or(-1),
        place: None,
    }
}

/// `rank 2`, or `ranks 0 to 3 and 7`.
fn ranks(stopped: &[&Stopped]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for one in stopped {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(one.rank) => *last = one.rank,
            _ => ranges.push((one.rank, one.rank)),
        }
    }
    let told = ranges.iter().map(|&(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first} and {last}"),
        _ => format!("{first} to {last}"),
    });
    let told: Vec<String> = told.collect();
    let word = if stopped.len() == 1 { "rank" } else { "ranks" };
    format!("{word} {}", told.join(", "))
}

fn after(stopped: &[&Stopped]) -> String {
    let steps = stopped.iter().filter_map(|one| one.step);
    let (least, most) = (steps.clone().min(), steps.max());
    match least.zip(most) {
        None => "before a step ended".to_owned(),
        Some((least, most)) if least == most => format!("after step {most}"),
        Some((least, most)) => format!("after steps {least} to {most}"),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use serde_json::json;

    use super::*;

    /// Answers the same for every process.
    struct Said(Option<bool>);

    impl Processes for Said {
        fn exists(&self, _: &RingHead) -> Option<bool> {
            self.0
        }
    }

    fn head(is_ended: bool) -> RingHead {
        RingHead {
            about: json!({}),
            beat_ns: 1_000,
            is_ended,
            count: 0,
            capacity: 4,
        }
    }

    #[test]
    fn a_process_that_may_still_run_did_not_stop() {
        let (soon, late) = (1_000 + SILENT_NS, 1_001 + SILENT_NS);
        let stopped = |now, exists| is_stopped(&head(false), now, &Said(exists));
        assert!(stopped(1_000, Some(false)), "its absence is known at once");
        assert!(
            !stopped(late, Some(true)),
            "a paused process is no dead one"
        );
        assert!(!stopped(soon, None) && stopped(late, None));
        assert!(
            !is_stopped(&head(true), late, &Said(Some(false))),
            "it ended"
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn processes_of_this_machine_are_known_by_number_and_start() {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("a boot");
        let namespace = fs::read_link("/proc/self/ns/pid").expect("a namespace");
        let space = format!("{} {}", boot.trim(), namespace.display());
        let head_of = |pid: u32, ticks: u64, space: &str| RingHead {
            about: json!({ "pid": pid, "process_start_ticks": ticks, "process_space": space }),
            ..head(false)
        };
        let stat = fs::read_to_string("/proc/self/stat").expect("fields");
        let rest = stat.rsplit_once(')').expect("a name").1;
        let ticks: u64 = rest
            .split_whitespace()
            .nth(19)
            .expect("a start")
            .parse()
            .expect("ticks");
        let own = std::process::id();
        let exists = |head: RingHead| OfThisSystem.exists(&head);
        assert_eq!(exists(head_of(own, ticks, &space)), Some(true));
        assert_eq!(
            exists(head_of(own, ticks + 1, &space)),
            Some(false),
            "another one's number"
        );
        assert_eq!(exists(head_of(own, ticks, "elsewhere")), None);
        let mut child = Command::new("true").spawn().expect("a process");
        child.wait().expect("it ends");
        assert_eq!(exists(head_of(child.id(), 1, &space)), Some(false));
    }

    #[test]
    fn the_rank_that_was_behind_stopped_first() {
        let of = |steps: &[i64]| {
            let ranks = steps.iter().enumerate().map(|(rank, &step)| Stopped {
                rank: u32::try_from(rank).expect("a small number"),
                host: "vm".to_owned(),
                pid: 7,
                step: Some(step),
                beat_ns: 5_000_000,
            });
            cause(&ranks.collect::<Vec<_>>())
        };
        let told = of(&[150, 150, 150, 149]);
        assert!(
            told.starts_with("rank 3 stopped first, as it seems: after step 149,"),
            "{told}"
        );
        for together in [&[150, 150][..], &[150, 149], &[150, 150, 149, 149], &[7]] {
            assert_eq!(of(together), CAUSE);
        }
    }

    #[test]
    fn ranks_that_others_called_lost_are_left_out() {
        let one = |rank, step| Stopped {
            rank,
            host: "vm".to_owned(),
            pid: 7,
            step,
            beat_ns: 5_000_000 + u64::from(rank),
        };
        let all = [
            one(3, Some(9)),
            one(0, Some(8)),
            one(1, Some(9)),
            one(2, None),
        ];
        let what = |lost: &[u32]| {
            let found = incident("run", String::new(), &all, &lost.iter().copied().collect());
            found.map(|found| (found.what, found.rank, found.step))
        };
        let told = |text: &str, rank, step| Some((text.to_owned(), rank, step));
        let text = "ranks 0 to 3 stopped without ending after steps 8 to 9";
        assert_eq!(what(&[]), told(text, None, Some(9)));
        let text = "ranks 0 and 1, 3 stopped without ending after steps 8 to 9";
        assert_eq!(what(&[2]), told(text, None, Some(9)));
        let text = "rank 2 stopped without ending before a step ended";
        assert_eq!(what(&[0, 1, 3]), told(text, Some(2), None));
        assert_eq!(what(&[0, 1, 2, 3]), None);
    }
}
