//! Iterations of loops as layers, worked out by hand, and held to a slow count on a real scan.

use serde_json::Value;
use stepscope_testing::corpus;

use crate::support::{ask, drawn, open};

/// Two runs of a scan over three layers on a TPU. In each iteration a product of 10 us (the second run
/// 12 us, and 30 us in its last layer) and an add of 2 us; in layer 1 a branch runs for 5 us more. A
/// product outside of the loop takes 20 us.
const SCAN: &str = "
    host vm
    device tpu:0 v6e
    line XLA Modules
      0..100us   jit_step(5) [run_id=1 program_id=5]
      200..300us jit_step(5) [run_id=2 program_id=5]
    line XLA Ops
      0..50us    while.1 {program_id=5}
      1..11us    dot.2   {program_id=5}
      11..13us   add.3   {program_id=5}
      15..25us   dot.2
      25..27us   add.3
      27..32us   tanh.9  {program_id=5}
      33..43us   dot.2
      43..45us   add.3
      60..80us   dot.8   {program_id=5}
      200..270us while.1
      201..213us dot.2
      213..215us add.3
      215..227us dot.2
      227..229us add.3
      229..234us tanh.9
      235..265us dot.2
      265..267us add.3
      270..290us dot.8
    program 5 jit_step
      computation branch
        n.0 = f32[8,8] parameter(0)
        ROOT tanh.9 = f32[8,8] tanh(n.0) op_name=\"jit(step)/jvp(model)/while/body/cond/tanh\"
      computation body
        b.0 = f32[8,8] parameter(0)
        dot.2 = f32[8,8] dot(b.0, b.0) op_name=\"jit(step)/jvp(model)/while/body/attn/dot_general\"
        c.4 = f32[8,8] conditional(dot.2, dot.2), calls=branch
        ROOT add.3 = f32[8,8] add(dot.2, c.4)
      computation less
        l.0 = f32[8,8] parameter(0)
        ROOT l.1 = pred[] compare(l.0, l.0)
      entry main
        p.0 = f32[8,8] parameter(0)
        while.1 = f32[8,8] while(p.0), body=body, condition=less op_name=\"jit(step)/jvp(model)/while\" backend_config='{\"known_trip_count\":{\"n\":\"3\"}}'
        ROOT dot.8 = f32[8,8] dot(while.1, p.0) op_name=\"jit(step)/head/dot_general\"
";

fn rows<'a>(report: &'a Value, table: &str) -> &'a Vec<Value> {
    report[table].as_array().expect("a table")
}

fn micros(row: &Value, key: &str) -> i64 {
    row[key]
        .as_i64()
        .unwrap_or_else(|| panic!("no {key} in {row}"))
        / 1_000_000
}

fn totals(report: &Value) -> Vec<(&str, i64)> {
    let layers = rows(report, "layers").iter();
    layers
        .map(|row| {
            (
                row["name"].as_str().expect("a name"),
                micros(row, "total_ps"),
            )
        })
        .collect()
}

#[test]
fn iterations_of_a_scan_are_layers() {
    let session = drawn(&[SCAN]);
    let report = ask(&session, "scopes", &[]);
    assert_eq!(
        totals(&report),
        [
            ("while.1[0]", 26),
            ("while.1[1]", 26 + 10),
            ("while.1[2]", 44)
        ]
    );
    let first = &rows(&report, "layers")[0];
    assert_eq!(first["family"], "jit(step)/jvp(model)/while.1[*]");
    // The add has no name stack, so its pass is unknown.
    assert_eq!(micros(first, "forward_ps"), 22);
    // Two products of 2 · 8 · 8 · 8, and two adds.
    assert_eq!(first["flops"], 2.0 * 1024.0 + 2.0 * 64.0);
    let folded = |name: &str| {
        let mut found = rows(&report, "folded")
            .iter()
            .filter(|row| row["name"] == name);
        found.next().unwrap_or_else(|| panic!("no {name}"))
    };
    assert_eq!(micros(folded("attn"), "total_ps"), 22 + 22 + 40);
    assert_eq!(folded("attn")["max_layer"], "while.1[2]/attn");
    assert_eq!(micros(folded("cond"), "total_ps"), 10);
    assert_eq!(folded("cond")["layer_count"], 1);
    // Of all 86 + 40 + what the loop itself took.
    let ratio = folded("while.1[*]")["ratio"].as_f64().expect("a ratio");
    let all = report["total_self_ps"].as_f64().expect("a time");
    assert!((ratio - 106e6 / all).abs() < 1e-9, "{ratio} of {all}");
    // The tree itself is as before: a scan is one scope.
    let paths = rows(&report, "rows").iter().map(|row| row["path"].as_str());
    assert!(paths.flatten().all(|path| !path.contains('[')));
}

#[test]
fn a_selection_counts_what_starts_in_it() {
    let session = drawn(&[SCAN]);
    let second = ask(&session, "scopes", &[("time", "200us..300us")]);
    let expected = [
        ("while.1[0]", 14),
        ("while.1[1]", 14 + 5),
        ("while.1[2]", 32),
    ];
    assert_eq!(totals(&second), expected);
    // From the second iteration on: it still is the second one.
    let later = ask(&session, "scopes", &[("time", "214us..300us")]);
    let expected = [
        ("while.1[0]", 0),
        ("while.1[1]", 14 + 5),
        ("while.1[2]", 32),
    ];
    assert_eq!(totals(&later), expected[1..]);
}

/// A loop that may run or not: how often a run comes to it is unknown.
const IN_BRANCH: &str = "
    host vm
    device tpu:0 v6e
    line XLA Modules
      0..100us jit_step(5) [run_id=1 program_id=5]
    line XLA Ops
      1..11us  dot.2 {program_id=5}
      15..25us dot.2
      33..43us dot.2
    program 5 jit_step
      computation body
        b.0 = f32[8,8] parameter(0)
        ROOT dot.2 = f32[8,8] dot(b.0, b.0)
      computation less
        l.0 = f32[8,8] parameter(0)
        ROOT l.1 = pred[] compare(l.0, l.0)
      computation branch
        n.0 = f32[8,8] parameter(0)
        ROOT while.9 = f32[8,8] while(n.0), body=body, condition=less
      entry main
        p.0 = f32[8,8] parameter(0)
        ROOT c.1 = f32[8,8] conditional(p.0, p.0), calls=branch
";

#[test]
fn a_loop_in_a_branch_is_told_and_left_out() {
    let report = ask(&drawn(&[IN_BRANCH]), "scopes", &[]);
    assert_eq!(totals(&report), []);
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("while.9 (it runs within a branch"),
        "{notes}"
    );
}

/// Without a trip count, the number of slices of most ops is the number of iterations.
#[test]
fn a_loop_of_unknown_length_is_counted() {
    let text = SCAN.replace("backend_config='{\"known_trip_count\":{\"n\":\"3\"}}'", "");
    let names: Vec<String> = totals(&ask(&drawn(&[&text]), "scopes", &[]))
        .into_iter()
        .map(|(name, total)| format!("{name} {total}"))
        .collect();
    assert_eq!(names, ["while.1[0] 26", "while.1[1] 36", "while.1[2] 44"]);
}

/// On a real scan under `jax.checkpoint`, in three iterations forward and backward: all time of the ops
/// in the bodies is in some iteration.
#[test]
fn a_real_scan_is_divided_without_rest() {
    let session = open(&corpus::fixture("scan8-cpu").expect("the fixture"));
    let report = ask(&session, "scopes", &[]);
    let layers = rows(&report, "layers");
    let families = |name: &str| {
        let own = layers.iter().filter(|row| {
            row["family"]
                .as_str()
                .is_some_and(|family| family.contains(name))
        });
        own.collect::<Vec<&Value>>()
    };
    for (loop_name, prefix) in [
        ("while.35[*]", "while/body/"),
        ("while.36[*]", "while/body/"),
    ] {
        let own = families(loop_name);
        assert_eq!(own.len(), 3, "{loop_name}");
        let sum: i64 = own.iter().filter_map(|row| row["total_ps"].as_i64()).sum();
        // Ops whose name stack says that they are in the body, forward or backward.
        let is_backward = loop_name.contains("36");
        let ops = ask(&session, "ops", &[("limit", "0")]);
        let named = rows(&ops, "rows").iter().filter(|row| {
            let scope = row["scope"].as_str().unwrap_or_default();
            scope.contains(prefix) && scope.contains("transpose(") == is_backward
        });
        let named: i64 = named.filter_map(|row| row["self_ps"].as_i64()).sum();
        let ratio = named as f64 / sum as f64;
        assert!((0.95..=1.0 + 1e-9).contains(&ratio), "{loop_name}: {ratio}");
    }
}

/// A whole training as one program: nothing repeats but its loop.
#[test]
fn a_program_that_ran_once_is_told_by_its_loop() {
    let first_run = |text: &str| {
        let lines = text.lines().filter(|line| {
            let time = line.trim_start();
            !time.starts_with('2') || !time[1..3].bytes().all(|byte| byte.is_ascii_digit())
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let told = |text: &str| {
        let report = ask(&drawn(&[text]), "steps", &[]);
        let notes = rows(&report, "notes").iter();
        let mut notes = notes.filter(|note| note["id"] == "steps-missing");
        let note = notes.next().expect("a note on steps");
        note["text"].as_str().expect("a text").to_owned()
    };
    let once = first_run(SCAN).replace("0..100us ", "0..55us ");
    // From 1 to 45 us, of 55.
    assert_eq!(
        told(&once),
        "No steps were recorded and none could be inferred. jit_step(5) ran once, and 3 iterations of its \
         loop while.1 take 80.0 % of that run, 14.67 µs each: if an iteration is a step, that is its time."
    );
    // The compiler does not know how many there are; the ops do.
    let uncounted = once.replace("known_trip_count", "unknown_trip_count");
    assert!(
        told(&uncounted).contains("and 3 iterations"),
        "{}",
        told(&uncounted)
    );
    // Of a longer run, the loop is less than half.
    let run = |time: &str| {
        format!(
            "No steps were recorded and none could be inferred. jit_step(5) ran once, for {time}."
        )
    };
    assert_eq!(told(&first_run(SCAN)), run("100.0 µs"));
    assert_eq!(
        told(
            &once
                .replace("calls=branch", "")
                .replace("body=body", "body=less")
        ),
        run("55.00 µs")
    );
}
