//! Kernels launched by CUDA and HIP graphs, drawn from what XLA and CUPTI are known to record: no
//! capture with graphs is at hand.

use crate::support::{assert_text, session, sessions};
use stepscope_model::{Attribution, GraphDetail, OpenReason, Session};

/// `kernel -> op how` for each slice of the streams, in the order of time; `?` where none is known.
fn found(session: &Session) -> String {
    let mut rows = Vec::new();
    for id in session.track_ids() {
        let track = session.track(id);
        if track.role != stepscope_model::TrackRole::Stream {
            continue;
        }
        let device = track.device.map_or(0, |device| device.0);
        for lane in &track.lanes {
            for index in 0..lane.len() {
                let label = session.label(lane.labels()[index]);
                let name = session.text(label.name);
                let op = label.op.map_or("?", |op| session.text(session.op(op).name));
                assert_eq!(label.op.is_none(), label.attribution == Attribution::None);
                let how = match label.attribution {
                    Attribution::None => "",
                    how => how.name(),
                };
                let row = format!("{name} -> {op} {how}");
                rows.push((device, lane.starts()[index], row.trim_end().to_owned()));
            }
        }
    }
    rows.sort();
    let rows: Vec<String> = rows.into_iter().map(|(_, _, row)| row).collect();
    rows.join("\n")
}

fn reasons(session: &Session) -> Vec<(OpenReason, usize)> {
    let mut all: Vec<(OpenReason, usize)> = session
        .graphs
        .iter()
        .flat_map(|graph| graph.open.iter().map(|&(reason, count, _)| (reason, count)))
        .collect();
    all.sort_unstable();
    all
}

/// A program as XLA wrote it until 2025: the graph is a computation that a call runs.
const CALLED: &str = "
    program 5 jit_step
      computation fused_add
        fa.0 = f32[16] parameter(0)
        ROOT fa.1 = f32[16] add(fa.0, fa.0)
      computation fused_mul
        fm.0 = f32[16] parameter(0)
        ROOT fm.1 = f32[16] multiply(fm.0, fm.0)
      computation command_buffer
        q.0 = f32[16] parameter(0)
        loop_add_fusion.1 = f32[16] fusion(q.0), kind=kLoop, calls=fused_add
        custom-call.2 = f32[16] custom-call(loop_add_fusion.1), custom_call_target=\"__cublas$gemm\"
        copy.5 = f32[16] copy(custom-call.2)
        custom-call.3 = f32[16] custom-call(copy.5), custom_call_target=\"__cublas$gemm\"
        ROOT loop_multiply_fusion = f32[16] fusion(custom-call.3), kind=kLoop, calls=fused_mul
      entry main
        p.0 = f32[16] parameter(0)
        ROOT call.4 = f32[16] call(p.0), to_apply=command_buffer
";

#[test]
fn names_first_then_the_order_between_them() {
    let session = session(&format!(
        "{CALLED}
         thread main/1
         repeat 2 every 100us
           0..20us jit_step:XLA GPU module
           1..9us  call.4
           2..4us  cuGraphLaunch [correlation_id=$i]
         end
         device gpu:0 nvidia H100
         stream 7 Compute
         each [cuda_graph_id=4 hlo_module=jit_step program_id=5 hlo_op=call.4]
         repeat 2 every 100us
           30..31us loop_add_fusion_1 [correlation_id=$i cuda_graph_node_id=17179869185]
           31..35us nvjet_hsh_128x256 [correlation_id=$i cuda_graph_node_id=17179869186]
           35..36us cublasLt::splitKreduce_kernel [correlation_id=$i cuda_graph_node_id=17179869187]
           36..37us MemcpyD2D [correlation_id=$i cuda_graph_node_id=17179869188 memcpy_details='kind_src:device kind_dst:device size:64 dest:0 async:1']
           37..41us nvjet_hsh_64x64 [correlation_id=$i cuda_graph_node_id=17179869189]
           41..42us loop_multiply_fusion [correlation_id=$i cuda_graph_node_id=17179869190]
         end"
    ));
    let once = "loop_add_fusion_1 -> loop_add_fusion.1 exact_name
        nvjet_hsh_128x256 -> custom-call.2 between_anchors
        cublasLt::splitKreduce_kernel -> custom-call.2 between_anchors
        MemcpyD2D -> copy.5 between_anchors
        nvjet_hsh_64x64 -> custom-call.3 between_anchors
        loop_multiply_fusion -> loop_multiply_fusion exact_name";
    assert_text(&found(&session), &format!("{once}\n{once}"));
    let [graph] = session.graphs.as_slice() else {
        panic!("one graph, not {:?}", session.graphs);
    };
    assert_eq!((graph.launches, graph.detail), (2, GraphDetail::Nodes));
    assert_eq!(session.text(graph.name), "call.4");
    assert_eq!(graph.found[Attribution::ExactName as usize].0, 4);
    assert_eq!(graph.found[Attribution::BetweenAnchors as usize].0, 8);
    assert!(graph.open.is_empty());
}

/// A program as XLA writes it since: thunks in a row become a graph, which the program does not
/// list. What ran on its own bounds it.
const ENTRY: &str = "
    program 5 jit_step
      computation fused_a
        fa.0 = f32[16] parameter(0)
        ROOT fa.1 = f32[16] add(fa.0, fa.0)
      computation fused_b
        fb.0 = f32[16] parameter(0)
        ROOT fb.1 = f32[16] multiply(fb.0, fb.0)
      computation fused_c
        fc.0 = f32[16] parameter(0)
        ROOT fc.1 = f32[16] subtract(fc.0, fc.0)
      entry main
        p.0 = f32[16] parameter(0)
        gemm.1 = f32[16] custom-call(p.0), custom_call_target=\"__cublas$gemm\"
        all-reduce.1 = f32[16] all-reduce(gemm.1), to_apply=fused_a
        gemm.2 = f32[16] custom-call(all-reduce.1), custom_call_target=\"__cublas$gemm\"
        fusion.a = f32[16] fusion(gemm.2), kind=kLoop, calls=fused_a
        fusion.b = f32[16] fusion(fusion.a), kind=kLoop, calls=fused_b
        gemm.3 = f32[16] custom-call(fusion.b), custom_call_target=\"__cublas$gemm\"
        all-reduce.2 = f32[16] all-reduce(gemm.3), to_apply=fused_a
        gemm.4 = f32[16] custom-call(all-reduce.2), custom_call_target=\"__cublas$gemm\"
        ROOT fusion.c = f32[16] fusion(gemm.4), kind=kLoop, calls=fused_c
";

#[test]
fn a_graph_that_the_program_does_not_list_lies_between_ops_that_ran_on_their_own() {
    let session = session(&format!(
        "{ENTRY}
         thread main/1
           0..90us jit_step:XLA GPU module
           10..20us command_buffer_3
           11..12us cuGraphLaunch [correlation_id=1]
           30..40us command_buffer_9
           31..32us cuGraphLaunch [correlation_id=2]
         device gpu:0 nvidia H100
         stream 7 Compute
         each [hlo_module=jit_step program_id=5]
           20..21us ncclDevKernel_AllReduce_Sum_f32 [hlo_op=all-reduce.1]
           21..24us nvjet_x [hlo_op=command_buffer_3 correlation_id=1 cuda_graph_id=4 cuda_graph_node_id=1]
           24..25us fusion_a [hlo_op=command_buffer_3 correlation_id=1 cuda_graph_id=4 cuda_graph_node_id=2]
           25..26us fusion_b [hlo_op=command_buffer_3 correlation_id=1 cuda_graph_id=4 cuda_graph_node_id=3]
           26..29us nvjet_x [hlo_op=command_buffer_3 correlation_id=1 cuda_graph_id=4 cuda_graph_node_id=4]
           29..30us ncclDevKernel_AllReduce_Sum_f32 [hlo_op=all-reduce.2]
           40..43us nvjet_x [hlo_op=command_buffer_9 correlation_id=2 cuda_graph_id=6 cuda_graph_node_id=1]
           43..44us fusion_c [hlo_op=command_buffer_9 correlation_id=2 cuda_graph_id=6 cuda_graph_node_id=2]"
    ));
    assert_text(
        &found(&session),
        "ncclDevKernel_AllReduce_Sum_f32 -> all-reduce.1 recorded
         nvjet_x -> gemm.2 between_anchors
         fusion_a -> fusion.a exact_name
         fusion_b -> fusion.b exact_name
         nvjet_x -> gemm.3 between_anchors
         ncclDevKernel_AllReduce_Sum_f32 -> all-reduce.2 recorded
         nvjet_x -> gemm.4 between_anchors
         fusion_c -> fusion.c exact_name",
    );
    assert_eq!(session.graphs.len(), 2);
}

/// Without names and with an op too many, several ways fit.
#[test]
fn what_could_be_another_op_stays_open() {
    let session = session(
        "program 5 jit_step
           computation command_buffer
             q.0 = f32[16] parameter(0)
             gemm.1 = f32[16] custom-call(q.0), custom_call_target=\"__cublas$gemm\"
             gemm.2 = f32[16] custom-call(gemm.1), custom_call_target=\"__cublas$gemm\"
             gemm.3 = f32[16] custom-call(gemm.2), custom_call_target=\"__cublas$gemm\"
             ROOT copy.1 = f32[16] copy(gemm.3)
           entry main
             p.0 = f32[16] parameter(0)
             ROOT call.4 = f32[16] call(p.0), to_apply=command_buffer
         device gpu:0 nvidia H100
         stream 7 Compute
         each [cuda_graph_id=4 hlo_module=jit_step program_id=5 hlo_op=call.4 correlation_id=1]
           30..31us nvjet_a [cuda_graph_node_id=1]
           31..32us nvjet_b [cuda_graph_node_id=2]
           32..33us MemcpyD2D [cuda_graph_node_id=3 memcpy_details='size:64']
           33..34us mystery_kernel(float*) [cuda_graph_node_id=4]",
    );
    assert_text(
        &found(&session),
        "nvjet_a -> ?
         nvjet_b -> ?
         MemcpyD2D -> copy.1 by_order
         mystery_kernel(float*) -> ?",
    );
    assert_eq!(
        reasons(&session),
        [(OpenReason::NothingFits, 1), (OpenReason::SeveralFit, 2)]
    );
}

/// XLA uses one kernel for ops that compute the same, named after the first of them.
#[test]
fn a_kernel_used_again_is_told_by_the_order() {
    let session = session(
        "program 5 jit_step
           computation fused_a
             fa.0 = f32[16] parameter(0)
             ROOT fa.1 = f32[16] add(fa.0, fa.0)
           computation fused_b
             fb.0 = f32[16] parameter(0)
             ROOT fb.1 = f32[16] add(fb.0, fb.0)
           computation fused_c
             fc.0 = f32[16] parameter(0)
             ROOT fc.1 = f32[16] tanh(fc.0)
           computation command_buffer
             q.0 = f32[16] parameter(0)
             add.a = f32[16] fusion(q.0), kind=kLoop, calls=fused_a
             tanh.c = f32[16] fusion(add.a), kind=kLoop, calls=fused_c
             ROOT add.b = f32[16] fusion(tanh.c), kind=kLoop, calls=fused_b
           entry main
             p.0 = f32[16] parameter(0)
             ROOT call.4 = f32[16] call(p.0), to_apply=command_buffer
         device gpu:0 nvidia H100
         stream 7 Compute
         each [cuda_graph_id=4 hlo_module=jit_step program_id=5 hlo_op=call.4 correlation_id=1]
           30..31us add_a [cuda_graph_node_id=1]
           31..32us tanh_c [cuda_graph_node_id=2]
           32..33us add_a [cuda_graph_node_id=3]",
    );
    assert_text(
        &found(&session),
        "add_a -> add.a between_anchors
         tanh_c -> tanh.c exact_name
         add_a -> add.b between_anchors",
    );
}

/// HIP records kernels with the correlation of the launch and no nodes.
#[test]
fn graphs_without_nodes_are_ordered_by_time() {
    let session = session(&format!(
        "{CALLED}
         thread main/1
           0..20us jit_step:XLA GPU module
           1..9us  call.4
           2..4us  hipGraphLaunch [correlation_id=1]
         device gpu:0 amd MI300X
         stream 1 Compute
           30..31us loop_add_fusion_1.kd [correlation_id=1]
           31..35us Cijk_Ailk_Bljk_BBS [correlation_id=1]
           36..37us __amd_rocclr_copyBuffer.kd [correlation_id=1]
         stream 2 Compute
           37..41us Cijk_Ailk_Bljk_BBS [correlation_id=1]
           41..42us loop_multiply_fusion.kd [correlation_id=1]"
    ));
    assert_text(
        &found(&session),
        "loop_add_fusion_1.kd -> loop_add_fusion.1 exact_name
         Cijk_Ailk_Bljk_BBS -> custom-call.2 between_anchors
         __amd_rocclr_copyBuffer.kd -> copy.5 between_anchors
         Cijk_Ailk_Bljk_BBS -> custom-call.3 between_anchors
         loop_multiply_fusion.kd -> loop_multiply_fusion exact_name",
    );
    assert_eq!(session.graphs[0].detail, GraphDetail::Kernels);
}

#[test]
fn a_graph_recorded_as_a_whole_is_its_command_buffer() {
    let session = session(&format!(
        "{CALLED}
         thread main/1
           0..20us jit_step:XLA GPU module
           1..9us  call.4
           2..4us  cuGraphLaunch [correlation_id=1]
         device gpu:0 nvidia H100
         stream 7 Compute
           30..60us CudaGraphExec:9 [correlation_id=1 cuda_graph_id=9 cuda_graph_exec_id=9]"
    ));
    assert_text(&found(&session), "CudaGraphExec:9 -> call.4 recorded");
    assert_eq!(session.graphs[0].detail, GraphDetail::Whole);
}

/// Every device has a graph of its own; ids of nodes repeat.
#[test]
fn one_program_on_two_devices_and_another_program() {
    let session = session(&format!(
        "{CALLED}
         program 6 jit_other
           computation fused_o
             fo.0 = f32[16] parameter(0)
             ROOT fo.1 = f32[16] add(fo.0, fo.0)
           computation command_buffer.1
             o.0 = f32[16] parameter(0)
             ROOT loop_add_fusion.1 = f32[16] fusion(o.0), kind=kLoop, calls=fused_o
           entry main.1
             op.0 = f32[16] parameter(0)
             ROOT call.9 = f32[16] call(op.0), to_apply=command_buffer.1
         device gpu:0 nvidia H100
         stream 7 Compute
           30..31us loop_add_fusion_1 [correlation_id=1 cuda_graph_id=4 cuda_graph_node_id=1 program_id=5 hlo_module=jit_step hlo_op=call.4]
           31..32us loop_multiply_fusion [correlation_id=1 cuda_graph_id=4 cuda_graph_node_id=2 program_id=5 hlo_module=jit_step hlo_op=call.4]
           40..41us loop_add_fusion_1 [correlation_id=3 cuda_graph_id=8 cuda_graph_node_id=1 program_id=6 hlo_module=jit_other hlo_op=call.9]
         device gpu:1 nvidia H100
         stream 7 Compute
           30..31us loop_add_fusion_1 [correlation_id=2 cuda_graph_id=5 cuda_graph_node_id=1 program_id=5 hlo_module=jit_step hlo_op=call.4]
           31..32us loop_multiply_fusion [correlation_id=2 cuda_graph_id=5 cuda_graph_node_id=2 program_id=5 hlo_module=jit_step hlo_op=call.4]"
    ));
    let programs: Vec<String> = session
        .graphs
        .iter()
        .map(|graph| {
            let program = graph.program.map(|id| session.program(id).name.clone());
            format!("{} {}", graph.device.0, program.unwrap_or_default())
        })
        .collect();
    assert_eq!(programs, ["0 jit_step", "0 jit_other", "1 jit_step"]);
    assert_text(
        &found(&session),
        "loop_add_fusion_1 -> loop_add_fusion.1 exact_name
         loop_multiply_fusion -> loop_multiply_fusion exact_name
         loop_add_fusion_1 -> loop_add_fusion.1 exact_name
         loop_add_fusion_1 -> loop_add_fusion.1 exact_name
         loop_multiply_fusion -> loop_multiply_fusion exact_name",
    );
}

/// A kernel that the recorder dropped in one launch stands in another.
#[test]
fn nodes_are_put_together_from_all_launches() {
    let session = session(&format!(
        "{CALLED}
         device gpu:0 nvidia H100
         stream 7 Compute
         each [cuda_graph_id=4 hlo_module=jit_step program_id=5 hlo_op=call.4]
           30..31us nvjet_b [correlation_id=1 cuda_graph_node_id=5]
           31..32us loop_multiply_fusion [correlation_id=1 cuda_graph_node_id=6]
           50..51us loop_add_fusion_1 [correlation_id=2 cuda_graph_node_id=1]
           51..52us nvjet_a [correlation_id=2 cuda_graph_node_id=2]
           52..53us nvjet_b [correlation_id=2 cuda_graph_node_id=5]"
    ));
    assert_text(
        &found(&session),
        "nvjet_b -> custom-call.3 between_anchors
         loop_multiply_fusion -> loop_multiply_fusion exact_name
         loop_add_fusion_1 -> loop_add_fusion.1 exact_name
         nvjet_a -> custom-call.2 between_anchors
         nvjet_b -> custom-call.3 between_anchors",
    );
}

/// A loop that the graph runs by itself: its condition stands before the loop and again in the
/// body, whose nodes come after all others and run several times.
#[test]
fn loops_within_a_graph() {
    let session = session(
        "program 5 jit_step
           computation fused_a
             fa.0 = f32[16] parameter(0)
             ROOT fa.1 = f32[16] add(fa.0, fa.0)
           computation fused_b
             fb.0 = f32[16] parameter(0)
             ROOT fb.1 = f32[16] tanh(fb.0)
           computation fused_less
             fl.0 = f32[16] parameter(0)
             ROOT fl.1 = pred[] compare(fl.0, fl.0)
           computation body
             b.0 = f32[16] parameter(0)
             gemm.body = f32[16] custom-call(b.0), custom_call_target=\"__cublas$gemm\"
             ROOT fusion.body = f32[16] fusion(gemm.body), kind=kLoop, calls=fused_a
           computation cond
             c.0 = f32[16] parameter(0)
             ROOT fusion.cond = pred[] fusion(c.0), kind=kLoop, calls=fused_less
           computation command_buffer
             q.0 = f32[16] parameter(0)
             while.1 = f32[16] while(q.0), body=body, condition=cond
             gemm.after = f32[16] custom-call(while.1), custom_call_target=\"__cublas$gemm\"
             ROOT fusion.after = f32[16] fusion(gemm.after), kind=kLoop, calls=fused_b
           entry main
             p.0 = f32[16] parameter(0)
             ROOT call.4 = f32[16] call(p.0), to_apply=command_buffer
         device gpu:0 nvidia H100
         stream 7 Compute
         each [cuda_graph_id=4 hlo_module=jit_step program_id=5 hlo_op=call.4 correlation_id=1]
           30..31us fusion_cond [cuda_graph_node_id=1]
           31..32us stream_executor::cuda::SetWhileConditionKernel [cuda_graph_node_id=2]
         repeat 2 every 10us
           40..41us nvjet_a [cuda_graph_node_id=6]
           41..42us fusion_body [cuda_graph_node_id=7]
           42..43us fusion_cond [cuda_graph_node_id=8]
         end
           70..71us nvjet_a [cuda_graph_node_id=4]
           71..72us fusion_after [cuda_graph_node_id=5]",
    );
    let turn = "nvjet_a -> gemm.body between_anchors
        fusion_body -> fusion.body exact_name
        fusion_cond -> fusion.cond exact_name";
    assert_text(
        &found(&session),
        &format!(
            "fusion_cond -> fusion.cond exact_name
             stream_executor::cuda::SetWhileConditionKernel -> while.1 between_anchors
             {turn}
             {turn}
             nvjet_a -> gemm.after between_anchors
             fusion_after -> fusion.after exact_name"
        ),
    );
}

/// Ops of a graph that was switched off for the capture carry their own names.
#[test]
fn graphs_that_were_switched_off_need_nothing() {
    let session = session(&format!(
        "{CALLED}
         thread main/1
           0..20us jit_step:XLA GPU module
           1..9us  command_buffer_1 (disabled for profiling)
           2..3us  cuLaunchKernel [correlation_id=1]
         device gpu:0 nvidia H100
         stream 7 Compute
         each [hlo_module=jit_step program_id=5]
           30..31us loop_add_fusion_1 [correlation_id=1 hlo_op=loop_add_fusion.1]"
    ));
    assert_text(
        &found(&session),
        "loop_add_fusion_1 -> loop_add_fusion.1 recorded",
    );
    assert!(session.graphs.is_empty());
}

/// Without HLO the name of the command buffer is all there is.
#[test]
fn without_hlo_the_command_buffer_is_all_that_is_known() {
    let session = session(
        "device gpu:0 nvidia H100
         stream 7 Compute
           30..31us fusion_a [correlation_id=1 cuda_graph_id=4 cuda_graph_node_id=1 hlo_module=jit_step program_id=5 hlo_op=command_buffer_3]
           50..51us fusion_a [correlation_id=2 cuda_graph_id=9 cuda_graph_node_id=1]",
    );
    assert_text(
        &found(&session),
        "fusion_a -> command_buffer_3 recorded\nfusion_a -> ?",
    );
    assert_eq!(
        reasons(&session),
        [(OpenReason::NoProgram, 1), (OpenReason::NoHlo, 1)]
    );
}

#[test]
fn correlations_hold_within_one_host() {
    let host = format!(
        "{CALLED}
         device gpu:0 nvidia H100
         stream 7 Compute
         each [cuda_graph_id=4 hlo_module=jit_step program_id=5 hlo_op=call.4 correlation_id=1]
           30..31us loop_add_fusion_1 [cuda_graph_node_id=1]
           31..32us loop_multiply_fusion [cuda_graph_node_id=2]"
    );
    let session = sessions(&[&host, &host]);
    let launches: Vec<usize> = session.graphs.iter().map(|graph| graph.launches).collect();
    assert_eq!(launches, [1, 1]);
}
