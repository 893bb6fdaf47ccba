//! From totals by label to groups, one per row.

use super::key::{Key, key_of};
use rustc_hash::FxHashMap;
use stepscope_model::{Attribution, DeviceId, LabelId, Session};

use super::GroupBy;
use super::executions::Executions;
use crate::measuring::selection::Selected;
use crate::measuring::totals::{Totals, WorkTotals};
use crate::measuring::work::positions_by;

/// Work of one row.
pub(super) struct Group {
    pub(super) key: Key,
    /// Devices that the work ran on, ascending.
    pub(super) devices: Vec<DeviceId>,
    /// Whether each device has its own rows.
    pub(super) is_per_device: bool,
    pub(super) totals: Totals,
    pub(super) executions: i64,
    /// How its slices were attributed to the op, most certain first.
    pub(super) attributions: Vec<Attribution>,
    /// The label with the largest total, which represents the others if they differ.
    pub(super) label: LabelId,
}

/// The groups, in an order that depends only on the session.
pub(super) fn groups(
    session: &Session,
    selected: &Selected<'_>,
    totals: &[WorkTotals],
    by: GroupBy,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut positions: FxHashMap<(Option<DeviceId>, Key), usize> = FxHashMap::default();
    for (device, labels) in by_device(session, totals) {
        let executions = Executions::new(session, selected, device, &labels);
        let mut of_device: FxHashMap<Key, (Totals, LabelId, i64)> = FxHashMap::default();
        let mut attributions: FxHashMap<Key, Vec<Attribution>> = FxHashMap::default();
        let mut keys = Vec::new();
        for &(id, totals) in &labels {
            let label = session.label(id);
            let key = key_of(label);
            attributions.entry(key).or_default().push(label.attribution);
            let entry = of_device.entry(key).or_insert_with(|| {
                keys.push(key);
                (Totals::default(), id, 0)
            });
            entry.0.merge(totals);
            if totals.total_ps > entry.2 {
                (entry.1, entry.2) = (id, totals.total_ps);
            }
        }
        for key in keys {
            let Some((totals, label, _)) = of_device.remove(&key) else {
                continue;
            };
            let separate = (by == GroupBy::Device).then_some(device);
            let position = *positions.entry((separate, key)).or_insert_with(|| {
                groups.push(Group {
                    key,
                    devices: Vec::new(),
                    is_per_device: separate.is_some(),
                    totals: Totals::default(),
                    executions: 0,
                    attributions: Vec::new(),
                    label,
                });
                groups.len() - 1
            });
            let group = &mut groups[position];
            group.devices.push(device);
            let executed = executions.of(key, totals.occurrences);
            group.executions = group.executions.saturating_add(executed);
            group.totals.merge(totals);
            group
                .attributions
                .extend(attributions.remove(&key).unwrap_or_default());
        }
    }
    for group in &mut groups {
        group.attributions.sort_unstable();
        group.attributions.dedup();
    }
    groups
}

/// Totals by label of each device, with its aggregated events; devices and labels ascend.
fn by_device(session: &Session, totals: &[WorkTotals]) -> Vec<(DeviceId, Vec<(LabelId, Totals)>)> {
    let mut dense = vec![Totals::default(); session.labels.len()];
    let of_devices = positions_by(totals, |totals| totals.device).into_iter();
    let merged = of_devices.map(|(device, own)| {
        for &(label, totals) in own.iter().flat_map(|&position| &totals[position].labels) {
            dense[label.index()].merge(totals);
        }
        let labels = dense
            .iter_mut()
            .enumerate()
            .filter(|(_, totals)| totals.occurrences > 0);
        let labels = labels
            .map(|(index, totals)| (LabelId::from_index(index), std::mem::take(totals)))
            .collect();
        (device, labels)
    });
    merged.collect()
}
