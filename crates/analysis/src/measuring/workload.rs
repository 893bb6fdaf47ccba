//! What a session runs and on which devices. Figures of different workloads are never compared as runs
//! of one series.
//!
//! | | Definition |
//! |---|---|
//! | program | name of the program whose work has the most self time on devices; same-named programs count together |
//! | devices | devices with selected work, by chip, else by kind, and the number of their hosts |

use std::collections::BTreeMap;

use stepscope_model::Session;

use crate::measuring::environment::hardware;
use crate::measuring::selection::{Selected, Wanted};
use crate::measuring::totals::work_totals;

/// The main program of a session and the devices that worked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Workload {
    /// Empty if no work names a program.
    pub(crate) program: String,
    /// Chips with the number of each that worked, by name; empty if none did.
    chips: BTreeMap<String, usize>,
    /// Number of hosts whose devices worked.
    host_count: usize,
}

impl Workload {
    /// The workload of the selected part of a session.
    pub(crate) fn of(session: &Session, selected: &Selected<'_>) -> Self {
        let totals = work_totals(session, selected);
        let mut times: BTreeMap<&str, i64> = BTreeMap::new();
        let mut devices = Vec::new();
        for one in totals.iter() {
            devices.push(one.device);
            for (label, totals) in &one.labels {
                let Some(program) = session.label(*label).program else {
                    continue;
                };
                let time_ps = times.entry(&session.program(program).name).or_default();
                *time_ps = time_ps.saturating_add(totals.self_ps);
            }
        }
        devices.sort_unstable();
        devices.dedup();
        let mut hosts: Vec<_> = devices.iter().map(|&id| session.device(id).host).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let mut chips: BTreeMap<String, usize> = BTreeMap::new();
        for device in devices {
            let name = hardware(session.device(device)).to_owned();
            *chips.entry(name).or_default() += 1;
        }
        // Of equally long ones the first by name.
        let longest = times.iter().rev().max_by_key(|(_, time_ps)| **time_ps);
        Self {
            program: longest.map_or_else(String::new, |(name, _)| (*name).to_owned()),
            chips,
            host_count: hosts.len(),
        }
    }

    /// `8 × TPU v6 Lite`, `8 × TPU v6 Lite on 2 hosts`; empty if no device worked.
    pub(crate) fn devices(&self) -> String {
        let chips = self.chips.iter();
        let chips: Vec<String> = chips
            .map(|(name, count)| format!("{count} × {name}"))
            .collect();
        let chips = chips.join(", ");
        if self.host_count > 1 {
            format!("{chips} on {} hosts", self.host_count)
        } else {
            chips
        }
    }

    /// The chips without their numbers.
    pub(crate) fn chips(&self) -> String {
        let names: Vec<&str> = self.chips.keys().map(String::as_str).collect();
        names.join(", ")
    }
}

/// The main program of a whole session; empty if no work names one.
pub fn main_program(session: &Session) -> String {
    let everything = Wanted::default().resolve(session);
    everything.map_or_else(
        |_| String::new(),
        |selected| Workload::of(session, &selected).program,
    )
}

/// What is unknown of a workload, in words; none if program and devices are known.
pub(crate) const fn unknown(program: &str, devices: &str) -> Option<&'static str> {
    match (program.is_empty(), devices.is_empty()) {
        (false, false) => None,
        (true, false) => Some("program unknown"),
        (false, true) => Some("devices unknown"),
        (true, true) => Some("program and devices unknown"),
    }
}

/// Over how many devices a program is divided, as far as HLO tells: one where none says otherwise.
pub(crate) fn partition_count(session: &Session) -> u64 {
    let programs = session
        .programs
        .iter()
        .filter_map(|program| program.hlo.as_ref());
    let counts = programs.filter_map(stepscope_model::hlo::Program::sharding_device_count);
    counts.max().unwrap_or(1)
}
