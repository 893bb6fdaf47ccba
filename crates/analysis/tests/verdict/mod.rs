//! The verdict's findings, each on a drawing that has it and on one that nearly has it, and what it
//! says of real captures.

mod cases;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;
use stepscope_analysis::find;
use stepscope_analysis::judging::verdict::rules::RULES;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::{CaptureCost, Manifest, ManifestInput, Session};
use stepscope_testing::{corpus, drawing};

use crate::support::{all_captures, drawn, open};
use cases::{HEALTHY, negatives, options, positives, replaced};

fn verdict(session: &Session) -> Value {
    let entry = find("verdict").expect("registered");
    let answer = entry.run_pairs(session, []).expect("a verdict");
    answer.json().expect("JSON")
}

fn findings(report: &Value) -> Vec<(String, String, String)> {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let all = report["findings"].as_array().cloned().unwrap_or_default();
    all.iter()
        .map(|f| (text(f, "id"), text(f, "severity"), text(f, "what")))
        .collect()
}

fn ids(report: &Value) -> BTreeSet<String> {
    findings(report).into_iter().map(|found| found.0).collect()
}

#[test]
fn nothing_is_wrong_with_a_healthy_capture() {
    let report = verdict(&drawn(&[HEALTHY]));
    assert_eq!(findings(&report), []);
    let lines: Vec<&str> = report["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert!(
        lines[0].starts_with("Captured 6 steps in 595.0 µs: 1 × NVIDIA H100 80GB HBM3 on 1 host"),
        "{lines:?}"
    );
    assert_eq!(
        lines[1],
        "Step time 95.00 µs (mean; median 95.00 µs); devices busy 80.7 % of the time from the first to the last step; MFU <0.01 %"
    );
    assert_eq!(
        lines[2],
        "Mean step: device compute 84.2 %, idle 9.5 %, host overhead 6.3 %"
    );
    assert_eq!(lines[3], "Kernel time with an HLO op: 100.0 %");
    assert_eq!(lines[4], "Top ops: dot.1 100.0 %");
}

#[test]
fn layers_are_listed_whether_they_were_recorded_or_not() {
    let layers = |text: &str| -> Vec<(String, bool, String)> {
        let report = verdict(&drawn(&[text]));
        let all = report["layers"].as_array().cloned().unwrap_or_default();
        let layer = |layer: &Value| {
            let text = |key: &str| layer[key].as_str().unwrap_or_default().to_owned();
            (text("key"), layer["is_recorded"] == true, text("examples"))
        };
        all.iter().map(layer).collect()
    };
    let found = layers(HEALTHY);
    let of = |key: &str| {
        let mut found = found.iter();
        found.find(|layer| layer.0 == key).expect("listed").clone()
    };
    assert_eq!(found.len(), 8);
    assert!(of("dispatch").1 && of("hlo_ops").1 && of("kernels").1);
    assert!(!of("python_calls").1 && !of("preprocessing").1 && !of("memory_ops").1);
    assert_eq!(of("kernels").2, "gemm");
    assert_eq!(of("transformations").2, "jit");
    let none = layers("host vm\nthread python\n0..9us work\n");
    assert!(none.iter().all(|layer| !layer.1), "{none:?}");
}

fn session_of(hosts: &[String]) -> Session {
    let texts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    drawn(&texts)
}

#[test]
fn every_finding_is_found_where_it_is() {
    for (id, hosts, expected) in positives() {
        let report = verdict(&session_of(&hosts));
        let found = findings(&report);
        let finding = found.iter().find(|finding| finding.0 == id);
        let (_, severity, what) = finding.unwrap_or_else(|| panic!("no {id} in {found:?}"));
        assert!(what.contains(expected), "{id}: {what}");
        // What is bad or doubtful says what to do.
        let lines = report["lines"].to_string();
        assert!(lines.contains(&what[..20]), "{id} is not in {lines}");
        if severity != "info" && id != "recorder_reported" {
            let all = report["findings"].as_array().cloned().unwrap_or_default();
            let finding = all.iter().find(|finding| finding["id"] == id);
            let fix = finding.and_then(|finding| finding["fix"].as_str());
            assert!(fix.is_some_and(|fix| !fix.is_empty()), "{id} has no fix");
        }
    }
}

#[test]
fn every_rule_has_a_case() {
    let mut tested: BTreeSet<&str> = positives().iter().map(|case| case.0).collect();
    // These are files, not drawings: see the tests below.
    tested.extend([
        "truncated",
        "damaged",
        "large_capture",
        "program_failed",
        "capture_cost",
        // tests/heap.rs
        "heap_growth",
    ]);
    let declared: BTreeSet<&str> = RULES.iter().flat_map(|rule| rule.ids).copied().collect();
    assert_eq!(tested, declared);
}

#[test]
fn no_finding_is_found_where_it_is_not() {
    for (id, hosts, why) in negatives() {
        let found = findings(&verdict(&session_of(&hosts)));
        assert!(
            found.iter().all(|finding| finding.0 != id),
            "{id}, but {why}: {found:?}"
        );
    }
}

#[test]
fn the_reason_for_kernels_without_inside_is_named() {
    let told = |text: &str| {
        let report = verdict(&drawn(&[text]));
        let all = report["findings"].as_array().cloned().unwrap_or_default();
        let finding = all
            .into_iter()
            .find(|finding| finding["id"] == "kernel_regions");
        let finding = finding.expect("the finding");
        format!("{} {}", finding["why"], finding["fix"])
    };
    let flags = told(&cases::tpu_kernel("jax_version=\"0.11.0\"", ""));
    assert!(
        flags.contains("--xla_xprof_register_llo_debug_info=true"),
        "{flags}"
    );
    assert!(
        flags.contains("--xla_xprof_enable_custom_call_tracing=true"),
        "{flags}"
    );
    assert!(flags.contains("libtpu 0.0.44"), "{flags}");
    let old = told(&cases::tpu_kernel("jax_version=\"0.9.2\"", ""));
    assert!(old.contains("JAX 0.9.2 has no flags for it."), "{old}");
    let chip = told(&cases::tpu_kernel("", "").replace("v6e", "v4"));
    assert!(chip.contains("TPU v4 does not record"), "{chip}");
}

/// The gravity of a finding of a drawing.
fn severity(text: &str, id: &str) -> String {
    let found = findings(&verdict(&drawn(&[text])));
    let finding = found.iter().find(|finding| finding.0 == id);
    finding
        .unwrap_or_else(|| panic!("no {id} in {found:?}"))
        .1
        .clone()
}

#[test]
fn what_costs_nothing_is_told_mildly() {
    let quiet_host = format!("{HEALTHY}\n{}", options(0, 1, 0));
    assert_eq!(severity(&quiet_host, "host_tracing_off"), "warning");
    let rival = format!("{HEALTHY}\nerror CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED");
    assert_eq!(
        severity(&rival, "cupti_rival"),
        "warning",
        "devices worked all the same"
    );
    let hidden = replaced(
        "thread python",
        "thread compiler/9\n 20..30us backend_compile\nthread python",
    );
    assert_eq!(severity(&hidden, "compilation"), "info", "no device waited");
    let calls =
        "8..40us $train.py:10 loss\n 9..30us $train.py:20 model\n      2..8us  PjitFunction(step)";
    let frames = replaced("2..8us  PjitFunction(step)", calls);
    assert_eq!(
        severity(&frames.replace("us", "ns"), "python_tracer"),
        "warning"
    );
}

#[test]
fn calls_that_are_recorded_twice_count_once() {
    let (_, hosts, _) = positives()
        .into_iter()
        .find(|case| case.0 == "no_device_work")
        .expect("a case");
    let text = hosts[0].replace("gpu_version=\"cuda 12090\"", "");
    let report = verdict(&drawn(&[&text]));
    let why = report["findings"][0]["why"].as_str().expect("a finding");
    assert!(
        why.starts_with("3 calls of PjitFunction(step) launched work"),
        "{why}"
    );
    assert!(why.contains("return before the work is done"), "{why}");
    let waited = text.replace("end", "end\n40us..50us block_until_ready");
    let report = verdict(&drawn(&[&waited]));
    let why = report["findings"][0]["why"].as_str().expect("a finding");
    assert!(why.contains("Old versions of jaxlib"), "{why}");
}

/// Three annotated steps whose programs run within their calls, as jaxlib 0.4 runs them on CPUs.
const OLD_CPU: &str = "
    host vm
    plane /host:metadata [jax_version=\"0.4.30\"]
    thread python
    repeat 3 every 100us
      0..95us train #step_num=$i,_r=1#
      10..90us PjitFunction(step)
      11..89us TfrtCpuExecutable::Execute
      12..88us TfrtCpuExecutable::ExecuteHelper
    end
";

#[test]
fn programs_that_ran_within_their_calls_ran() {
    let report = verdict(&drawn(&[OLD_CPU]));
    let found = findings(&report);
    let no_work = found.iter().find(|finding| finding.0 == "no_device_work");
    assert!(no_work.is_some(), "{found:?}");
    let all = report["findings"].to_string();
    assert!(
        all.contains("3 calls of PjitFunction(step) ran their programs"),
        "{all}"
    );
    assert!(all.contains("228.0 µs of the 240.0 µs in calls"), "{all}");
    assert!(
        !all.contains("StepTraceAnnotation"),
        "steps are annotated: {all}"
    );
    assert!(!all.contains("profiler stopped"), "{all}");
    // Reading a result waits for it, too.
    let helper = "12..88us TfrtCpuExecutable::ExecuteHelper";
    let read = OLD_CPU.replace(helper, "91..94us np.asarray(jax.Array)");
    let all = verdict(&drawn(&[&read]))["findings"].to_string();
    assert!(all.contains("the program waited for results"), "{all}");
}

#[test]
fn devices_without_work_are_given_arrays_first() {
    let second = format!("{HEALTHY}\ndevice gpu:1 nvidia H100");
    let told = |text: &str| verdict(&drawn(&[text]))["findings"].to_string();
    let single = told(&second);
    assert!(single.contains("divide its arrays over them"), "{single}");
    assert!(!single.contains("visualize_array_sharding"), "{single}");
    // One that is divided over both worked on one of them only: that was not recorded.
    let reduce = "all-reduce.2 = f32[8,16] all-reduce(p.0) replica_groups={{0,1}}\n ROOT dot.1";
    let divided = told(&second.replace("ROOT dot.1", reduce));
    assert!(divided.contains("divided over 2 devices"), "{divided}");
    assert!(!divided.contains("divide its arrays"), "{divided}");
}

#[test]
fn calls_within_tracing_launch_nothing() {
    let helper = "12..88us TfrtCpuExecutable::ExecuteHelper";
    let inner = "12..40us trace_to_jaxpr_dynamic\n 13..20us PjitFunction(inner)\n 21..30us PjitFunction(inner)";
    let all = verdict(&drawn(&[&OLD_CPU.replace(helper, inner)]))["findings"].to_string();
    assert!(
        all.contains("3 calls of PjitFunction(step) launched"),
        "{all}"
    );
}

/// The verdict on the bytes of one file.
fn verdict_on(bytes: Vec<u8>) -> Value {
    let input = HostInput {
        host: "vm".to_owned(),
        bytes: Arc::new(bytes),
        problem: None,
    };
    verdict(&ingest("file", vec![input]).expect("a profile"))
}

#[test]
fn damaged_files_are_told() {
    let whole = drawing::draw(HEALTHY).expect("well formed").to_bytes();
    assert_eq!(ids(&verdict_on(whole.clone())), BTreeSet::new());
    let cut = whole[..whole.len() - 40].to_vec();
    assert!(ids(&verdict_on(cut)).contains("truncated"));
    let mut broken = whole;
    // A field of wire type 7, which does not exist, at the end of the file.
    broken.extend([0x0f, 0x01]);
    let report = verdict_on(broken);
    assert!(ids(&report).contains("damaged"), "{:?}", findings(&report));
}

#[test]
fn large_files_are_told() {
    const SIZE: usize = (1 << 30) + 4096;
    let profile = drawing::draw(HEALTHY).expect("well formed").to_bytes();
    // One unknown field of zeros fills the file; its pages are never touched.
    let mut bytes = vec![0u8; SIZE];
    bytes[..profile.len()].copy_from_slice(&profile);
    let header = [0x7a, 0x80, 0x80, 0x80, 0x80, 0x04];
    bytes[profile.len()..profile.len() + header.len()].copy_from_slice(&header);
    bytes.truncate(profile.len() + header.len() + (1 << 30));
    let report = verdict_on(bytes);
    assert_eq!(ids(&report), BTreeSet::from(["large_capture".to_owned()]));
    let profile_ids = ids(&verdict_on(profile));
    assert!(!profile_ids.contains("large_capture"));
}

#[test]
fn lines_are_few_however_much_is_wrong() {
    let text = format!(
        "{}\nwarning 5 events were dropped\nwarning odd\ndevice gpu:1 nvidia H100\nstream 7\n x5 3us memset",
        replaced("repeat 6", "repeat 300").replace("program 5", "program 6")
    );
    let report = verdict(&drawn(&[&text]));
    let lines = report["lines"].as_array().expect("lines");
    assert!(findings(&report).len() > 5, "{:?}", findings(&report));
    assert_eq!(lines.len(), 10, "{lines:#?}");
    assert!(
        lines[9]
            .as_str()
            .is_some_and(|line| line.contains("more finding"))
    );
}

/// What is said of each real capture; a new id is either true, and added here, or a false alarm.
#[test]
fn real_captures_have_the_findings_they_should() {
    for capture in all_captures() {
        let report = verdict(&open(&capture));
        let expected: &[&str] = match capture.name.as_str() {
            "gtx1080ti-julia" => &["no_steps"],
            "mi300x-jax-conv" => &["idle_devices", "steps_inferred"],
            "mi300x-jax-elementwise" | "mi300x-jax-gemm" => {
                &["idle_devices", "python_tracer", "steps_inferred"]
            }
            "compile-cpu" => &["compilation", "python_tracer"],
            "serving-cpu" => &["steps_inferred"],
            "tpu-v6e-4chip-jax" => &["compilation", "steps_inferred"],
            "v100-tensorflow" => &["idle_devices", "single_step"],
            // The own captures on CPU are healthy.
            _ => &[],
        };
        let expected: BTreeSet<String> = expected.iter().map(|&id| id.to_owned()).collect();
        assert_eq!(ids(&report), expected, "{}", capture.name);
        let overview = crate::support::ask(&open(&capture), "overview", &[]);
        for key in ["step_time_ps", "device_busy_ratio", "duration_ps"] {
            assert_eq!(report[key], overview[key], "{} of {}", key, capture.name);
        }
    }
    assert!(!corpus::fixtures().is_empty());
}

/// The drawing with a manifest for its first host.
fn with_manifest(text: &str, manifest: Manifest) -> Value {
    let session = drawn(&[text]);
    let host = session.hosts[0].name.clone();
    let manifest = Ok(manifest);
    verdict(&session.with_manifests(vec![ManifestInput { host, manifest }]))
}

#[test]
fn manifests_are_believed() {
    let failed = Manifest {
        success: Some(false),
        error: Some("ValueError: bad batch".to_owned()),
        ..Manifest::default()
    };
    let report = with_manifest(HEALTHY, failed);
    let expected = "The profiled code failed on vm: ValueError: bad batch.";
    assert_eq!(findings(&report)[0].2, expected);
    let well = Manifest {
        success: Some(true),
        process: Some((0, 1)),
        devices: vec![("NVIDIA H100".to_owned(), 1)],
        ..Manifest::default()
    };
    assert_eq!(findings(&with_manifest(HEALTHY, well.clone())), []);
    let one_of_four = Manifest {
        process: Some((1, 4)),
        ..well.clone()
    };
    let found = findings(&with_manifest(HEALTHY, one_of_four));
    let expected =
        "1 host of a job with 4 processes is in the session (according to its manifest).";
    assert_eq!(found[0].2, expected);
    let cpu = "
        host vm
        thread python
          0..100us train #step_num=0,_r=1#
          100..200us train #step_num=1,_r=1#
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
          10..80us fusion.1
          110..180us fusion.1
    ";
    assert!(ids(&with_manifest(cpu, well)).contains("work_on_cpu"));
}

#[test]
fn the_cost_of_a_capture_is_judged_by_what_the_program_measured() {
    let cost = |step_ns: f64| Manifest {
        cost: Some(CaptureCost {
            step_ns: Some(step_ns),
            step_before_ns: Some(10e6),
            steps_before: Some(64),
            python_call_ns: None,
        }),
        ..Manifest::default()
    };
    assert_eq!(findings(&with_manifest(HEALTHY, cost(10.9e6))), []);
    let found = findings(&with_manifest(HEALTHY, cost(11.5e6)));
    assert_eq!(found[0].1, "warning");
    let found = findings(&with_manifest(HEALTHY, cost(31e6)));
    assert_eq!(found[0].1, "bad");
    let expected = "Captured steps took 31.00 ms, 210.0 % longer than the 64 steps just \
                    before the capture (10.00 ms).";
    assert_eq!(found[0].2, expected);
}

/// A few events per step do not cost 20 ms: the machine did something else.
#[test]
fn recording_costs_no_more_than_its_events() {
    let cpu = "
        host vm
        thread python
        repeat 6 every 40ms
          0..31ms train #step_num=$i,_r=1#
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 6 every 40ms
          1..30ms fusion.1 [run_id=1$i]
        end
    ";
    let measured = Manifest {
        cost: Some(CaptureCost {
            step_ns: Some(31e6),
            step_before_ns: Some(10e6),
            steps_before: Some(64),
            python_call_ns: None,
        }),
        ..Manifest::default()
    };
    let report = with_manifest(cpu, measured);
    let all = report["findings"].as_array().expect("findings");
    let found = all.iter().find(|finding| finding["id"] == "capture_cost");
    let found = found.expect("the finding");
    assert_eq!(found["severity"], "warning");
    let why = found["why"].as_str().expect("a text");
    assert!(why.starts_with("Recording explains at most"), "{why}");
}

/// 24 traced calls within 600 us.
#[test]
fn a_traced_call_costs_what_the_program_measured() {
    let calls = "8..40us $a.py:1 a\n 9..30us $b.py:1 b\n 10..20us $c.py:1 c\n 11..15us $d.py:1 d";
    let text = replaced(
        "2..8us  PjitFunction(step)",
        &format!("{calls}\n 2..8us  PjitFunction(step)"),
    );
    let measured = Manifest {
        cost: Some(CaptureCost {
            python_call_ns: Some(1000.0),
            ..CaptureCost::default()
        }),
        ..Manifest::default()
    };
    let found = findings(&with_manifest(&text, measured));
    assert_eq!(
        found[0].2,
        "The Python tracer was on: 24 traced calls on one thread took at least about 4.0 %, and up to \
         20.2 % of its time."
    );
}
