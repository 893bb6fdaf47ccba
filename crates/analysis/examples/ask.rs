//! Prints one analysis of a capture as JSON, and how long it took:
//! `cargo run --example ask -- steps FILE.xplane.pb… [--option=value…]`.

use std::sync::Arc;
use std::time::Instant;

use stepscope_model::ingest::{HostInput, ingest};

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that prints"
)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("missing the name of an analysis")?;
    let (options, files): (Vec<_>, Vec<_>) = arguments.partition(|text| text.starts_with("--"));
    let hosts = files.iter().map(|path| {
        let bytes = stepscope_testing::corpus::read_bytes(path.as_ref())?;
        Ok(HostInput {
            host: path.clone(),
            bytes: Arc::new(bytes),
            problem: None,
        })
    });
    let hosts = hosts.collect::<Result<Vec<_>, stepscope_testing::corpus::ReadError>>()?;
    let started = Instant::now();
    let session = ingest("session", hosts)?;
    eprintln!(
        "ingest {:?}, {} slices",
        started.elapsed(),
        session.slice_count()
    );
    let entry = stepscope_analysis::find(&name).ok_or("no such analysis")?;
    let pairs = options
        .iter()
        .filter_map(|text| text.trim_start_matches("--").split_once('='));
    for _ in 0..3 {
        let started = Instant::now();
        let answer = entry.run_pairs(&session, pairs.clone())?;
        eprintln!("{name} {:?}", started.elapsed());
        drop(answer);
    }
    let answer = entry.run_pairs(&session, pairs)?;
    println!("{}", serde_json::to_string_pretty(&answer.json()?)?);
    Ok(())
}
