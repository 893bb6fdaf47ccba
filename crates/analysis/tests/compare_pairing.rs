//! Which programs and ops of two sessions `compare` pairs, and what it says of those that have no partner.

use std::fmt::Write as _;

use serde_json::Value;
use stepscope_analysis::{Compared, find_comparison};
use stepscope_model::Session;

use crate::support::drawn;

fn both(before: &Session, after: &Session) -> Value {
    let compared = [("before", before), ("after", after)];
    let compared = compared.map(|(name, session)| Compared { name, session });
    let entry = find_comparison("compare").expect("it is listed");
    let answer = entry.run_pairs(&compared, std::iter::empty());
    answer.and_then(|answer| answer.json()).expect("a report")
}

fn texts(report: &Value) -> Vec<&str> {
    let causes = report["differences"][0]["causes"].as_array();
    let causes = causes.expect("causes").iter();
    causes.filter_map(|cause| cause["text"].as_str()).collect()
}

/// Name and shape on both sides of every op; empty where it has no partner.
fn pairs(report: &Value) -> Vec<[String; 2]> {
    let ops = report["ops"].as_array().expect("ops").iter();
    let text = |side: &Value| match (side["name"].as_str(), side["shape"].as_str()) {
        (Some(name), Some(shape)) => format!("{name} {shape}").trim_end().to_owned(),
        _ => String::new(),
    };
    let pairs = ops.map(|op| [text(&op["baseline"]), text(&op["other"])]);
    let mut pairs: Vec<[String; 2]> = pairs.collect();
    pairs.sort_unstable();
    pairs
}

/// A program and when its ops run in each step of 100 us.
struct Ran<'a> {
    id: u64,
    name: &'a str,
    hlo: &'a str,
    slices: &'a str,
}

/// Ten steps of one virtual device.
fn steps(programs: &[Ran<'_>]) -> Session {
    let mut text = "
        host vm
        thread python
        repeat 10 every 100us
          0..100us train #step_num=$i,_r=1#
        end
    "
    .to_owned();
    for ran in programs {
        write!(
            text,
            "
        program {id} {name}
          {hlo}
        thread tf_XLAEigen/{id}
        repeat 10 every 100us
          each [hlo_op=$name hlo_module={name} program_id={id} device_ordinal=0 run_id={id}1$i]
          {slices}
        end
            ",
            id = ran.id,
            name = ran.name,
            hlo = ran.hlo,
            slices = ran.slices,
        )
        .expect("a text");
    }
    drawn(&[&text])
}

const STEP: Ran<'_> = Ran {
    id: 5,
    name: "jit_step",
    hlo: "p.0 = f32[64,16] parameter(0)
          tanh.1 = f32[64,16] tanh(p.0) source=\"train.py:1\"
          ROOT exponential.2 = f32[64,16] exponential(tanh.1) source=\"train.py:2\"",
    slices: "0..10us tanh.1
          10..20us exponential.2",
};

#[test]
fn a_program_that_only_one_side_runs_is_one_cause() {
    let accuracy = || Ran {
        id: 6,
        name: "jit_accuracy",
        hlo: "p.0 = f32[64,16] parameter(0)
          sine.1 = f32[64,16] sine(p.0) source=\"train.py:7\"
          cosine.2 = f32[64,16] cosine(sine.1) source=\"train.py:8\"
          ROOT negate.3 = f32[64,16] negate(cosine.2) source=\"train.py:9\"",
        slices: "30..40us sine.1
          40..50us cosine.2
          50..60us negate.3",
    };
    let report = both(&steps(&[STEP]), &steps(&[STEP, accuracy()]));
    let told = texts(&report);
    assert!(
        told.contains(
            &"the program jit_accuracy runs only in this session: 3 ops, +30.00 µs per step, 1 run per step"
        ),
        "{told:#?}"
    );
    assert!(told.iter().all(|text| !text.contains("extra")), "{told:#?}");
    let report = both(&steps(&[STEP, accuracy()]), &steps(&[STEP]));
    let told = texts(&report);
    assert!(
        told.iter()
            .any(|text| text
                .starts_with("the program jit_accuracy runs only in the baseline: 3 ops")),
        "{told:#?}"
    );
}

#[test]
fn many_programs_that_only_one_side_runs_are_one_line() {
    let hlo = ["sine", "cosine", "negate", "floor"].map(|opcode| {
        format!(
            "p.0 = f32[64,16] parameter(0)
          ROOT {opcode}.1 = f32[64,16] {opcode}(p.0) source=\"train.py:7\""
        )
    });
    let slices = ["sine", "cosine", "negate", "floor"]
        .iter()
        .zip([30, 40, 50, 60])
        .map(|(opcode, begin)| format!("{begin}..{}us {opcode}.1", begin + 10));
    let slices: Vec<String> = slices.collect();
    let mut programs = vec![STEP];
    for (at, (hlo, slices)) in hlo.iter().zip(&slices).enumerate() {
        programs.push(Ran {
            id: 6 + at as u64,
            name: if at < 3 { "jit_map" } else { "jit_floor" },
            hlo,
            slices,
        });
    }
    let report = both(&steps(&[STEP]), &steps(&programs));
    let told = texts(&report);
    let own: Vec<&&str> = told.iter().filter(|text| text.contains("only")).collect();
    assert_eq!(
        own,
        [
            &"4 programs run only in this session: jit_map (3), jit_floor; 4 ops, +40.00 µs per step, \
             4 runs per step in all"
        ],
        "{told:#?}"
    );
}

/// The ids are numbers in the order of compilation: they are the wrong way round.
#[test]
fn programs_of_one_name_are_told_apart_by_what_they_are_called_with() {
    let add = |id: u64, sizes: &'static str, slices: &'static str| {
        let hlo = format!(
            "p.0 = f32[{sizes}] parameter(0)
          ROOT add.1 = f32[{sizes}] add(p.0, p.0) op_name=\"jit(add)/add\""
        );
        (id, hlo, slices)
    };
    let session = |programs: [(u64, String, &'static str); 2]| {
        let ran = programs.each_ref().map(|(id, hlo, slices)| Ran {
            id: *id,
            name: "jit_add",
            hlo,
            slices,
        });
        steps(&ran)
    };
    let before = session([
        add(5, "256", "0..10us add.1"),
        add(6, "256,256", "20..60us add.1"),
    ]);
    let after = session([
        add(5, "256,256", "20..60us add.1"),
        add(6, "256", "0..10us add.1"),
    ]);
    let report = both(&before, &after);
    let same = |sizes: &str| [format!("add.1 f32[{sizes}]"), format!("add.1 f32[{sizes}]")];
    assert_eq!(pairs(&report), [same("256,256"), same("256")]);
    let programs = &report["differences"][0]["programs"];
    assert!(
        programs
            .as_array()
            .expect("programs")
            .iter()
            .all(|program| program["matched"] == "same"),
        "{programs:#}"
    );
}

/// Four ops in each of three layers, 5 us each.
const UNROLLED: &str = "p.0 = f32[8,16] parameter(0)
          L0
          L1
          L2
          ROOT negate.99 = f32[8,16] negate(floor.2) source=\"train.py:30\"";

fn unrolled() -> Session {
    let opcodes = ["tanh", "sine", "exponential", "floor"];
    let mut slices = String::new();
    let mut hlo = UNROLLED.to_owned();
    let mut before = "p.0".to_owned();
    let mut begin = 0;
    for layer in 0..3 {
        let mut own = String::new();
        for (line, opcode) in opcodes.iter().enumerate() {
            writeln!(
                own,
                "          {opcode}.{layer} = f32[8,16] {opcode}({before}) \
                 op_name=\"jit(step)/jvp(layer_{layer})/mlp/{opcode}\" source=\"train.py:{line}\""
            )
            .expect("a text");
            writeln!(
                slices,
                "          {begin}..{}us {opcode}.{layer}",
                begin + 5
            )
            .expect("a text");
            before = format!("{opcode}.{layer}");
            begin += 5;
        }
        hlo = hlo.replace(&format!("L{layer}"), own.trim_end());
    }
    writeln!(slices, "          {begin}..{}us negate.99", begin + 5).expect("a text");
    steps(&[Ran {
        id: 5,
        name: "jit_step",
        hlo: &hlo,
        slices: &slices,
    }])
}

/// The same as a loop of so many runs, 6 us each.
fn looped(count: u64) -> Session {
    let opcodes = ["tanh", "sine", "exponential", "floor"];
    let mut body = String::new();
    let mut before = "b.0".to_owned();
    for (line, opcode) in opcodes.iter().enumerate() {
        let root = if line == 3 { "ROOT " } else { "" };
        writeln!(
            body,
            "            {root}{opcode}.7 = f32[8,16] {opcode}({before}) \
             op_name=\"jit(step)/jvp()/while/body/closed_call/mlp/{opcode}\" source=\"train.py:{line}\""
        )
        .expect("a text");
        before = format!("{opcode}.7");
    }
    let hlo = format!(
        "computation body
            b.0 = f32[8,16] parameter(0)
{body}          computation less
            l.0 = f32[8,16] parameter(0)
            ROOT l.1 = pred[] compare(l.0, l.0)
          entry main
            p.0 = f32[8,16] parameter(0)
            while.1 = f32[8,16] while(p.0), body=body, condition=less source=\"train.py:20\"
            ROOT negate.99 = f32[8,16] negate(while.1) source=\"train.py:30\""
    );
    let mut slices = String::new();
    let mut begin = 0;
    for _ in 0..count {
        for opcode in opcodes {
            writeln!(slices, "          {begin}..{}us {opcode}.7", begin + 6).expect("a text");
            begin += 6;
        }
    }
    writeln!(slices, "          {begin}..{}us negate.99", begin + 5).expect("a text");
    steps(&[Ran {
        id: 5,
        name: "jit_step",
        hlo: &hlo,
        slices: &slices,
    }])
}

#[test]
fn copies_of_ops_are_paired_with_the_loop_that_they_became() {
    let report = both(&unrolled(), &looped(3));
    let told = texts(&report);
    assert!(
        told.contains(
            &"3 copies of 4 ops became a loop of 3 runs at train.py:20: +12.00 µs per step"
        ),
        "{told:#?}"
    );
    let ops = report["ops"].as_array().expect("ops");
    assert_eq!(ops.len(), 5, "{ops:#?}");
    for op in ops {
        assert!(op["matched"] != "new" && op["matched"] != "gone", "{op:#}");
        let counts = ["baseline", "other"].map(|side| op[side]["occurrences"].as_f64());
        assert_eq!(counts[0], counts[1], "{op:#}");
    }
    let report = both(&looped(3), &unrolled());
    let told = texts(&report);
    assert!(
        told.contains(
            &"a loop of 3 runs became 3 copies of 4 ops at train.py:20: −12.00 µs per step"
        ),
        "{told:#?}"
    );
}

#[test]
fn a_loop_of_another_length_is_told_with_its_place() {
    let report = both(&looped(2), &looped(3));
    let told = texts(&report);
    assert!(
        told.contains(&"a loop runs 3 instead of 2 times at train.py:20: +24.00 µs per step"),
        "{told:#?}"
    );
    let report = both(&looped(3), &looped(3));
    let told = texts(&report);
    assert!(told.iter().all(|text| !text.contains("loop")), "{told:#?}");
}

/// The product of the backward pass has the shape and the line of the one of the forward pass.
#[test]
fn ops_of_different_passes_are_not_paired() {
    let product = |(name, scope): (&str, &str)| {
        let hlo = format!(
            "p.0 = f32[16,16] parameter(0)
          tanh.1 = f32[16,16] tanh(p.0) source=\"train.py:1\"
          ROOT {name} = f32[16,16] dot(tanh.1, tanh.1) op_name=\"jit(step)/{scope}/dot_general\" source=\"train.py:7\""
        );
        steps(&[Ran {
            id: 5,
            name: "jit_step",
            hlo: &hlo,
            slices: &format!("0..10us tanh.1\n          10..30us {name}"),
        }])
    };
    let forward = ("dot.2", "jvp(mlp)");
    let backward = ("dot.5", "transpose(jvp(mlp))");
    let [forward, backward] = [forward, backward].map(product);
    let report = both(&forward, &backward);
    let own = "dot.2 f32[16,16]".to_owned();
    assert!(
        pairs(&report).contains(&[own, String::new()]),
        "{:#?}",
        pairs(&report)
    );
}
