//! Writing a session, or a part of one, for other viewers.
//!
//! XSpace gets back the events that slices were recorded as. Both formats of traces get the same rows: hosts, below them devices and the host's own threads, below
//! these the tracks in the order of the timeline. Everything is written as it is walked, so that memory
//! does not grow with the session. Formats of flame graphs get the stacks of the host's threads.

mod arrows;
mod chrome;
mod collapsed;
mod layout;
mod perfetto;
mod source;
mod speedscope;
mod stacks;
mod steps;
mod xplane;

pub use chrome::write_chrome;
pub use collapsed::write_collapsed;
pub use perfetto::write_perfetto;
pub use speedscope::write_speedscope;
pub use xplane::{wanted_hosts, write_xplane};

use stepscope_model::{LabelId, Picos, Session, SliceId, Span};

/// Which part of a session to write.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// For each device the times whose slices are written, sorted and apart; none leaves it out.
    pub devices: Vec<Option<Vec<Span>>>,
    /// For each host the same, for its threads.
    pub hosts: Vec<Option<Vec<Span>>>,
    /// For each label whether its slices are written; none for all.
    pub labels: Option<Vec<bool>>,
    /// Positions of the steps that are written.
    pub steps: Vec<usize>,
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// Rows.
    pub tracks: u64,
    /// Slices, instants among them.
    pub slices: u64,
    /// Samples of counters.
    pub samples: u64,
    /// Arrows.
    pub flows: u64,
    /// Bytes, before any compression.
    pub bytes: u64,
}

impl Wanted {
    /// All of a session.
    pub fn everything(session: &Session) -> Self {
        let always = Span {
            start: Picos(i64::MIN),
            end: Picos::MAX,
        };
        Self {
            devices: vec![Some(vec![always]); session.devices.len()],
            hosts: vec![Some(vec![always]); session.hosts.len()],
            labels: None,
            steps: (0..session.steps.len()).collect(),
        }
    }

    /// The times of a track; none where it is left out.
    fn windows(&self, track: &stepscope_model::Track) -> Option<&[Span]> {
        let windows = match track.device {
            Some(device) => self.devices.get(device.index()),
            None => self.hosts.get(track.host.index()),
        };
        windows?.as_deref()
    }

    fn has_label(&self, label: LabelId) -> bool {
        let labels = self.labels.as_ref();
        labels.is_none_or(|labels| labels.get(label.index()).copied().unwrap_or(false))
    }

    /// The slice is written.
    fn has_slice(&self, session: &Session, slice: SliceId) -> bool {
        let track = session.track(slice.track);
        let lane = session.lane(slice.track, slice.lane);
        let found = self.windows(track).zip(lane).and_then(|(windows, lane)| {
            let index = slice.index as usize;
            let (start, label) = (*lane.starts().get(index)?, *lane.labels().get(index)?);
            Some(self.has_label(label) && contains(windows, start))
        });
        found.unwrap_or(false)
    }
}

/// One of the windows, which are sorted and apart, contains the instant.
fn contains(windows: &[Span], instant: i64) -> bool {
    let after = windows.partition_point(|window| window.start.0 <= instant);
    after > 0 && instant < windows[after - 1].end.0
}

/// Bytes that are collected before they are handed on.
const BLOCK: usize = 1 << 20;
