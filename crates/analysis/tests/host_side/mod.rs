//! `idle`, `input`, `compile` and `requests` on profiles small enough to work out by hand, and gaps
//! derived a second time from raw events.

mod compile;
mod requests;
mod waits;

use serde_json::{Value, json};
use stepscope_analysis::find;
use stepscope_model::DeviceKind;
use stepscope_testing::corpus;
use stepscope_testing::oracle;

use crate::support::{all_captures, ask, drawn, open, picos, rows, text};

fn micros(row: &Value, key: &str) -> i64 {
    picos(row, key) / 1_000_000
}

/// Microseconds of a cause over all devices.
fn cause(report: &Value, name: &str) -> i64 {
    let found = rows(report, "causes")
        .iter()
        .find(|row| row["cause"] == json!(name));
    found.map_or(0, |row| micros(row, "total_ps"))
}

/// One step of 1 ms on one device; busy 100..200, 700..900 and 905..950.
const NVIDIA: &str = "
    host vm
    device gpu:0 nvidia H100
    stream 7 Compute
      100..200us gemm [hlo_op=dot.1 program_id=5 hlo_module=jit_step correlation_id=1]
      700..900us gemm [hlo_op=dot.1 program_id=5 hlo_module=jit_step correlation_id=2]
      905..950us gemm [hlo_op=dot.1 program_id=5 hlo_module=jit_step correlation_id=3]
    thread python
      0..1000us   train #step_num=0,_r=1#
      0..60us     data_loading
      10..30us    $loader.py:12 augment
      60..95us    PjitFunction(step)
      70..90us    cuLaunchKernel [correlation_id=1]
      250..450us  $train.py:31 main
      260..300us  $time sleep
      300..340us  $gc collect
      350..380us  $api.py:10 device_put
      450..500us  forward_pass
      500..600us  block_until_ready
      950..1000us checkpoint_save
    thread compiler/9
      600..650us  LLVM compile
";

#[test]
fn gaps_of_an_nvidia_gpu_by_cause() {
    let session = drawn(&[NVIDIA]);
    let report = ask(&session, "idle", &[]);
    let device = &rows(&report, "devices")[0];
    assert_eq!(micros(device, "window_ps"), 1000, "the step");
    assert_eq!(micros(device, "busy_ps"), 345);
    assert_eq!(micros(device, "idle_ps"), 1000 - 345);
    assert_eq!(
        (micros(device, "short_ps"), picos(device, "short_count")),
        (5, 1)
    );
    assert_eq!(device["gap_count"], json!(3));
    // The gaps 0..100, 200..700 and 950..1000.
    assert_eq!(cause(&report, "data_loading"), 60);
    assert_eq!(cause(&report, "dispatch"), 35);
    assert_eq!(cause(&report, "compilation"), 50, "on any thread");
    assert_eq!(cause(&report, "sleep"), 40);
    assert_eq!(cause(&report, "garbage_collection"), 40);
    assert_eq!(cause(&report, "copy_to_device"), 30);
    assert_eq!(cause(&report, "transfer"), 0);
    // And between calls: 95..100, 200..250.
    assert_eq!(
        cause(&report, "python"),
        200 - 40 - 40 - 30 + 5 + 50,
        "until the last call of Python"
    );
    assert_eq!(cause(&report, "annotation"), 50);
    assert_eq!(cause(&report, "blocked"), 100);
    assert_eq!(cause(&report, "checkpoint"), 50);
    assert_eq!(cause(&report, "unknown"), 50, "650..700");
    let gaps = rows(&report, "rows");
    assert_eq!(
        (
            micros(&gaps[0], "start_ps"),
            micros(&gaps[0], "duration_ps")
        ),
        (200, 500)
    );
    assert_eq!(
        (text(&gaps[0], "cause"), micros(&gaps[0], "cause_ps")),
        ("python", 90 + 50)
    );
    assert_eq!(text(&gaps[0], "what"), "train.py:31 main");
    assert_eq!(text(&gaps[1], "cause"), "data_loading");
    assert_eq!(
        (text(&gaps[1], "what"), text(&gaps[1], "annotation")),
        ("data_loading", "data_loading")
    );
    assert_eq!(text(&gaps[2], "cause"), "checkpoint");
    assert_eq!(gaps[0]["step"], json!(0));
    let step = &rows(&report, "steps")[0];
    assert_eq!(micros(step, "gaps_ps"), 650);
}

/// Three programs are launched at once, and the host sleeps while they run, and after them.
const AHEAD: &str = "
    host vm
    thread python
      0..1000us   train #step_num=0,_r=1#
      0..5us      PjitFunction(step)
      5..10us     PjitFunction(step)
      10..1000us  $time sleep
      900..905us  PjitFunction(step)
    thread tf_XLAEigen/42
    each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
      20..100us   fusion.1 [run_id=7]
      150..200us  fusion.2 [run_id=7]
      300..400us  fusion.1 [run_id=8]
      950..1000us fusion.1 [run_id=9]
";

#[test]
fn the_host_is_not_the_cause_where_the_device_had_work() {
    let report = ask(&drawn(&[AHEAD]), "idle", &[("min-gap", "0")]);
    // 100..150 lies within a run, and 200..300 before one that was launched before the first began.
    assert_eq!(cause(&report, "device"), 50 + 100);
    assert_eq!(
        cause(&report, "sleep"),
        10 + 500 + 45,
        "10..20, 400..900, 905..950"
    );
    let steps = ask(&drawn(&[AHEAD]), "steps", &[]);
    let step = &rows(&steps, "rows")[0];
    assert_eq!(micros(step, "host_overhead_ps"), 20 + 500 + 50);
    assert_eq!(micros(step, "idle_ps"), 50 + 100);
}

/// A graph arrives 380 µs after its launch returned. Meanwhile the host waits, but for the 50 µs in which
/// it loads, which the program might need.
#[test]
fn a_launch_that_is_on_its_way_is_not_the_hosts() {
    let launch = |start: u32| {
        let text = format!(
            "
            host vm
            device gpu:0 nvidia H100
            stream 7 Compute
            repeat 3 every 1ms
              {start}..700us gemm [program_id=5 hlo_module=jit_step hlo_op=dot.1 correlation_id=1$i]
            end
            thread python
            repeat 3 every 1ms
              0..900us   train #step_num=$i,_r=1#
              10..20us   cuGraphLaunch [correlation_id=1$i]
              30..900us  $api.py:2757 block_until_ready
              40..90us   data_loading
            end"
        );
        ask(&drawn(&[&text]), "idle", &[])
    };
    let late = launch(400);
    assert_eq!(cause(&late, "device"), 3 * (380 - 50));
    assert_eq!(cause(&late, "data_loading"), 3 * 50);
    // 90 µs are no long time.
    assert_eq!(cause(&launch(110), "device"), 0);
}

#[test]
fn gaps_within_the_runs_of_a_gpu_are_its_hosts() {
    let report = ask(&drawn(&[NVIDIA]), "idle", &[]);
    assert_eq!(cause(&report, "device"), 0);
}

#[test]
fn a_device_that_only_works_outside_of_the_steps_is_not_idle_in_them() {
    let other = NVIDIA.replace(
        "thread python",
        "device gpu:1 nvidia H100\n stream 9 MemcpyH2D\n 2000..2100us MemcpyH2D\n thread python",
    );
    let session = drawn(&[&other]);
    let report = ask(&session, "idle", &[]);
    let devices = rows(&report, "devices");
    assert_eq!(devices.len(), 1, "as in the overview: {devices:?}");
    assert_eq!(micros(&devices[0], "idle_ps"), 1000 - 345);
    let busy = &ask(&session, "overview", &[])["device_busy_ratio"];
    assert_eq!(busy.as_f64(), Some(0.345));
    let notes = rows(&report, "notes");
    let told = "Excluded from sums, as in `overview`, because they ran nothing of a step, or did no work in the observed window: GPU:1.";
    assert!(
        notes.iter().any(|note| text(note, "text") == told),
        "{notes:?}"
    );
}

#[test]
fn options_of_gaps() {
    let session = drawn(&[NVIDIA]);
    let all = ask(&session, "idle", &[("min-gap", "0")]);
    assert_eq!(rows(&all, "rows").len(), 4);
    assert_eq!(cause(&all, "unknown"), 55);
    let long = ask(&session, "idle", &[("min-gap", "0.1ms")]);
    assert_eq!(rows(&long, "rows").len(), 2);
    assert_eq!(micros(&rows(&long, "devices")[0], "short_ps"), 55);
    let checkpoints = ask(&session, "idle", &[("cause", "checkpoint")]);
    assert_eq!(rows(&checkpoints, "rows").len(), 1);
    let idle = find("idle").expect("registered");
    assert!(idle.run_pairs(&session, [("cause", "weather")]).is_err());
    assert!(idle.run_pairs(&session, [("min-gap", "soon")]).is_err());
    assert_eq!(
        rows(&ask(&session, "idle", &[("match", "nothing")]), "rows").len(),
        0
    );
}

/// The same loop on XLA:CPU, an AMD GPU and a TPU: two steps of 1 ms, work from 400 to 900 us, and
/// 300 us of loading in each step, of which 100 us are a copy to the device.
fn loop_on(device: &str, work: &str) -> String {
    format!(
        "host vm
         thread python
         repeat 2 every 1000us
           0..990us    train #step_num=$i,_r=1#
           20..320us   data_loading
           200..300us  DevicePutWithSharding
           330..390us  PjitFunction(step)
         end
         {device}
         repeat 2 every 1000us
           400..900us {work}
         end"
    )
}

#[test]
fn waiting_for_input_is_the_same_on_every_device() {
    let cases = [
        (
            DeviceKind::Cpu,
            "thread tf_XLAEigen/42",
            "dot.1 [hlo_op=dot.1 hlo_module=jit_step program_id=5 device_ordinal=0]",
        ),
        (
            DeviceKind::AmdGpu,
            "device gpu:0 amd MI300X\nstream 1 Kernel",
            "gemm.kd [hlo_op=dot.1 hlo_module=jit_step program_id=5 correlation_id=$i]",
        ),
        (DeviceKind::Tpu, "device tpu:0 v6e\nline Steps", "$i"),
    ];
    for (kind, device, work) in cases {
        let mut text = loop_on(device, work);
        if kind == DeviceKind::Tpu {
            text.push_str("\nline XLA Ops\nrepeat 2 every 1000us\n400..900us dot.1 {program_id=5 hlo_category=convolution}\nend");
        }
        let session = drawn(&[&text]);
        assert_eq!(session.devices[0].kind, kind);
        let report = ask(&session, "input", &[]);
        let step = &rows(&report, "rows")[1];
        let steps = ask(&session, "steps", &[]);
        let parts = &rows(&steps, "rows")[1];
        assert_eq!(step["waiting_ps"], parts["input_wait_ps"], "{kind:?}");
        let waited: i64 = rows(step, "causes_ps")
            .iter()
            .filter_map(Value::as_i64)
            .sum();
        assert_eq!(waited, picos(step, "waiting_ps"), "{kind:?}");
        let idle = ask(&session, "idle", &[]);
        for row in rows(&idle, "devices") {
            assert_eq!(
                picos(row, "busy_ps") + picos(row, "idle_ps"),
                picos(row, "window_ps")
            );
        }
        if kind == DeviceKind::Tpu {
            continue; // a recorded step is the device's, in which nothing loads
        }
        assert_eq!(micros(step, "waiting_ps"), 300, "{kind:?}");
        assert_eq!(micros(step, "loading_ps"), 300);
        let micros_of = |at: usize| {
            rows(step, "causes_ps")[at]
                .as_i64()
                .map(|ps| ps / 1_000_000)
        };
        assert_eq!(
            (micros_of(0), micros_of(6)),
            (Some(100), Some(200)),
            "copy and the rest"
        );
        assert_eq!(report["verdict"], json!("bad"), "{kind:?}: 30 %");
    }
}

#[test]
fn thresholds_of_input_are_those_of_xprof() {
    let with_loading = |end: i64| {
        let session = drawn(&[&format!(
            "host vm
             thread python
             repeat 2 every 1000us
               0..1000us train #step_num=$i,_r=1#
               0..{end}us data_loading
             end
             thread tf_XLAEigen/42
             each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
             repeat 2 every 1000us
               {end}..1000us dot.1
             end"
        )]);
        ask(&session, "input", &[])["verdict"].clone()
    };
    assert_eq!(with_loading(49), json!("good"));
    assert_eq!(with_loading(50), json!("warning"));
    assert_eq!(with_loading(199), json!("warning"));
    assert_eq!(with_loading(200), json!("bad"));
}

#[test]
fn stages_of_tf_data_have_self_times_and_a_slowest_one() {
    let session = drawn(&["
        host vm
        thread python
          0..100us train #step_num=0,_r=1#
          0..80us  IteratorGetNextOp::DoCompute
        thread tf_data/7
          0..80us  Iterator::Prefetch
          5..75us  Iterator::Prefetch::Map
          10..30us Iterator::Prefetch::Map::TFRecord
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
          80..100us dot.1
    "]);
    let report = ask(&session, "input", &[]);
    let stage = |name: &str| {
        let stages = rows(&report, "stages").iter();
        stages
            .clone()
            .find(|row| row["name"] == json!(name))
            .cloned()
            .expect("a stage")
    };
    let map = stage("Iterator::Prefetch::Map");
    assert_eq!(
        (micros(&map, "self_ps"), micros(&map, "total_ps")),
        (50, 70)
    );
    assert_eq!(
        (text(&map, "stage"), &map["is_bottleneck"]),
        ("preprocess", &json!(true))
    );
    assert_eq!(micros(&map, "background_ps"), 50);
    assert_eq!(
        text(&stage("Iterator::Prefetch::Map::TFRecord"), "stage"),
        "read"
    );
    assert_eq!(text(&rows(&report, "causes")[0], "cause"), "wait");
    assert_eq!(micros(&rows(&report, "rows")[0], "waiting_ps"), 80);
}

#[test]
fn nothing_to_say_is_said_with_a_reason() {
    let session = drawn(&["
        host vm
        thread python
          0..90us train #step_num=0,_r=1#
    "]);
    for name in ["idle", "input", "compile", "requests"] {
        let report = ask(&session, name, &[]);
        assert!(
            !rows(&report, "notes").is_empty(),
            "{name} says why it is empty"
        );
    }
}

/// Gaps from raw events: what no work of the device covers within the window.
#[test]
fn gaps_are_the_rest_of_the_window_in_every_capture() {
    for capture in all_captures() {
        let session = open(&capture);
        let report = ask(&session, "idle", &[("min-gap", "0"), ("limit", "0")]);
        for row in rows(&report, "devices") {
            let what = format!("{} {}", capture.name, text(row, "device"));
            let idle = picos(row, "idle_ps");
            assert_eq!(
                picos(row, "busy_ps") + idle,
                picos(row, "window_ps"),
                "{what}"
            );
            let gaps = rows(&report, "rows").iter();
            let own: Vec<&Value> = gaps
                .filter(|gap| gap["device_index"] == row["device_index"])
                .collect();
            assert_eq!(
                own.iter().map(|gap| picos(gap, "duration_ps")).sum::<i64>(),
                idle,
                "{what}"
            );
            let causes: i64 = rows(row, "causes_ps")
                .iter()
                .filter_map(Value::as_i64)
                .sum();
            assert_eq!(causes, idle, "{what}");
            check_against_raw(&capture, &session, row, &own, &what);
        }
    }
}

fn check_against_raw(
    capture: &corpus::Capture,
    session: &stepscope_model::Session,
    row: &Value,
    gaps: &[&Value],
    what: &str,
) {
    let index = usize::try_from(picos(row, "device_index")).expect("an index");
    let device = &session.devices[index];
    // TPU work stands by the device's clock, which the plain offsets of the oracle are not.
    let raw = match device.kind {
        DeviceKind::Cpu => oracle::Device::Cpu(device.ordinal),
        kind if kind.is_gpu() => oracle::Device::Gpu(device.ordinal),
        _ => return,
    };
    let space = corpus::read_space(&capture.hosts[device.host.index()]).expect("decodes");
    let slices = oracle::slices(&space, raw);
    let offset = session.host(device.host).offset.0;
    let mut spans: Vec<(i128, i128)> = slices
        .iter()
        .map(|slice| {
            let start = slice.start_ps + i128::from(offset);
            (start, start + slice.duration_ps)
        })
        .collect();
    spans.sort_unstable();
    for gap in gaps {
        let (start, length) = (
            i128::from(picos(gap, "start_ps")),
            i128::from(picos(gap, "duration_ps")),
        );
        let end = start + length;
        let after = spans.partition_point(|span| span.0 < end);
        let is_covered = spans[..after]
            .iter()
            .any(|span| span.1 > start && span.0 < end && span.1 > span.0);
        assert!(!is_covered, "{what}: work within the gap at {start}");
    }
}

#[test]
fn host_2_loads_its_data_slowly() {
    for capture in all_captures()
        .iter()
        .filter(|capture| capture.name == "cpu-jax-4hosts" || capture.name == "hosts4-cpu")
    {
        let report = ask(&open(capture), "input", &[]);
        let hosts = rows(&report, "hosts");
        assert_eq!(hosts[0]["host"], json!("host-2"), "{}", capture.name);
        let loading = hosts[0]["loading_mean_ps"].as_f64().expect("it loads");
        assert!(loading > 30e9, "{}: {loading} ps a step", capture.name);
        let conclusion = text(&report, "conclusion");
        assert!(
            conclusion.contains("host-2"),
            "{}: {conclusion}",
            capture.name
        );
    }
}

/// A loop that converts something with NumPy while its device works from `from` on, until `until`.
fn converting(from: u32, until: u32) -> Value {
    let text = format!(
        "
        thread python
        repeat 4 every 1ms
          50..80us   PjitFunction(step)
          100..600us $numpy asarray
        end
        thread tf_XLAEigen/1
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 4 every 1ms
          {from}..{until}us dot.1 [run_id=$i]
        end"
    );
    ask(&drawn(&[&text]), "idle", &[])
}

/// The runtime does not record every wait for a result.
#[test]
fn a_conversion_that_ends_with_a_program_reads_its_result() {
    let read = converting(170, 580);
    // From the end of the conversion to the next call, and from that to the next conversion.
    let own_code = 3 * (450 + 20);
    assert_eq!(cause(&read, "python"), own_code, "{read}");
    assert!(cause(&read, "transfer") > 0, "{read}");
    let other = converting(120, 200);
    assert_eq!(cause(&other, "transfer"), 0, "{other}");
    assert!(cause(&other, "python") > own_code, "{other}");
}

/// Python collects garbage when it likes, and JAX is called before and after. Of an odd
/// number of calls only their own time is known.
#[test]
fn collections_that_python_starts_are_found() {
    let collecting = |calls: &str| {
        let text = format!(
            "thread python
             repeat 4 every 1ms
               0..990us     train #step_num=$i,_r=1#
               10..60us     PjitFunction(step)
               60..400us    $api.py:10 block_until_ready
               420..980us   $train.py:7 objects
               {calls}
             end
             thread tf_XLAEigen/1
             each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
             repeat 4 every 1ms
               50..390us dot.1 [run_id=$i]
             end"
        );
        ask(&drawn(&[&text]), "idle", &[])
    };
    let pair = "500..505us $__init__.py:132 _xla_gc_callback
                795..800us $__init__.py:132 _xla_gc_callback";
    let both = collecting(pair);
    assert_eq!(cause(&both, "garbage_collection"), 4 * 300, "{both}");
    let odd = collecting(&format!(
        "450..455us $__init__.py:132 _xla_gc_callback\n{pair}"
    ));
    assert_eq!(cause(&odd, "garbage_collection"), 4 * 3 * 5, "{odd}");
    // What runs between two calls is the program's.
    let apart = collecting(&pair.replacen('\n', "\n510..700us $train.py:9 append\n", 1));
    assert_eq!(cause(&apart, "garbage_collection"), 4 * 2 * 5, "{apart}");
}

/// NumPy's operators are no calls, so the tracer does not record them: the loop's own function, which
/// was running before the recording began, has the time between calls.
#[test]
fn what_a_loop_does_between_recorded_calls_is_its_own_code() {
    let text = "
        thread python
        repeat 4 every 1ms
          0..990us     train #step_num=$i,_r=1#
          10..60us     PjitFunction(step)
          60..400us    $api.py:10 block_until_ready
          850..900us   $numpy asarray
        end
        thread tf_XLAEigen/1
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 4 every 1ms
          50..390us dot.1 [run_id=$i]
        end";
    let report = ask(&drawn(&[text]), "idle", &[]);
    // 450 between the wait and the conversion, 50 in it, 110 until the next call, of which there is
    // none after the last conversion.
    assert_eq!(
        cause(&report, "python"),
        4 * (450 + 50) + 3 * 110,
        "{report}"
    );
    let gap = &rows(&report, "rows")[0];
    assert_eq!(
        text_of(gap),
        ("python", "the loop's own code, or a native call")
    );
    let without = ask(
        &drawn(&[&text.replace("$api.py", "api.py").replace("$numpy", "numpy")]),
        "idle",
        &[],
    );
    assert_eq!(cause(&without, "python"), 0, "{without}");
}

fn text_of(gap: &Value) -> (&str, &str) {
    (text(gap, "cause"), text(gap, "what"))
}

/// Workers of a pool wait for what to do in a `SimpleQueue`.
#[test]
fn a_worker_without_work_runs_no_python() {
    let report = ask(
        &drawn(&["
        thread python
        repeat 4 every 1ms
          0..700us  $thread.py:70 _worker
          1..699us  $<unknown> get
          720..780us PjitFunction(step)
        end
        thread tf_XLAEigen/1
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 4 every 1ms
          800..950us dot.1 [run_id=$i]
        end"]),
        "idle",
        &[],
    );
    let (waiting, python) = (cause(&report, "blocked"), cause(&report, "python"));
    // 700..720 and what follows the call are the loop's.
    assert!(waiting > 8 * python, "{report}");
}
