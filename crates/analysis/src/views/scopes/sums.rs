//! What is summed at a node of the tree, and over nodes that are folded.

use stepscope_model::hlo::name_stack::Pass;

use crate::measuring::totals::Totals;
use crate::views::ops::OpRow;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) occurrences: i64,
    pub(super) total_ps: i64,
    pub(super) forward_ps: i64,
    pub(super) backward_ps: i64,
    pub(super) rematerialized_ps: i64,
    pub(super) estimated_ps: i64,
    pub(super) flops: Option<f64>,
    pub(super) bytes: Option<f64>,
    /// Of the ops for which theory says something, and their measured time.
    pub(super) expected_ps: Option<f64>,
    pub(super) expected_of_ps: i64,
}

impl Sums {
    pub(super) fn of(op: &OpRow, pass: Pass) -> Self {
        let executions = op.executions as f64;
        Self {
            occurrences: op.occurrences,
            flops: op.flops.map(|flops| flops * executions),
            bytes: op.bytes.map(|bytes| bytes * executions),
            expected_ps: op.expected_ps,
            expected_of_ps: op.expected_ps.map_or(0, |_| op.total_ps),
            ..Self::default()
        }
        .timed(op.self_ps, pass)
    }

    /// Some of the slices of an op, of which `whole` is the sum: its work counts by their number.
    pub(super) fn of_part(op: &OpRow, part: Totals, whole: Self) -> Self {
        let ratio = part.occurrences as f64 / op.occurrences.max(1) as f64;
        let passes = [
            (whole.forward_ps, Pass::Forward),
            (whole.backward_ps, Pass::Backward),
            (whole.rematerialized_ps, Pass::Rematerialized),
        ];
        let pass = passes.iter().find(|(own_ps, _)| *own_ps != 0);
        Self {
            occurrences: part.occurrences,
            expected_of_ps: whole.expected_ps.map_or(0, |_| part.total_ps),
            ..whole.scaled(ratio)
        }
        .timed(part.self_ps, pass.map_or(Pass::Unknown, |(_, pass)| *pass))
    }

    pub(super) fn timed(mut self, self_ps: i64, pass: Pass) -> Self {
        let in_pass = |wanted: Pass| if pass == wanted { self_ps } else { 0 };
        self.total_ps = self_ps;
        self.forward_ps = in_pass(Pass::Forward);
        self.backward_ps = in_pass(Pass::Backward);
        self.rematerialized_ps = in_pass(Pass::Rematerialized);
        self
    }

    pub(super) fn add(&mut self, other: Self) {
        let sum = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        self.occurrences = self.occurrences.saturating_add(other.occurrences);
        self.total_ps = self.total_ps.saturating_add(other.total_ps);
        self.forward_ps = self.forward_ps.saturating_add(other.forward_ps);
        self.backward_ps = self.backward_ps.saturating_add(other.backward_ps);
        self.rematerialized_ps = self
            .rematerialized_ps
            .saturating_add(other.rematerialized_ps);
        self.estimated_ps = self.estimated_ps.saturating_add(other.estimated_ps);
        self.flops = sum(self.flops, other.flops);
        self.bytes = sum(self.bytes, other.bytes);
        self.expected_ps = sum(self.expected_ps, other.expected_ps);
        self.expected_of_ps = self.expected_of_ps.saturating_add(other.expected_of_ps);
    }

    /// A share of everything but the times by pass.
    pub(super) fn scaled(self, ratio: f64) -> Self {
        let part = |whole: Option<f64>| whole.map(|whole| whole * ratio);
        Self {
            flops: part(self.flops),
            bytes: part(self.bytes),
            expected_ps: part(self.expected_ps),
            expected_of_ps: part_ps(self.expected_of_ps, ratio),
            ..self
        }
    }

    /// Measured ÷ expected time, of the ops for which theory says something.
    pub(super) fn times_expected(&self) -> Option<f64> {
        let expected = self.expected_ps.filter(|&expected| expected > 0.0)?;
        Some(self.expected_of_ps as f64 / expected)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a part of a time that fits"
)]
pub(super) fn part_ps(whole_ps: i64, ratio: f64) -> i64 {
    (whole_ps as f64 * ratio.clamp(0.0, 1.0)).round() as i64
}
