//! The difference of the mean typical step as a sum, and what outlier steps add to it.
//!
//! ```text
//! step        = Σ parts                                         the sweep of `steps`
//! part        = Σ self time of its ops × f                      f = part ÷ Σ self
//! Δ part      = Σ f̄ × Δ self time  +  mean Σ self × Δ f          ops, and how they overlap
//! ```
//!
//! f is 1 if the ops of a device run one after another and nothing hides them; it is smaller if they
//! overlap with each other or with other work. f̄ is the mean of f over both sides, so that the two terms
//! sum to the difference exactly, whichever side is the baseline.

use super::items::Item;
use super::joined::Joined;
use super::matching::Pair;
use super::report::{BarKind, Evidence, WaterfallBar};
use super::side::Side;
use crate::measuring::steps::PartKind;
use crate::measuring::steps::parts::PARTS;
use crate::telling::format;

/// Parts in which the device works.
pub(super) const WORK_PARTS: [PartKind; 6] = [
    PartKind::DeviceCompute,
    PartKind::Collectives,
    PartKind::HostToDevice,
    PartKind::DeviceToHost,
    PartKind::DeviceToDevice,
    PartKind::PythonCallbacks,
];

/// Maximum number of ops that get their own bar.
const SINGLE_OPS: usize = 12;
/// An op below this share of the step does not get a bar.
const LEAST_RATIO: f64 = 0.002;

/// An op of one or both sides, and its effect on the step.
pub(crate) struct Change {
    pub(crate) baseline: Option<usize>,
    pub(crate) other: Option<usize>,
    pub(super) part: PartKind,
    /// f̄ × Δ self time.
    pub(super) step_ps: f64,
}

/// How a part of work changed apart from its ops.
struct Overlap {
    part: PartKind,
    change_ps: f64,
    residual_ps: f64,
}

/// All changes: of the ops, and of how they overlap.
pub(crate) struct Changes {
    /// Largest effect first.
    pub(crate) ops: Vec<Change>,
    overlaps: Vec<Overlap>,
}

impl Changes {
    pub(super) fn of(sides: [&Side<'_>; 2], pairs: &[Pair], joined: &Joined) -> Self {
        let factors = WORK_PARTS.map(|part| Factors::of(sides, part));
        let factor = |part: PartKind| {
            let found = factors.iter().find(|factors| factors.part == part);
            found.map_or(1.0, Factors::mean)
        };
        let mut ops: Vec<Change> = Vec::new();
        let mut is_paired = sides.map(|side| vec![false; side.items.len()]);
        for &(left, right) in pairs {
            let [a, b] = [(0, left), (1, right)]
                .map(|(side, item)| joined.sum(side, item).unwrap_or(&sides[side].items[item]));
            is_paired[0][left] = true;
            is_paired[1][right] = true;
            // An op that moved to another part is subtracted from the old one and added to the new one.
            ops.push(Change {
                baseline: Some(left),
                other: Some(right),
                part: b.part,
                step_ps: factor(b.part) * b.mean_ps() - factor(a.part) * a.mean_ps(),
            });
        }
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            for (index, item) in sides[side].items.iter().enumerate() {
                if !is_paired[side][index] && !joined.is_further(side, index) {
                    ops.push(Change {
                        baseline: (side == 0).then_some(index),
                        other: (side == 1).then_some(index),
                        part: item.part,
                        step_ps: sign * factor(item.part) * item.mean_ps(),
                    });
                }
            }
        }
        ops.sort_by(|a, b| {
            let weights = b.step_ps.abs().total_cmp(&a.step_ps.abs());
            weights.then((a.baseline, a.other).cmp(&(b.baseline, b.other)))
        });
        let overlaps = factors.iter().map(Factors::overlap).collect();
        Self { ops, overlaps }
    }
}

/// Time of a part, and Σ self time of its ops, on both sides.
struct Factors {
    part: PartKind,
    parts_ps: [f64; 2],
    self_ps: [f64; 2],
}

impl Factors {
    fn of(sides: [&Side<'_>; 2], part: PartKind) -> Self {
        let mean =
            |values: Vec<f64>| crate::measuring::steps::mean(values.into_iter()).unwrap_or(0.0);
        Self {
            part,
            parts_ps: sides.map(|side| mean(side.part(part))),
            self_ps: sides.map(|side| {
                let items = side.items.iter().filter(|item| item.part == part);
                items.map(Item::mean_ps).sum()
            }),
        }
    }

    /// f of a side; none if nothing of the part ran.
    fn own(&self, side: usize) -> Option<f64> {
        (self.self_ps[side] > 0.0).then(|| self.parts_ps[side] / self.self_ps[side])
    }

    /// f̄; if only one side has ops, the f of that side.
    fn mean(&self) -> f64 {
        match (self.own(0), self.own(1)) {
            (Some(a), Some(b)) => f64::midpoint(a, b),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => 1.0,
        }
    }

    fn overlap(&self) -> Overlap {
        let change = match (self.own(0), self.own(1)) {
            (Some(a), Some(b)) => f64::midpoint(self.self_ps[0], self.self_ps[1]) * (b - a),
            _ => 0.0,
        };
        let of_ops = self.mean() * (self.self_ps[1] - self.self_ps[0]);
        Overlap {
            part: self.part,
            change_ps: change,
            residual_ps: self.parts_ps[1] - self.parts_ps[0] - of_ops - change,
        }
    }
}

/// The bars, largest first; they sum to the difference of the mean typical step. `title` and `evidence`
/// describe the ops that get a bar, `of_part` gives the evidence of parts.
pub(super) fn bars(
    sides: [&Side<'_>; 2],
    changes: &Changes,
    title: impl Fn(usize) -> String,
    evidence: impl Fn(usize) -> Evidence,
    of_part: impl Fn(PartKind) -> Evidence,
) -> Vec<WaterfallBar> {
    let step_ps = sides[0].typical_step_ps().unwrap_or(0.0);
    let mut bars = Vec::new();
    let mut others = WORK_PARTS.map(|part| (part, 0usize, 0.0));
    let mut singles = 0;
    for (index, change) in changes.ops.iter().enumerate() {
        let is_single = singles < SINGLE_OPS && change.step_ps.abs() >= LEAST_RATIO * step_ps;
        if is_single {
            singles += 1;
            bars.push(WaterfallBar {
                kind: match (change.baseline, change.other) {
                    (Some(_), Some(_)) => BarKind::Op,
                    (None, _) => BarKind::NewOp,
                    (_, None) => BarKind::GoneOp,
                },
                title: title(index),
                part: Some(change.part),
                difference_ps: change.step_ps,
                op: Some(index),
                evidence: evidence(index),
            });
        } else if let Some(rest) = others.iter_mut().find(|(part, ..)| *part == change.part) {
            rest.1 += 1;
            rest.2 += change.step_ps;
        }
    }
    for (part, count, difference_ps) in others {
        let title = format!(
            "{} of {}",
            format::counted(count, "other op"),
            in_words(part)
        );
        bars.push(bar(
            BarKind::OtherOps,
            title,
            Some(part),
            difference_ps,
            of_part(part),
        ));
    }
    let mut residual_ps = 0.0;
    for overlap in &changes.overlaps {
        let less = if overlap.change_ps > 0.0 {
            "less"
        } else {
            "more"
        };
        let title = match overlap.part {
            PartKind::DeviceCompute => format!("Ops overlap each other {less}"),
            part => format!("{}: {less} overlap with computation", part.title()),
        };
        let part = Some(overlap.part);
        let evidence = of_part(overlap.part);
        bars.push(bar(
            BarKind::Overlap,
            title,
            part,
            overlap.change_ps,
            evidence,
        ));
        residual_ps += overlap.residual_ps;
    }
    for (part, kind) in [
        (PartKind::InputWait, BarKind::InputWait),
        (PartKind::Compilation, BarKind::Compilation),
        (PartKind::HostOverhead, BarKind::HostOverhead),
        (PartKind::Idle, BarKind::Idle),
    ] {
        let mean = |side: &Side<'_>| {
            crate::measuring::steps::mean(side.part(part).into_iter()).unwrap_or(0.0)
        };
        let difference_ps = mean(sides[1]) - mean(sides[0]);
        let title = part.title().to_owned();
        bars.push(bar(kind, title, Some(part), difference_ps, of_part(part)));
    }
    let title = "Communication or copies not attributed to ops".to_owned();
    bars.push(bar(
        BarKind::Residual,
        title,
        None,
        residual_ps,
        Evidence::WithinNoise,
    ));
    largest_first(&mut bars);
    bars
}

fn largest_first(bars: &mut Vec<WaterfallBar>) {
    bars.retain(|bar| bar.difference_ps.abs() >= 0.5);
    bars.sort_by(|a, b| b.difference_ps.abs().total_cmp(&a.difference_ps.abs()));
}

/// What outlier steps, which a typical step excludes, add to the mean over all steps: compilation, and
/// everything else.
pub(super) fn outliers(sides: [&Side<'_>; 2]) -> Vec<WaterfallBar> {
    let excess = |part: PartKind| sides[1].excess_ps(part) - sides[0].excess_ps(part);
    let compilation_ps = excess(PartKind::Compilation);
    let all: f64 = PARTS.into_iter().map(excess).sum();
    let counts = sides.map(Side::outliers);
    let steps = match counts {
        [before, after] if before == after => format!("{after} on each side"),
        [before, after] => format!("{after} instead of {before}"),
    };
    let title = |what: &str| format!("{what} outlier steps ({steps})");
    let evidence = Evidence::TooFewSteps;
    let mut bars = vec![
        bar(
            BarKind::OutlierCompilation,
            title("Compilation in"),
            Some(PartKind::Compilation),
            compilation_ps,
            evidence,
        ),
        bar(
            BarKind::OutlierSteps,
            title("Other time in"),
            None,
            all - compilation_ps,
            evidence,
        ),
    ];
    largest_first(&mut bars);
    bars
}

const fn bar(
    kind: BarKind,
    title: String,
    part: Option<PartKind>,
    difference_ps: f64,
    evidence: Evidence,
) -> WaterfallBar {
    WaterfallBar {
        kind,
        title,
        part,
        difference_ps,
        op: None,
        evidence,
    }
}

/// Name of a part for use in a sentence.
pub(super) fn in_words(part: PartKind) -> &'static str {
    match part {
        PartKind::DeviceCompute => "computation",
        PartKind::Collectives => "communication",
        PartKind::HostToDevice => "copies to the device",
        PartKind::DeviceToHost => "copies to the host",
        PartKind::DeviceToDevice => "copies on the device",
        PartKind::PythonCallbacks => "Python callbacks",
        PartKind::InputWait => "input wait",
        PartKind::Compilation => "compilation",
        PartKind::HostOverhead => "host overhead",
        PartKind::Idle => "idle time",
    }
}
