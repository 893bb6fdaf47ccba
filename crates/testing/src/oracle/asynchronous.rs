//! Ops of XLA:CPU that go on after their call: each has an arrow to the marker of its end, and ops that
//! waited for it run before that marker on the thread that completed it.

use std::collections::BTreeMap;

use super::events::Event;

/// Markers of ops that are done when their call returns follow within this time.
const AT_ONCE_PS: i128 = 2_000_000;
/// Ops that go on for less than this after their call are synchronous.
const LEAST_PS: i128 = 1_000_000;
/// Ops that follow each other within this time are one chain.
const CHAIN_PS: i128 = 20_000_000;

/// Sets the ends of asynchronous ops, each on a line of its own: it contains nothing. `devices` are the
/// slices of XLA:CPU by device, `all` are all events.
pub(super) fn complete(devices: &mut [&mut Vec<Event>], all: &[Event]) {
    let markers = all.iter().filter(|event| event.name.starts_with("end: "));
    let markers: BTreeMap<i64, &Event> = markers
        .filter_map(|event| Some((event.stats.integer("_c")?, event)))
        .collect();
    let mut lines: BTreeMap<i64, Vec<(i128, i128)>> = BTreeMap::new();
    for op in devices.iter().flat_map(|slices| slices.iter()) {
        let line = lines.entry(op.line_id).or_default();
        line.push((op.start_ps, op.end_ps()));
    }
    for line in lines.values_mut() {
        line.sort_unstable();
    }
    let mut own_line = i64::MIN;
    for slices in devices {
        for slice in slices.iter_mut() {
            let control = ["while", "conditional", "call"];
            if control.iter().any(|name| slice.name.starts_with(name)) {
                continue;
            }
            let Some(id) = slice.stats.integer("_p") else {
                continue;
            };
            let Some(marker) = markers.get(&id) else {
                continue;
            };
            if marker.line_id == slice.line_id && marker.start_ps <= slice.end_ps() + AT_ONCE_PS {
                continue;
            }
            let own = lines.get(&marker.line_id).map_or(&[][..], Vec::as_slice);
            let first_ps = first_of_chain(own, marker.start_ps, slice.end_ps() - LEAST_PS);
            // Without an op there, the marker itself is the end.
            let end_ps = first_ps.unwrap_or(marker.start_ps);
            if end_ps > slice.end_ps() + LEAST_PS {
                slice.duration_ps = end_ps - slice.start_ps;
                slice.line_id = own_line;
                own_line += 1;
            }
        }
    }
}

/// Of the ops of one thread, by start, that ran one after the other until an instant: when the first of
/// them began after a time.
fn first_of_chain(ops: &[(i128, i128)], at_ps: i128, after_ps: i128) -> Option<i128> {
    let before = ops.iter().take_while(|(start_ps, _)| *start_ps <= at_ps);
    let (mut chain_ps, mut reached_ps) = (Vec::new(), None);
    for &(start_ps, end_ps) in before {
        if reached_ps.is_none_or(|reached_ps| start_ps - reached_ps > CHAIN_PS) {
            chain_ps.clear();
        }
        chain_ps.push(start_ps);
        reached_ps = reached_ps.max(Some(end_ps));
    }
    chain_ps.into_iter().find(|&start_ps| start_ps > after_ps)
}
