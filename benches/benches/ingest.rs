//! Ingest: from bytes to a session, on all cores, compared with a plain walk over all events on one
//! core.

use anyhow::Result;
use criterion::{BatchSize, Criterion, Throughput};
use stepscope_benches::floor;
use stepscope_benches::input::{Input, inputs};
use stepscope_benches::paired::{Contestant, print_ratios, time};
use stepscope_model::ingest::ingest;
use stepscope_xplane::Space;

fn main() -> Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    for input in inputs()? {
        ratios(&input)?;
        bench(&mut criterion, &input);
    }
    criterion.final_summary();
    Ok(())
}

fn ratios(input: &Input) -> Result<()> {
    let bytes = input.bytes();
    let mut copied = vec![0; bytes.len()];
    let session = input.session()?;
    drop(session);
    print_ratios(
        &format!("ingest {}", input.name),
        5,
        &mut [
            Contestant::of("copy of all bytes", || floor::copy(bytes, &mut copied)),
            Contestant::of("all events, one thread", || walk(bytes)),
            Contestant::new("ingest", || time(|| ingest(input.name, input.hosts()))),
        ],
    );
    Ok(())
}

fn bench(criterion: &mut Criterion, input: &Input) {
    let mut group = criterion.benchmark_group(format!("ingest/{}", input.name));
    group
        .sample_size(10)
        .throughput(Throughput::Bytes(input.bytes().len() as u64));
    group.bench_function("session", |bencher| {
        // The session is dropped outside the measured time.
        bencher.iter_batched(
            || input.hosts(),
            |hosts| ingest(input.name, hosts),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn walk(bytes: &[u8]) -> i64 {
    let space = Space::scan(bytes);
    let lines = space.planes.iter().flat_map(|plane| &plane.lines);
    let events = lines.flat_map(stepscope_xplane::Line::events);
    events.fold(0, |sum, event| sum.wrapping_add(event.duration_ps))
}
