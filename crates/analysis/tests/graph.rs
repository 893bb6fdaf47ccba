//! `graph` on drawn programs worked out by hand, against a slow search outwards on every program of
//! the corpus, and on a program as large as they come.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;
use stepscope_model::Session;
use stepscope_model::hlo::Program;

use crate::support::{all_captures, ask, drawn, open};

/// Two steps of a program with a fusion, a small constant and a loop's worth of nothing.
const STEP: &str = "
    host vm
    program 5 jit_step
    computation fused_add
    p0 = f32[64] parameter(0)
    p1 = f32[64] parameter(1)
    m = f32[64] multiply(p0, p1)
    ROOT s = f32[64] add(m, p1)
    entry main
    a = f32[64] parameter(0), op_name=\"x\"
    b = f32[64] parameter(1)
    c = f32[] constant(0)
    n = f32[64] negate(a), op_name=\"jit(step)/layer_0/neg\", source=model.py:7
    f = f32[64] fusion(n, b), kind=kLoop, calls=fused_add
    k = f32[64] pad(f, c)
    ROOT t = f32[64] tanh(k), op_name=\"jit(step)/tanh\", source=model.py:9
    device gpu:0 nvidia H100
    stream 7 Compute
    each [program_id=5 hlo_module=jit_step hlo_op=$name]
    repeat 2 every 100us
      0..10us  n
      10..40us f
      50..55us t
    end
    50..90us t
";

fn list<'a>(report: &'a Value, key: &str) -> &'a Vec<Value> {
    report[key].as_array().expect("a list")
}

fn node<'a>(report: &'a Value, name: &str) -> &'a Value {
    let found = list(report, "nodes")
        .iter()
        .find(|node| node["name"] == name);
    found.unwrap_or_else(|| panic!("no node {name} in {report:#}"))
}

fn names(report: &Value) -> BTreeSet<&str> {
    let nodes = list(report, "nodes").iter();
    nodes.filter_map(|node| node["name"].as_str()).collect()
}

/// Edges as `from→to`, by name.
fn edges(report: &Value) -> BTreeSet<String> {
    let nodes = list(report, "nodes").iter();
    let name_of: BTreeMap<i64, &str> = nodes
        .filter_map(|node| Some((node["id"].as_i64()?, node["name"].as_str()?)))
        .collect();
    let edges = list(report, "edges").iter();
    edges
        .map(|edge| {
            let name = |key: &str| name_of[&edge[key].as_i64().expect("an id")];
            format!("{}→{}", name("from_id"), name("to_id"))
        })
        .collect()
}

#[test]
fn the_op_with_most_time_is_in_the_middle() {
    let report = ask(&drawn(&[STEP]), "graph", &[("merge-fusions", "true")]);
    // f: 2 × 30 µs; t: 2 × 5 + 40 µs.
    assert_eq!(report["op"], "f");
    let f = node(&report, "f");
    assert_eq!(f["self_ps"], 60_000_000);
    assert_eq!(f["occurrences"], 2);
    assert_eq!(f["is_center"], true);
    assert_eq!(node(&report, "a")["self_ps"], Value::Null);
    assert_eq!(
        names(&report),
        BTreeSet::from(["a", "b", "f", "k", "n", "t"])
    );
    let expected = ["a→n", "n→f", "b→f", "f→k", "k→t"].map(str::to_owned);
    assert_eq!(edges(&report), BTreeSet::from(expected));
    assert_eq!(
        node(&report, "k")["constants"][0]
            .as_str()
            .map(|c| c.starts_with("1: f32[]")),
        Some(true)
    );
    assert_eq!(node(&report, "n")["distance"], 1);
    // The longest slice of t is the third.
    assert_eq!(node(&report, "t")["slice_duration_ps"], 40_000_000);
    assert_eq!(node(&report, "t")["slice_start_ps"], 50_000_000);
}

#[test]
fn the_radius_and_the_limit_cut_what_is_far() {
    let session = drawn(&[STEP]);
    let merged = ("merge-fusions", "true");
    let near = ask(&session, "graph", &[("op", "n"), ("radius", "1"), merged]);
    assert_eq!(names(&near), BTreeSet::from(["a", "f", "n"]));
    assert_eq!(node(&near, "f")["hidden_operands"], 1);
    assert_eq!(node(&near, "f")["hidden_users"], 1);
    let few = ask(
        &session,
        "graph",
        &[("op", "n"), ("radius", "9"), ("max-nodes", "3"), merged],
    );
    assert_eq!(list(&few, "nodes").len(), 3);
    assert_eq!(few["hidden_count"], 2, "b and k stood in the queue");
}

#[test]
fn opened_fusions_lead_edges_inside() {
    let report = ask(&drawn(&[STEP]), "graph", &[("op", "f"), ("radius", "1")]);
    assert_eq!(report["clusters"][0]["name"], "f");
    let edges = edges(&report);
    for edge in ["n→p0", "b→p1", "p0→m", "p1→m", "m→s", "p1→s", "s→k"] {
        assert!(edges.contains(edge), "no {edge} in {edges:?}");
    }
    assert!(!edges.contains("f→k"));
    assert_eq!(node(&report, "m")["cluster"], node(&report, "f")["id"]);
    assert_eq!(node(&report, "m")["self_ps"], Value::Null);
    // An op within a fusion is shown there, whether fusions are opened or not.
    let within = ask(
        &drawn(&[STEP]),
        "graph",
        &[("op", "m"), ("merge-fusions", "true")],
    );
    assert_eq!(node(&within, "m")["is_center"], true);
    assert_eq!(within["details"]["callers"][0], "f");
}

#[test]
fn searches_find_names_scopes_and_lines() {
    let session = drawn(&[STEP]);
    let found = |text: &str| {
        let report = ask(&session, "graph", &[("search", text)]);
        let matches = list(&report, "matches").iter();
        let names = matches.map(|row| row["name"].as_str().unwrap_or_default().to_owned());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found("TANH"), "t");
    assert_eq!(found("layer_0"), "n");
    assert_eq!(found("model.py:9"), "t");
    assert_eq!(found("model.py"), "t n");
    assert_eq!(found("multiply"), "m");
    assert_eq!(found("nothing like it"), "");
    // An exact name comes first, although others contain it.
    assert!(found("n").starts_with("n "), "{}", found("n"));
}

#[test]
fn texts_and_dot_are_printed_as_they_are() {
    let session = drawn(&[STEP]);
    let text = |options: &[(&str, &str)]| {
        let report = ask(&session, "graph", options);
        report["text"].as_str().unwrap_or_default().to_owned()
    };
    let long = text(&[("op", "n"), ("text", "long")]);
    assert_eq!(
        long,
        "%n = f32[64]{0} negate(f32[64]{0} %a), metadata={op_name=\"jit(step)/layer_0/neg\" \
         source_file=\"model.py\" source_line=7}\n"
    );
    let called = text(&[("op", "f"), ("text", "short"), ("of", "called")]);
    assert!(called.starts_with("%fused_add (p0: f32[64]{0}, p1: f32[64]{0}) -> f32[64]{0} {\n"));
    let module = text(&[("text", "short"), ("of", "module")]);
    assert!(module.contains("ENTRY %main (") && module.contains("\n  ROOT %t = "));
    let report = ask(
        &session,
        "graph",
        &[("op", "f"), ("dot", "true"), ("metadata", "true")],
    );
    let dot = report["dot"].as_str().expect("text");
    assert!(
        dot.contains("subgraph cluster_") && dot.contains("model.py:7"),
        "{dot}"
    );
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
}

#[test]
fn an_op_that_is_not_there_names_what_is_like_it() {
    let session = drawn(&[STEP]);
    let entry = stepscope_analysis::find("graph_viewer").expect("its alias");
    let refused = entry.run_pairs(&session, [("op", "neg")]).err();
    let message = refused.map(|error| error.to_string()).unwrap_or_default();
    assert_eq!(message, "--op neg matches nothing; available: n");
}

/// Names within a number of steps over operands and users, by going over all instructions for each
/// step. Only where no instruction has more neighbors than are followed.
fn slow_neighborhood(program: &Program, op: &str, radius: usize) -> Option<BTreeSet<String>> {
    let start = program.instruction(op)?;
    let own = program.computations().get(start.computation.index())?;
    let all = program.instructions_of(own);
    let is_small = |id: i64| {
        program.instruction_by_id(id).is_some_and(|operand| {
            operand.opcode == "constant" && operand.shape.element_count() <= 10
        })
    };
    let mut uses: BTreeMap<i64, usize> = BTreeMap::new();
    for user in all {
        for id in user.operand_ids.iter().collect::<BTreeSet<_>>() {
            *uses.entry(*id).or_default() += 1;
        }
        if user.operand_ids.len() > 24 {
            return None;
        }
    }
    if uses.values().any(|count| *count > 24) {
        return None;
    }
    let mut reached: BTreeSet<i64> = BTreeSet::from([start.id]);
    for _ in 0..radius {
        let mut next = reached.clone();
        for user in all {
            let operands = user.operand_ids.iter().copied().filter(|id| !is_small(*id));
            for operand in operands {
                if reached.contains(&user.id) {
                    next.insert(operand);
                }
                if reached.contains(&operand) {
                    next.insert(user.id);
                }
            }
        }
        reached = next;
    }
    let names = reached
        .into_iter()
        .filter_map(|id| program.instruction_by_id(id));
    Some(names.map(|instruction| instruction.name.clone()).collect())
}

#[test]
fn neighborhoods_are_those_of_a_slow_search() {
    let mut compared = 0;
    for capture in all_captures() {
        let session: Session = open(&capture);
        for program in &session.programs {
            let Some(hlo) = &program.hlo else { continue };
            let Some(entry) = hlo.entry() else { continue };
            let id = program.id.to_string();
            for op in hlo.instructions_of(entry).iter().step_by(7) {
                if op.opcode == "constant" {
                    continue;
                }
                let Some(expected) = slow_neighborhood(hlo, &op.name, 2) else {
                    continue;
                };
                let options = [
                    ("program", id.as_str()),
                    ("op", op.name.as_str()),
                    ("radius", "2"),
                    ("merge-fusions", "true"),
                    ("max-nodes", "2000"),
                ];
                let report = ask(&session, "graph", &options);
                if report["program_id"] != id.as_str() {
                    continue;
                }
                let found: BTreeSet<String> =
                    names(&report).into_iter().map(str::to_owned).collect();
                assert_eq!(found, expected, "{} {}", program.title(), op.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 20, "only {compared} neighborhoods");
}

/// As many instructions as the largest programs have, in a chain of layers with one value that all
/// of them use.
fn large(instructions: usize) -> Session {
    let mut text = String::from(
        "host vm\nprogram 5 jit_step\nentry main\nx = f32[8] parameter(0)\nw = f32[8] parameter(1)\n",
    );
    let mut last = "x".to_owned();
    for number in 0..instructions {
        let _ = writeln!(
            text,
            "add.{number} = f32[8] add({last}, w), op_name=\"jit(step)/layer_{}/add\"",
            number / 100
        );
        last = format!("add.{number}");
    }
    text.push_str("thread python\n  0..1us f\n");
    drawn(&[&text])
}

#[test]
fn large_programs_are_searched_whole_and_shown_in_part() {
    let session = large(37_000);
    let report = ask(&session, "graph", &[("search", "layer_369")]);
    assert_eq!(report["match_count"], 100);
    assert_eq!(list(&report, "matches").len(), 50);
    let report = ask(&session, "graph", &[("op", "add.20000")]);
    assert_eq!(
        list(&report, "nodes").len(),
        8,
        "three on each side, the op, and w"
    );
    let w = node(&report, "w");
    assert_eq!(w["hidden_users"], 37_000 - 7);
    let around = ask(&session, "graph", &[("op", "w"), ("radius", "2")]);
    assert_eq!(list(&around, "nodes").len(), 300);
}

/// A product of a batch on four devices with weights on two, in a mesh of 4 × 2.
#[test]
fn values_of_partitioned_programs_have_a_whole_shape() {
    let session = drawn(&["
        host vm
        program 5 jit_step
        x = f32[128,512] parameter(0) sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}
        w = f32[512,256] parameter(1) sharding={devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}
        y = f32[128,256] dot(x, w) lhs_contracting_dims={1} rhs_contracting_dims={0}
        s = f32[128,256] all-reduce(y) replica_groups={{0,1},{2,3},{4,5},{6,7}} channel_id=1
        ROOT z = f32[128,256] custom-call(s) custom_call_target=\"unknown\"
        device tpu:0 v6e
        line XLA Ops
          0..10us y {program_id=5}
    "]);
    let report = ask(&session, "graph", &[("op", "y")]);
    let whole = |name: &str| {
        let node = node(&report, name);
        let text = |key: &str| node[key].as_str().expect(key).to_owned();
        (text("global_shape"), text("partition"))
    };
    let pair = |shape: &str, partition: &str| (shape.to_owned(), partition.to_owned());
    assert_eq!(whole("x"), pair("f32[512,512]", "P(axis 0, None)"));
    assert_eq!(whole("w"), pair("f32[512,512]", "P(None, axis 1)"));
    assert_eq!(whole("y"), pair("f32[512,512]", "P(axis 0, axis 1)"));
    assert_eq!(whole("s"), pair("f32[512,512]", "P(axis 0, axis 1)"));
    assert_eq!(whole("z"), pair("", ""), "nobody knows what it does");
}
