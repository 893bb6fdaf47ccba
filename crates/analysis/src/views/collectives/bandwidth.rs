//! Bandwidths as defined by nccl-tests (PERFORMANCE.md), so that figures are comparable.
//!
//! | Exchange | size S | bus factor for n devices |
//! |---|---|---|
//! | all-reduce | operands | 2 (n − 1) ÷ n |
//! | all-gather | operands × n: what each device has at the end | (n − 1) ÷ n |
//! | reduce-scatter | operands: what each device has at the start | (n − 1) ÷ n |
//! | all-to-all | operands | (n − 1) ÷ n |
//! | broadcast, permute, send, recv | operands | 1 |
//!
//! algorithm bandwidth = S ÷ time; bus bandwidth = algorithm bandwidth × factor: what every link of a
//! ring carries, regardless of the number of devices.

use stepscope_model::CollectiveKind;

use super::survey::CollectiveOp;

/// The size S; none if unknown.
pub(crate) fn payload_bytes(op: &CollectiveOp) -> Option<u64> {
    let operands = op.operand_bytes?;
    match op.kind? {
        CollectiveKind::AllGather => Some(operands.saturating_mul(op.group_size?)),
        _ => Some(operands),
    }
}

/// Bus bandwidth ÷ algorithm bandwidth; none if it depends on an unknown number of devices.
pub(crate) fn bus_factor(kind: CollectiveKind, group_size: Option<u64>) -> Option<f64> {
    use CollectiveKind::{
        AllGather, AllReduce, AllToAll, Broadcast, HostReceive, HostSend, Permute, Receive,
        ReduceScatter, Send,
    };
    let share = |n: u64| (n.saturating_sub(1)) as f64 / n.max(1) as f64;
    match kind {
        AllReduce => Some(2.0 * share(group_size?)),
        AllGather | ReduceScatter | AllToAll => Some(share(group_size?)),
        Broadcast | Permute | Send | Receive | HostSend | HostReceive => Some(1.0),
    }
}

/// Bytes per second; none if the time is 0.
pub(crate) fn rate(bytes: u64, time_ps: f64) -> Option<f64> {
    (time_ps > 0.0).then(|| bytes as f64 / (time_ps * 1e-12))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_those_of_nccl_tests() {
        let factor = |kind, n| bus_factor(kind, Some(n)).expect("n is known");
        assert!((factor(CollectiveKind::AllReduce, 8) - 1.75).abs() < 1e-12);
        assert!((factor(CollectiveKind::AllGather, 8) - 0.875).abs() < 1e-12);
        assert!((factor(CollectiveKind::ReduceScatter, 4) - 0.75).abs() < 1e-12);
        assert!((factor(CollectiveKind::AllToAll, 2) - 0.5).abs() < 1e-12);
        assert!((factor(CollectiveKind::Permute, 2) - 1.0).abs() < 1e-12);
        assert!(factor(CollectiveKind::AllReduce, 1).abs() < 1e-12);
        assert_eq!(bus_factor(CollectiveKind::AllReduce, None), None);
        // 1 GB in 10 ms is 100 GB/s.
        let rate = rate(1_000_000_000, 1e10).expect("takes time");
        assert!((rate - 1e11).abs() < 1.0);
    }
}
