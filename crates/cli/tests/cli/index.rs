//! `stepscope index`, and what other commands make of it.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Answer, fixture, root, run, run_in, stepscope};

fn with(catalog: &Path, arguments: &[&str]) -> Answer {
    let folder = catalog.display().to_string();
    run_in(arguments, &[("STEPSCOPE_CATALOG", &folder)])
}

#[test]
fn indexed_sessions_are_listed_with_figures_and_compared_as_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let catalog = folder.path().join("catalog");
    let logs = fixture("scaling-cpu");
    let first = with(&catalog, &["index", &logs]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let count: usize = first
        .stdout
        .split_whitespace()
        .find_map(|word| word.parse().ok())
        .expect("a count");
    assert!(count >= 3, "{}", first.stdout);
    let again = with(&catalog, &["index", &logs]).stdout;
    assert!(
        again.contains(&format!("0 sessions indexed, {count} unchanged")),
        "{again}"
    );

    // The list has their figures without opening one.
    let list = with(&catalog, &["sessions", &logs, "--quick", "--json"]).stdout;
    let list: serde_json::Value = serde_json::from_str(&list).expect("JSON");
    let sessions = list["sessions"].as_array().expect("sessions");
    assert_eq!(sessions.len(), count);
    for session in sessions {
        assert_eq!(session["state"], "closed");
        let location = session["location"].as_str().expect("a place");
        let overview = run(&["overview", location, "--json"]).stdout;
        let overview: serde_json::Value = serde_json::from_str(&overview).expect("JSON");
        assert_eq!(session["step_time_ps"], overview["step_time_ps"]["mean"]);
        assert_eq!(session["mfu_ratio"], overview["mfu_ratio"]);
    }
    let quick = run(&["sessions", &logs, "--quick"]).stdout;
    assert!(!quick.contains("Step time"), "nothing is known: {quick}");

    // Comparisons say the same, whether sessions are opened or not, and of a part of them.
    for line in [
        &["scaling", &logs][..],
        &["history", &logs],
        &["scaling", &logs, "--json"],
        &["history", &logs, "--json"],
        &["scaling", &logs, "--steps", "1..3", "--json"],
    ] {
        let (opened, indexed) = (run(line), with(&catalog, line));
        assert_eq!(opened.stdout, indexed.stdout, "{line:?}");
        assert_eq!(opened.code, indexed.code, "{line:?}");
    }

    let listed = with(&catalog, &["index", "--list"]).stdout;
    assert!(listed.contains("unitary_grad_lcam"), "{listed}");
    let cleared = with(&catalog, &["index", "--clear"]).stderr;
    assert!(
        cleared.contains(&format!("removed {count} roll-ups")),
        "{cleared}"
    );
    let listed = with(&catalog, &["index", "--list", "--json"]).stdout;
    assert_eq!(listed.trim(), "[]");
}

#[test]
fn a_killed_index_leaves_nothing_half_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (catalog, logs) = (folder.path().join("catalog"), folder.path().join("logs"));
    let profile = root().join("fixtures/riegeli-cpu/pb/plugins/profile/pb/vm.xplane.pb.gz");
    let count = 400;
    for number in 0..count {
        let run = logs.join(format!("plugins/profile/run{number}"));
        fs::create_dir_all(&run).expect("a folder");
        // Another host is another capture.
        fs::copy(&profile, run.join(format!("host{number}.xplane.pb.gz"))).expect("a copy");
    }
    let logs = logs.display().to_string();
    let mut killed = stepscope()
        .args(["index", &logs])
        .env("STEPSCOPE_CATALOG", &catalog)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let roll_ups = || {
        fs::read_dir(catalog.join("roll-ups")).map_or(0, |files| {
            let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
            names.filter(|name| name.ends_with(".rollup")).count()
        })
    };
    let began = Instant::now();
    while roll_ups() < 20 && began.elapsed() < Duration::from_mins(1) {
        std::thread::yield_now();
    }
    killed.kill().expect("it runs");
    killed.wait().expect("it ends");
    let kept = roll_ups();
    assert!((20..count).contains(&kept), "{kept} of {count}");

    // What is there is used, what is missing is made, and nothing is in the way.
    let next = with(&catalog, &["index", &logs, "--json"]);
    assert_eq!(next.code, 0, "{}", next.stderr);
    let told: serde_json::Value = serde_json::from_str(&next.stdout).expect("JSON");
    assert_eq!(told["failed"], serde_json::json!([]));
    let number = |key: &str| usize::try_from(told[key].as_u64().expect("a count")).expect("few");
    let known = number("copy_count") + number("unchanged_count");
    assert_eq!(
        (known, number("made_count") + known),
        (kept, count),
        "{told}"
    );
    assert_eq!(roll_ups(), count);
    let list = with(&catalog, &["index", "--list", "--json"]).stdout;
    let list: serde_json::Value = serde_json::from_str(&list).expect("JSON");
    assert_eq!(list.as_array().map(Vec::len), Some(count));
}
