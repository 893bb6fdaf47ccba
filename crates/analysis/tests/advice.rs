//! The rules of `advice`, each on a drawing that has what it looks for and on one that nearly has it.

mod support;

use std::collections::BTreeSet;

use serde_json::Value;
use stepscope_analysis::advice::rules::RULES;
use stepscope_analysis::advice::thresholds::ADVICE;
use stepscope_analysis::find;
use stepscope_testing::corpus;

use support::{ask, drawn};

/// Six steps of a millisecond on one virtual device: what it runs, what Python does, its program.
fn cpu(ops: &str, python: &str, program: &str) -> String {
    on_cpu("vm", ops, python, program)
}

fn on_cpu(host: &str, ops: &str, python: &str, program: &str) -> String {
    format!(
        "host {host}
        environment [profile_start_time=1700000000000000000]
        thread python
        repeat 6 every 1000us
          0..999us train #step_num=$i,_r=1#
          {python}
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 6 every 1000us
          {ops}
        end
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)
          dot.2 = f32[64,64] dot(p.0, p.0)
          dot.3 = f32[64,64] dot(p.0, p.0)
          add.1 = f32[64,64] add(p.0, p.0)
          {program}"
    )
}

/// A device that is busy throughout.
const BUSY: &str = "1..300us dot.1\n300..600us dot.2\n600..800us add.1\n800..1000us dot.3";
/// One that is idle for the last part of each step.
const GAP: &str = "1..300us dot.1\n300..500us dot.2\n500..600us add.1\n600..700us dot.3";

fn busy() -> String {
    cpu(BUSY, "", "")
}

/// Six steps of a millisecond on an H100: kernels, other lines, the type and size of its products.
fn gpu(kernels: &str, more: &str, array: &str) -> String {
    format!(
        "host vm
        plane /host:metadata [jax_version=\"0.10.2\" gpu_version=\"cuda 12090\"]
        device gpu:0 nvidia H100
        stream 7 Compute
        each [hlo_op=$name hlo_module=jit_step program_id=5 correlation_id=$i]
        repeat 6 every 1000us
          {kernels}
        end
        {more}
        thread python
        repeat 6 every 1000us
          0..999us train #step_num=$i,_r=1#
          0..1us cuLaunchKernel [correlation_id=$i]
        end
        program 5 jit_step
          p.0 = {array} parameter(0)
          dot.1 = {array} dot(p.0, p.0)
          dot.2 = {array} dot(p.0, p.0)
          dot.3 = {array} dot(p.0, p.0)
          dot.4 = {array} dot(p.0, p.0)"
    )
}

const KERNELS: &str = "2..250us dot.1\n250..500us dot.2\n500..750us dot.3\n750..1000us dot.4";

fn allocator(events: &[(f64, bool, i64, i64, u64)], fragmentation: f64, requested: f64) -> String {
    let mut text = String::from("thread python\n");
    for &(time, is_allocation, in_use, bytes, address) in events {
        let name = if is_allocation {
            "MemoryAllocation"
        } else {
            "MemoryDeallocation"
        };
        let asked = bytes as f64 * requested;
        let line = format!(
            "{time}us {name} [allocator_name=GPU_0_bfc bytes_allocated={in_use} bytes_available={} \
             fragmentation={fragmentation} peak_bytes_in_use={in_use} requested_bytes={asked:.0} \
             allocation_bytes={bytes} addr={address}]\n",
            100_000 - in_use
        );
        text.push_str(&line);
    }
    text
}

fn with_memory(
    events: &[(f64, bool, i64, i64, u64)],
    fragmentation: f64,
    requested: f64,
) -> String {
    gpu(
        KERNELS,
        &allocator(events, fragmentation, requested),
        "bf16[4217,4217]",
    )
}

/// One allocation that is freed in each of the six steps; it is `bytes` large.
fn steady(bytes: i64) -> Vec<(f64, bool, i64, i64, u64)> {
    (0..6u32)
        .flat_map(|step| {
            let start = f64::from(step) * 1000.0;
            [
                (start + 10.5, true, 1000 + bytes, bytes, 1),
                (start + 900.5, false, 1000, bytes, 1),
            ]
        })
        .collect()
}

/// Rule, hosts that have it, hosts that do not.
type Case = (&'static str, Vec<String>, Vec<String>);

#[expect(clippy::too_many_lines, reason = "a table of drawings")]
fn cases() -> Vec<Case> {
    let one = |id, yes: String, no: String| (id, vec![yes], vec![no]);
    let all_reduce = "all-reduce.1 = f32[64,64] all-reduce(p.0)";
    let met = |host: &str, own: u32| {
        let ops = format!("1..{own}us dot.1\n{own}..1000us all-reduce.1");
        on_cpu(host, &ops, "", all_reduce)
    };
    let second = |end: u32| {
        let ops = "1..300us dot.1\n300..1000us all-reduce.1";
        let text = cpu(ops, "", all_reduce);
        let other = format!(
            "thread tf_XLAEigen/43
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=1]
            repeat 6 every 1000us
              1..{end}us dot.1
              {end}..1000us all-reduce.1
            end
            program 5"
        );
        text.replacen("program 5", &other, 1)
    };
    let copied = |name: &str, compute: &str| {
        let copies = format!(
            "stream 8 Memcpy\nrepeat 6 every 1000us\n 500..1000us {name} [memcpy_details=\"size:1000 dest:0 async:1\"]\nend"
        );
        gpu(compute, &copies, "bf16[4217,4217]")
    };
    let half = "2..250us dot.1\n250..500us dot.2";
    let kernels = |details: &str| {
        let with = |line: &str| format!("{line} [kernel_details=\"{details}\"]");
        let lines: Vec<String> = KERNELS.lines().map(with).collect();
        gpu(&lines.join("\n"), "", "bf16[4217,4217]")
    };
    let scoped = |name: &str, scope: &str| {
        let ops = format!("1..300us dot.1\n300..600us dot.2\n600..800us add.1\n800..1000us {name}");
        cpu(
            &ops,
            "",
            &format!("{name} = f32[64,64] multiply(p.0, p.0) op_name=\"{scope}\""),
        )
    };
    let sparse = |end: u32| {
        format!(
            "host vm
            device tpu:0 v6e
            line XLA Ops
            repeat 6 every 1000us
              0..500us %a.1 = f32[8] add(b, c)
              500..1000us %a.2 = f32[8] add(b, c)
            end
            device tpu:0 sparsecore:1 v6e
            line Sparse Core Ops
            repeat 6 every 1000us
              0..{end}us gather.1
            end"
        )
    };
    let long_step = busy()
        .replacen(
            "thread tf_XLAEigen",
            "6000..9000us train #step_num=6,_r=1#\nthread tf_XLAEigen",
            1,
        )
        .replacen(
            "program 5 jit_step",
            "6001..9000us dot.1\nprogram 5 jit_step",
            1,
        );
    let growing: Vec<_> = (0..6u32)
        .map(|step| {
            let kept = i64::from(step + 1) * 500;
            (
                f64::from(step) * 1000.0 + 10.5,
                true,
                1000 + kept,
                500,
                u64::from(step),
            )
        })
        .collect();
    let mut spike = steady(2000);
    spike.insert(6, (3100.5, true, 30_000, 29_000, 9));
    spike.insert(7, (3200.5, false, 1000, 29_000, 9));
    vec![
        one(
            "input_wait",
            cpu(GAP, "701..998us data_loading", ""),
            cpu(BUSY, "701..998us data_loading", ""),
        ),
        one(
            "host_bound",
            cpu(GAP, "701..998us PjitFunction(f)", ""),
            cpu(BUSY, "701..998us PjitFunction(f)", ""),
        ),
        one("idle", cpu(GAP, "", ""), busy()),
        one("step_outliers", long_step, busy()),
        one(
            "compilation",
            cpu(GAP, "701..998us backend_compile", ""),
            cpu(BUSY, "701..998us backend_compile", ""),
        ),
        one("exposed_communication", met("vm", 500), met("vm", 950)),
        (
            "straggler",
            vec![met("a", 300), met("b", 310), met("c", 800)],
            vec![met("a", 300), met("b", 310), met("c", 320)],
        ),
        one("load_imbalance", second(900), second(320)),
        one(
            "host_transfers",
            copied("MemcpyH2D", half),
            copied("MemcpyH2D", KERNELS),
        ),
        one(
            "device_copies",
            copied("MemcpyD2D", half),
            copied("MemcpyD2D", KERNELS),
        ),
        one(
            "data_shuffle",
            cpu(
                "1..500us transpose.1\n500..800us dot.1\n800..1000us dot.2",
                "",
                "transpose.1 = f32[64,64] transpose(p.0)",
            ),
            cpu(
                "1..50us transpose.1\n50..800us dot.1\n800..1000us dot.2",
                "",
                "transpose.1 = f32[64,64] transpose(p.0)",
            ),
        ),
        one(
            "dominating_op",
            cpu(
                "1..30us dot.1\n30..40us dot.2\n40..60us add.1\n60..1000us dot.3",
                "",
                "",
            ),
            busy(),
        ),
        one(
            "long_ops",
            busy().replace("us ", "ms ").replace("us\n", "ms\n"),
            busy(),
        ),
        one(
            "bound_by",
            gpu(KERNELS, "", "bf16[64,64]"),
            gpu(KERNELS, "", "bf16[4217,4217]"),
        ),
        one(
            "tiny_kernels",
            gpu(
                "repeat 20 every 50us\n 1..6us dot.1\nend",
                "",
                "bf16[64,64]",
            ),
            gpu(KERNELS, "", "bf16[64,64]"),
        ),
        one(
            "low_occupancy",
            kernels("regs:200 grid:1,1,1 block:64,1,1 occ_pct:12"),
            kernels("regs:32 grid:1,1,1 block:64,1,1 occ_pct:75"),
        ),
        one(
            "float32_matmul",
            gpu(KERNELS, "", "f32[4217,4217]"),
            gpu(KERNELS, "", "bf16[4217,4217]"),
        ),
        one(
            "rematerialisation",
            scoped("mul.1", "jit(step)/rematted_computation/mul"),
            scoped("mul.1", "jit(step)/mul"),
        ),
        one(
            "debug_print",
            scoped("cc.1", "jit(step)/debug_callback"),
            scoped("cc.1", "jit(step)/mul"),
        ),
        one(
            "barrier_cores",
            scoped("barrier-cores.1", "x"),
            scoped("barrier.1", "x"),
        ),
        one(
            "async_done",
            cpu(
                "1..500us dot.1\n500..800us async-done.1\n800..1000us dot.2",
                "",
                "async-done.1 = f32[64,64] async-done(p.0)",
            ),
            cpu(
                "1..500us dot.1\n500..510us async-done.1\n510..1000us dot.2",
                "",
                "async-done.1 = f32[64,64] async-done(p.0)",
            ),
        ),
        one("sparse_core", sparse(600), sparse(50)),
        one(
            "cpu_fallback",
            gpu(
                KERNELS,
                "thread tf_XLAEigen/9\n100..200us add.9 [hlo_op=add.9 hlo_module=jit_g program_id=6 device_ordinal=0]",
                "bf16[4217,4217]",
            ),
            gpu(KERNELS, "", "bf16[4217,4217]"),
        ),
        one(
            "memory_headroom",
            with_memory(&steady(97_500), 0.0, 1.0),
            with_memory(&steady(50_000), 0.0, 1.0),
        ),
        one(
            "memory_growth",
            with_memory(&growing, 0.0, 1.0),
            with_memory(&steady(2000), 0.0, 1.0),
        ),
        one(
            "memory_spikes",
            with_memory(&spike, 0.0, 1.0),
            with_memory(&steady(2000), 0.0, 1.0),
        ),
        one(
            "fragmentation",
            with_memory(&steady(85_000), 0.8, 1.0),
            with_memory(&steady(20_000), 0.8, 1.0),
        ),
        one(
            "memory_rounding",
            with_memory(&steady(50_000), 0.0, 0.5),
            with_memory(&steady(50_000), 0.0, 0.95),
        ),
        one(
            "capture_quality",
            format!(
                "{}\nwarning 500 events were dropped",
                gpu(KERNELS, "", "bf16[4217,4217]")
            ),
            gpu(KERNELS, "", "bf16[4217,4217]"),
        ),
    ]
}

fn advice(hosts: &[String]) -> Value {
    let texts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    ask(&drawn(&texts), "advice", &[])
}

fn ids(report: &Value) -> Vec<&str> {
    let all = report["findings"].as_array().map_or(&[][..], Vec::as_slice);
    all.iter()
        .filter_map(|found| found["id"].as_str())
        .collect()
}

#[test]
fn every_rule_finds_what_is_there_and_nothing_else() {
    let mut wrong = Vec::new();
    for (id, yes, no) in cases() {
        let report = advice(&yes);
        match report["findings"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|found| found["id"] == id)
        {
            None => wrong.push(format!(
                "{id} is not found, but {:?}: {}",
                ids(&report),
                check(&report, id)
            )),
            Some(found) => {
                for key in ["what", "why", "fix"] {
                    let text = found[key].as_str().unwrap_or_default();
                    // What the recorder itself complains about is passed on as it is.
                    let is_told = !text.is_empty() || (id == "capture_quality" && key != "what");
                    assert!(is_told, "{id} has no {key}");
                }
            }
        }
        let report = advice(&no);
        if ids(&report).contains(&id) {
            wrong.push(format!(
                "{id} is found where it is not: {}",
                report["findings"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(report: &Value, id: &str) -> String {
    ["passed", "skipped"]
        .iter()
        .flat_map(|key| report[*key].as_array().into_iter().flatten())
        .find(|check| check["id"] == id)
        .map_or_else(String::new, |check| check["text"].to_string())
}

#[test]
fn every_rule_has_a_case_and_a_paragraph() {
    let tested: BTreeSet<&str> = cases().iter().map(|case| case.0).collect();
    let declared: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(tested, declared);
    let path = corpus::repository_root().join("docs/analyses/advice.md");
    let page = std::fs::read_to_string(path).expect("docs/analyses/advice.md");
    for id in declared {
        assert!(
            page.contains(&format!("`{id}`")),
            "docs/analyses/advice.md does not explain {id}"
        );
    }
    for threshold in ADVICE {
        let row = format!("| `{}` |", threshold.key);
        assert!(page.contains(&row), "docs/analyses/advice.md lacks {row}");
    }
}

#[test]
fn gains_are_worked_out_by_hand() {
    let (_, yes, _) = cases()
        .into_iter()
        .find(|case| case.0 == "input_wait")
        .expect("a case");
    let report = advice(&yes);
    let found = &report["findings"][0];
    assert_eq!(found["id"], "input_wait");
    // 701 to 998 us of steps that last 1000 us: idle meanwhile.
    assert_eq!(found["gain_ps_per_step"], 297e6);
    assert_eq!(found["evidence"][0]["view"], "timeline");
    let (_, yes, _) = cases()
        .into_iter()
        .find(|case| case.0 == "straggler")
        .expect("a case");
    let report = advice(&yes);
    let all = report["findings"].as_array().expect("findings");
    let found = all
        .iter()
        .find(|found| found["id"] == "straggler")
        .expect("found");
    assert_eq!(found["title"], "c is slower than the other hosts");
    // 799 us of its own work, the median host has 309.
    assert_eq!(found["gain_ps_per_step"], 490e6);
}

#[test]
fn a_file_replaces_thresholds_of_rules_and_verdicts_alike() {
    let session = drawn(&[&cpu(GAP, "701..998us data_loading", "")]);
    let text = "device_busy_ratio = 0.9 0.7\ninput_wait_ratio = 0.5 0.6";
    let report = ask(&session, "advice", &[("thresholds", text)]);
    assert!(!ids(&report).contains(&"input_wait"), "{:?}", ids(&report));
    ask(&session, "overview", &[("thresholds", text)]);
    let wrong = find("advice")
        .expect("registered")
        .run_pairs(&session, [("thresholds", "no_such_ratio = 1 2")]);
    assert!(wrong.is_err_and(|error| error.to_string().contains("input_wait_ratio")));
}

#[test]
fn the_straggler_of_four_hosts_is_named_first() {
    let Some(capture) = corpus::capture("cpu-jax-4hosts") else {
        println!("no corpus");
        return;
    };
    let report = ask(&support::open(&capture), "advice", &[]);
    let first = &report["findings"][0];
    assert_eq!(first["id"], "input_wait");
    assert_eq!(first["title"], "host-2 waits for input");
    assert!(
        first["what"]
            .as_str()
            .is_some_and(|what| what.contains("data_loading"))
    );
}
