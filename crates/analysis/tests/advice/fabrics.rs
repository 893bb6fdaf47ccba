//! Communication over slow fabrics, overlap that helps and overlap that does not, and who is late beyond what
//! clocks may be wrong.

use std::fmt::Write as _;

use serde_json::Value;

use super::drawings::on_cpu;
use super::{advice, check, finding, ids};

/// Two H100 of one host: six steps of 20 ms in which both compute until `arrives` and then reduce until `leaves`,
/// both in microseconds of each step.
fn reduced([arrives, leaves]: [u32; 2]) -> Value {
    let device = |number: u32| {
        format!(
            "device gpu:{number} nvidia H100
            stream 7 Compute
            each [hlo_op=$name hlo_module=jit_step program_id=5]
            repeat 6 every 20000us
              1..{arrives}us dot.1
              {arrives}..{leaves}us all-reduce.2
            end\n"
        )
    };
    let text = format!(
        "host vm
        plane /host:metadata [jax_version=\"0.10.2\" gpu_version=\"cuda 12090\"]
        {}{}thread python
        repeat 6 every 20000us
          0..19990us train #step_num=$i,_r=1#
        end
        program 5 jit_step
          p.0 = f32[16777216] parameter(0)
          dot.1 = f32[16777216] add(p.0, p.0)
          ROOT all-reduce.2 = f32[16777216] all-reduce(dot.1) replica_groups={{{{0,1}}}}",
        device(0),
        device(1)
    );
    advice(&[text])
}

#[test]
fn messages_far_below_any_fabric_name_their_rate() {
    // 64 MiB in 15 ms between two: 4.5 GB/s, where PCIe alone carries 64.
    let found = finding(&reduced([4000, 19_000]), "exposed_communication");
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("Large messages move at 4.474 GB/s"), "{what}");
    assert!(what.contains("PCIe alone carries 64.00 GB/s"), "{what}");
    let fix = found["fix"].as_str().expect("a fix");
    assert!(fix.starts_with("First find out which transport"), "{fix}");
    assert!(!found["code"].to_string().contains("latency_hiding"));
    // 16 GB/s is no fallback.
    let found = finding(&reduced([4000, 8000]), "exposed_communication");
    let what = found["what"].as_str().expect("a text");
    assert!(!what.contains("Large messages"), "{what}");
    assert!(
        found["code"].to_string().contains("latency_hiding"),
        "{found}"
    );
}

#[test]
fn no_flag_for_overlap_that_hides_little() {
    let found = finding(&reduced([1000, 5000]), "exposed_communication");
    let what = found["what"].as_str().expect("a text");
    assert!(what.contains("overlap can hide no more"), "{what}");
    assert_eq!(found["code"], "");
}

/// One of three hosts that meet in a collective in each of six steps.
fn host(ordinal: u32, op: &str, steps: [[u32; 2]; 6]) -> String {
    host_of(&[0, 1, 2], ordinal, op, &steps)
}

/// One of some hosts that meet in a collective; the steps of 1 ms that it computes for so long, and when the
/// collective ends there.
fn host_of(all: &[u32], ordinal: u32, op: &str, steps: &[[u32; 2]]) -> String {
    let groups = if op == "collective-permute" {
        "source_target_pairs={{0,1},{1,2},{2,0}}".to_owned()
    } else {
        let all: Vec<String> = all.iter().map(u32::to_string).collect();
        format!("replica_groups={{{{{}}}}}", all.join(","))
    };
    let mut lines = String::new();
    for (at, [arrives, leaves]) in (0..).step_by(1000).zip(steps) {
        let (from, to) = (at + arrives, at + leaves);
        _ = writeln!(lines, "{}..{from}us dot.1\n{from}..{to}us {op}.1", at + 1);
    }
    let program = format!("{op}.1 = f32[64,64] {op}(p.0) {groups}");
    let text = on_cpu(&format!("host-{ordinal}"), "OPS", "", &program);
    let text = text.replacen(
        "repeat 6 every",
        &format!("repeat {} every", steps.len()),
        1,
    );
    let ordinal = format!("device_ordinal={ordinal}");
    let text = text.replace("device_ordinal=0", &ordinal);
    let (head, rest) = text
        .split_once("repeat 6 every 1000us\n          OPS\n        end")
        .expect("ops");
    format!("{head}{lines}{rest}")
}

#[test]
fn permutes_name_no_straggler() {
    let of = |op: &str| {
        let own = |number, arrives| host(number, op, [[arrives, 990]; 6]);
        advice(&[own(0, 300), own(1, 310), own(2, 800)])
    };
    let report = of("all-reduce");
    assert_eq!(finding(&report, "straggler")["title"], "host-2 is late");
    let report = of("collective-permute");
    assert!(
        !ids(&report).contains(&"straggler"),
        "{}",
        check(&report, "straggler")
    );
}

/// Ends that differ by as much as the lateness: its clock is wrong, and no host is late.
#[test]
fn lateness_within_the_error_of_clocks_is_none() {
    let of = |jumps: [u32; 6]| {
        let late = jumps.map(|jump| [500 + jump, 700 + jump]);
        let own = |number, arrives| host(number, "all-reduce", [[arrives, 700]; 6]);
        advice(&[own(0, 300), own(1, 310), host(2, "all-reduce", late)])
    };
    let report = of([0; 6]);
    assert_eq!(finding(&report, "straggler")["title"], "host-2 is late");
    let report = of([0, 290, 10, 280, 0, 290]);
    assert!(!ids(&report).contains(&"straggler"), "{report}");
}

/// Two hosts, one of which is late in all steps: in some of them by more than their clocks may be wrong.
#[test]
fn steps_in_which_clocks_tell_nothing_do_not_speak_against_a_straggler() {
    let of = |unclear: usize, clear: usize, back: usize| {
        let [mut first, mut second] = [Vec::new(), Vec::new()];
        for step in 0..unclear + clear + back {
            let (one, other) = match step {
                // The ends differ by as much as the arrivals.
                step if step < unclear => ([300, 600], [500, 900]),
                step if step < unclear + clear => ([300, 900], [700, 900]),
                _ => ([700, 900], [300, 900]),
            };
            first.push(one);
            second.push(other);
        }
        advice(&[
            host_of(&[0, 1], 0, "all-reduce", &first),
            host_of(&[0, 1], 1, "all-reduce", &second),
        ])
    };
    let report = of(6, 14, 1);
    let found = finding(&report, "straggler");
    assert_eq!(found["title"], "host-1 is late");
    let what = found["what"].as_str().expect("a text");
    let told = "arrives last in 14 of 15 steps (in 6 more, clocks do not tell who does)";
    assert!(what.contains(told), "{what}");
    // Four of five is chance.
    let report = of(3, 4, 1);
    assert!(!ids(&report).contains(&"straggler"), "{report}");
    let check = check(&report, "straggler");
    assert!(
        check.contains("host-1 is last at collectives in"),
        "{check}"
    );
    assert!(
        check.contains("by more than clocks may be wrong"),
        "{check}"
    );
}

/// A process for each device, on CPUs: no device takes turns with another one.
#[test]
fn processes_of_one_device_share_no_cores_for_certain() {
    let of = |second: &str| {
        let first = host_of(&[0, 1], 0, "all-reduce", &[[300, 900]; 6]);
        let second = host_of(&[0, 1], 1, "all-reduce", &[[350, 900]; 6]) + second;
        finding(&advice(&[first, second]), "exposed_communication")
    };
    let found = of("");
    let why = found["why"].as_str().expect("a reason");
    assert!(why.contains("runs its collectives synchronously"), "{why}");
    let fix = found["fix"].as_str().expect("a fix");
    assert!(fix.starts_with("Communicate less"), "{fix}");
    assert!(fix.contains("If several of these processes"), "{fix}");
    // Another device of the second process.
    let found = of("
        thread tf_XLAEigen/43
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=2]
        repeat 6 every 1000us
          1..600us dot.1
        end");
    let why = found["why"].as_str().expect("a reason");
    assert!(why.contains("Virtual devices of XLA:CPU share"), "{why}");
}
