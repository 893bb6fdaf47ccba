//! Replays of a million ops: the graph, and a replay in which every product takes half as long,
//! compared with one pass over all durations and with opening the session.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::{Context, Result};
use stepscope_analysis::find;
use stepscope_analysis::views::replay::Replay;
use stepscope_analysis::views::replay::effects::{Effects, Reading};

use stepscope_benches::paired::{Contestant, print_ratios};
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::{Memo, Session};
use stepscope_testing::drawing;

/// Steps of ten ops each.
const STEPS: usize = 100_000;

fn main() -> Result<()> {
    let bytes = Arc::new(
        drawing::draw(&text()?)
            .ok()
            .context("the drawing is well formed")?,
    );
    let bytes = Arc::new(bytes.to_bytes());
    let open = || {
        let host = HostInput {
            host: "vm".to_owned(),
            bytes: Arc::clone(&bytes) as _,
            problem: None,
        };
        ingest("replay", vec![host])
    };
    let session = RefCell::new(open()?);
    let replay = Replay::of(&session.borrow());
    let labels = session.borrow().labels.len();
    let halved = Effects {
        work: vec![0.5; labels],
        ..Effects::none()
    };
    let forget = || session.borrow_mut().memo = Memo::default();
    let mut contestants = [
        Contestant::of("sum of all durations", || sum(&session.borrow())),
        Contestant::of("opening", || open().is_ok()),
        Contestant::of("graph", || {
            forget();
            Replay::of(&session.borrow())
        }),
        Contestant::of("replay", || replay.with(&halved, Reading::Likely)),
        Contestant::of("what_if, as asked first", || {
            forget();
            find("what_if")?.run_pairs(&session.borrow(), []).ok()
        }),
    ];
    print_ratios("replay of a million ops", 5, &mut contestants);
    Ok(())
}

fn sum(session: &Session) -> i64 {
    let lanes = session.tracks.iter().flat_map(|track| &track.lanes);
    let durations = lanes.flat_map(stepscope_model::Lane::durations);
    durations.fold(0, |sum, &duration| sum.wrapping_add(duration))
}

/// Steps of ten ops on one core, and the host that launches them.
fn text() -> Result<String> {
    let mut text = format!("host vm\ndevice tpu:0 v6e\nline XLA Ops\nrepeat {STEPS} every 20us\n");
    for op in 0..10 {
        writeln!(
            text,
            "  {}..{}us fusion.{op} {{program_id=5}}",
            2 * op,
            2 * op + 1
        )?;
    }
    text.push_str("end\nthread python\n");
    writeln!(
        text,
        "repeat {STEPS} every 20us\n  0..1us PjitFunction(step)\nend"
    )?;
    Ok(text)
}
