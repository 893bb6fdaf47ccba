//! The checks of the fuzz targets on a few thousand damaged profiles, always the same ones: bits
//! flipped, parts cut out, doubled, and swapped between profiles.

#[path = "../../../fuzz/src/ingest.rs"]
#[expect(
    clippy::cast_possible_truncation,
    unreachable_pub,
    reason = "shared with the fuzz targets"
)]
mod ingest_target;
#[path = "../../../fuzz/src/xplane.rs"]
#[expect(unreachable_pub, reason = "shared with the fuzz targets")]
mod xplane_target;

use stepscope_testing::space::{StatValue, XSpace};
use stepscope_testing::{corpus, corrupt};

const DRAWINGS: [&str; 3] = [
    "device gpu:0 nvidia H100
     stream 7 Compute,MemcpyH2D
     each [hlo_op=$name hlo_module=jit_f program_id=5]
       0..10us gemm [correlation_id=1 kernel_details='regs:32 grid:1,1,1 block:128,1,1']
       8..20us add [correlation_id=2]
       x5 30us gemm
     counter hbm 0us=1.5 10us=2.5
     thread main/1
       0..100us jit_f:XLA GPU module
       1..2us launch [correlation_id=1 _pt=5 _p=1]
       2..3us launch [correlation_id=2 _ct=5 _c=1]
     program 5 jit_f
       p.0 = f32[8,8] parameter(0)
       ROOT dot.1 = f32[8,8] dot(p.0, p.0)",
    "environment [profile_start_time=1700000000000000000]
     device tpu:0 v6e
     line Steps
       0..10us 7
     line XLA Modules
       0..9us jit_f(5) [run_id=3]
     line XLA Ops
       0..9us while.1 [device_offset_ps=2 device_duration_ps=9000000] {program_id=5 flops=10}
       1..2us dot.1 {program_id=5 hlo_category=dot bytes_accessed=7 flops=10}
     line Async XLA Ops
       2..5us copy-start.1",
    "origin 1700000000s
     thread python/-1
     repeat 4 every 100us
       0..90us train #step_num=$i,_r=1#
       1..2us $train.py:7 load
     end
     thread tf_XLAEigen/42
     each [hlo_op=$name hlo_module=jit_f program_id=12190760917235803885]
     repeat 4 every 100us
       10..40us fusion.1 [run_id=$i device_ordinal=0]
       20..50us add.2 [run_id=$i device_ordinal=1]
       40us \"end: fusion.1\" [_ct=5 _c=1]
     end",
];

/// Fixtures with few events of each line and without large programs, so that each round is quick.
fn small_fixtures() -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for capture in corpus::fixtures() {
        let mut space: XSpace = corpus::read_space(&capture.hosts[0]).expect("readable");
        for plane in &mut space.planes {
            plane
                .lines
                .iter_mut()
                .for_each(|line| line.events.truncate(12));
            let used: Vec<i64> = plane
                .lines
                .iter()
                .flat_map(|line| &line.events)
                .map(|event| event.metadata_id)
                .collect();
            let is_programs = plane.name == "/host:metadata";
            plane.event_metadata.retain(|id, entry| {
                let is_small = entry.stats.iter().all(|stat| match &stat.value {
                    Some(StatValue::Bytes(bytes)) => bytes.len() < 4000,
                    _ => true,
                });
                used.contains(id) || (is_programs && is_small)
            });
        }
        found.push(space.to_bytes());
    }
    found
}

fn check(bytes: &[u8]) {
    xplane_target::check(bytes);
    ingest_target::check(bytes);
}

fn seeds() -> Vec<Vec<u8>> {
    let drawn = DRAWINGS
        .iter()
        .map(|text| crate::support::draw(text).to_bytes());
    drawn.chain(small_fixtures()).collect()
}

#[test]
fn whole_profiles_keep_their_promises() {
    for bytes in seeds() {
        check(&bytes);
    }
    for (_, space) in corrupt::extreme_spaces() {
        check(&space.to_bytes());
    }
    for capture in corpus::captures() {
        check(&corpus::read_bytes(&capture.hosts[0]).expect("readable"));
    }
}

#[test]
fn one_flipped_bit_anywhere_is_survived() {
    for bytes in seeds() {
        let step = (bytes.len() / 400).max(1);
        corrupt::bit_flips(&bytes, step).for_each(|flipped| check(&flipped));
    }
}

#[test]
fn many_flipped_bits_are_survived() {
    for (seed, bytes) in (1..).zip(seeds()) {
        for flips in [3, 20, 200] {
            corrupt::random_flips(&bytes, seed, flips, 60).for_each(|flipped| check(&flipped));
        }
    }
}

#[test]
fn parts_cut_out_doubled_and_swapped_are_survived() {
    let seeds = seeds();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 16).expect("48 bits") % limit.max(1)
    };
    for round in 0..600 {
        let bytes = &seeds[round % seeds.len()];
        let other = &seeds[below(seeds.len())];
        let start = below(bytes.len());
        let end = start + below((bytes.len() - start).min(300));
        let from = below(other.len());
        let to = from + below((other.len() - from).min(300));
        let middle: &[u8] = match round % 3 {
            0 => &[],
            1 => &other[from..to],
            _ => &bytes[start.saturating_sub(end - start)..end],
        };
        check(&[&bytes[..start], middle, &bytes[end..]].concat());
    }
}
