//! Programs and machines of kinds that no recording here has: what was told wrongly of them, drawn.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::{ask, drawn, number, rows, text};

fn micros(row: &Value, key: &str) -> f64 {
    number(&row[key]) / 1e6
}

fn finding<'a>(advice: &'a Value, id: &str) -> Option<&'a Value> {
    rows(advice, "findings")
        .iter()
        .find(|found| text(found, "id") == id)
}

/// Two GPUs that gather on a stream of their own; the second one is 15 us behind all along. They compute
/// until the gathering begins, or until the step ends.
fn gathering(computes: bool) -> String {
    let gpu = |ordinal: u32, late: u32| {
        let until = if computes { 96 } else { 10 };
        let at = |time: u32| time + late;
        format!(
            "device gpu:{ordinal} nvidia H100
            stream 7 Compute
            each [hlo_op=dot.1 hlo_module=jit_step program_id=5]
            repeat 8 every 100us
              {}..{}us gemm
            end
            stream 20 Compute
            each [hlo_op=all-gather.2 hlo_module=jit_step program_id=5]
            repeat 8 every 100us
              {}..{}us ncclDevKernel_AllGather_RING_LL
            end",
            at(0),
            at(until.min(95)),
            at(10),
            at(40),
        )
    };
    format!(
        "host vm
        {}
        {}
        thread python
        repeat 8 every 100us
          0..100us train #step_num=$i,_r=1#
        end
        program 5 jit_step
          p.0 = bf16[512,512] parameter(0)
          dot.1 = bf16[512,512] dot(p.0, p.0)
          ROOT all-gather.2 = bf16[1024,512] all-gather(p.0) replica_groups={{{{0,1}}}}",
        gpu(0, 0),
        gpu(1, 15)
    )
}

#[test]
fn waiting_that_computation_hides_is_none() {
    for (computes, waited) in [(true, 0.0), (false, 8.0 * 15.0)] {
        let session = drawn(&[&gathering(computes)]);
        let hosts = ask(&session, "hosts", &[]);
        let devices = rows(&hosts, "devices");
        let found: Vec<f64> = devices.iter().map(|row| micros(row, "wait_ps")).collect();
        assert_eq!(found, [waited, 0.0], "{computes}");
        let advice = ask(&session, "advice", &[]);
        assert_eq!(finding(&advice, "straggler").is_none(), computes);
    }
}

/// SparseCores work for their chip: they are no devices that are idle.
#[test]
fn a_chip_with_sparse_cores_is_one_device() {
    let sparse = |number: u32| {
        format!(
            "device tpu:0 sparsecore:{number} v6e
            line Sparse Core Steps
            repeat 4 every 1000us
              0..1000us $i
            end
            line Sparse Core Ops
            repeat 4 every 1000us
              0..50us gather.{number}
            end"
        )
    };
    let session = drawn(&[&format!(
        "host vm
        device tpu:0 v6e
        line Steps
        repeat 4 every 1000us
          0..1000us $i
        end
        line XLA Ops
        repeat 4 every 1000us
          0..950us fusion.1
        end
        {}
        {}",
        sparse(0),
        sparse(1)
    )]);
    let overview = ask(&session, "overview", &[]);
    assert_eq!(overview["device_busy_count"], 1);
    assert!((number(&overview["device_busy_ratio"]) - 0.95).abs() < 1e-9);
    let idle = ask(&session, "idle", &[]);
    assert_eq!(rows(&idle, "devices").len(), 1);
    let advice = ask(&session, "advice", &[]);
    assert!(finding(&advice, "load_imbalance").is_none());
    // Their ops are told all the same.
    let ops = ask(&session, "ops", &[]);
    let found = rows(&ops, "rows").iter();
    assert_eq!(
        found
            .filter(|row| text(row, "name").starts_with("gather"))
            .count(),
        2
    );
}

/// An exchange with another slice of a TPU goes through the host, but is communication.
#[test]
fn exchanges_between_slices_are_communication() {
    let megascale =
        "is_host_transfer=true frontend_attributes={_xla_megascale_transfer_type=\"ALL_REDUCE\"}";
    let part = |attributes: &str, name: &str| {
        let session = drawn(&[&format!(
            "host vm
            device tpu:0 v6e
            line XLA Ops
            each {{program_id=5}}
            repeat 4 every 100us
              0..2us   recv.2 {{symbol_id=2 hlo_category=\"host recv\"}}
              2..80us  fusion.3 {{symbol_id=3 hlo_category=\"loop fusion\"}}
              80..100us recv-done.2 {{symbol_id=5 hlo_category=\"host recv-done\"}}
            end
            thread python
            repeat 4 every 100us
              0..100us train #step_num=$i,_r=1#
            end
            program 5 jit_step
              p.0 = f32[1000] parameter(0)
              token.1 = token[] after-all()
              recv.2 = (f32[1000], u32[], token[]) recv(token.1) channel_id=8 {attributes}
              fusion.3 = f32[1000] add(p.0, p.0)
              ROOT recv-done.2 = (f32[1000], token[]) recv-done(recv.2) channel_id=8 is_host_transfer=true"
        )]);
        let overview = ask(&session, "overview", &[]);
        let parts = rows(&overview, "step_parts").iter();
        let mut parts = parts.filter(|row| text(row, "part") == name);
        parts.next().map_or(0.0, |row| number(&row["ratio"]))
    };
    assert!((part(megascale, "collectives") - 0.22).abs() < 1e-9);
    assert!((part(megascale, "host_to_device")).abs() < 1e-9);
    let host = "is_host_transfer=true";
    assert!((part(host, "host_to_device") - 0.22).abs() < 1e-9);
}

/// One of two hosts that reduce together every 100 us, from this round on.
fn reducing(name: &str, ordinal: u32, first: u32, annotates: bool) -> String {
    let at = |time: u32| time + 100 * first;
    let annotation = |round: u32| {
        let start = 100 * (first + round);
        let (end, number) = (start + 95, first + round);
        if annotates {
            format!("{start}..{end}us train #step_num={number},_r=1#")
        } else {
            format!("{start}..{end}us work")
        }
    };
    let annotations: Vec<String> = (0..8).map(annotation).collect();
    let annotations = annotations.join("\n");
    format!(
        "host {name}
        environment [profile_start_time=1700000000000000000 profile_stop_time=1700000000001000000]
        thread python
        {annotations}
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal={ordinal}]
        repeat 8 every 100us
          {}..{}us fusion.1 [run_id=1$i]
          {}..{}us all-reduce.2 [run_id=1$i]
        end
        program 5 jit_step
          p.0 = f32[512] parameter(0)
          fusion.1 = f32[512] add(p.0, p.0)
          ROOT all-reduce.2 = f32[512] all-reduce(fusion.1) replica_groups={{{{0,1}}}}",
        at(10),
        at(20),
        at(20),
        at(70),
    )
}

#[test]
fn hosts_that_began_to_record_one_step_apart_have_the_same_clock() {
    for annotates in [true, false] {
        let [a, b] = [
            reducing("a", 0, 0, annotates),
            reducing("b", 1, 1, annotates),
        ];
        let hosts = ask(&drawn(&[&a, &b]), "hosts", &[]);
        assert_eq!(rows(&hosts, "clocks").len(), 2);
        for row in rows(&hosts, "clocks") {
            let offset = row["offset_ps"].as_f64().unwrap_or(0.0);
            assert!(offset.abs() < 1e6, "{row}");
        }
    }
}

#[test]
fn steps_without_annotations_are_those_at_the_same_time() {
    let [a, b] = [reducing("a", 0, 0, false), reducing("b", 1, 1, false)];
    let session = drawn(&[&a, &b]);
    let hosts = ask(&session, "hosts", &[]);
    let steps = rows(&hosts, "steps");
    assert_eq!(
        steps.len(),
        7,
        "rounds 0 to 8, without the last one of each host"
    );
    for row in steps {
        assert!(micros(row, "duration_ps") <= 100.0, "{row}");
    }
}

/// `name` is compiled twice, for programs of these lines.
fn compiled(name: &str, lines: [u32; 2]) -> Value {
    let [first, second] = lines;
    let module = format!("jit_{}", name.trim_matches(['<', '>']));
    let module = module.replace("jit_lambda", "jit__lambda");
    let session = drawn(&[&format!(
        "host vm
        thread python
          0..1000us    train #step_num=7,_r=1#
          0..300us     PjitFunction({name})
          10..260us    backend_compile_and_load
          400..700us   PjitFunction({name})
          410..660us   backend_compile_and_load
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module={module} device_ordinal=0]
          280..290us   add.1 [program_id=5 run_id=1]
          290..295us   mul.2 [program_id=5 run_id=1]
          680..685us   add.1 [program_id=6 run_id=2]
          685..690us   mul.2 [program_id=6 run_id=2]
        program 5 {module}
          p.0 = f32[32,64] parameter(0) op_name=\"x\"
          add.1 = f32[32,64] add(p.0, p.0) op_name=\"jit(f)/add\" source=\"a.py:{first}\"
          ROOT mul.2 = f32[32,64] multiply(add.1, p.0) op_name=\"jit(f)/mul\" source=\"a.py:{first}\"
        program 6 {module}
          p.0 = f32[24,64] parameter(0) op_name=\"x\"
          add.1 = f32[24,64] add(p.0, p.0) op_name=\"jit(f)/add\" source=\"a.py:{second}\"
          ROOT mul.2 = f32[24,64] multiply(add.1, p.0) op_name=\"jit(f)/mul\" source=\"a.py:{second}\""
    )]);
    ask(&session, "compile", &[("sort", "-start_ps")])
}

#[test]
fn functions_of_one_name_are_told_apart_by_their_lines() {
    for name in ["step", "<lambda>"] {
        let again = |lines| {
            let report = compiled(name, lines);
            let found = rows(&report, "rows");
            assert_eq!(found.len(), 2, "{report}");
            (
                found[1]["is_again"] == true,
                text(&found[1], "change").to_owned(),
            )
        };
        assert_eq!(again([3, 9]), (false, String::new()), "{name}");
        let change = "argument x: f32[32,64] → f32[24,64]".to_owned();
        assert_eq!(again([3, 3]), (true, change), "{name}");
    }
}

#[test]
fn a_number_in_the_name_of_a_phase_belongs_to_it() {
    let session = drawn(&["
        host vm
        thread python
        repeat 4 every 1000us
          0..200us    phase1 #step_num=$i,_r=1#
          200..1000us phase2 #step_num=$i,_r=1#
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 4 every 1000us
          0..150us   add.1
          210..900us add.2
        end
    "]);
    let mean = |series: &str| {
        let overview = ask(&session, "overview", &[("series", series)]);
        micros(&overview["step_time_ps"], "mean")
    };
    assert_eq!((mean("phase1"), mean("phase2")), (200.0, 800.0));
}

/// A name that is whole selects what has it, and a part of a name all that contain it.
#[test]
fn the_name_of_a_host_is_not_that_of_another() {
    let texts: Vec<String> = [1, 2, 10, 11]
        .map(|number| reducing(&format!("host-{number}"), number, 0, true))
        .to_vec();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let session = drawn(&texts);
    let count = |key: &str, value: &str| {
        let steps = ask(&session, "steps", &[(key, value), ("limit", "0")]);
        rows(&steps, "rows").len() / 8
    };
    assert_eq!(count("host", "host-1"), 1);
    assert_eq!(count("host", "HOST-10"), 1);
    assert_eq!(count("host", "host"), 4);
    assert_eq!(count("device", "CPU:1"), 1);
    assert_eq!(count("device", "host-1/CPU:1"), 1);
    assert_eq!(count("device", "CPU"), 4);
}

/// Six steps of twenty programs of 20 us on a TPU; in between the host is in Python of the program, of a
/// library, or nothing was recorded.
fn short_programs(python: &str) -> String {
    let times: Vec<u32> = (0..20).map(|run| 2 + run * 150).collect();
    let lines = |line: &dyn Fn(u32, u32) -> String| -> String {
        let all: Vec<String> = (0..).zip(&times).map(|(run, at)| line(run, *at)).collect();
        all.join("\n")
    };
    let modules =
        lines(&|run, at| format!("{at}..{}us jit_act(5) [run_id={run} program_id=5]", at + 20));
    let ops = lines(&|run, at| {
        format!(
            "{at}..{}us dot.1 [run_id={run} hlo_op=dot.1 hlo_module=jit_act program_id=5]",
            at + 20
        )
    });
    let frames = lines(&|_, at| {
        if python.is_empty() {
            String::new()
        } else {
            format!("{}..{}us {python}", at + 20, at + 148)
        }
    });
    format!(
        "host vm
        device tpu:0 v6e
        line XLA Modules
        repeat 6 every 3000us
          {modules}
        end
        line XLA Ops
        repeat 6 every 3000us
          {ops}
        end
        thread python
        repeat 6 every 3000us
          0..2999us train #step_num=$i,_r=1#
          {frames}
        end
        program 5 jit_act
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)"
    )
}

#[test]
fn short_programs_do_not_take_the_time_of_the_programs_own_python() {
    let gain = |python: &str| {
        let advice = ask(&drawn(&[&short_programs(python)]), "advice", &[]);
        let found = finding(&advice, "program_runs");
        found.map(|found| number(&found["gain_ps_per_step"]) / 1e6)
    };
    // 2,600 us of 3,000 in gaps, less the share of one program.
    let all = 2600.0 * (1.0 - 1.0 / 20.0);
    let library = "$pjit.py:250 cache_miss";
    for other in ["", library] {
        let found = gain(other).expect("a finding");
        assert!((found - all).abs() < 5.0, "{other}: {found} of {all}");
    }
    // What is left is less than a twentieth of a step.
    assert_eq!(gain("$env.py:5 step"), None);
    let advice = ask(&drawn(&[&short_programs("$env.py:5 step")]), "advice", &[]);
    assert_eq!(text(&rows(&advice, "findings")[0], "id"), "host_bound");
}

/// Single ops in an order without a rule, so that nobody knows the steps.
#[test]
fn a_recording_of_single_ops_is_a_loop_without_jit() {
    let drawing = || {
        let (mut state, mut modules, mut ops) = (7u32, String::new(), String::new());
        for run in 0..150 {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            let (id, name) =
                [(5, "jit_dot"), (6, "jit_tanh"), (7, "jit_sum")][(state >> 16) as usize % 3];
            let (start, end) = (run * 100, run * 100 + 50);
            let module = format!("{name}({id}) [run_id={run} program_id={id}]");
            writeln!(modules, "{start}..{end}us {module}").expect("a text");
            let of = format!("run_id={run} hlo_op=a.1 hlo_module={name} program_id={id}");
            writeln!(ops, "{start}..{end}us a.1 [{of}]").expect("a text");
        }
        let op = |id: u32, name: &str, opcode: &str| {
            format!(
                "program {id} {name}\n p.0 = f32[8] parameter(0)\n a.1 = f32[8] {opcode}(p.0)\n"
            )
        };
        let programs =
            op(5, "jit_dot", "negate") + &op(6, "jit_tanh", "tanh") + &op(7, "jit_sum", "abs");
        let lines = format!("line XLA Modules\n{modules}\nline XLA Ops\n{ops}");
        format!("host vm\ndevice tpu:0 v6e\n{lines}\n{programs}")
    };
    let short = ask(&drawn(&[&drawing()]), "advice", &[]);
    assert!(short["step_ps"].is_null(), "{short}");
    let found = finding(&short, "idle_recording").expect("a finding");
    assert_eq!(text(found, "title"), "Many short programs");
    assert!(
        text(found, "what").contains("It runs 150 programs, 150 of them shorter than 1.000 ms")
    );
    assert!(text(found, "fix").contains("one jitted function"));
}

/// The innermost call of a host that is late, where others nest deeper at other times.
#[test]
fn a_call_that_contains_nothing_is_what_a_late_host_does() {
    let host = |name: &str, number: u32, arrival: u32, extra: &str| {
        format!(
            "host {name}
            thread python
            repeat 8 every 100us
              0..95us train #step_num=$i,_r=1#
              {extra}
              80..90us $train.py:3 log
              81..89us $train.py:4 write
              82..88us $io.py:5 flush
            end
            thread tf_XLAEigen/42
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal={number}]
            repeat 8 every 100us
              {arrival}..70us all-reduce.2
            end
            program 5 jit_step
              p.0 = f32[512] parameter(0)
              ROOT all-reduce.2 = f32[512] all-reduce(p.0) replica_groups={{{{0,1}}}}"
        )
    };
    let late = "2..48us $train.py:9 batch\n3..47us $time sleep";
    let session = drawn(&[&host("a", 0, 10, ""), &host("b", 1, 50, late)]);
    let hosts = ask(&session, "hosts", &[]);
    let blame = rows(&hosts, "blame");
    assert_eq!(text(&blame[0], "activity"), "train.py:9 batch › time sleep");
}
