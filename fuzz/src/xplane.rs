//! Arbitrary bytes can be decoded, and both ways of reading the events of a line agree.

use stepscope_xplane::{Plane, Space, Stat};

/// Panics if decoding breaks an invariant.
pub fn check(bytes: &[u8]) {
    let mut space = Space::scan(bytes);
    for line in space.planes.iter_mut().flat_map(|plane| &mut plane.lines) {
        let mut behind = line.clone();
        let mut events = line.events();
        events.by_ref().for_each(drop);
        behind.complete_behind(&events);
        line.complete();
        behind.event_count = line.event_count;
        assert_eq!(format!("{behind:?}"), format!("{line:?}"));
    }
    for problem in &space.problems {
        assert!(
            problem.offset < bytes.len(),
            "{problem:?} lies outside the file"
        );
    }
    for plane in &space.planes {
        check_plane(&space, plane, bytes.len());
    }
}

fn check_plane(space: &Space<'_>, plane: &Plane<'_>, file_bytes: usize) {
    let read = |stat: Stat<'_>| (plane.stat_name(&stat).len(), stat.value().as_int());
    plane.stats().for_each(|stat| _ = read(stat));
    for entry in plane.event_metadata.iter() {
        assert_eq!(
            plane.event_metadata.get(entry.id).map(|found| found.name),
            Some(entry.name)
        );
        entry.stats().for_each(|stat| _ = read(stat));
    }
    for line in &plane.lines {
        let mut one_pass = line.events();
        let mut count = 0;
        for event in line.events() {
            let mut visited = 0;
            let other = one_pass.next_with(&mut |stat| {
                _ = read(stat);
                visited += 1;
            });
            let other = other.map(|other| (other.metadata_id, other.offset_ps, other.duration_ps));
            assert_eq!(
                other,
                Some((event.metadata_id, event.offset_ps, event.duration_ps))
            );
            assert_eq!(visited, event.stats().count(), "stats of {event:?}");
            count += 1;
        }
        assert!(one_pass.next().is_none());
        assert!(count <= line.event_count && line.event_count <= count + 1);
        if let Some((offset, _)) = one_pass.damage() {
            assert!(space.offset_of(line.as_bytes()) + offset < file_bytes);
        }
    }
}
