//! The figures as Markdown.

use std::fmt::Write;
use std::fs;

use stepscope_benches::child::Cost;
use stepscope_benches::paired::median;

use crate::contestant::{Program, Question};

/// Our peak memory must stay below this share of xprof-rs's.
const MEMORY_SHARE: f64 = 0.4;

/// Our peak memory must stay below this multiple of the file size.
const MEMORY_PER_FILE: f64 = 2.0;

/// All rounds of one contestant.
pub(crate) struct Column {
    program: Program,
    /// In order of rounds.
    pub(crate) costs: Vec<Cost>,
}

/// A figure of a cost.
type Figure = fn(&Cost) -> f64;

impl Column {
    pub(crate) const fn new(program: Program) -> Self {
        Self {
            program,
            costs: Vec::new(),
        }
    }

    /// Median of the peak memory.
    pub(crate) fn peak_bytes(&self) -> f64 {
        median(&self.values(|cost| cost.peak_bytes as f64))
    }

    fn values(&self, figure: Figure) -> Vec<f64> {
        self.costs.iter().map(figure).collect()
    }

    /// Median and minimum.
    fn cell(&self, figure: Figure, unit: &str, digits: usize) -> String {
        let values = self.values(figure);
        let least = values.iter().copied().reduce(f64::min).unwrap_or(f64::NAN);
        format!("{:.digits$} {unit} ({least:.digits$})", median(&values))
    }

    /// Median of this one's figure ÷ the first one's, over the rounds in which both took part.
    fn ratio(&self, to: &Self, figure: Figure) -> f64 {
        let pairs = self.costs.iter().zip(&to.costs);
        let ratios: Vec<f64> = pairs
            .map(|(own, other)| figure(own) / figure(other))
            .collect();
        median(&ratios)
    }
}

/// The machine the figures were measured on.
pub(crate) fn machine() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let information = read("/proc/cpuinfo");
    let model = information
        .lines()
        .find(|line| line.starts_with("model name"));
    let model = model
        .and_then(|line| line.split(": ").nth(1))
        .unwrap_or("unknown processor");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or("unknown");
    format!("{model}, {cores} cores, load {load} at the start")
}

/// One task: a row per figure, a column per contestant, ours first.
pub(crate) fn comparison(question: Question, size_bytes: u64, columns: &[Column]) -> String {
    let wall: Figure = |cost| cost.wall_seconds;
    let processor: Figure = |cost| cost.processor_seconds;
    let peak: Figure = |cost| cost.peak_bytes as f64 / 1e6;
    let rows = [
        ("time", wall, "s", 2),
        ("processor", processor, "s", 2),
        ("memory", peak, "MB", 0),
    ];
    let (ours, others) = (&columns[0], &columns[1..]);
    let megabytes = size_bytes as f64 / 1e6;
    let mut text = format!("**{question}**, {megabytes:.0} MB, median (least)\n\n| |");
    for column in columns {
        let _ = write!(text, " {} (\u{d7}{}) |", column.program, column.costs.len());
    }
    for column in others {
        let _ = write!(text, " {} ÷ ours |", column.program);
    }
    let _ = writeln!(
        text,
        "\n|---|{}",
        "---|".repeat(columns.len() + others.len())
    );
    for (name, figure, unit, digits) in rows {
        let _ = write!(text, "| {name} |");
        for column in columns {
            let _ = write!(text, " {} |", column.cell(figure, unit, digits));
        }
        for column in others {
            let _ = write!(text, " {:.2} |", column.ratio(ours, figure));
        }
        text.push('\n');
    }
    text.push('\n');
    text.push_str(&targets(question, size_bytes, ours, others));
    text
}

fn targets(question: Question, size_bytes: u64, ours: &Column, others: &[Column]) -> String {
    let per_file = ours.peak_bytes() / size_bytes as f64;
    let mut text = String::from("| target | measured | |\n|---|---|---|\n");
    if let Some(peer) = others
        .iter()
        .find(|column| column.program == Program::XprofRs)
    {
        let wanted = match question {
            Question::Overview => 4.0,
            Question::FirstTile => 5.0,
        };
        let faster = peer.ratio(ours, |cost| cost.wall_seconds);
        let share = ours.ratio(peer, |cost| cost.peak_bytes as f64);
        let _ = writeln!(
            text,
            "| at least {wanted} times as fast as xprof-rs | {faster:.2} times | {} |",
            verdict(faster >= wanted)
        );
        let _ = writeln!(
            text,
            "| memory at most {:.0} % of xprof-rs's | {:.0} % | {} |",
            MEMORY_SHARE * 100.0,
            share * 100.0,
            verdict(share <= MEMORY_SHARE)
        );
    }
    let _ = writeln!(
        text,
        "| memory at most {MEMORY_PER_FILE} times the file | {per_file:.2} times | {} |",
        verdict(per_file <= MEMORY_PER_FILE)
    );
    text
}

/// The large file: its cost, and whether memory grew more than the file. `rows` end with the peak
/// memory of the small file.
pub(crate) fn large(times: usize, size_bytes: u64, rows: &[(Question, Cost, f64)]) -> String {
    let file = size_bytes as f64 * times as f64;
    let mut text = format!(
        "**The same capture {times} times in one file**, {:.2} GB, Stepscope, one round\n\n\
         | question | time | processor | memory | ÷ file | memory grew | |\n\
         |---|---|---|---|---|---|---|\n",
        file / 1e9
    );
    for (question, cost, small_peak_bytes) in rows {
        let peak = cost.peak_bytes as f64;
        let growth = peak / small_peak_bytes;
        let _ = writeln!(
            text,
            "| {question} | {:.2} s | {:.2} s | {:.2} GB | {:.2} | {growth:.1} times | {} |",
            cost.wall_seconds,
            cost.processor_seconds,
            peak / 1e9,
            peak / file,
            verdict(growth <= times as f64)
        );
    }
    text
}

const fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "missed" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(program: Program, walls: &[f64], peak_bytes: u64) -> Column {
        let costs = walls.iter().map(|&wall_seconds| Cost {
            wall_seconds,
            processor_seconds: 2.0 * wall_seconds,
            peak_bytes,
        });
        Column {
            program,
            costs: costs.collect(),
        }
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        let ours = column(Program::Stepscope, &[0.2, 0.4, 0.3], 300_000_000);
        // Twice the medians, but each single round is 5 times as long.
        let peer = column(Program::XprofRs, &[1.0, 2.0, 1.5], 1_000_000_000);
        let xprof = column(Program::Xprof, &[8.0], 3_000_000_000);
        let text = comparison(Question::FirstTile, 180_000_000, &[ours, peer, xprof]);
        assert!(
            text.contains(
                "| time | 0.30 s (0.20) | 1.50 s (1.00) | 8.00 s (8.00) | 5.00 | 40.00 |"
            ),
            "{text}"
        );
        assert!(
            text.contains("| memory at most 40 % of xprof-rs's | 30 % | met |"),
            "{text}"
        );
        assert!(
            text.contains("| memory at most 2 times the file | 1.67 times | met |"),
            "{text}"
        );
    }

    #[test]
    fn a_missed_target_is_said_to_be_missed() {
        let ours = column(Program::Stepscope, &[1.0], 400_000_000);
        let peer = column(Program::XprofRs, &[3.9], 900_000_000);
        let text = comparison(Question::Overview, 180_000_000, &[ours, peer]);
        assert_eq!(text.matches("| missed |").count(), 3, "{text}");
    }
}
