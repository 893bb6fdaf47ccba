//! GPUs: arrows from launches to kernels, kernels without an op, runs, copies.

use crate::support::{assert_text, label, runs, session, slice, slices, stats, warnings};
use stepscope_model::{Class, Direction, FlowKind, HostId, SliceKind};

/// `from -> to` of every arrow, by name.
fn arrows(session: &stepscope_model::Session) -> Vec<String> {
    let names = slices(session);
    let name = |id| {
        names
            .iter()
            .find(|(other, _)| *other == id)
            .map_or("nothing", |found| found.1)
    };
    let mut arrows = Vec::new();
    for host in session.host_ids() {
        for flow in session.flows_of(host).all() {
            arrows.push(format!("{} -> {}", name(flow.from), name(flow.to)));
        }
    }
    arrows
}

#[test]
fn launches_point_at_what_they_launched() {
    let session = session(
        "thread main/1
           0..2us cuLaunchKernel [correlation_id=1]
           3..4us cuMemcpyHtoDAsync [correlation_id=2]
           5..6us cuLaunchKernel [correlation_id=3]
         device gpu:0 nvidia H100
         stream 7 Compute,MemcpyH2D
           10..20us gemm [correlation_id=1]
           20..21us MemcpyH2D [correlation_id=2 memcpy_details='kind_src:pinned kind_dst:device size:4096 dest:0 async:1']
           22..23us orphan [correlation_id=9]",
    );
    assert_eq!(
        arrows(&session),
        ["cuLaunchKernel -> gemm", "cuMemcpyHtoDAsync -> MemcpyH2D"]
    );
    let flows = session.flows_of(HostId(0));
    let mut kinds = flows.all().iter().map(|flow| flow.kind);
    assert!(kinds.all(|kind| kind == FlowKind::Launch));
    let gemm = slice(&session, "gemm");
    assert_eq!(flows.to_slice(gemm).count(), 1);
    assert_eq!(flows.from_slice(gemm).len(), 0);
    let copy = label(&session, "MemcpyH2D");
    assert_eq!((copy.kind, copy.class), (SliceKind::Transfer, Class::Copy));
    let transfer = copy.transfer.expect("a copy");
    assert_eq!(
        (transfer.direction, transfer.bytes),
        (Direction::HostToDevice, Some(4096))
    );
}

#[test]
fn correlation_ids_hold_within_one_host() {
    let session = crate::support::sessions(&[
        "thread main/1\n 0..2us first [correlation_id=1]
         device gpu:0 nvidia H100\n stream 7 Compute\n 10..20us here [correlation_id=1]",
        "thread main/1\n 0..2us second [correlation_id=1u]
         device gpu:0 nvidia H100\n stream 7 Compute\n 10..20us there [correlation_id=1.0]",
    ]);
    assert_eq!(arrows(&session), ["first -> here", "second -> there"]);
}

/// A graph launch has one correlation id and many kernels; they name no op.
#[test]
fn kernels_of_a_graph_count_for_the_program_that_launched_it() {
    let session = session(
        "program 5 jit_step
           p.0 = f32[8,8] parameter(0)
           ROOT dot.1 = f32[8,8] dot(p.0, p.0)
         thread main/1
           0..100us jit_step:XLA GPU module
           5..90us  [1]Execute
           10..12us cuGraphLaunch [correlation_id=1]
           200..300us jit_step:XLA GPU module
           210..212us cuGraphLaunch [correlation_id=2]
           400..402us cuLaunchKernel [correlation_id=3]
         device gpu:0 nvidia H100
         stream 7 Compute
           20..30us   a [correlation_id=1 cuda_graph_id=4]
           30..40us   b [correlation_id=1 cuda_graph_id=4]
           45..50us   MemcpyD2D [correlation_id=1]
           220..230us a [correlation_id=2 cuda_graph_id=4]
           410..420us a [correlation_id=3]",
    );
    let programs: Vec<_> = slices(&session)
        .into_iter()
        .filter(|(id, _)| session.track(id.track).device.is_some())
        .filter_map(|(id, name)| {
            let lane = session.lane(id.track, id.lane)?;
            let label = session.label(lane.labels()[id.index as usize]);
            (label.kind == SliceKind::Kernel).then(|| {
                let program = label.program.map(|id| session.program(id).title());
                (name, program.unwrap_or_default())
            })
        })
        .collect();
    let step = "jit_step(5)".to_owned();
    let expected = [
        ("a", step.clone()),
        ("b", step.clone()),
        ("a", step),
        ("a", String::new()),
    ];
    assert_eq!(programs, expected);
    assert_text(
        &runs(&session),
        "jit_step(5) GPU:0 20us..50us launched 0us
         jit_step(5) GPU:0 220us..230us launched 200us",
    );
    assert!(
        warnings(&session)
            .iter()
            .any(|text| text.starts_with("3 kernels have no HLO op"))
    );
}

#[test]
fn runs_without_launches_begin_where_the_first_op_returns() {
    let session = session(
        "device gpu:0 nvidia H100
         stream 7 Compute
         each [hlo_module=jit_step program_id=5 hlo_op=$name]
           0..10us a
           10..20us b
           20..25us b
           30..40us a
           40..50us b",
    );
    assert_text(
        &runs(&session),
        "jit_step(5) GPU:0 0us..25us\njit_step(5) GPU:0 30us..50us",
    );
    let row = crate::support::track(&session, "Program runs");
    assert_eq!(row.slice_count(), 2);
    assert_eq!(
        stats(&session, slice(&session, "jit_step(5)")),
        "",
        "a derived slice"
    );
}

#[test]
fn kernels_have_launch_geometry_and_class() {
    let session = session(
        "device gpu:0 nvidia H100
         stream 7 Compute
           0..1us ampere_sgemm_128x64_nn [kernel_details='regs:32 static_shared:16 dynamic_shared:1024 grid:4,1,1 block:128,1,1 occ_pct:50']
           1..2us ncclDevKernel_AllReduce_Sum_f32
           2..3us flash_fwd_kernel
           3..4us loop_fusion [kernel_details='shm:9223372036854775807 group_mem:9223372036854775807 junk grid:']
           4..5us Memset [memset_details='kind:Device num_bytes:64 async:1']",
    );
    let gemm = label(&session, "ampere_sgemm_128x64_nn");
    let launch = session.launch(gemm.launch.expect("recorded"));
    assert_eq!(
        (launch.registers, launch.shared_bytes),
        (Some(32), Some(1040))
    );
    assert_eq!((&launch.grid[..], &launch.block[..]), ("4,1,1", "128,1,1"));
    assert_eq!(launch.occupancy, Some(0.5));
    assert_eq!(gemm.class, Class::Matmul);
    assert_eq!(
        label(&session, "ncclDevKernel_AllReduce_Sum_f32").class,
        Class::Collective
    );
    assert_eq!(label(&session, "flash_fwd_kernel").class, Class::Attention);
    let odd = label(&session, "loop_fusion");
    let odd = session.launch(odd.launch.expect("recorded"));
    assert_eq!(odd.shared_bytes, Some(i64::MAX));
    let memset = label(&session, "Memset").transfer.expect("a memset");
    assert_eq!(
        (memset.direction, memset.bytes),
        (Direction::Memset, Some(64))
    );
}

/// Ids that return on every launch are identities, not arrows: pairs stay few.
#[test]
fn reused_ids_make_no_mesh_of_arrows() {
    let session = session(
        "thread main/1
         repeat 30 every 10us
           0..2us launch [correlation_id=1]
         end
         device gpu:0 nvidia H100
         stream 7 Compute
         repeat 1000 every 10us
           0..2us kernel [correlation_id=1]
         end",
    );
    assert_eq!(session.flows_of(HostId(0)).all().len(), 0);
}

/// AMD's runtime copies with kernels of one name; the calls that launch them say where to.
#[test]
fn copies_have_the_direction_of_their_launch() {
    let session = session(
        "device gpu:0 amd MI300X
         stream 1 Kernel
           10..12us __amd_rocclr_copyBuffer.kd [correlation_id=1]
           20..22us __amd_rocclr_copyBuffer.kd [correlation_id=2]
           30..32us __amd_rocclr_copyBuffer.kd [correlation_id=3]
           40..42us __amd_rocclr_copyBuffer.kd [correlation_id=4]
           50..52us __amd_rocclr_copyBuffer.kd [correlation_id=9]
           60..62us CopyDeviceToDevice [correlation_id=5]
           70..72us __amd_rocclr_fillBufferAligned.kd [correlation_id=6]
         thread main
           0..1us hipMemcpyHtoDAsync [correlation_id=1]
           1..2us hipMemcpyDtoDAsync [correlation_id=2]
           2..3us hipMemcpyAsync [correlation_id=3]
           3..4us hipMemcpyDtoHAsync [correlation_id=4]
           4..5us hipMemcpyHtoDAsync [correlation_id=5]
           5..6us hipMemsetD8Async [correlation_id=6]",
    );
    let stream = session
        .tracks
        .iter()
        .find(|track| track.device.is_some() && track.slice_count() > 0)
        .expect("a stream");
    let labels = stream.lanes.iter().flat_map(stepscope_model::Lane::labels);
    let told = labels.map(|&id| session.label(id)).map(|label| {
        let transfer = label.transfer.expect("a transfer");
        (transfer.direction, label.class)
    });
    let copy = |direction| (direction, Class::Copy);
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            copy(Direction::HostToDevice),
            copy(Direction::DeviceToDevice),
            copy(Direction::Other),
            copy(Direction::DeviceToHost),
            copy(Direction::Other),
            // What the copy itself says counts.
            copy(Direction::DeviceToDevice),
            (Direction::Memset, Class::Compute),
        ]
    );
}
