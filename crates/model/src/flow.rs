//! Flows: arrows between slices, joined on first use.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::ids::{HostId, SliceId, TrackId};

/// One arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flow {
    /// Slice where the arrow starts.
    pub from: SliceId,
    /// Slice where the arrow ends.
    pub to: SliceId,
    /// Its meaning.
    pub kind: FlowKind,
}

/// The meaning of an arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlowKind {
    /// A host call launched a kernel or copy (equal correlation ids).
    Launch,
    /// A producer handed work to a consumer (equal context type and id).
    ProducerConsumer,
}

impl FlowKind {
    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::ProducerConsumer => "producer_consumer",
        }
    }
}

/// One end of an arrow, as recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FlowEnd {
    pub(crate) key: FlowKey,
    /// Ordinal of its event within the track's lines.
    pub(crate) event: u32,
    pub(crate) lane: u32,
    pub(crate) index: u32,
}

/// Arrow ends, or the way to find them.
pub(crate) enum Ends {
    Found(Vec<FlowEnd>),
    /// In the file, for a track that was not completely decoded.
    Deferred(Box<FindEnds>),
}

type FindEnds = dyn Fn() -> Vec<FlowEnd> + Send + Sync;

impl Ends {
    pub(crate) fn deferred(find: impl Fn() -> Vec<FlowEnd> + Send + Sync + 'static) -> Self {
        Self::Deferred(Box::new(find))
    }

    fn get(&self) -> Cow<'_, [FlowEnd]> {
        match self {
            Self::Found(ends) => Cow::Borrowed(ends),
            Self::Deferred(find) => Cow::Owned(find()),
        }
    }
}

impl Default for Ends {
    fn default() -> Self {
        Self::Found(Vec::new())
    }
}

impl fmt::Debug for Ends {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found(ends) => write!(formatter, "Ends({})", ends.len()),
            Self::Deferred(_) => formatter.write_str("Ends(deferred)"),
        }
    }
}

/// The arrow ends of one track.
#[derive(Debug)]
pub(crate) struct TrackEnds {
    pub(crate) host: HostId,
    pub(crate) track: TrackId,
    /// The track is a device's.
    pub(crate) on_device: bool,
    pub(crate) ends: Ends,
}

/// An end with everything that determines its counterpart.
#[derive(Debug, Clone, Copy)]
struct End {
    key: FlowKey,
    on_device: bool,
    slice: SliceId,
}

impl TrackEnds {
    fn all(&self) -> Vec<End> {
        let ends = self.ends.get();
        let end = |end: &FlowEnd| End {
            key: end.key,
            on_device: self.on_device,
            slice: SliceId {
                track: self.track,
                lane: end.lane,
                index: end.index,
            },
        };
        ends.iter().map(end).collect()
    }
}

/// What the two ends of an arrow have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlowKey {
    /// A launch or what it launched; the end on the device is the target.
    Correlation(u64),
    /// Context type and id.
    Producer(i64, u64),
    /// Context type and id.
    Consumer(i64, u64),
}

impl FlowKey {
    /// What both ends share.
    const fn group(self) -> (u8, i64, u64) {
        match self {
            Self::Correlation(id) => (0, 0, id),
            Self::Producer(kind, id) | Self::Consumer(kind, id) => (1, kind, id),
        }
    }
}

/// All arrows, host by host: none leads from one host to another. Profiles contain hundreds of
/// thousands that most questions never need, so the ends are joined on first use.
#[derive(Debug, Default)]
pub struct Flows {
    /// In the order of the hosts; hosts without arrow ends are missing.
    hosts: Vec<HostEnds>,
}

/// The arrow ends of one host.
#[derive(Debug)]
struct HostEnds {
    host: HostId,
    tracks: Vec<TrackEnds>,
    joined: OnceLock<Arc<HostFlows>>,
}

/// The arrows of one host, found from either end.
#[derive(Debug, Default)]
pub struct HostFlows {
    by_from: Vec<Flow>,
    /// Positions in `by_from`, by target.
    by_to: Vec<u32>,
}

/// Keys with more ends than this on both sides are reused IDs, not arrows.
const MAX_PAIRS_PER_SIDE: usize = 64;
/// If one key has more arrows than this, each end may have only few.
const MAX_PAIRS: usize = MAX_PAIRS_PER_SIDE * MAX_PAIRS_PER_SIDE;
const FEW: usize = 4;

impl Flows {
    pub(crate) fn joined_on_demand(mut tracks: Vec<TrackEnds>) -> Self {
        tracks.sort_by_key(|track| track.host);
        let mut hosts: Vec<HostEnds> = Vec::new();
        for track in tracks {
            match hosts.last_mut() {
                Some(last) if last.host == track.host => last.tracks.push(track),
                _ => hosts.push(HostEnds {
                    host: track.host,
                    tracks: vec![track],
                    joined: OnceLock::new(),
                }),
            }
        }
        Self { hosts }
    }

    /// Renumbers tracks. Must keep their order.
    pub(crate) fn move_tracks(&mut self, moved: impl Fn(TrackId) -> TrackId) {
        for host in &mut self.hosts {
            for ends in &mut host.tracks {
                ends.track = moved(ends.track);
            }
            let Some(joined) = host.joined.get_mut().and_then(Arc::get_mut) else {
                // Whoever holds them means the old numbers.
                host.joined.take();
                continue;
            };
            for flow in &mut joined.by_from {
                flow.from.track = moved(flow.from.track);
                flow.to.track = moved(flow.to.track);
            }
        }
    }

    /// The arrows of a host, joined on first use and kept.
    pub(crate) fn kept_of(&self, host: HostId) -> Arc<HostFlows> {
        let Some(ends) = self.ends_of(host) else {
            return Arc::default();
        };
        let joined = ends.joined.get_or_init(|| self.read_of(host));
        Arc::clone(joined)
    }

    /// The arrows of a host, joined for whoever asks.
    pub(crate) fn read_of(&self, host: HostId) -> Arc<HostFlows> {
        Arc::new(HostFlows::of(self.unsorted_of(host)))
    }

    /// Arrows of one host, in no order: joined for whoever asks, and not kept.
    pub(crate) fn unsorted_of(&self, host: HostId) -> Vec<Flow> {
        self.ends_of(host)
            .map_or_else(Vec::new, |ends| join(&ends.tracks))
    }

    fn ends_of(&self, host: HostId) -> Option<&HostEnds> {
        let found = self.hosts.binary_search_by_key(&host, |ends| ends.host);
        found.ok().map(|position| &self.hosts[position])
    }
}

impl HostFlows {
    fn of(mut flows: Vec<Flow>) -> Self {
        flows.sort_unstable();
        flows.dedup();
        let count = u32::try_from(flows.len()).unwrap_or(u32::MAX);
        let mut by_to: Vec<u32> = (0..count).collect();
        by_to.sort_by_key(|&position| flows[position as usize].to);
        Self {
            by_from: flows,
            by_to,
        }
    }

    /// All arrows, by origin.
    pub fn all(&self) -> &[Flow] {
        &self.by_from
    }

    /// Arrows that start at the slice.
    pub fn from_slice(&self, slice: SliceId) -> &[Flow] {
        let flows = self.all();
        let first = flows.partition_point(|flow| flow.from < slice);
        let last = flows.partition_point(|flow| flow.from <= slice);
        &flows[first..last]
    }

    /// Arrows that end at the slice.
    pub fn to_slice(&self, slice: SliceId) -> impl Iterator<Item = &Flow> {
        let flow = |position: u32| &self.by_from[position as usize];
        let first = self
            .by_to
            .partition_point(|&position| flow(position).to < slice);
        let last = self
            .by_to
            .partition_point(|&position| flow(position).to <= slice);
        self.by_to[first..last]
            .iter()
            .map(move |&position| flow(position))
    }
}

/// Joins ends with equal keys. The tracks are of one host.
fn join(tracks: &[TrackEnds]) -> Vec<Flow> {
    let mut order: Vec<End> = tracks.iter().flat_map(TrackEnds::all).collect();
    order.sort_unstable_by_key(|end| (end.key.group(), end.slice));
    let mut flows = Vec::new();
    for group in order.chunk_by(|a, b| a.key.group() == b.key.group()) {
        let kind = match group[0].key {
            FlowKey::Correlation(_) => FlowKind::Launch,
            FlowKey::Producer(..) | FlowKey::Consumer(..) => FlowKind::ProducerConsumer,
        };
        let is_origin = |end: &End| match end.key {
            FlowKey::Correlation(_) => !end.on_device,
            FlowKey::Producer(..) => true,
            FlowKey::Consumer(..) => false,
        };
        let (origins, targets): (Vec<End>, Vec<End>) = group.iter().copied().partition(is_origin);
        let fewer = origins.len().min(targets.len());
        let is_reused = fewer > FEW && origins.len().saturating_mul(targets.len()) > MAX_PAIRS;
        if fewer > MAX_PAIRS_PER_SIDE || is_reused {
            continue;
        }
        for from in &origins {
            flows.extend(targets.iter().map(|to| Flow {
                from: from.slice,
                to: to.slice,
                kind,
            }));
        }
    }
    flows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(track: u32, index: u32) -> SliceId {
        SliceId {
            track: TrackId(track),
            lane: 0,
            index,
        }
    }

    fn end(key: FlowKey, on_device: bool, slice: SliceId) -> TrackEnds {
        let end = FlowEnd {
            key,
            event: 0,
            lane: slice.lane,
            index: slice.index,
        };
        TrackEnds {
            host: HostId(0),
            track: slice.track,
            on_device,
            ends: Ends::Found(vec![end]),
        }
    }

    #[test]
    fn a_launch_points_at_every_kernel_it_launched() {
        let flows = Flows::joined_on_demand(vec![
            end(FlowKey::Correlation(7), true, slice(0, 5)),
            end(FlowKey::Correlation(7), false, slice(9, 1)),
            end(FlowKey::Correlation(7), true, slice(0, 6)),
            end(FlowKey::Correlation(8), true, slice(0, 7)),
        ]);
        let flows = flows.kept_of(HostId(0));
        assert_eq!(flows.all().len(), 2);
        assert_eq!(flows.from_slice(slice(9, 1)).len(), 2);
        assert_eq!(
            flows.to_slice(slice(0, 6)).next().map(|flow| flow.from),
            Some(slice(9, 1))
        );
        assert_eq!(flows.to_slice(slice(0, 7)).count(), 0);
    }

    #[test]
    fn producers_and_consumers_match_by_type_and_id() {
        let flows = Flows::joined_on_demand(vec![
            end(FlowKey::Producer(5, 1), false, slice(1, 0)),
            end(FlowKey::Consumer(5, 1), false, slice(2, 0)),
            end(FlowKey::Consumer(6, 1), false, slice(3, 0)),
        ]);
        let flows = flows.kept_of(HostId(0));
        assert_eq!(flows.all().len(), 1);
        assert_eq!(flows.all()[0].kind, FlowKind::ProducerConsumer);
    }
}
