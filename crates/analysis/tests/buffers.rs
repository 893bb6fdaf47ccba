//! `buffers` on drawn plans worked out by hand, on what a file can do wrong, and against a second,
//! slow derivation of every point of every plan in the corpus.

use serde_json::Value;
use stepscope_model::Session;
use stepscope_model::hlo::{BufferAssignment, HeapEvent, HeapEventKind, Program};
use stepscope_model::ingest::{ProgramInput, ingest_all};
use stepscope_testing::corpus;

use crate::support::{all_captures, ask, drawn, open};

/// A training step in small: two arguments, of which one is handed over; an activation that is kept
/// for the backward pass; a loss in the memory of another value; a table of pointers.
///
/// ```text
/// event    alloc 2  alloc 3  share 4 with 2  free 3  alloc 5  free 2  free 4  free 5
/// heap   0     4096     6144            6144    4096     8192    8192    4096       0
/// ```
const STEP: &str = "
    host vm
    program 5 jit_step
    entry main
    w = f32[1024] parameter(0), op_name=\"w\"
    x = f32[512] parameter(1), op_name=\"batch['x']\"
    h = f32[1024] tanh(w), op_name=\"jit(step)/jvp(M)/layer_0/tanh\", source=model.py:7
    t = f32[512] negate(x), op_name=\"jit(step)/jvp(M)/layer_0/neg\", source=model.py:8
    l = f32[1024] negate(h), op_name=\"jit(step)/jvp(M)/loss\"
    g = f32[1024] multiply(h, l), op_name=\"jit(step)/transpose(jvp(M))/layer_0/mul\"
    y = f32[512] add(x, x), op_name=\"jit(step)/add\"
    n = f32[1024] add(w, g), op_name=\"jit(step)/sgd\"
    ROOT r = (f32[1024], f32[512]) tuple(n, y)
    allocation 0 size=4096 parameter=0 live_out
    buffer 1 w size=4096
    allocation 1 size=2048 parameter=1
    buffer 10 x size=2048
    allocation 2 size=2048 live_out
    buffer 11 y size=2048
    allocation 3 size=16 live_out tuple
    buffer 12 r size=16
    allocation 4 size=10240
    buffer 2 h size=4096 offset=0
    buffer 3 t size=2048 offset=4096
    buffer 4 l size=4096 offset=0
    buffer 5 g size=4096 offset=6144
    heap alloc 2, alloc 3, share 4 with 2, free 3, alloc 5, free 2, free 4, free 5
    thread python
      0..100us  train #step_num=3,_r=1#
";

/// Memory outside the heap: both arguments, the result, the table.
const FIXED: i64 = 4096 + 2048 + 2048 + 16;

fn int(value: &Value) -> i64 {
    value
        .as_i64()
        .unwrap_or_else(|| panic!("{value} is no whole number"))
}

fn rows<'a>(report: &'a Value, key: &str) -> &'a Vec<Value> {
    report[key].as_array().expect("a list")
}

fn find<'a>(rows: &'a [Value], key: &str, value: &str) -> &'a Value {
    let found = rows.iter().find(|row| row[key] == value);
    found.unwrap_or_else(|| panic!("no {key} {value} in {rows:#?}"))
}

#[test]
fn the_curve_and_its_peak_are_those_worked_out() {
    let report = ask(&drawn(&[STEP]), "buffers", &[]);
    let heap = [0, 4096, 6144, 6144, 4096, 8192, 8192, 4096, 0];
    let curve: Vec<i64> = rows(&report, "curve")
        .iter()
        .map(|p| int(&p["bytes"]))
        .collect();
    assert_eq!(curve, heap.map(|bytes| bytes + FIXED));
    assert_eq!(int(&report["peak_bytes"]), 8192 + FIXED);
    assert_eq!(
        (int(&report["peak_position"]), int(&report["point_count"])),
        (5, 9)
    );
    assert_eq!(report["position_instruction"], "g");
    assert_eq!(
        report["position_scope"],
        "jit(step)/transpose(jvp(M))/layer_0/mul"
    );
    let space = &report["spaces"][0];
    assert_eq!(int(&space["allocation_bytes"]), 10240 + FIXED);
    assert_eq!(int(&space["fragmentation_bytes"]), 10240 - 8192);
    assert_eq!(int(&space["parameter_bytes"]), 6144);
    assert_eq!(int(&space["live_out_bytes"]), 4096 + 2048 + 16);
    assert_eq!(int(&space["temporary_bytes"]), 10240);
    assert_eq!(int(&space["non_reusable_bytes"]), 16);
}

#[test]
fn what_is_held_at_the_peak_is_named() {
    let report = ask(&drawn(&[STEP]), "buffers", &[]);
    let held = rows(&report, "rows");
    let total: i64 = held.iter().map(|row| int(&row["bytes"])).sum();
    assert_eq!(total, int(&report["peak_bytes"]), "the rows add up");
    // The block of h is shown as what lies in it at last.
    let shared = find(held, "name", "l");
    assert_eq!((int(&shared["start"]), int(&shared["end"])), (1, 7));
    assert_eq!(shared["end_instruction"], "g");
    assert_eq!(int(&shared["offset_bytes"]), 0);
    assert_eq!(shared["category"], "temporary");
    let table = find(held, "shape", "table of 2 pointers");
    assert_eq!(
        (int(&table["bytes"]), &table["category"]),
        (16, &Value::from("output"))
    );
    assert_eq!(find(held, "name", "w")["is_donated"], true);
    let parameters = find(rows(&report, "categories"), "category", "parameter");
    assert_eq!(
        (int(&parameters["bytes"]), int(&parameters["count"])),
        (6144, 2)
    );
    let lives = rows(&report, "lifetimes");
    assert_eq!(lives.len(), 4, "each buffer of the heap on its own");
    let h = find(lives, "name", "h");
    assert_eq!(
        (int(&h["start"]), int(&h["end"]), &h["phase"]),
        (1, 6, &Value::from("forward"))
    );
}

#[test]
fn another_point_can_be_asked_for() {
    let session = drawn(&[STEP]);
    let report = ask(&session, "buffers", &[("at", "2"), ("match", "^t$")]);
    assert_eq!(int(&report["position"]), 2);
    assert_eq!(int(&report["position_bytes"]), 6144 + FIXED);
    assert_eq!(rows(&report, "rows").len(), 1);
    let beyond = ask(&session, "buffers", &[("at", "99")]);
    assert_eq!(int(&beyond["position"]), 8);
}

/// Donating x frees the result y: 2048 bytes at every point. Recomputing h would free its 4096 at
/// the peak, after which 2048 + 4096 at point 2 is less than 4096 at point 5. Halving the
/// temporaries frees half of 8192.
#[test]
fn remedies_free_what_the_curve_says() {
    let report = ask(&drawn(&[STEP]), "buffers", &[]);
    let savings = rows(&report, "savings");
    let donate = find(savings, "remedy", "donate");
    assert_eq!(
        (int(&donate["frees_bytes"]), int(&donate["count"])),
        (2048, 1)
    );
    assert_eq!(int(&find(savings, "remedy", "batch")["frees_bytes"]), 4096);
    let precision = savings
        .iter()
        .filter(|saving| saving["remedy"] == "precision");
    let of_arguments = precision.filter(|saving| saving["group"] == "w").count();
    assert_eq!(of_arguments, 1);
    let kept = find(savings, "remedy", "rematerialize");
    assert_eq!(int(&kept["frees_bytes"]), 4096);
    assert_eq!(kept["group"], "jit(step)/M/loss");
}

#[test]
fn nested_tuples_and_padding_are_looked_into() {
    let session = drawn(&["
        host vm
        program 5 jit_f
        entry main
        w = ((f32[2], bf16[10,100]{1,0:T(8,128)}), s8[4]) parameter(0)
        ROOT c = bf16[10,100]{1,0:T(8,128)} copy(w)
        allocation 0 size=4096 parameter=0 live_out
        buffer 1 w index=0,1 size=4096
        thread python
          0..100us  f
    "]);
    let report = ask(&session, "buffers", &[]);
    let row = &report["rows"][0];
    assert_eq!(row["name"], "w{0,1}");
    assert_eq!(int(&row["unpadded_bytes"]), 2 * 10 * 100);
    assert_eq!(int(&row["padding_bytes"]), 4096 - 2000);
    let padding = &report["padding"][0];
    assert_eq!(int(&padding["padding_bytes"]), 2096);
    assert!(rows(&report, "notes").iter().any(|note| {
        note["text"]
            .as_str()
            .is_some_and(|text| text.contains("no heap trace"))
    }));
    assert_eq!(int(&report["point_count"]), 1);
}

/// Events that contradict each other are left out and said; the trace belongs to the allocation of
/// most of its buffers; a block whose buffers all ended is handed out again when it is shared.
#[test]
fn traces_that_contradict_themselves_are_survived() {
    let session = drawn(&["
        host vm
        program 5 jit_f
        entry main
        a = f32[16] parameter(0)
        b = f32[16] negate(a)
        c = f32[16] negate(b)
        ROOT d = f32[16] negate(c)
        allocation 0 size=64 parameter=0
        buffer 1 a size=64
        allocation 1 size=128
        buffer 2 b size=64
        buffer 3 c size=64 offset=64
        allocation 2 size=64 live_out
        buffer 4 d size=64
        heap alloc 2, alloc 2, free 9, alloc 4, free 2, free 2, share 3 with 2, free 4, free 3
        thread python
          0..100us  f
    "]);
    let report = ask(&session, "buffers", &[]);
    let curve: Vec<i64> = rows(&report, "curve")
        .iter()
        .map(|p| int(&p["bytes"]))
        .collect();
    // 128 beside the heap; events 2, 3 and 6 do nothing.
    let heap = [0, 64, 64, 64, 128, 64, 64, 128, 64, 0];
    assert_eq!(curve, heap.map(|bytes| bytes + 128));
    assert!(rows(&report, "notes").iter().any(|note| {
        note["text"]
            .as_str()
            .is_some_and(|text| text.starts_with("3 of 9 events"))
    }));
}

#[test]
fn captures_without_plans_say_what_to_record() {
    let session = drawn(&["host vm\nthread python\n  0..1us f"]);
    let report = ask(&session, "buffers", &[]);
    assert_eq!(report["program"], "");
    assert!(
        report["notes"][0]["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("xla_dump_to"))
    );
}

fn session_of(files: Vec<(String, Vec<u8>)>) -> Session {
    let programs = files.into_iter().map(|(name, bytes)| ProgramInput {
        name,
        bytes: std::sync::Arc::new(bytes),
        problem: None,
    });
    ingest_all("programs", Vec::new(), Vec::new(), programs.collect()).expect("programs")
}

#[test]
fn programs_alone_are_a_session() {
    let Some(bytes) = corpus_program("h100-maxtext-train_step.hlo_proto.pb") else {
        return;
    };
    let session = session_of(vec![
        ("train".to_owned(), bytes.clone()),
        ("copy".to_owned(), bytes.clone()),
        ("jit_f(18446744073709551615)".to_owned(), bytes),
    ]);
    assert!(session.is_program_only());
    let titles: Vec<String> = session
        .programs
        .iter()
        .map(stepscope_model::Program::title)
        .collect();
    assert_eq!(
        titles,
        [
            "jit_train_step(16)",
            "copy(16)",
            "jit_f(18446744073709551615)"
        ]
    );
    let refused = stepscope_analysis::find("ops")
        .expect("ops")
        .run_pairs(&session, []);
    let message = refused
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default();
    assert_eq!(
        message,
        "`ops` needs recorded events, but the HLO of programs has none"
    );
    let report = ask(&session, "buffers", &[("program", "copy")]);
    assert_eq!(report["program"], "copy(16)");
    // The memory that XLA reserves for temporaries of this step, argued from the file alone.
    assert_eq!(rows(&report, "programs").len(), 3);
}

fn corpus_program(name: &str) -> Option<Vec<u8>> {
    let path = corpus::corpus_folder().join("hlo").join(name);
    let bytes = std::fs::read(&path).ok();
    if bytes.is_none() {
        #[expect(clippy::print_stderr, reason = "a test that is left out says so")]
        {
            eprintln!("left out: {} is not there", path.display());
        }
    }
    bytes
}

/// Σ sizes of what lives at a point, derived anew for it: a block lives while it was allocated and
/// shared more often than freed, and is as large as the buffer it was made for.
fn held_at(plan: &BufferAssignment, events: &[HeapEvent]) -> u64 {
    let mut roots: Vec<(i64, i64)> = Vec::new();
    let mut users: Vec<(i64, i64)> = Vec::new();
    for event in events {
        let id = event.buffer_id;
        let root_of = |id: i64| {
            roots
                .iter()
                .rev()
                .find(|(own, _)| *own == id)
                .map(|(_, r)| *r)
        };
        match event.kind {
            HeapEventKind::Alloc => {
                roots.push((id, id));
                users.push((id, 1));
            }
            HeapEventKind::Share => {
                let root = root_of(event.shared_with).unwrap_or(event.shared_with);
                roots.push((id, root));
                users.push((root, 1));
            }
            HeapEventKind::Free => users.push((root_of(id).unwrap_or(id), -1)),
        }
    }
    let mut ids: Vec<i64> = users.iter().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    let alive = ids.into_iter().filter(|id| {
        users
            .iter()
            .filter(|(own, _)| own == id)
            .map(|(_, change)| change)
            .sum::<i64>()
            > 0
    });
    let size = |id: i64| plan.buffers.iter().find(|buffer| buffer.id == id);
    alive.filter_map(size).map(|buffer| buffer.size).sum()
}

fn check_every_point(session: &Session) -> usize {
    let mut points = 0;
    for program in &session.programs {
        let Some(plan) = program.buffer_assignment() else {
            continue;
        };
        let id = program.id.to_string();
        let whole = ask(session, "buffers", &[("program", &id)]);
        if whole["program_id"] != id.as_str() || int(&whole["point_count"]) < 2 {
            continue;
        }
        let space = int(&whole["memory_space_color"]);
        let events = plan.heap_traces.iter().map(|trace| &trace.events);
        let count = usize::try_from(int(&whole["point_count"])).expect("a count");
        let events = events
            .filter(|events| events.len() + 1 == count)
            .find(|events| {
                let first = plan
                    .buffers
                    .iter()
                    .find(|buffer| buffer.id == events[0].buffer_id);
                first.is_some_and(|buffer| buffer.color == space)
            });
        let events = events.expect("the trace that was replayed");
        let heap = int(&whole["heap_bytes"]);
        let reserved = rows(&whole, "spaces")
            .iter()
            .find(|row| int(&row["color"]) == space);
        let beside = int(&reserved.expect("its space")["allocation_bytes"]) - heap;
        // Thinned-out curves are checked where they have points, and these include the peak.
        for point in rows(&whole, "curve").iter().step_by(1 + count / 100) {
            let position = usize::try_from(int(&point["position"])).expect("a position");
            let expected = held_at(plan, &events[..position]);
            assert_eq!(
                int(&point["bytes"]) - beside,
                i64::try_from(expected).expect("a size"),
                "{} at {position}",
                program.title()
            );
            points += 1;
        }
        let held: i64 = rows(&whole, "rows")
            .iter()
            .map(|row| int(&row["bytes"]))
            .sum();
        assert_eq!(held, int(&whole["peak_bytes"]), "{}", program.title());
    }
    points
}

#[test]
fn every_point_of_every_plan_is_the_sum_of_what_lives() {
    let mut points = 0;
    for capture in all_captures() {
        points += check_every_point(&open(&capture));
    }
    if let Some(bytes) = corpus_program("h100-maxtext-train_step.hlo_proto.pb") {
        points += check_every_point(&session_of(vec![("train".to_owned(), bytes)]));
        assert!(points > 1000, "only {points} points");
    }
}

/// Offsets and sizes are hostile in a file that somebody made up.
#[test]
fn damaged_plans_are_harmless() {
    let Some(bytes) = corpus_program("mi300x-jax-conv/jit_forward_3d_conv(15).hlo_proto.pb") else {
        return;
    };
    for position in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[position] = damaged[position].wrapping_add(113);
        if Program::decode(&damaged).is_ok() {
            let session = session_of(vec![("f".to_owned(), damaged)]);
            for analysis in ["buffers", "graph"] {
                let entry = stepscope_analysis::find(analysis).expect("it exists");
                let answer = entry.run_pairs(&session, []);
                let _ = answer.map(|answer| (answer.json(), answer.tables()));
            }
        }
    }
}
