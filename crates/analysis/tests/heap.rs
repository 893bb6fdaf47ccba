//! The figures of `heap` against a count that shares no code with it: prost's reading of the same
//! files, looked up by linear search and added up in maps of texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use stepscope_analysis::Analysis;
use stepscope_analysis::judging::advice::{Advice, AdviceOptions};
use stepscope_analysis::judging::verdict::{Verdict, VerdictOptions};
use stepscope_analysis::views::heap::{Heap, HeapBy, HeapChange, HeapOptions, HeapReport};
use stepscope_analysis::{AnalysisError, Selection};
use stepscope_model::Session;
use stepscope_model::ingest::{MemoryInput, ingest_with_memory};
use stepscope_testing::pprof::{FlatSample, Profile, read};

/// Bytes and allocations.
type Amount = (i64, i64);
/// Function, file and line.
type Stack = Vec<(String, String, i64)>;

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(path)
}

fn session(profiles: &[(&str, &Profile)]) -> Session {
    let inputs = profiles.iter().map(|(name, profile)| MemoryInput {
        name: (*name).to_owned(),
        bytes: Arc::new(profile.to_bytes()),
        written_epoch_ns: None,
        problem: None,
    });
    ingest_with_memory("memory", Vec::new(), inputs.collect()).expect("profiles")
}

fn run(session: &Session, options: &HeapOptions) -> HeapReport {
    Heap::run(session, options).expect("a report")
}

/// The rule by which frames are folded, in other words.
fn is_own(file: &str) -> bool {
    let packages = ["jax", "jaxlib", "flax", "optax", "numpy"];
    let is_package = packages
        .iter()
        .any(|package| file.contains(&format!("/site-packages/{package}/")));
    let is_python = file.contains("/lib/python3.11/") && !file.contains("/site-packages/");
    !is_package && !is_python
}

/// A sample's stack as it is shown, outermost first.
fn shown(sample: &FlatSample, is_folded: bool) -> Stack {
    let whole: Stack = sample.stack.iter().rev().cloned().collect();
    let own: Stack = whole
        .iter()
        .filter(|frame| is_own(&frame.1))
        .cloned()
        .collect();
    if is_folded && !own.is_empty() {
        own
    } else {
        whole
    }
}

fn add<K: Ord>(sums: &mut BTreeMap<K, Amount>, key: K, sample: &FlatSample) {
    let [allocations, bytes] = sample.values[..] else {
        panic!("two values");
    };
    let sum = sums.entry(key).or_default();
    *sum = (sum.0 + bytes, sum.1 + allocations);
}

fn label(sample: &FlatSample, key: &str) -> String {
    sample.labels.get(key).cloned().unwrap_or_default()
}

fn title((function, file, line): &(String, String, i64)) -> String {
    let file = file.rsplit('/').next().unwrap_or_default();
    match (file.is_empty(), line) {
        (true, _) => function.clone(),
        (false, 0) => format!("{function} ({file})"),
        _ => format!("{function} ({file}:{line})"),
    }
}

/// Checks every figure of a report without comparison.
fn check(report: &HeapReport, samples: &[FlatSample], is_folded: bool) {
    let mut total = BTreeMap::new();
    let (mut stacks, mut devices, mut kinds) =
        <(BTreeMap<_, _>, BTreeMap<_, _>, BTreeMap<_, _>)>::default();
    let (mut functions, mut own) = <(BTreeMap<_, _>, BTreeMap<_, _>)>::default();
    let (mut nodes, mut node_own) = <(BTreeMap<_, _>, BTreeMap<_, _>)>::default();
    for sample in samples {
        let stack = shown(sample, is_folded);
        add(&mut total, (), sample);
        add(&mut devices, label(sample, "device"), sample);
        add(&mut kinds, label(sample, "kind"), sample);
        let titles: Vec<String> = stack.iter().map(title).collect();
        add(&mut stacks, (titles, label(sample, "kind")), sample);
        let path: Vec<(String, String)> = stack
            .iter()
            .map(|(function, file, _)| (function.clone(), file.clone()))
            .collect();
        for function in path.iter().collect::<BTreeSet<_>>() {
            add(&mut functions, function.clone(), sample);
        }
        if let Some(leaf) = path.last() {
            add(&mut own, leaf.clone(), sample);
            add(&mut node_own, path.clone(), sample);
        }
        for length in 1..=path.len() {
            add(&mut nodes, path[..length].to_vec(), sample);
        }
    }
    let total = total.get(&()).copied().unwrap_or_default();
    assert_eq!((report.total_bytes, report.total_allocations), total);
    for (found, expected) in [(&report.devices, devices), (&report.kinds, kinds)] {
        let found: BTreeMap<String, Amount> = found
            .iter()
            .map(|group| (group.name.clone(), (group.bytes, group.allocations)))
            .collect();
        assert_eq!(found, expected);
    }
    // Titles hold the name of a file without its folders, so that two stacks may look the same.
    let mut found: BTreeMap<(Vec<String>, String), Amount> = BTreeMap::new();
    for row in &report.rows {
        let sum = found
            .entry((row.stack.clone(), row.kind.clone()))
            .or_default();
        *sum = (sum.0 + row.bytes, sum.1 + row.allocations);
        assert_eq!(
            row.site,
            row.stack
                .last()
                .cloned()
                .unwrap_or_else(|| "(unknown)".to_owned())
        );
        let ratio = (total.0 != 0).then(|| row.bytes as f64 / total.0 as f64);
        assert_eq!(row.ratio, ratio);
        assert_eq!((row.change_bytes, row.change), (None, None));
    }
    assert_eq!(found, stacks);
    assert!(report.rows.is_sorted_by_key(|row| -row.bytes));
    assert_eq!(report.row_count, report.rows.len());
    let found: BTreeMap<(String, String), [i64; 4]> = report
        .functions
        .iter()
        .map(|row| {
            let figures = [
                row.total_bytes,
                row.total_allocations,
                row.self_bytes,
                row.self_allocations,
            ];
            ((row.name.clone(), row.source.clone()), figures)
        })
        .collect();
    let expected = functions.into_iter().map(|(key, sum)| {
        let own = own.get(&key).copied().unwrap_or_default();
        (key, [sum.0, sum.1, own.0, own.1])
    });
    assert_eq!(found, expected.collect());
    check_tree(report, &nodes, &node_own);
}

/// A path of functions and files.
type Nodes = Vec<(String, String)>;

fn check_tree(report: &HeapReport, nodes: &BTreeMap<Nodes, Amount>, own: &BTreeMap<Nodes, Amount>) {
    let mut path: Nodes = Vec::new();
    let mut found = BTreeMap::new();
    for row in &report.tree {
        path.truncate(row.depth as usize);
        // The file, without the line that stands behind it where all stacks share one.
        let file = match row.source.rsplit_once(':') {
            Some((file, line)) if line.parse::<i64>().is_ok() => file.to_owned(),
            _ => row.source.clone(),
        };
        path.push((row.name.clone(), file));
        let figures = [
            row.total_bytes,
            row.total_allocations,
            row.self_bytes,
            row.self_allocations,
        ];
        assert!(
            found.insert(path.clone(), figures).is_none(),
            "{path:?} twice"
        );
    }
    let expected: BTreeMap<Nodes, [i64; 4]> = nodes
        .iter()
        .map(|(path, sum)| {
            let own = own.get(path).copied().unwrap_or_default();
            (path.clone(), [sum.0, sum.1, own.0, own.1])
        })
        .collect();
    assert_eq!(found, expected);
    assert_eq!(report.tree_count, report.tree.len());
}

#[test]
fn real_snapshots_add_up() {
    for path in [
        "mlp-cpu/memory.prof",
        "demo-gpt-cpu/memory.prof",
        "leak-cpu/step_000001.prof",
        "leak-cpu/step_000020.prof",
    ] {
        let profile = read(&fixture(path)).expect("prost reads it");
        let session = session(&[("memory", &profile)]);
        let samples = profile.flat();
        assert!(samples.len() > 10, "{path}");
        check(&run(&session, &HeapOptions::default()), &samples, true);
        let internal = HeapOptions {
            internal: true,
            ..HeapOptions::default()
        };
        check(&run(&session, &internal), &samples, false);
    }
}

#[test]
fn real_snapshots_name_the_users_line() {
    for path in ["mlp-cpu/memory.prof", "leak-cpu/step_000020.prof"] {
        let profile = read(&fixture(path)).expect("prost reads it");
        let report = run(&session(&[("memory", &profile)]), &HeapOptions::default());
        for row in &report.rows {
            assert!(row.source.contains("/capture_"), "{}", row.source);
        }
        assert!(report.folded_frame_count > 10);
        let said = |words| report.notes.iter().any(|note| note.text.contains(words));
        assert!(said("folded"), "{:?}", report.notes);
    }
}

#[test]
fn a_leak_is_told_in_verdict_and_advice_with_its_line() {
    let first = read(&fixture("leak-cpu/step_000001.prof")).expect("prost reads it");
    let last = read(&fixture("leak-cpu/step_000020.prof")).expect("prost reads it");
    let grown = session(&[("step_000001", &first), ("step_000020", &last)]);
    let verdict = Verdict::run(&grown, &VerdictOptions::default()).expect("a verdict");
    let ids: Vec<&str> = verdict
        .findings
        .iter()
        .map(|found| found.id.as_str())
        .collect();
    assert_eq!(ids, ["heap_growth"]);
    let what = &verdict.findings[0].what;
    let bytes = |profile: &Profile| {
        profile
            .flat()
            .iter()
            .map(|sample| sample.values[1])
            .sum::<i64>()
    };
    for said in [
        stepscope_analysis::telling::format::bytes(bytes(&first) as f64),
        stepscope_analysis::telling::format::bytes(bytes(&last) as f64),
    ] {
        assert!(what.contains(&said), "no {said} in {what}");
    }
    assert!(what.contains("capture_leak.py"), "{what}");
    assert!(
        verdict
            .lines
            .iter()
            .any(|line| line.contains("Memory grew"))
    );

    let advice = Advice::run(&grown, &AdviceOptions::default()).expect("advice");
    let told = advice
        .findings
        .iter()
        .filter(|found| found.what.contains("Largest growth"));
    assert_eq!(
        told.count(),
        1,
        "once, not by two rules: {:?}",
        advice.findings
    );

    let same = session(&[("step_000020", &last), ("step_000021", &last)]);
    let verdict = Verdict::run(&same, &VerdictOptions::default()).expect("a verdict");
    assert_eq!(verdict.findings.len(), 0, "{:?}", verdict.findings);
}

#[test]
fn selections_choose_samples() {
    let profile = read(&fixture("leak-cpu/step_000020.prof")).expect("prost reads it");
    let session = session(&[("memory", &profile)]);
    let all = profile.flat();
    let part = |keep: &dyn Fn(&FlatSample) -> bool| -> Vec<FlatSample> {
        all.iter().filter(|sample| keep(sample)).cloned().collect()
    };
    let with = |selection: Selection, kind: Option<&str>| HeapOptions {
        selection,
        kind: kind.map(str::to_owned),
        ..HeapOptions::default()
    };
    let device = |text: &str| Selection {
        device: Some(text.to_owned()),
        ..Selection::default()
    };
    for (wanted, name) in [("2", "cpu:2"), ("CPU:3", "cpu:3")] {
        let samples = part(&|sample| label(sample, "device") == name);
        check(&run(&session, &with(device(wanted), None)), &samples, true);
    }
    let samples = part(&|sample| label(sample, "kind") == "buffer");
    check(
        &run(&session, &with(Selection::default(), Some("buffers"))),
        &samples,
        true,
    );
    let pattern = Selection {
        pattern: Some("load_batch".to_owned()),
        ..Selection::default()
    };
    let samples = part(&|sample| sample.stack.iter().any(|frame| frame.0 == "load_batch"));
    assert!(!samples.is_empty());
    check(&run(&session, &with(pattern, None)), &samples, true);
    for options in [
        with(device("9"), None),
        with(Selection::default(), Some("array")),
    ] {
        let error = Heap::run(&session, &options).err();
        assert!(matches!(error, Some(AnalysisError::NothingSelected { .. })));
    }
}

/// Per stack and kind, now less then; with who is new and who is gone.
#[test]
fn growth_is_the_difference_of_two_counts() {
    let then = read(&fixture("leak-cpu/step_000001.prof")).expect("prost reads it");
    let now = read(&fixture("leak-cpu/step_000020.prof")).expect("prost reads it");
    let session = session(&[("step_000020", &now), ("step_000001", &then)]);
    let names: Vec<&str> = session
        .heap
        .snapshots
        .iter()
        .map(|s| s.name.as_str())
        .collect();
    assert_eq!(
        names,
        ["step_000001", "step_000020"],
        "numbers in names order them"
    );
    let options = HeapOptions {
        against: Some("first".to_owned()),
        ..HeapOptions::default()
    };
    let report = run(&session, &options);
    let mut sums: BTreeMap<(Vec<String>, String), (Amount, Amount)> = BTreeMap::new();
    for (profile, is_now) in [(&now, true), (&then, false)] {
        for sample in profile.flat() {
            let titles = shown(&sample, true).iter().map(title).collect();
            let sum = sums.entry((titles, label(&sample, "kind"))).or_default();
            let side = if is_now { &mut sum.0 } else { &mut sum.1 };
            *side = (side.0 + sample.values[1], side.1 + sample.values[0]);
        }
    }
    assert_eq!(report.rows.len(), sums.len());
    for row in &report.rows {
        let (now, then) = sums[&(row.stack.clone(), row.kind.clone())];
        assert_eq!((row.bytes, row.allocations), now, "{}", row.site);
        assert_eq!(row.change_bytes, Some(now.0 - then.0), "{}", row.site);
        assert_eq!(row.change_allocations, Some(now.1 - then.1), "{}", row.site);
        let state = match (then, now) {
            ((0, 0), _) => HeapChange::New,
            (_, (0, 0)) => HeapChange::Gone,
            _ if now.0 > then.0 => HeapChange::Grown,
            _ if now.0 < then.0 => HeapChange::Shrunk,
            _ => HeapChange::Same,
        };
        assert_eq!(row.change, Some(state), "{}", row.site);
    }
    assert!(
        report
            .rows
            .is_sorted_by_key(|row| row.change_bytes.map(|change| -change))
    );
    // By hand: 19 batches of 128 × 256 float32 stay alive, a quarter on each of four devices.
    let batches = report
        .rows
        .iter()
        .find(|row| row.site.starts_with("load_batch"));
    let batches = batches.expect("the leak");
    assert_eq!(
        (batches.bytes, batches.allocations),
        (19 * 128 * 256 * 4, 76)
    );
    assert_eq!(report.change_bytes, Some(8_864_048 - 6_897_696));
    let changes: i64 = report
        .devices
        .iter()
        .filter_map(|group| group.change_bytes)
        .sum();
    assert_eq!(Some(changes), report.change_bytes);
    let roots = report.tree.iter().filter(|row| row.depth == 0);
    let roots: i64 = roots.filter_map(|row| row.change_bytes).sum();
    assert_eq!(Some(roots), report.change_bytes);
}

#[test]
fn a_recursion_counts_once_and_all_library_stacks_stay_whole() {
    const JAX: &str = "bind /v/lib/python3.11/site-packages/jax/_src/core.py:7";
    let profile = Profile::drawn(&[
        (
            &[JAX, "walk a.py:3", "walk a.py:3", "main a.py:9"],
            "buffer",
            "cpu:0",
            1,
            10,
        ),
        (
            &[JAX, "walk a.py:3", "main a.py:9"],
            "buffer",
            "cpu:10",
            2,
            100,
        ),
        (&[JAX, JAX], "buffer", "cpu:2", 1, 1000),
        (&[], "executable", "", 1, 0),
    ]);
    let session = session(&[("drawn", &profile)]);
    let report = run(&session, &HeapOptions::default());
    check(&report, &profile.flat(), true);
    let walk = report.functions.iter().find(|row| row.name == "walk");
    let walk = walk.expect("a function");
    assert_eq!((walk.total_bytes, walk.self_bytes), (110, 110));
    assert_eq!(
        report.rows[0].site, "bind (core.py:7)",
        "no frame of the user's"
    );
    let devices: Vec<&str> = report
        .devices
        .iter()
        .map(|group| group.name.as_str())
        .collect();
    assert_eq!(devices, ["cpu:0", "cpu:2", "cpu:10", ""]);
    let by_count = HeapOptions {
        by: HeapBy::Allocations,
        ..HeapOptions::default()
    };
    let report = run(&session, &by_count);
    assert_eq!(report.rows[0].allocations, 2);
    assert_eq!(report.rows[0].ratio, Some(2.0 / 5.0));
}

#[test]
fn snapshots_are_named_by_number_word_or_part() {
    let sizes = [5, 50, 500];
    let profiles = sizes.map(|bytes| Profile::drawn(&[(&["main a.py:1"], "buffer", "", 1, bytes)]));
    let [a, b, c] = &profiles;
    let session = session(&[("step_10", c), ("step_2", b), ("step_1", a)]);
    let asked = |snapshot: Option<&str>, against: Option<&str>| {
        let options = HeapOptions {
            snapshot: snapshot.map(str::to_owned),
            against: against.map(str::to_owned),
            ..HeapOptions::default()
        };
        Heap::run(&session, &options).map(|report| (report.total_bytes, report.change_bytes))
    };
    assert_eq!(asked(None, None).ok(), Some((500, None)));
    assert_eq!(asked(Some("0"), None).ok(), Some((5, None)));
    assert_eq!(
        asked(Some("step_2"), Some("first")).ok(),
        Some((50, Some(45)))
    );
    assert_eq!(asked(None, Some("previous")).ok(), Some((500, Some(450))));
    assert_eq!(
        asked(Some("first"), Some("last")).ok(),
        Some((5, Some(-495)))
    );
    assert_eq!(asked(None, Some("last")).ok(), Some((50, Some(-450))));
    assert_eq!(asked(Some("_10"), None).ok(), Some((500, None)));
    for (snapshot, against) in [
        (Some("3"), None),
        (Some("step"), None),
        (Some("0"), Some("0")),
    ] {
        assert!(
            asked(snapshot, against).is_err(),
            "{snapshot:?} {against:?}"
        );
    }
}

#[test]
fn growth_between_snapshots_stands_in_the_advice() {
    let kept = |bytes| {
        Profile::drawn(&[
            (&["main a.py:1"], "buffer", "cpu:0", 1, 4 << 20),
            (&["log_loss a.py:9"], "buffer", "cpu:0", 10, bytes),
        ])
    };
    let found = |first: i64, last: i64| {
        let (first, last) = (kept(first), kept(last));
        let session = session(&[("first", &first), ("last", &last)]);
        let entry = stepscope_analysis::find("advice").expect("registered");
        let report = entry.run_pairs(&session, []).expect("an answer");
        let report = report.json().expect("JSON");
        let findings = report["findings"].as_array().cloned().unwrap_or_default();
        let of_heap = findings.iter().find(|one| one["id"] == "heap_growth");
        of_heap.map(|one| one["what"].as_str().unwrap_or_default().to_owned())
    };
    let what = found(1 << 20, 9 << 20).expect("it grew from 5 MiB to 13");
    assert!(what.contains("8.000 MiB more"), "{what}");
    assert!(what.contains("log_loss"), "{what}");
    assert_eq!(found(1 << 20, 1 << 20), None);
}

#[test]
fn other_analyses_say_that_there_are_no_events() {
    let profile = Profile::drawn(&[(&["main a.py:1"], "buffer", "cpu:0", 1, 8)]);
    let session = session(&[("memory", &profile)]);
    for entry in stepscope_analysis::ANALYSES {
        let answer = entry.run_pairs(&session, []);
        match answer {
            // The others have an answer, if only that nothing of theirs is there.
            Ok(_) => {
                let of_memory = ["advice", "heap", "verdict", "memory", "graph", "buffers"];
                assert!(of_memory.contains(&entry.name), "{}", entry.name);
            }
            Err(AnalysisError::NoEvents { name }) => assert_eq!(name, entry.name),
            Err(error) => panic!("{}: {error}", entry.name),
        }
    }
}

#[test]
fn a_session_without_snapshots_says_how_to_take_one() {
    let capture = stepscope_testing::corpus::fixture("hosts4-cpu").expect("a fixture");
    let session = crate::support::open(&capture);
    let report = run(&session, &HeapOptions::default());
    assert!(report.rows.is_empty() && report.tree.is_empty());
    assert!(report.notes[0].hint.contains("save_device_memory_profile"));
}

prop_compose! {
    fn sample()(
        stack in proptest::collection::vec(0..6_usize, 0..6),
        device in 0..4_usize,
        allocations in 0..50_i64,
        bytes in 0..1_000_000_i64,
    ) -> (Vec<&'static str>, &'static str, &'static str, i64, i64) {
        const FRAMES: [&str; 6] = [
            "main a.py:1", "main a.py:2", "load b.py:3", "step b.py:4",
            "bind /v/lib/python3.11/site-packages/jax/_src/core.py:5",
            "inner /usr/lib/python3.11/contextlib.py:6",
        ];
        let device = ["cpu:0", "cpu:1", "gpu:0", ""][device];
        let kind = if device.is_empty() { "executable" } else { "buffer" };
        (stack.into_iter().map(|index| FRAMES[index]).collect(), kind, device, allocations, bytes)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_snapshot_adds_up(samples in proptest::collection::vec(sample(), 1..30)) {
        let samples: Vec<_> = samples
            .iter()
            .map(|(stack, kind, device, count, bytes)| (&stack[..], *kind, *device, *count, *bytes))
            .collect();
        let profile = Profile::drawn(&samples);
        let session = session(&[("drawn", &profile)]);
        check(&run(&session, &HeapOptions::default()), &profile.flat(), true);
        let internal = HeapOptions { internal: true, ..HeapOptions::default() };
        check(&run(&session, &internal), &profile.flat(), false);
    }
}
