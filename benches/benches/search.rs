//! Search over the whole session, with the index that the first search builds, and with an existing
//! one.

use anyhow::Result;
use criterion::{BatchSize, Criterion};
use stepscope_analysis::views::timeline::TimelineIndex;
use stepscope_analysis::views::timeline::search::{DEFAULT_LIMIT, search};
use stepscope_benches::input::inputs;
use stepscope_benches::paired::{Contestant, print_ratios};
use stepscope_model::Session;

/// Search patterns, by how much of a session they match.
const PATTERNS: [(&str, &str); 4] = [
    ("text", "fusion"),
    ("expression", r"(fusion|dot)\.\d+$"),
    ("everything", "."),
    ("nothing", "no such name"),
];

fn main() -> Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    for input in inputs()? {
        let session = input.session()?;
        let index = TimelineIndex::new(&session);
        index.fill(&session);
        let mut contestants: Vec<Contestant<'_>> = PATTERNS
            .iter()
            .map(|&(name, pattern)| Contestant::of(name, || answer(&session, &index, pattern)))
            .collect();
        print_ratios(&format!("search {}", input.name), 7, &mut contestants);
        drop(contestants);
        bench(&mut criterion, input.name, &session, &index);
    }
    criterion.final_summary();
    Ok(())
}

fn bench(criterion: &mut Criterion, input: &str, session: &Session, index: &TimelineIndex) {
    let mut group = criterion.benchmark_group(format!("search/{input}"));
    group.sample_size(10);
    for (name, pattern) in PATTERNS {
        group.bench_function(name, |bencher| {
            bencher.iter(|| answer(session, index, pattern));
        });
    }
    group.bench_function("text, first", |bencher| {
        bencher.iter_batched(
            || TimelineIndex::new(session),
            |index| (answer(session, &index, PATTERNS[0].1), index),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn answer(session: &Session, index: &TimelineIndex, pattern: &str) -> Option<i64> {
    let found = search(session, index, pattern, i64::MIN, DEFAULT_LIMIT).ok()?;
    Some(found.match_count)
}
