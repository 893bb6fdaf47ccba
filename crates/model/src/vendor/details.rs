//! Packed texts that GPU profilers attach to kernels and copies: `regs:32 grid:1,1,1 …`.

use crate::label::{Direction, HostMemory, Launch, Transfer};
use crate::memory_level::{MemoryLevel, Traffic};

/// Splits on white space, then each word at its first colon; other words are skipped.
fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split_whitespace()
        .filter_map(|word| word.split_once(':'))
}

/// More registers per thread than any GPU has: rocprofiler writes numbers in the billions if it
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

/// Parses `memcpy_details` and `memset_details`: bytes, and the direction if memory kinds are
/// named; otherwise the direction is `named`, from the event's name.
pub(crate) fn parse_transfer(text: &str, named: Direction) -> Transfer {
    let (mut bytes, mut from, mut to) = (None, None, None);
    for (key, value) in pairs(text) {
        match key {
            "size" | "num_bytes" => bytes = value.parse().ok(),
            "kind_src" => from = Some(value),
            "kind_dst" => to = Some(value),
            _ => {}
        }
    }
    let is_on_device = |kind: &str| {
        ["device", "array"]
            .iter()
            .any(|word| kind.eq_ignore_ascii_case(word))
    };
    let recorded = from
        .zip(to)
        .map(|(from, to)| match (is_on_device(from), is_on_device(to)) {
            (false, true) => Direction::HostToDevice,
            (true, false) => Direction::DeviceToHost,
            (true, true) => Direction::DeviceToDevice,
            (false, false) => Direction::HostToHost,
        });
    let host_side = [from, to]
        .into_iter()
        .flatten()
        .find(|kind| !is_on_device(kind));
    Transfer {
        direction: recorded.unwrap_or(named),
        bytes,
        host_memory: host_side.and_then(host_memory),
    }
}

fn host_memory(kind: &str) -> Option<HostMemory> {
    match kind.to_ascii_lowercase().as_str() {
        "pageable" => Some(HostMemory::Pageable),
        "pinned" => Some(HostMemory::Pinned),
        "managed" => Some(HostMemory::Managed),
        _ => None,
    }
}

/// Parses the bytes of `memory_access_breakdown`: `{1: repeated {1 op, 2 space, 3 bytes}}`, where
/// op 1 is a read and 2 a write, and space 1 is device memory, 2 CMEM, 3 VMEM. `None` if it lists
/// nothing.
pub(crate) fn parse_traffic(breakdown: &[u8]) -> Option<Traffic> {
    let mut traffic = Traffic::default();
    for access in stepscope_xplane::message_fields(breakdown, 1) {
        let fields = stepscope_xplane::number_fields(access);
        let field = |number| fields.iter().rev().find(|field| field.0 == number);
        let number = |number| field(number).map_or(0, |field| field.1);
        let level = match (number(2), number(1)) {
            (1, _) => MemoryLevel::Hbm,
            (2, 1) => MemoryLevel::CmemRead,
            (2, 2) => MemoryLevel::CmemWrite,
            (3, 1) => MemoryLevel::VmemRead,
            (3, 2) => MemoryLevel::VmemWrite,
            _ => continue,
        };
        traffic.add(level, number(3) as f64);
    }
    (!traffic.is_empty()).then_some(traffic)
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
        let old = parse_transfer("size:112 dest:4 async:0", Direction::DeviceToHost);
        assert_eq!(
            (old.bytes, old.direction),
            (Some(112), Direction::DeviceToHost)
        );
        assert_eq!(old.host_memory, None);
        let new = "kind_src:pinned kind_dst:device size:64 dest:0 async:1";
        let new = parse_transfer(new, Direction::Other);
        assert_eq!(
            (new.bytes, new.direction),
            (Some(64), Direction::HostToDevice)
        );
        assert_eq!(new.host_memory, Some(HostMemory::Pinned));
    }
}
