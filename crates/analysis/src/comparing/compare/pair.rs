//! A session and the baseline: which ops match, what changed, and whether it is more than noise.

use stepscope_model::Session;

use super::items::Item;
use super::nodes::{Node, arrays};
use super::noise::{Effect, FEWEST_STEPS, RunNoise, discoveries, effect};
use super::pairing::Pairing;
use super::ranges::{
    OtherWork, are_far_apart, are_mostly_apart, are_other_counts, effect_of_ranges, gap, number,
};
use super::report::{ComparedOp, ComparedOpSide, Evidence, TimeDifference};
use super::side::Side;
use super::surroundings;
use super::unit::OtherUnit;
use super::waterfall::{Change, Changes};
use crate::measuring::steps::PartKind;
use crate::telling::format;

/// Ops below this share of the step in both sessions are not tested: there are many, and none matters.
const TESTED_RATIO: f64 = 0.001;

/// The parts whose time is one or another by what was recorded of hosts: what a thread does is known where
/// its Python was traced.
pub(crate) const BY_RECORDING: [PartKind; 3] =
    [PartKind::InputWait, PartKind::HostOverhead, PartKind::Idle];

/// Those parts together, in each typical step.
pub(crate) fn waiting_of(side: &Side<'_>) -> Vec<f64> {
    let mut sums = vec![0.0; side.part(PartKind::Idle).len()];
    for part in BY_RECORDING {
        for (sum, time) in sums.iter_mut().zip(side.part(part)) {
            *sum += time;
        }
    }
    sums
}

/// The baseline and another session, matched and compared.
pub(crate) struct Both<'a, 'b> {
    pub(crate) sides: [&'b Side<'a>; 2],
    /// Position of the other session.
    pub(super) session: usize,
    pub(super) pairing: Pairing,
    pub(crate) changes: Changes,
    noise: RunNoise,
    confidence: f64,
    effects: Vec<(Effect, Evidence)>,
    /// Present if counts show that the sessions ran different work.
    pub(super) other_work: Option<OtherWork>,
    /// Whether other things were recorded of what hosts do.
    is_recorded_otherwise: bool,
    /// For each item, its program pair and node.
    node_of: [Vec<Option<(usize, usize)>>; 2],
}

impl<'a, 'b> Both<'a, 'b> {
    pub(crate) fn of(
        sides: [&'b Side<'a>; 2],
        session: usize,
        noise: RunNoise,
        confidence: f64,
    ) -> Self {
        let items = [sides[0].items.as_slice(), sides[1].items.as_slice()];
        let pairing = Pairing::of([sides[0].session, sides[1].session], items);
        let changes = Changes::of(sides, &pairing.items, &pairing.joined);
        let node_of = [0, 1].map(|side| {
            let mut node_of = vec![None; items[side].len()];
            for (program, pair) in pairing.programs.iter().enumerate() {
                for (index, node) in pair.nodes[side].iter().enumerate() {
                    if let Some(item) = node.item {
                        node_of[item] = Some((program, index));
                    }
                }
            }
            node_of
        });
        let mut both = Self {
            sides,
            session,
            pairing,
            changes,
            noise,
            confidence,
            effects: Vec::new(),
            other_work: None,
            is_recorded_otherwise: surroundings::is_host_recorded_otherwise(sides),
            node_of,
        };
        both.other_work = OtherWork::of(sides, || both.changed_share());
        both.effects = both.tested();
        both
    }

    /// How the steps are not the same unit, if so.
    pub(super) fn other_unit(&self) -> Option<OtherUnit> {
        OtherUnit::of(self.sides)
    }

    /// Difference of the step time; `None` if a side has none, or if their steps are not the same unit.
    pub(super) fn step(&self) -> Option<TimeDifference> {
        if self.other_unit().is_some() {
            return None;
        }
        let [a, b] = self.sides.map(Side::durations);
        (!a.is_empty() && !b.is_empty()).then(|| self.time(&a, &b, None))
    }

    /// Every step of one side is longer than every step of the other.
    pub(super) fn are_apart(&self) -> bool {
        let [a, b] = self.sides.map(Side::durations);
        a.len() > 1 && b.len() > 1 && gap(&a, &b).is_some()
    }

    /// Nearly every step of one side is longer than nearly every step of the other.
    pub(super) fn are_mostly_apart(&self) -> bool {
        let [a, b] = self.sides.map(Side::durations);
        a.len() >= FEWEST_STEPS && b.len() >= FEWEST_STEPS && are_mostly_apart(&a, &b)
    }

    /// Difference of a part of the step. Where other things were recorded of hosts, the parts that this
    /// decides are known to differ only as far as all of them together do.
    pub(super) fn part(&self, part: PartKind) -> TimeDifference {
        let [a, b] = self.sides.map(|side| side.part(part));
        let mut own = self.time(&a, &b, Some(part));
        if self.is_recorded_otherwise && BY_RECORDING.contains(&part) {
            let together = self.waiting();
            let is_same_way = own.difference_ps * together.difference_ps > 0.0;
            if own.evidence == Evidence::BeyondNoise
                && (together.evidence != Evidence::BeyondNoise || !is_same_way)
            {
                own.evidence = Evidence::WithinNoise;
            }
        }
        own
    }

    /// Difference of the parts that what was recorded of hosts decides, together.
    pub(super) fn waiting(&self) -> TimeDifference {
        let [a, b] = self.sides.map(waiting_of);
        self.time(&a, &b, Some(PartKind::Idle))
    }

    /// Difference of the computation of a device.
    pub(super) fn computation(&self, before: &[f64], after: &[f64]) -> TimeDifference {
        self.time(before, after, Some(PartKind::DeviceCompute))
    }

    /// Whether a p-value is so small that so many tests would seldom show it by chance.
    pub(super) fn is_rare_among(&self, p_value: f64, tests: usize) -> bool {
        p_value * tests as f64 <= 1.0 - self.confidence
    }

    /// Whether other things were recorded of what hosts do.
    pub(crate) const fn is_recorded_otherwise(&self) -> bool {
        self.is_recorded_otherwise
    }

    fn time(&self, baseline: &[f64], other: &[f64], part: Option<PartKind>) -> TimeDifference {
        let [before, after] = [baseline, other].map(mean);
        let found = self.effect(baseline, other, self.is_by_work(part, after > before));
        let is_discovery = found.p_value.is_some_and(|p| p <= 1.0 - self.confidence);
        difference(baseline, other, &found, found.evidence(is_discovery))
    }

    /// The effect by means and ranks. If these are inconclusive and other work ran, the effect by ranges.
    fn effect(&self, baseline: &[f64], other: &[f64], is_other_work: bool) -> Effect {
        let found = effect(baseline, other, self.noise, self.confidence);
        let is_shown = found.p_value.is_some_and(|p| p <= 1.0 - self.confidence)
            && found.evidence(true) == Evidence::BeyondNoise;
        if is_shown || !(is_other_work || are_far_apart(baseline, other)) {
            return found;
        }
        effect_of_ranges(baseline, other, self.noise, self.confidence)
            .filter(|exact| exact.evidence(true) == Evidence::BeyondNoise)
            .unwrap_or(found)
    }

    /// Whether different work can be why the step, or a part of it, takes more or less time. More launches
    /// also keep the host busy. Larger ops only keep the device busy; they cause no gaps.
    pub(crate) fn is_by_work(&self, part: Option<PartKind>, is_longer: bool) -> bool {
        match (&self.other_work, part) {
            (None, _) => false,
            (Some(OtherWork::Devices(..)), _) => true,
            (Some(OtherWork::Launches(before, after)), _) => (after > before) == is_longer,
            (Some(OtherWork::Ops(_)), Some(part)) => part < PartKind::InputWait,
            (Some(OtherWork::Ops(_)), None) => {
                let [before, after] = self.sides.map(Side::work);
                gap(&before, &after).is_some() && (mean(&after) > mean(&before)) == is_longer
            }
        }
    }

    /// Share of the work in ops that are new, gone or changed, on the side where it is larger.
    pub(super) fn changed_share(&self) -> f64 {
        let share = |side: usize| {
            let (mut all, mut changed) = (0.0, 0.0);
            for change in &self.changes.ops {
                let item = [change.baseline, change.other][side];
                let time = self.item(side, item).map_or(0.0, Item::mean_ps);
                all += time;
                if matches!(self.matched(change), "new" | "gone" | "changed") {
                    changed += time;
                }
            }
            if all > 0.0 { changed / all } else { 0.0 }
        };
        share(0).max(share(1))
    }

    /// Whether the op itself differs: its shape, its content, how often it runs, or the devices.
    fn is_another(&self, change: &Change) -> bool {
        self.has_other_counts(change)
            || self.matched(change) == "changed"
            || matches!(self.other_work, Some(OtherWork::Devices(..)))
    }

    /// Whether the op runs more or less often in every step, or on one side only.
    pub(super) fn has_other_counts(&self, change: &Change) -> bool {
        let counts = |side: usize, item| self.item(side, item).map(|item| &item.occurrences);
        match [counts(0, change.baseline), counts(1, change.other)] {
            [Some(a), Some(b)] => are_other_counts(a, b),
            _ => true,
        }
    }

    /// An item, or the sum of those that count as one with it.
    pub(crate) fn item(&self, side: usize, index: Option<usize>) -> Option<&Item> {
        let sum = self.pairing.joined.sum(side, index?);
        Some(sum.unwrap_or(&self.sides[side].items[index?]))
    }

    pub(super) fn node(&self, side: usize, item: Option<usize>) -> Option<&Node> {
        let (program, node) = self.node_of[side][item?]?;
        Some(&self.pairing.programs[program].nodes[side][node])
    }

    /// Evidence for the difference of an op's self time.
    pub(super) fn evidence(&self, op: usize) -> Evidence {
        self.effects[op].1
    }

    /// `fusion.12`, the name in the other session first.
    pub(super) fn name(&self, op: usize) -> &'a str {
        let change = &self.changes.ops[op];
        let of = |side: usize, item: Option<usize>| {
            Some(self.item(side, item)?.name(self.sides[side].session))
        };
        of(1, change.other)
            .or_else(|| of(0, change.baseline))
            .unwrap_or_default()
    }

    /// All ops, as rows of the report.
    pub(crate) fn ops(&self) -> Vec<ComparedOp> {
        (0..self.changes.ops.len()).map(|op| self.op(op)).collect()
    }

    fn op(&self, index: usize) -> ComparedOp {
        let change = &self.changes.ops[index];
        let (found, evidence) = &self.effects[index];
        let values = [
            self.values(0, change.baseline),
            self.values(1, change.other),
        ];
        ComparedOp {
            index,
            session: self.session,
            matched: self.matched(change).to_owned(),
            baseline: self.op_side(0, change.baseline),
            other: self.op_side(1, change.other),
            part: change.part,
            class: self.class(change).to_owned(),
            time: difference(&values[0], &values[1], found, *evidence),
            step_difference_ps: change.step_ps,
            change: self.change_text(change),
        }
    }

    /// The class of the op with its most time, where the op still is.
    fn class(&self, change: &Change) -> &'static str {
        let of = |side: usize, item: Option<usize>| {
            let label = self.item(side, item)?.label;
            Some(self.sides[side].session.label(label).class.name())
        };
        of(1, change.other)
            .or_else(|| of(0, change.baseline))
            .unwrap_or_default()
    }

    /// The effect on each op, and its evidence among the ops that are large enough to be tested.
    fn tested(&self) -> Vec<(Effect, Evidence)> {
        let (sides, changes) = (self.sides, &self.changes);
        let steps = sides.map(|side| side.typical_step_ps().unwrap_or(0.0));
        let found: Vec<Effect> = changes
            .ops
            .iter()
            .map(|change| {
                let [a, b] = [(0, change.baseline), (1, change.other)]
                    .map(|(side, item)| self.values(side, item));
                self.effect(&a, &b, self.is_another(change))
            })
            .collect();
        let is_large = |change: &Change| {
            let mean =
                |side: usize, item: Option<usize>| self.item(side, item).map_or(0.0, Item::mean_ps);
            mean(0, change.baseline) >= TESTED_RATIO * steps[0] && change.baseline.is_some()
                || mean(1, change.other) >= TESTED_RATIO * steps[1] && change.other.is_some()
        };
        let tested: Vec<Option<f64>> = changes
            .ops
            .iter()
            .zip(&found)
            .map(|(change, effect)| effect.p_value.filter(|_| is_large(change)))
            .collect();
        let discovered = discoveries(&tested, 1.0 - self.confidence);
        found
            .into_iter()
            .zip(discovered)
            .zip(&changes.ops)
            .map(|((mut effect, is_discovery), change)| {
                let is_there = effect.p_value.is_some() && is_in_all_steps(sides, change);
                let evidence = if is_there {
                    // Times are not negative, so an op that is gone cannot make the step longer.
                    if change.other.is_none() {
                        effect.high = effect.high.min(0.0);
                    }
                    Evidence::BeyondNoise
                } else {
                    effect.evidence(is_discovery)
                };
                (effect, evidence)
            })
            .collect()
    }

    fn values(&self, side: usize, item: Option<usize>) -> Vec<f64> {
        match self.item(side, item) {
            Some(item) => item.self_ps.clone(),
            None => vec![0.0; self.sides[side].typical().count()],
        }
    }

    pub(super) fn matched(&self, change: &Change) -> &'static str {
        let (Some(left), Some(right)) = (self.item(0, change.baseline), self.item(1, change.other))
        else {
            return if change.baseline.is_none() {
                "new"
            } else {
                "gone"
            };
        };
        let names = [
            left.name(self.sides[0].session),
            right.name(self.sides[1].session),
        ];
        let nodes = [self.node(0, change.baseline), self.node(1, change.other)];
        match nodes {
            [Some(a), Some(b)] if a.shape != b.shape || a.body != b.body => "changed",
            _ if names[0] != names[1] => "renamed",
            _ => "same",
        }
    }

    /// What changed about an op, in words.
    pub(super) fn change_text(&self, change: &Change) -> String {
        let (Some(left), Some(right)) = (self.item(0, change.baseline), self.item(1, change.other))
        else {
            return String::new();
        };
        let mut texts = Vec::new();
        if let (Some(a), Some(b)) = (self.node(0, change.baseline), self.node(1, change.other)) {
            if a.shape != b.shape && !a.shape.is_empty() && !b.shape.is_empty() {
                let verb = match size(&b.shape).partial_cmp(&size(&a.shape)) {
                    Some(std::cmp::Ordering::Greater) => "grew",
                    Some(std::cmp::Ordering::Less) => "shrank",
                    _ => "changed",
                };
                let [before, after] = [&a.shape, &b.shape].map(|shape| format::shortened(shape));
                texts.push(format!("its shape {verb} from {before} to {after}"));
            }
            if a.body != b.body {
                texts.push("it fuses different instructions".to_owned());
            }
        }
        let counts = (left.count(), right.count());
        if (counts.1 - counts.0).abs() > 0.05 * counts.0.max(counts.1) {
            texts.push(format!(
                "it runs {} instead of {} times per step",
                number(counts.1),
                number(counts.0)
            ));
        }
        let kernel = |side: usize, item: &Item| {
            let name = item.kernels.first().copied();
            name.map(|name| self.sides[side].session.text(name))
        };
        if let (Some(a), Some(b)) = (kernel(0, left), kernel(1, right))
            && super::nodes::stem(a) != super::nodes::stem(b)
        {
            let (a, b) = (format::shortened(a), format::shortened(b));
            texts.push(format!("kernel {b} instead of {a}"));
        }
        texts.join("; ")
    }

    fn op_side(&self, side: usize, index: Option<usize>) -> Option<ComparedOpSide> {
        let item = self.item(side, index)?;
        let session = self.sides[side].session;
        let node = self.node(side, index);
        let program = item.program(session).map(|id| session.program(id));
        let op = item.op().map(|op| session.op(op));
        let text = |id| session.text(id).to_owned();
        let kernel = item.kernels.first().copied();
        Some(ComparedOpSide {
            program: program.map(|one| one.name.clone()).unwrap_or_default(),
            program_id: program.map(|one| one.id.to_string()).unwrap_or_default(),
            name: item.name(session).to_owned(),
            category: category(session, item),
            shape: node.map(|node| node.shape.clone()).unwrap_or_default(),
            scope: op.map(|op| text(op.scope)).unwrap_or_default(),
            source: op.map(|op| text(op.source)).unwrap_or_default(),
            kernel: kernel.map(text).unwrap_or_default(),
            occurrences: item.count(),
        })
    }
}

/// Category of an op; `kernel` or `transfer` without one.
fn category(session: &Session, item: &Item) -> String {
    use crate::views::ops::key::Key;
    match item.key {
        Key::Op(op) => session.text(session.op(op).category).to_owned(),
        Key::Kernel(..) => "kernel".to_owned(),
        Key::Transfer(..) => "transfer".to_owned(),
    }
}

/// The op runs in all typical steps of one side and never on the other, which noise does not cause.
fn is_in_all_steps(sides: [&Side<'_>; 2], change: &Change) -> bool {
    let item = match (change.baseline, change.other) {
        (Some(item), None) => &sides[0].items[item],
        (None, Some(item)) => &sides[1].items[item],
        _ => return false,
    };
    item.occurrences.iter().all(|&count| count > 0.0)
}

fn mean(values: &[f64]) -> f64 {
    crate::measuring::steps::mean(values.iter().copied()).unwrap_or(0.0)
}

fn difference(
    baseline: &[f64],
    other: &[f64],
    found: &Effect,
    evidence: Evidence,
) -> TimeDifference {
    let baseline_ps = mean(baseline);
    TimeDifference {
        baseline_ps,
        mean_ps: mean(other),
        difference_ps: found.difference,
        ratio: (baseline_ps > 0.0).then(|| found.difference / baseline_ps),
        low_ps: found.low,
        high_ps: found.high,
        p_value: found.p_value,
        evidence,
    }
}

/// Number of elements of a shape in text form, summed over tuples.
fn size(shape: &str) -> f64 {
    let elements = arrays(shape).map(|dimensions| {
        let sizes = dimensions.filter_map(|size| size.parse::<f64>().ok());
        sizes.product::<f64>()
    });
    elements.sum()
}
