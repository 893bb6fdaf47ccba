//! `buffers` against XProf's `memory_viewer` for the corpus: equal, or explained. The same figures
//! make the table of `docs/internals/differences/buffers.md`, which is checked here too.

use std::fmt::Write as _;
use std::path::PathBuf;

use stepscope_testing::corpus;

use crate::support::memory_viewer::ANSWERS;
use crate::support::{ask, open};

const UNTRACED: &str = "XProf leaves out thread-local memory, and temporary allocations without a \
                        heap trace";
const THREADS: &str = "XProf leaves out thread-local memory";

/// The page is the text before this mark, and the table after it.
const MARK: &str = "<!-- The table is made by crates/analysis/tests/opinion_buffers.rs -->\n";

fn page() -> PathBuf {
    corpus::repository_root().join("docs/internals/differences/buffers.md")
}

/// One figure of both.
struct Pair {
    what: String,
    theirs: i64,
    ours: i64,
    /// Bytes that are explained, and by what.
    reason: &'static str,
}

fn pairs() -> Vec<Pair> {
    let mut pairs = Vec::new();
    let captures = corpus::captures();
    for &(name, program, space, peak, total, arguments, results, points) in ANSWERS {
        let Some(capture) = captures.iter().find(|capture| capture.name == name) else {
            continue;
        };
        let session = open(capture);
        let id = program
            .rsplit_once('(')
            .map_or("", |(_, id)| id.trim_end_matches(')'));
        let report = ask(
            &session,
            "buffers",
            &[("program", id), ("space", &space.to_string())],
        );
        assert_eq!(report["program"], program);
        let spaces = report["spaces"].as_array().expect("a list");
        let own = spaces
            .iter()
            .find(|own| own["color"] == space)
            .expect("the space");
        let int = |value: &serde_json::Value| value.as_i64().expect("a whole number");
        let mut pair = |what: &str, theirs: i64, ours: i64, reason| {
            let what = format!("{name} | {program}, space {space} | {what}");
            pairs.push(Pair {
                what,
                theirs,
                ours,
                reason,
            });
        };
        pair("peak, B", peak, int(&report["peak_bytes"]), UNTRACED);
        pair("reserved, B", total, int(&own["allocation_bytes"]), THREADS);
        pair("arguments, B", arguments, int(&own["parameter_bytes"]), "");
        pair(
            "possible results, B",
            results,
            int(&own["live_out_bytes"]),
            "",
        );
        if points > 0 {
            let count = i64::try_from(points).expect("a count");
            pair("points", count, int(&report["point_count"]), "");
        }
    }
    pairs
}

fn table(pairs: &[Pair]) -> String {
    let mut text = String::from(
        "| Capture | Program | Figure | XProf | Stepscope | Reason |\n|---|---|---|---|---|---|\n",
    );
    for pair in pairs {
        let reason = if pair.ours == pair.theirs {
            "equal"
        } else {
            pair.reason
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {reason} |",
            pair.what, pair.theirs, pair.ours
        );
    }
    text
}

#[test]
fn memory_plans_agree_with_xprof_or_say_why() {
    let pairs = pairs();
    if pairs.is_empty() {
        return;
    }
    for pair in &pairs {
        assert!(
            pair.ours == pair.theirs || !pair.reason.is_empty(),
            "{}: {} against {}, without a reason",
            pair.what,
            pair.ours,
            pair.theirs
        );
        // What is explained is small: pointers and scalars, not arrays.
        assert!(
            pair.ours >= pair.theirs && pair.ours - pair.theirs < 200_000,
            "{}: {} against {}",
            pair.what,
            pair.ours,
            pair.theirs
        );
    }
    let page = page();
    let known = std::fs::read_to_string(&page).expect("the page exists");
    let (words, _) = known.split_once(MARK).expect("the page has the mark");
    let fresh = format!("{words}{MARK}\n{}", table(&pairs));
    if std::env::var_os("STEPSCOPE_UPDATE_DOCS").is_some() {
        std::fs::write(&page, &fresh).expect("the page can be written");
    }
    assert!(
        known == fresh,
        "stale: STEPSCOPE_UPDATE_DOCS=1 cargo test --test analyses opinion_buffers"
    );
}
