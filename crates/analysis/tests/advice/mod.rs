//! The rules of `advice`, each on a drawing that has what it looks for and on one that nearly has it.

mod call_copies;
mod callers;
mod cases;
mod copied_arguments;
mod debug_switches;
mod drawings;
mod fabrics;
mod folded;
mod gains;
mod interpreter;
mod known_ops;
mod late_threads;
mod long_steps;
mod many_copies;
mod needs;
mod one_launch;
mod op_by_op;
mod own_loaders;
mod own_moves;
mod pauses_between;
mod program_cases;
mod queues;
mod recompiled;
mod requests;
mod round_trips;
mod sliced_arguments;
mod small_parts;
mod step_cases;
mod unequal_runs;
mod unrecorded;
mod waited_copies;

use std::collections::BTreeSet;

use serde_json::Value;
use stepscope_analysis::find;
use stepscope_analysis::judging::advice::rules::RULES;
use stepscope_analysis::telling::thresholds::ADVICE;
use stepscope_testing::corpus;

use crate::support::{ask, drawn, rows};
use cases::Case;
use drawings::{GAP, cpu};

fn cases() -> Vec<Case> {
    let mut all = cases::cases();
    all.extend(step_cases::cases());
    all.extend(program_cases::cases());
    all
}

fn advice(hosts: &[String]) -> Value {
    let texts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    ask(&drawn(&texts), "advice", &[])
}

/// All findings, also those that others explain.
fn all(report: &Value) -> impl Iterator<Item = &Value> {
    let findings = report["findings"].as_array().into_iter().flatten();
    findings.flat_map(|found| {
        let also = found["also_seen_as"].as_array().into_iter().flatten();
        std::iter::once(found).chain(also)
    })
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
        match all(&report).find(|found| found["id"] == id) {
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
        if all(&report).any(|found| found["id"] == id) {
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
    let mut tested: BTreeSet<&str> = cases().iter().map(|case| case.0).collect();
    // Snapshots of memory are no drawing: tests/heap.rs has its case.
    tested.insert("heap_growth");
    let declared: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(tested, declared);
    let path = corpus::repository_root().join("docs/reference/analyses/advice.md");
    let page = std::fs::read_to_string(path).expect("docs/reference/analyses/advice.md");
    for id in declared {
        assert!(
            page.contains(&format!("`{id}`")),
            "docs/reference/analyses/advice.md does not explain {id}"
        );
    }
    for threshold in ADVICE {
        let row = format!("| `{}` |", threshold.key);
        assert!(
            page.contains(&row),
            "docs/reference/analyses/advice.md lacks {row}"
        );
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
    let found = all(&report)
        .find(|found| found["id"] == "straggler")
        .expect("found");
    assert_eq!(found["title"], "c is late");
    // The others arrive at 300 and 310 us and wait until 800: 495 us in the mean. If it arrived with
    // the median one, at 310, the transfer would end 490 us earlier.
    assert!(
        found["what"]
            .as_str()
            .is_some_and(|what| what.contains("495"))
    );
    assert_eq!(found["is_replayed"], true);
    // The first step begins a moment earlier, too.
    let gain = found["gain_ps_per_step"].as_f64().expect("a gain");
    assert!((gain - 490e6).abs() < 0.2e6, "{gain}");
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
    let report = ask(&crate::support::open(&capture), "advice", &[]);
    let first = &report["findings"][0];
    assert_eq!(first["id"], "input_wait");
    assert_eq!(first["title"], "The hosts wait for input, host-2 longest");
    assert!(
        first["what"]
            .as_str()
            .is_some_and(|what| what.contains("data_loading"))
    );
}

/// The finding of a rule.
fn finding(report: &Value, id: &str) -> Value {
    let found = all(report).find(|found| found["id"] == id);
    found
        .unwrap_or_else(|| panic!("{id}: {}", check(report, id)))
        .clone()
}

/// `float(loss)` in every step.
#[test]
fn results_that_the_host_reads_are_named_as_the_cause() {
    let read = "701..990us $array.py:298 __float__\n702..985us np.asarray(jax.Array)";
    let found = finding(&advice(&[cpu(GAP, read, "")]), "host_bound");
    assert_eq!(found["title"], "Reading results delays the devices");
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("reading results of the device 28"), "{what}");
    assert!(what.contains("__float__ (array.py:298)"), "{what}");
    let fix = found["fix"].as_str().expect("a text");
    assert!(!fix.contains("ahead of time"), "{fix}");
    // Copies to the device are not results.
    let put = "701..990us DevicePut";
    let report = advice(&[cpu(GAP, put, "")]).to_string();
    assert!(!report.contains("reading results"), "{report}");
}

/// NumPy reads an array of JAX by itself (`np.array(loss)`): the runtime waits for the buffer within the
/// call, which has the same name for lists.
#[test]
fn numpy_that_waits_for_a_buffer_reads_a_result() {
    let read = "701..990us $numpy array\n702..703us CommonPjRtBuffer::Await";
    let found = finding(&advice(&[cpu(GAP, read, "")]), "host_bound");
    assert_eq!(found["title"], "Reading results delays the devices");
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("reading results of the device 28"), "{what}");
    // Without a buffer, it is Python.
    let found = finding(
        &advice(&[cpu(GAP, "701..990us $numpy array", "")]),
        "host_bound",
    );
    assert_eq!(found["title"], "Python delays the devices");
}

/// A line of a log is synchronized with the disk, as a checkpoint is.
#[test]
fn a_log_is_no_checkpoint() {
    let title = |function: &str, more: &str| {
        let python = format!("701..990us $train.py:18 {function}\n702..985us $posix fsync{more}");
        finding(&advice(&[cpu(GAP, &python, "")]), "host_bound")["title"].clone()
    };
    let checkpoints = "Checkpoints delay the devices";
    assert_eq!(
        title("log", ""),
        "Reading and writing files delays the devices"
    );
    assert_eq!(title("save_state", ""), checkpoints);
    assert_eq!(title("write", "\n985..989us $_pickle dump"), checkpoints);
}

/// A thread that burns the interpreter while the loop records nothing.
#[test]
fn a_thread_that_holds_the_interpreter_is_named() {
    let burner = |frame: &str| {
        let text = cpu(GAP, "0..5us PjitFunction(step)", "");
        let thread = format!("thread burner\nrepeat 6 every 1000us\n 0..999us {frame}\nend\n");
        text.replace("thread tf_XLA", &format!("{thread}thread tf_XLA"))
    };
    let found = finding(&advice(&[burner("$train.py:46 burn")]), "idle");
    assert_eq!(found["title"], "Another thread runs Python");
    let what = found["what"].as_str().expect("a text");
    assert!(
        what.contains("burn (train.py:46) on thread burner"),
        "{what}"
    );
    // A thread that waits holds nothing.
    let waits = advice(&[burner("$threading.py:327 wait")]);
    assert_ne!(
        finding(&waits, "idle")["title"],
        "Another thread runs Python"
    );
}

#[test]
fn a_library_is_not_advised_where_one_runs() {
    let advised = |ops: &str, program: &str| {
        let report = advice(&[drawings::gpu(ops, "", "bf16[4096,4096]") + "\n" + program]);
        finding(&report, "dominating_op")["fix"].to_string()
    };
    let program = "          custom-call.9 = bf16[4096,4096] custom-call(p.0, p.0) \
                   custom_call_target=__cublas$gemm";
    let of = |name: &str| {
        format!("2..800us {name}\n800..850us dot.1\n850..900us dot.2\n900..1000us dot.3")
    };
    let own = advised(&of("custom-call.9"), program);
    assert!(
        own.contains("already runs in a kernel of a library"),
        "{own}"
    );
    let other = advised(&of("dot.4"), "");
    assert!(other.contains("cuBLAS"), "{other}");
}

/// Names are no patterns, and those of several programs need one.
#[test]
fn commands_show_what_the_evidence_is_about() {
    let other = "thread tf_XLAEigen/43
        each [hlo_op=$name hlo_module=jit_other program_id=6 device_ordinal=0]
        repeat 6 every 1000us
          0..1us dot.3
        end
        program 5 jit_step";
    let ops = "1..5us dot.1\n5..9us dot.2\n9..990us dot.3";
    let sentences = |text: &str| {
        let advice = find("advice").expect("registered");
        let answer = advice.run_pairs(&drawn(&[text]), []).expect("a report");
        answer.sentences().join("\n")
    };
    let alone = sentences(&cpu(ops, "", ""));
    assert!(
        alone.contains(r"(`stepscope ops PATH --match '^dot\.3$'`)"),
        "{alone}"
    );
    let both = sentences(&cpu(ops, "", "").replace("program 5 jit_step", other));
    let wanted = r"(`stepscope ops PATH --program 5 --match '^dot\.3$'`)";
    assert!(both.contains(wanted), "{both}");
}

/// One device and programs that are not partitioned: nothing is sharded.
#[test]
fn shardings_are_advised_only_where_work_is_divided() {
    let report = advice(&[cpu(GAP, "701..998us data_loading", "")]);
    let found = finding(&report, "input_wait")["code"].to_string();
    assert!(found.contains("device_put(next(loader))"), "{found}");
}

/// Single ops, each called with another shape again and again, beside a function or alone.
#[test]
fn recompiled_ops_outside_of_jit_are_no_recompiled_functions() {
    let op = |id: u32, name: &str| {
        format!(
            "\nprogram {id} jit_{name}
              p.0 = f32[64] parameter(0)
              {name}.1 = f32[64] {name}(p.0, p.0)"
        )
    };
    let programs = op(7, "add") + &op(8, "multiply");
    let found = |functions: &[&str]| {
        let text = step_cases::compiled(functions, 50) + &programs;
        finding(&advice(&[text]), "recompilation")
    };
    let ops = found(&["add", "add", "multiply", "multiply"]);
    assert_eq!(ops["title"], "Ops outside of jit are recompiled");
    let both = found(&["add", "add", "loss", "loss"]);
    assert_eq!(both["title"], "Function recompiled");
    let what = both["what"].to_string();
    assert!(what.contains("Recompiled: loss 1 time"), "{what}");
    assert!(
        what.contains("Besides, 1 compilation of single ops outside of jit."),
        "{what}"
    );
}

/// An iterator that computes the next element when it is asked, with a function of the program.
#[test]
fn what_an_iterator_calls_most_of_the_time_is_its_slowest_stage() {
    let python = "700..999us $prefetch.py:238 __next__
          701..998us $batch.py:439 <lambda>
          702..850us $train.py:8 augment
          850..995us $train.py:8 augment
          703..840us $Image.py:99 rotate
          995..997us $batch.py:177 make_batch";
    let session = drawn(&[&cpu(GAP, python, "")]);
    let found = &ask(&session, "advice", &[]);
    let what = finding(found, "input_wait")["what"].to_string();
    assert!(
        what.contains("Most of it is augment (train.py:8)."),
        "{what}"
    );
    let input = ask(&session, "input", &[]);
    let mut slowest = rows(&input, "stages").iter();
    let slowest = slowest
        .find(|stage| stage["is_bottleneck"] == true)
        .expect("a stage");
    assert_eq!(slowest["name"], "train.py:8 augment");
    assert_eq!(
        (&slowest["count"], &slowest["self_ps"]),
        (&12.into(), &1_758_000_000.into())
    );
    // Half of the time in each of two functions: neither is what it waits for.
    let two = python.replacen("train.py:8 augment", "train.py:20 decode", 1);
    let found = ask(&drawn(&[&cpu(GAP, &two, "")]), "advice", &[]);
    let what = finding(&found, "input_wait")["what"].to_string();
    assert!(!what.contains("train.py"), "{what}");
}

/// Two virtual devices of one host; the second one computes until 800 µs, in as many ops as are given.
fn virtual_devices(late: &str) -> String {
    format!(
        "host vm
        thread python
        repeat 6 every 1000us
          0..999us train #step_num=$i,_r=1#
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 6 every 1000us
          1..300us dot.1
          300..1000us all-reduce.1
        end
        thread tf_XLAEigen/43
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=1]
        repeat 6 every 1000us
          {late}
          800..1000us all-reduce.1
        end
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)
          all-reduce.1 = f32[64,64] all-reduce(p.0) replica_groups={{{{0,1}}}}"
    )
}

#[test]
fn a_virtual_device_is_a_straggler_only_if_it_runs_more_ops() {
    let more = virtual_devices("1..300us dot.1\n300..800us dot.1");
    let report = ask(&drawn(&[&more]), "advice", &[]);
    let found = finding(&report, "straggler");
    assert_eq!(found["title"], "CPU:1 is late");
    // The other one waits for 500 us: with half of what is more each, the step is 250 us shorter.
    assert_eq!(found["gain_ps_per_step"], 250e6);
    let slow = ask(&drawn(&[&virtual_devices("1..800us dot.1")]), "advice", &[]);
    assert!(!ids(&slow).contains(&"straggler"), "{:?}", ids(&slow));
    assert!(check(&slow, "straggler").contains("take turns"));
}

/// Steps are inferred from six runs, of which the last has no end.
#[test]
fn a_straggler_is_late_in_steps_that_count() {
    let more = virtual_devices("1..300us dot.1\n300..800us dot.1");
    let more = more.replace(
        "0..999us train #step_num=$i,_r=1#",
        "0..20us PjitFunction(step)",
    );
    // Runs of the program have numbers.
    let more = more.replace("us dot.1\n", "us dot.1 [run_id=$i]\n");
    let more = more.replace("us all-reduce.1\n", "us all-reduce.1 [run_id=$i]\n");
    let found = finding(&advice(&[more]), "straggler");
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("arrives last in 5 of 5 steps"), "{what}");
}

/// A function that is called for what it does cannot be compiled with the rest.
#[test]
fn what_a_callback_loads_can_be_passed() {
    let fix = |name: &str| {
        let op = format!("cc.1 = f32[64,64] custom-call(p.0) op_name=\"jit(step)/{name}\"");
        let text = cpu("1..500us cc.1\n500..1000us dot.1", "", &op);
        let found = finding(&advice(&[text]), "python_callback");
        found["fix"].as_str().expect("a text").to_owned()
    };
    assert!(fix("pure_callback").contains("jax.numpy"));
    let loads = fix("io_callback");
    assert!(loads.contains("pass it as an argument"), "{loads}");
    assert!(!loads.contains("jax.numpy"), "{loads}");
}

/// Devices that are idle without a reason may wait for data that nobody annotated.
#[test]
fn input_is_unknown_where_no_loading_was_recorded() {
    let silent = drawn(&[&cpu(GAP, "", "")]);
    let advised = ask(&silent, "advice", &[]);
    assert!(check(&advised, "input_wait").contains("it may wait for data"));
    assert_eq!(ask(&silent, "input", &[])["verdict"], "unknown");
    let loaded = drawn(&[&cpu(GAP, "701..702us data_loading", "")]);
    let advised = ask(&loaded, "advice", &[]);
    assert!(check(&advised, "input_wait").contains("Less than"));
    assert_eq!(ask(&loaded, "input", &[])["verdict"], "good");
}

/// Of a step that is hardly any work, a third of the work is not much.
#[test]
fn a_share_of_little_work_is_a_small_share_of_a_step() {
    let severity = |ops: &str| {
        let transpose = "transpose.1 = bf16[4217,4217] transpose(p.0)";
        let program = drawings::gpu(ops, "", "bf16[4217,4217]");
        let report = advice(&[format!("{program}\n{transpose}")]);
        finding(&report, "data_shuffle")["severity"].clone()
    };
    assert_eq!(severity("2..700us dot.1\n700..1000us transpose.1"), "bad");
    assert_eq!(severity("2..21us dot.1\n21..30us transpose.1"), "info");
}
