//! What ran: ops, and kernels and copies without an op, with their self time in every step.
//!
//! A value is the mean over hosts of the mean over the host's devices, like the parts of a step, so that
//! the two can be compared.

use rustc_hash::FxHashMap;
use stepscope_model::{DeviceId, LabelId, OpId, ProgramId, Session, SliceKind, Span, StringId};

use crate::measuring::levels::{device_levels, part_of_level};
use crate::measuring::selection::Selected;
use crate::measuring::steps::{PartKind, StepParts, mean};
use crate::measuring::totals::totals_within;
use crate::views::ops::key::{Key, key_of};

/// One op, or work without one.
#[derive(Clone)]
pub(crate) struct Item {
    pub(super) key: Key,
    /// The part of a step it belongs to.
    pub(super) part: PartKind,
    /// The label with the largest total.
    pub(super) label: LabelId,
    /// Self time in each typical step.
    pub(crate) self_ps: Vec<f64>,
    /// Slices in each typical step.
    pub(super) occurrences: Vec<f64>,
    /// Kernels it launched, most time first.
    pub(super) kernels: Vec<StringId>,
}

impl Item {
    /// Several items as one, which is called as the first.
    pub(super) fn sum<'a>(mut items: impl Iterator<Item = &'a Self>) -> Option<Self> {
        let mut sum = items.next()?.clone();
        for item in items {
            let values = sum.self_ps.iter_mut().zip(&item.self_ps);
            values.for_each(|(sum, own)| *sum += own);
            let counts = sum.occurrences.iter_mut().zip(&item.occurrences);
            counts.for_each(|(sum, own)| *sum += own);
        }
        Some(sum)
    }

    /// Mean self time of a typical step.
    pub(super) fn mean_ps(&self) -> f64 {
        mean(self.self_ps.iter().copied()).unwrap_or(0.0)
    }

    /// Mean number of slices in a typical step.
    pub(super) fn count(&self) -> f64 {
        mean(self.occurrences.iter().copied()).unwrap_or(0.0)
    }

    /// Its HLO op.
    pub(crate) const fn op(&self) -> Option<OpId> {
        match self.key {
            Key::Op(op) => Some(op),
            _ => None,
        }
    }

    /// Its program.
    pub(super) fn program(&self, session: &Session) -> Option<ProgramId> {
        match self.key {
            Key::Op(op) => Some(session.op(op).program),
            Key::Kernel(program, ..) | Key::Transfer(program, ..) => program,
        }
    }

    /// Name of the instruction or kernel, or the direction of a copy.
    pub(crate) fn name<'a>(&self, session: &'a Session) -> &'a str {
        match self.key {
            Key::Op(op) => session.text(session.op(op).name),
            Key::Kernel(_, name, _) => session.text(name),
            Key::Transfer(_, direction, _) => direction.name(),
        }
    }
}

/// A device's row of a typical step, with the index of that step and the weight of the row in it.
struct Place {
    device: DeviceId,
    span: Span,
    step: usize,
    weight: f64,
}

/// Everything that ran in the typical steps. `typical` maps a position in `Session::steps` to the index
/// of the typical step.
pub(super) fn items(
    session: &Session,
    selected: &Selected<'_>,
    rows: &[StepParts],
    typical: &FxHashMap<usize, usize>,
) -> Vec<Item> {
    let places = places(rows, typical);
    let windows: Vec<(DeviceId, Span)> = places
        .iter()
        .map(|place| (place.device, place.span))
        .collect();
    let levels = device_levels(session);
    let count = typical.len();
    let mut items: Vec<Item> = Vec::new();
    let mut positions: FxHashMap<(Key, PartKind), usize> = FxHashMap::default();
    let mut item_of: Vec<Option<usize>> = vec![None; session.labels.len()];
    let mut of_label: FxHashMap<LabelId, f64> = FxHashMap::default();
    for totals in totals_within(session, selected, &windows) {
        let place = &places[totals.row];
        for (id, totals) in totals.labels {
            let Some(part) = part_of_level(levels[id.index()]) else {
                continue;
            };
            let position = *item_of[id.index()].get_or_insert_with(|| {
                let key = key_of(session.label(id));
                *positions.entry((key, part)).or_insert_with(|| {
                    items.push(Item {
                        key,
                        part,
                        label: id,
                        self_ps: vec![0.0; count],
                        occurrences: vec![0.0; count],
                        kernels: Vec::new(),
                    });
                    items.len() - 1
                })
            });
            let item = &mut items[position];
            item.self_ps[place.step] += place.weight * totals.self_ps as f64;
            item.occurrences[place.step] += place.weight * totals.occurrences as f64;
            *of_label.entry(id).or_default() += place.weight * totals.total_ps as f64;
        }
    }
    name_kernels(session, &mut items, &item_of, &of_label);
    items
}

/// The device rows of typical steps. All hosts have equal weight, and so have all devices of a host.
fn places(rows: &[StepParts], typical: &FxHashMap<usize, usize>) -> Vec<Place> {
    let mut places = Vec::new();
    for of_step in rows.chunk_by(|a, b| a.step == b.step) {
        let Some(&step) = typical.get(&of_step[0].step) else {
            continue;
        };
        let mut hosts: Vec<_> = of_step.iter().map(|row| row.host).collect();
        hosts.sort_unstable();
        hosts.dedup();
        for row in of_step {
            let Some(device) = row.device else { continue };
            let of_host = of_step.iter().filter(|other| other.host == row.host);
            places.push(Place {
                device,
                span: row.span,
                step,
                weight: 1.0 / (hosts.len() * of_host.count()) as f64,
            });
        }
    }
    places
}

/// Gives items the label and the kernels with the most time.
fn name_kernels(
    session: &Session,
    items: &mut [Item],
    item_of: &[Option<usize>],
    of_label: &FxHashMap<LabelId, f64>,
) {
    let mut labels: Vec<(LabelId, f64)> = of_label.iter().map(|(&id, &ps)| (id, ps)).collect();
    labels.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut is_named = vec![false; items.len()];
    for (id, _) in labels {
        let Some(position) = item_of[id.index()] else {
            continue;
        };
        let (item, label) = (&mut items[position], session.label(id));
        if !std::mem::replace(&mut is_named[position], true) {
            item.label = id;
        }
        if label.kind == SliceKind::Kernel && !item.kernels.contains(&label.name) {
            item.kernels.push(label.name);
        }
    }
}
