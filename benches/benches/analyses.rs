//! Every analysis on an open session: report and JSON text. And all of them together without
//! caches, compared with decoding the file.

use std::cell::RefCell;

use anyhow::Result;
use criterion::Criterion;
use stepscope_analysis::{ANALYSES, Entry};
use stepscope_benches::input::{Input, inputs};
use stepscope_benches::paired::{Contestant, print_ratios};
use stepscope_model::{Memo, Session};

fn main() -> Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    for input in inputs()? {
        let session = input.session()?;
        let mut contestants = vec![Contestant::of("sum of all durations", || sum(&session))];
        contestants.extend(
            ANALYSES
                .iter()
                .map(|entry| Contestant::of(entry.name, || answer(entry, &session))),
        );
        print_ratios(&format!("analyses {}", input.name), 7, &mut contestants);
        drop(contestants);
        together(&input)?;
        bench(&mut criterion, input.name, &session);
    }
    criterion.final_summary();
    Ok(())
}

/// The total time for somebody who requests everything of a file that was just opened.
fn together(input: &Input) -> Result<()> {
    let session = RefCell::new(input.session()?);
    let mut contestants = [
        Contestant::of("decoding the file", || {
            input.session().map(|session| session.slice_count()).ok()
        }),
        Contestant::of("all analyses together", || {
            session.borrow_mut().memo = Memo::default();
            let session = session.borrow();
            ANALYSES
                .iter()
                .filter_map(|entry| answer(entry, &session))
                .map(|text| text.len())
                .sum::<usize>()
        }),
    ];
    print_ratios(&format!("all analyses {}", input.name), 7, &mut contestants);
    Ok(())
}

fn bench(criterion: &mut Criterion, input: &str, session: &Session) {
    let mut group = criterion.benchmark_group(format!("analyses/{input}"));
    group.sample_size(10);
    for entry in ANALYSES {
        group.bench_function(entry.name, |bencher| {
            bencher.iter(|| answer(entry, session));
        });
    }
    group.finish();
}

fn answer(entry: &Entry, session: &Session) -> Option<String> {
    let answer = entry.run_pairs(session, []).ok()?;
    answer.json_text().ok()
}

/// One pass over a column: the minimum cost of any figure over all slices.
fn sum(session: &Session) -> i64 {
    let lanes = session.tracks.iter().flat_map(|track| &track.lanes);
    let durations = lanes.flat_map(stepscope_model::Lane::durations);
    durations.fold(0, |sum, &duration| sum.wrapping_add(duration))
}
