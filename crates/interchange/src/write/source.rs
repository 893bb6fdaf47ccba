//! Recorded events of a track by their ordinals, read again from the host's file.

use stepscope_model::{DeviceKind, Session, Track};
use stepscope_xplane::{Event, Events, Plane, Space, Stat};

/// The stats of a slice's event that are written with it. Ops of XLA:CPU last until they are done, not
/// until their call returned, so the arrows to the markers of their ends must not be followed again.
pub(super) fn stats<'a>(
    session: &Session,
    track: &Track,
    plane: &Plane<'a>,
    event: &Event<'a>,
) -> impl Iterator<Item = Stat<'a>> {
    let on_cpu = |device| session.device(device).kind == DeviceKind::Cpu;
    let is_complete = track.device.is_some_and(on_cpu);
    let leads_to_end = move |stat: &Stat<'_>| {
        let entry = plane.stat_metadata.get(stat.metadata_id);
        entry.is_some_and(|entry| matches!(entry.name, b"_p" | b"_pt"))
    };
    event
        .stats()
        .filter(move |stat| !(is_complete && leads_to_end(stat)))
}

/// Reads events mostly one after the other, as slices are mostly recorded in the order they began.
pub(super) struct EventSource<'s, 'a> {
    space: &'s Space<'a>,
    track: &'s Track,
    events: Option<(Events<'a>, &'s Plane<'a>, u32)>,
    /// Ordinals from here on belong to the line being read, up to `end`.
    next: u32,
    end: u32,
    restarts: usize,
    /// All events, once going back has become frequent.
    all: Option<Vec<(u32, Event<'a>)>>,
}

/// Going back this often costs more than keeping all events of the track.
const MOST_RESTARTS: usize = 16;

impl<'s, 'a> EventSource<'s, 'a> {
    pub(super) fn new(space: &'s Space<'a>, track: &'s Track) -> Self {
        Self {
            space,
            track,
            events: None,
            next: 0,
            end: 0,
            restarts: 0,
            all: None,
        }
    }

    /// The event of an ordinal, with its plane; none for slices that were derived. The number is
    /// the plane's position.
    pub(super) fn get(&mut self, ordinal: u32) -> Option<(u32, &'s Plane<'a>, Event<'a>)> {
        if self.track.origin.lines.is_empty() || ordinal == u32::MAX {
            return None;
        }
        if let Some(all) = &self.all {
            let &(plane, event) = all.get(ordinal as usize)?;
            return Some((plane, self.space.planes.get(plane as usize)?, event));
        }
        if self.events.is_none() || ordinal < self.next || ordinal >= self.end {
            if ordinal < self.next {
                self.restarts += 1;
            }
            if self.restarts > MOST_RESTARTS {
                self.keep_all();
                return self.get(ordinal);
            }
            self.begin_line(ordinal)?;
        }
        let (events, plane, position) = self.events.as_mut()?;
        let event = events.nth((ordinal - self.next) as usize)?;
        self.next = ordinal + 1;
        Some((*position, plane, event))
    }

    fn begin_line(&mut self, ordinal: u32) -> Option<()> {
        let lines = &self.track.origin.lines;
        let after = lines.partition_point(|line| line.first_event <= ordinal);
        let line = lines.get(after.checked_sub(1)?)?;
        let plane = self.space.planes.get(line.plane as usize)?;
        let events = plane.lines.get(line.line as usize)?.events();
        self.events = Some((events, plane, line.plane));
        self.next = line.first_event;
        self.end = lines.get(after).map_or(u32::MAX, |next| next.first_event);
        Some(())
    }

    fn keep_all(&mut self) {
        let mut all = Vec::new();
        for line in &self.track.origin.lines {
            let plane = self.space.planes.get(line.plane as usize);
            let found = plane.and_then(|plane| plane.lines.get(line.line as usize));
            all.extend(
                found
                    .into_iter()
                    .flat_map(stepscope_xplane::Line::events)
                    .map(|event| (line.plane, event)),
            );
        }
        self.all = Some(all);
    }
}
