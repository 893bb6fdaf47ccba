//! Packed texts that GPU profilers attach to kernels and copies: `regs:32 grid:1,1,1 …`.

use crate::label::{Direction, Launch};

/// Splits on white space, then each word at its first colon; other words are skipped.
fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split_whitespace()
        .filter_map(|word| word.split_once(':'))
}

/// More registers per thread than any GPU has: rocprofiler writes numbers in the billions where it
/// does not know.
const MAX_REGISTERS: i64 = 65_535;

/// Parses `kernel_details` of CUPTI (new and old) and rocprofiler. Unknown keys are skipped.
/// An occupancy of 0 means that it was not computed: a kernel that ran had some.
pub(crate) fn parse_launch(text: &str) -> Launch {
    let mut launch = Launch::default();
    let mut shared = None;
    for (key, value) in pairs(text) {
        match key {
            "regs" => {
                launch.registers = value
                    .parse()
                    .ok()
                    .filter(|regs| (0..=MAX_REGISTERS).contains(regs));
            }
            "static_shared" | "dynamic_shared" | "shm" | "group_mem" => {
                let bytes: Option<i64> = value.parse().ok();
                shared = bytes
                    .map(|bytes| bytes.saturating_add(shared.unwrap_or(0)))
                    .or(shared);
            }
            "grid" => value.clone_into(&mut launch.grid),
            "block" => value.clone_into(&mut launch.block),
            "occ_pct" => {
                let percent = value.parse::<f64>().ok().filter(|&percent| percent > 0.0);
                launch.occupancy = percent.map(|percent| percent / 100.0);
            }
            _ => {}
        }
    }
    launch.shared_bytes = shared;
    launch
}

/// Parses `memcpy_details` and `memset_details`: bytes, and the direction where kinds are named.
pub(crate) fn parse_transfer(text: &str) -> (Option<u64>, Option<Direction>) {
    let (mut bytes, mut from, mut to) = (None, None, None);
    for (key, value) in pairs(text) {
        match key {
            "size" | "num_bytes" => bytes = value.parse().ok(),
            "kind_src" => from = Some(value),
            "kind_dst" => to = Some(value),
            _ => {}
        }
    }
    let is_device = |kind: &str| kind.eq_ignore_ascii_case("device");
    let direction = from
        .zip(to)
        .map(|(from, to)| match (is_device(from), is_device(to)) {
            (false, true) => Direction::HostToDevice,
            (true, false) => Direction::DeviceToHost,
            (true, true) => Direction::DeviceToDevice,
            (false, false) => Direction::HostToHost,
        });
    (bytes, direction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_spellings_of_kernel_details() {
        let new = parse_launch(
            "regs:38 static_shared:16 dynamic_shared:1024 grid:160,1,1 block:1024,1,1 occ_pct:50",
        );
        assert_eq!(new.registers, Some(38));
        assert_eq!(new.shared_bytes, Some(1040));
        assert_eq!(new.grid, "160,1,1");
        assert_eq!(new.occupancy, Some(0.5));
        let old = parse_launch("regs:16\nshm:8\ngrid:1,1,1\nblock:32,1,1");
        assert_eq!(
            (old.registers, old.shared_bytes, old.occupancy),
            (Some(16), Some(8), None)
        );
        let amd = parse_launch(" grid:1,2,3 block:64,1,1 private_mem:0 group_mem:512 occ_pct:100");
        assert_eq!((amd.shared_bytes, amd.occupancy), (Some(512), Some(1.0)));
    }

    #[test]
    fn both_spellings_of_memcpy_details() {
        assert_eq!(parse_transfer("size:112 dest:4 async:0"), (Some(112), None));
        assert_eq!(
            parse_transfer("kind_src:pinned kind_dst:device size:64 dest:0 async:1"),
            (Some(64), Some(Direction::HostToDevice))
        );
    }
}
