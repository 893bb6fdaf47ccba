//! Bandwidths as NCCL's tests define them (nccl-tests, PERFORMANCE.md), so that figures compare.
//!
//! | Exchange | size S | bus factor for n devices |
//! |---|---|---|
//! | all-reduce | operands | 2 (n − 1) ÷ n |
//! | all-gather | operands × n, what each has in the end | (n − 1) ÷ n |
//! | reduce-scatter | operands, what each has at first | (n − 1) ÷ n |
//! | all-to-all | operands | (n − 1) ÷ n |
//! | broadcast, permute, send, recv | operands | 1 |
//!
//! algorithm bandwidth = S ÷ time; bus bandwidth = algorithm bandwidth × factor: what every link of
//! a ring carries, whatever the number of devices.

use stepscope_model::CollectiveKind;

use super::survey::CollectiveOp;

/// The size S; none where it is not known.
pub(crate) fn payload_bytes(op: &CollectiveOp) -> Option<u64> {
    let operands = op.operand_bytes?;
    match op.kind? {
        CollectiveKind::AllGather => Some(operands.saturating_mul(op.group_size?)),
        _ => Some(operands),
    }
}

/// Bus bandwidth ÷ algorithm bandwidth; none where the number of devices matters and is not known.
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

/// Bytes per second; none without time.
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
        // 1 GB in 10 ms are 100 GB/s.
        let rate = rate(1_000_000_000, 1e10).expect("takes time");
        assert!((rate - 1e11).abs() < 1.0);
    }
}
