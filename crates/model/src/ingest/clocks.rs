//! Clocks: the position of each host's time in session time.

use stepscope_xplane::Space;

use super::environment::profile_epoch;
use crate::ids::HostId;
use crate::session::Session;
use crate::units::Picos;

/// The position of each host's time in session time.
pub(super) struct Clocks {
    pub(super) session_epoch_ns: Option<u64>,
    /// Session time of each host's time 0.
    pub(super) offsets: Vec<Picos>,
    /// Hosts whose clocks are too far from that of the first: position and nanoseconds. They begin
    /// with the session.
    pub(super) far_hosts: Vec<(usize, u64)>,
    /// What to subtract from line timestamps that were not normalized when saved.
    pub(super) epochs: Vec<Option<i64>>,
    pub(super) profile_epochs: Vec<Option<(u64, u64)>>,
}

/// Timestamps past 11 days are nanoseconds since the epoch, not since the profile's start.
const EPOCH_THRESHOLD_NS: i64 = 1_000_000_000_000_000;

/// What a host's file says about its clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostClock {
    /// Profile start and stop, nanoseconds since the epoch.
    profile_epoch: Option<(u64, u64)>,
    /// The first line timestamp that counts from the epoch.
    first_epoch: Option<i64>,
}

impl HostClock {
    pub(super) fn of(space: &Space<'_>) -> Self {
        Self {
            profile_epoch: profile_epoch(space),
            first_epoch: first_epoch_timestamp(space),
        }
    }
}

impl Clocks {
    /// The clocks of all hosts, in order: which of them began first decides where the others are.
    /// `elsewhere` is when the first of hosts that are not given began.
    pub(super) fn of(hosts: &[HostClock], elsewhere: Option<u64>) -> Self {
        let profile_epochs: Vec<_> = hosts.iter().map(|host| host.profile_epoch).collect();
        let first_epochs: Vec<_> = hosts.iter().map(|host| host.first_epoch).collect();
        // If no start was recorded, the first timestamp since the epoch is close to it; if one was,
        // nothing is before 0.
        let starts: Vec<Option<u64>> = profile_epochs
            .iter()
            .zip(&first_epochs)
            .map(|(epoch, first)| {
                let recorded = epoch.map(|epoch| epoch.0);
                let first = first.and_then(|first| u64::try_from(first).ok());
                recorded.into_iter().chain(first).min()
            })
            .collect();
        let session_epoch_ns = starts.iter().copied().flatten().chain(elsewhere).min();
        // A clock that was never set is years away: such a host begins with the session.
        let mut far_hosts = Vec::new();
        let mut offset = |(position, start): (usize, &Option<u64>)| {
            let nanos = start
                .zip(session_epoch_ns)
                .map_or(0, |(own, first)| own - first);
            let offset = Picos::from_nanos(i64::try_from(nanos).unwrap_or(i64::MAX));
            if offset > Picos::FARTHEST {
                far_hosts.push((position, nanos));
                return Picos::ZERO;
            }
            offset
        };
        let epochs = first_epochs.iter().zip(&starts).map(|(first, start)| {
            let start = start.and_then(|start| i64::try_from(start).ok());
            first.and(start)
        });
        let epochs = epochs.collect();
        let offsets = starts.iter().enumerate().map(&mut offset).collect();
        Self {
            session_epoch_ns,
            offsets,
            far_hosts,
            epochs,
            profile_epochs,
        }
    }

    /// Session time at which the offsets of a line are 0.
    pub(super) fn base_ps(&self, host: HostId, timestamp_ns: i64) -> i64 {
        let epoch = self.epochs[host.index()].filter(|_| timestamp_ns > EPOCH_THRESHOLD_NS);
        let own = Picos::from_nanos(timestamp_ns.saturating_sub(epoch.unwrap_or(0)));
        (self.offsets[host.index()] + own).0
    }
}

/// The first line timestamp of a file that counts from the epoch.
fn first_epoch_timestamp(space: &Space<'_>) -> Option<i64> {
    let lines = space.planes.iter().flat_map(|plane| &plane.lines);
    let timestamps = lines.map(|line| line.timestamp_ns);
    timestamps.filter(|&ns| ns > EPOCH_THRESHOLD_NS).min()
}

/// Whether time 0 of a file was recorded, instead of being that of its first line.
pub(crate) fn counts_from_recorded_start(space: &Space<'_>) -> bool {
    profile_epoch(space).is_some() && first_epoch_timestamp(space).is_none()
}

impl Session {
    /// Session time of event offset 0 on a line of a host's file with this timestamp.
    pub fn line_base_ps(&self, host: HostId, timestamp_ns: i64) -> i64 {
        let offset = self.host(host).offset.0;
        let start_ns = self.epoch_ns.and_then(|epoch| i64::try_from(epoch).ok());
        let start_ns = start_ns.map_or(0, |epoch| epoch.saturating_add(offset / 1000));
        let since_epoch = timestamp_ns > EPOCH_THRESHOLD_NS;
        let own = timestamp_ns.saturating_sub(if since_epoch { start_ns } else { 0 });
        offset.saturating_add(Picos::from_nanos(own).0)
    }
}
