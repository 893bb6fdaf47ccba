//! Nesting: hand-computed examples, and properties that hold for any slices.

use proptest::prelude::*;

use super::*;

/// Nests spans of one group, and returns the place of each.
fn nest(spans: &[(i64, i64)]) -> NestedGroups {
    let mut nester = Nester::new(Keep::All);
    push_all(&mut nester, spans);
    nester.finish(1)
}

fn push_all(nester: &mut Nester<'_>, spans: &[(i64, i64)]) {
    for (event, &(start, end)) in (0u32..).zip(spans) {
        let duration = end - start;
        nester.push(
            0,
            Slice {
                start,
                duration,
                label: 0,
                event,
            },
        );
        nester.end_of_last(FlowKey::Correlation(u64::from(event)), event);
    }
}

fn lanes(nested: &NestedGroups) -> Vec<Vec<(i64, i64)>> {
    let lanes = nested.groups[0].lanes.iter();
    let lane = |lane: &NestedLane| {
        let starts = nested.block.starts(lane.range.clone()).iter();
        let durations = nested.block.durations(lane.range.clone()).iter();
        starts
            .zip(durations)
            .map(|(start, duration)| (*start, start + duration))
            .collect()
    };
    lanes.map(lane).collect()
}

#[test]
fn contained_slices_go_one_lane_down() {
    let nested = nest(&[(0, 10), (1, 4), (4, 9), (5, 6), (10, 12)]);
    assert_eq!(
        lanes(&nested),
        [vec![(0, 10), (10, 12)], vec![(1, 4), (4, 9)], vec![(5, 6)]]
    );
    assert_eq!(nested.groups[0].nests, vec![0..3]);
    assert_eq!(nested.groups[0].overlapping, 0);
}

#[test]
fn a_partial_overlap_opens_another_nest() {
    let nested = nest(&[(0, 10), (5, 15), (6, 9), (11, 14)]);
    assert_eq!(
        lanes(&nested),
        [vec![(0, 10), (11, 14)], vec![(6, 9)], vec![(5, 15)]]
    );
    assert_eq!(nested.groups[0].nests, vec![0..2, 2..3]);
    assert_eq!(nested.groups[0].overlapping, 1);
}

#[test]
fn equal_spans_nest_in_file_order_and_longer_ones_are_parents() {
    let nested = nest(&[(0, 4), (0, 4), (0, 9)]);
    assert!(nested.was_unsorted);
    assert_eq!(lanes(&nested), [vec![(0, 9)], vec![(0, 4)], vec![(0, 4)]]);
    assert_eq!(
        nested.block.events(nested.groups[0].lanes[1].range.clone()),
        [0]
    );
}

/// Slices in time order, as all second passes find them, each with an arrow end.
fn sorted(spans: &[(u16, i64, i64)]) -> Vec<(u16, Slice)> {
    let slices = spans.iter().map(|&(group, start, duration)| {
        let slice = Slice {
            start,
            duration,
            label: 0,
            event: 0,
        };
        (group, slice)
    });
    let mut slices: Vec<(u16, Slice)> = slices.collect();
    slices.sort_by_key(|(_, slice)| (slice.start, Reverse(slice.duration)));
    for (event, (_, slice)) in (0u32..).zip(&mut slices) {
        (slice.label, slice.event) = (event, event);
    }
    slices
}

fn push_slices(nester: &mut Nester<'_>, slices: &[(u16, Slice)]) {
    for &(group, slice) in slices {
        nester.push(group, slice);
        if group == 0 {
            nester.end_of_last(FlowKey::Correlation(u64::from(slice.event)), slice.event);
        }
    }
}

proptest! {
    #[test]
    fn slices_left_for_later_come_to_the_same_places(
        spans in prop::collection::vec((0u16..3, 0i64..200, 0i64..60), 0..200),
    ) {
        let slices = sorted(&spans);
        let pass = |keep| {
            let mut nester = Nester::new(keep);
            push_slices(&mut nester, &slices);
            prop_assert!(!nester.is_in_vain());
            Ok(nester.finish(3))
        };
        let (at_once, outline) = (pass(Keep::All)?, pass(Keep::AllButOwn)?);
        for (a, b) in at_once.groups.iter().zip(&outline.groups) {
            let hulls = |nested: &Nested| -> Vec<(usize, Span)> {
                nested.lanes.iter().map(|lane| (lane.range.len(), lane.hull)).collect()
            };
            prop_assert_eq!(hulls(a), hulls(b));
            prop_assert_eq!(&a.nests, &b.nests);
            prop_assert_eq!(a.overlapping, b.overlapping);
        }
        let without_ends = pass(Keep::Slices)?;
        prop_assert!(without_ends.ends.is_empty());
        for (a, b) in at_once.groups.iter().zip(&without_ends.groups) {
            for (a, b) in a.lanes.iter().zip(&b.lanes) {
                prop_assert_eq!(&a.range, &b.range);
                let events = |nested: &NestedGroups| nested.block.events(a.range.clone()).to_vec();
                prop_assert_eq!(events(&at_once), events(&without_ends));
            }
        }
        let own = &outline.groups[0].lanes;
        let mut rows: Vec<_> = own.iter().map(|lane| (lane.row, lane.range.clone())).collect();
        rows.sort_unstable_by_key(|(row, _)| *row);
        let rows: Vec<_> = rows.into_iter().map(|(_, range)| range).collect();
        let count = rows.iter().map(ExactSizeIterator::len).sum();
        let labels: Vec<LabelId> = (0..slices.len()).map(LabelId::from_index).collect();
        let mut block = SliceBlock::zeroed(count);
        let columns = block.columns_mut();
        push_slices(
            &mut Nester::into_target(Target { columns, rows, labels: &labels }),
            &slices,
        );
        for (a, b) in at_once.groups[0].lanes.iter().zip(own) {
            let (a, b) = (a.range.clone(), b.range.clone());
            prop_assert_eq!(at_once.block.starts(a.clone()), block.starts(b.clone()));
            prop_assert_eq!(at_once.block.durations(a.clone()), block.durations(b.clone()));
            prop_assert_eq!(at_once.block.events(a.clone()), block.events(b.clone()));
            prop_assert_eq!(at_once.block.labels(a), block.labels(b));
        }
        let mut again = Nester::for_ends();
        push_slices(&mut again, &slices);
        prop_assert_eq!(again.finish_ends(), at_once.ends);
        prop_assert!(outline.ends.is_empty());
    }

    #[test]
    fn nothing_is_lost_and_lanes_never_overlap(
        spans in prop::collection::vec((0i64..200, 0i64..60), 0..200),
    ) {
        let spans: Vec<_> = spans.iter().map(|&(start, length)| (start, start + length)).collect();
        let nested = nest(&spans);
        let mut found: Vec<_> = lanes(&nested).concat();
        for lane in lanes(&nested) {
            for pair in lane.windows(2) {
                prop_assert!(pair[0].1 <= pair[1].0);
            }
        }
        for range in &nested.groups[0].nests {
            for lane in range.start + 1..range.end {
                let parents = &lanes(&nested)[lane as usize - 1];
                for child in &lanes(&nested)[lane as usize] {
                    let holders = parents.iter().filter(|p| p.0 <= child.0 && child.1 <= p.1);
                    prop_assert!(holders.count() >= 1);
                }
            }
        }
        for (end, span) in nested.ends.iter().zip(&spans) {
            prop_assert_eq!(lanes(&nested)[end.lane as usize][end.index as usize], *span);
        }
        let mut expected = spans;
        expected.sort_unstable();
        found.sort_unstable();
        prop_assert_eq!(found, expected);
    }
}
