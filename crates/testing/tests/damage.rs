//! The damaged inputs are what they claim, and none of our code panics on them.

#![expect(clippy::unwrap_used, reason = "a helper of tests may panic")]

use stepscope_testing::space::XSpace;
use stepscope_testing::{corrupt, drawing, oracle};

fn sample() -> Vec<u8> {
    let text = "host vm
        device tpu:0 v6e
        line XLA Ops
        repeat 5 every 10us
          0..9us fusion.1 [run_id=$i] {program_id=5 flops=100}
        end
        thread python
          0..50us train #step_num=0,_r=1#";
    drawing::draw(text).unwrap().to_bytes()
}

fn walk(space: &XSpace) -> usize {
    let devices = oracle::device_slices(space);
    for &device in devices.keys() {
        oracle::ops(space, device);
        oracle::busy_ps(space, device);
    }
    oracle::events(space).len() + oracle::steps(space).len()
}

#[test]
fn truncations_are_prefixes() {
    let bytes = sample();
    let cut: Vec<&[u8]> = corrupt::truncations(&bytes, 7).collect();
    assert_eq!(cut.len(), bytes.len().div_ceil(7));
    assert!(
        cut.iter()
            .all(|cut| bytes.starts_with(cut) && cut.len() < bytes.len())
    );
    let whole = XSpace::from_bytes(&bytes).unwrap();
    for cut in cut {
        // A cut between two planes is a valid, smaller file.
        if let Ok(space) = XSpace::from_bytes(cut) {
            assert!(walk(&space) < walk(&whole));
        }
    }
}

#[test]
fn flips_differ_in_one_bit() {
    let bytes = sample();
    let ones = |bytes: &[u8], other: &[u8]| -> u32 {
        bytes
            .iter()
            .zip(other)
            .map(|(a, b)| (a ^ b).count_ones())
            .sum()
    };
    let flipped: Vec<Vec<u8>> = corrupt::bit_flips(&bytes, 1).collect();
    assert_eq!(flipped.len(), bytes.len());
    for flipped in flipped {
        assert_eq!(ones(&bytes, &flipped), 1);
        if let Ok(space) = XSpace::from_bytes(&flipped) {
            walk(&space);
        }
    }
    let random: Vec<Vec<u8>> = corrupt::random_flips(&bytes, 42, 3, 50).collect();
    assert_eq!(random.len(), 50);
    assert!(
        random
            .iter()
            .all(|flipped| (1..=3).contains(&ones(&bytes, flipped)))
    );
    assert_ne!(random[0], random[1]);
    assert!(corrupt::random_flips(&bytes, 42, 3, 50).eq(random));
    assert_eq!(
        corrupt::random_flips(&[], 42, 3, 1).next(),
        Some(Vec::new())
    );
}

#[test]
fn hostile_lengths_are_no_messages() {
    for (name, bytes) in corrupt::hostile_lengths() {
        assert!(XSpace::from_bytes(&bytes).is_err(), "{name}");
    }
}

#[test]
fn nesting_is_as_deep_as_asked() {
    let [(_, messages), (_, groups)] = &corrupt::deep_nesting(3)[..] else {
        panic!("two kinds")
    };
    assert_eq!(messages[..], [0x7a, 4, 0x7a, 2, 0x7a, 0]);
    assert_eq!(groups[..], [0x7b, 0x7b, 0x7b, 0x7c, 0x7c, 0x7c]);
    for (name, bytes) in corrupt::deep_nesting(100_000) {
        // Unknown fields are skipped; a decoder may reject groups this deep, but must not overflow.
        let decoded = XSpace::from_bytes(&bytes);
        assert!(decoded.is_ok_and(|space| space == XSpace::default()) || name == "groups");
    }
}

#[test]
fn extreme_numbers_survive_encoding_and_the_oracle() {
    for (name, space) in corrupt::extreme_spaces() {
        assert_eq!(
            XSpace::from_bytes(&space.to_bytes()),
            Ok(space.clone()),
            "{name}"
        );
        walk(&space);
    }
}
