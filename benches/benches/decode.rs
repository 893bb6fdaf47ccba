//! Decoding alone: from bytes to events, compared with the limits of the machine.

use std::hint::black_box;

use anyhow::Result;
use criterion::{Criterion, Throughput};
use stepscope_benches::floor;
use stepscope_benches::input::{Input, inputs};
use stepscope_benches::paired::{Contestant, print_ratios};
use stepscope_xplane::{Line, Space};

fn main() -> Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    for input in inputs()? {
        ratios(&input);
        bench(&mut criterion, &input);
    }
    criterion.final_summary();
    Ok(())
}

fn ratios(input: &Input) {
    let bytes = input.bytes();
    let mut copied = vec![0; bytes.len()];
    let mut columns = Columns::default();
    print_ratios(
        &format!("decode {}, one thread", input.name),
        7,
        &mut [
            Contestant::of("copy of all bytes", || floor::copy(bytes, &mut copied)),
            Contestant::of("scan of all bytes", || floor::scan(bytes)),
            Contestant::of("planes and lines, no events", || Space::scan(bytes)),
            Contestant::of("all events", || count_events(bytes)),
            Contestant::of("all events with their stats", || count_stats(bytes)),
            Contestant::of("all events into columns", || columns.fill(bytes)),
        ],
    );
}

fn bench(criterion: &mut Criterion, input: &Input) {
    let bytes = input.bytes();
    let mut group = criterion.benchmark_group(format!("decode/{}", input.name));
    group
        .sample_size(10)
        .throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("planes", |bencher| bencher.iter(|| Space::scan(bytes)));
    group.bench_function("events", |bencher| bencher.iter(|| count_events(bytes)));
    group.bench_function("stats", |bencher| bencher.iter(|| count_stats(bytes)));
    let mut columns = Columns::default();
    group.bench_function("columns", |bencher| bencher.iter(|| columns.fill(bytes)));
    group.finish();
}

/// Visits every line of every plane.
fn for_each_line(bytes: &[u8], mut visit: impl FnMut(&Line<'_>)) {
    for plane in &Space::scan(bytes).planes {
        plane.lines.iter().for_each(&mut visit);
    }
}

fn count_events(bytes: &[u8]) -> usize {
    let mut count = 0;
    for_each_line(bytes, |line| count += line.events().map(black_box).count());
    count
}

fn count_stats(bytes: &[u8]) -> usize {
    let mut count = 0;
    for_each_line(bytes, |line| {
        let mut events = line.events();
        while let Some(event) = events.next_with(&mut |stat| {
            count += 1;
            black_box(stat.value());
        }) {
            black_box(event);
        }
    });
    count
}

/// The minimum that a timeline needs of an event. The memory is reused from one run to the next.
#[derive(Default)]
struct Columns {
    starts: Vec<i64>,
    durations: Vec<i64>,
    metadata: Vec<i64>,
}

impl Columns {
    fn fill(&mut self, bytes: &[u8]) {
        self.starts.clear();
        self.durations.clear();
        self.metadata.clear();
        for_each_line(bytes, |line| {
            for event in line.events() {
                self.starts.push(event.offset_ps);
                self.durations.push(event.duration_ps);
                self.metadata.push(event.metadata_id);
            }
        });
        black_box(self);
    }
}
