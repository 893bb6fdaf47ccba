//! Rows of a session as both formats have them: planes of hosts, with their tracks.

use std::collections::BTreeMap;

use stepscope_model::{DeviceId, HostId, Session, TrackId};
use stepscope_xplane::Space;

use super::Wanted;

/// A device of a host, or one of its planes of threads.
pub(super) struct Group {
    pub(super) host: HostId,
    pub(super) device: Option<DeviceId>,
    /// As profilers of JAX name planes: `/device:GPU:0`, `/host:CPU`.
    pub(super) name: String,
    pub(super) tracks: Vec<TrackId>,
}

/// The groups that are wanted, in the order of the timeline.
pub(super) fn groups(session: &Session, spaces: &[Space<'_>], wanted: &Wanted) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known: BTreeMap<(HostId, String), usize> = BTreeMap::new();
    for id in session.track_ids() {
        let track = session.track(id);
        if wanted.windows(track).is_none() {
            continue;
        }
        let name = match track.device {
            Some(device) => format!("/device:{}", session.device(device).name),
            None => track
                .origin
                .lines
                .first()
                .and_then(|line| {
                    spaces
                        .get(track.host.index())?
                        .planes
                        .get(line.plane as usize)
                })
                .map_or_else(
                    || "/host:CPU".to_owned(),
                    |plane| plane.name.clone().into_owned(),
                ),
        };
        let position = *known.entry((track.host, name.clone())).or_insert_with(|| {
            groups.push(Group {
                host: track.host,
                device: track.device,
                name,
                tracks: Vec::new(),
            });
            groups.len() - 1
        });
        groups[position].tracks.push(id);
    }
    groups
}

/// The files of all hosts, of which only the events are still undecoded.
pub(super) fn spaces(session: &Session) -> Vec<Space<'_>> {
    let bytes = session.hosts.iter().map(|host| (*host.bytes).as_ref());
    bytes.map(Space::scan).collect()
}
