//! Rates of work and what bounds it: the one roofline that every analysis uses.
//!
//! A rate is work ÷ time. Its ratio is the rate ÷ the peak of the memory whose bytes it counts. The
//! ratio of compute is the time that the operations take at their peaks ÷ the time, where products
//! have the peak of the type they are computed in, and all others the stated peak of the chip. The
//! resource with the largest ratio is the bound.

use stepscope_model::{
    Device, DeviceId, MemoryLevel, Needed, OpCost, Peak, ProductPeak, ProductType, Products,
    Session, Traffic,
};

const LEVELS: usize = MemoryLevel::ALL.len();

/// Work done in all executions.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Work {
    /// Known operations. None if they are unknown for all ops.
    pub(crate) flops: Option<f64>,
    /// The part of them that products do, by type.
    pub(crate) products: Products,
    /// The part of them that is no product.
    pub(crate) other_flops: f64,
    /// Which operations of the products the model needs.
    pub(crate) needed: Needed,
    /// All bytes.
    pub(crate) bytes: f64,
    /// The bytes by memory.
    pub(crate) traffic: Traffic,
}

impl Work {
    /// The work of `executions` executions of one op.
    pub(crate) fn of(cost: &OpCost, executions: f64) -> Self {
        let mut work = Self {
            flops: cost.flops.map(|flops| flops * executions),
            products: cost.products.scaled(executions),
            other_flops: other_flops(cost) * executions,
            needed: cost.needed.scaled(executions),
            bytes: cost.bytes * executions,
            traffic: Traffic::default(),
        };
        work.traffic.add_times(&cost.traffic, executions);
        work
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.add_times(other, 1.0);
    }

    /// Adds `count` times the work of something else. Unknown work adds nothing.
    pub(crate) fn add_times(&mut self, other: &Self, count: f64) {
        self.flops = match (self.flops, other.flops) {
            (sum, Some(each)) => Some(sum.unwrap_or(0.0) + each * count),
            (sum, None) => sum,
        };
        self.products.add_times(&other.products, count);
        self.other_flops += other.other_flops * count;
        self.needed.add_times(&other.needed, count);
        self.bytes += other.bytes * count;
        self.traffic.add_times(&other.traffic, count);
    }
}

/// What is left besides the products. Where nothing says of what type they are, products are all there
/// is, at the stated peak.
fn other_flops(cost: &OpCost) -> f64 {
    let products = cost.products.total();
    let is_untyped = products > 0.0 && products <= cost.products.get(ProductType::Unknown);
    let all = cost.flops.filter(|_| !is_untyped);
    all.map_or(0.0, |all| (all - products).max(0.0))
}

/// Rates of work, compared with the chip's peaks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Roofline {
    /// Operations per second.
    pub(crate) flop_rate: Option<f64>,
    /// Bytes per second, of all memories together.
    pub(crate) bandwidth: Option<f64>,
    /// Time of the operations at their peaks ÷ time; absent if the peak is unknown.
    pub(crate) compute_ratio: Option<f64>,
    /// The same with the operations that the model needs.
    pub(crate) needed_ratio: Option<f64>,
    /// Bandwidth ÷ peak of each memory; absent if the peak is unknown.
    pub(crate) level_ratios: [Option<f64>; LEVELS],
    /// `compute`, `memory` (device memory), or the name of an on-chip memory. Empty if a peak is
    /// unknown or no work was done.
    pub(crate) bound_by: &'static str,
    /// The largest of the ratios.
    pub(crate) ratio: Option<f64>,
    /// The time that the bound takes at its peak, in picoseconds.
    pub(crate) expected_ps: Option<f64>,
}

/// Peaks per second, where known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Peaks {
    /// The stated peak of compute.
    pub(crate) flops: Option<f64>,
    /// How products are computed, in the order of [`ProductType::ALL`].
    pub(crate) products: [Option<ProductPeak>; ProductType::ALL.len()],
    pub(crate) levels: [Option<f64>; LEVELS],
}

impl Peaks {
    /// The peaks of one device.
    pub(crate) fn of(session: &Session, device: DeviceId) -> Self {
        let kind = session.device(device).kind;
        let chip = &session.device(device).chip;
        let known = |per_second: f64| (per_second > 0.0).then_some(per_second);
        Self {
            flops: chip
                .peak_flops
                .as_ref()
                .and_then(|peak| known(peak.per_second)),
            products: ProductType::ALL.map(|product| {
                chip.product_peak(kind, product)
                    .filter(|peak| peak.per_second > 0.0)
            }),
            levels: MemoryLevel::ALL.map(|level| known(chip.memory_peak(level)?.per_second)),
        }
    }

    /// Seconds that the operations of some work take at their peaks; none if they or the peak are
    /// unknown.
    pub(crate) fn compute_seconds(&self, work: &Work) -> Option<f64> {
        work.flops?;
        self.seconds(&work.products, work.other_flops)
    }

    /// The same for the operations that the model needs.
    pub(crate) fn needed_seconds(&self, work: &Work) -> Option<f64> {
        work.flops?;
        self.seconds(&work.needed.products, 0.0)
    }

    fn seconds(&self, products: &Products, other_flops: f64) -> Option<f64> {
        let stated = self.flops?;
        let products = products.parts().map(|(product, flops)| {
            let peak = self.products[product.index()];
            flops / peak.map_or(stated, |peak| peak.per_second)
        });
        Some(products.sum::<f64>() + other_flops / stated)
    }
}

/// Peaks common to all the devices; none if they differ.
pub(crate) fn common_peaks(session: &Session, devices: &[DeviceId]) -> Peaks {
    let Some((&first, others)) = devices.split_first() else {
        return Peaks::default();
    };
    let peaks = Peaks::of(session, first);
    let is_same = |&other: &DeviceId| {
        is_same_chip(session.device(first), session.device(other))
            || Peaks::of(session, other) == peaks
    };
    if others.iter().all(is_same) {
        peaks
    } else {
        Peaks::default()
    }
}

/// Whether two devices have the same peaks for sure: those of operand types follow from the kind, the
/// name and the stated peak. Sessions have many devices, and mostly of one kind.
fn is_same_chip(one: &Device, other: &Device) -> bool {
    let rate = |peak: Option<&Peak>| peak.map(|peak| peak.per_second);
    one.kind == other.kind
        && one.chip.name == other.chip.name
        && rate(one.chip.peak_flops.as_ref()) == rate(other.chip.peak_flops.as_ref())
        && MemoryLevel::ALL
            .into_iter()
            .all(|level| rate(one.chip.memory_peak(level)) == rate(other.chip.memory_peak(level)))
}

/// The name of a memory as a bound. Device memory is just `memory`.
pub(crate) fn bound_name(level: MemoryLevel) -> &'static str {
    match level {
        MemoryLevel::Hbm => "memory",
        on_chip => on_chip.name(),
    }
}

/// Ratios up to this are within the error of clocks and peaks.
const MOST_RATIO: f64 = 1.05;

/// Whether work is faster than its roofline allows: the peak, the time, or the work is not what it seems.
pub(crate) fn is_over_peak(ratio: Option<f64>) -> bool {
    ratio.is_some_and(|ratio| ratio > MOST_RATIO)
}

/// Work ÷ time, compared with the peaks. If the operations are unknown, so are the bound and how
/// close the work is to the roofline: a kernel that computes but moves few bytes would seem idle.
pub(crate) fn roofline(work: &Work, time_ps: i64, peaks: &Peaks) -> Roofline {
    if time_ps <= 0 {
        return Roofline::default();
    }
    let seconds = time_ps as f64 * 1e-12;
    let flop_rate = work.flops.map(|flops| flops / seconds);
    let compute_ratio = peaks.compute_seconds(work).map(|at_peak| at_peak / seconds);
    let level_ratios = MemoryLevel::ALL.map(|level| {
        let peak = peaks.levels[level.index()]?;
        Some(work.traffic.get(level) / seconds / peak)
    });
    let memories = MemoryLevel::ALL
        .iter()
        .zip(level_ratios)
        .filter_map(|(&level, ratio)| Some((ratio?, bound_name(level))));
    let memory = memories.fold(None, |best: Option<(f64, &'static str)>, next| {
        Some(best.filter(|best| best.0 >= next.0).unwrap_or(next))
    });
    let bound_by = match (compute_ratio, memory) {
        (Some(compute), Some((memory, _))) if compute > memory => "compute",
        (Some(_), Some((memory, name))) if memory > 0.0 => name,
        _ => "",
    };
    let ratios = [compute_ratio, memory.map(|(ratio, _)| ratio)];
    let ratio = ratios.into_iter().flatten().reduce(f64::max);
    Roofline {
        flop_rate,
        bandwidth: Some(work.bytes / seconds),
        compute_ratio,
        needed_ratio: peaks.needed_seconds(work).map(|at_peak| at_peak / seconds),
        level_ratios,
        bound_by,
        ratio: ratio.filter(|_| work.flops.is_some()),
        expected_ps: ratio
            .filter(|_| work.flops.is_some() && !bound_by.is_empty())
            .map(|ratio| ratio * time_ps as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peaks() -> Peaks {
        let mut peaks = Peaks {
            flops: Some(1e14),
            ..Peaks::default()
        };
        peaks.levels[MemoryLevel::Hbm.index()] = Some(1e12);
        peaks.levels[MemoryLevel::VmemRead.index()] = Some(1e13);
        peaks
    }

    fn work(flops: f64, bytes: f64) -> Work {
        Work {
            flops: Some(flops),
            products: Products::of(ProductType::Bf16, flops),
            other_flops: 0.0,
            needed: Needed::all(Products::of(ProductType::Bf16, flops)),
            bytes,
            traffic: Traffic::hbm(bytes),
        }
    }

    #[test]
    fn the_largest_share_of_its_peak_bounds() {
        // 1e10 flops in 1 ms are 1e13/s, a tenth of the peak.
        let compute = roofline(&work(1e10, 1e7), 1_000_000_000, &peaks());
        assert_eq!(compute.bound_by, "compute");
        assert!((compute.ratio.expect("peaks are known") - 0.1).abs() < 1e-12);
        assert!((compute.flop_rate.expect("has work") - 1e13).abs() < 1.0);
        let memory = roofline(&work(1e7, 1e8), 1_000_000_000, &peaks());
        assert_eq!(memory.bound_by, "memory");
        assert_eq!(
            roofline(&work(0.0, 0.0), 1_000_000_000, &peaks()).bound_by,
            ""
        );
    }

    #[test]
    fn a_memory_on_the_chip_can_bound() {
        // 1e8 bytes in 1 ms: a tenth of device memory's peak; 5e9 through VMEM: half of its.
        let mut work = work(1e7, 5.1e9);
        work.traffic = Traffic::hbm(1e8);
        work.traffic.add(MemoryLevel::VmemRead, 5e9);
        let found = roofline(&work, 1_000_000_000, &peaks());
        assert_eq!(found.bound_by, "vmem_read");
        assert!((found.ratio.expect("peaks are known") - 0.5).abs() < 1e-12);
        assert!((found.level_ratios[0].expect("known") - 0.1).abs() < 1e-12);
        assert_eq!(found.level_ratios[MemoryLevel::CmemRead.index()], None);
    }

    #[test]
    fn without_known_operations_nothing_bounds() {
        let opaque = Work {
            flops: None,
            ..work(0.0, 1e8)
        };
        let found = roofline(&opaque, 1_000_000_000, &peaks());
        assert_eq!(
            (found.flop_rate, found.bound_by, found.ratio),
            (None, "", None)
        );
        assert_eq!(found.bandwidth, Some(1e11));
        // Of several ops, what is known counts.
        let mut both = opaque;
        both.add(&work(1e10, 1e7));
        assert_eq!(both.flops, Some(1e10));
    }

    #[test]
    fn without_both_peaks_nothing_bounds() {
        let compute_only = Peaks {
            flops: Some(1e14),
            ..Peaks::default()
        };
        let one = roofline(&work(1e10, 1e10), 1_000_000_000, &compute_only);
        assert_eq!((one.bound_by, one.ratio.is_some()), ("", true));
        let none = roofline(&work(1e10, 1e10), 1_000_000_000, &Peaks::default());
        assert_eq!((none.ratio, none.flop_rate.is_some()), (None, true));
        assert_eq!(roofline(&work(1e9, 1e9), 0, &peaks()), Roofline::default());
    }
}
