//! Waits that have no slice of their own, and programs that are not complete after their last op.

use serde_json::{Value, json};

use super::{cause, micros, text_of};
use crate::support::{ask, drawn, rows};

/// A loop whose device works from 60 to 400 µs of each millisecond. From 60 to 940 µs the thread is in
/// `waits`; `executor` is what another thread records.
fn waiting(waits: &str, executor: &str) -> Value {
    let text = format!(
        "
        thread python
        repeat 4 every 1ms
          0..990us   train #step_num=$i,_r=1#
          10..60us   PjitFunction(step)
          {waits}
          960..970us $train.py:5 log
        end
        thread tf_XLAExecute/2
        repeat 4 every 1ms
          {executor}
        end
        thread tf_XLAEigen/1
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 4 every 1ms
          60..400us dot.1 [run_id=$i]
        end"
    );
    ask(&drawn(&[&text]), "idle", &[])
}

/// `x.block_until_ready()`: the runtime marks the start and the end of the wait.
const METHOD: &str = "61us CommonPjRtBuffer::Await\n940us CommonPjRtBuffer::Await";

#[test]
fn the_method_that_blocks_is_a_wait_and_no_python() {
    let report = waiting(METHOD, "0..1us other");
    assert_eq!(cause(&report, "blocked"), 4 * 540, "{report}");
    // From the first call of Python to the last: 940..960, the call, and until the next launch.
    assert_eq!(cause(&report, "python"), 10 + 3 * 30 + 3 * 40, "{report}");
    let gap = &rows(&report, "rows")[0];
    assert_eq!(text_of(gap), ("blocked", "CommonPjRtBuffer::Await"));
    // Within a function of the program, too.
    let report = waiting(
        "60..950us $train.py:9 sync\n61us CommonPjRtBuffer::Await\n940us CommonPjRtBuffer::Await",
        "0..1us other",
    );
    assert_eq!(cause(&report, "blocked"), 4 * 540, "{report}");
    // One mark alone says nothing, nor do two with another call between them.
    for marks in [
        "61us CommonPjRtBuffer::Await",
        "61us CommonPjRtBuffer::Await\n500..501us $train.py:7 tick\n940us CommonPjRtBuffer::Await",
    ] {
        let report = waiting(marks, "0..1us other");
        assert_eq!(cause(&report, "blocked"), 0, "{report}");
        assert!(cause(&report, "python") > 3 * 540, "{report}");
    }
}

#[test]
fn waiting_within_a_read_is_reading() {
    let read = "61..941us $array.py:675 _value\n62us CommonPjRtBuffer::Await\n940us CommonPjRtBuffer::Await";
    let report = waiting(read, "0..1us other");
    assert_eq!(cause(&report, "transfer"), 4 * 541, "{report}");
    assert_eq!(cause(&report, "blocked"), 0, "{report}");
}

const COMPLETION: &str = "100..800us ThunkExecutor::Execute (wait for completion)";

#[test]
fn a_program_is_not_complete_while_its_executor_waits() {
    let report = waiting(METHOD, COMPLETION);
    assert_eq!(cause(&report, "device"), 4 * 400, "{report}");
    assert_eq!(cause(&report, "blocked"), 4 * 140, "{report}");
    let gap = &rows(&report, "rows")[0];
    assert_eq!(gap["cause"], "device", "{gap}");
    // Python that runs meanwhile delays nothing before the program is complete.
    let report = waiting("70..940us $train.py:9 work", COMPLETION);
    assert_eq!(cause(&report, "device"), 4 * 400, "{report}");
    // A wait that began after the program's last op is not for it.
    let late = "500..800us ThunkExecutor::Execute (wait for completion)";
    assert_eq!(cause(&waiting(METHOD, late), "device"), 0);
}

/// Two virtual devices: only the one whose ops the waiting thread executed is incomplete.
#[test]
fn virtual_devices_do_not_pause_for_each_other() {
    let of = |device: u32, until: u32, wait: &str| {
        format!(
            "
            thread tf_XLAEigen/{device}
            repeat 4 every 1ms
              {wait}
            end
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal={device}]
            repeat 4 every 1ms
              60..{until}us dot.1 [run_id=$i]
            end"
        )
    };
    let text = format!(
        "
        thread python
        repeat 4 every 1ms
          0..990us train #step_num=$i,_r=1#
          10..60us PjitFunction(step)
        end{}{}",
        of(
            1,
            300,
            "250..700us ThunkExecutor::Execute (wait for completion)"
        ),
        of(2, 450, "440..450us other"),
    );
    let report = ask(&drawn(&[&text]), "idle", &[]);
    let pauses: Vec<i64> = rows(&report, "devices")
        .iter()
        .map(|device| device["causes_ps"][13].as_i64().expect("a time") / 1_000_000)
        .collect();
    assert_eq!(pauses, [4 * 400, 0], "{report}");
}

/// Threads that launch what they take from a queue.
fn taking(threads: u32) -> Value {
    let mut text = String::new();
    for thread in 0..threads {
        let (from, until) = (20 + 10 * thread, 600 + 100 * thread);
        let called = until + 40;
        let lines = format!(
            "
            thread python/{}
            repeat 6 every 1ms
              {from}..{until}us   $queue.py:180 get
              {until}..{called}us PjitFunction(model)
            end",
            11 + thread
        );
        text.push_str(&lines);
    }
    text += "
        thread tf_XLAEigen/1
        each [hlo_op=$name hlo_module=jit_model program_id=5 device_ordinal=0]
        repeat 6 every 1ms
          630..690us dot.1 [run_id=$i]
          730..790us dot.1 [run_id=1$i]
        end";
    let session = drawn(&[&text]);
    json!({
        "idle": ask(&session, "idle", &[]),
        "advice": ask(&session, "advice", &[]),
        "input": ask(&session, "input", &[]),
    })
}

#[test]
fn threads_that_take_requests_from_a_queue_load_nothing() {
    let server = taking(2);
    assert_eq!(cause(&server["idle"], "data_loading"), 0, "{server}");
    assert!(cause(&server["idle"], "blocked") > 5 * 500, "{server}");
    let one = taking(1);
    assert!(cause(&one["idle"], "data_loading") > 5 * 500, "{one}");
    // The thread that waits does not load.
    let loading = one["input"]["hosts"][0]["loading_mean_ps"].as_f64();
    assert!(loading.is_some_and(|loading| loading < 1e6), "{one}");
    let found = |report: &Value, id: &str| -> Option<Value> {
        let mut all = report["advice"]["findings"]
            .as_array()
            .into_iter()
            .flatten();
        all.find(|finding| finding["id"] == id).cloned()
    };
    assert_eq!(found(&server, "input_wait"), None);
    let idle = found(&server, "idle").expect("idle devices");
    assert_eq!(idle["title"], "The host waits for work");
    assert_eq!(idle["gain_ps_per_step"], Value::Null, "{idle}");
    let input = found(&one, "input_wait").expect("a wait for input");
    let why = input["why"].as_str().expect("a text");
    assert!(
        why.contains("nothing that fills the queue was recorded"),
        "{why}"
    );
    assert!(micros(&rows(&one["idle"], "devices")[0], "idle_ps") > 0);
}

/// A worker of a pool waits in a `SimpleQueue` until something is submitted.
#[test]
fn a_pool_without_work_has_spare_capacity() {
    let text = "
        thread python
        0..6000us     $thread.py:69 _worker
        repeat 6 every 1ms
          1..800us    $<unknown> get
          820..850us  PjitFunction(model)
        end
        thread tf_XLAEigen/1
        each [hlo_op=$name hlo_module=jit_model program_id=5 device_ordinal=0]
        repeat 6 every 1ms
          850..990us dot.1 [run_id=$i]
        end";
    let report = ask(&drawn(&[text]), "advice", &[]);
    let mut all = report["findings"].as_array().into_iter().flatten();
    let idle = all.find(|finding| finding["id"] == "idle");
    let idle = idle.unwrap_or_else(|| panic!("{report}"));
    assert_eq!(idle["title"], "The host waits for work");
    assert_eq!(idle["severity"], "info", "{idle}");
    assert_eq!(idle["gain_ps_per_step"], Value::Null, "{idle}");
    let fix = idle["fix"].as_str().expect("a text");
    assert!(!fix.contains("block_until_ready"), "{fix}");
}

/// A loop on XLA:CPU that reads each result, and whose runs begin 500 µs after their launches. `call` is the
/// launch, and `other` what another thread does.
fn begun_late(call: &str, other: &str) -> Value {
    let text = format!(
        "
        thread python
        repeat 4 every 1ms
          0..990us   train #step_num=$i,_r=1#
          {call}
          300..900us $array.py:342 __int__
        end
        thread pool/7
        repeat 4 every 1ms
          {other}
        end
        thread tf_XLAEigen/1
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 4 every 1ms
          600..800us dot.1 [run_id=$i]
        end"
    );
    ask(&drawn(&[&text]), "idle", &[])
}

#[test]
fn a_cpu_that_begins_a_run_late_pauses() {
    let late = begun_late("10..100us PjitFunction(step)", "0..1us other");
    assert_eq!(cause(&late, "device"), 4 * 500, "{late}");
    // What follows the run is reading.
    assert_eq!(cause(&late, "transfer"), 4 * 100, "{late}");
    // Within the call, the host is the cause.
    let long = begun_late("10..290us PjitFunction(step)", "0..1us other");
    assert_eq!(cause(&long, "device"), 4 * 310, "{long}");
    let compiles = "10..290us PjitFunction(step)\n20..280us backend_compile_and_load";
    let compiles = begun_late(compiles, "0..1us other");
    assert_eq!(cause(&compiles, "device"), 4 * 310, "{compiles}");
    assert_eq!(cause(&compiles, "compilation"), 4 * 270, "{compiles}");
    // The program may wait for what another thread copies for it.
    let call = "10..100us PjitFunction(step)";
    let copied = begun_late(call, "200..450us BufferFromHostBuffer");
    assert!(cause(&copied, "device") <= 4 * 250, "{copied}");
}

#[test]
fn a_cpu_takes_a_moment_to_begin() {
    let soon = begun_late("10..550us PjitFunction(step)", "0..1us other");
    assert_eq!(cause(&soon, "device"), 0, "{soon}");
}
