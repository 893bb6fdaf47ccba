//! Occupancy: how much of a multiprocessor a launch can fill, and what limits it.
//!
//! The rule of NVIDIA's occupancy calculator: threads, registers, shared memory and block slots each
//! limit how many blocks fit. Registers are allocated to warps in units of 256, for groups of four
//! warps; shared memory in units of 128 bytes, including what the system reserves per block.

use stepscope_model::{Launch, Multiprocessor};

const REGISTER_UNIT: i64 = 256;
const SHARED_UNIT: i64 = 128;
const WARP_GROUP: i64 = 4;

/// How much of a multiprocessor a launch fills.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Occupancy {
    /// Resident threads ÷ threads that a multiprocessor can hold, 0..1.
    pub(super) ratio: f64,
    /// The limit: `registers`, `shared memory`, `block slots`, or `block size`. Empty at full occupancy.
    pub(super) limit: &'static str,
}

/// The occupancy of a launch. None if the block size is not recorded, or if not even one block fits.
pub(super) fn occupancy(launch: &Launch, chip: &Multiprocessor) -> Option<Occupancy> {
    let mut sizes = launch
        .block
        .split(',')
        .map(|size| size.trim().parse::<i64>().ok());
    let threads = sizes.try_fold(1i64, |product, size| {
        product.checked_mul(size.filter(|&size| size > 0)?)
    })?;
    let warps = threads.checked_add(chip.warp - 1)? / chip.warp;
    let mut limits = vec![
        ("block size", chip.threads / chip.warp / warps),
        ("block slots", chip.blocks),
    ];
    if let Some(registers) = launch.registers.filter(|&registers| registers > 0) {
        let of_warp = round_up(registers * chip.warp, REGISTER_UNIT);
        let held = chip.registers / of_warp / WARP_GROUP * WARP_GROUP;
        limits.push(("registers", held / warps));
    }
    if let Some(shared) = launch.shared_bytes.filter(|&shared| shared > 0) {
        let of_block = round_up(shared.checked_add(chip.reserved_shared_bytes)?, SHARED_UNIT);
        limits.push(("shared memory", chip.shared_bytes / of_block));
    }
    // On a tie, the highest rank: registers and shared memory can change without a new algorithm.
    let (limit, blocks) = limits
        .into_iter()
        .min_by(|a, b| a.1.cmp(&b.1).then_with(|| rank(b.0).cmp(&rank(a.0))))?;
    let resident = blocks.checked_mul(warps)?.checked_mul(chip.warp)?;
    (resident > 0).then(|| Occupancy {
        ratio: resident as f64 / chip.threads as f64,
        limit: if resident >= chip.threads { "" } else { limit },
    })
}

fn rank(limit: &str) -> u8 {
    match limit {
        "registers" => 3,
        "shared memory" => 2,
        "block slots" => 1,
        _ => 0,
    }
}

fn round_up(value: i64, unit: i64) -> i64 {
    value.saturating_add(unit - 1) / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    const H100: Multiprocessor = Multiprocessor {
        threads: 2048,
        blocks: 32,
        registers: 65_536,
        shared_bytes: 228 << 10,
        reserved_shared_bytes: 1 << 10,
        warp: 32,
    };

    fn of(block: &str, registers: i64, shared: i64) -> Option<Occupancy> {
        let launch = Launch {
            registers: Some(registers),
            shared_bytes: Some(shared),
            grid: "1,1,1".to_owned(),
            block: block.to_owned(),
            occupancy: None,
        };
        occupancy(&launch, &H100)
    }

    #[test]
    fn each_limit_in_turn() {
        let limit = |block, registers, shared| {
            let found = of(block, registers, shared).expect("it fits");
            (found.ratio, found.limit)
        };
        assert_eq!(limit("256,1,1", 32, 0), (1.0, ""));
        // 128 registers × 32 = 4096 per warp: 16 warps, of 64 that fit.
        assert_eq!(limit("256,1,1", 128, 0), (0.25, "registers"));
        // 100 KiB plus 1 KiB reserved: two blocks of 8 warps.
        assert_eq!(limit("256,1,1", 32, 100 << 10), (0.25, "shared memory"));
        // 32 blocks of one warp.
        assert_eq!(limit("32,1,1", 32, 0), (0.5, "block slots"));
        // 2048 threads fit, so only two blocks of 768.
        assert_eq!(limit("768,1,1", 16, 0), (0.75, "block size"));
    }

    #[test]
    fn what_cannot_be_has_none() {
        assert_eq!(of("", 32, 0), None);
        assert_eq!(of("0,1,1", 32, 0), None);
        assert_eq!(of("4096,1,1", 32, 0), None);
        assert_eq!(of("256,1,1", 32, i64::MAX), None);
        assert_eq!(of("9223372036854775807,2,1", 32, 0), None);
    }
}
