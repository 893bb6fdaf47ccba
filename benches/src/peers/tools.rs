//! XProf's other tools, and our subcommands for the same question: each in a new process.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use stepscope_benches::child::{self, Cost};
use stepscope_benches::paired::median;
use tempfile::TempDir;

use crate::contestant::run_xprof;

/// Rounds of ours; XProf takes part once.
const ROUNDS: usize = 5;

/// A tool of XProf, and our subcommand.
const TOOLS: [(&str, &str); 8] = [
    ("hlo_stats", "ops"),
    ("framework_op_stats", "scopes"),
    ("op_profile", "op_tree"),
    ("roofline_model", "roofline"),
    ("kernel_stats", "kernels"),
    ("memory_profile", "memory"),
    ("input_pipeline_analyzer", "input"),
    ("pod_viewer", "hosts"),
];

/// A row for each tool: ours, XProf's, and the ratios. Each run has its own log directory, because
/// XProf leaves files there that its next tool would use.
pub(crate) fn table(
    stepscope: &Path,
    python: &Path,
    logdir: impl Fn() -> Result<TempDir>,
) -> Result<String> {
    let mut text = String::from(
        "**Other tools, end to end**, median of ours, one turn of XProf\n\n\
         | XProf's tool | ours | our time | XProf's time | XProf ÷ ours | our memory | XProf's |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for (tool, own) in TOOLS {
        let ours = (0..ROUNDS).map(|_| {
            let (mut command, folder) = (Command::new(stepscope), logdir()?);
            let command = command.arg(own).arg(folder.path());
            child::run(command.args(["--json", "--limit", "0"]))
        });
        let ours = ours.collect::<Result<Vec<Cost>>>()?;
        let seconds: Vec<f64> = ours.iter().map(|cost| cost.wall_seconds).collect();
        let bytes: Vec<f64> = ours.iter().map(|cost| cost.peak_bytes as f64).collect();
        let (seconds, megabytes) = (median(&seconds), median(&bytes) / 1e6);
        eprintln!("{own}: {seconds:.2} s");
        let folder = logdir()?;
        let theirs = match run_xprof(python, tool, "", folder.path()) {
            Ok(cost) => {
                eprintln!("{tool}: {cost}");
                let wall = cost.wall_seconds;
                let peak = cost.peak_bytes as f64 / 1e6;
                format!(
                    "{wall:.1} s | {:.0} | {megabytes:.0} MB | {peak:.0} MB",
                    wall / seconds
                )
            }
            // It fails if its answer is empty.
            Err(_) => format!("no answer | – | {megabytes:.0} MB | –"),
        };
        let _ = writeln!(text, "| {tool} | {own} | {seconds:.2} s | {theirs} |");
    }
    Ok(text)
}
