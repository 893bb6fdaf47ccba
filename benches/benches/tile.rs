//! Timeline tiles of all tracks at 1,600 pixels, encoded as they are sent: the whole session, and
//! 500 random windows with their median and 99th percentile.

use anyhow::{Context, Result};
use criterion::{BatchSize, Criterion};
use stepscope_analysis::views::timeline::TimelineIndex;
use stepscope_analysis::views::timeline::encode::encode;
use stepscope_analysis::views::timeline::tile::{TileRequest, tile};
use stepscope_benches::input::inputs;
use stepscope_benches::paired::{quantile, time};
use stepscope_benches::random::{Lengths, Random};
use stepscope_model::{Session, Span};

const WIDTH_PX: u32 = 1600;
const WINDOWS: usize = 500;

fn main() -> Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    for input in inputs()? {
        let session = input.session()?;
        let extent = session.extent().context("nothing has a time")?;
        print_percentiles(input.name, &session, extent);
        bench(&mut criterion, input.name, &session, extent);
    }
    criterion.final_summary();
    Ok(())
}

/// The same windows in every run.
fn windows(extent: Span, lengths: Lengths) -> Vec<Span> {
    let mut random = Random::new(1);
    (0..WINDOWS)
        .map(|_| random.window(extent, lengths))
        .collect()
}

#[expect(
    clippy::print_stdout,
    reason = "the figures are for whoever runs the bench"
)]
fn print_percentiles(input: &str, session: &Session, extent: Span) {
    let index = TimelineIndex::new(session);
    let milliseconds = |window| time(|| answer(session, &index, window)).as_secs_f64() * 1e3;
    println!(
        "tile {input}, {WIDTH_PX} px, all {} tracks",
        session.tracks.len()
    );
    println!(
        "  whole session, first time {:>9.3} ms",
        milliseconds(extent)
    );
    println!(
        "  whole session, again      {:>9.3} ms",
        milliseconds(extent)
    );
    for (name, lengths) in [("zoomed", Lengths::Zoomed), ("even", Lengths::Even)] {
        let times: Vec<f64> = windows(extent, lengths)
            .into_iter()
            .map(milliseconds)
            .collect();
        let [median, late, longest] = [0.5, 0.99, 1.0].map(|share| quantile(&times, share));
        println!(
            "  {WINDOWS} windows, {name:8} median {median:.3} ms, 99th % {late:.3} ms, \
             longest {longest:.3} ms"
        );
    }
    println!();
}

fn bench(criterion: &mut Criterion, input: &str, session: &Session, extent: Span) {
    let mut group = criterion.benchmark_group(format!("tile/{input}"));
    group.sample_size(10);
    group.bench_function("whole session, first", |bencher| {
        bencher.iter_batched(
            || TimelineIndex::new(session),
            |index| (answer(session, &index, extent), index),
            BatchSize::PerIteration,
        );
    });
    let index = TimelineIndex::new(session);
    index.fill(session);
    group.bench_function("whole session", |bencher| {
        bencher.iter(|| answer(session, &index, extent));
    });
    let windows = windows(extent, Lengths::Zoomed);
    let mut next = windows.iter().copied().cycle();
    group.bench_function("random window", |bencher| {
        bencher.iter(|| next.next().map(|window| answer(session, &index, window)));
    });
    group.finish();
}

fn answer(session: &Session, index: &TimelineIndex, window: Span) -> Vec<u8> {
    let request = TileRequest {
        window,
        width_px: WIDTH_PX,
        tracks: session.track_ids().collect(),
    };
    encode(&tile(session, index, &request))
}
