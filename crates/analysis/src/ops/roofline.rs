//! Rates of an op and what bounds it.

use stepscope_model::{DeviceId, OpCost, Session};

/// Rates of one row against the chip's peaks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Roofline {
    pub(super) flop_rate: Option<f64>,
    pub(super) bandwidth: Option<f64>,
    pub(super) bound_by: &'static str,
    pub(super) ratio: Option<f64>,
}

/// Peaks per second, where known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Peaks {
    pub(super) flops: Option<f64>,
    pub(super) bytes: Option<f64>,
}

/// Peaks that hold for all the devices: none where they differ.
pub(super) fn common_peaks(session: &Session, devices: &[DeviceId]) -> Peaks {
    let mut peaks = devices.iter().map(|&device| {
        let chip = &session.device(device).chip;
        Peaks {
            flops: chip.peak_flops.as_ref().map(|peak| peak.per_second),
            bytes: chip.peak_bandwidth.as_ref().map(|peak| peak.per_second),
        }
    });
    let Some(first) = peaks.next() else {
        return Peaks::default();
    };
    if peaks.all(|peaks| peaks == first) {
        first
    } else {
        Peaks::default()
    }
}

/// Work of one execution × executions ÷ time, against the peaks.
pub(super) fn roofline(cost: OpCost, executions: i64, total_ps: i64, peaks: Peaks) -> Roofline {
    if total_ps <= 0 {
        return Roofline::default();
    }
    let executions_per_second = executions as f64 / (total_ps as f64 * 1e-12);
    let flop_rate = cost.flops * executions_per_second;
    let bandwidth = cost.bytes * executions_per_second;
    let share = |rate: f64, peak: Option<f64>| Some(rate / peak.filter(|&peak| peak > 0.0)?);
    let (compute, memory) = (share(flop_rate, peaks.flops), share(bandwidth, peaks.bytes));
    let bound_by = match (compute, memory) {
        (Some(compute), Some(memory)) if compute > memory => "compute",
        (Some(_), Some(memory)) if memory > 0.0 => "memory",
        _ => "",
    };
    let ratio = [compute, memory].into_iter().flatten().reduce(f64::max);
    Roofline {
        flop_rate: Some(flop_rate),
        bandwidth: Some(bandwidth),
        bound_by,
        ratio,
    }
}

#[cfg(test)]
mod tests {
    use stepscope_model::CostSource;

    use super::*;

    const PEAKS: Peaks = Peaks {
        flops: Some(1e14),
        bytes: Some(1e12),
    };

    fn cost(flops: f64, bytes: f64) -> OpCost {
        OpCost {
            flops,
            model_flops: flops,
            bytes,
            source: CostSource::Hlo,
        }
    }

    #[test]
    fn the_larger_share_of_its_peak_bounds() {
        // 10 executions in 1 ms: 1e9 flops each are 1e13/s, a tenth of the peak.
        let compute = roofline(cost(1e9, 1e6), 10, 1_000_000_000, PEAKS);
        assert_eq!(compute.bound_by, "compute");
        assert!((compute.ratio.expect("peaks are known") - 0.1).abs() < 1e-12);
        assert!((compute.flop_rate.expect("has work") - 1e13).abs() < 1.0);
        let memory = roofline(cost(1e6, 1e7), 10, 1_000_000_000, PEAKS);
        assert_eq!(memory.bound_by, "memory");
        assert_eq!(
            roofline(cost(0.0, 0.0), 10, 1_000_000_000, PEAKS).bound_by,
            ""
        );
    }

    #[test]
    fn without_both_peaks_nothing_bounds() {
        let peaks = Peaks {
            bytes: None,
            ..PEAKS
        };
        let one = roofline(cost(1e9, 1e9), 10, 1_000_000_000, peaks);
        assert_eq!((one.bound_by, one.ratio.is_some()), ("", true));
        let none = roofline(cost(1e9, 1e9), 10, 1_000_000_000, Peaks::default());
        assert_eq!((none.ratio, none.flop_rate.is_some()), (None, true));
        assert_eq!(roofline(cost(1e9, 1e9), 10, 0, PEAKS), Roofline::default());
    }
}
