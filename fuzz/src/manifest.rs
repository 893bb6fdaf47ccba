//! Arbitrary bytes beside a profile, as its manifest and as the wall clock of its run: the session
//! opens all the same, and what it says of them is short.

use std::path::Path;
use std::sync::OnceLock;

use stepscope_analysis::{Compared, find, find_comparison};
use stepscope_model::redact::{Key, redact};
use stepscope_model::{Manifest, Reads, Session};
use stepscope_storage::{NoProgress, find as find_sessions, open_session};
use stepscope_testing::drawing::draw;

const DRAWING: &str = "
    device tpu:0 v6e
    line Steps
      0..90us 1
    line XLA Ops
      10..60us fusion.1
      70..80us all-reduce.2
    thread python
      0..90us train #step_num=1,_r=1#";

/// Analyses that read manifests.
const ANALYSES: [&str; 2] = ["overview", "verdict"];
/// Characters of one value, and the sign that there were more.
const MOST_CHARACTERS: usize = 4001;

/// Panics if the bytes keep the session from opening, or an answer about it fails.
pub fn check(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let session = session_with(folder.path(), bytes);
    let host = session.hosts.first().expect("the profile's host");
    if let Some(manifest) = &host.manifest {
        check_texts(manifest);
        manifest.facts();
    }
    for name in ANALYSES {
        let entry = find(name).expect("an analysis");
        let answer = entry.run_pairs(&session, []).expect("an answer");
        answer.json().expect("a report is JSON");
        answer.tables();
    }
    let compared = [("before", &session), ("after", &session)];
    let compared = compared.map(|(name, session)| Compared { name, session });
    let entry = find_comparison("compare").expect("a comparison");
    let answer = entry.run_pairs(&compared, []).expect("an answer");
    answer.json().expect("a report is JSON");
    let (redacted, _) = redact(&session, &Key::from_text("fuzzed")).expect("a session");
    assert!(redacted.hosts.iter().all(|host| host.manifest.is_none()));
}

fn session_with(folder: &Path, bytes: &[u8]) -> Session {
    static PROFILE: OnceLock<Vec<u8>> = OnceLock::new();
    let profile = PROFILE.get_or_init(|| draw(DRAWING).expect("a drawing").to_bytes());
    let run = folder.join("plugins/profile/run");
    std::fs::create_dir_all(&run).expect("a folder");
    for (path, bytes) in [
        (run.join("vm.xplane.pb"), profile.as_slice()),
        (run.join("vm.stepscope.json"), bytes),
        (folder.join("wall_clock.json"), bytes),
    ] {
        std::fs::write(path, bytes).expect("a file");
    }
    let found = find_sessions(folder).expect("a session");
    let [files] = found.sessions.as_slice() else {
        panic!("{} sessions", found.sessions.len());
    };
    let opened = open_session(files, Reads::Everything, |_| NoProgress);
    opened.expect("the profile is whole").session
}

fn check_texts(manifest: &Manifest) {
    let texts = [
        &manifest.name,
        &manifest.trigger,
        &manifest.error,
        &manifest.git_commit,
        &manifest.git_branch,
    ];
    let pairs = [&manifest.versions, &manifest.options, &manifest.environment];
    let pairs = pairs.into_iter().flatten();
    let texts = texts.into_iter().flatten().chain(&manifest.arguments);
    let texts = texts.chain(pairs.flat_map(|(name, value)| [name, value]));
    let texts = texts.chain(manifest.devices.iter().map(|(kind, _)| kind));
    for text in texts {
        assert!(text.chars().count() <= MOST_CHARACTERS, "a long text");
    }
}
