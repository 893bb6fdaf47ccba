//! Occupancy: how much of a multiprocessor a launch can fill, and what keeps it from more.
//!
//! The rule of NVIDIA's occupancy calculator: as many blocks fit as threads, registers, shared
//! memory and block slots allow; registers are given to warps in units of 256, in groups of four
//! warps, and shared memory in units of 128 bytes plus what the system keeps of each block.

use stepscope_model::{Launch, Multiprocessor};

const REGISTER_UNIT: i64 = 256;
const SHARED_UNIT: i64 = 128;
const WARP_GROUP: i64 = 4;

/// What a launch fills.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Occupancy {
    /// Threads ÷ threads that fit, 0..1.
    pub(super) ratio: f64,
    /// `registers`, `shared memory`, `block slots`, `block size`; empty where it is full.
    pub(super) limit: &'static str,
}

/// None where the block is not recorded, or holds more than fits at all.
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
    // The last of equals: registers and shared memory can be changed without another algorithm.
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
        // 128 registers × 32 = 4096 a warp: 16 warps, of 64 that fit.
        assert_eq!(limit("256,1,1", 128, 0), (0.25, "registers"));
        // 100 KiB and the 1 KiB reserved: two blocks of 8 warps.
        assert_eq!(limit("256,1,1", 32, 100 << 10), (0.25, "shared memory"));
        // 32 blocks of one warp.
        assert_eq!(limit("32,1,1", 32, 0), (0.5, "block slots"));
        // 1024 + 1024 threads fit; of 768 only two.
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
