//! How the single-file report grows: twice the planes, names, or steps take about twice the time.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::{Context, Result};
use stepscope_benches::paired::{Contestant, print_ratios};
use stepscope_export::About;
use stepscope_export::html::{DEFAULT_MOST_BYTES, HtmlOptions, html};
use stepscope_model::Session;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_testing::drawing::draw;

const PAGE: &str = "<title>Stepscope</title><script type=\"application/json\" \
                    id=\"stepscope-report\"></script>";

/// What grows, its first size, and the text of the profile.
type Shape = (&'static str, usize, fn(usize) -> String);

const SHAPES: [Shape; 3] = [
    ("planes", 2_000, planes),
    ("names", 20_000, names),
    ("steps", 10_000, steps),
];

fn main() -> Result<()> {
    // As with criterion, a word selects what is measured.
    let filter = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    // Divides the sizes for a quick look.
    let divisor = std::env::var("STEPSCOPE_BENCH_DIVISOR").ok();
    let divisor = divisor.and_then(|text| text.parse().ok()).unwrap_or(1usize);
    for (name, size, text) in SHAPES {
        if filter.as_ref().is_some_and(|filter| !name.contains(filter)) {
            continue;
        }
        let size = (size / divisor.max(1)).max(1);
        let once = session(&text(size))?;
        let twice = session(&text(2 * size))?;
        print_ratios(
            &format!("export/html, {name}"),
            3,
            &mut [
                Contestant::of(size.to_string(), || report(&once)),
                Contestant::of((2 * size).to_string(), || report(&twice)),
            ],
        );
    }
    Ok(())
}

/// The length of a report of the default size.
fn report(session: &Session) -> usize {
    let with = HtmlOptions {
        page: PAGE,
        shell: &[],
        most_bytes: DEFAULT_MOST_BYTES,
    };
    let report = html(session, &About::default(), &[], &with);
    report.map_or(0, |report| report.text.len())
}

fn session(text: &str) -> Result<Session> {
    let space = draw(text).context("a profile from text")?;
    let input = HostInput {
        host: "vm".to_owned(),
        bytes: Arc::new(space.to_bytes()),
        problem: None,
    };
    Ok(ingest("generated", vec![input])?)
}

fn planes(count: usize) -> String {
    let mut text = String::from("host vm\n");
    for plane in 0..count {
        let begin = plane % 100;
        let _ = writeln!(text, "device gpu:{plane} nvidia H100\nstream 7 Compute");
        for slice in 0..4 {
            let start = begin + 20 * slice;
            let _ = writeln!(text, "{start}..{}us gemm_{slice}", start + 9);
        }
    }
    text
}

fn names(count: usize) -> String {
    let mut text = String::from("host vm\ndevice gpu:0 nvidia H100\nstream 7 Compute\n");
    for name in 0..count {
        let start = 10 * name;
        let _ = writeln!(
            text,
            "{start}..{}us kernel_{name}_of_the_program",
            start + 9
        );
    }
    text
}

fn steps(count: usize) -> String {
    let mut text = String::from("host vm\ndevice gpu:0 nvidia H100\nstream 7 Compute\n");
    for step in 0..count {
        let start = 100 * step;
        let _ = writeln!(
            text,
            "{start}..{}us gemm [correlation_id={step}]",
            start + 60
        );
    }
    text.push_str("thread python\n");
    for step in 0..count {
        let start = 100 * step;
        let _ = writeln!(
            text,
            "{start}..{}us train #step_num={step},_r=1#",
            start + 90
        );
    }
    text
}
