//! XLA:CPU: ops on host threads belong to virtual devices; markers and launches are no work.

use crate::support::{assert_picture, assert_text, label, runs, session, slice, stats};
use stepscope_model::{CostSource, HostId, SliceKind, TrackRole};

#[test]
fn ops_go_to_the_device_of_their_ordinal() {
    let session = session(
        "thread tf_XLAEigen/42
         each [hlo_op=$name hlo_module=jit_step program_id=5]
           0..10us dot.1   [device_ordinal=0 run_id=7 n=1]
           20..30us add.2  [device_ordinal=1 run_id=7 n=2]
           40..50us dot.1  [device_ordinal=0 run_id=8 n=3]
         thread tf_XLAEigen/43
           0..60us ThreadpoolListener::Region
         each [hlo_op=$name hlo_module=jit_step program_id=5]
           5..15us mul.3   [device_ordinal=0 run_id=7 n=4]",
    );
    assert_picture(
        &session,
        "programs CPU:0 \"Program runs\" #0
           0: jit_step(5) 0us..15us, jit_step(5) 40us..50us
         ops CPU:0 \"tf_XLAEigen/42\" #42
           0: dot.1 0us..10us, dot.1 40us..50us
         ops CPU:0 \"tf_XLAEigen/43\" #43
           0: mul.3 5us..15us
         programs CPU:1 \"Program runs\" #0
           0: jit_step(5) 20us..30us
         ops CPU:1 \"tf_XLAEigen/42\" #42
           0: add.2 20us..30us
         host_thread host0 \"tf_XLAEigen/43\" #43
           0: ThreadpoolListener::Region 0us..60us",
    );
    let number = |name| {
        stats(&session, slice(&session, name))
            .rsplit_once("n=")
            .map(|n| n.1.to_owned())
    };
    assert_eq!(
        ["add.2", "mul.3"].map(number),
        ["2", "4"].map(|n| Some(n.to_owned()))
    );
    assert_text(
        &runs(&session),
        "jit_step(5) CPU:0 0us..15us
         jit_step(5) CPU:1 20us..30us
         jit_step(5) CPU:0 40us..50us",
    );
}

#[test]
fn end_markers_are_no_work_and_have_no_arrows() {
    let session = session(
        "thread tf_XLAEigen/42
           0..10us dot.1 [hlo_op=dot.1 hlo_module=jit_step program_id=5 device_ordinal=0 _pt=5 _p=1]
           10us \"end: dot.1\" [_ct=5 _c=1]
           12us \"end: add.2\"",
    );
    assert_eq!(label(&session, "end: dot.1").kind, SliceKind::Marker);
    assert_eq!(label(&session, "end: add.2").kind, SliceKind::Marker);
    assert_eq!(session.flows_of(HostId(0)).all().len(), 0);
    assert_eq!(
        session
            .work_tracks(session.device_ids().next().expect("one"))
            .count(),
        1
    );
}

/// Arrow ends of ops must not be taken for ends of the thread's own slices.
#[test]
fn arrow_ends_of_ops_do_not_stray() {
    let session = session(
        "thread tf_XLAEigen/42
           0..1us own [_ct=5 _c=3]
         each [hlo_op=$name hlo_module=jit_step]
           10..20us dot.1 [_pt=5 _p=1 correlation_id=4]
           20..30us dot.2 [_pt=5 _p=2 correlation_id=4]
           30..40us dot.3 [_pt=5 _p=3 _ct=5 _c=1]
         thread python
           0..9us launch [_ct=5 _c=2]
           9..10us other [_pt=5 _p=3]",
    );
    let names = crate::support::slices(&session);
    for flow in session.flows_of(HostId(0)).all() {
        for end in [flow.from, flow.to] {
            assert!(
                names.iter().any(|(id, _)| *id == end),
                "{end:?} is no slice"
            );
        }
    }
    let own = slice(&session, "own");
    let flows = session.flows_of(HostId(0));
    let from: Vec<_> = flows.to_slice(own).map(|flow| flow.from).collect();
    assert_eq!(from, [slice(&session, "other")]);
}

#[test]
fn without_accelerators_an_op_needs_no_ordinal_and_no_id() {
    let session = session(
        "program 70 jit_step
           p.0 = f32[8,8] parameter(0)
           ROOT dot.1 = f32[8,8] dot(p.0, p.0), lhs_contracting_dims={1}, rhs_contracting_dims={0}
         thread tf_XLAEigen/42
           0..10us dot.1 [hlo_op=dot.1 hlo_module=jit_step run_id=3]",
    );
    assert_eq!(session.devices.len(), 1);
    assert_eq!(session.devices[0].name, "CPU:0");
    assert_eq!(session.programs.len(), 1, "{:?}", session.programs);
    assert_text(&runs(&session), "jit_step(70) CPU:0 0us..10us");
}

#[test]
fn with_accelerators_a_host_slice_that_names_an_op_launches_it() {
    let session = session(
        "thread main/1
           0..10us gemm_launch [hlo_op=dot.1 hlo_module=jit_step program_id=5 run_id=1]
           20..30us on_cpu [hlo_op=dot.2 hlo_module=jit_step program_id=5 device_ordinal=0 run_id=2]
         device gpu:0 nvidia H100
         stream 7 Compute
           2..5us gemm [hlo_op=dot.1 hlo_module=jit_step program_id=5 run_id=1]",
    );
    assert_eq!(label(&session, "gemm_launch").kind, SliceKind::Host);
    assert_eq!(label(&session, "on_cpu").kind, SliceKind::Op);
    let names: Vec<&str> = session
        .devices
        .iter()
        .map(|device| &device.name[..])
        .collect();
    assert_eq!(names, ["GPU:0", "CPU:0"]);
    // The run of the GPU is not taken for one of the CPU.
    assert_text(
        &runs(&session),
        "jit_step(5) GPU:0 2us..5us\njit_step(5) CPU:0 20us..30us",
    );
}

#[test]
fn ops_are_joined_with_their_hlo() {
    let session = session(
        "program 5 jit_step
           p.0 = f32[8,16] parameter(0)
           p.1 = f32[16,4] parameter(1)
           ROOT dot.1 = f32[8,4] dot(p.0, p.1), lhs_contracting_dims={1}, rhs_contracting_dims={0} op_name=\"jit(step)/mul\" source=\"train.py:7\"
         thread tf_XLAEigen/42
         each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
           0..10us dot.1
           10..20us unknown.9",
    );
    let op = session.op(label(&session, "dot.1").op.expect("joined"));
    assert_eq!(session.text(op.scope), "jit(step)/mul");
    assert_eq!(session.text(op.source), "train.py:7");
    let cost = op.cost.expect("a dot costs");
    assert_eq!(cost.source, CostSource::Hlo);
    assert_eq!(cost.flops, Some(2.0 * 8.0 * 4.0 * 16.0));
    assert_eq!(cost.bytes, 4.0 * (8.0 * 16.0 + 16.0 * 4.0 + 8.0 * 4.0));
    let unknown = session.op(label(&session, "unknown.9").op.expect("an op all the same"));
    assert!(unknown.cost.is_none());
    assert_eq!(session.text(unknown.category), "");
    let track = crate::support::track(&session, "tf_XLAEigen/42");
    assert_eq!(track.role, TrackRole::Ops);
}

/// A run that no recorded call started may have begun before the recording.
#[test]
fn the_first_step_without_a_call_is_cut() {
    let runs = |first_call: &str| {
        let session = session(&format!(
            "host vm
            thread python
              {first_call}
              30..32us   PjitFunction(step)
              60..62us   PjitFunction(step)
              90..92us   PjitFunction(step)
            thread tf_XLAEigen/1
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
              4..14us    dot.1 [run_id=1]
              33..53us   dot.1 [run_id=2]
              63..83us   dot.1 [run_id=3]
              93..113us  dot.1 [run_id=4]"
        ));
        let cut = session.steps.iter().map(|step| step.is_cut);
        cut.collect::<Vec<bool>>()
    };
    assert_eq!(runs("0..1us $train.py:1 main"), [true, false, false, true]);
    assert_eq!(
        runs("1..3us PjitFunction(step)"),
        [false, false, false, true]
    );
}

/// One function that is called for each device in turn: XLA compiles it for each of them, and counts the
/// calls in its run IDs.
#[test]
fn a_call_for_one_device_starts_a_run_on_that_device() {
    let text = "thread python
          repeat 4 every 100us
            0..90us   train #step_num=$i,_r=1#
            1..3us    PjitFunction(step)
            5..7us    PjitFunction(step)
            60..62us  PjitFunction(step)
            70..89us  block_until_ready
          end
        thread tf_XLAEigen/1
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 4 every 100us
          9..29us     dot.1 [run_id=1$i0]
        end
        thread tf_XLAEigen/2
        each [hlo_op=$name hlo_module=jit_step program_id=6 device_ordinal=1]
        repeat 4 every 100us
          8..58us     dot.1 [run_id=1$i1]
          63..69us    dot.1 [run_id=1$i2]
        end";
    let launches = |text: &str| {
        let session = session(text);
        assert_eq!(session.steps.len(), 4);
        assert!(session.steps.iter().all(|step| !step.is_cut));
        let runs = session.program_runs.iter().take(3);
        let launched = runs.map(|run| run.launched.expect("a call").0 / 1_000_000);
        launched.collect::<Vec<i64>>()
    };
    // The first call was for the first device, though its run began later.
    assert_eq!(launches(text), [5, 1, 60]);
    // Nothing counts calls where IDs are far apart: runs follow calls in time.
    assert_eq!(
        launches(&text.replace("run_id=1$i", "run_id=9$i00")),
        [1, 5, 60]
    );
}
