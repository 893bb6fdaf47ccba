//! The oracle on synthetic profiles small enough to compute by hand.

use stepscope_testing::drawing::draw;
use stepscope_testing::oracle::{self, Device, KernelTime, OpKey, OpTime};

const MICRO: i128 = 1_000_000;

fn key(program_id: u64, name: &str) -> OpKey {
    OpKey {
        program_id: Some(program_id),
        name: name.into(),
    }
}

fn time(occurrences: u64, total_us: i128, self_us: i128) -> OpTime {
    OpTime {
        occurrences,
        total_ps: total_us * MICRO,
        self_ps: self_us * MICRO,
    }
}

#[test]
fn self_time_is_duration_less_direct_children() {
    let space = draw(
        "device tpu:0 v6e
         line XLA Ops
           0..100us %while.1 = (s32[]) while((s32[]) %t)  {program_id=12190760917235803885}
           0..40us  fusion.2  {program_id=12190760917235803885}
           10..30us copy.3    {program_id=12190760917235803885}
           50..90us fusion.2
           120..130us fusion.2 {program_id=7}",
    )
    .unwrap();
    let ops = oracle::ops(&space, Device::Tpu(0));
    let program = 12_190_760_917_235_803_885;
    let expected = [
        (key(7, "fusion.2"), time(1, 10, 10)),
        (key(program, "copy.3"), time(1, 20, 20)),
        // 40 us minus the 20 us of the copy, and 40 us.
        (key(program, "fusion.2"), time(2, 80, 60)),
        // 100 us minus two fusions of 40 us; the copy is a grandchild.
        (key(program, "while.1"), time(1, 100, 20)),
    ];
    assert!(ops.into_iter().eq(expected));
    assert_eq!(oracle::busy_ps(&space, Device::Tpu(0)), 110 * MICRO);
    assert_eq!(
        oracle::span_ps(&space, Device::Tpu(0)),
        Some((0, 130 * MICRO))
    );
}

#[test]
fn of_equal_spans_the_earlier_is_the_parent() {
    let space = draw(
        "device tpu:0 v6e
         line XLA Ops
           0..10us outer {program_id=1}
           0..10us inner {program_id=1}
           0..4us  leaf  {program_id=1}",
    )
    .unwrap();
    let ops = oracle::ops(&space, Device::Tpu(0));
    assert_eq!(ops[&key(1, "outer")], time(1, 10, 0));
    assert_eq!(ops[&key(1, "inner")], time(1, 10, 6));
    assert_eq!(ops[&key(1, "leaf")], time(1, 4, 4));
}

#[test]
fn a_slice_that_overlaps_is_no_child() {
    let space = draw(
        "device tpu:0 v6e
         line XLA Ops
           0..20us  whole   {program_id=1}
           2..10us  first   {program_id=1}
           5..15us  second  {program_id=1}
           16..25us outside {program_id=1}",
    )
    .unwrap();
    let ops = oracle::ops(&space, Device::Tpu(0));
    assert_eq!(ops[&key(1, "whole")], time(1, 20, 2));
    assert_eq!(ops[&key(1, "first")], time(1, 8, 8));
    assert_eq!(ops[&key(1, "second")], time(1, 10, 10));
    assert_eq!(ops[&key(1, "outside")], time(1, 9, 9));
    assert_eq!(oracle::busy_ps(&space, Device::Tpu(0)), 25 * MICRO);
}

#[test]
fn tpu_ops_are_also_measured_on_the_device_clock() {
    let space = draw(
        "device tpu:0 v6e
         line XLA Ops
           0..10us  a [device_offset_ps=5000000 device_duration_ps=8000000] {program_id=1}
           20..30us b {program_id=1}",
    )
    .unwrap();
    assert_eq!(
        oracle::ops(&space, Device::Tpu(0))[&key(1, "a")],
        time(1, 10, 10)
    );
    let ops = oracle::ops_on_device_clock(&space, Device::Tpu(0));
    assert_eq!(ops[&key(1, "a")], time(1, 8, 8));
    assert_eq!(ops[&key(1, "b")], time(1, 10, 10));
}

#[test]
fn streams_are_one_device_and_derived_lines_are_not_work() {
    let space = draw(
        "device gpu:0 nvidia H100
         stream 7 Compute
           0..10us gemm [hlo_op=dot.1 program_id=5 kernel_details=\"regs:32 grid:1,1,1\"]
           20..26us gemm [hlo_op=dot.1 program_id=5 kernel_details=\"regs:32 grid:1,1,1\"]
         stream 9 MemcpyH2D
           5..15us MemcpyH2D [memcpy_details=\"kind_src:pinned size:64\"]
         line XLA Ops [id=-559038732]
           0..500us dot.1 {program_id=5}
         line Stream #1(derived) [id=-559038737]
           0..500us dot.1",
    )
    .unwrap();
    let gpu = Device::Gpu(0);
    assert_eq!(oracle::slices(&space, gpu).len(), 3);
    assert_eq!(oracle::busy_ps(&space, gpu), 21 * MICRO);
    assert_eq!(oracle::ops(&space, gpu)[&key(5, "dot.1")], time(2, 16, 16));
    let kernels = oracle::kernels(&space, gpu);
    let gemm = KernelTime {
        occurrences: 2,
        total_ps: 16 * MICRO,
        min_ps: 6 * MICRO,
        max_ps: 10 * MICRO,
    };
    assert!(kernels.into_iter().eq([("gemm".into(), gemm)]));
}

#[test]
fn cpu_devices_come_from_the_ordinal_and_launches_are_no_work() {
    let space = draw(
        "thread tf_XLAEigen/1
           0..10us fusion.1 [hlo_op=fusion.1 program_id=0 device_ordinal=1]
           10us end: fusion.1
           4..6us fusion.2 [hlo_op=fusion.2 program_id=0 device_ordinal=1]
         thread tf_XLAEigen/2
           5..12us fusion.1 [hlo_op=fusion.1 program_id=0 device_ordinal=1]
           20..22us fusion.1 [hlo_op=fusion.1 program_id=0 device_ordinal=0]
         thread Host Threads/3
           0..9us hipModuleLaunchKernel [hlo_op=x program_id=0 correlation_id=4]",
    )
    .unwrap();
    let devices = oracle::device_slices(&space);
    assert!(devices.into_keys().eq([Device::Cpu(0), Device::Cpu(1)]));
    let ops = oracle::ops(&space, Device::Cpu(1));
    // Threads nest separately: fusion.2 is a child on thread 1 only.
    assert_eq!(ops[&key(0, "fusion.1")], time(2, 17, 15));
    assert_eq!(ops[&key(0, "fusion.2")], time(1, 2, 2));
    assert_eq!(oracle::busy_ps(&space, Device::Cpu(1)), 12 * MICRO);
    assert_eq!(oracle::busy_ps(&space, Device::Cpu(0)), 2 * MICRO);
}

#[test]
fn planes_of_one_name_and_lines_of_one_id_are_one() {
    let space = draw(
        "device tpu:0 v6e
         line XLA Ops
           0..10us a {program_id=1}
         split
         device tpu:0
         line XLA Ops
           2..5us b {program_id=1}
         line XLA Ops",
    )
    .unwrap();
    assert_eq!(space.planes.len(), 2);
    let ops = oracle::ops(&space, Device::Tpu(0));
    assert_eq!(ops[&key(1, "a")], time(1, 10, 7));
    let counts = oracle::event_counts(&space);
    assert!(counts.into_iter().eq([(("/device:TPU:0".into(), 3), 2)]));
}

#[test]
fn steps_are_annotations_and_step_lines() {
    let space = draw(
        "thread python
           0..90us  train #_r=1,step_num=3#
           5..6us   train #step_num=3#
           100..190us eval #_r=2,step_num=1#
         device tpu:1 v6e
         line Steps
           10..80us 3",
    )
    .unwrap();
    let steps = oracle::steps(&space);
    assert_eq!(steps.len(), 2);
    assert_eq!(
        (steps[0].device, steps[0].number, &steps[0].name[..]),
        (None, Some(3), "train")
    );
    assert_eq!(steps[0].duration_ps, 90 * MICRO);
    assert_eq!(
        (steps[1].device, steps[1].number),
        (Some(Device::Tpu(1)), Some(3))
    );
    assert_eq!(
        (steps[1].start_ps, steps[1].duration_ps),
        (10 * MICRO, 70 * MICRO)
    );
}

#[test]
fn times_beyond_64_bits_are_exact() {
    let space = draw(
        "origin 1795250818s
         thread python [at=100us]
           100us+5ps a",
    )
    .unwrap();
    let event = &oracle::events(&space)[0];
    assert_eq!(event.start_ps, 1_795_250_818_000_100_000_000);
    assert!(event.start_ps > i128::from(u64::MAX));
    assert_eq!(event.duration_ps, 5);
}

#[test]
fn aggregated_events_are_counted_but_are_no_slices() {
    let space = draw(
        "device tpu:0 v6e
         line XLA Ops
           x5 30us fusion.1 {program_id=1}",
    )
    .unwrap();
    assert_eq!(oracle::event_total(&space), 1);
    assert_eq!(oracle::events(&space)[0].occurrences, Some(5));
    assert!(oracle::device_slices(&space).is_empty());
}
