//! Hints have one form on every surface: code, commands and options are in backquotes, so that the
//! page can link, copy and explain them without guessing. Notes have ids, by which programs know them.

use std::collections::BTreeSet;

use stepscope_analysis::catalogue::ANALYSES;
use stepscope_testing::corpus;

/// What is wrong with the form of a hint.
fn defect(hint: &str) -> Option<&'static str> {
    let pieces: Vec<&str> = hint.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return Some("a backquote without its other half");
    }
    let outside = pieces.iter().step_by(2);
    let marks = [
        "--",
        "stepscope ",
        "XLA_FLAGS",
        "options.",
        "jax.",
        "()",
        "\n",
    ];
    let has_code = |text: &&&str| marks.iter().any(|mark| text.contains(mark));
    if outside.clone().any(|text| has_code(&text)) {
        return Some("code outside of backquotes");
    }
    let is_empty = |code: &&str| code.trim().is_empty();
    let mut code = pieces.iter().skip(1).step_by(2);
    code.any(is_empty).then_some("empty backquotes")
}

#[test]
fn code_in_hints_is_in_backquotes_and_notes_have_ids() {
    let mut seen = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for capture in corpus::fixtures().into_iter().chain(corpus::captures()) {
        let session = crate::support::open(&capture);
        for entry in ANALYSES {
            if let Ok(answer) = entry.run_pairs(&session, []) {
                ids.extend(answer.notes().iter().map(|note| note.id));
                let notes = answer.notes().iter();
                seen.extend(notes.map(|note| (entry.name, note.hint.clone())));
            }
        }
    }
    let poor = seen
        .iter()
        .filter_map(|(analysis, hint)| Some(format!("{analysis}: {}: {hint:?}", defect(hint)?)));
    let poor: Vec<String> = poor.collect();
    assert!(poor.is_empty(), "{}", poor.join("\n"));
    assert!(seen.len() > 20, "{} hints", seen.len());
    let is_kebab = |id: &&str| {
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
        id.split('-').all(is_word)
    };
    let odd: Vec<&str> = ids.iter().copied().filter(|id| !is_kebab(id)).collect();
    assert!(odd.is_empty(), "{odd:?}");
    assert!(ids.len() > 20, "{} ids", ids.len());
}

#[test]
fn a_defect_is_found() {
    assert_eq!(defect("`--limit 0` lists all"), None);
    assert!(defect("--limit 0 lists all").is_some());
    assert!(defect("`f()").is_some());
    assert!(defect("``").is_some());
}
