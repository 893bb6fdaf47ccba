//! What questions about one session of many hosts take: by how much ranges have to know of the others.

use std::fmt::Write as _;

use anyhow::Result;
use stepscope_benches::logs;
use stepscope_benches::paired::median;

use crate::processes::Programs;

/// As many as the processors of the smallest machine that this is measured on.
const EXECUTORS: usize = 2;

/// Questions, each with what is read before its rows are.
const QUESTIONS: [(&str, &str, &str); 7] = [
    (
        "`slices` by name",
        "nothing",
        "select name, count(*) as n, sum(self_ps) as self_ps from slices group by 1",
    ),
    (
        "`slices` by name, one host",
        "nothing",
        "select name, count(*) as n, sum(self_ps) as self_ps from slices \
         where host = 'host-0000' group by 1",
    ),
    (
        "start of `slices`",
        "starts",
        "select host, min(start_ps) as start_ps from slices group by 1",
    ),
    (
        "`slices` by step",
        "everything",
        "select step, sum(self_ps) as self_ps from slices group by 1",
    ),
    ("`programs`", "everything", "select * from programs"),
    (
        "`instructions`",
        "one task without slices",
        "select count(*) as n from instructions",
    ),
    (
        "`ops`",
        "one task",
        "select name, sum(self_ps) as self_ps from ops group by 1",
    ),
];

/// Time and processor time of each question, here and on a fleet.
pub(crate) fn table(programs: &Programs, hosts: usize, rounds: u32) -> Result<String> {
    let folder = programs.folder("hosts")?;
    let size_bytes = logs::hosts(&folder, hosts)?;
    let fleet = programs.start(EXECUTORS)?;
    programs.ask(Some(&fleet), &folder, "select count(*) as n from sessions")?;
    let mut text = format!(
        "One session of {hosts} hosts, {} MB; {EXECUTORS} executors of one slot\n\n\
         | question | first job | one process | its processor time | fleet | its processor time | \
         ratio |\n|---|---|---|---|---|---|---|\n",
        size_bytes / 1_000_000
    );
    for (title, first, query) in QUESTIONS {
        let (mut here, mut there, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let own = programs.ask(None, &folder, query)?;
            let fleet = programs.ask(Some(&fleet), &folder, query)?;
            let processor = fleet.used.total() + fleet.client;
            ratios.push(processor / own.client);
            here.push((own.wall, own.client));
            there.push((fleet.wall, processor));
        }
        let medians = |figures: &[(f64, f64)]| {
            let (wall, processor): (Vec<f64>, Vec<f64>) = figures.iter().copied().unzip();
            (median(&wall), median(&processor))
        };
        let ((wall, processor), (fleet_wall, fleet_processor)) = (medians(&here), medians(&there));
        // Writing to a text never fails.
        let _ = writeln!(
            text,
            "| {title} | {first} | {wall:.2} s | {processor:.2} s | {fleet_wall:.2} s | \
             {fleet_processor:.2} s | {:.2} × |",
            median(&ratios)
        );
    }
    Ok(text)
}
