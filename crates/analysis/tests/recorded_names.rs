//! GPU captures whose programs are not in the profile: the names that launches carried stand in.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::{Attribution, Session};
use stepscope_testing::corpus;

use crate::support::{ask, drawn, open};

/// A training step on one GPU whose kernels carry what XLA writes around launches.
const NAMED: &str = "
    host vm
    device gpu:0 amd MI300X
    stream 7 Compute
      10..40us  Cijk_Ailk_Bljk [tf_op=\"XlaModule:\" prefix=\"jit(step)\" name=\"jvp(layer_0)/attn/dot_general\" hlo_op=gemm_fusion_dot.1 hlo_module=jit_step program_id=5 correlation_id=11]
      40..60us  loop_add_fusion.kd [tf_op=\"XlaModule:\" prefix=\"jit(step)\" name=\"transpose(jvp(layer_0))/attn/add\" hlo_op=loop_add_fusion hlo_module=jit_step program_id=5 correlation_id=12]
      60..70us  ncclDevKernel_AllReduce [tf_op=\"Thunk:\" name=\"jit(step)/psum\" hlo_op=all-reduce-start.2 hlo_module=jit_step program_id=5 correlation_id=13]
      70..75us  copy_kernel [tf_op=\"XlaModule:\" prefix=\"jit(step)\" hlo_op=copy.1 hlo_module=jit_step program_id=5 correlation_id=14]
      75..80us  library_kernel [tf_op=\"Thunk:\" correlation_id=15]
      80..90us  mm_kernel [tf_op=\"aten::mm\" correlation_id=16]
    thread python
      0..100us  train #step_num=0,_r=1#
";

/// The same with the program, of which the fusion's name stack is longer than its launch's.
const NAMED_WITH_HLO: &str = "
    program 5 jit_step
      p.0 = f32[8,8] parameter(0)
      gemm_fusion_dot.1 = f32[8,8] dot(p.0, p.0) op_name=\"jit(step)/jvp(layer_0)/attn/dot_general\"
      loop_add_fusion = f32[8,8] add(p.0, p.0) op_name=\"jit(step)/transpose(jvp(layer_0))/attn/add\"
      copy.1 = f32[8,8] copy(p.0)
      ROOT all-reduce-start.2 = f32[8,8] all-reduce-start(p.0) op_name=\"jit(step)/psum\"
";

/// The session without the plane of programs.
fn without_programs(name: &str) -> Option<(Session, Session)> {
    let capture = corpus::capture(name)?;
    let hosts = capture.hosts.iter().enumerate().map(|(number, path)| {
        let mut space = corpus::read_space(path).expect("a capture can be read");
        space.planes.retain(|plane| plane.name != "/host:metadata");
        HostInput {
            host: format!("host-{number}"),
            bytes: Arc::new(space.to_bytes()),
            problem: None,
        }
    });
    let bare = ingest(name, hosts.collect()).expect("the rest is a profile");
    Some((open(&capture), bare))
}

fn ratio(session: &Session, analysis: &str) -> f64 {
    ask(session, analysis, &[])["attributed_ratio"]
        .as_f64()
        .unwrap_or_else(|| panic!("{analysis} has a share"))
}

/// Name stack by program and op, of ops that have one.
fn scopes(session: &Session) -> BTreeMap<(String, String), String> {
    let report = ask(session, "ops", &[]);
    let rows = report["rows"].as_array().cloned().unwrap_or_default();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    rows.iter()
        .filter(|row| text(row, "attribution") != "none" && !text(row, "scope").is_empty())
        .map(|row| {
            (
                (text(row, "program"), text(row, "name")),
                text(row, "scope"),
            )
        })
        .collect()
}

#[test]
fn shares_are_the_same_with_and_without_programs() {
    for name in [
        "mi300x-jax-gemm",
        "mi300x-jax-conv",
        "mi300x-jax-elementwise",
    ] {
        let Some((whole, bare)) = without_programs(name) else {
            continue;
        };
        assert!(bare.programs.iter().all(|program| program.hlo.is_none()));
        assert!(
            (ratio(&whole, "ops") - ratio(&bare, "ops")).abs() < 1e-9,
            "{name}"
        );
        let (with, without) = (ratio(&whole, "scopes"), ratio(&bare, "scopes"));
        // HLO names some fusions better than launches do, and some not at all.
        if name == "mi300x-jax-elementwise" {
            assert!(without > 0.6 && without <= with, "{with} and {without}");
        } else {
            assert!(
                (with - without).abs() < 1e-9,
                "{name}: {with} and {without}"
            );
        }
        let (with, without) = (scopes(&whole), scopes(&bare));
        for (op, recorded) in &without {
            // A launch's name is as long as all of a fusion agrees: the op's own or a part of it.
            let own = with
                .get(op)
                .unwrap_or_else(|| panic!("{op:?} lost its scope"));
            assert!(
                own.starts_with(recorded.as_str()),
                "{op:?}: {own} and {recorded}"
            );
        }
    }
}

#[test]
fn launches_name_op_scope_and_program() {
    let session = drawn(&[NAMED]);
    let scopes = scopes(&session);
    let scope = |op: &str| scopes.get(&("jit_step(5)".to_owned(), op.to_owned()));
    assert_eq!(
        scope("gemm_fusion_dot.1").map(String::as_str),
        Some("jit(step)/jvp(layer_0)/attn/dot_general")
    );
    // Whole names are not put behind the prefix again.
    assert_eq!(
        scope("all-reduce-start.2").map(String::as_str),
        Some("jit(step)/psum")
    );
    let tree = ask(&session, "scopes", &[]);
    let rows = tree["rows"].as_array().cloned().unwrap_or_default();
    let attention = rows
        .iter()
        .find(|row| row["path"] == "jit(step)/layer_0/attn");
    let attention = attention.expect("forward and backward meet");
    assert_eq!(attention["forward_ps"], 30_000_000);
    assert_eq!(attention["backward_ps"], 20_000_000);
}

#[test]
fn ops_known_by_name_have_a_guessed_category_and_no_work() {
    let report = ask(&drawn(&[NAMED]), "ops", &[]);
    let row = |name: &str| {
        let rows = report["rows"].as_array().cloned().unwrap_or_default();
        let found = rows.into_iter().find(|row| row["name"] == name);
        found.unwrap_or_else(|| panic!("no row {name}"))
    };
    let fusion = row("loop_add_fusion");
    assert_eq!(fusion["category"], "loop fusion");
    assert_eq!(fusion["category_source"], "inferred");
    assert_eq!(fusion["attribution"], "recorded");
    assert!(fusion["flops"].is_null() && fusion["bytes"].is_null());
    assert_eq!(row("gemm_fusion_dot.1")["class"], "matmul");
    assert_eq!(row("all-reduce-start.2")["class"], "collective");
    // An annotation's title is no op of a framework; PyTorch's name is, namespace and all.
    assert_eq!(row("library_kernel")["scope"], "");
    assert_eq!(row("library_kernel")["attribution"], "none");
    assert_eq!(row("mm_kernel")["scope"], "aten::mm");
    let notes = report["notes"].to_string();
    assert!(notes.contains("no HLO for 4 ops"), "{notes}");
}

#[test]
fn the_program_wins_where_it_is_there_and_agrees() {
    let (bare, whole) = (NAMED.to_owned(), format!("{NAMED}{NAMED_WITH_HLO}"));
    let (bare, whole) = (drawn(&[&bare]), drawn(&[&whole]));
    let own = scopes(&whole);
    for (op, recorded) in scopes(&bare) {
        if op.1 != "copy.1" {
            assert_eq!(own.get(&op), Some(&recorded), "{op:?}");
        }
    }
    let report = ask(&whole, "ops", &[]);
    let rows = report["rows"].as_array().cloned().unwrap_or_default();
    let fusion = rows.iter().find(|row| row["name"] == "loop_add_fusion");
    assert_eq!(fusion.expect("a row")["category_source"], "hlo");
    assert_eq!(ratio(&bare, "kernels"), ratio(&whole, "kernels"));
}

#[test]
fn each_label_says_how_its_op_was_found() {
    for text in [NAMED, &format!("{NAMED}{NAMED_WITH_HLO}")] {
        let session = drawn(&[text]);
        for label in &session.labels {
            assert_eq!(label.op.is_none(), label.attribution == Attribution::None);
        }
        let kernels = ask(&session, "kernels", &[]);
        let shares: Vec<(&str, i64)> = kernels["attribution"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|share| Some((share["attribution"].as_str()?, share["self_ps"].as_i64()?)))
            .collect();
        assert_eq!(shares, [("recorded", 65_000_000), ("none", 15_000_000)]);
        let verdict = ask(&session, "verdict", &[])["lines"].to_string();
        assert!(
            verdict.contains("Kernel time with an HLO op: 81.3 %"),
            "{verdict}"
        );
    }
}

/// A name stack of one name is that scope, as in `scopes`, and so is the op of a framework.
#[test]
fn the_path_names_scopes_as_the_tree_does() {
    let session = drawn(&["
        host vm
        device gpu:0 nvidia H100
        stream 7 Compute
        repeat 3 every 100us
          0..40us a [hlo_op=a.1 hlo_module=f program_id=5 name=multiply]
          40..60us b [hlo_op=b.2 hlo_module=f program_id=5 name='jit(f)/norm/add']
          60..90us eigen [annotation='model/dense/MatMul:MatMul']
          90..100us other
        end
        thread python
        repeat 3 every 100us
          0..100us train #step_num=$i,_r=1#
        end
    "]);
    let report = ask(&session, "critical_path", &[]);
    let scopes = report["scopes"].as_array().into_iter().flatten();
    let mut told: Vec<&str> = scopes.filter_map(|row| row["scope"].as_str()).collect();
    told.sort_unstable();
    for scope in ["jit(f)/norm", "model/dense", "multiply", "without a scope"] {
        assert!(told.contains(&scope), "{scope}: {told:?}");
    }
}
