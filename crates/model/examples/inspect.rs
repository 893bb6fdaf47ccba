//! Prints what the ingest makes of profile files: `cargo run --example inspect -- FILE…`.
#![expect(clippy::print_stdout, reason = "an example")]

use std::sync::Arc;
use std::time::Instant;

use stepscope_model::ingest::{HostInput, ingest};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut inputs = Vec::new();
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        inputs.push(HostInput {
            host: path,
            bytes: Arc::new(bytes),
            problem: None,
        });
    }
    let begin = Instant::now();
    let session = ingest("inspected", inputs)?;
    println!("ingest took {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
    let hosts = session.host_ids();
    let flows: usize = hosts.map(|host| session.flows_of(host).all().len()).sum();
    println!(
        "{} slices, {} labels, {} ops, {flows} flows",
        session.slice_count(),
        session.labels.len(),
        session.ops.len()
    );
    for (index, device) in session.devices.iter().enumerate() {
        println!(
            "device {index} {} {:?} {:?}",
            device.name, device.kind, device.chip
        );
    }
    for track in &session.tracks {
        println!(
            "track {:30} {:?} device {:?} lanes {} nests {} slices {} {:?}",
            session.text(track.name),
            track.role,
            track.device,
            track.lanes.len(),
            track.nests.len(),
            track.slice_count(),
            track
                .extent()
                .map(|e| (e.start.0 / 1_000_000, e.end.0 / 1_000_000)),
        );
    }
    println!("steps {:?} {}", session.step_origin, session.steps.len());
    for step in session.steps.iter().take(4) {
        println!("  {step:?}");
    }
    for run in session.program_runs.iter().take(4) {
        println!("run {} {run:?}", session.program(run.program).title());
    }
    println!("runs {}", session.program_runs.len());
    for warning in &session.warnings {
        println!("warning {warning:?}");
    }
    for host in &session.hosts {
        println!(
            "host {} {} events {:?}",
            host.name, host.event_count, host.facts
        );
    }
    Ok(())
}
