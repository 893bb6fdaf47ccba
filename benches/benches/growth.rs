//! How opening and every analysis grow with the profile: the time for twice as many slices ÷ the
//! time for as many, over shapes in which careless code grows faster than the profile.
//!
//! `STEPSCOPE_GROWTH_SLICES=N` sets the slices of the smaller profile: a figure that stays beyond the
//! limit as N grows is the code's, one that does not is the processor's caches.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use stepscope_analysis::{ANALYSES, Entry};
use stepscope_benches::paired::{median, time};
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::{Memo, Session};
use stepscope_testing::growth::SHAPES;

/// Slices of the smaller profile, where nothing else is asked for.
const SLICES: usize = 50_000;
const ROUNDS: usize = 5;
/// Twice the profile may take this much more time.
const MOST: f64 = 2.3;
/// Less is not told from noise.
const LEAST: Duration = Duration::from_millis(3);

#[expect(
    clippy::print_stdout,
    reason = "the figures are for whoever runs the bench"
)]
fn main() -> Result<()> {
    let asked = std::env::var("STEPSCOPE_GROWTH_SLICES").ok();
    let slices = match asked {
        Some(asked) => asked.parse().context("STEPSCOPE_GROWTH_SLICES")?,
        None => SLICES,
    };
    for (name, shape) in SHAPES {
        let files = [slices, 2 * slices].map(|count| shape(count).to_bytes());
        let opening = [0, 1].map(|at: usize| files[at].as_slice());
        println!("{name}: time for {slices} slices, and for twice as many");
        told(
            "opening",
            &rounds(|at| time(|| opened(opening[at]).is_ok())),
        );
        let [small, large] = files;
        let mut sessions = [opened(&small)?, opened(&large)?];
        for entry in ANALYSES {
            let run = |at: usize| {
                sessions[at].memo = Memo::default();
                time(|| answer(entry, &sessions[at]))
            };
            told(entry.name, &rounds(run));
        }
        println!();
    }
    Ok(())
}

/// The time for the small and for the large profile, round by round.
fn rounds(mut run: impl FnMut(usize) -> Duration) -> Vec<[Duration; 2]> {
    (0..ROUNDS).map(|_| [run(0), run(1)]).collect()
}

#[expect(
    clippy::print_stdout,
    reason = "the figures are for whoever runs the bench"
)]
fn told(what: &str, rounds: &[[Duration; 2]]) {
    let seconds = |at: usize| {
        let all = rounds.iter().map(|round| round[at].as_secs_f64());
        median(&all.collect::<Vec<f64>>())
    };
    let ratios = rounds.iter();
    let ratios = ratios.map(|[small, large]| large.as_secs_f64() / small.as_secs_f64());
    let ratio = median(&ratios.collect::<Vec<f64>>());
    let is_long = seconds(1) > LEAST.as_secs_f64();
    let verdict = if ratio > MOST && is_long {
        "  GROWS FASTER"
    } else {
        ""
    };
    println!(
        "  {what:24} {:>10.3} ms {ratio:>8.2} x{verdict}",
        seconds(0) * 1e3
    );
}

fn opened(file: &[u8]) -> Result<Session> {
    let input = HostInput {
        host: "vm".to_owned(),
        bytes: Arc::new(file.to_vec()),
        problem: None,
    };
    Ok(ingest("growth", vec![input])?)
}

fn answer(entry: &Entry, session: &Session) -> Option<String> {
    entry.run_pairs(session, []).ok()?.json_text().ok()
}
