//! What was not recorded is not accused: code between calls, what fills a queue, participants of
//! collectives.

use super::drawings::{GAP, cpu};
use super::{advice, finding};

/// Operators on NumPy arrays and a lock look the same: no call is recorded.
#[test]
fn time_between_recorded_calls_has_no_culprit() {
    let ticks = "0..5us PjitFunction(step)\n990..991us $time perf_counter";
    let found = finding(&advice(&[cpu(GAP, ticks, "")]), "host_bound");
    assert_eq!(
        found["title"],
        "Time between recorded calls delays the devices"
    );
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("between recorded calls 2"), "{what}");
    assert!(!what.contains("running Python 2"), "{what}");
    let why = found["why"].as_str().expect("a text");
    assert!(why.contains("such as a lock"), "{why}");
    assert_eq!(found["change"], "");
    // A call that was recorded is named.
    let call = "0..5us PjitFunction(step)\n701..989us $train.py:9 work";
    let found = finding(&advice(&[cpu(GAP, call, "")]), "host_bound");
    assert_eq!(found["title"], "Python delays the devices");
    assert_eq!(found["change"], "no-host:python");
}

/// Reading results is no time between calls, whatever Python encloses it.
#[test]
fn a_wrapper_of_a_read_is_not_what_runs_between_calls() {
    let read = "0..5us PjitFunction(step)\n701..840us $profiler.py:585 wrapper\n\
                702..839us $array.py:675 _value\n990..991us $time perf_counter";
    let found = finding(&advice(&[cpu(GAP, read, "")]), "host_bound");
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("between recorded calls 1"), "{what}");
}

#[test]
fn a_loader_that_was_recorded_fills_its_queue() {
    let wait = "701..998us $queue.py:180 get";
    let text = |with_loader: bool| {
        let text = cpu(GAP, wait, "");
        let loader = "thread loader\nrepeat 6 every 1000us\n 990..997us $queue.py:140 put\nend\n";
        let loader = if with_loader { loader } else { "" };
        text.replace("thread tf_XLA", &format!("{loader}thread tf_XLA"))
    };
    let found = finding(&advice(&[text(true)]), "input_wait");
    let fix = found["fix"].as_str().expect("a text");
    assert!(fix.contains("what fills the queue"), "{fix}");
    let why = found["why"].as_str().expect("a text");
    assert!(
        why.contains("the thread that fills it mostly waits"),
        "{why}"
    );
    let found = finding(&advice(&[text(false)]), "input_wait");
    let fix = found["fix"].as_str().expect("a text");
    assert!(fix.contains("what fills the queue"), "{fix}");
    assert_eq!(found["code"], "");
}

#[test]
fn participants_that_were_not_captured_are_missed() {
    let of = |groups: &str| {
        let ops = "1..600us all-reduce.1\n600..900us dot.1";
        let reduce = format!("all-reduce.1 = f32[64,64] all-reduce(p.0) replica_groups={groups}");
        let found = finding(&advice(&[cpu(ops, "", &reduce)]), "exposed_communication");
        found["why"].as_str().expect("a text").to_owned()
    };
    let why = of("{{0,1}}");
    assert!(why.contains("were not captured"), "{why}");
    let why = of("{{0}}");
    assert!(why.contains("runs its collectives synchronously"), "{why}");
}

/// Where ops name neither run nor device, one device may stand for all participants.
#[test]
fn participants_on_devices_that_are_not_told_apart_are_captured() {
    let reduce = "all-reduce.1 = f32[64,64] all-reduce(p.0) replica_groups={{0,1}}";
    let ops = "1..600us all-reduce.1\n600..900us dot.1";
    let runtime = "thread tf_XLATfrtCpuClient/1
        repeat 6 every 1000us
          0..1us ThunkExecutor::Execute
          1..950us ThunkExecutor::Execute (wait for completion)
        end
        thread tf_XLAEigen";
    let text = cpu(ops, "", reduce).replace("thread tf_XLAEigen", runtime);
    let found = finding(&advice(&[text]), "exposed_communication");
    let why = found["why"].as_str().expect("a text");
    assert!(
        why.contains("does not record which of them ran an op"),
        "{why}"
    );
}

/// `nnx.jit` does so in Python, in each call.
#[test]
fn modules_that_are_taken_apart_in_each_call_are_named() {
    let python = "601..998us $compilation.py:1019 __call__
        602..997us $compilation.py:997 _get_pure_args_kwargs
        603..996us $extract.py:338 to_tree
        604..995us $tree_util.py:410 tree_map";
    let report = advice(&[cpu(GAP, python, "")]);
    let found = finding(&report, "host_bound");
    assert_eq!(
        found["title"], "Flax NNX takes modules apart in each call",
        "{report}"
    );
    assert!(found["fix"].as_str().expect("a fix").contains("nnx.split"));
}

/// What is transformed outside of `jit` is traced in each call, and nothing is compiled.
#[test]
fn tracing_is_not_called_compilation() {
    let python = "601..998us $train.py:9 step\n602..997us $pjit.py:491 _trace_for_jit";
    let report = advice(&[cpu(GAP, python, "")]);
    let found = finding(&report, "compilation");
    assert_eq!(found["title"], "Tracing within steps", "{report}");
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("Nothing is compiled then"), "{what}");
}

/// Many calls in one gap, of which each takes little: together they are what it is spent in.
#[test]
fn calls_that_wait_for_the_disk_are_named_as_such() {
    let of = |call: &str| {
        let one = |at: usize| format!("{}..{}us ${call}\n", 702 + 10 * at, 711 + 10 * at);
        let calls: String = (0..29).map(one).collect();
        finding(&advice(&[cpu(GAP, &calls, "")]), "host_bound")
    };
    let found = of("posix fsync");
    assert_eq!(
        found["title"], "Reading and writing files delays the devices",
        "{found}"
    );
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("in system calls on files"), "{what}");
    assert!(what.contains(", in posix fsync."), "{what}");
    let fix = found["fix"].as_str().expect("a fix");
    assert!(fix.contains("once for many records"), "{fix}");
    // What computes is no file.
    let found = of("builtins sorted");
    assert_eq!(found["title"], "Python delays the devices", "{found}");
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("running Python"), "{what}");
    assert!(what.contains(", in builtins sorted."), "{what}");
}

/// Without steps, and without a cause that has half of the time.
#[test]
fn several_causes_are_not_called_unrecorded() {
    let text = "host vm
        thread python
        repeat 30 every 1000us
          500..660us $time sleep
          660..820us $gc.py:5 collect
          820..990us $train.py:8 augment
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 30 every 1000us
          0..500us dot.1
        end";
    let found = finding(&advice(&[text.to_owned()]), "idle_recording");
    let why = found["why"].as_str().expect("a reason");
    assert!(why.contains("none of them for half of the time"), "{found}");
    assert!(!why.contains("not recorded"), "{why}");
}
