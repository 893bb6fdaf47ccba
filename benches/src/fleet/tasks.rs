//! What a task costs apart from reading its session.

use std::fmt::Write as _;

use anyhow::Result;
use stepscope_benches::logs;
use stepscope_benches::paired::median;

use crate::processes::{Programs, Took, Used};

/// Sessions of the smaller query: what it takes is not that of tasks.
pub(crate) const FEW: usize = 8;

/// Executors of one slot each.
const EXECUTORS: [usize; 3] = [1, 2, 4];

/// Opens no session: what remains is the work of the fleet.
const QUERY: &str = "select count(*) as n, sum(size_bytes) as bytes from sessions";

/// What one more task takes, by the number of executors.
struct Row {
    executors: usize,
    wall: f64,
    used: Used,
    idle: Used,
    /// Wall and processor time of the whole larger query, relative to one process.
    wall_ratio: f64,
    processor_ratio: f64,
}

/// The figures of fleets of different sizes.
pub(crate) fn table(programs: &Programs, sessions: usize, rounds: u32) -> Result<String> {
    let folders = [FEW, sessions].map(|count| {
        let folder = programs.folder(&format!("{count}-runs"))?;
        logs::runs(&folder, count)?;
        anyhow::Ok(folder)
    });
    let [few, many] = folders;
    let (few, many) = (few?, many?);
    let more = (sessions - FEW) as f64;
    let mut rows: Vec<Row> = Vec::new();
    for executors in EXECUTORS {
        let fleet = programs.start(executors)?;
        // The first query waits for executors.
        programs.ask(Some(&fleet), &few, QUERY)?;
        let idle = fleet.idle()?;
        let (mut differences, mut ratios) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let small = programs.ask(Some(&fleet), &few, QUERY)?;
            let large = programs.ask(Some(&fleet), &many, QUERY)?;
            let here = programs.ask(None, &many, QUERY)?;
            differences.push((small, large));
            let processor = large.used.total() + large.client;
            ratios.push((large.wall / here.wall, processor / here.client));
        }
        let of = |figure: fn(&Took) -> f64| {
            let each = differences.iter();
            let each = each.map(|(small, large)| (figure(large) - figure(small)) / more);
            median(&each.collect::<Vec<_>>())
        };
        let of_ratios =
            |ratio: fn(&(f64, f64)) -> f64| median(&ratios.iter().map(ratio).collect::<Vec<_>>());
        rows.push(Row {
            executors,
            wall: of(|took| took.wall),
            used: Used {
                scheduler: of(|took| took.used.scheduler),
                executors: of(|took| took.used.executors),
            },
            idle,
            wall_ratio: of_ratios(|ratio| ratio.0),
            processor_ratio: of_ratios(|ratio| ratio.1),
        });
    }
    Ok(text(&rows, sessions))
}

fn text(rows: &[Row], sessions: usize) -> String {
    let mut text = format!(
        "One more task, by the number of executors of one slot; the query over {sessions} sessions \
         relative to one process\n\n\
         | executors | wall | scheduler | executors | processor, relative to 1 executor | wall of the \
         query | processor of the query | idle scheduler | idle executors |\n\
         |---|---|---|---|---|---|---|---|---|\n"
    );
    let first = rows.first().map_or(1.0, |row| row.used.total());
    for row in rows {
        // Writing to a text never fails.
        let _ = writeln!(
            text,
            "| {} | {:.2} ms | {:.2} ms | {:.2} ms | {:.2} | {:.1} × | {:.1} × | {:.1} ms/s | {:.1} ms/s |",
            row.executors,
            1e3 * row.wall,
            1e3 * row.used.scheduler,
            1e3 * row.used.executors,
            row.used.total() / first,
            row.wall_ratio,
            row.processor_ratio,
            1e3 * row.idle.scheduler,
            1e3 * row.idle.executors,
        );
    }
    text
}
