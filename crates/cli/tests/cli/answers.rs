//! Every answer over the fixtures, as text, JSON and CSV.

use crate::support::{
    check, check_json, csv_records, fixture, profile_bytes, root, run, run_at, run_in, stepscope,
};

const FIXTURES: [&str; 3] = ["demo-gpt-cpu", "mlp-cpu", "hosts4-cpu"];
#[rustfmt::skip] // one line each, so that two additions never meet
const ANALYSES: &[&str] = &[
    "overview",
    "timeline",
    "steps",
    "ops",
    "op_tree",
    "roofline",
    "scopes",
    "kernels",
    "counters",
    "collectives",
    "hosts",
    "heap",
    "idle",
    "input",
    "compile",
    "requests",
    "memory",
    "advice",
    "graph",
    "buffers",
];

fn text(arguments: &[&str]) -> String {
    let answer = run(arguments);
    assert_eq!(answer.code, 0, "{arguments:?}: {}", answer.stderr);
    assert!(answer.stdout.is_ascii() || !answer.stdout.contains('\u{1b}'));
    answer.stdout
}

#[test]
fn every_analysis_of_every_fixture() {
    for name in FIXTURES {
        for analysis in ANALYSES {
            let path = format!("fixtures/{name}");
            let answer = run_at(&root(), &[analysis, &path, "--limit", "12"]);
            assert_eq!(answer.code, 0, "{analysis} of {name}: {}", answer.stderr);
            let answer = answer.stdout;
            assert!(!answer.is_empty(), "{analysis} of {name}");
            let widest = answer.lines().map(|line| line.chars().count()).max();
            assert!(
                widest <= Some(120),
                "{analysis} of {name} is {widest:?} wide"
            );
            check(&format!("{name}.{analysis}.txt"), &answer);
        }
    }
}

#[test]
fn what_some_fixtures_were_made_for() {
    for (name, analysis) in [("compile-cpu", "compile"), ("serving-cpu", "requests")] {
        let answer = text(&[analysis, &fixture(name), "--limit", "12"]);
        check(&format!("{name}.{analysis}.txt"), &answer);
    }
}

#[test]
fn every_analysis_as_json_and_csv() {
    let path = fixture("demo-gpt-cpu");
    for analysis in ANALYSES {
        let json = text(&[analysis, &path, "--json", "--limit", "3"]);
        assert_eq!(json.lines().count(), 1, "one line for programs");
        let mut value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        hide_file_times(&mut value);
        check_json(&format!("demo-gpt-cpu.{analysis}.json"), &value);
        let csv = text(&[analysis, &path, "--csv", "--limit", "3"]);
        assert_eq!(
            csv.matches('\n').count(),
            csv.matches("\r\n").count(),
            "RFC 4180"
        );
        check(
            &format!("demo-gpt-cpu.{analysis}.csv"),
            &csv.replace("\r\n", "\n"),
        );
    }
}

/// JSON and CSV are two forms of the same figures: every number and flag of a row of the report is in
/// the cell of the table that has its key. Texts are keys in one and words in the other.
#[test]
fn json_and_csv_agree() {
    let mut compared = 0;
    // The table of `op_tree` leaves out what an idle node has no figure for.
    let analyses = || ANALYSES.iter().filter(|name| **name != "op_tree");
    for (name, analysis) in FIXTURES
        .iter()
        .flat_map(|name| analyses().map(move |analysis| (name, analysis)))
    {
        let path = fixture(name);
        let json = text(&[analysis, &path, "--json", "--limit", "12"]);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let csv = run(&[analysis, &path, "--csv", "--table", "rows", "--limit", "12"]);
        let csv = csv_records(&csv.stdout);
        let (Some(rows), Some((keys, records))) = (json["rows"].as_array(), csv.split_first())
        else {
            continue;
        };
        assert_eq!(rows.len(), records.len(), "{analysis} of {name}");
        for (row, record) in rows.iter().zip(records) {
            for (key, cell) in keys.iter().zip(record) {
                let text = match &row[key.as_str()] {
                    serde_json::Value::Null if row.get(key).is_some() => String::new(),
                    serde_json::Value::Number(number) => number.to_string(),
                    serde_json::Value::Bool(flag) => flag.to_string(),
                    _ => continue,
                };
                let is_same = match (text.parse::<f64>(), cell.parse::<f64>()) {
                    // The parser of JSON may be off in the last digit.
                    (Ok(one), Ok(other)) => (one - other).abs() <= 1e-14 * one.abs(),
                    _ => text == *cell,
                };
                assert!(is_same, "{analysis} of {name}, {key}: {text} and {cell}");
                compared += 1;
            }
        }
    }
    assert!(compared > 2_000, "{compared}");
}

/// When a file was written depends on the checkout, not on the fixture.
fn hide_file_times(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Array(values) => values.iter_mut().for_each(hide_file_times),
        serde_json::Value::Object(fields) => {
            if fields
                .get("time_source")
                .is_some_and(|source| source == "written")
            {
                fields.insert("epoch_ns".to_owned(), "[WRITTEN]".into());
            }
            fields.values_mut().for_each(hide_file_times);
        }
        _ => {}
    }
}

#[test]
fn reports_fit_one_screen() {
    for name in FIXTURES {
        let answer = run_in(&["report", &fixture(name)], &[("COLUMNS", "80")]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        // Commands stay in one piece, so that they can be pasted.
        let wrapped = answer
            .stdout
            .lines()
            .filter(|line| !line.contains("`stepscope "));
        let widest = wrapped.map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{name}: {widest:?} columns");
        let lines = answer.stdout.lines().count();
        assert!(lines <= 45, "{name}: {lines} lines");
        check(&format!("{name}.report.txt"), &answer.stdout);
    }
}

#[test]
fn the_demo_needs_no_file() {
    let answer = run(&["demo", "--no-serve"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    check("demo.txt", &answer.stdout);
    let report = run(&["report", &fixture("demo-gpt-cpu")]);
    let rest = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        rest(&answer.stdout),
        rest(&report.stdout),
        "the fixture says the same"
    );
}

#[test]
fn colors_and_blocks_where_they_are_wanted() {
    let answer = run(&["demo", "--no-serve", "--color", "always"]);
    check("demo.color.txt", &answer.stdout.replace('\u{1b}', "␛"));
    assert!(
        !run(&["demo", "--no-serve", "--color", "never"])
            .stdout
            .contains('\u{1b}')
    );
    let plain = run_in(&["demo", "--no-serve"], &[("NO_COLOR", "1")]);
    assert!(plain.stdout.is_ascii(), "a pipe gets ASCII");
}

#[test]
fn only_the_newest_sessions_are_opened_unless_told() {
    let folder = tempfile::tempdir().expect("a folder");
    for run in ["a", "b", "c"] {
        let run = folder.path().join("plugins/profile").join(run);
        std::fs::create_dir_all(&run).expect("a folder");
        std::fs::write(run.join("vm.xplane.pb"), profile_bytes()).expect("a file");
    }
    let logs = folder.path().to_str().expect("text");
    let some = run(&["sessions", logs, "--limit", "1"]);
    assert!(
        some.stdout.contains("2 more rows (--limit 0 for all)"),
        "{}",
        some.stdout
    );
    let all = run(&["sessions", logs, "--limit", "0"]);
    assert!(!all.stdout.contains("more rows"), "{}", all.stdout);
    let open = |arguments: &[&str]| {
        let answer = run(&[&["sessions", logs, "--json"], arguments].concat());
        answer.stdout.matches("\"state\":\"open\"").count()
    };
    assert_eq!(
        [open(&[]), open(&["--limit", "2"]), open(&["--limit", "0"])],
        [3, 2, 3]
    );
}

#[test]
fn sessions_are_listed_with_what_they_hold() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, name) in FIXTURES.iter().enumerate() {
        let run = format!("logs/plugins/profile/2026_11_2{number}_10_00_00");
        let run = folder.path().join(run);
        std::fs::create_dir_all(&run).expect("created");
        let hosts = stepscope_testing::corpus::fixtures();
        let capture = hosts
            .iter()
            .find(|capture| capture.name == *name)
            .expect("a fixture");
        for host in &capture.hosts {
            let file = host.file_name().expect("a file");
            std::fs::copy(host, run.join(file)).expect("copied");
        }
        std::fs::write(run.join("memory.prof"), "pprof").expect("written");
    }
    let listed = |arguments: &[&str]| {
        let output = stepscope()
            .args(["sessions", "logs"])
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("the binary runs");
        assert_eq!(output.status.code(), Some(0));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (text(output.stdout), text(output.stderr))
    };
    let (table, remarks) = listed(&[]);
    check("sessions.txt", &table);
    check("sessions.stderr.txt", &remarks);
    // When a file was last written is not a property of a fixture.
    check(
        "sessions.quick.txt",
        &without_times(&listed(&["--quick"]).0),
    );
    check("sessions.csv", &listed(&["--csv"]).0.replace("\r\n", "\n"));
    let json: serde_json::Value = serde_json::from_str(&listed(&["--json"]).0).expect("JSON");
    assert_eq!(
        json["sessions"][0]["step_count"], 10,
        "the newest comes first: {json}"
    );
    assert_eq!(json["sessions"][0]["id"], 0);
    assert_eq!(json["notes"].as_array().map(Vec::len), Some(3), "{json}");
}

fn without_times(text: &str) -> String {
    let is_time = |word: &str| {
        let is_part = |c: char| c.is_ascii_digit() || c == '-' || c == ':';
        [8, 10].contains(&word.len()) && word.chars().all(is_part) && !word.starts_with('-')
    };
    let mut kept = text.to_owned();
    for word in text.split([' ', ',']).filter(|word| is_time(word)) {
        kept = kept.replace(word, &"#".repeat(word.len()));
    }
    kept
}

#[test]
fn selections_narrow_the_answer() {
    let path = fixture("demo-gpt-cpu");
    check(
        "steps.selected.txt",
        &text(&["steps", &path, "--steps", "3..5", "--device", "0,2"]),
    );
    check(
        "ops.matched.txt",
        &text(&["ops", &path, "--match", "all-reduce", "--limit", "4"]),
    );
    let all = text(&["ops", &path, "--json"]);
    let value: serde_json::Value = serde_json::from_str(&all).expect("JSON");
    let rows = value["rows"].as_array().map(Vec::len);
    assert!(
        rows > Some(50),
        "JSON is whole unless --limit is given: {rows:?}"
    );
    let table = text(&["ops", &path]);
    assert!(table.contains("more rows (--limit 0 for all)"), "{table}");
    assert!(!text(&["ops", &path, "--limit", "0"]).contains("more row"));
}

#[test]
fn names_of_other_tools_give_the_same() {
    let path = fixture("mlp-cpu");
    assert_eq!(
        text(&["hlo_stats", &path, "--csv"]),
        text(&["ops", &path, "--csv"])
    );
    assert_eq!(
        text(&["overview_page", &path, "--json"]),
        text(&["overview", &path, "--json"])
    );
}

#[test]
fn tables_and_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ops.csv");
    let path = fixture("mlp-cpu");
    let answer = run(&[
        "ops",
        &path,
        "--csv",
        "--output",
        &file.display().to_string(),
    ]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""));
    let written = std::fs::read_to_string(&file).expect("it was written");
    assert_eq!(written, text(&["ops", &path, "--csv"]));
    let devices = text(&["ops", &path, "--csv", "--table", "devices"]);
    assert!(devices.starts_with("device,busy_ps"), "{devices}");
    let alone = text(&["ops", &path, "--table", "devices"]);
    assert!(alone.starts_with("Device"), "{alone}");
    assert_eq!(alone.lines().count(), 2, "a header and a device: {alone}");
    let advice = text(&["advice", &path, "--table", "skipped"]);
    assert!(advice.starts_with("Rule"), "also for answers in sentences");
}

#[test]
fn a_check_that_fails_has_its_own_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let strict = folder.path().join("strict.txt");
    std::fs::write(&strict, "device_busy_ratio = 0.999 0.998\n").expect("written");
    let path = fixture("mlp-cpu");
    let checked = |extra: &[&str]| {
        let all: Vec<&str> = ["report", path.as_str(), "--check"]
            .iter()
            .chain(extra)
            .copied()
            .collect();
        run(&all)
    };
    assert_eq!(checked(&[]).code, 0);
    let strict = strict.display().to_string();
    let answer = checked(&["--thresholds", &strict]);
    assert_eq!(answer.code, 4, "{}", answer.stderr);
    assert!(answer.stderr.contains("Device busy"), "{}", answer.stderr);
}

#[test]
fn help_names_every_command() {
    let help = run_in(&["--help"], &[("COLUMNS", "100")]);
    assert_eq!(help.code, 0);
    check("help.txt", &help.stdout);
    check(
        "help.ops.txt",
        &run_in(&["ops", "--help"], &[("COLUMNS", "100")]).stdout,
    );
    check(
        "help.view.txt",
        &run_in(&["view", "--help"], &[("COLUMNS", "100")]).stdout,
    );
    let version = run(&["--version"]);
    assert_eq!(
        version.stdout,
        format!("stepscope {}\n", env!("CARGO_PKG_VERSION"))
    );
    let script = run(&["completions", "bash"]).stdout;
    assert!(script.contains("_stepscope"), "{script}");
}
