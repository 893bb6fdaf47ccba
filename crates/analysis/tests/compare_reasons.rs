//! What `compare` names as the reason of a difference: one device of several, what was recorded, what the
//! host did in the gaps, layers, recomputation, donation.

use std::fmt::Write as _;

use stepscope_model::Session;

use crate::compare_causes::{ask, both, causes};
use crate::support::drawn;

/// The texts of causes of a kind.
fn texts(before: &Session, after: &Session, kind: &str) -> Vec<String> {
    let all = causes(&both(before, after)).into_iter();
    let own = all.filter(|(known, _)| known == kind);
    own.map(|(_, text)| text).collect()
}

/// Ten steps on virtual devices, each of which runs this many products of 10 us, then a sum over devices.
fn devices(products: [u64; 4]) -> Session {
    let longest = products.iter().max().copied().unwrap_or(1);
    let period = 10 * longest + 40;
    let mut text = format!(
        "
        host vm
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0) source=\"train.py:7\"
          ROOT all-reduce.1 = f32[64,64] all-reduce(dot.1) source=\"train.py:9\"
        thread python
        repeat 10 every {period}us
          0..{period}us train #step_num=$i,_r=1#
        end
        "
    );
    for (device, count) in products.into_iter().enumerate() {
        write!(
            text,
            "
            thread tf_XLAEigen/{}
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal={device}]
            repeat 10 every {period}us
            ",
            42 + device
        )
        .expect("a text");
        for product in 0..count {
            let begin = 10 * product;
            writeln!(text, "{begin}..{}us dot.1", begin + 10).expect("a text");
        }
        writeln!(
            text,
            "{}..{}us all-reduce.1\nend",
            10 * count,
            10 * longest + 10
        )
        .expect("a text");
    }
    drawn(&[&text])
}

#[test]
fn one_device_with_more_work_is_named_before_what_the_others_wait_for() {
    let (equal, unequal) = (devices([3; 4]), devices([3, 3, 12, 3]));
    let found = causes(&both(&equal, &unequal));
    let (kind, text) = found.first().expect("causes");
    assert_eq!(kind, "device", "{found:?}");
    assert!(
        text.starts_with("CPU:2 runs 12 instead of 3 ops per step, 4 times as many as the other 3 devices (before: as many)"),
        "{text}"
    );
    assert!(
        text.ends_with("; these wait 90.00 µs more per step"),
        "{text}"
    );
    assert!(
        found.iter().all(|(kind, _)| kind != "launches"),
        "{found:?}"
    );
    // The same, the other way around.
    let found = causes(&both(&unequal, &equal));
    let (_, text) = found.first().expect("causes");
    assert!(
        text.ends_with("; these wait 90.00 µs less per step"),
        "{text}"
    );
    // All devices have more work: none stands out.
    let found = texts(&equal, &devices([6; 4]), "device");
    assert_eq!(found.len(), 0, "{found:?}");
}

/// Ten steps of 1 ms on one device that works for 300 us of them and waits for the rest. In the gap, the
/// host runs `python`; `levels` are those of host and Python tracer.
fn waiting(period_us: u64, python: &str, levels: [u8; 2]) -> Session {
    drawn(&[&format!(
        "
        host vm
        environment [profile_options=hex:10{:02x}180120{:02x}]
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          ROOT dot.1 = f32[64,64] dot(p.0, p.0) source=\"train.py:7\"
        thread python
        repeat 10 every {period_us}us
          0..{period_us}us train #step_num=$i,_r=1#
          0..1us PjitFunction(step)
          {python}
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 10 every {period_us}us
          1..300us dot.1
        end
        ",
        levels[0], levels[1]
    )])
}

#[test]
fn what_was_recorded_otherwise_is_told_first_and_its_parts_are_compared_together() {
    let off = waiting(1000, "", [2, 0]);
    let on = waiting(1000, "310..990us $train.py:18 metrics", [2, 1]);
    let report = both(&off, &on);
    let found = causes(&report);
    assert_eq!(
        found,
        [(
            "recording".to_owned(),
            "recorded with the Python tracer on instead of off: time on the host includes its cost"
                .to_owned()
        )]
    );
    let parts = report["differences"][0]["parts"].as_array().expect("parts");
    for part in parts {
        assert_ne!(part["time"]["evidence"], "beyond_noise", "{part}");
    }
    // In a gate as well.
    let budgets = [("budget", "host_time=+5%"), ("budget", "idle_time=+5%")];
    let report = ask("check", [&off, &on], &budgets);
    for row in report["rows"].as_array().expect("rows") {
        assert_eq!(row["verdict"], "passed", "{row}");
        let text = row["text"].as_str().expect("a text");
        assert!(text.contains("together"), "{text}");
    }
    // The sum is told if it changed.
    let longer = waiting(3000, "310..2990us $train.py:18 metrics", [2, 1]);
    let found = texts(&off, &longer, "waiting");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("devices wait 2.000 ms more per step"),
        "{found:?}"
    );
}

#[test]
fn the_function_in_which_the_host_spends_more_time_is_named() {
    let short = waiting(1000, "310..990us $train.py:18 metrics", [2, 1]);
    let long = waiting(3000, "310..2990us $train.py:18 metrics", [2, 1]);
    let found = texts(&short, &long, "host_overhead");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].ends_with("while the host does other work, most of it in metrics (train.py:18)"),
        "{found:?}"
    );
    // The other way around, it is the same function.
    let found = texts(&long, &short, "host_overhead");
    assert!(found[0].contains("less per step"), "{found:?}");
    assert!(found[0].ends_with("in metrics (train.py:18)"), "{found:?}");
}

#[test]
fn long_steps_are_told_with_what_the_host_did() {
    let steps = |collects: bool| {
        let mut text = "
        host vm
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          ROOT dot.1 = f32[64,64] dot(p.0, p.0) source=\"train.py:7\"
        thread python
        "
        .to_owned();
        let mut work = String::new();
        let mut at = 0;
        for step in 0..20 {
            let is_long = collects && step == 11;
            let length = if is_long { 20_000 } else { 1_000 };
            writeln!(text, "{at}..{}us train #step_num={step},_r=1#", at + length).expect("a text");
            writeln!(text, "{at}..{}us PjitFunction(step)", at + 1).expect("a text");
            if is_long {
                writeln!(text, "{}..{}us $gc collect", at + 950, at + length - 10).expect("a text");
            }
            writeln!(work, "{}..{}us dot.1", at + 1, at + 900).expect("a text");
            at += length;
        }
        text.push_str("thread tf_XLAEigen/42\n");
        text.push_str("each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]\n");
        text.push_str(&work);
        drawn(&[&text])
    };
    let found = texts(&steps(false), &steps(true), "outlier_steps");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0]
            .starts_with("outlier steps (1 instead of 0), which the result excludes: +950.0 µs"),
        "{found:?}"
    );
    assert!(
        found[0].contains(", most of it collecting garbage"),
        "{found:?}"
    );
}

/// Ten steps of ops with these scopes, 10 us each, one after the other.
fn scopes(function: &str, scopes: &[String], root: &str) -> Session {
    let mut hlo = "p.0 = f32[32,16] parameter(0)\n".to_owned();
    let mut slices = String::new();
    let mut before = "p.0".to_owned();
    for (at, scope) in scopes.iter().enumerate() {
        let kind = if scope.ends_with("add") {
            "add"
        } else {
            "tanh"
        };
        let operands = if kind == "add" {
            format!("{before}, p.0")
        } else {
            before
        };
        writeln!(
            hlo,
            "{kind}.{at} = f32[32,16] {kind}({operands}) op_name=\"jit({function})/{scope}\" \
             source=\"train.py:{}\"",
            at % 2
        )
        .expect("a text");
        writeln!(slices, "{}..{}us {kind}.{at}", 10 * at, 10 * at + 10).expect("a text");
        before = format!("{kind}.{at}");
    }
    let period = 10 * scopes.len() + 10;
    let hlo = hlo + &root.replace("LAST", &before);
    drawn(&[&format!(
        "
        host vm
        program 5 jit_{function}
          {hlo}
        thread python
        repeat 10 every {period}us
          0..{period}us train #step_num=$i,_r=1#
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_{function} program_id=5 device_ordinal=0]
        repeat 10 every {period}us
          {slices}
        end
        "
    )])
}

fn layers(name: &str, count: usize) -> Vec<String> {
    let of_layer = |layer: usize| {
        [
            format!("jvp({name}_{layer})/mlp/tanh"),
            format!("jvp({name}_{layer})/mlp/add"),
        ]
    };
    (0..count).flat_map(of_layer).collect()
}

#[test]
fn layers_that_only_one_side_has_are_told_together() {
    let (four, six) = (
        scopes("step", &layers("layer", 4), ""),
        scopes("step", &layers("layer", 6), ""),
    );
    let found = texts(&four, &six, "op_new");
    assert_eq!(
        found,
        ["layer_4 and layer_5 are new: 4 ops, +40.00 µs per step"]
    );
    let found = texts(&six, &four, "op_gone");
    assert_eq!(
        found,
        ["layer_4 and layer_5 are gone: 4 ops, −40.00 µs per step"]
    );
    // Renamed layers, and a renamed function, are the same layers.
    let renamed = scopes("train", &layers("block", 4), "");
    let found = causes(&both(&four, &renamed));
    assert!(
        found
            .iter()
            .all(|(kind, _)| kind != "op_new" && kind != "op_gone"),
        "{found:?}"
    );
}

#[test]
fn what_is_computed_again_is_told_as_that() {
    let forward = layers("layer", 4);
    let mut again = forward.clone();
    again.extend((0..4).map(|layer| {
        format!("transpose(jvp(layer_{layer}))/checkpoint/rematted_computation/mlp/tanh")
    }));
    let (plain, recomputing) = (scopes("step", &forward, ""), scopes("step", &again, ""));
    let found = texts(&plain, &recomputing, "op_new");
    assert_eq!(
        found,
        ["recomputed in the backward pass: 4 ops, +40.00 µs per step"]
    );
}

#[test]
fn arguments_that_are_no_longer_donated_are_told() {
    let program = |donated: &str| {
        let root = format!(
            "p.1 = f32[32,16] parameter(1)
            ROOT out.1 = (f32[32,16], f32[32,16]) tuple(LAST, p.1)
            {donated}"
        );
        scopes("step", &layers("layer", 4), &root)
    };
    let (donated, kept) = (program("alias 0 0\nalias 1 1"), program("alias 1 1"));
    let found = texts(&donated, &kept, "donation");
    assert_eq!(
        found,
        [
            "arguments of jit_step are no longer donated: 1 result in memory of their own (+2.000 KiB)"
        ]
    );
    let found = texts(&kept, &donated, "donation");
    assert_eq!(
        found,
        ["arguments of jit_step are now donated: 1 result in the memory of arguments (−2.000 KiB)"]
    );
    assert_eq!(texts(&donated, &donated, "donation").len(), 0);
}
