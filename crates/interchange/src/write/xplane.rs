//! XSpace: the file of a host as it was recorded or converted, or the part of it that is wanted.
//!
//! Slices lead back to the events that they were recorded as, and events are kept or left out whole,
//! with everything that is known of them. So what is read again is the same session.

use std::io::{self, Write};

use stepscope_model::{HostId, Session, Span, Track};
use stepscope_xplane::{Part, Space, select};

use super::{Wanted, Written, contains};

/// Hosts of which something is wanted, in the order of the session: each is a file.
pub fn wanted_hosts(session: &Session, wanted: &Wanted) -> Vec<HostId> {
    let hosts = (0..session.hosts.len()).map(HostId::from_index);
    let is_wanted = |host: &HostId| {
        let mut tracks = session.tracks.iter().filter(|track| track.host == *host);
        tracks.any(|track| wanted.windows(track).is_some())
    };
    hosts.filter(is_wanted).collect()
}

/// Writes the file of a host. Where all of it is wanted, it is written as it is.
///
/// # Errors
///
/// Those of `out`.
pub fn write_xplane(
    session: &Session,
    host: HostId,
    wanted: &Wanted,
    out: &mut dyn Write,
) -> io::Result<Written> {
    let bytes = (*session.host(host).bytes).as_ref();
    let space = Space::outline(bytes);
    let mut kept = Kept::of(session, host, wanted, &space);
    let mut written = kept.written;
    if kept.is_everything() {
        out.write_all(bytes)?;
        written.bytes = bytes.len() as u64;
        return Ok(written);
    }
    select(bytes, &mut kept, &mut |piece| {
        written.bytes += piece.len() as u64;
        out.write_all(piece)
    })?;
    Ok(written)
}

/// What becomes of the events of a line.
#[derive(Debug, Clone, Default)]
struct KeptLine {
    /// Bits of events that became slices, and of those the ones that are wanted.
    slices: Bits,
    wanted: Bits,
    /// Times whose other events are wanted, on the clock of the line; none for no time.
    windows: Vec<Span>,
    has_track: bool,
}

/// The part of a host's file that is wanted.
struct Kept<'s, 'a> {
    space: &'s Space<'a>,
    /// By plane and line.
    lines: Vec<Vec<KeptLine>>,
    planes: Vec<bool>,
    written: Written,
    /// The line whose other events are being decided, with their offsets.
    current: Option<((usize, usize), Vec<i64>)>,
}

impl<'s, 'a> Kept<'s, 'a> {
    fn of(session: &Session, host: HostId, wanted: &Wanted, space: &'s Space<'a>) -> Self {
        let lines = space.planes.iter();
        let mut kept = Self {
            space,
            lines: lines
                .map(|plane| vec![KeptLine::default(); plane.lines.len()])
                .collect(),
            planes: vec![true; space.planes.len()],
            written: Written::default(),
            current: None,
        };
        // Planes of devices that are not wanted: their rows are all of such devices.
        let mut has_wanted = vec![None; space.planes.len()];
        let own = session.tracks.iter().filter(|track| track.host == host);
        for track in own {
            let is_wanted = wanted.windows(track).is_some();
            for line in &track.origin.lines {
                if let Some(plane) = has_wanted.get_mut(line.plane as usize) {
                    let before: Option<bool> = *plane;
                    *plane = Some(before.unwrap_or(false) || is_wanted || track.device.is_none());
                }
            }
            kept.add(session, track, wanted);
        }
        for (plane, has_wanted) in kept.planes.iter_mut().zip(has_wanted) {
            *plane = has_wanted.unwrap_or(true);
        }
        kept
    }

    fn add(&mut self, session: &Session, track: &Track, wanted: &Wanted) {
        // Rows that were derived from others will be derived again.
        if track.origin.lines.is_empty() {
            return;
        }
        let windows = wanted.windows(track);
        let before = self.written;
        for lane in &track.lanes {
            let columns = lane.starts().iter().zip(lane.labels()).zip(lane.events());
            for ((&start, &label), &ordinal) in columns {
                let is_wanted = windows.is_some_and(|windows| contains(windows, start))
                    && wanted.has_label(label);
                self.written.slices += u64::from(is_wanted);
                if let Some((line, event)) = self.event(track, ordinal) {
                    line.slices.set(event);
                    if is_wanted {
                        line.wanted.set(event);
                    }
                }
            }
        }
        if let Some(samples) = &track.samples {
            let times = samples.times.iter();
            let wanted = times.filter(|&&time| windows.is_some_and(|w| contains(w, time)));
            self.written.samples += wanted.count() as u64;
        }
        let has_any =
            (self.written.slices, self.written.samples) != (before.slices, before.samples);
        self.written.tracks += u64::from(has_any);
        self.add_windows(session, track, windows.unwrap_or_default());
    }

    /// Notes at which times events are wanted that are no slices: samples, markers.
    fn add_windows(&mut self, session: &Session, track: &Track, windows: &[Span]) {
        for origin in &track.origin.lines {
            let (plane, position) = (origin.plane as usize, origin.line as usize);
            let recorded = self.space.planes.get(plane);
            let Some(recorded) = recorded.and_then(|plane| plane.lines.get(position)) else {
                continue;
            };
            let base = session.line_base_ps(track.host, recorded.timestamp_ns);
            let line = &mut self.lines[plane][position];
            line.has_track = true;
            let own = windows.iter().map(|window| Span {
                start: stepscope_model::Picos(window.start.0.saturating_sub(base)),
                end: stepscope_model::Picos(window.end.0.saturating_sub(base)),
            });
            line.windows.extend(own);
        }
    }

    fn event(&mut self, track: &Track, ordinal: u32) -> Option<(&mut KeptLine, usize)> {
        let lines = &track.origin.lines;
        if ordinal == u32::MAX {
            return None;
        }
        let after = lines.partition_point(|line| line.first_event <= ordinal);
        let origin = lines.get(after.checked_sub(1)?)?;
        let plane = self.lines.get_mut(origin.plane as usize)?;
        let line = plane.get_mut(origin.line as usize)?;
        Some((line, (ordinal - origin.first_event) as usize))
    }

    fn is_everything(&self) -> bool {
        let lines = self.lines.iter().flatten();
        self.planes.iter().all(|&plane| plane) && lines.clone().all(KeptLine::is_whole)
    }
}

impl KeptLine {
    /// Nothing of it is left out: all its slices are wanted, and so is all time.
    fn is_whole(&self) -> bool {
        let is_always =
            |window: &Span| window.start.0 <= i64::MIN / 2 && window.end.0 >= i64::MAX / 2;
        !self.has_track || self.slices == self.wanted && self.windows.iter().any(is_always)
    }
}

impl Part for Kept<'_, '_> {
    fn has_plane(&mut self, plane: usize) -> bool {
        self.planes.get(plane).copied().unwrap_or(true)
    }

    fn has_whole_line(&mut self, plane: usize, line: usize) -> bool {
        let line = self.lines.get(plane).and_then(|lines| lines.get(line));
        line.is_none_or(KeptLine::is_whole)
    }

    fn has_event(&mut self, plane: usize, line: usize, event: usize) -> bool {
        let Some(kept) = self.lines.get(plane).and_then(|lines| lines.get(line)) else {
            return true;
        };
        if kept.slices.get(event) {
            return kept.wanted.get(event);
        }
        if self
            .current
            .as_ref()
            .is_none_or(|(at, _)| *at != (plane, line))
        {
            let events = self.space.planes[plane].lines[line].events();
            self.current = Some(((plane, line), events.map(|event| event.offset_ps).collect()));
        }
        let offsets = self.current.as_ref().map(|(_, offsets)| offsets);
        let offset = offsets.and_then(|offsets| offsets.get(event));
        offset.is_some_and(|&offset| {
            let mut windows = kept.windows.iter();
            windows.any(|window| window.start.0 <= offset && offset < window.end.0)
        })
    }
}

/// A set of small numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Bits(Vec<u64>);

impl Bits {
    fn set(&mut self, index: usize) {
        let word = index / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (index % 64);
    }

    fn get(&self, index: usize) -> bool {
        let word = self.0.get(index / 64);
        word.is_some_and(|word| word >> (index % 64) & 1 == 1)
    }
}
