//! How the single-file report grows: twice the planes, names, or steps take about twice the time.
//! Fails if they take more.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Context, Result};
use stepscope_benches::growth::Growth;
use stepscope_benches::input::session_of;
use stepscope_benches::paired::time;
use stepscope_export::About;
use stepscope_export::html::{DEFAULT_MOST_BYTES, HtmlOptions, html};
use stepscope_model::Session;
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

#[expect(
    clippy::print_stdout,
    reason = "the figures are for whoever runs the bench"
)]
fn main() -> Result<ExitCode> {
    // As with criterion, a word selects what is measured.
    let filter = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    // Divides the sizes for a quick look.
    let divisor = std::env::var("STEPSCOPE_BENCH_DIVISOR").ok();
    let divisor = divisor.and_then(|text| text.parse().ok()).unwrap_or(1usize);
    let mut growth = Growth::default();
    for (name, size, text) in SHAPES {
        if filter.as_ref().is_some_and(|filter| !name.contains(filter)) {
            continue;
        }
        let size = (size / divisor.max(1)).max(1);
        println!("export/html: time for {size} {name}, and for twice as many");
        let sessions = [
            session(&text(size))?,
            session(&text(2 * size))?,
            session(&text(4 * size))?,
        ];
        growth.of(name, |at| time(|| report(&sessions[at])));
    }
    Ok(growth.verdict())
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
    session_of(draw(text).context("a profile from text")?.to_bytes())
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
