//! How opening, every analysis and every export grow with the profile: the time for twice as many
//! slices ÷ the time for as many, over shapes in which careless code grows faster than the profile;
//! then damaged files, and folders of many sessions. Fails if one grows faster.
//!
//! `STEPSCOPE_GROWTH_SLICES=N` sets the slices of the smallest profile.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use stepscope_analysis::{ANALYSES, Entry};
use stepscope_benches::damage::{damaged_events, damaged_records, runs};
use stepscope_benches::exports::EXPORTS;
use stepscope_benches::growth::{Growth, SIZES};
use stepscope_benches::input::session_of;
use stepscope_benches::paired::time;
use stepscope_model::{Memo, Session};
use stepscope_server::Library;
use stepscope_storage::open_bytes;
use stepscope_testing::growth::SHAPES;

/// Slices of the smallest profile, where nothing else is asked for.
const SLICES: usize = 50_000;
/// Slices for each session of the smallest folder.
const SLICES_OF_A_SESSION: usize = 100;

#[expect(
    clippy::print_stdout,
    reason = "the figures are for whoever runs the bench"
)]
fn main() -> Result<ExitCode> {
    let asked = std::env::var("STEPSCOPE_GROWTH_SLICES").ok();
    let slices = match asked {
        Some(asked) => asked.parse().context("STEPSCOPE_GROWTH_SLICES")?,
        None => SLICES,
    };
    let mut growth = Growth::default();
    for (name, shape) in SHAPES {
        println!("{name}: time for {slices} slices, and for twice as many");
        let files = sizes(slices).map(|count| shape(count).to_bytes());
        growth.of("opening", |at| {
            let file = files[at].clone();
            time(|| session_of(file).is_ok())
        });
        let [small, middle, large] = files;
        let mut sessions = [session_of(small)?, session_of(middle)?, session_of(large)?];
        for entry in ANALYSES {
            growth.of(entry.name, |at| {
                sessions[at].memo = Memo::default();
                time(|| answer(entry, &sessions[at]))
            });
        }
        for (name, export) in EXPORTS {
            growth.of(name, |at| {
                sessions[at].memo = Memo::default();
                time(|| export(&sessions[at]))
            });
        }
        println!();
    }
    println!("damaged: time for {slices} records, and for twice as many");
    let files = sizes(slices).map(damaged_events);
    growth.of("events", |at| {
        let file = files[at].clone();
        time(|| session_of(file).is_ok())
    });
    let files = sizes(slices).map(|count| Arc::new(damaged_records(count)));
    growth.of("records", |at| {
        let file = Arc::clone(&files[at]);
        time(|| open_bytes("vm.xplane.riegeli", file).is_ok())
    });
    let count = (slices / SLICES_OF_A_SESSION).max(1);
    println!("\nfolders: time for {count} sessions, and for twice as many");
    let folders: Vec<tempfile::TempDir> = sizes(count)
        .into_iter()
        .map(|count| {
            let folder = tempfile::tempdir()?;
            runs(folder.path(), count)?;
            Ok(folder)
        })
        .collect::<Result<_>>()?;
    growth.of("sessions", |at| {
        time(|| Library::at(folders[at].path()).map(|library| library.list()))
    });
    Ok(growth.verdict())
}

/// The sizes that are measured, each twice the one before.
fn sizes(smallest: usize) -> [usize; SIZES] {
    [smallest, 2 * smallest, 4 * smallest]
}

fn answer(entry: &Entry, session: &Session) -> Option<String> {
    entry.run_pairs(session, []).ok()?.json_text().ok()
}
