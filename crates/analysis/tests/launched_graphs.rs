//! Analyses of a program that runs in CUDA graphs: the figures are those of the same program run op
//! by op. Drawn, as no capture with graphs is at hand.

use crate::support::{ask, drawn};
use serde_json::Value;

const PROGRAM: &str = "
    program 5 jit_step
      computation fused_add
        fa.0 = f32[1024] parameter(0)
        ROOT fa.1 = f32[1024] add(fa.0, fa.0)
      computation fused_mul
        fm.0 = f32[1024] parameter(0)
        ROOT fm.1 = f32[1024] multiply(fm.0, fm.0)
      computation command_buffer
        q.0 = f32[1024] parameter(0)
        loop_add_fusion.1 = f32[1024] fusion(q.0), kind=kLoop, calls=fused_add, op_name=\"jit(step)/layer_0/add\"
        custom-call.2 = f32[1024] custom-call(loop_add_fusion.1), custom_call_target=\"__cublas$gemm\", op_name=\"jit(step)/layer_0/dot_general\"
        ROOT loop_multiply_fusion = f32[1024] fusion(custom-call.2), kind=kLoop, calls=fused_mul, op_name=\"jit(step)/layer_1/mul\"
      entry main
        p.0 = f32[1024] parameter(0)
        ROOT call.4 = f32[1024] call(p.0), to_apply=command_buffer
    device gpu:0 nvidia H100
    stream 7 Compute
    each [hlo_module=jit_step program_id=5]
";

fn with_graphs() -> String {
    format!(
        "{PROGRAM}
         repeat 2 every 100us
           30..31us loop_add_fusion_1 [hlo_op=call.4 cuda_graph_id=4 cuda_graph_node_id=1 correlation_id=$i]
           31..35us nvjet_hsh_128x256 [hlo_op=call.4 cuda_graph_id=4 cuda_graph_node_id=2 correlation_id=$i]
           35..37us loop_multiply_fusion [hlo_op=call.4 cuda_graph_id=4 cuda_graph_node_id=3 correlation_id=$i]
         end"
    )
}

fn without_graphs() -> String {
    format!(
        "{PROGRAM}
         repeat 2 every 100us
           30..31us loop_add_fusion_1 [hlo_op=loop_add_fusion.1]
           31..35us nvjet_hsh_128x256 [hlo_op=custom-call.2]
           35..37us loop_multiply_fusion [hlo_op=loop_multiply_fusion]
         end"
    )
}

/// Everything of the rows but how the op was found.
fn rows(report: &Value, key: &str) -> Vec<Value> {
    let rows = report[key].as_array().cloned().unwrap_or_default();
    rows.into_iter()
        .map(|mut row| {
            if let Some(row) = row.as_object_mut() {
                row.remove("attribution");
            }
            row
        })
        .collect()
}

#[test]
fn ops_and_rooflines_are_those_without_graphs() {
    let (on, off) = (drawn(&[&with_graphs()]), drawn(&[&without_graphs()]));
    for analysis in ["ops", "roofline", "scopes"] {
        let (on, off) = (ask(&on, analysis, &[]), ask(&off, analysis, &[]));
        assert!(!rows(&off, "rows").is_empty(), "{analysis}");
        assert_eq!(rows(&on, "rows"), rows(&off, "rows"), "{analysis}");
    }
}

#[test]
fn notes_say_how_ops_of_graphs_were_found() {
    let session = drawn(&[&with_graphs()]);
    let report = ask(&session, "ops", &[]);
    let notes = report["notes"].as_array().cloned().unwrap_or_default();
    let text: Vec<&str> = notes
        .iter()
        .filter_map(|note| note["text"].as_str())
        .collect();
    let expected = "CUDA or HIP graphs were launched 2 times in the whole session; 100.0 % of \
                    their kernel time has an HLO op (exact name 42.9 %, between anchors 57.1 %).";
    assert!(text.contains(&expected), "{text:#?}");
    let without = ask(&drawn(&[&without_graphs()]), "ops", &[]);
    assert!(
        !without["notes"]
            .to_string()
            .contains("graphs were launched")
    );
}
