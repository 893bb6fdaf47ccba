//! Which units of the chips do the operations: matrix units, or those for all else.

use stepscope_model::{DeviceKind, OperandType, ProductPeak};

use crate::judging::advice::facts::Facts;
use crate::views::ops::common_peaks;
use crate::views::roofline::computing;

/// The units that take most of the time that the operations need at their peaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Units {
    Matrix,
    /// Those for single numbers.
    Other,
    /// Not known, or neither takes most of it.
    Unknown,
}

impl Units {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let session = facts.session;
        let devices: Vec<_> = facts.working().collect();
        let mut kinds = facts.kinds();
        let Some(kind) = kinds
            .next()
            .filter(|first| kinds.all(|kind| kind == *first))
        else {
            return Self::Unknown;
        };
        let peaks = common_peaks(session, &devices);
        let Some(stated) = peaks.flops else {
            return Self::Unknown;
        };
        let (mut matrix, mut other, mut all) = (0.0, 0.0, 0.0);
        for work in computing(&facts.ops.ops).filter_map(|op| op.work.as_ref()) {
            for (product, flops) in work.products.parts() {
                let peak = peaks.products[product.index()];
                let seconds = flops / peak.map_or(stated, |peak| peak.per_second);
                all += seconds;
                match peak.map_or(Self::Unknown, |peak| Self::that_multiply(kind, peak)) {
                    Self::Matrix => matrix += seconds,
                    Self::Other => other += seconds,
                    Self::Unknown => {}
                }
            }
            let seconds = work.other_flops / stated;
            all += seconds;
            other += seconds;
        }
        if matrix * 2.0 > all {
            Self::Matrix
        } else if other * 2.0 > all {
            Self::Other
        } else {
            Self::Unknown
        }
    }

    /// Those that multiply with this peak. Chips differ in how they multiply wider types.
    fn that_multiply(kind: DeviceKind, peak: ProductPeak) -> Self {
        match (kind, peak.computed_in) {
            (DeviceKind::NvidiaGpu, Some(OperandType::F32)) => Self::Other,
            (DeviceKind::Cpu, _) | (_, None | Some(OperandType::F32 | OperandType::F64)) => {
                Self::Unknown
            }
            (_, Some(_)) => Self::Matrix,
        }
    }

    /// The beginning of a sentence.
    pub(super) const fn are_busy(self) -> &'static str {
        match self {
            Self::Matrix => "The matrix units are busy",
            Self::Other => "The units for single numbers (ALUs) are busy, and not the matrix units",
            Self::Unknown => "The units that compute are busy",
        }
    }
}
