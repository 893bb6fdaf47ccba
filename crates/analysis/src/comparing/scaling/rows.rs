//! Rows: the samples of a method on one device count, compared with the smallest count.

use super::measure::{Measured, Work};
use super::report::{ScalingKind, ScalingRow};
use crate::measuring::steps::PartKind;
use crate::measuring::steps::mean;
use crate::measuring::steps::parts::PARTS;
use crate::measuring::workload::unknown;

/// The samples of one method, program and kind of device from one source, and their rows.
pub(super) struct Group<'a> {
    /// Its position among all groups.
    pub(super) position: usize,
    pub(super) method: &'a str,
    /// Empty if unknown.
    pub(super) program: &'a str,
    /// Empty if unknown.
    pub(super) chips: &'a str,
    pub(super) source: &'static str,
    /// By device count, ascending.
    pub(super) counts: Vec<Point<'a>>,
}

/// The samples of a method on one device count.
pub(super) struct Point<'a> {
    pub(super) device_count: usize,
    pub(super) samples: Vec<&'a Measured>,
    pub(super) step_ps: f64,
    /// Mean over the samples; none for benchmarks.
    pub(super) parts_ps: Option<[f64; PARTS.len()]>,
    /// Longest computation of a device − mean, mean over the samples.
    pub(super) imbalance_ps: Option<f64>,
}

/// What samples of a group share: method, program, kinds of devices, source.
type Key<'a> = (&'a str, &'a str, &'a str, &'static str);

fn key((method, sample): &(String, Measured)) -> Key<'_> {
    (method, &sample.program, &sample.chips, sample.source())
}

impl<'a> Group<'a> {
    /// The samples by method, program, kind of device, and source, each by ascending device count.
    pub(super) fn all(samples: &'a [(String, Measured)]) -> Vec<Self> {
        let mut keys: Vec<Key<'a>> = samples.iter().map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        let group = |(position, of): (usize, Key<'a>)| {
            let own = samples.iter().filter(|sample| key(sample) == of);
            let mut own: Vec<&Measured> = own.map(|(_, sample)| sample).collect();
            own.sort_by_key(|sample| sample.device_count);
            let counts = own.chunk_by(|a, b| a.device_count == b.device_count);
            let (method, program, chips, source) = of;
            Self {
                position,
                method,
                program,
                chips,
                source,
                counts: counts.map(Point::of).collect(),
            }
        };
        keys.into_iter().enumerate().map(group).collect()
    }

    /// Method, program and kind of devices in words.
    pub(super) fn name(&self) -> String {
        let chips = if self.chips.is_empty() {
            String::new()
        } else {
            format!(" on {}", self.chips)
        };
        match (self.program, self.source) {
            ("", "benchmark") => format!("{} (benchmark){chips}", self.method),
            ("", _) => format!("{}: program unknown{chips}", self.method),
            (program, _) => format!("{}: {program}{chips}", self.method),
        }
    }

    /// Why the samples stand apart from other sessions of the method; empty if they do not.
    pub(super) fn apart_because(&self) -> String {
        let why = match unknown(self.program, self.chips) {
            None => "",
            Some(_) if self.source == "benchmark" => "Benchmarks do not name programs",
            Some(_) => "Program unknown, so only the method in their names joins the sessions",
        };
        why.to_owned()
    }

    /// The smallest device count, which the others are compared with.
    pub(super) fn base(&self) -> &Point<'a> {
        &self.counts[0]
    }

    /// The largest device count.
    pub(super) fn largest(&self) -> &Point<'a> {
        &self.counts[self.counts.len() - 1]
    }

    /// Speedup of a step over the base.
    pub(super) fn speedup(&self, kind: ScalingKind, device_count: usize, step_ps: f64) -> f64 {
        let faster = self.base().step_ps / step_ps;
        match kind {
            ScalingKind::Strong => faster,
            ScalingKind::Weak => faster * self.ideal(device_count),
        }
    }

    /// Speedup with perfect scaling.
    pub(super) fn ideal(&self, device_count: usize) -> f64 {
        device_count as f64 / self.base().device_count as f64
    }

    pub(super) fn rows(&self, kind: ScalingKind, batch: Option<f64>) -> Vec<ScalingRow> {
        let rows = self.counts.iter();
        rows.map(|count| self.row(count, kind, batch)).collect()
    }

    fn row(&self, count: &Point<'_>, kind: ScalingKind, batch: Option<f64>) -> ScalingRow {
        let device_count = count.device_count;
        let per_second = 1e12 / count.step_ps;
        let throughput = match kind {
            ScalingKind::Strong => per_second,
            ScalingKind::Weak => per_second * device_count as f64,
        };
        let speedup = self.speedup(kind, device_count, count.step_ps);
        let steps = || count.samples.iter().map(|sample| sample.step_ps);
        let of_work = |value: fn(&Work) -> f64| count.of_work(|work| Some(value(work)));
        let communication_ps = of_work(|work| work.communication_ps);
        let exposed_ps = of_work(|work| work.part(PartKind::Collectives));
        let ratio = |time: Option<f64>| time.map(|time| time / count.step_ps);
        ScalingRow {
            method: self.method.to_owned(),
            group: self.position,
            program: self.program.to_owned(),
            source: self.source.to_owned(),
            device_count,
            devices: count.samples[0].devices.clone(),
            is_virtual: count.samples.iter().any(|sample| sample.is_virtual),
            sample_count: count.samples.len(),
            step_ps: count.step_ps,
            step_min_ps: steps().fold(f64::INFINITY, f64::min),
            step_max_ps: steps().fold(0.0, f64::max),
            throughput_per_second: throughput,
            examples_per_second: batch.map(|batch| batch * throughput),
            speedup_ratio: speedup,
            ideal_speedup_ratio: self.ideal(device_count),
            efficiency_ratio: speedup / self.ideal(device_count),
            compute_ps: of_work(|work| work.part(PartKind::DeviceCompute)),
            communication_ps,
            communication_ratio: ratio(communication_ps),
            exposed_ps,
            exposed_ratio: ratio(exposed_ps),
            balance_ratio: count.of_work(Work::balance),
            parts_ps: count.parts_ps.map(Vec::from).unwrap_or_default(),
        }
    }
}

impl<'a> Point<'a> {
    /// From the samples of one method and count, at least one.
    fn of(samples: &[&'a Measured]) -> Self {
        let mut count = Self {
            device_count: samples[0].device_count,
            samples: samples.to_vec(),
            step_ps: mean(samples.iter().map(|sample| sample.step_ps)).unwrap_or(0.0),
            parts_ps: None,
            imbalance_ps: None,
        };
        if samples.iter().all(|sample| sample.work.is_some()) {
            let part = |index: usize| count.of_work(|work| Some(work.parts_ps[index]));
            count.parts_ps = Some(std::array::from_fn(|index| part(index).unwrap_or(0.0)));
            count.imbalance_ps = count.of_work(|work| {
                let most = work.computed_ps.iter().copied().fold(0.0, f64::max);
                Some(most - mean(work.computed_ps.iter().copied())?)
            });
        }
        count
    }

    /// Mean over the samples that have the value.
    fn of_work(&self, value: impl Fn(&Work) -> Option<f64>) -> Option<f64> {
        let known = self
            .samples
            .iter()
            .filter_map(|sample| sample.work.as_ref());
        mean(known.filter_map(value))
    }
}
