//! Large messages of GPUs that go far more slowly than any fabric of the chip carries them.

use stepscope_model::SaturatingSum as _;

use crate::judging::advice::facts::Facts;
use crate::telling::format;
use crate::views::collectives::CollectiveRow;

/// Each participant sends at least this, so that latency does not decide.
const LARGE: i64 = 4 << 20;
/// Below this share of PCIe, the slowest fabric of a GPU, nothing that is set up well is as slow.
const FAR_BELOW: f64 = 0.1;
/// Generation 3 of PCIe with 16 lanes, where the generation is not known, in bytes per second.
const PCIE_3: f64 = 16e9;
/// Large messages matter if they are this share of exposed communication.
const MOST: f64 = 0.5;

/// The rate of the messages that cost most.
pub(super) struct SlowLinks {
    name: String,
    bytes: i64,
    rate: f64,
    /// PCIe of the chip, one way.
    pcie: f64,
}

impl SlowLinks {
    /// None unless all large messages of GPUs are slow.
    pub(super) fn of(facts: &Facts<'_>) -> Option<Self> {
        let devices: Vec<_> = facts.working().map(|id| facts.session.device(id)).collect();
        if devices.is_empty() || !devices.iter().all(|device| device.kind.is_gpu()) {
            return None;
        }
        let links = devices.iter().map(|device| {
            let link = device.chip.host_link.as_ref();
            link.map_or(PCIE_3, |peak| peak.per_second)
        });
        let pcie = links.fold(f64::INFINITY, f64::min);
        let rows = facts.collectives();
        let large = rows.iter().filter(|row| each_sends(row) >= LARGE);
        let rates = large.clone().filter_map(rate);
        let fastest = rates.max_by(f64::total_cmp)?;
        let all_ps: i64 = rows.iter().map(|row| row.exposed_ps).saturating_sum();
        let large_ps: i64 = large.clone().map(|row| row.exposed_ps).saturating_sum();
        let decides = large_ps as f64 >= MOST * all_ps as f64 && large_ps > 0;
        if !decides || fastest >= FAR_BELOW * pcie {
            return None;
        }
        let most = large.max_by_key(|row| row.exposed_ps)?;
        Some(Self {
            name: format::shortened(&most.name),
            bytes: most.bytes?,
            rate: rate(most)?,
            pcie,
        })
    }

    pub(super) fn told(&self) -> String {
        format!(
            " Large messages move at {} ({} of {}), without waiting; PCIe alone carries {}.",
            format::rate(self.rate, "B/s"),
            self.name,
            format::bytes(self.bytes as f64),
            format::rate(self.pcie, "B/s"),
        )
    }

    pub(super) const WHY: &str = "NVLink, PCIe and InfiniBand are far faster: NCCL or RCCL probably uses sockets \
                                  (plain Ethernet), or copies through the memory of the host.";
    pub(super) const FIX: &str = "First find out which transport is in use: NCCL_DEBUG=INFO prints it at the start \
                                  (NET/IB or NET/Socket between hosts, P2P or SHM within one). Between hosts, check \
                                  NCCL_SOCKET_IFNAME, NCCL_IB_HCA, that NCCL_IB_DISABLE is not set, and GPUDirect \
                                  RDMA; within a host, that NCCL_P2P_DISABLE is not set.";
    pub(super) const CODE: &str = "NCCL_DEBUG=INFO    # of one run";
}

/// The bytes that a participant has at a time: of what is exchanged in parts, one part.
fn each_sends(row: &CollectiveRow) -> i64 {
    let parts = match row.kind.as_str() {
        "permute" | "send" | "recv" => 1,
        _ => row.group_size.unwrap_or(1).max(1),
    };
    row.bytes.unwrap_or(0) / parts
}

/// Bytes per second on the links, without waiting if that is known. A participant alone uses none.
fn rate(row: &CollectiveRow) -> Option<f64> {
    let rate = row.transfer_bandwidth.or(row.bus_bandwidth);
    rate.filter(|&rate| rate > 0.0)
}
