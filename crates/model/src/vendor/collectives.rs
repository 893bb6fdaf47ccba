//! Communication by library names (NCCL, RCCL, NVSHMEM), and the links that carry it.

use stepscope_hlo::CollectiveKind;
use stepscope_xplane::message_fields;

use crate::session::{Chip, Peak};

/// The meaning of a communication kernel's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CollectiveKernel {
    /// How data is exchanged; `None` for kernels that do several things.
    pub kind: Option<CollectiveKind>,
    /// Algorithm, such as `ring` and `tree`; empty if not named.
    pub algorithm: &'static str,
    /// Protocol, such as `LL128` and `simple`; empty if not named.
    pub protocol: &'static str,
}

/// Longer words before those they contain.
const KINDS: [(&str, CollectiveKind); 10] = [
    ("allreduce", CollectiveKind::AllReduce),
    ("allgather", CollectiveKind::AllGather),
    ("reducescatter", CollectiveKind::ReduceScatter),
    ("alltoall", CollectiveKind::AllToAll),
    ("sendrecv", CollectiveKind::Permute),
    ("broadcast", CollectiveKind::Broadcast),
    ("permute", CollectiveKind::Permute),
    ("send", CollectiveKind::Send),
    ("recv", CollectiveKind::Receive),
    ("reduce", CollectiveKind::AllReduce),
];

const ALGORITHMS: [(&str, &str); 6] = [
    ("_ring", "ring"),
    ("_tree", "tree"),
    ("_collnet", "collnet"),
    ("_nvls", "NVLS"),
    ("_pat", "PAT"),
    ("pivot", "pivot"),
];

const PROTOCOLS: [(&str, &str); 3] = [("_ll128", "LL128"), ("_ll", "LL"), ("_simple", "simple")];

/// Reads the name of a communication kernel: `ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)`.
pub fn collective_kernel(name: &str) -> CollectiveKernel {
    let lower = name.split(['(', '<']).next().unwrap_or(name);
    let lower = lower.to_ascii_lowercase();
    let plain = lower.replace('_', "");
    CollectiveKernel {
        kind: KINDS
            .iter()
            .find(|(word, _)| plain.contains(word))
            .map(|&(_, kind)| kind),
        algorithm: named(&lower, &ALGORITHMS),
        protocol: named(&lower, &PROTOCOLS),
    }
}

fn named(name: &str, words: &[(&str, &'static str)]) -> &'static str {
    let found = words.iter().find(|(word, _)| name.contains(word));
    found.map_or("", |&(_, title)| title)
}

/// The stat in which a TPU's profiler records the participants of an exchange between slices.
pub(crate) const EXCHANGE_STAT: &str = "dcn_collective_info";

/// Parses it: a pair of a source and a destination counts as one, else the endpoints of the first
/// group.
pub(crate) fn exchange_participants(message: &[u8]) -> Option<u64> {
    const GROUPS: u32 = 2;
    const ENDPOINTS: u32 = 1;
    const PAIRS: u32 = 3;
    if !message_fields(message, PAIRS).is_empty() {
        return Some(1);
    }
    let groups = message_fields(message, GROUPS);
    Some(message_fields(groups.first()?, ENDPOINTS).len() as u64)
}

/// Bytes per second of one interconnect link of a TPU, one way, in units of 10^9. Words that all
/// occur in the model's name; more specific rows first. Source: Google DeepMind, How to Scale Your
/// Model, table of interconnects ("ICI BW/link, one-way"), which are rates that programs reach: what
/// Google Cloud's pages say of v6e and v7x is a tenth higher. For TPU v2, the chapter on profiling
/// reckons with 1.2e11 both ways. Of v4 lite (v4i) nobody says anything per link.
const LINKS: [(&[&str], Option<f64>); 8] = [
    (&["tpu", "v7x"], Some(90.0)),
    (&["tpu", "v6"], Some(90.0)),
    (&["tpu", "v5", "lite"], Some(45.0)),
    (&["tpu", "v5"], Some(90.0)),
    (&["tpu", "v4", "lite"], None),
    (&["tpu", "v4"], Some(45.0)),
    (&["tpu", "v3"], Some(100.0)),
    (&["tpu", "v2"], Some(60.0)),
];

impl Chip {
    /// Bytes per second of one link to a neighbor, one way; absent if no public figure is known
    /// that applies to the profile (the name of a GPU does not say how it is linked).
    pub fn link_bandwidth(&self) -> Option<Peak> {
        let lower = self.name.to_ascii_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let fits = |all: &&[&str]| all.iter().all(|word| words.contains(word));
        let (_, gigabytes) = LINKS.iter().find(|(all, _)| fits(all))?;
        Some(Peak {
            per_second: (*gigabytes)? * 1e9,
            source: format!("public figure for one link of {}, one way", self.name),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_say_what_they_do() {
        let read = |name| {
            let CollectiveKernel {
                kind,
                algorithm,
                protocol,
            } = collective_kernel(name);
            (kind, algorithm, protocol)
        };
        assert_eq!(
            read("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
            (Some(CollectiveKind::AllReduce), "ring", "LL")
        );
        assert_eq!(
            read("ncclKernel_ReduceScatter_TREE_LL128_Sum_half"),
            (Some(CollectiveKind::ReduceScatter), "tree", "LL128")
        );
        assert_eq!(
            read("ncclDevKernel_SendRecv"),
            (Some(CollectiveKind::Permute), "", "")
        );
        assert_eq!(
            read("ncclDevKernel_AllGather_RING_SIMPLE.kd"),
            (Some(CollectiveKind::AllGather), "ring", "simple")
        );
        assert_eq!(read("ncclDevKernel_Generic_1"), (None, "", ""));
    }

    #[test]
    fn endpoints_take_part_in_exchanges() {
        // transfer_type 2, then a group of two endpoints.
        let group = [8, 2, 18, 8, 10, 2, 8, 0, 10, 2, 8, 1];
        assert_eq!(exchange_participants(&group), Some(2));
        let pair = [26, 8, 10, 2, 8, 0, 18, 2, 8, 1];
        assert_eq!(exchange_participants(&pair), Some(1));
        assert_eq!(exchange_participants(&[]), None);
        assert_eq!(exchange_participants(&[18, 200, 1]), None);
    }

    #[test]
    fn links_are_known_by_the_name_of_the_chip() {
        let chip = |name: &str| Chip {
            name: name.to_owned(),
            ..crate::vendor::chips::chip(
                crate::session::DeviceKind::Cpu,
                &crate::vendor::capabilities::Capabilities::default(),
            )
        };
        let link = |name| chip(name).link_bandwidth().map(|peak| peak.per_second);
        assert_eq!(link("TPU v6 Lite"), Some(90e9));
        assert_eq!(link("TPU v5 lite"), Some(45e9));
        assert_eq!(link("TPU v5"), Some(90e9));
        assert_eq!(link("TPU v4"), Some(45e9));
        assert_eq!(link("TPU v4 lite"), None);
        assert_eq!(link("TPU v7x"), Some(90e9));
        assert_eq!(link("NVIDIA Hopper (compute capability 9.0)"), None);
    }
}
