//! Hosts side by side: lateness, blame and clocks worked out by hand, and the straggler that real
//! captures must name.

use serde_json::{Value, json};
use stepscope_testing::corpus::{self, Capture};

use crate::support::{all_captures, ask, drawn, open};

fn rows(report: &Value, key: &str) -> Vec<Value> {
    report[key].as_array().cloned().unwrap_or_default()
}

fn micros(row: &Value, key: &str) -> f64 {
    let value = row[key].as_f64();
    value.unwrap_or_else(|| panic!("no {key} in {row}")) / 1e6
}

/// One of two hosts that reduce together every 100 us; its clock reads `ahead` more.
fn host(name: &str, ordinal: u32, ahead: u32, arrival: u32, extra: &str) -> String {
    let at = |time: u32| time + ahead;
    format!(
        "host {name}
        environment [profile_start_time=1700000000000000000 profile_stop_time=1700000000001000000]
        thread python
        repeat 8 every 100us
          {}..{}us train #step_num=$i,_r=1#
          {extra}
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal={ordinal}]
        repeat 8 every 100us
          {}..{}us fusion.1
          {}..{}us all-reduce.2
        end
        program 5 jit_step
          p.0 = f32[512] parameter(0)
          fusion.1 = f32[512] add(p.0, p.0)
          ROOT all-reduce.2 = f32[512] all-reduce(fusion.1) replica_groups={{{{0,1}}}}
        ",
        at(0),
        at(95),
        at(arrival - 10),
        at(arrival),
        at(arrival),
        at(70),
    )
}

fn two_hosts(ahead: u32) -> Vec<String> {
    let loading = format!("{}..{}us data_loading", 2 + ahead, 38 + ahead);
    vec![
        host("a", 0, 0, 20, "2..6us data_loading"),
        host("b", 1, ahead, 50, &loading),
    ]
}

fn asked(texts: &[String], options: &[(&str, &str)]) -> Value {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    ask(&drawn(&texts), "hosts", options)
}

#[test]
fn the_late_host_is_named_with_what_it_did() {
    let report = asked(&two_hosts(0), &[]);
    let hosts = rows(&report, "rows");
    // Arrivals at 20 and 50; the median of two is the earlier one.
    assert_eq!(micros(&hosts[0], "lateness_ps"), 0.0);
    assert_eq!(micros(&hosts[1], "lateness_ps"), 30.0);
    assert_eq!(
        (&hosts[0]["last_count"], &hosts[1]["last_count"]),
        (&json!(0), &json!(8))
    );
    assert_eq!(micros(&hosts[0], "wait_ps"), 8.0 * 30.0);
    assert_eq!(micros(&hosts[1], "caused_ps"), 8.0 * 30.0);
    assert_eq!(
        (&hosts[0]["is_straggler"], &hosts[1]["is_straggler"]),
        (&json!(false), &json!(true))
    );
    let blame = rows(&report, "blame");
    assert_eq!(blame.len(), 1);
    assert_eq!(
        (&blame[0]["host"], &blame[0]["activity"]),
        (&json!("b"), &json!("data_loading"))
    );
    assert_eq!(
        (&blame[0]["step_count"], &blame[0]["activity_on"]),
        (&json!(8), &json!("host"))
    );
    assert_eq!(micros(&blame[0], "activity_ps"), 36.0);
    let note = rows(&report, "notes")[0]["text"]
        .as_str()
        .map(str::to_owned);
    assert_eq!(
        note.as_deref(),
        Some(
            "b arrives last in 8 of 8 steps and makes the others wait 30.00 µs per step; before it \
             arrives, it is in data_loading."
        )
    );
}

#[test]
fn clocks_are_aligned_by_the_ends_of_collectives() {
    let report = asked(&two_hosts(40), &[]);
    let clocks = rows(&report, "clocks");
    assert_eq!(micros(&clocks[0], "offset_ps"), 0.0);
    assert_eq!(micros(&clocks[1], "offset_ps"), 40.0);
    assert_eq!(micros(&clocks[1], "residual_ps"), 0.0);
    assert_eq!(
        (&clocks[1]["matched_count"], &clocks[1]["reference"]),
        (&json!(8), &json!("a"))
    );
    let hosts = rows(&report, "rows");
    assert_eq!(micros(&hosts[1], "lateness_ps"), 30.0, "not 70");
    // Rows keep the times that were recorded.
    let cells = rows(&report, "cells");
    let second = cells
        .iter()
        .find(|cell| cell["step"] == json!(0) && cell["place"] == json!(1));
    assert_eq!(micros(second.expect("a cell"), "start_ps"), 40.0);
}

#[test]
fn a_device_that_computes_longer_is_blamed_for_its_op() {
    let texts = vec![
        host("a", 0, 0, 20, "2..6us data_loading"),
        host("b", 1, 0, 50, "2..6us data_loading")
            .replace("40..50us fusion.1", "12..50us fusion.1"),
    ];
    let blame = rows(&asked(&texts, &[]), "blame");
    assert_eq!(
        (&blame[0]["activity"], &blame[0]["activity_on"]),
        (&json!("fusion.1"), &json!("device"))
    );
    assert_eq!(micros(&blame[0], "activity_ps"), 38.0);
}

#[test]
fn no_host_is_hidden() {
    let mut texts = two_hosts(0);
    texts.push("host c\nthread python".to_owned());
    let report = asked(&texts, &[]);
    let hosts = rows(&report, "rows");
    let names: Vec<_> = hosts.iter().map(|row| row["host"].clone()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(hosts[2]["problem"], json!("Nothing was recorded."));
    assert_eq!(hosts[2]["step_ps"], Value::Null);
    assert_eq!(rows(&report, "clocks")[2]["offset_ps"], Value::Null);
    assert_eq!(rows(&report, "devices").len(), 3);
}

#[test]
fn jobs_of_their_own_are_not_matched() {
    let texts: Vec<String> = two_hosts(0)
        .into_iter()
        .map(|text| text.replace("replica_groups={{0,1}}", "replica_groups={{0,1,2,3}}"))
        .collect();
    let report = asked(&texts, &[]);
    assert_eq!(rows(&report, "blame"), Vec::<Value>::new());
    assert_eq!(rows(&report, "clocks")[1]["offset_ps"], Value::Null);
    let texts: Vec<String> = rows(&report, "notes")
        .iter()
        .map(|note| note["text"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert!(
        texts
            .iter()
            .any(|text| text.contains("does not record which devices take part")),
        "{texts:?}"
    );
}

#[test]
fn host_2_and_its_data_loading_are_named() {
    let mut captures = vec![corpus::fixture("hosts4-cpu").expect("a fixture")];
    captures.extend(corpus::capture("cpu-jax-4hosts"));
    for capture in captures {
        let report = ask(&open(&capture), "hosts", &[]);
        let worst = &rows(&report, "blame")[0];
        assert_eq!(worst["host"], json!("host-2"), "{}", capture.name);
        assert_eq!(worst["activity"], json!("data_loading"), "{}", capture.name);
        let stragglers: Vec<Value> = rows(&report, "rows")
            .into_iter()
            .filter(|row| row["is_straggler"] == json!(true))
            .map(|row| row["host"].clone())
            .collect();
        assert_eq!(stragglers, ["host-2"], "{}", capture.name);
        for clock in rows(&report, "clocks") {
            let offset = clock["offset_ps"].as_f64().expect("compared");
            assert!(offset.abs() < 5e9, "one machine, one clock: {clock}");
        }
    }
}

#[test]
fn parts_are_those_of_the_steps() {
    for capture in all_captures() {
        let session = open(&capture);
        let steps = rows(&ask(&session, "steps", &[]), "rows");
        let report = ask(&session, "hosts", &[]);
        let cells = rows(&report, "cells");
        assert_eq!(cells.len(), steps.len(), "{}", capture.name);
        let sum = |rows: &[Value], key: &str| -> i64 {
            rows.iter().filter_map(|row| row[key].as_i64()).sum()
        };
        for key in [
            "duration_ps",
            "device_compute_ps",
            "collectives_ps",
            "input_wait_ps",
            "idle_ps",
        ] {
            assert_eq!(sum(&cells, key), sum(&steps, key), "{} {key}", capture.name);
        }
        assert_eq!(
            rows(&report, "rows").len(),
            session.hosts.len(),
            "{}",
            capture.name
        );
    }
}

#[test]
fn copies_are_a_part_of_the_step() {
    let session = drawn(&["
        host vm
        device gpu:0 nvidia H100
        stream 7 Compute
        repeat 2 every 100us
          10..50us gemm [hlo_op=dot.1 program_id=5 hlo_module=jit_step]
        end
        stream 9 MemcpyH2D,MemcpyD2H
        repeat 2 every 100us
          40..60us MemcpyH2D [kind_src=pinned kind_dst=device size=4096]
          70..75us MemcpyD2H [kind_src=device kind_dst=pinned size=4096]
        end
        thread python
        repeat 2 every 100us
          0..100us train #step_num=$i,_r=1#
        end
    "]);
    let hosts = rows(&ask(&session, "hosts", &[]), "rows");
    // 10 us of the first copy lie behind the product.
    assert_eq!(micros(&hosts[0], "copies_ps"), 10.0 + 5.0);
}

#[test]
fn parts_of_hosts_sum_to_their_steps() {
    const PARTS: [&str; 7] = [
        "device_compute_ps",
        "collectives_ps",
        "copies_ps",
        "input_wait_ps",
        "compilation_ps",
        "host_overhead_ps",
        "idle_ps",
    ];
    for capture in all_captures() {
        let report = ask(&open(&capture), "hosts", &[]);
        for row in rows(&report, "rows") {
            let Some(step) = row["step_ps"].as_f64() else {
                continue;
            };
            let sum: f64 = PARTS.iter().filter_map(|part| row[part].as_f64()).sum();
            assert!((sum - step).abs() <= 1e-9 * step, "{}: {row}", capture.name);
        }
    }
}

/// Two hosts of five steps, one of which loads data for 30 us of each 100.
fn five_steps(loading: bool) -> Vec<String> {
    let texts = if loading {
        two_hosts(0)
    } else {
        vec![host("a", 0, 0, 20, ""), host("b", 1, 0, 50, "")]
    };
    texts
        .into_iter()
        .map(|text| text.replace("repeat 8", "repeat 5"))
        .collect()
}

#[test]
fn five_of_five_steps_name_one_of_two_hosts() {
    let report = asked(&five_steps(true), &[]);
    let hosts = rows(&report, "rows");
    assert_eq!(hosts[1]["last_count"], json!(5));
    assert_eq!(
        (&hosts[0]["is_straggler"], &hosts[1]["is_straggler"]),
        (&json!(false), &json!(true))
    );
    // Late by 2 us of 100, as anybody may be.
    let near: Vec<String> = vec![host("a", 0, 0, 20, ""), host("b", 1, 0, 22, "")];
    let near: Vec<String> = near
        .into_iter()
        .map(|text| text.replace("repeat 8", "repeat 5"))
        .collect();
    let report = asked(&near, &[]);
    for row in rows(&report, "rows") {
        assert_eq!(row["is_straggler"], json!(false), "{row}");
    }
}

#[test]
fn what_explains_nothing_is_no_cause() {
    // Its ops take as long as elsewhere, and its host recorded nothing in the 30 us.
    let report = asked(&five_steps(false), &[]);
    let blame = &rows(&report, "blame")[0];
    assert_eq!(
        (&blame["host"], &blame["activity"], &blame["activity_on"]),
        (&json!("b"), &json!(""), &json!(""))
    );
    let note = rows(&report, "notes")[0]["text"].clone();
    let note = note.as_str().unwrap_or_default();
    assert!(note.ends_with("the cause was not recorded."), "{note}");
    // What both hosts do for as long is no cause either.
    let both = vec![
        host("a", 0, 0, 20, "1..9us bookkeeping"),
        host("b", 1, 0, 50, "1..9us bookkeeping"),
    ];
    let blame = rows(&asked(&both, &[]), "blame");
    assert_eq!(blame[0]["activity"], json!(""));
}

#[test]
fn a_cause_is_of_the_place_that_it_is_told_of() {
    // Host b computes for a while and then sleeps; host a sleeps from the start.
    let advice = |texts: &[String]| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        ask(&drawn(&texts), "advice", &[])
    };
    let texts = vec![
        host("a", 0, 0, 20, "75..90us time_sleep"),
        host("b", 1, 0, 50, "2..38us PjitFunction(other)"),
    ];
    let report = advice(&texts);
    let found = rows(&report, "findings");
    let bound = found.iter().find(|one| one["id"] == "host_bound");
    let what = bound.expect("a finding")["what"].as_str().expect("a text");
    assert!(what.starts_with("b/CPU:"), "{what}");
    assert!(!what.contains("sleeping"), "{what}");
}

/// With many hosts threads are decoded for each question anew, and arrows and allocator events are
/// read a few hosts at a time. Hosts alike have the figures of one.
#[test]
fn forty_hosts_alike_have_the_figures_of_one() {
    let everything: Vec<Capture> = corpus::fixtures()
        .into_iter()
        .chain(corpus::capture("tpu-v6e-4chip-jax"))
        .filter(|capture| ["mlp-cpu", "tpu-v6e-4chip-jax"].contains(&capture.name.as_str()))
        .collect();
    assert!(!everything.is_empty(), "the fixture mlp-cpu is missing");
    for capture in everything {
        let path = &capture.hosts[0];
        let alone = open(&Capture {
            hosts: vec![path.clone()],
            ..capture.clone()
        });
        let many = open(&Capture {
            hosts: vec![path.clone(); 40],
            ..capture.clone()
        });
        for session in [&alone, &many] {
            assert!(session.allocator_log().allocators.len() % session.hosts.len() == 0);
        }
        let (one, all) = (ask(&alone, "overview", &[]), ask(&many, "overview", &[]));
        let parts = |report: &Value| -> Vec<(Value, f64)> {
            let part = |row: &Value| (row["part"].clone(), micros(row, "mean_ps"));
            rows(report, "step_parts").iter().map(part).collect()
        };
        let (expected, found) = (parts(&one), parts(&all));
        assert!(!expected.is_empty(), "{} has no steps", capture.name);
        for ((part, expected), (other, found)) in expected.iter().zip(&found) {
            assert_eq!(part, other);
            let difference = (expected - found).abs();
            assert!(
                difference <= 1e-9 * expected.abs(),
                "{}: {part} takes {found} us, and {expected} us with one host",
                capture.name
            );
        }
        assert_eq!(expected.len(), found.len());
        let sums = |report: &Value| report["top_ops"][0]["occurrences"].as_i64();
        assert_eq!(sums(&all), sums(&one).map(|one| one * 40));
    }
}
