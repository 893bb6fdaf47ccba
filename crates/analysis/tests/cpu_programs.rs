//! What real programs on XLA:CPU got wrong answers for, each as a drawing of what misled.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::{ask, drawn};

fn finding<'a>(report: &'a Value, id: &str) -> Option<&'a Value> {
    let findings = report["findings"].as_array().into_iter().flatten();
    let mut all = findings.flat_map(|found| {
        let also = found["also_seen_as"].as_array().into_iter().flatten();
        std::iter::once(found).chain(also)
    });
    all.find(|found| found["id"] == id)
}

fn words<'a>(found: &'a Value, key: &str) -> &'a str {
    found[key].as_str().unwrap_or_default()
}

/// The text of a check that passed or did not run.
fn check<'a>(report: &'a Value, key: &str, id: &str) -> &'a str {
    let mut all = report[key].as_array().into_iter().flatten();
    let found = all.find(|check| check["id"] == id);
    found.map_or("", |check| words(check, "text"))
}

/// Steps of so many milliseconds on one virtual device: what Python does, and the ops, in microseconds
/// of each step.
fn steps(lengths_ms: &[u32], numbers: &[u32], python: &str, ops: &str) -> String {
    let (mut host, mut device, mut start) = (String::new(), String::new(), 0);
    for (position, (length, number)) in lengths_ms.iter().zip(numbers).enumerate() {
        let end = start + length * 1000;
        let last = end - 1;
        writeln!(host, "{start}..{last}us train #step_num={number},_r=1#").expect("grows");
        let run = format!("[run_id={position}]");
        for (text, lines, more) in [(&mut host, python, ""), (&mut device, ops, run.as_str())] {
            for line in lines.lines().map(str::trim) {
                let (times, name) = line.split_once("us ").expect("a time");
                let (from, until) = times.split_once("..").expect("a range");
                let at = |time: &str| start + time.parse::<u32>().expect("a number");
                writeln!(text, "{}..{}us {name} {more}", at(from), at(until)).expect("grows");
            }
        }
        start = end;
    }
    on_one_device(&host, &device)
}

/// A loop of one program on one virtual device: what Python does, and the ops.
fn on_one_device(host: &str, device: &str) -> String {
    format!(
        "host vm
        thread python
        {host}
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        {device}
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)
          dot.2 = f32[64,64] dot(p.0, p.0)"
    )
}

/// A loop that waits for each step and loads the next batch after the annotation.
#[test]
fn loading_between_annotated_steps_is_found_and_never_a_gain_of_the_step() {
    let (mut host, mut device) = (String::new(), String::new());
    for step in 0..10 {
        let start = step * 20_000;
        for (from, until, name) in [
            (0, 5000, format!("train #step_num={step},_r=1#")),
            (10, 300, "PjitFunction(step)".to_owned()),
            (310, 4990, "block_until_ready".to_owned()),
            (5010, 19_900, "data_loading".to_owned()),
        ] {
            writeln!(host, "{}..{}us {name}", start + from, start + until).expect("grows");
        }
        let (from, until) = (start + 320, start + 4980);
        writeln!(device, "{from}..{until}us dot.1 [run_id={step}]").expect("grows");
    }
    let session = drawn(&[&on_one_device(&host, &device)]);
    let overview = ask(&session, "overview", &[]);
    let time = &overview["step_time_ps"];
    assert_eq!(
        (&time["mean"], &time["between"]),
        (&json!(5e9), &json!(15e9))
    );
    let headline = words(&overview, "headline");
    assert!(
        headline.ends_with("15.00 ms pass between steps (75.0 % of the time from step to step)."),
        "{headline}"
    );
    let advice = ask(&session, "advice", &[]);
    let first = &advice["findings"][0];
    assert_eq!(words(first, "id"), "between_steps");
    assert_eq!(words(first, "title"), "Waiting for input between steps");
    let gain = first["gain_ps_per_step"].as_f64().expect("a gain");
    assert!((14.8e9..=15e9).contains(&gain), "{gain}");
    assert_eq!(first["step_ps"], json!(20e9));
    for other in advice["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .skip(1)
    {
        let gain = other["gain_ps_per_step"].as_f64().unwrap_or(0.0);
        assert!(gain <= 5e9, "{other}");
    }
}

/// The second call compiles while a copy runs, and launches only then.
const COMPILES: &str = "
    host vm
    thread python
      0..1000us    train #step_num=0,_r=1#
      10..900us    PjitFunction(step)
      12..899us    PjitFunction(step)
      50..800us    backend_compile
      1000..2000us train #step_num=1,_r=1#
      1010..1500us PjitFunction(step)
    thread tf_XLAEigen/42
    each [hlo_op=$name device_ordinal=0]
      20..40us     copy.1 [hlo_module=jit_copy program_id=6 run_id=1]
      900..990us   dot.1 [hlo_module=jit_step program_id=5 run_id=2]
      1520..1990us dot.1 [hlo_module=jit_step program_id=5 run_id=3]
    program 5 jit_step
      dot.1 = f32[64,64] parameter(0)
    program 6 jit_copy
      copy.1 = f32[64,64] parameter(0)";

#[test]
fn a_call_that_compiles_has_not_launched_yet() {
    let session = drawn(&[COMPILES]);
    let rows = ask(&session, "steps", &[])["rows"].clone();
    assert_eq!(rows[0]["compilation_ps"], json!(770_000_000), "{rows}");
    let causes = ask(&session, "idle", &[("min-gap", "1us")])["causes"].clone();
    let cause = |name: &str| {
        let mut all = causes.as_array().into_iter().flatten();
        all.find(|row| row["cause"] == name).cloned()
    };
    assert_eq!(cause("device"), None, "{causes}");
    // Launched before the copy without compiling, the program is kept waiting by the device.
    let waits = COMPILES.replace("50..800us    backend_compile", "50..800us    something");
    let report = ask(&drawn(&[&waits]), "idle", &[("min-gap", "1us")]);
    let mut causes = report["causes"].as_array().into_iter().flatten();
    let paused = causes.find(|row| row["cause"] == "device");
    assert_eq!(
        paused.map(|row| &row["total_ps"]),
        Some(&json!(860_000_000))
    );
}

#[test]
fn an_epoch_in_the_middle_does_not_warm_up() {
    let numbers = [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5];
    let ops = "1..300us dot.1\n300..600us dot.2";
    let advice = |lengths: [u32; 12]| {
        let text = steps(&lengths, &numbers, "", ops);
        let report = ask(&drawn(&[&text]), "advice", &[]);
        finding(&report, "step_outliers")
            .expect("two long steps")
            .clone()
    };
    let found = advice([1, 1, 1, 1, 1, 1, 5, 6, 1, 1, 1, 1]);
    assert!(!words(&found, "why").contains("first steps"), "{found}");
    // Steps 0 to 5 and the first of the second epoch are 11 ms.
    assert_eq!(found["evidence"][0]["start_ps"], json!(11_000_000_000_i64));
    let found = advice([5, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert!(words(&found, "why").contains("first steps"), "{found}");
}

#[test]
fn a_finding_about_idle_time_has_the_time_of_its_cause() {
    let advice = |ops: &str| {
        let text = steps(&[1; 6], &[0, 1, 2, 3, 4, 5], "", ops);
        let report = ask(&drawn(&[&text]), "advice", &[]);
        finding(&report, "idle").expect("idle").clone()
    };
    let gain = |found: &Value| found["gain_ps_per_step"].as_f64().expect("a gain");
    let found = advice("1..200us dot.1\n700..800us dot.2");
    assert_eq!(found["title"], "Device pauses");
    assert!((gain(&found) - 500e6).abs() < 1.0, "{found}");
    assert!(
        words(&found, "what").contains("idle for 500.0 µs"),
        "{found}"
    );
    assert!(
        words(&found, "what").contains("another 200.0 µs while its host"),
        "{found}"
    );
    let found = advice("1..200us dot.1\n400..500us dot.2");
    assert!((gain(&found) - 500e6).abs() < 1.0, "{found}");
    assert!(
        words(&found, "what").contains("another 200.0 µs although it has work"),
        "{found}"
    );
}

#[test]
fn devices_are_busy_as_long_as_the_parts_say() {
    // Inferred steps: the last one is cut off, and busy throughout.
    let text = "
        host vm
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
          0..400us     dot.1 [run_id=0]
          1000..1400us dot.1 [run_id=1]
          2000..2400us dot.1 [run_id=2]
          3000..3400us dot.1 [run_id=3]
          4000..9000us dot.1 [run_id=4]
        program 5 jit_step
          dot.1 = f32[64,64] parameter(0)";
    let report = ask(&drawn(&[text]), "overview", &[]);
    assert_eq!(report["step_parts"][0]["part"], "device_compute");
    let ratio = |value: &Value| value.as_f64().expect("a ratio");
    let computing = ratio(&report["step_parts"][0]["ratio"]);
    assert!((computing - 0.4).abs() < 1e-9, "{computing}");
    assert!((ratio(&report["device_busy_ratio"]) - computing).abs() < 1e-9);
    assert!((ratio(&report["devices"][0]["busy_ratio"]) - computing).abs() < 1e-9);
}

#[test]
fn runs_side_by_side_are_launched_once() {
    let text = "
        host vm
        thread python
          0..50us   actor
          10..20us  PjitFunction(act)
        thread learning
          0..60us   learner
          12..22us  PjitFunction(learn)
        thread tf_XLAEigen/42
        each [hlo_op=$name device_ordinal=0]
          30..70us  add.1 [hlo_module=jit_act program_id=5 run_id=7]
        thread tf_XLAEigen/43
        each [hlo_op=$name device_ordinal=0]
          35..75us  add.1 [hlo_module=jit_learn program_id=6 run_id=8]
        program 5 jit_act
          ROOT add.1 = f32[8] parameter(0)
        program 6 jit_learn
          ROOT add.1 = f32[8] parameter(0)";
    let report = ask(&drawn(&[text]), "regions", &[]);
    let text = report.to_string();
    assert!(text.contains("\"learner\""), "{text}");
    let ratio = report["device_ratio"].as_f64();
    assert_eq!(ratio, Some(1.0), "{text}");
}

#[test]
fn one_host_has_no_others_to_check() {
    let collective = |length: u32| format!("1..100us dot.1\n100..{length}us all-reduce.1");
    let mut text = steps(&[1; 6], &[0, 1, 2, 3, 4, 5], "", &collective(900));
    let program = text.find("program 5").expect("a program");
    text.insert_str(program, "6100..9900us all-reduce.1 [run_id=6]\n");
    let text = text
        .replace(
            "dot.2 =",
            "all-reduce.1 = f32[64,64] all-reduce(p.0)\ndot.2 =",
        )
        .replace(
            "thread tf_XLAEigen",
            "6000..9999us train #step_num=6,_r=1#\nthread tf_XLAEigen",
        );
    let report = ask(&drawn(&[&text]), "advice", &[]);
    let found = finding(&report, "step_outliers").expect("a long step");
    assert!(words(found, "what").contains("collectives"), "{found}");
    assert!(!words(found, "why").contains("other hosts"), "{found}");
}

#[test]
fn programs_of_many_milliseconds_are_not_short() {
    let runs = |unit: &str| {
        let runs: Vec<String> = (0..20u32)
            .map(|run| {
                let start = 2 + run * 40;
                format!("{start}..{}{unit} dot.1 [run_id={run}$i]", start + 20)
            })
            .collect();
        format!(
            "host vm
            thread python
            repeat 6 every 1000{unit}
              0..999{unit} train #step_num=$i,_r=1#
            end
            thread tf_XLAEigen/42
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
            repeat 6 every 1000{unit}
              {}
            end
            program 5 jit_step
              dot.1 = f32[64,64] parameter(0)",
            runs.join("\n")
        )
    };
    let found = |unit: &str| {
        let report = ask(&drawn(&[&runs(unit)]), "advice", &[]);
        finding(&report, "program_runs").is_some()
    };
    assert!(found("us"));
    assert!(!found("ms"));
}

#[test]
fn time_that_a_device_pauses_is_not_that_of_its_host() {
    let ops = "1..100us dot.1\n800..999us dot.2";
    let text = steps(&[1; 6], &[0, 1, 2, 3, 4, 5], "", ops);
    let report = ask(&drawn(&[&text]), "advice", &[]);
    let passed = check(&report, "passed", "host_syncs");
    assert!(passed.contains("for only 0."), "{passed}");
}

#[test]
fn control_flow_is_no_op_to_make_narrower() {
    let tpu = |category: &str| {
        format!(
            "host vm
            device tpu:0 v6e
            line XLA Ops
            repeat 6 every 100ms
              0..90ms %while.1 = f32[8] while(p.0) {{hlo_category={category}}}
            end"
        )
    };
    let found = |category: &str| {
        let report = ask(&drawn(&[&tpu(category)]), "advice", &[]);
        finding(&report, "long_ops").is_some()
    };
    assert!(found("convolution"));
    assert!(!found("while"));
}

#[test]
fn products_on_a_cpu_may_take_long() {
    let text = steps(
        &[100; 6],
        &[0, 1, 2, 3, 4, 5],
        "",
        "1..60000us dot.1\n60000..99990us dot.2",
    );
    let report = ask(&drawn(&[&text]), "advice", &[]);
    assert_eq!(finding(&report, "long_ops"), None);
    assert!(check(&report, "skipped", "long_ops").contains("XLA:CPU"));
}

#[test]
fn without_devices_none_is_idle() {
    for python in ["", "1..400us write_summary"] {
        let text = steps(&[1; 6], &[0, 1, 2, 3, 4, 5], python, "");
        let (host, _) = text.split_once("thread tf_XLAEigen").expect("a device");
        let report = ask(&drawn(&[host]), "advice", &[]);
        for id in ["idle", "host_bound", "host_syncs"] {
            assert_eq!(finding(&report, id), None);
            assert!(
                check(&report, "skipped", id).contains("No device"),
                "{report}"
            );
        }
    }
}

#[test]
fn the_region_with_most_of_the_time_is_named() {
    // The longest gap is in another region than the others.
    let text = steps(
        &[1, 1, 1, 1, 1, 2],
        &[0, 1, 2, 3, 4, 5],
        "601..995us load_weights",
        "1..300us dot.1\n300..600us dot.2",
    );
    let at = text.rfind("load_weights").expect("the last step");
    let mut text = text;
    text.replace_range(at..at + "load_weights".len(), "print_summary");
    let text = text.replace("5601..5995us print_summary", "5601..6990us print_summary");
    let report = ask(&drawn(&[&text]), "advice", &[]);
    let found = finding(&report, "host_bound").expect("the host delays the device");
    assert!(
        words(found, "what").contains("mostly in load_weights"),
        "{found}"
    );
}

#[test]
fn waits_within_a_call_are_one_stop() {
    let python = "10..500us PjitFunction(step)\n20..60us BlockHostUntilReady\n\
                  100..160us BlockHostUntilReady\n200..260us TransferFromDevice\n\
                  300..400us BlockHostUntilReady";
    let text = steps(
        &[1; 6],
        &[0, 1, 2, 3, 4, 5],
        python,
        "30..300us dot.1\n300..500us dot.2",
    );
    let report = ask(&drawn(&[&text]), "advice", &[]);
    assert_eq!(finding(&report, "host_syncs"), None, "{report}");
    let passed = check(&report, "passed", "host_syncs");
    assert!(
        passed.contains("1 time in the median step (0 times"),
        "{passed}"
    );
}

#[test]
fn what_changed_names_the_longest_compilation_first() {
    let calls: Vec<String> = [(0u32, 40u32, 400u32), (1, 40, 400), (2, 40, 400)]
        .iter()
        .map(|(number, helper, own)| {
            let start = number * 1000;
            format!(
                "{}..{}us PjitFunction(a_helper)\n{}..{}us backend_compile\n\
                 {}..{}us PjitFunction(step)\n{}..{}us backend_compile\n",
                start,
                start + helper + 10,
                start + 1,
                start + helper,
                start + 100,
                start + 100 + own + 20,
                start + 101,
                start + 100 + own,
            )
        })
        .collect();
    let ops: Vec<String> = (0..3u32)
        .map(|number| {
            let start = number * 1000;
            format!(
                "{}..{}us a.1 [hlo_module=jit_a_helper program_id={} run_id={}]\n\
                 {}..{}us a.1 [hlo_module=jit_step program_id={} run_id={}]\n",
                start + 60,
                start + 70,
                10 + number,
                10 + number,
                start + 600,
                start + 900,
                20 + number,
                20 + number,
            )
        })
        .collect();
    let programs: Vec<String> = (0..3u32)
        .map(|number| {
            let size = 256 + 16 * number;
            format!(
                "program {} jit_a_helper\n ROOT a.1 = f32[{size},512] parameter(0)\n\
                 program {} jit_step\n ROOT a.1 = f32[{size},512] parameter(0)\n",
                10 + number,
                20 + number
            )
        })
        .collect();
    let text = format!(
        "host vm\nthread python\n{}thread tf_XLAEigen/42\n\
         each [hlo_op=$name device_ordinal=0]\n{}{}",
        calls.concat(),
        ops.concat(),
        programs.concat()
    );
    let report = ask(&drawn(&[&text]), "advice", &[]);
    let found = finding(&report, "recompilation").expect("recompiled");
    let (_, changed) = words(found, "what")
        .split_once("What changed: ")
        .expect("a change");
    assert!(changed.starts_with("step (argument 0: f32["), "{found}");
}

#[test]
fn paths_say_why_they_are_longer_than_steps() {
    let device = |ordinal: u32, end: u32| {
        format!(
            "device tpu:{ordinal} v6e
            line Steps
            repeat 4 every 1000us
              0..{end}us $i
            end
            line XLA Ops
            repeat 4 every 1000us
              0..{end}us %dot.1 = f32[8] dot(p.0)
            end\n"
        )
    };
    let text = |second: u32| format!("host vm\n{}{}", device(0, 800), device(1, second));
    let notes =
        |second: u32| ask(&drawn(&[&text(second)]), "critical_path", &[])["notes"].to_string();
    let told = notes(600);
    assert!(
        told.contains("the mean over all devices") && told.contains("700.0 µs"),
        "{told}"
    );
    let told = notes(800);
    assert!(!told.contains("the mean over all devices"), "{told}");
}

/// Two threads with loops of their own share a device: the steps are those of one of them, which is said.
#[test]
fn a_loop_of_another_thread_is_named() {
    let loops = |second: &str| {
        let text = format!(
            "
            host vm
            thread python
            repeat 8 every 1ms
              0..20us  PjitFunction(step)
              30..900us $api.py:2757 block_until_ready
            end
            thread {second}
            repeat 4 every 2ms
              5..25us  PjitFunction(other)
              40..900us $api.py:2757 block_until_ready
            end
            thread tf_XLAEigen/42
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
            repeat 8 every 1ms
              30..400us dot.1 [run_id=$i]
            end
            each [hlo_op=$name hlo_module=jit_other program_id=6 device_ordinal=0]
            repeat 4 every 2ms
              450..750us dot.2 [run_id=10$i]
            end"
        );
        let report = ask(&drawn(&[&text]), "steps", &[]);
        let notes = report["notes"].as_array().expect("notes").clone();
        let of = |note: &Value| note["id"] == "steps-of-one-thread";
        notes.into_iter().find(|note| of(note))
    };
    let note = loops("worker").expect("two loops").to_string();
    assert!(note.contains("jit_other(6) (4 runs of 300.0 µs"), "{note}");
    // Of one thread, both are of one step.
    assert_eq!(loops("python"), None);
}
