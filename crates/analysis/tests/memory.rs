//! `memory` on drawings whose every figure is worked out by hand, and on every capture by brute
//! force from the raw events.

use std::collections::BTreeMap;

use serde_json::Value;
use stepscope_testing::corpus;
use stepscope_testing::space::{EventData, StatValue, XSpace};

use crate::support::{all_captures, ask, drawn, open};

/// One allocator event of a drawing.
fn event(time: &str, name: &str, in_use: i64, bytes: i64, address: u64, more: &str) -> String {
    let free = 10_000 - in_use;
    format!(
        "{time} {name} [allocator_name=GPU_0_bfc bytes_reserved=0 bytes_allocated={in_use} \
         bytes_available={free} fragmentation=0.25 peak_bytes_in_use=4000 requested_bytes={} \
         allocation_bytes={bytes} addr={address} {more}]",
        bytes - 50
    )
}

fn allocate(time: &str, in_use: i64, bytes: i64, address: u64, more: &str) -> String {
    event(time, "MemoryAllocation", in_use, bytes, address, more)
}

fn free(time: &str, in_use: i64, bytes: i64, address: u64) -> String {
    event(time, "MemoryDeallocation", in_use, bytes, address, "")
}

/// Two steps; 1000 bytes are in use when the recording begins.
fn gpu() -> String {
    let events = [
        allocate(
            "6us",
            1500,
            500,
            100,
            "tf_op=dot.1 region_type=dynamic data_type=14 shape=\"[4,4]\"",
        ),
        allocate("12us", 3500, 2000, 200, ""),
        // Allocated before the recording.
        free("20us", 3100, 400, 7),
        free("30us", 1100, 2000, 200),
        allocate("110us", 1400, 300, 300, ""),
        allocate("111us", 3400, 2000, 200, ""),
        allocate("112us", 3700, 300, 400, ""),
        free("150us", 1700, 2000, 200),
    ];
    let events = events.join("\n");
    format!(
        "host vm
        device gpu:0 nvidia H100
        stream 7 Compute
          50..60us gemm
        thread python
        0..100us train #step_num=3,_r=1#
        100..200us train #step_num=4,_r=1#
        5..40us PjitFunction(step)
        105..160us PjitFunction(step)
        {events}"
    )
}

#[test]
fn every_figure_of_a_gpu() {
    let report = ask(&drawn(&[&gpu()]), "memory", &[]);
    let row = &report["allocators"][0];
    assert_eq!(row["device"], "GPU:0");
    // 3700 at 112 us, in the second step; the allocator itself once had 4000.
    assert_eq!(row["peak_bytes"], 3700);
    assert_eq!(row["peak_ps"], 112_000_000);
    assert_eq!(row["peak_step"], 4);
    assert_eq!(row["recorded_peak_bytes"], 4000);
    assert_eq!(row["capacity_bytes"], 10_000);
    assert_eq!(row["peak_ratio"], 0.4);
    assert_eq!(row["headroom_bytes"], 6000);
    assert_eq!(row["last_bytes"], 1700);
    assert_eq!(row["allocations"], 5);
    assert_eq!(row["deallocations"], 3);
    // 500 + 2000 + 300 + 2000 + 300, of which 5 · 50 were not asked for.
    assert_eq!(row["allocated_bytes"], 5100);
    assert_eq!(row["rounding_ratio"], 250.0 / 5100.0);
    assert_eq!(row["growth_bytes_per_step"], Value::Null);
    let rows = report["rows"].as_array().expect("rows");
    let told: Vec<(&str, i64, i64, Value, Value)> = rows
        .iter()
        .map(|row| {
            let kind = row["kind"].as_str().expect("a kind");
            let (bytes, count) = (row["bytes"].as_i64(), row["count"].as_i64());
            let (from, to) = (row["allocated_ps"].clone(), row["freed_ps"].clone());
            (kind, bytes.expect("bytes"), count.expect("count"), from, to)
        })
        .collect();
    let us = |time: i64| Value::from(time * 1_000_000);
    assert_eq!(
        told,
        [
            ("allocation", 2000, 1, us(111), us(150)),
            // 1000 before the window, of which 400 are gone.
            ("before_window", 600, 0, Value::Null, Value::Null),
            ("allocation", 600, 2, us(110), Value::Null),
            // Of the first step, and still alive.
            ("allocation", 500, 1, us(6), Value::Null),
        ]
    );
    assert_eq!(rows[3]["op"], "dot.1");
    assert_eq!(rows[3]["data_type"], "bf16");
    assert_eq!(rows[3]["shape"], "[4,4]");
    assert_eq!(rows[3]["allocated_step"], 3);
    assert_eq!(rows[0]["caller"], "PjitFunction(step)");
    let steps: Vec<(i64, i64, i64)> = report["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|row| {
            let figure = |key: &str| row[key].as_i64().expect("a number");
            (figure("step"), figure("peak_bytes"), figure("lowest_bytes"))
        })
        .collect();
    assert_eq!(steps, [(3, 3500, 1000), (4, 3700, 1100)]);
}

#[test]
fn what_was_alive_at_any_moment() {
    let alive = |at: &str| {
        let report = ask(&drawn(&[&gpu()]), "memory", &[("at", at)]);
        let rows = report["rows"].as_array().expect("rows").clone();
        let told = |row: &Value| {
            let kind = row["kind"].as_str().expect("a kind").to_owned();
            (kind, row["bytes"].as_i64().expect("bytes"))
        };
        rows.iter().map(told).collect::<Vec<_>>()
    };
    let row = |kind: &str, bytes: i64| (kind.to_owned(), bytes);
    // 3100 in use: 1000 before the window, of which 400 were freed at 20 us.
    let at_25 = [
        row("allocation", 2000),
        row("before_window", 600),
        row("allocation", 500),
    ];
    assert_eq!(alive("25us"), at_25);
    // The last event holds until the end, and counts from its own time on.
    let after = [
        row("before_window", 600),
        row("allocation", 600),
        row("allocation", 500),
    ];
    assert_eq!(alive("150us"), after);
    assert_eq!(alive("10s"), after);
    // Nothing is known before the first event, and the report says so.
    let early = ask(&drawn(&[&gpu()]), "memory", &[("at", "5us")]);
    assert_eq!(early["rows"], Value::Array(Vec::new()));
    let notes = early["notes"].as_array().expect("notes");
    assert!(
        notes
            .iter()
            .any(|note| note["id"] == "before-allocator-events")
    );
}

#[test]
fn a_selected_step_has_its_own_peak() {
    let report = ask(&drawn(&[&gpu()]), "memory", &[("steps", "3")]);
    let row = &report["allocators"][0];
    assert_eq!(
        (&row["peak_bytes"], &row["peak_step"]),
        (&3500.into(), &3.into())
    );
    assert_eq!(row["allocations"], 2);
    let sum: i64 = sum_of_rows(&report, 0);
    assert_eq!(sum, 3500);
}

fn sum_of_rows(report: &Value, allocator: usize) -> i64 {
    let own = &report["allocators"][allocator];
    let rows = report["rows"].as_array().expect("rows");
    let of_own = rows
        .iter()
        .filter(|row| row["allocator"] == own["allocator"] && row["host"] == own["host"]);
    of_own.filter_map(|row| row["bytes"].as_i64()).sum()
}

#[test]
fn a_tpu_sets_memory_aside_for_programs() {
    let event = |time: &str, name: &str, reserved: i64, in_use: i64, more: &str| {
        format!(
            "{time} {name} [index_on_host=1 bytes_reserved={reserved} bytes_allocated={in_use} \
             bytes_available={} fragmentation=0 peak_bytes_in_use=900 {more}]",
            10_000 - reserved - in_use
        )
    };
    let text = format!(
        "host vm
        device tpu:1 v6e
        line XLA Ops
          1..2us %a = f32[] add(b, c)
        thread py_xla_execute/9
        {}
        {}
        {}",
        event(
            "1us",
            "MemoryAllocation",
            0,
            700,
            "requested_bytes=600 allocation_bytes=700 addr=1"
        ),
        event(
            "2us",
            "MemoryAllocation",
            5000,
            800,
            "requested_bytes=99 allocation_bytes=100 addr=2"
        ),
        // Deallocations of a TPU do not say how much.
        event("3us", "MemoryDeallocation", 0, 100, "addr=1"),
    );
    let report = ask(&drawn(&[&text]), "memory", &[]);
    let row = &report["allocators"][0];
    assert_eq!(
        (&row["device"], &row["allocator"]),
        (&"TPU:1".into(), &"1".into())
    );
    assert_eq!(row["peak_bytes"], 5800);
    assert_eq!(row["peak_reserved_bytes"], 5000);
    assert_eq!(row["recorded_peak_bytes"], 900);
    assert_eq!(row["peak_ratio"], 0.58);
    assert_eq!(sum_of_rows(&report, 0), 5800);
    assert_eq!(report["rows"][0]["kind"], "reserved");
}

/// Six steps of one allocation each that is never freed.
fn leak(freed: bool) -> String {
    let mut events = Vec::new();
    for step in 0..8i64 {
        let start = step * 100;
        let kept = if freed { 0 } else { step * 300 };
        let used = 2000 + kept;
        let address = 10 + step.unsigned_abs();
        events.push(allocate(
            &format!("{}us", start + 10),
            used + 300,
            300,
            address,
            "",
        ));
        if freed {
            events.push(free(&format!("{}us", start + 20), used, 300, address));
        }
    }
    let steps: Vec<String> = (0..8)
        .map(|step| {
            format!(
                "{}..{}us train #step_num={step},_r=1#",
                step * 100,
                step * 100 + 95
            )
        })
        .collect();
    format!(
        "host vm
        device gpu:0 nvidia H100
        stream 7 Compute
          50..60us gemm
        thread python
        {}
        {}",
        steps.join("\n"),
        events.join("\n")
    )
}

#[test]
fn what_is_never_freed_grows() {
    let report = ask(&drawn(&[&leak(false)]), "memory", &[]);
    let row = &report["allocators"][0];
    assert_eq!(row["growth_bytes_per_step"], 300.0);
    assert_eq!(row["is_growing"], true);
    let report = ask(&drawn(&[&leak(true)]), "memory", &[]);
    let row = &report["allocators"][0];
    assert_eq!(row["growth_bytes_per_step"], 0.0);
    assert_eq!(
        (&row["is_growing"], &row["spike_count"]),
        (&false.into(), &0.into())
    );
}

#[test]
fn a_step_that_needs_more_is_a_spike() {
    let text = leak(true);
    let spike = [
        allocate("315us", 7000, 5000, 99, ""),
        free("316us", 2000, 5000, 99),
    ];
    let report = ask(
        &drawn(&[&format!("{text}\n{}", spike.join("\n"))]),
        "memory",
        &[],
    );
    assert_eq!(report["allocators"][0]["spike_count"], 1);
    let steps = report["steps"].as_array().expect("steps");
    let spikes: Vec<&Value> = steps.iter().filter(|row| row["is_spike"] == true).collect();
    assert_eq!(spikes.len(), 1);
    assert_eq!(
        (&spikes[0]["step"], &spikes[0]["peak_bytes"]),
        (&3.into(), &7000.into())
    );
}

#[test]
fn lost_deallocations_stand_in_a_row_of_their_own() {
    let events = [
        allocate("1us", 500, 500, 1, ""),
        // The first block was freed without a record.
        allocate("2us", 700, 700, 2, ""),
    ];
    let text = format!(
        "host vm\ndevice gpu:0 nvidia H100\nstream 7 Compute\n 1..2us gemm\nthread python\n{}",
        events.join("\n")
    );
    let report = ask(&drawn(&[&text]), "memory", &[]);
    assert_eq!(report["allocators"][0]["peak_bytes"], 700);
    assert_eq!(sum_of_rows(&report, 0), 700);
    let rows = report["rows"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["kind"] == "unexplained");
    assert_eq!(row.expect("a row")["bytes"], -500);
}

#[test]
fn without_events_it_says_what_to_record() {
    let cpu = "host vm\nthread tf_XLAEigen/4\neach [hlo_op=$name hlo_module=m program_id=5 device_ordinal=0]\n 1..2us dot";
    let report = ask(&drawn(&[cpu]), "memory", &[]);
    assert_eq!(report["allocators"], Value::Array(Vec::new()));
    let note = &report["notes"][0];
    assert!(
        note["text"]
            .as_str()
            .is_some_and(|text| text.contains("XLA:CPU"))
    );
    assert!(
        note["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("save_device_memory_profile"))
    );
}

#[test]
fn hostile_numbers_do_no_harm() {
    let text = "host vm
        device gpu:0 nvidia H100
        stream 7 Compute
          1..2us gemm
        thread python
        1us MemoryAllocation [allocator_name=GPU_0_bfc bytes_allocated=9223372036854775807 bytes_reserved=9223372036854775807 bytes_available=9223372036854775807 allocation_bytes=9223372036854775807 addr=-1]
        2us MemoryAllocation [allocator_name=GPU_0_bfc bytes_allocated=-5 allocation_bytes=9223372036854775807 addr=-2]
        3us MemoryDeallocation
        4us MemoryDeallocation [index_on_host=99 fragmentation=1e300]";
    let report = ask(&drawn(&[text]), "memory", &[]);
    assert_eq!(report["allocators"].as_array().map(Vec::len), Some(3));
}

/// Peak of each allocator from the raw events, by slow and obvious code: time of line plus offset.
fn peaks(space: &XSpace) -> BTreeMap<String, (i64, i64)> {
    let mut all: BTreeMap<String, Vec<(i64, i64)>> = BTreeMap::new();
    for plane in space
        .planes
        .iter()
        .filter(|plane| plane.name.starts_with("/host:"))
    {
        for line in &plane.lines {
            for event in &line.events {
                let name = plane
                    .metadata(event)
                    .map_or("", |metadata| metadata.name.as_str());
                if name != "MemoryAllocation" && name != "MemoryDeallocation" {
                    continue;
                }
                let stat = |key: &str| {
                    let found = event.stats.iter().find(|stat| plane.stat_name(stat) == key);
                    found.and_then(|stat| stat.value.clone())
                };
                let number = |key: &str| match stat(key) {
                    Some(StatValue::Int64(value)) => value,
                    Some(StatValue::Uint64(value)) => value.cast_signed(),
                    _ => 0,
                };
                let who = match stat("allocator_name") {
                    Some(StatValue::Str(name)) => name,
                    Some(StatValue::Ref(id)) => plane.stat_metadata[&id.cast_signed()].name.clone(),
                    _ => number("index_on_host").to_string(),
                };
                let Some(EventData::OffsetPs(offset)) = event.data else {
                    continue;
                };
                let time = line.timestamp_ns * 1000 + offset;
                let taken = number("bytes_allocated") + number("bytes_reserved");
                all.entry(who).or_default().push((time, taken));
            }
        }
    }
    all.into_iter()
        .map(|(who, events)| {
            let most = events.iter().map(|event| event.1).max().unwrap_or(0);
            let first = events
                .iter()
                .filter(|event| event.1 == most)
                .map(|event| event.0);
            (who, (most, first.min().unwrap_or(0)))
        })
        .collect()
}

#[test]
fn the_peak_of_every_capture_by_brute_force() {
    let mut compared = 0;
    for capture in all_captures() {
        let session = open(&capture);
        let report = ask(&session, "memory", &[]);
        let rows = report["allocators"].as_array().expect("rows").clone();
        let [path] = capture.hosts.as_slice() else {
            assert!(rows.is_empty(), "{}", capture.name);
            continue;
        };
        let bytes = corpus::read_bytes(path).expect("a capture can be read");
        let expected = peaks(&XSpace::from_bytes(&bytes).expect("an XSpace"));
        let found: BTreeMap<String, i64> = rows
            .iter()
            .map(|row| {
                let name = row["allocator"].as_str().expect("a name").to_owned();
                (name, row["peak_bytes"].as_i64().expect("bytes"))
            })
            .collect();
        let peaks: BTreeMap<String, i64> = expected
            .iter()
            .map(|(who, peak)| (who.clone(), peak.0))
            .collect();
        assert_eq!(found, peaks, "{}", capture.name);
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(
                row["peak_bytes"].as_i64(),
                Some(sum_of_rows(&report, index))
            );
            compared += 1;
        }
    }
    println!("{compared} allocators compared");
}
